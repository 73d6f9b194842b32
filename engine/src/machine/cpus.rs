//! Lists of processors in the notation of Linux: `0,2,4-7`.

use std::fmt;

use thiserror::Error;

/// Error in a list of processors.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum CpuListError {
    #[error("expected a processor such as '3' or a range such as '4-7', found '{token}'")]
    NotACpu { token: String },
    #[error("the range '{token}' ends before it begins")]
    Backwards { token: String },
    #[error("processor {cpu} of '{token}' is not available to this process (available: {available})")]
    NotAvailable {
        token: String,
        cpu: usize,
        /// The available processors, as a list of ranges.
        available: String,
    },
}

/// Parses a list such as `0,2,4-7` of processors from `available`.
///
/// Errors: [`CpuListError`], with the rejected item.
pub fn parse_list(text: &str, available: &[usize]) -> Result<Vec<usize>, CpuListError> {
    let mut cpus = Vec::new();
    for token in text.split(',').map(str::trim) {
        let (first, last) = parse_range(token)?;
        for cpu in first..=last {
            // Checked one by one, so that a huge range stops at the first unavailable one.
            if !available.contains(&cpu) {
                let (token, available) = (token.to_owned(), Ranges(available).to_string());
                return Err(CpuListError::NotAvailable { token, cpu, available });
            }
            cpus.push(cpu);
        }
    }
    Ok(cpus)
}

/// Parses `3` or `4-7` and returns the first and the last processor.
///
/// Errors: [`CpuListError`], with the text.
pub fn parse_range(token: &str) -> Result<(usize, usize), CpuListError> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let bounds = match token.split_once('-') {
        Some((first, last)) => number(first).zip(number(last)),
        None => number(token).map(|cpu| (cpu, cpu)),
    };
    match bounds {
        None => Err(CpuListError::NotACpu { token: token.to_owned() }),
        Some((first, last)) if last < first => Err(CpuListError::Backwards { token: token.to_owned() }),
        Some(bounds) => Ok(bounds),
    }
}

/// A list of numbers, written as `0,2,4-7`.
#[derive(Clone, Copy, Debug)]
pub struct Ranges<'a>(pub &'a [usize]);

impl fmt::Display for Ranges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, run) in self.0.chunk_by(|a, b| a + 1 == *b).enumerate() {
            let comma = if n > 0 { "," } else { "" };
            match run {
                [cpu] => write!(f, "{comma}{cpu}")?,
                [first, .., last] => write!(f, "{comma}{first}-{last}")?,
                [] => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EIGHT: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[test]
    fn lists_parse_and_round_trip() {
        for (text, cpus) in [("3", vec![3]), ("0,2,4-7", vec![0, 2, 4, 5, 6, 7]), ("7, 0 - 1", vec![7, 0, 1])]
        {
            assert_eq!(parse_list(text, &EIGHT), Ok(cpus.clone()));
            assert_eq!(parse_list(&Ranges(&cpus).to_string(), &EIGHT), Ok(cpus));
        }
    }

    #[test]
    fn errors_contain_the_rejected_item() {
        for bad in ["", "x", "1,,2", "-3", "1-", "2,on", "0x1", "99999999999999999999"] {
            let error = parse_list(bad, &EIGHT).expect_err(bad);
            assert!(matches!(error, CpuListError::NotACpu { .. }), "{bad}: {error}");
        }
        let backwards = CpuListError::Backwards { token: "3-1".to_owned() };
        assert_eq!(parse_list("0,3-1", &EIGHT), Err(backwards));
        let error = parse_list("0,6-4000000000", &EIGHT).expect_err("eight processors only");
        assert_eq!(
            error.to_string(),
            "processor 8 of '6-4000000000' is not available to this process (available: 0-7)"
        );
    }
}
