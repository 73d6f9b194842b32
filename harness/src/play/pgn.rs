//! Writes a game of the journal as PGN: the seven standard tags, the limits of the engines, and
//! `{score/depth time}` comments.

use std::fmt::Write;

use shakmaty::fen::Epd;
use shakmaty::san::SanPlus;
use shakmaty::{Color, EnPassantMode, Position};

use super::record::{GameRecord, MoveRecord, Side};
use super::rules::{legal_move, position_after, start_position};
use crate::config::{Limits, TimeControl, Variant};
use crate::play::matches::PgnField;
use crate::run::utc;
use crate::uci::ReportedScore;

/// Data of the tags that the record of a game lacks.
#[derive(Clone, Debug)]
pub(crate) struct PgnContext {
    /// Value of the Event tag: the name of the run. Empty is written as unknown.
    pub event: String,
    /// Name and limits of each engine.
    pub players: Vec<(String, Limits)>,
    /// Its own name (`id name`) and author of each engine; empty where they are unknown.
    pub ids: Vec<(String, String)>,
    /// The rules of castling.
    pub variant: Variant,
    /// Additional details in the comments.
    pub fields: Vec<PgnField>,
}

/// Longest line of movetext. Units: characters.
const WIDTH: usize = 80;

impl PgnContext {
    /// Formats the whole game with its trailing blank line.
    pub(crate) fn game(&self, game: &GameRecord) -> String {
        let mut text = String::new();
        self.write_tags(game, &mut text);
        text.push('\n');
        let mut line = 0;
        for word in self.movetext(game).iter().map(String::as_str).chain([game.result.text()]) {
            let separator = match line {
                0 => "",
                _ if line + 1 + word.len() > WIDTH => "\n",
                _ => " ",
            };
            line = if separator == " " { line + 1 } else { 0 } + word.len();
            text.push_str(separator);
            text.push_str(word);
        }
        text.push_str("\n\n");
        text
    }

    /// Returns the position in which a game ended, as a line of EPD.
    pub(crate) fn final_position(&self, game: &GameRecord) -> String {
        let texts = game.book.iter().chain(game.moves.iter().map(|played| &played.text));
        let Some(end) = position_after(self.variant, &game.fen, texts) else { return String::new() };
        let fields = Epd::from_position(&end, EnPassantMode::Legal);
        let [white, black] =
            [game.white, game.black].map(|player| self.players[player].0.replace(['"', ';'], ""));
        let (half, full) = (end.halfmoves(), end.fullmoves());
        format!(
            "{fields} hmvc {half}; fmvn {full}; c0 \"{white} - {black}, game {}: {}\";\n",
            game.number(),
            game.result.text()
        )
    }

    fn write_tags(&self, game: &GameRecord, text: &mut String) {
        let (white, black) = (&self.players[game.white], &self.players[game.black]);
        let mut tag = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "[{name} \"{value}\"]");
        };
        let begun = |format: &str| utc(game.started_ms / 1000, format);
        // The Seven Tag Roster comes first and in this order. Unknown values are `?`: the host of a
        // run is left out, because games are published.
        tag("Event", if self.event.is_empty() { "?" } else { &self.event });
        tag("Site", "?");
        tag("Date", &begun("%Y.%m.%d"));
        tag("Round", &format!("{}.{}", game.pair + 1, game.half + 1));
        tag("White", &white.0);
        tag("Black", &black.0);
        tag("Result", game.result.text());
        // The names of fastchess.
        for (color, player) in [("White", game.white), ("Black", game.black)] {
            let Some((name, author)) = self.ids.get(player) else { continue };
            for (what, text) in
                [("Name", name), ("Author", author)].into_iter().filter(|(_, text)| !text.is_empty())
            {
                tag(&format!("Engine{color}{what}"), text);
            }
        }
        // As in the messages of a run.
        tag("GameNumber", &game.number().to_string());
        tag("UTCTime", &begun("%T"));
        if self.variant == Variant::Chess960 {
            tag("Variant", "Chess960");
        }
        tag("SetUp", "1");
        tag("FEN", &game.fen);
        tag("Opening", &game.opening);
        let [of_white, of_black] = [white.1, black.1].map(|limits| limits.scaled(game.clock_permille));
        if of_white == of_black {
            tag("TimeControl", &time_control(&of_white));
        } else {
            tag("WhiteTimeControl", &time_control(&of_white));
            tag("BlackTimeControl", &time_control(&of_black));
        }
        tag("PlyCount", &(game.book.len() + game.plies).to_string());
        tag("Termination", game.termination.pgn_tag());
        tag("TerminationDetails", &game.termination.to_string());
        if let Some(audit) = &game.audit {
            tag("Audit", &audit.to_string());
        }
    }

    /// Returns the words between which a line may break.
    fn movetext(&self, game: &GameRecord) -> Vec<String> {
        let Some(mut position) = start_position(self.variant, &game.fen) else {
            return vec!["{the start position does not parse}".to_owned()];
        };
        let mut words = Vec::with_capacity(game.moves.len() * 3);
        let book = game.book.iter().map(|text| (text, "{book}".to_owned()));
        let own = game.moves.iter().enumerate();
        let own = own.map(|(ply, played)| (&played.text, self.comment(played, game.side_of(ply))));
        for (index, (text, comment)) in book.chain(own).enumerate() {
            let Some(legal) = legal_move(&position, text) else {
                words.push(format!("{{not legal: {text}}}"));
                break;
            };
            match position.turn() {
                Color::White => words.push(format!("{}.", position.fullmoves())),
                Color::Black if index == 0 => words.push(format!("{}...", position.fullmoves())),
                Color::Black => {}
            }
            words.push(SanPlus::from_move_and_play_unchecked(&mut position, legal).to_string());
            words.push(comment);
        }
        words
    }

    /// Formats `{+0.12/5 0.002s}` with the tags before the score and the further fields at the end.
    fn comment(&self, played: &MoveRecord, side: Side) -> String {
        let score = match played.score {
            Some(ReportedScore::Cp(cp)) => format!("{:+.2}/", f64::from(cp) / 100.0),
            Some(ReportedScore::Mate(moves)) if moves > 0 => format!("+M{moves}/"),
            Some(ReportedScore::Mate(moves)) => format!("-M{}/", moves.unsigned_abs()),
            None => String::new(),
        };
        let depth = match (played.score, played.depth) {
            (Some(_), depth) => format!("{} ", depth.unwrap_or(0)),
            (None, _) => String::new(),
        };
        let tags = if self.fields.contains(&PgnField::Tags) { tags(played, side) } else { String::new() };
        let mut text = format!("{{{tags}{score}{depth}{:.3}s", played.time_us as f64 / 1e6);
        for more in self.fields.iter().filter_map(|&name| field(name, played)) {
            let _ = write!(text, ", {more}");
        }
        text.push('}');
        text
    }
}

