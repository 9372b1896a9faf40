//! What `--size` takes: bytes, ranges of bytes, and mixes.

use std::fmt;
use std::str::FromStr;

use super::workload::{MAX_SIZE, Workload};
use crate::error::PerfError;

/// The forms, for errors.
const FORMS: &str = "bytes (64), a range min:step:max (64:64:512, or 32:x2:8192 to double), imix, \
                     or a mix of sizes and weights (imix:64x7+594x4+1518x1)";

/// The most sizes that one range may stand for.
const MAX_RANGE: usize = 256;

/// The largest weight in a mix.
const MAX_WEIGHT: usize = 100;

/// Buffers of several sizes in fixed shares.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Imix(Vec<(usize, usize)>);

impl Default for Imix {
    /// Seven buffers of 64 bytes to four of 594 and one of 1518, as the simple Internet mix has
    /// them.
    fn default() -> Self {
        Imix(vec![(64, 7), (594, 4), (1518, 1)])
    }
}

impl Imix {
    /// Each size in bytes with its weight.
    pub fn parts(&self) -> &[(usize, usize)] {
        &self.0
    }
}

impl fmt::Display for Imix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Imix::default() {
            return f.pad("imix");
        }
        let parts: Vec<String> =
            self.0.iter().map(|(size, weight)| format!("{size}x{weight}")).collect();
        f.pad(&format!("imix:{}", parts.join("+")))
    }
}

/// The workloads that one element of a list of sizes stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(pub Vec<Workload>);

impl FromStr for Sizes {
    type Err = PerfError;

    fn from_str(text: &str) -> Result<Self, PerfError> {
        let workloads = match (text.split_once(':'), text) {
            (None, "imix") => Ok(vec![Workload::Imix(Imix::default())]),
            (Some(("imix", mix)), _) => imix(mix).map(|mix| vec![Workload::Imix(mix)]),
            (None, _) => bytes(text).map(|size| vec![Workload::Size(size)]),
            (Some(_), _) => {
                range(text).map(|sizes| sizes.into_iter().map(Workload::Size).collect())
            }
        };
        workloads.map(Sizes).map_err(|reason| PerfError::Size {
            text: text.to_owned(),
            reason,
            valid: FORMS,
        })
    }
}

/// A number of bytes.
fn bytes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(size) if (1..=MAX_SIZE).contains(&size) => Ok(size),
        Ok(size) => Err(format!("{size} is out of range, which is 1 to {MAX_SIZE} bytes")),
        Err(_) => Err(format!("{text:?} is not a number of bytes")),
    }
}

/// The sizes of `min:step:max`, or of `min:xfactor:max`, up to `max`.
fn range(text: &str) -> Result<Vec<usize>, String> {
    let [min, step, max] = text.split(':').collect::<Vec<_>>()[..] else {
        return Err("a range has three parts".to_owned());
    };
    let (first, last) = (bytes(min)?, bytes(max)?);
    if first > last {
        return Err(format!("{first} is more than {last}"));
    }
    let number = |text: &str, least: usize| match text.parse::<usize>() {
        Ok(number) if number >= least => Ok(number),
        _ => Err(format!("the step {step:?} is neither a number from 1 nor x and a number from 2")),
    };
    let next: Box<dyn Fn(usize) -> Option<usize>> = match step.strip_prefix('x') {
        Some(factor) => {
            let factor = number(factor, 2)?;
            Box::new(move |size| size.checked_mul(factor))
        }
        None => {
            let step = number(step, 1)?;
            Box::new(move |size| size.checked_add(step))
        }
    };
    let sizes: Vec<usize> = std::iter::successors(Some(first), |&size| next(size))
        .take_while(|&size| size <= last)
        .take(MAX_RANGE + 1)
        .collect();
    if sizes.len() > MAX_RANGE {
        return Err(format!("that is more than {MAX_RANGE} sizes"));
    }
    Ok(sizes)
}

/// The parts of `size x weight + …`.
fn imix(text: &str) -> Result<Imix, String> {
    let part = |part: &str| {
        let (size, weight) = part.split_once('x').ok_or(format!("{part:?} is not SIZExWEIGHT"))?;
        match weight.parse() {
            Ok(weight) if (1..=MAX_WEIGHT).contains(&weight) => Ok((bytes(size)?, weight)),
            _ => Err(format!("the weight {weight:?} is not a number from 1 to {MAX_WEIGHT}")),
        }
    };
    text.split('+').map(part).collect::<Result<Vec<_>, _>>().map(Imix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Vec<usize> {
        let Sizes(workloads) = text.parse().unwrap();
        let size = |workload| match workload {
            Workload::Size(size) => size,
            other => panic!("{other}"),
        };
        workloads.into_iter().map(size).collect()
    }

    #[test]
    fn numbers_and_ranges_become_sizes() {
        assert_eq!(sizes("64"), [64]);
        assert_eq!(sizes("64:64:256"), [64, 128, 192, 256]);
        assert_eq!(sizes("10:7:30"), [10, 17, 24]);
        assert_eq!(sizes("5:1:5"), [5]);
        assert_eq!(sizes("32:x2:8192"), [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]);
        assert_eq!(sizes("1:1:256").len(), 256);
    }

    #[test]
    fn mixes_print_as_they_are_written() {
        for (text, parts) in [
            ("imix", &[(64, 7), (594, 4), (1518, 1)][..]),
            ("imix:100x3", &[(100, 3)]),
            ("imix:40x58+552x33+1500x9", &[(40, 58), (552, 33), (1500, 9)]),
        ] {
            let Sizes(workloads) = text.parse().unwrap();
            let [Workload::Imix(mix)] = &workloads[..] else { panic!("{workloads:?}") };
            assert_eq!(mix.parts(), parts);
            assert_eq!(mix.to_string(), text);
        }
        let Sizes(usual) = "imix:64x7+594x4+1518x1".parse().unwrap();
        assert_eq!(usual, "imix".parse::<Sizes>().unwrap().0);
    }

    #[test]
    fn an_error_says_what_is_wrong_and_what_would_be_right() {
        for (text, reason) in [
            ("", "not a number"),
            ("big", "\"big\" is not a number"),
            ("-1", "\"-1\""),
            ("0", "0 is out of range"),
            ("65537", "65537 is out of range"),
            ("64:128", "three parts"),
            ("1:2:3:4", "three parts"),
            ("128:64:64", "128 is more than 64"),
            ("64:0:128", "step \"0\""),
            ("64:x1:128", "step \"x1\""),
            ("64:y:128", "step \"y\""),
            ("1:1:60000", "more than 256"),
            ("imix:", "SIZExWEIGHT"),
            ("imix:64", "\"64\" is not SIZExWEIGHT"),
            ("imix:64x0", "weight \"0\""),
            ("imix:64x101", "weight \"101\""),
            ("imix:0x1", "0 is out of range"),
            ("imix:64x1+", "\"\" is not SIZExWEIGHT"),
            ("imix2", "not a number"),
        ] {
            let error = text.parse::<Sizes>().unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains("min:step:max"), "{text}: {error}");
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }
}
