//! Symmetric positive definite matrices: the operations needed for fitting several strengths
//! jointly.
//!
//! Source: Gauss-Jordan elimination, Press and others, "Numerical Recipes" (1992), section 2.1.

/// Share of a column's square that is left of it if it depends on others, by rounding errors.
const DEPENDENT: f64 = 1e-9;

/// A symmetric matrix, stored row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetric {
    size: usize,
    cells: Vec<f64>,
}

impl Symmetric {
    /// Returns the zero matrix.
    pub fn zero(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    /// Returns the entry in this row and column.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    /// Adds `value` to every entry.
    pub fn shift(&mut self, value: f64) {
        self.cells.iter_mut().for_each(|cell| *cell += value);
    }

    /// Sets a row and its column to zero, except for `diagonal` where they cross.
    pub fn isolate(&mut self, index: usize, diagonal: f64) {
        for other in 0..self.size {
            self.cells[index * self.size + other] = 0.0;
            self.cells[other * self.size + index] = 0.0;
        }
        self.cells[index * self.size + index] = diagonal;
    }

    /// Adds `weight` times the outer square of the vector that is 1 at `plus`, -1 at `minus` and 0
    /// elsewhere.
    pub fn add_difference(&mut self, plus: usize, minus: usize, weight: f64) {
        for (row, column, sign) in
            [(plus, plus, 1.0), (minus, minus, 1.0), (plus, minus, -1.0), (minus, plus, -1.0)]
        {
            self.cells[row * self.size + column] += sign * weight;
        }
    }

    /// Adds `weight` times the outer square of a vector. Shape: as long as the matrix is wide.
    pub fn add_square(&mut self, vector: &[f64], weight: f64) {
        for (row, part) in self.cells.chunks_exact_mut(self.size).zip(vector) {
            let share = weight * part;
            row.iter_mut().zip(vector).for_each(|(cell, other)| *cell += share * other);
        }
    }

    /// Returns the product with a vector. Shape: as long as the matrix is wide.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        let rows = self.cells.chunks_exact(self.size);
        rows.map(|row| row.iter().zip(vector).map(|(cell, value)| cell * value).sum()).collect()
    }

    /// Returns `self * middle * self`.
    pub fn sandwich(&self, middle: &Self) -> Self {
        let size = self.size;
        let product = |left: &Self, right: &Self| {
            let entry = |index: usize| {
                let (row, column) = (index / size, index % size);
                (0..size).map(|k| left.at(row, k) * right.at(k, column)).sum()
            };
            Self { size, cells: (0..size * size).map(entry).collect() }
        };
        product(&product(self, middle), self)
    }

    /// Returns for each column of a Gram matrix the combination of earlier independent columns that it
    /// equals, as a factor for each column; `None` if it is independent of them.
    pub fn combinations(&self) -> Vec<Option<Vec<f64>>> {
        let size = self.size;
        let mut rows = self.clone();
        let mut found: Vec<Option<Vec<f64>>> = Vec::with_capacity(size);
        for column in 0..size {
            // A zero remains on the diagonal where earlier columns explain all of this one.
            let rest = rows.at(column, column);
            if rest <= DEPENDENT * self.at(column, column) {
                let factor = |row: usize| {
                    let is_independent = found.get(row).is_some_and(Option::is_none);
                    if is_independent { rows.at(row, column) } else { 0.0 }
                };
                found.push(Some((0..size).map(factor).collect()));
                continue;
            }
            rows.cells[column * size..][..size].iter_mut().for_each(|cell| *cell /= rest);
            for row in (0..size).filter(|&row| row != column) {
                let factor = rows.at(row, column);
                for other in 0..size {
                    rows.cells[row * size + other] -= factor * rows.at(column, other);
                }
            }
            found.push(None);
        }
        found
    }

    /// Returns the inverse; `None` unless the matrix is positive definite.
    ///
    /// Uses Gauss-Jordan elimination without pivoting, which is stable for such matrices because
    /// every pivot is positive.
    pub fn inverse(&self) -> Option<Self> {
        let size = self.size;
        let mut left = self.clone();
        let mut inverse = Self::zero(size);
        for row in 0..size {
            inverse.cells[row * size + row] = 1.0;
        }
        for pivot in 0..size {
            let value = left.at(pivot, pivot);
            if value.is_nan() || value <= f64::EPSILON {
                return None;
            }
            for matrix in [&mut left, &mut inverse] {
                matrix.cells[pivot * size..][..size].iter_mut().for_each(|cell| *cell /= value);
            }
            for row in (0..size).filter(|&row| row != pivot) {
                let factor = left.at(row, pivot);
                for matrix in [&mut left, &mut inverse] {
                    for column in 0..size {
                        matrix.cells[row * size + column] -= factor * matrix.at(pivot, column);
                    }
                }
            }
        }
        Some(inverse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Symmetric {
        let mut matrix = Symmetric::zero(3);
        matrix.add_difference(0, 1, 2.0);
        matrix.add_difference(2, 1, 0.5);
        matrix.shift(1.0);
        matrix
    }

    #[test]
    fn product_with_inverse_is_identity() {
        let (matrix, inverse) = (sample(), sample().inverse().expect("positive definite"));
        for unit in 0..3 {
            let vector: Vec<f64> = (0..3).map(|row| inverse.at(row, unit)).collect();
            for (row, value) in matrix.times(&vector).into_iter().enumerate() {
                assert!((value - f64::from(u8::from(row == unit))).abs() < 1e-12);
            }
        }
        let identity = matrix.sandwich(&inverse);
        for (found, expected) in identity.cells.iter().zip(&matrix.cells) {
            assert!((found - expected).abs() < 1e-12, "A A⁻¹ A is A");
        }
    }

    #[test]
    fn dependent_columns_are_combinations_of_the_others() {
        // The third column is the first minus twice the second, and the fourth is empty.
        let mut gram = Symmetric::zero(5);
        for [a, b, e] in [[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 1.0]] {
            gram.add_square(&[a, b, a - 2.0 * b, 0.0, e], 1.0);
        }
        let found = gram.combinations();
        let is_independent: Vec<bool> = found.iter().map(Option::is_none).collect();
        assert_eq!(is_independent, [true, true, false, false, true]);
        for (column, expected) in [(2, [1.0, -2.0, 0.0, 0.0, 0.0]), (3, [0.0; 5])] {
            let factors = found[column].as_ref().unwrap();
            assert!(factors.iter().zip(expected).all(|(one, two)| (one - two).abs() < 1e-12), "{factors:?}");
        }
    }

    #[test]
    fn add_difference_equals_add_square_of_the_difference_vector() {
        let (mut one, mut other) = (Symmetric::zero(3), Symmetric::zero(3));
        one.add_difference(0, 2, 1.5);
        other.add_square(&[1.0, 0.0, -1.0], 1.5);
        assert_eq!(one, other);
    }

    #[test]
    fn isolating_an_index_keeps_other_entries() {
        let mut matrix = sample();
        matrix.isolate(1, 4.0);
        let inverse = matrix.inverse().expect("positive definite");
        assert_eq!(inverse.times(&[0.0, 1.0, 0.0]), [0.0, 0.25, 0.0]);
        assert_eq!((matrix.at(0, 2), matrix.at(0, 0)), (sample().at(0, 2), sample().at(0, 0)));
    }

    #[test]
    fn singular_matrix_has_no_inverse() {
        let mut difference = Symmetric::zero(2);
        difference.add_difference(0, 1, 3.0);
        assert_eq!(difference.inverse(), None);
        assert_eq!(Symmetric::zero(1).inverse(), None);
    }
}
