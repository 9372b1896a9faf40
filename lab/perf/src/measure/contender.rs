//! What is measured: a provider at work on a shared set of buffers.

use std::ops::Range;

use super::course::Course;
use super::workset::Workset;
use crate::error::PerfError;
use crate::names::Provider;

/// A provider with its keys expanded, its contexts made and its outputs allocated, so that only
/// the work itself is left to time.
pub trait Contender {
    /// The provider's name.
    fn provider(&self) -> Provider;

    /// Names what it runs: an instruction set, a library's entry point.
    fn kernel(&self) -> String;

    /// Does the buffers of `range` as one burst: handed over together, all complete on return.
    /// Filling in the jobs is part of it.
    ///
    /// # Errors
    /// The provider reported a failure.
    fn burst(&mut self, range: Range<usize>) -> Result<(), PerfError>;

    /// Hands over the buffers of `range` one by one; some may still be in flight on return.
    ///
    /// # Errors
    /// The provider reported a failure.
    fn submit(&mut self, range: Range<usize>) -> Result<(), PerfError>;

    /// Completes everything in flight.
    ///
    /// # Errors
    /// The provider reported a failure.
    fn flush(&mut self) -> Result<(), PerfError>;

    /// Brings results that lie in jobs to where [`output`](Contender::output) finds them; due after
    /// every burst, and after a flush. Not timed: who uses the provider reads them where they are.
    fn collect(&mut self) {}

    /// The result for a buffer, as of the last [`collect`](Contender::collect).
    fn output(&self, index: usize) -> &[u8];

    /// Overwrites all results, so that an old one is not taken for a new one.
    fn clear(&mut self);
}

/// Runs every contender over the whole set in both modes, with bursts of `burst`, and compares
/// all their results with the first one's.
///
/// # Errors
/// [`PerfError::Mismatch`] names the first buffer that two of them disagree on.
pub fn check_agreement(
    contenders: &mut [Box<dyn Contender + '_>],
    workset: &Workset,
    course: Course,
    burst: usize,
) -> Result<(), PerfError> {
    for contender in contenders.iter_mut() {
        contender.clear();
        let mut begin = 0;
        while begin < workset.len() {
            let end = workset.len().min(begin + burst);
            contender.burst(begin..end)?;
            contender.collect();
            begin = end;
        }
    }
    compare(contenders, workset, course)?;
    for contender in contenders.iter_mut() {
        contender.clear();
        contender.submit(0..workset.len())?;
        contender.flush()?;
        contender.collect();
    }
    compare(contenders, workset, course)
}

fn compare(
    contenders: &[Box<dyn Contender + '_>],
    workset: &Workset,
    course: Course,
) -> Result<(), PerfError> {
    let Some((first, others)) = contenders.split_first() else {
        return Ok(());
    };
    for buffer in 0..workset.len() {
        for other in others {
            if other.output(buffer) != first.output(buffer) {
                return Err(PerfError::Mismatch {
                    algorithm: workset.algorithm(),
                    direction: course.of(buffer),
                    first: first.provider().to_string(),
                    second: other.provider().to_string(),
                    buffer,
                    len: workset.buffer(buffer).len(),
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use broadloom_engine::Direction;

    use super::super::workload::Workload;
    use super::*;

    /// Writes each buffer's length as its result, but for one buffer.
    struct Fake {
        provider: Provider,
        wrong: Option<usize>,
        outputs: Vec<Vec<u8>>,
    }

    impl Contender for Fake {
        fn provider(&self) -> Provider {
            self.provider
        }
        fn kernel(&self) -> String {
            "fake".to_owned()
        }
        fn burst(&mut self, range: Range<usize>) -> Result<(), PerfError> {
            for index in range {
                self.outputs[index] = vec![u8::from(self.wrong == Some(index))];
            }
            Ok(())
        }
        fn submit(&mut self, range: Range<usize>) -> Result<(), PerfError> {
            self.burst(range)
        }
        fn flush(&mut self) -> Result<(), PerfError> {
            Ok(())
        }
        fn output(&self, index: usize) -> &[u8] {
            &self.outputs[index]
        }
        fn clear(&mut self) {
            self.outputs.fill(Vec::new());
        }
    }

    fn pair(wrong: Option<usize>) -> Result<(), PerfError> {
        let algorithm = "sha1".parse().unwrap();
        let workset = Workset::new(&Workload::Small, algorithm, 10, 1);
        let fake = |provider, wrong| -> Box<dyn Contender> {
            Box::new(Fake { provider, wrong, outputs: vec![Vec::new(); 10] })
        };
        let mut both = [fake(Provider::Native, None), fake(Provider::OpenSsl, wrong)];
        check_agreement(&mut both, &workset, Course::All(Direction::Digest), 4)
    }

    #[test]
    fn agreement_is_silent_and_a_mismatch_names_everything() {
        pair(None).unwrap();
        let error = pair(Some(9)).unwrap_err().to_string();
        assert_eq!(error, "sha1 digest: openssl and native differ on buffer 9 of 64 bytes");
    }
}
