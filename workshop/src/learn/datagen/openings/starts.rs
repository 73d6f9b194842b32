//! Draws the start positions of games.

use std::num::NonZeroU32;

use anyhow::anyhow;
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;
use stretto::position::Position;

use super::config::{FileSource, OpeningSource, Openings, is_pgn};
use super::ending::EndingSource;
use stretto_harness::base::random::SplitMix64;
use stretto_harness::play::openings::{Format, Opening, OpeningBook, Order};

/// The number of arrangements of Chess960.
const ARRAYS: u64 = 960;

/// The sources of start positions, with their files read.
#[derive(Debug)]
pub(in super::super) struct Starts {
    sources: Vec<StartSource>,
    /// Whether the configuration is a list: then each game draws its source.
    is_mixed: bool,
}

/// A source of start positions.
#[derive(Debug)]
pub(in super::super) struct StartSource {
    share: NonZeroU32,
    /// Largest score of a start, either way. Units: centipawns.
    pub max_score: u16,
    kind: StartKind,
}

#[derive(Debug)]
enum StartKind {
    Array(Plies),
    Chess960(Plies),
    File { name: String, lines: Vec<Position>, plies: Plies },
    Endings(EndingSource),
}

/// Range of the number of random plies.
#[derive(Clone, Copy, Debug)]
struct Plies {
    min: u32,
    max: u32,
}

impl Starts {
    /// Reads the opening files.
    pub(in super::super) fn load(openings: &Openings) -> anyhow::Result<Self> {
        match openings {
            &Openings::Random(random) => {
                let kind = StartKind::Array(Plies { min: random.min_plies, max: random.max_plies });
                let source = StartSource { share: NonZeroU32::MIN, max_score: random.max_score, kind };
                Ok(Self { sources: vec![source], is_mixed: false })
            }
            Openings::Mixed(sources) => {
                let sources = sources.iter().map(StartSource::load).collect::<Result<_, _>>()?;
                Ok(Self { sources, is_mixed: true })
            }
        }
    }

    /// Draws the source of a game by the shares.
    pub(in super::super) fn source(&self, random: &mut SplitMix64) -> &StartSource {
        let share = |source: &StartSource| u64::from(source.share.get());
        // Without a list no number is drawn, as before lists existed: the games stay the same.
        let mut left = if self.is_mixed { random.below(self.sources.iter().map(share).sum()) } else { 0 };
        let found = self.sources.iter().find(|source| {
            let is_here = left < share(source);
            left = left.saturating_sub(share(source));
            is_here
        });
        found.unwrap_or(&self.sources[0])
    }
}

impl StartSource {
    fn load(source: &OpeningSource) -> anyhow::Result<Self> {
        let (max_score, kind) = match source {
            OpeningSource::Random(array) => {
                (array.max_score, StartKind::Array(Plies { min: array.min_plies, max: array.max_plies }))
            }
            OpeningSource::Chess960(array) => {
                (array.max_score, StartKind::Chess960(Plies { min: array.min_plies, max: array.max_plies }))
            }
            OpeningSource::File(file) => (file.max_score, load_file(file)?),
            OpeningSource::Endings(ending) => (ending.max_score, StartKind::Endings(ending.clone())),
        };
        Ok(Self { share: source.share(), max_score, kind })
    }

    /// Draws a start position; `None` if the game is over or the position is illegal.
    pub(in super::super) fn draw(&self, random: &mut SplitMix64) -> Option<Position> {
        match &self.kind {
            // The order of the draws determines the games of a seed.
            StartKind::Array(plies) => plies.play(random, |_| Some(Position::startpos())),
            StartKind::Chess960(plies) => plies.play(random, |random| {
                let array = random.below(ARRAYS) as u16;
                Position::chess960_start(array, array)
            }),
            StartKind::File { lines, plies, .. } => {
                plies.play(random, |random| Some(lines[random.below(lines.len() as u64) as usize]))
            }
            StartKind::Endings(ending) => ending.draw(random).filter(Position::has_legal_move),
        }
        .filter(|start| !start.is_dead_material())
    }

    /// Returns the error after too many unbalanced starts.
    pub(in super::super) fn unbalanced(&self, tries: u32) -> anyhow::Error {
        let of = match &self.kind {
            StartKind::Array(_) => "random plies".to_owned(),
            StartKind::Chess960(_) => "source `chess960`".to_owned(),
            StartKind::File { name, .. } => format!("file `{name}`"),
            StartKind::Endings(_) => "source `endings`".to_owned(),
        };
        let most = self.max_score;
        anyhow!(
            "openings: no start of {of} with a score of at most {most} centipawns in {tries} tries; raise `max_score` or change \
             the source"
        )
    }
}

impl Plies {
    /// Plays random plies from a start; `None` if the game is over.
    fn play(
        self,
        random: &mut SplitMix64,
        start: impl FnOnce(&mut SplitMix64) -> Option<Position>,
    ) -> Option<Position> {
        let plies = self.min + random.below(u64::from(self.max - self.min) + 1) as u32;
        let mut position = start(random)?;
        for _ in 0..plies {
            let moves = position.legal_moves();
            if moves.is_empty() {
                return None;
            }
            position = position.after(moves[random.below(moves.len() as u64) as usize]);
        }
        position.has_legal_move().then_some(position)
    }
}

fn load_file(source: &FileSource) -> anyhow::Result<StartKind> {
    let format = if is_pgn(&source.file) { Format::Pgn { plies: source.plies } } else { Format::Epd };
    let book = OpeningBook::load(&source.file, format, Order::Sequential, 0, 0)?;
    let lines = (0..book.len() as u64).map(|line| position(book.opening(line))).collect();
    let plies = Plies { min: source.min_plies, max: source.max_plies };
    Ok(StartKind::File { name: source.file.display().to_string(), lines, plies })
}

