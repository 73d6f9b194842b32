//! The tasks of a run, which its workers ask for one by one.

use std::vec::IntoIter;

/// The tasks that are left. One worker at a time asks.
pub trait Tasks<T>: Send {
    /// Returns the next task.
    fn next(&mut self) -> Option<T>;
    /// Begins nothing new: from now on only what completes a begun unit is handed out.
    fn close(&mut self);
    /// Returns the number of tasks left, where it is known: no more workers than that are started.
    fn len_hint(&self) -> Option<usize> {
        None
    }
}

/// A list of tasks that depend on nothing.
#[derive(Debug)]
pub struct TaskList<T>(IntoIter<T>);

impl<T> TaskList<T> {
    /// Makes a list of these tasks.
    pub fn new(tasks: Vec<T>) -> Self {
        Self(tasks.into_iter())
    }
}

impl TaskList<usize> {
    /// Makes a list of the indices below `count` that are not in `done`.
    pub(crate) fn missing(count: usize, done: impl Iterator<Item = u64>) -> Self {
        let mut is_missing = vec![true; count];
        for index in done {
            is_missing[index as usize] = false;
        }
        Self::new((0..count).filter(|&index| is_missing[index]).collect())
    }
}

impl<T: Send> Tasks<T> for TaskList<T> {
    fn next(&mut self) -> Option<T> {
        self.0.next()
    }

    fn close(&mut self) {
        self.0 = Vec::new().into_iter();
    }

    fn len_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_missing_tasks_are_handed_out() {
        let mut tasks = TaskList::missing(5, [1, 3].into_iter());
        assert_eq!(tasks.len_hint(), Some(3));
        assert_eq!((tasks.next(), tasks.next()), (Some(0), Some(2)));
        tasks.close();
        assert_eq!(tasks.next(), None);
    }
}
