//! The payload of an age file: chunks of 64 KiB, each with ChaCha20-Poly1305.

use broadloom_engine::{AeadAlgorithm, Job, JobError, Processor, Registry, Session, Transform};

use super::damage::PayloadError;
use crate::chunks::{CHUNK, Cipher, Group, STRIDE, TAG};
use crate::error::EncryptionError;

/// Makes the payload.
pub(super) struct Seal {
    session: Session,
}

/// Reads the payload.
pub(super) struct Open {
    session: Session,
    /// Where the payload begins.
    pub start: u64,
}

impl Seal {
    pub(super) fn new(registry: &Registry, key: &[u8; 32]) -> Result<Seal, EncryptionError> {
        let seal = Transform::aead(AeadAlgorithm::ChaCha20Poly1305, key).seal()?;
        Ok(Seal { session: registry.open(&seal)? })
    }
}

impl Open {
    pub(super) fn new(
        registry: &Registry,
        key: &[u8; 32],
        start: u64,
    ) -> Result<Open, EncryptionError> {
        let open = Transform::aead(AeadAlgorithm::ChaCha20Poly1305, key).open()?;
        Ok(Open { session: registry.open(&open)?, start })
    }

    fn offset(&self, number: u64) -> u64 {
        self.start + number * STRIDE as u64
    }

    /// Opens a chunk elsewhere, so that it is there still where its tag is wrong.
    fn job<'a>(
        &'a self,
        (chunk, text): (&'a [u8], &'a mut [u8]),
        (number, last): (u64, bool),
    ) -> Job<'a> {
        let (len, end) = (chunk.len(), chunk.len() - TAG);
        let job = Job::new(&self.session, (chunk, &mut text[..len])).nonce(&nonce(number, last));
        job.cipher_range(0..end).tag_at(end)
    }
}

/// The nonce of a chunk: its number in 11 bytes, and whether it is the last.
fn nonce(number: u64, last: bool) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[3..11].copy_from_slice(&number.to_be_bytes());
    nonce[11] = last.into();
    nonce
}

impl Cipher for Seal {
    const INPUT: usize = CHUNK;
    const OUTPUT: usize = STRIDE;

    fn work(&self, processor: &mut Processor, group: &mut Group) -> Result<(), EncryptionError> {
        let (first, last, mut lens) = (group.first, group.last, std::mem::take(&mut group.lens));
        let end = lens.len() - 1;
        let jobs = group.slots.iter_mut().zip(&lens).enumerate().map(|(index, (slot, &len))| {
            let nonce = nonce(first + index as u64, last && index == end);
            Job::new(&self.session, &mut slot[..len + TAG])
                .nonce(&nonce)
                .cipher_range(0..len)
                .tag_at(len)
        });
        let mut jobs: Vec<Job<'_>> = jobs.collect();
        processor.process_many(&mut jobs);
        for (index, job) in jobs.iter().enumerate() {
            if let Some(Err(error)) = job.status() {
                let offset = (first + index as u64) * CHUNK as u64;
                return Err(EncryptionError::Job { offset, error });
            }
        }
        drop(jobs);
        lens.iter_mut().for_each(|len| *len += TAG);
        group.lens = lens;
        Ok(())
    }
}

impl Cipher for Open {
    const INPUT: usize = STRIDE;
    const OUTPUT: usize = CHUNK;

    fn work(&self, processor: &mut Processor, group: &mut Group) -> Result<(), EncryptionError> {
        let (first, last, lens) = (group.first, group.last, std::mem::take(&mut group.lens));
        let end = lens.len() - 1;
        let (mut jobs, mut failed) = (Vec::with_capacity(lens.len()), None);
        let memory = group.slots.iter().zip(group.spare.iter_mut());
        for (index, ((slot, text), &len)) in memory.zip(&lens).enumerate() {
            let number = first + index as u64;
            // Only a first chunk may be empty. A chunk that others follow is full.
            if len < TAG {
                failed = Some((self.offset(number) + len as u64, PayloadError::Truncated));
                break;
            }
            if len == TAG && number > 0 {
                failed = Some((self.offset(number), PayloadError::EmptyLast));
                break;
            }
            jobs.push(self.job((&slot[..len], text), (number, last && index == end)));
        }
        processor.process_many(&mut jobs);
        let wrong = jobs.iter().position(|job| !job.succeeded());
        let wrong = wrong.map(|index| (index, jobs[index].status()));
        let opened = wrong.map_or(jobs.len(), |(index, _)| index);
        drop(jobs);
        group.lens.extend(lens[..opened].iter().map(|len| len - TAG));
        if let Some((index, status)) = wrong {
            let (number, is_last) = (first + index as u64, last && index == end);
            let offset = self.offset(number);
            if let Some(Err(error)) = status
                && error != JobError::TagMismatch
            {
                return Err(EncryptionError::Job { offset, error });
            }
            // What is no last chunk where it should be, or the other way round, tells more.
            let chunk = group.slots.iter().nth(index).map(|slot| &slot[..lens[index]]);
            let text = group.spare.iter_mut().nth(index);
            let mut again: Vec<Job<'_>> = chunk
                .zip(text)
                .map(|memory| self.job(memory, (number, !is_last)))
                .into_iter()
                .collect();
            processor.process_many(&mut again);
            let other = again.iter().any(Job::succeeded);
            drop(again);
            failed = Some(match (other, lens[index] == STRIDE) {
                (false, _) => (offset, PayloadError::Damaged),
                // No writer makes a short chunk that others follow.
                (true, false) => (offset, PayloadError::CutShort),
                // The chunk is authentic; what follows it, or does not, is wrong.
                (true, true) => {
                    group.lens.push(lens[index] - TAG);
                    let cause =
                        if is_last { PayloadError::CutShort } else { PayloadError::Trailing };
                    (self.offset(number + 1), cause)
                }
            });
        }
        std::mem::swap(&mut group.slots, &mut group.spare);
        failed.map_or(Ok(()), |(offset, cause)| Err(EncryptionError::Payload { offset, cause }))
    }
}
