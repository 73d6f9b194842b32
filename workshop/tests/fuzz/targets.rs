//! The fuzz targets: one function for each kind of external input.

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position as _};
use stretto::book::Book;
use stretto::eval::network::{FEATURES, Network, Weights};
use stretto::position::{FenDialect, Game, Position};
use stretto::tablebase::TableFile;
use stretto::types::Color;
use stretto::uci::{Line, LineReader, parse};
use stretto_harness::Cancel;
use stretto_harness::configs::AblateConfig;
use stretto_harness::configs::BenchConfig;
use stretto_harness::configs::EquivalenceConfig;
use stretto_harness::configs::SmpConfig;
use stretto_harness::configs::Source;
use stretto_harness::configs::SuiteRequest;
use stretto_harness::configs::{ExecutionArgs, LoadedMatch, RunKind};
use stretto_harness::epd;
use stretto_harness::fastchess::{import_command_line, import_saved, split_words};
use stretto_harness::games::read_journal;
use stretto_harness::games::{
    Audit, GameRecord, GameResult, MoveDetails, MoveRecord, PvError, RECORD_VERSION, Side, SideStats,
    Termination, WrongPv,
};
use stretto_harness::openings::read_lines;
use stretto_harness::openings::{Format, OpeningBook, Order};
use stretto_harness::protocol::{OptionDecl, Replay, ReportedScore, SearchInfo};
use stretto_harness::suite::Expectation;
use stretto_workshop::configs::OpeningSetConfig;
use stretto_workshop::configs::TuneEvalConfig;
use stretto_workshop::games::read_games;
use stretto_workshop::games::read_pgn;
use stretto_workshop::polyglot::{DumpOptions, dump, info};
use stretto_workshop::tables::count_illegal;
use stretto_workshop::training::{DatagenConfig, Filter, GameReader, PlayedGame, Sample, TrainConfig};

use super::seal;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// A kind of input with its reader.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Valid inputs to be mutated.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Tokens of the format.
    pub(crate) words: &'static [&'static str],
    /// Maximum length of an input. Units: bytes.
    pub(crate) max_len: usize,
    /// Memory allowed for any input; more is allowed per byte of input. Units: bytes.
    pub(crate) memory: usize,
    /// Relative cost of an input.
    pub(crate) cost: u64,
    /// Makes the checksums of a mutated input valid again, if the format has some.
    pub(crate) seal: Option<fn(&mut [u8])>,
    /// Reads the input, checks the invariants and returns an answer.
    pub(crate) run: fn(&[u8]) -> String,
}

