//! The test set: positions with deep scores, and the groups of the report.

use std::path::Path;

use anyhow::{Context, anyhow, bail, ensure};
use stretto::eval::classical::{has_opposite_bishops, has_wrong_bishop};
use stretto::position::Position;
use stretto::types::{Color, PieceType};

use stretto_harness::base::pgn::half_points;

/// A deep score up to this value is level. Units: centipawns of its engine.
const LEVEL: f64 = 40.0;

/// A position of the test set. Scores are those of the side to move, in centipawns.
pub(super) struct Scored {
    /// Number of the game that the position is from.
    pub(super) game: i32,
    /// Points of the side to move in that game.
    pub(super) points: f64,
    /// Deep scores of the two engines.
    pub(super) deep: [f64; 2],
    /// Scores of the further columns.
    pub(super) further: Vec<f64>,
    pub(super) position: Position,
}

/// Positions with deep scores, and the names of their columns.
pub(super) struct TestSet {
    /// Names of the two deep scores.
    pub(super) deep: [String; 2],
    /// Names of the further columns of scores.
    pub(super) further: Vec<String>,
    /// At least one position.
    pub(super) positions: Vec<Scored>,
}

impl TestSet {
    /// Reads a file of tab-separated columns: game, result, two deep scores, further scores and FEN.
    pub(super) fn read(file: &Path) -> anyhow::Result<Self> {
        let shown = file.display();
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {shown}: give the test set with --positions"))?;
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let (["game", "result", first, second, further @ ..], Some(&"fen")) =
            (&header[..header.len() - 1], header.last())
        else {
            bail!("{shown}:1: expected the columns game, result, two deep scores, further scores, fen");
        };
        let rows = (2..).zip(lines).map(|(number, line)| {
            scored(line, header.len()).map_err(|error| anyhow!("{shown}:{number}: {error}"))
        });
        let positions = rows.collect::<anyhow::Result<Vec<_>>>()?;
        ensure!(!positions.is_empty(), "{shown}: expected at least one position, found none");
        let further = further.iter().map(|&name| name.to_owned()).collect();
        Ok(Self { deep: [(*first).to_owned(), (*second).to_owned()], further, positions })
    }
}

/// Parses a line with this number of columns.
fn scored(line: &str, columns: usize) -> anyhow::Result<Scored> {
    let cells: Vec<&str> = line.split('\t').collect();
    ensure!(cells.len() == columns, "expected {columns} columns, found {}", cells.len());
    let number = |at: usize| {
        cells[at].parse::<i32>().map_err(|_| anyhow!("column {}: `{}` is no whole number", at + 1, cells[at]))
    };
    let position = Position::from_fen(cells[columns - 1])?;
    let white = half_points(cells[1]).ok_or_else(|| anyhow!("`{}` is no result", cells[1]))?;
    let white = f64::from(white) / 2.0;
    Ok(Scored {
        game: number(0)?,
        points: if position.side_to_move() == Color::White { white } else { 1.0 - white },
        deep: [number(2)?.into(), number(3)?.into()],
        further: (4..columns - 1).map(|at| number(at).map(f64::from)).collect::<Result<_, _>>()?,
        position,
    })
}

