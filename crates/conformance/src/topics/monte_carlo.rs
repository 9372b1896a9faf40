//! The Monte Carlo tests of NIST's validation program: thousands of jobs, each made from the result
//! of the last.

use std::mem;
use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, CipherAlgorithm, Direction, Job, Processor, Session};

use crate::cavp;
use crate::keyed::Keyed;

/// All that a provider has the algorithms for, side by side.
pub fn monte_carlo(provider: &Arc<dyn Provider>) {
    let mut sequences = sequences(provider);
    let mut processor = Processor::new();
    for step in 0.. {
        sequences.retain(|sequence| {
            let done = step == sequence.steps;
            assert!(
                !done || sequence.last == sequence.expected,
                "{} of {}",
                sequence.name,
                provider.name()
            );
            !done
        });
        if sequences.is_empty() {
            return;
        }
        let mut jobs: Vec<_> = sequences.iter().map(Sequence::job).collect();
        processor.process_many(&mut jobs);
        let outputs: Vec<_> = jobs.iter().map(output).collect();
        drop(jobs);
        sequences.iter_mut().zip(outputs).for_each(|(sequence, output)| sequence.go_on(output));
    }
}

fn sequences(provider: &Arc<dyn Provider>) -> Vec<Sequence> {
    let records = cavp::monte_carlo().into_iter();
    let known = records.filter(|record| provider.supports(record.algorithm()));
    let sequences = known.map(|record| {
        let algorithm = record.algorithm();
        let direction =
            Direction::ALL.into_iter().find(|known| record.get("direction") == Some(known.name()));
        let direction = direction.expect("a direction");
        let (nonce, mut text) = (record.bytes("nonce"), record.bytes("text"));
        let (rule, steps) = match algorithm {
            Algorithm::Hash(_) => {
                text = text.repeat(3);
                (Rule::Digests, 1_000)
            }
            _ if nonce.is_empty() => (Rule::Output, steps_of(algorithm)),
            // Of DES, this direction alone.
            _ if direction == Direction::Decrypt && steps_of(algorithm) == 10_000 => {
                (Rule::Chained, 10_000)
            }
            _ => (Rule::Crossed, steps_of(algorithm)),
        };
        Sequence {
            name: record.name(),
            session: Keyed::new(algorithm, record.bytes("key"), Vec::new())
                .open(provider, direction),
            rule,
            steps,
            last: nonce.clone(),
            nonce,
            text,
            expected: record.bytes("output"),
        }
    });
    sequences.collect()
}

fn steps_of(algorithm: Algorithm) -> usize {
    match algorithm.cipher().map(CipherAlgorithm::block_len) {
        Some(8) => 10_000,
        _ => 1_000,
    }
}

/// The input of the next job.
enum Rule {
    /// The last three digests.
    Digests,
    /// The last output.
    Output,
    /// The last output, after the last block of ciphertext.
    Chained,
    /// The output before the last, at first the IV, after the last block of ciphertext.
    Crossed,
}

struct Sequence {
    name: String,
    session: Session,
    rule: Rule,
    steps: usize,
    nonce: Vec<u8>,
    text: Vec<u8>,
    /// The last output; at first the IV.
    last: Vec<u8>,
    expected: Vec<u8>,
}

impl Sequence {
    fn job(&self) -> Job<'_> {
        Job::new(&self.session, self.text.clone()).nonce(&self.nonce)
    }

    fn go_on(&mut self, output: Vec<u8>) {
        if let Rule::Chained | Rule::Crossed = self.rule {
            let decrypts = self.session.direction() == Direction::Decrypt;
            self.nonce.clone_from(if decrypts { &self.text } else { &output });
        }
        let before = mem::replace(&mut self.last, output);
        match self.rule {
            Rule::Digests => {
                self.text.drain(..self.last.len());
                self.text.extend(&self.last);
            }
            Rule::Output | Rule::Chained => self.text.clone_from(&self.last),
            Rule::Crossed => self.text = before,
        }
    }
}

/// The digest, or the buffer.
fn output(job: &Job<'_>) -> Vec<u8> {
    assert_eq!(job.status(), Some(Ok(())));
    match job.tag() {
        Some(digest) => digest.to_vec(),
        None => job.data().output_pieces().flatten().copied().collect(),
    }
}
