//! Imports PGN games written by `OpenBench` or another match tool, as pairs.
//!
//! Archives of `OpenBench` list the games of several machines in order of completion, and tools
//! mark pairs in different ways. The two games of a pair always have the same opening and reversed
//! colours. If only two such games have the same `Round`, they are a pair: `1` as fastchess writes it, or `1.1` and
//! `1.2`. Any other game is paired with the first earlier game that fits and has no partner yet.
//!
//! The opening of a game is its start position and the moves after it with the comment `{book}`,
//! which Stretto's harness, fastchess and cutechess-cli write, and which `OpenBench` keeps.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt::Write;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

use anyhow::{anyhow, bail};
use serde::Serialize;
use shakmaty::san::San;

use crate::base::pgn::{BadGame, GameBuilder, Games, NextGame, agreed, half_points, is_pgn};
use crate::base::wording::counted;
use stretto_stats::bounds::{Corrections, Sprt};
use stretto_stats::counts::{Pentanomial, Trinomial};
use stretto_stats::summary::MatchStats;

/// Lists the first names and the number of the others.
fn list(names: &[String]) -> String {
    const NAMED: usize = 10;
    match names {
        [] => "none".to_owned(),
        [named @ .., _] if named.len() < NAMED => names.join(", "),
        _ => format!("{} and {} more", names[..NAMED].join(", "), names.len() - NAMED),
    }
}

/// Normal terminations.
const USUAL: [&str; 4] = ["", "normal", "adjudication", "unknown"];
/// FEN of the standard start position.
const STANDARD_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The tags of a game and the moves of its opening.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlayedGame {
    /// Names in the tags `White` and `Black`.
    pub players: [String; 2],
    /// Start position; empty for the standard one.
    pub start: String,
    /// First moves, which the engines did not choose, in SAN with blanks between them.
    pub book: String,
    /// The `Round` as the tool writes it.
    pub round: String,
    /// Half points of White; `None` without a result.
    pub half_points: Option<u8>,
    /// Termination as the tool writes it; empty if normal.
    pub termination: String,
    /// Its location, if an earlier game has the same tags, moves and comments.
    pub repeated_at: Option<String>,
}

impl PlayedGame {
    /// Returns the opening with the number of the pair in its `Round`, if there is one.
    fn round(&self) -> Option<(&str, &str, &str)> {
        let pair = self.round.split('.').next().unwrap_or_default();
        (!["", "?", "-"].contains(&pair)).then_some((&self.start, &self.book, pair))
    }
}

/// The results of the files, from the view of one engine.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ImportedMatch {
    /// The engine under test, which `--dev` names, or else the first one found.
    pub dev: String,
    /// The engine it is compared with.
    pub base: String,
    /// Results and estimates from the point of view of `dev`.
    pub stats: MatchStats,
    /// Number of games without a partner, which nothing else counts.
    pub single: u64,
    /// Number of games without a result, which are left out.
    pub unfinished: u64,
    /// Number of games without start position and book moves, which are paired as if they had one opening.
    pub without_opening: u64,
    /// Number of games that repeat an earlier one word for word, which are left out.
    pub repeated: u64,
    /// Location of the first of them.
    pub first_repeated: Option<String>,
    /// Number of games by abnormal termination.
    pub terminations: BTreeMap<String, u64>,
}

impl ImportedMatch {
    /// Returns warnings if games may be paired wrongly or were left out.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        // Two games fit each other or are left single.
        if self.without_opening > 2 {
            warnings.push(format!(
                "{} games have neither a FEN nor first moves with the comment {{book}}: they are paired in the order of \
                 the files, so pairs and Elo intervals are wrong if their openings differ; write PGN with comments",
                self.without_opening
            ));
        }
        if let Some(place) = &self.first_repeated {
            let games = counted(self.repeated as usize, "game");
            warnings.push(format!(
                "left out {games} with the same tags, moves and comments as an earlier one, first {place}"
            ));
        }
        warnings
    }
}