/// The fuzz targets in the order of the runs.
pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "fen",
        seeds: || lines(&[FENS]),
        words: &["KQkq", "HAha", " w ", " b ", "e3", "/8", "kK", "PPPPPPPP", " - - 0 1"],
        max_len: 200,
        memory: 64 * KIB,
        cost: 1,
        seal: None,
        run: fen,
    },
    Target {
        name: "epd",
        seeds: || lines(&[EPDS, FENS]),
        words: &["bm ", "am ", "id \"", "\";", "c0 ", "dm 3;", "hmvc 5;", ";", "\\\"", "fmvn "],
        max_len: 400,
        memory: 64 * KIB,
        cost: 1,
        seal: None,
        run: read_epd,
    },
    Target {
        name: "san",
        seeds: || GAMES.iter().map(|game| game.as_bytes().to_vec()).collect(),
        words: &["O-O", "O-O-O", "e8=Q", "exd6", "Nbd7+", "R1xe1#", "e2e4", "0000", "--", "N"],
        max_len: 300,
        memory: 64 * KIB,
        cost: 1,
        seal: None,
        run: san,
    },
    Target {
        name: "pgn",
        seeds: || with_shared(PGNS, "pgn", 8 * KIB),
        words: &["[FEN \"", "\"]\n", "{", "}", "(", ")", "$1", "1-0", "*", "%", ";", "\n\n[", "1. ", "..."],
        max_len: 8 * KIB,
        memory: MIB,
        cost: 3,
        seal: None,
        run: pgn,
    },
    Target {
        name: "uci",
        seeds: || lines(&[UCI]),
        words: &[
            "go ",
            "position ",
            "fen ",
            "moves ",
            "infinite",
            "wtime ",
            "setoption name ",
            " value ",
            "searchmoves ",
        ],
        max_len: 4 * KIB,
        memory: 64 * KIB,
        cost: 1,
        seal: None,
        run: uci,
    },
    Target {
        name: "configs",
        seeds: configs,
        words: &[
            "engines:",
            "\n  - ",
            "{ ",
            " }",
            "&a ",
            "*a",
            "<<: ",
            "[",
            "]",
            ": ",
            "!!binary ",
            "|\n",
            "null",
            "games: ",
        ],
        max_len: 8 * KIB,
        memory: 4 * MIB,
        cost: 10,
        seal: None,
        run: read_configs,
    },
    Target {
        name: "import",
        seeds: || FASTCHESS.iter().map(|text| text.as_bytes().to_vec()).collect(),
        words: &[
            "-engine ",
            "-each ",
            "tc=",
            "name=",
            "cmd=",
            "-sprt ",
            "-openings ",
            "option.Hash=",
            "\\",
            "'",
            "\"",
        ],
        max_len: 2 * KIB,
        memory: 256 * KIB,
        cost: 1,
        seal: None,
        run: import,
    },
    Target {
        name: "book",
        seeds: books,
        words: &[],
        max_len: 4 * KIB,
        memory: MIB,
        cost: 5,
        seal: None,
        run: book,
    },
    Target {
        name: "table",
        seeds: tables,
        words: &["KQvK", "KRvKP", "KPPPPvK", "STRETTO\u{1a}"],
        max_len: 16 * KIB,
        memory: 4 * MIB,
        cost: 30,
        seal: Some(seal::table),
        run: table,
    },
    Target {
        name: "gaviota",
        seeds: gaviota_tables,
        words: &["\u{0}\u{40}\u{0}\u{0}", "]\u{0}\u{10}\u{0}\u{0}"],
        max_len: 12 * KIB,
        memory: 2 * MIB,
        cost: 10,
        seal: None,
        run: gaviota,
    },
    Target {
        name: "network",
        seeds: networks,
        words: &["STRETTO\n"],
        max_len: 512 * KIB,
        memory: MIB,
        cost: 30,
        seal: Some(seal::network),
        run: network,
    },
    Target {
        name: "games",
        seeds: played_games,
        words: &[],
        max_len: 4 * KIB,
        memory: 64 * KIB,
        cost: 1,
        seal: None,
        run: games,
    },
    Target {
        name: "journal",
        seeds: journals,
        words: &["\"v\":", "\"game\":", "null", "[", "]", "{", "}", "\"moves\":", "1e999", "\\u0000"],
        max_len: 8 * KIB,
        memory: 256 * KIB,
        cost: 2,
        seal: None,
        run: journal,
    },
    Target {
        name: "engine_output",
        seeds: || lines(&[ENGINE]),
        words: &[
            "info ",
            "score ",
            "cp ",
            "mate ",
            "pv ",
            "lowerbound",
            "string ",
            "wdl ",
            "multipv ",
            "nodes ",
            "var ",
            "type ",
        ],
        max_len: KIB,
        // Includes the buffers of the YAML parser of replays.
        memory: 256 * KIB,
        cost: 1,
        seal: None,
        run: engine_output,
    },
];

const FENS: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1
8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 17 40
rnbqkbnr/1pp1pppp/8/p2pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3
1rkr4/8/8/8/8/8/8/1RK1R3 w EBdb - 0 1
4k3/8/8/8/8/8/8/4K2R w K - 99 120";

const EPDS: &str = "\
2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"WAC.001\"; c0 \"a \\\"word\\\"\";
8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - bm Rxb2; hmvc 3; fmvn 20; id \"two\";
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - dm 1; am Kf1 h3; c8 \"10 20\"; c9 \"d1d8 h2h3\";";

const GAMES: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\ne4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O Bg4 h3 h5",
    "r3k2r/pPppqpb1/bn2pnp1/4N3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\nbxa8=N O-O O-O-O hxg2 Nxb6 gxh1=Q",
    "rnbqkbnr/1pp1pppp/8/p2pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3\nexd6 e7e5 d2d4 exd4 Qxd4 Qxd6 Qe5+",
];

const PGNS: &[&str] = &[
    "[Event \"?\"]\n[White \"one\"]\n[Black \"other\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 {a comment} Nc6 (2... d6 3. d4) 3. Bb5 $1 a6 1-0\n\n",
    "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n[Result \"1/2-1/2\"]\n\n1. e4 Kd7 2. e5 ; to the end\nKe6 1/2-1/2\n\n[Result \"*\"]\n\n*\n",
];

