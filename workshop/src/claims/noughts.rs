//! Noughts and crosses, the small game of perfect information that Owen's text names.

use super::tree::Game;

/// The lines of three, as sets of squares.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
/// The set of all nine squares.
const FULL: u16 = 0o777;

/// A position. Crosses begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Noughts {
    /// The squares of the side that has just moved, and of the side to move.
    last: u16,
    next: u16,
}

impl Noughts {
    /// Returns the position of a text of nine squares, row by row: `x`, `o` or `.`; `None` if the counts
    /// of the two signs do not alternate.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let squares = |sign: char| {
            let found = text.chars().enumerate().filter(|&(_, square)| square == sign);
            found.fold(0_u16, |all, (place, _)| all | 1 << place)
        };
        let (crosses, noughts) = (squares('x'), squares('o'));
        let is_board = text.chars().count() == 9 && text.chars().all(|square| "xo.".contains(square));
        match crosses.count_ones().checked_sub(noughts.count_ones()) {
            Some(0) if is_board => Some(Self { last: noughts, next: crosses }),
            Some(1) if is_board => Some(Self { last: crosses, next: noughts }),
            _ => None,
        }
    }

    /// Whether the side that has just moved has a line of three.
    fn is_won(self) -> bool {
        LINES.iter().any(|line| self.last & line == *line)
    }

    /// Whether crosses are to move.
    pub(super) fn is_crosses_turn(self) -> bool {
        self.last.count_ones() == self.next.count_ones()
    }

    /// Returns the squares, row by row: `x`, `o` or a space.
    pub(super) fn board(self) -> [char; 9] {
        let (crosses, noughts) =
            if self.is_crosses_turn() { (self.next, self.last) } else { (self.last, self.next) };
        std::array::from_fn(|place| match 1 << place {
            square if crosses & square != 0 => 'x',
            square if noughts & square != 0 => 'o',
            _ => ' ',
        })
    }
}

impl Game for Noughts {
    fn moves(&self) -> usize {
        if self.is_won() { 0 } else { (FULL & !(self.last | self.next)).count_ones() as usize }
    }

    fn play(&self, number: usize) -> Self {
        let mut free = FULL & !(self.last | self.next);
        for _ in 0..number {
            free &= free - 1;
        }
        Self { last: self.next | (free & free.wrapping_neg()), next: self.last }
    }

    /// Returns 1 for a win, 0 for a draw or an open game, and -1 for a loss.
    fn value(&self) -> i32 {
        -i32::from(self.is_won())
    }
}

#[cfg(test)]
mod tests {
    use super::super::drivers::{INFINITE, Visits, alpha_beta, minimax, pvs};
    use super::*;

    #[test]
    fn the_whole_game_has_the_published_size_and_is_drawn() {
        let mut visits = Visits::default();
        assert_eq!(minimax(&Noughts::default(), 9, &mut visits), 0);
        // The published numbers of games and of nodes of the tree.
        assert_eq!((visits.leaves, visits.nodes), (255_168, 549_946));
    }

    #[test]
    fn pruned_searches_find_the_value_of_the_game() {
        let window = (-INFINITE, INFINITE);
        let mut visits = Visits::default();
        assert_eq!(alpha_beta(&Noughts::default(), 9, window, &mut visits), 0);
        assert!(visits.nodes < 60_000, "{visits:?}");
        assert_eq!(pvs(&Noughts::default(), 9, window, &mut visits), 0);
        // Two crosses in a row and the move: won.
        let won = Noughts::parse("xx.oo....").unwrap();
        assert_eq!(pvs(&won, 5, window, &mut visits), 1);
    }

    #[test]
    fn boards_are_parsed_and_written() {
        let position = Noughts::parse("x.o.x....").unwrap();
        assert!(!position.is_crosses_turn() && position.moves() == 6);
        assert_eq!(position.play(5).board().iter().collect::<String>(), "x o x   o");
        for wrong in ["x.o", "xx.......", "oo.......", "x.o.y...."] {
            assert_eq!(Noughts::parse(wrong), None, "{wrong}");
        }
    }
}