/// A set of positions for which the report has a row.
pub(super) type Group = (&'static str, fn(&Scored) -> bool);

/// The phases: each position belongs to one.
pub(super) const PHASES: [Group; 3] = [
    ("26 pieces and more", |scored| scored.pieces() > 25),
    ("16 to 25", |scored| (16..26).contains(&scored.pieces())),
    ("below 16", Scored::is_ending),
];

/// Kinds of endings with fewer than 16 pieces. They overlap.
pub(super) const ENDINGS: [Group; 8] = [
    ("with queens", |scored| scored.is_ending() && scored.has(&[PieceType::Queen])),
    ("rook endings", |scored| scored.is_of(&[PieceType::Rook])),
    ("minor pieces", |scored| scored.is_of(&[PieceType::Knight, PieceType::Bishop])),
    ("pawn endings", |scored| scored.is_of(&[])),
    ("opposite bishops", |scored| {
        let has_others = scored.has(&[PieceType::Queen, PieceType::Knight]);
        scored.is_ending() && has_opposite_bishops(&scored.position) && !has_others
    }),
    ("wrong bishop", |scored| {
        scored.is_ending() && Color::ALL.iter().any(|&color| has_wrong_bishop(&scored.position, color))
    }),
    ("a side without pawns", |scored| {
        scored.is_ending()
            && Color::ALL.iter().any(|&color| scored.position.pieces_of(color, PieceType::Pawn).is_empty())
    }),
    ("level for both", |scored| scored.is_level()),
];

/// Level endings, in which a good evaluation is near 0.
pub(super) const LEVEL_ENDINGS: [Group; 2] = [
    ("for both engines", Scored::is_level),
    ("for the second", |scored| scored.is_ending() && scored.deep[1].abs() <= LEVEL),
];

impl Scored {
    fn pieces(&self) -> u32 {
        self.position.occupied().count()
    }

    fn is_ending(&self) -> bool {
        self.pieces() < 16
    }

    /// Whether both engines score the ending as level.
    fn is_level(&self) -> bool {
        self.is_ending() && self.deep.iter().all(|score| score.abs() <= LEVEL)
    }

    /// Whether any of these pieces is on the board.
    fn has(&self, kinds: &[PieceType]) -> bool {
        kinds.iter().any(|&kind| !self.position.pieces(kind).is_empty())
    }

    /// Whether it is an ending with no other kinds of pieces than these besides kings and pawns.
    fn is_of(&self, kinds: &[PieceType]) -> bool {
        let pieces = [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];
        let has_others = pieces.iter().any(|kind| !kinds.contains(kind) && self.has(&[*kind]));
        self.is_ending() && !has_others && (kinds.is_empty() || self.has(kinds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "game\tresult\tone\ttwo\tstatic\tfen\n";

    fn read(text: &str) -> anyhow::Result<TestSet> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("set.tsv");
        std::fs::write(&file, text).unwrap();
        TestSet::read(&file)
    }

    /// Returns the names of the groups of a position with these deep scores.
    fn groups(fen: &str, one: i32, two: i32) -> Vec<&'static str> {
        let set = read(&format!("{HEADER}1\t1-0\t{one}\t{two}\t0\t{fen}\n")).unwrap();
        let all = PHASES.iter().chain(&ENDINGS).chain(&LEVEL_ENDINGS);
        all.filter(|(_, has)| has(&set.positions[0])).map(|(name, _)| *name).collect()
    }

    #[test]
    fn columns_are_read_for_the_side_to_move() {
        let set =
            read(&format!("{HEADER}7\t1-0\t-20\t30000\t5\t4k3/8/8/8/8/8/4P3/4K3 b - - 3 50\n")).unwrap();
        assert_eq!((set.deep, set.further), (["one", "two"].map(str::to_owned), vec!["static".to_owned()]));
        let [only] = &set.positions[..] else { panic!() };
        assert_eq!(
            (only.game, only.points, only.deep, &only.further[..]),
            (7, 0.0, [-20.0, 30_000.0], &[5.0][..])
        );
        assert_eq!(only.position.halfmove_clock(), 3);
    }

    #[test]
    fn bad_lines_are_reported_with_their_place() {
        for (text, expected) in [
            (
                String::new(),
                "set.tsv:1: expected the columns game, result, two deep scores, further scores, fen",
            ),
            (HEADER.replace("two\t", "").replace("static\t", ""), "set.tsv:1: expected the columns"),
            (HEADER.to_owned(), "set.tsv: expected at least one position, found none"),
            (format!("{HEADER}1\t1-0\t1\t2\t3\n"), "set.tsv:2: expected 6 columns, found 5"),
            (
                format!("{HEADER}1\t1-0\t1\tx\t3\t4k3/8/8/8/8/8/8/4K3 w - - 0 1\n"),
                "set.tsv:2: column 4: `x` is no whole number",
            ),
            (
                format!("{HEADER}1\t*\t1\t2\t3\t4k3/8/8/8/8/8/8/4K3 w - - 0 1\n"),
                "set.tsv:2: `*` is no result",
            ),
            (
                format!("{HEADER}?\t1-0\t1\t2\t3\t4k3/8/8/8/8/8/8/4K3 w - - 0 1\n"),
                "set.tsv:2: column 1: `?` is no whole number",
            ),
            (format!("{HEADER}1\t1-0\t1\t2\t3\t4k3 w\n"), "set.tsv:2: "),
        ] {
            let error = read(&text).err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn endings_belong_to_their_kinds() {
        let cases: [(&str, &[&str]); 8] = [
            (
                "8/8/2k5/4B3/3K1P2/P7/4b3/8 b - - 0 1",
                &["minor pieces", "opposite bishops", "a side without pawns"],
            ),
            ("8/1p6/2k5/4B3/3K1P2/P7/3b4/8 b - - 0 1", &["minor pieces"]),
            ("8/1p3r2/2k5/4B3/3K1P2/P6R/4b3/8 b - - 0 1", &["opposite bishops"]),
            ("8/5pk1/6p1/8/1R3P2/6P1/r4PK1/8 w - - 0 1", &["rook endings"]),
            ("8/5pk1/6p1/8/5P2/6P1/5PK1/8 w - - 0 1", &["pawn endings"]),
            ("8/5pk1/6p1/3q4/5P2/6P1/Q4PK1/8 w - - 0 1", &["with queens"]),
            ("7k/6p1/8/8/8/3B4/6KP/8 w - - 0 1", &["minor pieces", "wrong bishop"]),
            ("7k/8/8/6p1/8/4B3/6KP/8 w - - 0 1", &["minor pieces"]),
        ];
        for (fen, kinds) in cases {
            assert_eq!(groups(fen, 100, 100), [&["below 16"], kinds].concat(), "{fen}");
        }
        let fen = cases[4].0;
        let level = ["level for both", "for both engines", "for the second"];
        assert_eq!(groups(fen, -40, 40), [&["below 16", "pawn endings"], &level[..]].concat());
        assert_eq!(groups(fen, 41, 0), ["below 16", "pawn endings", "for the second"]);
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(groups(start, 0, 0), ["26 pieces and more"]);
        assert_eq!(groups("4k3/pppppppp/8/8/8/8/PPPPPPP1/4K3 w - - 0 1", 0, 0), ["16 to 25"]);
    }
}