const UCI: &str = "\
position startpos moves e2e4 e7e5 g1f3
position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1
go wtime 1000 btime 1000 winc 10 binc 10 movestogo 20
go depth 5 searchmoves e2e4 d2d4 nodes 1000 mate 3 infinite ponder
setoption name Clear Hash
setoption name Hash value 16
ucinewgame
register later
bench 5
go perft 3
stop";

const FASTCHESS: [&str; 2] = [
    "fastchess -engine cmd=./a name=one option.Hash=16 -engine cmd=./b name='the other' -each tc=8+0.08 -openings file=book.epd format=epd order=random -rounds 100 -repeat -concurrency 2 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 -draw movenumber=40 movecount=8 score=10",
    r#"{"engines":[{"name":"one","cmd":"./a","args":"","limit":{"tc":{"time":8000,"increment":80}},"options":[["Hash","16"]]},{"name":"other","cmd":"./b"}],"rounds":100,"opening":{"file":"book.epd"}}"#,
];

const ENGINE: &str = "\
id name Some Engine 1.0
option name Hash type spin default 16 min 1 max 1024
option name Style type combo default Normal var Solid var Normal var Risky
option name UCI_EngineAbout type string default by someone
info depth 10 seldepth 14 multipv 1 score cp 31 lowerbound nodes 1234 nps 100000 hashfull 3 tbhits 0 time 12 pv e2e4 e7e5
info depth 3 score mate -2 wdl 0 0 1000 pv a2a1q
info string NNUE evaluation using some.nnue
info currmove e2e4 currmovenumber 1
bestmove e2e4 ponder e7e5";

/// Returns each line of the texts.
fn lines(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().flat_map(|text| text.lines()).map(|line| line.as_bytes().to_vec()).collect()
}

/// Returns these inputs and, if `STRETTO_TEST_DATA` names the collections of `make test-data`, the
/// files of a folder there.
fn with_shared(own: &[&str], folder: &str, max_len: usize) -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = own.iter().map(|text| text.as_bytes().to_vec()).collect();
    let folder = std::env::var_os("STRETTO_TEST_DATA").map(|data| Path::new(&data).join(folder));
    let mut files: Vec<PathBuf> = folder
        .and_then(|folder| fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    seeds.extend(files.iter().filter_map(|file| fs::read(file).ok()).filter(|bytes| bytes.len() <= max_len));
    seeds
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Writes the content to a temporary file of this thread and returns its path.
fn file(bytes: &[u8]) -> PathBuf {
    thread_local! {
        static FOLDER: OnceCell<tempfile::TempDir> = const { OnceCell::new() };
    }
    FOLDER.with(|folder| {
        let path = folder.get_or_init(|| tempfile::tempdir().unwrap()).path().join("input");
        fs::write(&path, bytes).unwrap();
        path
    })
}

/// Returns an answer without the path of the temporary file.
fn without_path(answer: &impl ToString, path: &Path) -> String {
    answer.to_string().replace(&path.display().to_string(), "FILE")
}

/// Checks that FEN round-trips and that the number of legal moves equals shakmaty's.
fn fen(bytes: &[u8]) -> String {
    let text = text(bytes);
    let position = match Position::from_fen(&text) {
        Ok(position) => position,
        Err(error) => return error.to_string(),
    };
    for dialect in [FenDialect::Standard, FenDialect::Shredder] {
        let written = position.to_fen(dialect);
        assert_eq!(Position::from_fen(&written), Ok(position), "{written}");
    }
    let moves = position.legal_moves();
    let written = position.to_fen(FenDialect::Shredder);
    let other =
        written.parse::<Fen>().ok().and_then(|fen| fen.into_position::<Chess>(CastlingMode::Chess960).ok());
    if let Some(other) = other {
        assert_eq!(moves.len(), other.legal_moves().len(), "{written}");
    }
    for &mv in &moves {
        let next = position.after(mv);
        assert_eq!(Position::from_fen(&next.to_fen(FenDialect::Shredder)), Ok(next), "{written} {mv:?}");
    }
    format!("{} check {}", moves.len() / 8, position.is_check())
}

/// Returns the smaller three-piece tables.
fn gaviota_tables() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/gaviota");
    ["kqk", "krk"].map(|name| fs::read(folder.join(format!("{name}.gtb.cp4"))).unwrap()).to_vec()
}