/// Reads the tags and openings of the games of a file. `seen` has the hashes of the games read before.
///
/// Errors: the file cannot be read, or is no PGN, for example a packed archive, or a game cannot be read.
pub(crate) fn read_games(file: &Path, seen: &mut HashSet<u64>) -> anyhow::Result<Vec<PlayedGame>> {
    let name = file.display();
    let fail = |error: io::Error| anyhow!("cannot read {name}: {error}");
    let empty = || anyhow!("{name}: no game in PGN; archives are unpacked first (tar, bunzip2)");
    let mut source = Games::new(File::open(file).map_err(fail)?);
    let mut games = Vec::new();
    while let Some((place, read)) = source.next(&GameParser::default()) {
        match read {
            NextGame::Complete((mut game, hash)) => {
                if !seen.insert(hash) {
                    game.repeated_at = Some(format!("{name}: {place}"));
                }
                games.push(game);
            }
            // A game needs no result.
            NextGame::Unfinished => {}
            NextGame::Bad(what) | NextGame::Truncated(what) => {
                let is_text = place.game > 1 || is_pgn(file).map_err(fail)?;
                let game = BadGame { place, what };
                return Err(if is_text { anyhow!("{name}: {game}") } else { empty() });
            }
            NextGame::Failed(error) => return Err(fail(error)),
        }
    }
    // An empty file is a machine without games.
    if !games.is_empty() && games.iter().all(|game| game.players.iter().all(String::is_empty)) {
        return Err(empty());
    }
    Ok(games)
}

/// Computes statistics from games, pair by pair. The default of `dev` is White of the first game.
///
/// Errors: more or fewer than two engines played, or `dev` did not.
pub(crate) fn import(
    games: &[PlayedGame],
    dev: Option<&str>,
    sprt: Option<Sprt>,
) -> anyhow::Result<ImportedMatch> {
    let (dev, base) = players(games, dev)?;
    let mut waiting: HashMap<(&str, &str, bool), VecDeque<u8>> = HashMap::new();
    let (mut tally, mut pairs) = (Trinomial::default(), Pentanomial::default());
    let mut terminations = BTreeMap::new();
    let (mut unfinished, mut without_opening) = (0, 0);
    let (played, repeated): (Vec<_>, Vec<_>) = games.iter().partition(|game| game.repeated_at.is_none());
    let mut by_round: HashMap<_, [Vec<u8>; 2]> = HashMap::new();
    let mut decided = Vec::new();
    for game in played {
        let Some(white_points) = game.half_points else {
            unfinished += 1;
            continue;
        };
        if !USUAL.iter().any(|usual| game.termination.eq_ignore_ascii_case(usual)) {
            *terminations.entry(game.termination.clone()).or_default() += 1;
        }
        let is_white = game.players[0] == dev;
        let points = if is_white { white_points } else { 2 - white_points };
        tally += Trinomial::from_game(points).unwrap_or_default();
        if let Some(round) = game.round() {
            by_round.entry(round).or_default()[usize::from(is_white)].push(points);
        }
        decided.push((game, is_white, points));
    }
    // Only two games of an opening with reversed colours and one round are a pair.
    by_round.retain(|_, [black, white]| black.len() == 1 && white.len() == 1);
    for [black, white] in by_round.values() {
        pairs += Pentanomial::from_pair(black[0] + white[0]).unwrap_or_default();
    }
    decided.retain(|(game, ..)| game.round().is_none_or(|round| !by_round.contains_key(&round)));
    for (game, is_white, points) in decided {
        without_opening += u64::from(game.start.is_empty() && game.book.is_empty());
        let fits = |is_white| (game.start.as_str(), game.book.as_str(), is_white);
        let partner = waiting.get_mut(&fits(!is_white)).and_then(VecDeque::pop_front);
        match partner {
            Some(other) => pairs += Pentanomial::from_pair(points + other).unwrap_or_default(),
            None => waiting.entry(fits(is_white)).or_default().push_back(points),
        }
    }
    // Score and Elo are of the same games.
    let single: Trinomial = waiting.values().flatten().copied().filter_map(Trinomial::from_game).sum();
    tally -= single;
    Ok(ImportedMatch {
        stats: MatchStats::new(pairs, tally, sprt.map(|sprt| (sprt, Corrections::default()))),
        single: waiting.values().map(|games| games.len() as u64).sum(),
        dev,
        base,
        unfinished,
        without_opening,
        repeated: repeated.len() as u64,
        first_repeated: repeated.first().and_then(|game| game.repeated_at.clone()),
        terminations,
    })
}