/// Returns the position after the moves of an opening.
fn position(opening: &Opening) -> Position {
    let fen = Fen::from_position(&opening.position(), EnPassantMode::Legal).to_string();
    Position::from_fen(&fen).expect("both move generators accept a legal position")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use stretto::types::Color;

    use super::*;
    use stretto_harness::config::{FieldPath, Source};

    const LINES: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2; id \"open\";\n\
                         nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1\n";

    /// Loads sources beside an EPD file and a PGN file.
    fn starts(list: &str) -> Starts {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("lines.epd"), LINES).unwrap();
        fs::write(dir.path().join("games.pgn"), "[Event \"?\"]\n\n1. d4 d5 2. c4 e6 *\n").unwrap();
        let source = Source::new(dir.path().join("a.yaml"), list.to_owned());
        let openings: Openings = source.parse().unwrap();
        Starts::load(&openings.validate(&FieldPath::root(), &source, false).unwrap()).unwrap()
    }

    fn draws(starts: &Starts, seed: u64) -> Vec<Position> {
        let mut random = SplitMix64::new(seed);
        (0..50).filter_map(|_| starts.source(&mut random).draw(&mut random)).collect()
    }

    #[test]
    fn sources_are_drawn_by_their_shares() {
        let starts = starts(
            "[{ source: random, share: 1 }, { source: chess960, share: 3 }, { source: endings, share: 6, pieces: [KRPvKR] }]",
        );
        let mut random = SplitMix64::new(5);
        let mut counts = [0_u32; 3];
        for _ in 0..10_000 {
            match starts.source(&mut random).kind {
                StartKind::Array(_) => counts[0] += 1,
                StartKind::Chess960(_) => counts[1] += 1,
                StartKind::Endings(_) => counts[2] += 1,
                StartKind::File { .. } => panic!("no such source"),
            }
        }
        // Four standard deviations are at most 200.
        for (count, expected) in counts.into_iter().zip([1000, 3000, 6000]) {
            assert!(u32::abs_diff(count, expected) < 200, "{counts:?}");
        }
    }

    #[test]
    fn starts_of_every_source_are_legal_and_reproducible() {
        for list in [
            "[{ source: random, min_plies: 8, max_plies: 9 }]",
            "[{ source: chess960, min_plies: 4, max_plies: 5 }]",
            "[{ source: file, file: lines.epd, min_plies: 4, max_plies: 6 }]",
            "[{ source: file, file: games.pgn, plies: 3, min_plies: 0, max_plies: 1 }]",
            "[{ source: endings, pieces: [KQvKQ, KRPvKR], max_pawns: 3 }]",
        ] {
            let starts = starts(list);
            let positions = draws(&starts, 1);
            assert_eq!(positions, draws(&starts, 1), "{list}");
            assert_ne!(positions, draws(&starts, 2), "{list}");
            assert!(positions.len() > 10, "{list}: {}", positions.len());
            for position in positions {
                assert_eq!(Position::from_fen(&position.to_string()), Ok(position), "{list}");
                assert!(position.has_legal_move() && !position.is_dead_material(), "{position}");
            }
        }
    }

    #[test]
    fn file_starts_follow_its_lines_by_the_random_plies() {
        let starts = starts("[{ source: file, file: lines.epd, min_plies: 4, max_plies: 6 }]");
        let mut from_chess960 = 0;
        for position in draws(&starts, 9) {
            // Both lines begin with White to move.
            let ply = 2 * u32::from(position.fullmove_number()) + position.side_to_move().index() as u32;
            let is_chess960 = position.king(Color::White) != Position::startpos().king(Color::White);
            let first = if is_chess960 { 2 } else { 4 };
            if (first + 4..=first + 6).contains(&ply) {
                from_chess960 += u32::from(is_chess960);
            } else {
                // Only a king that moved can belong to the other line.
                assert!(position.castling_rooks().count() < 4, "{position}");
            }
        }
        assert!((5..45).contains(&from_chess960), "{from_chess960}");
        let starts =
            self::starts("[{ source: file, file: games.pgn, plies: 3, min_plies: 0, max_plies: 0 }]");
        for position in draws(&starts, 1) {
            assert_eq!(position.to_string(), "rnbqkbnr/ppp1pppp/8/3p4/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - 0 2");
        }
    }

    #[test]
    fn chess960_starts_keep_their_castling_rights() {
        let starts = starts("[{ source: chess960, min_plies: 0, max_plies: 0 }]");
        let positions = draws(&starts, 1);
        assert!(positions.iter().all(|position| position.castling_rooks().count() == 4));
        let kings: std::collections::HashSet<_> =
            positions.iter().map(|position| position.king(Color::White).index()).collect();
        assert!(kings.len() >= 4, "{kings:?}");
    }

    #[test]
    fn bad_line_of_an_opening_file_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("bad.epd"), format!("{LINES}nonsense\n")).unwrap();
        let source = Source::new(dir.path().join("a.yaml"), "[{ source: file, file: bad.epd }]".to_owned());
        let openings: Openings = source.parse().unwrap();
        let openings = openings.validate(&FieldPath::root(), &source, false).unwrap();
        let error = Starts::load(&openings).unwrap_err().to_string();
        assert!(error.contains("bad.epd: 1 bad line") && error.contains("line 3"), "{error}");
    }
}