/// Checks that all values of a table are read or a fault is reported.
fn gaviota(bytes: &[u8]) -> String {
    match count_illegal("KQvK", bytes) {
        Ok(illegal) => format!("{illegal} illegal"),
        Err(fault) => {
            assert!(fault.starts_with("kqk.gtb.cp4: "), "{fault}");
            fault
        }
    }
}

fn read_epd(bytes: &[u8]) -> String {
    let mut answer = String::new();
    for line in epd::lines(bytes) {
        match epd::parse(line) {
            None => answer.push('-'),
            Some(Err(error)) => {
                let _ = write!(answer, "{error}");
            }
            Some(Ok(line)) => {
                let (expectation, warnings) = Expectation::read(&line, CastlingMode::Chess960);
                let _ = write!(answer, "{} {:?} {warnings:?}", line.id().is_some(), expectation.is_empty());
            }
        }
    }
    let (openings, bad) = read_lines(bytes);
    for opening in &openings {
        assert!(!opening.label.is_empty());
        let _ = opening.position();
    }
    let _ = write!(answer, " {} {}", openings.len(), bad.len());
    answer
}

/// Checks that parsed moves are legal and that their notation parses back.
fn san(bytes: &[u8]) -> String {
    let text = text(bytes);
    let (fen, moves) = text.split_once('\n').unwrap_or(("", &text));
    let mut position = Position::from_fen(fen).unwrap_or_else(|_| Position::startpos());
    let mut answer = String::new();
    for word in moves.split_whitespace() {
        let read = position.parse_san(word);
        let other = position.parse_uci(word);
        for mv in [&read, &other].into_iter().flatten().copied() {
            assert!(position.is_legal(mv), "{word} in {position}");
            assert_eq!(position.parse_san(&position.san(mv)), Ok(mv), "{word} in {position}");
            for chess960 in [false, true] {
                assert_eq!(position.parse_uci(&position.uci(mv, chess960)), Ok(mv), "{word} in {position}");
            }
        }
        match read.or(other) {
            Ok(mv) => position = position.after(mv),
            Err(error) => {
                let _ = write!(answer, "{error} ");
            }
        }
    }
    answer
}

/// Checks that all readers accept the file without panic; returns their results.
fn pgn(bytes: &[u8]) -> String {
    let path = file(bytes);
    let (mut good, mut bad) = (0, Vec::new());
    let unfinished = read_pgn(
        &path,
        300,
        |file| file,
        |game| {
            match game {
                Ok(_) => good += 1,
                Err(game) => bad.push(game.to_string()),
            }
            Ok(())
        },
    );
    let unfinished = match unfinished {
        Ok(games) => games.to_string(),
        Err(error) => without_path(&error, &path),
    };
    let openings = OpeningBook::load(&path, Format::Pgn { plies: None }, Order::Sequential, 0, 0);
    let openings = openings.map_or_else(|error| without_path(&error, &path), |book| book.len().to_string());
    let games = read_games(std::slice::from_ref(&path), &Cancel::new());
    let games = games.map_or_else(|error| without_path(&error, &path), |read| read.games.len().to_string());
    format!("{good} {unfinished} {bad:?} {openings} {games}")
}

fn uci(bytes: &[u8]) -> String {
    let mut reader = LineReader::new(bytes);
    let mut answer = String::new();
    loop {
        match reader.next_line().unwrap() {
            Line::End => return answer,
            Line::TooLong => answer.push_str("too long "),
            Line::Text(line) => {
                let _ = match parse(&line) {
                    Ok(parsed) => write!(answer, "{} ", parsed.is_some()),
                    Err(error) => write!(answer, "{error} "),
                };
            }
        }
    }
}

fn configs_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs")
}

fn configs() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let mut folders = vec![configs_folder()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "yaml") {
                seeds.push(fs::read(path).unwrap());
            }
        }
    }
    seeds
}

