//! King safety: a linear term for the pawn shelter and a quadratic term for the attack on the king.
//!
//! Single attackers are harmless, several together mate. The signs of an attack are therefore
//! summed to a danger in its own units, and the penalty grows with its square. A negative danger
//! costs nothing.

use super::sets::{fill_forward, ranks, with_adjacent_files};
use super::state::EvalState;
use super::trace::Tracer;
use super::weights::{
    DANGER_ATTACKERS, DANGER_BARE_FILES, DANGER_BASE, DANGER_CHECKS, DANGER_FLANK_ATTACKS,
    DANGER_FLANK_DEFENCES, DANGER_FLANK_DOUBLE_ATTACKS, DANGER_KNIGHT_BESIDE, DANGER_NO_QUEEN, DANGER_PINNED,
    DANGER_RING_ATTACKS, DANGER_UNSAFE_CHECKS, DANGER_WEAK_RING, SHELTER, STORM, STORM_BLOCKED,
};
use crate::attacks;
use crate::types::{Bitboard, File, PieceType, Side, Square};

/// Evaluates the king safety of one side.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(state: &mut EvalState<'_, T>) {
    shelter::<S, T>(state);
    danger::<S, T>(state);
}

/// Returns the middle of the three files that shelter a king: its own, or its neighbour if it is on
/// the edge.
#[inline]
const fn middle_file(king: Square) -> usize {
    match king.file().index() {
        0 => 1,
        7 => 6,
        file => file,
    }
}

/// Evaluates the pawns of both sides on the files around the king, from its rank on.
#[inline]
fn shelter<S: Side, T: Tracer>(state: &mut EvalState<'_, T>) {
    let king = state.position.king(S::US);
    let from_king_on = fill_forward::<S>(Bitboard::rank(king.rank()));
    let own = state.pawns(S::US) & from_king_on;
    let enemy = state.pawns(S::THEM) & from_king_on;
    let middle = middle_file(king);
    for file in middle - 1..=middle + 1 {
        let line = Bitboard::file(File::from_index(file));
        let from_edge = 8 * file.min(7 - file);
        let (shield, storm) = (nearest::<S>(own & line), nearest::<S>(enemy & line));
        state.add::<S, _>(&SHELTER, from_edge + shield);
        if shield > 0 && shield + 1 == storm {
            state.add::<S, _>(&STORM_BLOCKED, storm);
        } else {
            state.add::<S, _>(&STORM, from_edge + storm);
        }
    }
}

/// Returns the relative rank of the pawn nearest to the side's own back rank; 0 if there is none.
#[inline]
fn nearest<S: Side>(pawns: Bitboard) -> usize {
    let seen = if S::US == crate::types::Color::White { pawns } else { Bitboard(pawns.0.swap_bytes()) };
    seen.first().map_or(0, |square| square.rank().index())
}

/// Computes the danger to the king of `S`.
#[inline]
fn danger<S: Side, T: Tracer>(state: &mut EvalState<'_, T>) {
    let king = state.position.king(S::US);
    let (ours, theirs) = (state.attacks[S::US], state.attacks[S::THEM]);
    let queens = state.of(S::THEM, PieceType::Queen);

    state.add_king_danger::<S, _>(&DANGER_BASE, 0, 1);
    for (index, &count) in theirs.attackers.iter().enumerate() {
        state.add_king_danger::<S, _>(&DANGER_ATTACKERS, index, count);
    }
    state.add_king_danger::<S, _>(&DANGER_RING_ATTACKS, 0, theirs.ring_attacks);
    if queens.is_empty() {
        state.add_king_danger::<S, _>(&DANGER_NO_QUEEN, 0, 1);
    }

    let held_by_few = !ours.all | ours.by[PieceType::King.index()] | ours.by[PieceType::Queen.index()];
    let weak = theirs.all & !ours.twice & held_by_few;
    state.add_king_danger::<S, _>(&DANGER_WEAK_RING, 0, (ours.ring & weak).count() as i32);
    checks::<S, T>(state, king, weak);
    flank::<S, T>(state, king);

    let beside_king = ours.by[PieceType::King.index()];
    if (ours.by[PieceType::Knight.index()] & beside_king).any() {
        state.add_king_danger::<S, _>(&DANGER_KNIGHT_BESIDE, 0, 1);
    }
    if state.position.side_to_move() == S::US {
        let pinned = state.position.pinned().count() as i32;
        state.add_king_danger::<S, _>(&DANGER_PINNED, 0, pinned);
    }
}

/// Adds the danger from checks that the enemy could give, by the type of the checking piece.
#[inline]
fn checks<S: Side, T: Tracer>(state: &mut EvalState<'_, T>, king: Square, weak: Bitboard) {
    let (ours, theirs) = (state.attacks[S::US], state.attacks[S::THEM]);
    // Our queen does not block checks, because interposing would lose it.
    let occupied = state.occupied & !state.of(S::US, PieceType::Queen);
    let diagonal = attacks::bishop(king, occupied);
    let orthogonal = attacks::rook(king, occupied);
    let onto = !state.position.side(S::THEM);
    let safe = onto & (!ours.all | (weak & theirs.twice));
    let queen_safe = safe & !ours.by[PieceType::Queen.index()];
    let lines = [
        (PieceType::Knight, attacks::knight(king), safe),
        (PieceType::Bishop, diagonal, safe),
        (PieceType::Rook, orthogonal, safe),
        (PieceType::Queen, diagonal | orthogonal, queen_safe),
    ];
    let mut unsafe_checks = Bitboard::EMPTY;
    for (index, (kind, line, safe)) in lines.into_iter().enumerate() {
        let from = line & theirs.by[kind.index()] & onto;
        let good = from & safe;
        if good.any() {
            state.add_king_danger::<S, _>(&DANGER_CHECKS, 2 * index + usize::from(good.has_many()), 1);
        } else if kind != PieceType::Queen {
            unsafe_checks |= from;
        }
    }
    state.add_king_danger::<S, _>(&DANGER_UNSAFE_CHECKS, 0, unsafe_checks.count() as i32);
}

/// Adds the danger from the control of the wing on which the king stands.
#[inline]
fn flank<S: Side, T: Tracer>(state: &mut EvalState<'_, T>, king: Square) {
    let (ours, theirs) = (state.attacks[S::US], state.attacks[S::THEM]);
    let file = Bitboard::file(File::from_index(middle_file(king)));
    let files = with_adjacent_files(file);
    let camp = with_adjacent_files(files) & ranks::<S>(0, 4);
    state.add_king_danger::<S, _>(&DANGER_FLANK_ATTACKS, 0, (camp & theirs.all).count() as i32);
    state.add_king_danger::<S, _>(&DANGER_FLANK_DOUBLE_ATTACKS, 0, (camp & theirs.twice).count() as i32);
    state.add_king_danger::<S, _>(&DANGER_FLANK_DEFENCES, 0, (camp & ours.all).count() as i32);
    let pawn_files = fill_forward::<S::Other>(state.pawns(S::US)) & ranks::<S>(0, 0);
    let bare = 3 - (pawn_files & files).count() as i32;
    state.add_king_danger::<S, _>(&DANGER_BARE_FILES, 0, bare);
}
