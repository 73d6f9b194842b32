//! King safety: the pawns before the king add up, the attack on it counts by its square.
//!
//! One attacker is a nuisance, several are a mate. So the signs of an attack are added up to a danger in units of
//! its own, and what it costs grows with the square of that. A danger below nothing costs nothing.

use super::sets::{fill_forward, ranks, widened};
use super::sheet::Sheet;
use super::tapered::Tapered;
use super::trace::Tracer;
use super::weights::{
    DANGER_ATTACKERS, DANGER_BARE_FILES, DANGER_BASE, DANGER_CHECKS, DANGER_FLANK_ATTACKS,
    DANGER_FLANK_DEFENCES, DANGER_FLANK_DOUBLE_ATTACKS, DANGER_KNIGHT_BESIDE, DANGER_NO_QUEEN, DANGER_PINNED,
    DANGER_RING_ATTACKS, DANGER_UNSAFE_CHECKS, DANGER_WEAK_RING, SHELTER, STORM, STORM_BLOCKED,
};
use super::{DANGER_END, DANGER_SQUARE};
use crate::attacks;
use crate::types::{Bitboard, File, PieceType, Side, Square};

/// What a danger costs.
#[inline]
pub(super) const fn penalty(danger: Tapered) -> Tapered {
    let middle = if danger.middle() > 0 { danger.middle() } else { 0 };
    let end = if danger.end() > 0 { danger.end() } else { 0 };
    Tapered::new(middle * middle / DANGER_SQUARE, end / DANGER_END)
}

/// The safety of one side's king.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>) {
    shelter::<S, T>(sheet);
    danger::<S, T>(sheet);
}

/// The middle one of the three files that shelter a king: its own, but for one on the edge.
#[inline]
const fn middle_file(king: Square) -> usize {
    match king.file().index() {
        0 => 1,
        7 => 6,
        file => file,
    }
}

/// The pawns of both sides on the files at the king, from its rank on.
#[inline]
fn shelter<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>) {
    let king = sheet.position.king(S::US);
    let from_king_on = fill_forward::<S>(Bitboard::rank(king.rank()));
    let own = sheet.pawns(S::US) & from_king_on;
    let enemy = sheet.pawns(S::THEM) & from_king_on;
    let middle = middle_file(king);
    for file in middle - 1..=middle + 1 {
        let line = Bitboard::file(File::from_index(file));
        let from_edge = 8 * file.min(7 - file);
        let (shield, storm) = (nearest::<S>(own & line), nearest::<S>(enemy & line));
        sheet.add::<S, _>(&SHELTER, from_edge + shield);
        if storm > 0 && shield + 1 == storm {
            sheet.add::<S, _>(&STORM_BLOCKED, storm);
        } else {
            sheet.add::<S, _>(&STORM, from_edge + storm);
        }
    }
}

/// The rank of the pawn nearest to the side's own end, 0 where there is none.
#[inline]
fn nearest<S: Side>(pawns: Bitboard) -> usize {
    let seen = if S::US == crate::types::Color::White { pawns } else { Bitboard(pawns.0.swap_bytes()) };
    seen.first().map_or(0, |square| square.rank().index())
}

/// The attack on the king of `S`.
#[inline]
fn danger<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>) {
    let king = sheet.position.king(S::US);
    let (ours, theirs) = (sheet.reach[S::US], sheet.reach[S::THEM]);
    let queens = sheet.of(S::THEM, PieceType::Queen);

    sheet.endanger::<S, _>(&DANGER_BASE, 0, 1);
    for (index, &count) in theirs.attackers.iter().enumerate() {
        sheet.endanger::<S, _>(&DANGER_ATTACKERS, index, count);
    }
    sheet.endanger::<S, _>(&DANGER_RING_ATTACKS, 0, theirs.ring_attacks);
    if queens.is_empty() {
        sheet.endanger::<S, _>(&DANGER_NO_QUEEN, 0, 1);
    }

    let held_by_few = !ours.all | ours.by[PieceType::King.index()] | ours.by[PieceType::Queen.index()];
    let weak = theirs.all & !ours.twice & held_by_few;
    sheet.endanger::<S, _>(&DANGER_WEAK_RING, 0, (ours.ring & weak).count() as i32);
    checks::<S, T>(sheet, king, weak);
    flank::<S, T>(sheet, king);

    let beside_king = ours.by[PieceType::King.index()];
    if (ours.by[PieceType::Knight.index()] & beside_king).any() {
        sheet.endanger::<S, _>(&DANGER_KNIGHT_BESIDE, 0, 1);
    }
    if sheet.position.side_to_move() == S::US {
        let pinned = sheet.position.pinned().count() as i32;
        sheet.endanger::<S, _>(&DANGER_PINNED, 0, pinned);
    }
}

/// Checks the enemy could give, by what would give them.
#[inline]
fn checks<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>, king: Square, weak: Bitboard) {
    let (ours, theirs) = (sheet.reach[S::US], sheet.reach[S::THEM]);
    // Our queen does not shield the king: it would have to interpose.
    let occupied = sheet.occupied & !sheet.of(S::US, PieceType::Queen);
    let diagonal = attacks::bishop(king, occupied);
    let straight = attacks::rook(king, occupied);
    let onto = !sheet.position.side(S::THEM);
    let safe = onto & (!ours.all | (weak & theirs.twice));
    let queen_safe = safe & !ours.by[PieceType::Queen.index()];
    let lines = [
        (PieceType::Knight, attacks::knight(king), safe),
        (PieceType::Bishop, diagonal, safe),
        (PieceType::Rook, straight, safe),
        (PieceType::Queen, diagonal | straight, queen_safe),
    ];
    let mut unsafe_checks = Bitboard::EMPTY;
    for (index, (kind, line, safe)) in lines.into_iter().enumerate() {
        let from = line & theirs.by[kind.index()] & onto;
        let good = from & safe;
        if good.any() {
            sheet.endanger::<S, _>(&DANGER_CHECKS, 2 * index + usize::from(good.has_many()), 1);
        } else if kind != PieceType::Queen {
            unsafe_checks |= from;
        }
    }
    sheet.endanger::<S, _>(&DANGER_UNSAFE_CHECKS, 0, unsafe_checks.count() as i32);
}

/// Who rules the wing the king is on.
#[inline]
fn flank<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>, king: Square) {
    let (ours, theirs) = (sheet.reach[S::US], sheet.reach[S::THEM]);
    let file = Bitboard::file(File::from_index(middle_file(king)));
    let files = widened(file);
    let camp = widened(files) & ranks::<S>(0, 4);
    sheet.endanger::<S, _>(&DANGER_FLANK_ATTACKS, 0, (camp & theirs.all).count() as i32);
    sheet.endanger::<S, _>(&DANGER_FLANK_DOUBLE_ATTACKS, 0, (camp & theirs.twice).count() as i32);
    sheet.endanger::<S, _>(&DANGER_FLANK_DEFENCES, 0, (camp & ours.all).count() as i32);
    let pawn_files = fill_forward::<S::Other>(sheet.pawns(S::US)) & ranks::<S>(0, 0);
    let bare = 3 - (pawn_files & files).count() as i32;
    sheet.endanger::<S, _>(&DANGER_BARE_FILES, 0, bare);
}