/// Checks that every configuration parser accepts or rejects the input.
fn read_configs(bytes: &[u8]) -> String {
    // Placed with the project's own configurations, so that the files they reference are found.
    let source = Source::new(configs_folder().join("match/input.yaml"), text(bytes).into_owned());
    let mut answer = String::new();
    let mut hear = |error: Option<String>| {
        let error = error.unwrap_or_else(|| "read".to_owned());
        let words: Vec<&str> = error.split_whitespace().filter(|word| !word.contains('/')).take(12).collect();
        let _ = write!(answer, "{}; ", words.join(" "));
    };
    for kind in [RunKind::Match, RunKind::Sprt, RunKind::Tune, RunKind::Screen] {
        hear(LoadedMatch::load(&source, kind, ExecutionArgs::default()).err().map(|error| error.to_string()));
    }
    hear(SuiteRequest::load(&source).err().map(|error| error.to_string()));
    hear(OpeningSetConfig::load(&source).err().map(|error| error.to_string()));
    hear(AblateConfig::load(&source).err().map(|error| error.to_string()));
    hear(EquivalenceConfig::load(&source, None).err().map(|error| error.to_string()));
    hear(SmpConfig::load(&source).err().map(|error| error.to_string()));
    hear(TrainConfig::load(&source).err().map(|error| error.to_string()));
    hear(TuneEvalConfig::load(&source).err().map(|error| error.to_string()));
    hear(BenchConfig::load(&source).err().map(|error| error.to_string()));
    hear(DatagenConfig::load(&source).err().map(|error| error.to_string()));
    answer
}

fn import(bytes: &[u8]) -> String {
    let text = text(bytes);
    let line = import_command_line(&split_words(&text))
        .map_or_else(|error| error.to_string(), |_| "read".to_owned());
    let saved = import_saved(&text).map_or_else(|error| error.to_string(), |_| "read".to_owned());
    format!("{line}; {saved}")
}

fn books() -> Vec<Vec<u8>> {
    // Two moves from the start and one reply, with and without a header.
    let entry = |key: u64, mv: u16, weight: u16| {
        [&key.to_be_bytes()[..], &mv.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    };
    let start = stretto::book::BookKey::of(&Game::new(Position::startpos())).0;
    let mut game = Game::new(Position::startpos());
    game.play(game.position().parse_uci("e2e4").unwrap());
    let after = stretto::book::BookKey::of(&game).0;
    let mut entries = [(start, 0o1434, 3), (start, 0o1333, 1), (after, 0o6444, 2), (after, 0o7465, 0)];
    entries.sort_by_key(|entry| entry.0);
    let whole: Vec<u8> = entries.iter().flat_map(|&(key, mv, weight)| entry(key, mv, weight)).collect();
    vec![whole.clone(), [&[0; 16][..], &whole].concat(), Vec::new()]
}

fn book(bytes: &[u8]) -> String {
    let book = match Book::from_bytes(bytes.to_vec()) {
        Ok(book) => book,
        Err(fault) => return fault.to_string(),
    };
    let order = book.check_order().map_or_else(|fault| fault.to_string(), |()| "in order".to_owned());
    let start = Game::new(Position::startpos());
    let facts = info(&book, &start);
    let mut shown = 0;
    for color in [Color::White, Color::Black] {
        let _ = dump(&book, &start, DumpOptions { color, max_ply: 30 }, |line| {
            shown += line.moves.len();
            Ok::<_, ()>(())
        });
    }
    format!("{order} {shown} {facts:?}")
}

fn tables() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src/tablebase/embedded");
    ["KRvK.dtm", "KPvK.dtm", "KBvK.dtm"].iter().map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

/// Checks that decoded blocks contain only values listed in the header.
fn table(bytes: &[u8]) -> String {
    let table = match TableFile::from_bytes("input", bytes.to_vec()) {
        Ok(table) => table,
        Err(error) => return error.to_string(),
    };
    let mut answer = table.file_name();
    for color in [Color::White, Color::Black] {
        let Some(outcomes) = table.outcomes(color) else { continue };
        for block in 0..table.blocks().min(20) {
            match table.block(color, block) {
                Ok(values) => assert!(values.iter().all(|&value| usize::from(value) < outcomes.len())),
                Err(error) => {
                    let _ = write!(answer, " {error}");
                    break;
                }
            }
        }
    }
    answer
}

fn networks() -> Vec<Vec<u8>> {
    let hidden = 64;
    let mut random = stretto::types::SplitMix64::new(1);
    let mut many = |count: usize, limit: u64| -> Vec<i16> {
        (0..count).map(|_| random.below(2 * limit + 1) as i16 - limit as i16).collect()
    };
    let weights = Weights {
        rows: many(FEATURES * hidden, 100),
        biases: many(hidden, 100),
        outputs: many(8 * 2 * hidden, 100),
        output_biases: [0; 8],
        scale: 400,
        manifest: [1; 16],
    };
    vec![weights.to_bytes()]
}

/// Checks that the scalar and the vector kernels of an accepted network agree.
fn network(bytes: &[u8]) -> String {
    let network = match Weights::from_bytes(bytes).and_then(|weights| Network::new(&weights)) {
        Ok(network) => network,
        Err(fault) => return fault.to_string(),
    };
    let plain = network.clone().with_kernels(stretto::eval::network::Kernels::scalar());
    for fen in FENS.lines() {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(network.evaluate(&position), plain.evaluate(&position), "{fen}");
    }
    format!("{} neurons", network.hidden())
}

fn played_games() -> Vec<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut alone = Vec::new();
    for game in GAMES {
        let (fen, moves) = game.split_once('\n').unwrap();
        let start = Position::from_fen(fen).unwrap();
        let mut position = start;
        let mut played = Vec::new();
        for word in moves.split_whitespace() {
            let Ok(mv) = position.parse_san(word).or_else(|_| position.parse_uci(word)) else { break };
            played.push((mv, 25));
            position = position.after(mv);
        }
        let game = PlayedGame { start, moves: played, half_points: 1 };
        game.write(&mut bytes).unwrap();
        let mut one = Vec::new();
        game.write(&mut one).unwrap();
        alone.push(one);
    }
    alone.push(bytes);
    alone
}