/// Formats `[%eval 0.12] [%clk 0:00:01.998] `: White's score and the time left, as far as they are known.
fn tags(played: &MoveRecord, side: Side) -> String {
    let sign: i64 = if side == Side::White { 1 } else { -1 };
    let mut text = match played.score {
        Some(ReportedScore::Cp(cp)) => format!("[%eval {:.2}] ", (sign * i64::from(cp)) as f64 / 100.0),
        Some(ReportedScore::Mate(moves)) => format!("[%eval #{}] ", sign * i64::from(moves)),
        None => String::new(),
    };
    if let Some(left) = played.more.as_ref().and_then(|more| more.left_us) {
        let ms = left / 1000;
        let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        let _ = write!(text, "[%clk {hours}:{minutes:02}:{seconds:02}.{:03}] ", ms % 1000);
    }
    text
}

/// Formats one of the further fields; `None` if the engine did not report it.
fn field(field: PgnField, played: &MoveRecord) -> Option<String> {
    let more = played.more.as_deref();
    let seconds = |us: i64| us as f64 / 1e6;
    Some(match field {
        PgnField::Nodes => format!("n={}", played.nodes?),
        PgnField::Nps if played.is_ponder_hit => return None,
        PgnField::Nps => {
            let counted_us = played.time_us.saturating_sub(more.map_or(0, |more| more.uncounted_us));
            let nps = played.nodes? as f64 * 1e6 / counted_us.max(1) as f64;
            format!("nps={nps:.0}")
        }
        PgnField::Seldepth => format!("sd={}", more?.seldepth?),
        PgnField::Hashfull => format!("h={}", more?.hashfull?),
        PgnField::Tbhits => format!("tb={}", more?.tbhits?),
        PgnField::Clock => format!("tl={:.3}s", seconds(more?.left_us?)),
        PgnField::Latency => format!("latency={:.3}s", seconds(more?.latency_us?)),
        PgnField::Tags => return None,
        // The comment ends at the first brace.
        PgnField::Pv => format!("pv=\"{}\"", more?.pv.as_ref()?.replace(['{', '}', '"'], "")),
    })
}

