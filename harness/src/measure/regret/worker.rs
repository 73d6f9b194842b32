//! A worker of a comparison: every setting searches the position, and the judge scores the moves.

use super::ballot::ThreadBallot;
use super::record::{JudgedMove, REGRET_VERSION, RegretRecord};
use super::{RegretError, RegretRun};
use crate::config::Variant;
use crate::play::limit_check::is_forced;
use crate::play::matches::Player;
use crate::play::record::{GameResult, Side};
use crate::play::referee::{Board, go_command};
use crate::run::executor::{LEGEND, Outbox, Stop};
use crate::uci::{Engine, ReportedScore, SearchAnswer, UciError};

/// The engines of one worker.
pub(crate) struct Players<'a> {
    pub(super) settings: Vec<Player<'a>>,
    pub(super) judge: Player<'a>,
}

type Result<T> = std::result::Result<T, Stop<RegretError>>;

/// Searches one position with every setting, and judges the moves if they differ.
pub(super) fn compare(
    run: &RegretRun,
    players: &mut Players<'_>,
    index: usize,
    outbox: &Outbox<'_, RegretRun>,
) -> Result<RegretRecord> {
    let fen = &run.job.positions[index];
    let board = board(fen)?;
    let (mut moves, mut nodes, mut ballots) = (Vec::new(), Vec::new(), Vec::new());
    let (mut may_stop_early, has_one_move) = (Vec::new(), is_forced(fen, Variant::Standard));
    for player in &mut players.settings {
        let mut votes: Vec<ThreadBallot> = Vec::new();
        let mut watch = |line: &str| votes.extend(ThreadBallot::parse(line));
        let text = format!("position fen {fen}");
        let answer = search(run, player, index, &text, board.turn(), &mut watch, outbox)?;
        if board.san(&answer.best_move).is_none() {
            let how = format!("played the illegal move `{}`", answer.best_move);
            return Err(failed(player, index, &how, outbox));
        }
        if let Some(vote) = votes.iter().find(|vote| board.san(&vote.mv).is_none()) {
            let how = format!("has a ballot for the illegal move `{}`", vote.mv);
            return Err(failed(player, index, &how, outbox));
        }
        ballots.push(votes);
        nodes.push(answer.report.nodes.unwrap_or(0));
        let is_mate = matches!(answer.report.score, Some(ReportedScore::Mate(_)));
        may_stop_early.push(is_mate || has_one_move);
        moves.push(answer.best_move);
    }
    if ballots.iter().all(Vec::is_empty) {
        ballots.clear();
    }
    let mut record = RegretRecord {
        v: REGRET_VERSION,
        index: index as u64,
        fen: fen.clone(),
        moves,
        nodes,
        may_stop_early,
        judged: Vec::new(),
        known: 0,
        ballots,
    };
    let candidates: Vec<String> = record.candidates().into_iter().map(str::to_owned).collect();
    if candidates.len() > 1 {
        for mv in candidates {
            let known = run.job.judgements.get(fen, &mv);
            record.known += u64::from(known.is_some());
            let judged = match known {
                Some(score) => JudgedMove { mv, score, nodes: None },
                None => judge(run, &mut players.judge, index, &mv, outbox)?,
            };
            record.judged.push(judged);
        }
    }
    Ok(record)
}

/// Scores a legal move, for the side that plays it, and keeps the score.
fn judge(
    run: &RegretRun,
    player: &mut Player<'_>,
    index: usize,
    mv: &str,
    outbox: &Outbox<'_, RegretRun>,
) -> Result<JudgedMove> {
    let fen = &run.job.positions[index];
    let mut after = board(fen)?;
    let side = after.turn();
    after.play(mv);
    let mut nodes = None;
    let score = if let Some((result, _)) = after.outcome() {
        let has_won =
            matches!((result, side), (GameResult::White, Side::White) | (GameResult::Black, Side::Black));
        if has_won { ReportedScore::Mate(1) } else { ReportedScore::Cp(0) }
    } else {
        let text = format!("position fen {fen} moves {mv}");
        let answer = search(run, player, index, &text, after.turn(), &mut |_| {}, outbox)?;
        nodes = answer.report.nodes;
        let Some(score) = answer.report.score else {
            return Err(failed(player, index, "reported no score", outbox));
        };
        opposite(score)
    };
    run.job
        .judgements
        .add(fen, mv, score)
        .map_err(|(file, error)| Stop::failed(RegretError::Store { file, error }))?;
    Ok(JudgedMove { mv: mv.to_owned(), score, nodes })
}

/// Returns the score from the other side's point of view.
fn opposite(score: ReportedScore) -> ReportedScore {
    match score {
        ReportedScore::Cp(centipawns) => ReportedScore::Cp(-centipawns),
        // A side that is mated in n moves lets the other one mate with the move after.
        ReportedScore::Mate(moves) if moves <= 0 => ReportedScore::Mate(1 - moves),
        ReportedScore::Mate(moves) => ReportedScore::Mate(-moves),
    }
}

fn board(fen: &str) -> Result<Board> {
    Board::new(fen, Variant::Standard).map_err(|error| Stop::failed(RegretError::Run(error.into())))
}

/// Searches a position from a cleared state, and passes every line of output to `watch`.
fn search(
    run: &RegretRun,
    player: &mut Player<'_>,
    index: usize,
    position: &str,
    side: Side,
    watch: &mut dyn FnMut(&str),
    outbox: &Outbox<'_, RegretRun>,
) -> Result<SearchAnswer> {
    let limits = player.limits();
    let name = player.identity().0.to_owned();
    let report = |error: &UciError, dialogue: &str| outbox.failed_start(&name, error, dialogue);
    let engine = player.ready(report)?;
    let text = format!("{position}\n{}\n", go_command(&limits, None, None, side));
    match engine.search_watched(&text, run.job.config.watchdog.answer, watch) {
        Ok(answer) => Ok(answer),
        Err(UciError::Cancelled) => Err(Stop::Cancelled),
        Err(error) => Err(failed(player, index, &error.to_string(), outbox)),
    }
}

/// Saves the dialogue of an engine that failed and ends the run: an incomplete comparison would
/// compare different positions.
fn failed(
    player: &mut Player<'_>,
    index: usize,
    how: &str,
    outbox: &Outbox<'_, RegretRun>,
) -> Stop<RegretError> {
    let dialogue = player.engine_mut().map(Engine::dialogue).unwrap_or_default();
    let (name, position) = (player.identity().0.to_owned(), index + 1);
    match outbox
        .keep_fault(&format!("position-{position}.txt"), &format!("{name}: {how}\n{LEGEND}\n\n{dialogue}"))
    {
        Ok(file) => Stop::failed(RegretError::Engine {
            name,
            position,
            how: how.to_owned(),
            file: file.display().to_string(),
        }),
        Err(stop) => stop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_change_sides() {
        let other = |score| opposite(score);
        assert_eq!(other(ReportedScore::Cp(31)), ReportedScore::Cp(-31));
        assert_eq!(other(ReportedScore::Mate(2)), ReportedScore::Mate(-2));
        assert_eq!(other(ReportedScore::Mate(-2)), ReportedScore::Mate(3));
        assert_eq!(other(ReportedScore::Mate(0)), ReportedScore::Mate(1));
    }
}