/// Returns both engines, `dev` first.
fn players(games: &[PlayedGame], dev: Option<&str>) -> anyhow::Result<(String, String)> {
    let mut seen = HashSet::new();
    let names = games.iter().flat_map(|game| &game.players);
    let found: Vec<String> = names.filter(|&name| seen.insert(name)).cloned().collect();
    let [first, second] = &found[..] else {
        bail!("expected games between two engines, found {}", list(&found))
    };
    match dev {
        None => Ok((first.clone(), second.clone())),
        Some(dev) if dev == first => Ok((first.clone(), second.clone())),
        Some(dev) if dev == second => Ok((second.clone(), first.clone())),
        Some(dev) => bail!("no game of `{dev}`; the players are {}", list(&found)),
    }
}

/// A game during parsing.
#[derive(Clone, Default)]
struct GameParser {
    game: PlayedGame,
    /// The last move, until its comment was read.
    last: Option<San>,
    /// Whether a move without the comment `{book}` was read.
    is_past_book: bool,
    /// Tags, moves and comments.
    hash: DefaultHasher,
}

impl GameBuilder for GameParser {
    /// The game and the hash of its text.
    type Game = (PlayedGame, u64);

    fn tag(&mut self, name: &str, value: &str) -> Result<(), String> {
        (name, value).hash(&mut self.hash);
        let game = &mut self.game;
        match name {
            "white" => value.clone_into(&mut game.players[0]),
            "black" => value.clone_into(&mut game.players[1]),
            "fen" if value == STANDARD_START => game.start.clear(),
            "fen" => value.clone_into(&mut game.start),
            "round" => value.clone_into(&mut game.round),
            "termination" => value.clone_into(&mut game.termination),
            "result" => game.half_points = half_points(value),
            _ => {}
        }
        Ok(())
    }

    fn san(&mut self, san: San) -> Result<(), String> {
        san.hash(&mut self.hash);
        self.is_past_book |= self.last.replace(san).is_some();
        Ok(())
    }

    fn comment(&mut self, comment: &str) {
        comment.hash(&mut self.hash);
        let Some(last) = self.last.take() else { return };
        if self.is_past_book || comment.trim() != "book" {
            self.is_past_book = true;
            return;
        }
        let separator = if self.game.book.is_empty() { "" } else { " " };
        // Writing to a String cannot fail.
        let _ = write!(self.game.book, "{separator}{last}");
    }

    fn outcome(&mut self, half_points: Option<u8>) -> Result<(), String> {
        self.game.half_points = agreed(self.game.half_points, half_points)?;
        Ok(())
    }