/// Returns the value of PGN's `TimeControl`: the clock, or `-` and the limits without one.
fn time_control(limits: &Limits) -> String {
    limits.time_control.map_or_else(|| format!("- ({limits})"), TimeControl::to_pgn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::record::{Audit, GameResult, MoveDetails, MoveRecord, sample_game as sample};

    #[test]
    fn utc_dates_match_known_days() {
        assert_eq!(utc(0, "%FT%TZ"), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_827_696, "%FT%TZ"), "2000-02-29T12:34:56Z");
        assert_eq!(utc(1_795_229_168, "%Y.%m.%d"), "2026.11.21");
        assert_eq!(utc(u64::MAX, "%F"), "1970-01-01", "no such time");
    }

    #[test]
    fn game_is_written_as_pgn() {
        let limits = Limits { time_control: "2+0.02".parse().ok(), ..Limits::default() };
        let players = vec![("one \"1\"".to_owned(), limits), ("two".to_owned(), limits)];
        let mut context = PgnContext {
            event: "sprt".to_owned(),
            players,
            ids: Vec::new(),
            variant: Variant::Standard,
            fields: Vec::new(),
        };
        let text = context.game(&sample(1));
        let roster = format!(
            "[Event \"sprt\"]\n[Site \"?\"]\n[Date \"{}\"]\n[Round \"1.2\"]\n[White \"two\"]\n\
             [Black \"one \\\"1\\\"\"]\n[Result \"1/2-1/2\"]\n",
            utc(sample(1).started_ms / 1000, "%Y.%m.%d")
        );
        assert!(text.starts_with(&roster), "{text}\nshould start with {roster}");
        let nameless = PgnContext { event: String::new(), ..context.clone() };
        assert!(nameless.game(&sample(1)).starts_with("[Event \"?\"]\n"), "unknown, as PGN writes it");
        for expected in [
            "[GameNumber \"2\"]",
            "[TimeControl \"2+0.02\"]",
            "[Termination \"adjudication\"]",
            "\n\n1. e4 {+0.12/5 0.002s} e5 {+0.12/5 0.002s} 2. Nf3 {+0.12/5 0.002s} 1/2-1/2\n\n",
        ] {
            assert!(text.contains(expected), "{text}\nshould contain {expected}");
        }
        let shuffled = ["g1f3", "g8f6", "f3g1", "f6g8"].map(|text| {
            let text = text.to_owned();
            MoveRecord { text, ..sample(1).moves.remove(0) }
        });
        let moves = shuffled.into_iter().cycle().take(200).collect();
        let long = context.game(&GameRecord { moves, ..sample(1) });
        let lines = long.lines().skip_while(|line| !line.is_empty()).skip(1).filter(|line| !line.is_empty());
        let widths: Vec<usize> = lines.map(str::len).collect();
        let (last, full) = widths.split_last().unwrap();
        assert!(*last <= WIDTH && full.iter().all(|width| (61..=WIDTH).contains(width)), "{widths:?}");
        let scaled = context.game(&GameRecord { clock_permille: Some(1500), ..sample(1) });
        assert!(scaled.contains("[TimeControl \"3+0.03\"]"), "{scaled}");
        let ids =
            [("One 1", "A. \"B\""), ("Two", "")].map(|(name, author)| (name.to_owned(), author.to_owned()));
        let text = PgnContext { ids: ids.to_vec(), ..context.clone() }.game(&sample(1));
        let expected =
            "[EngineWhiteName \"Two\"]\n[EngineBlackName \"One 1\"]\n[EngineBlackAuthor \"A. \\\"B\\\"\"]\n";
        assert!(text.contains(expected) && !text.contains("EngineWhiteAuthor"), "{text}");
        let book = ["d2d4", "d7d5"].map(str::to_owned).to_vec();
        let text = context.game(&GameRecord { book, ..sample(1) });
        assert!(text.contains("\n1. d4 {book} d5 {book} 2. e4 {+0.12/5 0.002s}"), "{text}");
        assert!(text.contains("[PlyCount \"5\"]"), "{text}");
        assert_eq!(
            context.final_position(&sample(1)),
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - hmvc 1; fmvn 2; \
             c0 \"two - one 1, game 2: 1/2-1/2\";\n"
        );
        let mut game = sample(1);
        let (result, ended) = (Some(GameResult::White), "checkmate".to_owned());
        game.audit = Some(Audit { result, ended, moves: vec!["b8c6".to_owned()], duration_ms: 1 });
        let text = context.game(&game);
        assert!(text.contains("[Result \"1/2-1/2\"]") && text.ends_with(" 1/2-1/2\n\n"), "{text}");
        assert!(text.contains("[Audit \"1-0 by checkmate after 1 ply\"]") && !text.contains("Nc6"), "{text}");
        game.audit = None;
        game.moves[0].nodes = Some(3000);
        let more = MoveDetails {
            uncounted_us: 500,
            seldepth: Some(9),
            left_us: Some(1_998_400),
            latency_us: Some(-250),
            pv: Some("e2e4 }e7e5\"".to_owned()),
            ..MoveDetails::default()
        };
        game.moves[0].more = Some(Box::new(more));
        context.fields = vec![
            PgnField::Nodes,
            PgnField::Nps,
            PgnField::Seldepth,
            PgnField::Hashfull,
            PgnField::Clock,
            PgnField::Latency,
            PgnField::Pv,
        ];
        let text = context.game(&game).replace('\n', " ");
        let expected = "{+0.12/5 0.002s, n=3000, nps=3000000, sd=9, tl=1.998s, latency=-0.000s, pv=\"e2e4 e7e5\"} e5 {+0.12/5 0.002s}";
        assert!(text.contains(expected), "{text}");
        context.fields = vec![PgnField::Tags];
        game.moves[1].score = Some(ReportedScore::Mate(3));
        let text = context.game(&game).replace('\n', " ");
        let expected = "1. e4 {[%eval 0.12] [%clk 0:00:01.998] +0.12/5 0.002s} e5 {[%eval #-3] +M3/5 0.002s}";
        assert!(text.contains(expected), "{text}");
    }
}
