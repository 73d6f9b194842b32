//! Slow reference implementation of sliding attacks: fills the fast tables at compile time and
//! checks them in tests.

/// File and rank steps of a rook.
pub(super) const ROOK_STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
/// File and rank steps of a bishop.
pub(super) const BISHOP_STEPS: [(i32, i32); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];

/// Returns the squares from `square` in one direction, up to and including the first occupied one.
pub(super) const fn cast_ray(square: usize, step: (i32, i32), occupied: u64) -> u64 {
    let mut seen = 0;
    let mut file = (square & 7) as i32 + step.0;
    let mut rank = (square >> 3) as i32 + step.1;
    while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
        let bit = 1 << (8 * rank + file);
        seen |= bit;
        if occupied & bit != 0 {
            break;
        }
        file += step.0;
        rank += step.1;
    }
    seen
}

/// Returns the squares reached from `square` in all four directions.
#[cfg(test)]
pub(super) const fn cast_rays(square: usize, steps: [(i32, i32); 4], occupied: u64) -> u64 {
    cast_ray(square, steps[0], occupied)
        | cast_ray(square, steps[1], occupied)
        | cast_ray(square, steps[2], occupied)
        | cast_ray(square, steps[3], occupied)
}

/// Returns the squares whose occupancy matters: each ray without its last square.
pub(super) const fn relevant_occupancy(square: usize, steps: [(i32, i32); 4]) -> u64 {
    let mut mask = 0;
    let mut direction = 0;
    while direction < 4 {
        let step = steps[direction];
        let mut file = (square & 7) as i32 + step.0;
        let mut rank = (square >> 3) as i32 + step.1;
        while 0 <= file + step.0 && file + step.0 < 8 && 0 <= rank + step.1 && rank + step.1 < 8 {
            mask |= 1 << (8 * rank + file);
            file += step.0;
            rank += step.1;
        }
        direction += 1;
    }
    mask
}

/// Returns the step that leads from one square towards another; `None` if they share no line.
pub(super) const fn step_towards(from: usize, to: usize) -> Option<(i32, i32)> {
    let files = (to & 7) as i32 - (from & 7) as i32;
    let ranks = (to >> 3) as i32 - (from >> 3) as i32;
    if from == to || !(files == 0 || ranks == 0 || files.abs() == ranks.abs()) {
        return None;
    }
    Some((files.signum(), ranks.signum()))
}

/// Empty-board rays of four directions. Attacks follow by cutting each ray behind its first
/// blocker.
///
/// Faster than `cast_rays`, which keeps compile-time evaluation short.
pub(super) struct Rays {
    rays: [[u64; 64]; 4],
    rising: [bool; 4],
}

impl Rays {
    pub(super) const fn new(steps: [(i32, i32); 4]) -> Self {
        let mut rays = [[0; 64]; 4];
        let mut rising = [false; 4];
        let mut direction = 0;
        while direction < 4 {
            rising[direction] = 8 * steps[direction].1 + steps[direction].0 > 0;
            let mut square = 0;
            while square < 64 {
                rays[direction][square] = cast_ray(square, steps[direction], 0);
                square += 1;
            }
            direction += 1;
        }
        Self { rays, rising }
    }

    pub(super) const fn attacks(&self, square: usize, occupied: u64) -> u64 {
        let mut seen = 0;
        let mut direction = 0;
        while direction < 4 {
            let ray = self.rays[direction][square];
            let blockers = ray & occupied;
            seen |= if blockers == 0 {
                ray
            } else if self.rising[direction] {
                ray ^ self.rays[direction][blockers.trailing_zeros() as usize]
            } else {
                ray ^ self.rays[direction][63 - blockers.leading_zeros() as usize]
            };
            direction += 1;
        }
        seen
    }
}