    fn finish(self) -> Option<(PlayedGame, u64)> {
        Some((self.game, self.hash.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto_stats::llr::Model;

    fn game(white: &str, black: &str, start: &str, half_points: Option<u8>) -> PlayedGame {
        let players = [white.to_owned(), black.to_owned()];
        PlayedGame { players, start: start.to_owned(), half_points, ..PlayedGame::default() }
    }

    /// Reads the games of a text, each of which begins with the line `WHITE BLACK RESULT [FEN]`, followed by its
    /// movetext.
    fn read(games: &[(&str, &str)]) -> Vec<PlayedGame> {
        let mut text = String::new();
        for (tags, moves) in games {
            let words: Vec<&str> = tags.splitn(4, ' ').collect();
            let _ = writeln!(text, "[Event \"x\"]\n[White \"{}\"]\n[Black \"{}\"]", words[0], words[1]);
            let _ = writeln!(text, "[Result \"{}\"]", words[2]);
            if let Some(fen) = words.get(3) {
                let _ = writeln!(text, "[SetUp \"1\"]\n[FEN \"{fen}\"]");
            }
            let _ = writeln!(text, "\n{moves} {}\n", words[2]);
        }
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("games.pgn");
        std::fs::write(&file, text).expect("a file");
        read_games(&file, &mut HashSet::new()).expect("games")
    }

    #[test]
    fn games_with_one_opening_and_reversed_colours_are_a_pair() {
        let games = [
            game("new", "old", "one", Some(2)),
            game("new", "old", "two", Some(1)),
            game("old", "new", "one", Some(0)),
            game("old", "new", "two", Some(2)),
            game("new", "old", "three", Some(0)),
            game("old", "new", "four", None),
        ];
        let found = import(&games, None, None).expect("a match");
        // A pair with two wins, a pair with a draw and a loss, and a single game.
        assert_eq!(found.stats.pairs, Pentanomial([0, 1, 0, 0, 1]));
        assert_eq!(found.stats.games, Trinomial { losses: 1, draws: 1, wins: 2 });
        assert_eq!((found.single, found.unfinished), (1, 1));
        let reversed = import(&games, Some("old"), None).expect("a match");
        assert_eq!((reversed.dev.as_str(), reversed.base.as_str()), ("old", "new"));
        assert_eq!(reversed.stats.pairs, found.stats.pairs.reversed());
    }

    #[test]
    fn games_with_different_book_moves_are_no_pair() {
        // As fastchess, cutechess-cli and OpenBench write them.
        let by_others = read(&[
            ("new old 1-0", "1. e4 {book} e5 {book} 2. Nf3 {+0.12/5 0.002s} Nc6 {+0.12/5 0.002s}"),
            ("new old 0-1", "1. d4 {book} d5 {book} 2. Nf3 {+0.12/5 0.002s} Nf6 {+0.12/5 0.002s}"),
            ("old new 0-1", "d4 {book} d5 {book} c4 {unknown} e6 {unknown}"),
            ("old new 1-0", "1. e4 { book } 1... e5 { book } 2. Nc3 Nc6 {book}"),
        ]);
        // As the harness writes them.
        let ours = read(&[
            (&format!("new old 1-0 {STANDARD_START}"), "1. e4 {book} e5 {book} 2. Nf3 {0.002s}"),
            (&format!("new old 0-1 {STANDARD_START}"), "1. d4 {book} d5 {book} 2. Nf3 {0.002s}"),
            (&format!("old new 0-1 {STANDARD_START}"), "1. d4 {book} d5 {book}"),
            (&format!("old new 1-0 {STANDARD_START}"), "1. e4 {book} e5 {book} 2. Nc3 {0.002s}"),
        ]);
        for games in [by_others, ours] {
            assert_eq!(games[0].book, "e4 e5");
            let found = import(&games, None, None).expect("a match");
            assert_eq!(found.stats.pairs, Pentanomial([0, 0, 2, 0, 0]), "{games:?}");
            assert_eq!((found.single, found.warnings()), (0, vec![]));
        }
    }

    #[test]
    fn games_without_openings_have_a_warning() {
        let moves = "1. e4 {+0.12/5 0.002s} e5 {+0.12/5 0.002s}";
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let with_fen = format!("new old 1-0 {fen}");
        let found = |games: &[(&str, &str)]| import(&read(games), None, None).expect("a match");
        let two = [("new old 1-0", "1. e4 e5"), ("old new 1-0", moves), (with_fen.as_str(), "1. e4")];
        assert_eq!(found(&two).warnings(), Vec::<String>::new(), "one pair at most");
        let more = [two[0], two[1], two[2], ("new old 0-1", moves)];
        let warnings = found(&more).warnings();
        assert!(
            warnings[0].starts_with("3 games have neither a FEN nor first moves with the comment {book}: ")
        );
    }

    #[test]
    fn sprt_uses_the_pairs() {
        let games: Vec<PlayedGame> = (0..400)
            .flat_map(|opening| {
                let start = opening.to_string();
                [game("a", "b", &start, Some(2)), game("b", "a", &start, Some((opening % 2) as u8))]
            })
            .collect();
        let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).expect("a test");
        let found = import(&games, Some("a"), Some(sprt)).expect("a match");
        let state = found.stats.sprt.expect("a test");
        assert!(state.llr.0 > state.bounds.upper.0, "{found:?}");
    }

    #[test]
    fn tags_belong_to_their_game_in_any_order() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("games.pgn");
        let text = "[White \"a\"]\n[Black \"b\"]\n[FEN \"8/8/8/8/8/8/8/K1k5 w - - 0 1\"]\n\
                    [Termination \"abandoned\"]\n[Event \"x\"]\n\n\
                    [White \"b\"]\n[Black \"a\"]\n[Event \"x\"]\n\n1. e4 e5 1-0\n";
        std::fs::write(&file, text).expect("a file");
        let mut without_moves = game("a", "b", "8/8/8/8/8/8/8/K1k5 w - - 0 1", None);
        "abandoned".clone_into(&mut without_moves.termination);
        let expected = [without_moves, game("b", "a", "", Some(2))];
        assert_eq!(read_games(&file, &mut HashSet::new()).expect("games"), expected);
    }

    #[test]
    fn two_games_of_a_round_are_a_pair() {
        let round = |white: &str, black: &str, round: &str, points| PlayedGame {
            round: round.to_owned(),
            ..game(white, black, "", Some(points))
        };
        let pairs = |games: &[PlayedGame]| {
            let found = import(games, Some("new"), None).expect("a match");
            (found.stats.pairs.0, found.single, found.without_opening)
        };
        for rounds in [["1", "2", "2", "1"], ["1.1", "2.1", "2.2", "1.2"]] {
            let games = [
                round("new", "old", rounds[0], 2),
                round("new", "old", rounds[1], 0),
                round("old", "new", rounds[2], 2),
                round("old", "new", rounds[3], 0),
            ];
            assert_eq!(pairs(&games), ([1, 0, 0, 0, 1], 0, 0), "{rounds:?}");
            let by_order = games.map(|game| PlayedGame { round: "?".to_owned(), ..game });
            assert_eq!(pairs(&by_order), ([0, 0, 2, 0, 0], 0, 4));
        }
        // Two machines use the same numbers, and a round has one game.
        let mut games = [("new", 2), ("new", 0), ("old", 2), ("old", 0)].map(|(white, points)| {
            let black = if white == "new" { "old" } else { "new" };
            round(white, black, "1", points)
        });
        assert_eq!(pairs(&games), ([0, 0, 2, 0, 0], 0, 4));
        "2".clone_into(&mut games[3].round);
        "2".clone_into(&mut games[1].round);
        "4".clone_into(&mut games[0].start);
        assert_eq!(pairs(&games), ([0, 0, 1, 0, 0], 2, 1));
    }

    #[test]
    fn games_repeated_word_for_word_are_left_out() {
        let games = [("new old 1-0", "1. e4 {book} e5 {1s}"), ("old new 1-0", "1. e4 {book} e5 {1s}")];
        let found = |games: &[(&str, &str)]| import(&read(games), None, None).expect("a match");
        let once = found(&games);
        let twice = found(&[games, games].concat());
        assert_eq!((twice.stats.games, twice.repeated, once.repeated), (once.stats.games, 2, 0));
        let warning = &twice.warnings()[0];
        assert!(warning.starts_with("left out 2 games with the same tags, moves and comments"), "{warning}");
        assert!(warning.ends_with("games.pgn: game 3, line 15"), "{warning}");
        let others = [
            ("new old 1-0", "1. e4 {book} e5 {2s}"),
            ("new old 1-0", "1. e4 {book} c5 {1s}"),
            ("new old 0-1", "1. e4 {book} e5 {1s}"),
        ];
        assert_eq!(found(&[&games[..], &others].concat()).repeated, 0);
    }

    #[test]
    fn games_that_cannot_be_read_are_an_error() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("games.pgn");
        let error = |text: &str| {
            std::fs::write(&file, text).expect("a file");
            read_games(&file, &mut HashSet::new()).expect_err("an error").to_string()
        };
        let german = error("[White \"a\"]\n[Black \"b\"]\n\n1. e4 e5\n2. Sf3 1-0\n");
        assert!(german.contains("games.pgn: game 1, line 5: `Sf3` is no move; "), "{german}");
        let other = error("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 0-1\n");
        assert!(other.contains("its moves end with 0-1, but its tag Result is 1-0"), "{other}");
        assert!(error("PK words").ends_with("no game in PGN; archives are unpacked first (tar, bunzip2)"));
        assert!(error("1. e4 1-0").ends_with("no game in PGN; archives are unpacked first (tar, bunzip2)"));
    }

    #[test]
    fn more_than_two_engines_are_an_error() {
        let two = [game("a", "b", "", Some(1))];
        let error = import(&two, Some("c"), None).expect_err("another player").to_string();
        assert_eq!(error, "no game of `c`; the players are a, b");
        let error = import(&[], None, None).expect_err("no player").to_string();
        assert_eq!(error, "expected games between two engines, found none");
        let three = [game("a", "b", "", Some(1)), game("a", "c", "", Some(1))];
        let error = import(&three, None, None).expect_err("three players").to_string();
        assert_eq!(error, "expected games between two engines, found a, b, c");
    }
}