/// Checks that games round-trip.
fn games(bytes: &[u8]) -> String {
    let filter = Filter { min_ply: 0, ..Filter::default() };
    let (mut positions, mut count) = (0, 0);
    for game in GameReader::new(bytes) {
        let game = match game {
            Ok(game) => game,
            Err(error) => return error.to_string(),
        };
        positions += Sample::of_game(&game, &filter).count();
        let mut written = Vec::new();
        game.write(&mut written).unwrap();
        let again = GameReader::new(&written[..]).next_game().unwrap().unwrap();
        assert_eq!(again, game);
        count += 1;
    }
    format!("{count} games {positions}")
}

fn journals() -> Vec<Vec<u8>> {
    let mv = MoveRecord {
        text: "e2e4".to_owned(),
        time_us: 1000,
        score: Some(ReportedScore::Cp(20)),
        depth: Some(9),
        nodes: Some(1000),
        is_ponder_hit: false,
        more: Some(Box::new(MoveDetails { pv: Some("e2e4 e7e5".to_owned()), ..MoveDetails::default() })),
    };
    let mut record = GameRecord {
        v: RECORD_VERSION,
        game: 0,
        pair: 0,
        half: 0,
        white: 0,
        black: 1,
        fen: Position::startpos().to_fen(FenDialect::Standard),
        book: vec!["d2d4".to_owned()],
        opening: "one".to_owned(),
        started_ms: 1,
        duration_ms: 2,
        steal_time_permille: None,
        other_load_permille: None,
        clock_permille: Some(1237),
        result: GameResult::won_by(Side::White),
        termination: Termination::TimeForfeit { by: Side::Black, over_us: 1, lone_king: false },
        plies: 1,
        white_stats: SideStats::default(),
        black_stats: SideStats::default(),
        moves: vec![mv],
        wrong_pvs: vec![WrongPv {
            ply: 0,
            error: PvError::IllegalMove,
            pv_move: Some(2),
            ponder: None,
            line: Some("info depth 1 pv e2e4 e2e4".to_owned()),
        }],
        audit: Some(Audit {
            result: Some(GameResult::Draw),
            ended: "threefold".to_owned(),
            moves: vec!["g8f6".to_owned()],
            duration_ms: 3,
        }),
    };
    let first = serde_json::to_string(&record).unwrap();
    record.game = 1;
    record.termination = Termination::Crash { by: Side::White, how: "exited with code 1".to_owned() };
    let second = serde_json::to_string(&record).unwrap();
    vec![format!("{first}\n{second}\n").into_bytes(), b"\n".to_vec()]
}

fn journal(bytes: &[u8]) -> String {
    let path = file(bytes);
    let mut games = 0;
    let read = read_journal(&path, |record: GameRecord| {
        games += 1;
        let _ = record.first_half_points();
        Ok(())
    });
    format!("{games} {}", read.map_or_else(|error| without_path(&error, &path), |()| "all".to_owned()))
}

fn engine_output(bytes: &[u8]) -> String {
    let text = text(bytes);
    let mut answer = String::new();
    for line in text.lines() {
        let info = SearchInfo::parse(line).map(|info| (info.report.score, info.pv().count()));
        let option = OptionDecl::parse(line).map(|option| option.name.len());
        let _ = write!(answer, "{info:?} {option:?} ");
    }
    let replay = Replay::parse(&text).map_or_else(|error| error, |_| "read".to_owned());
    format!("{answer}{replay}")
}
