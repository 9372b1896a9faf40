//! The payload of an age file: chunks of 64 KiB, each with ChaCha20-Poly1305.

use broadloom_engine::{AeadAlgorithm, Job, JobError, Processor, Registry, Session, Transform};

use crate::chunks::{CHUNK, Cipher, Group, STRIDE, TAG};
use crate::error::EncryptionError;

/// Why a chunk of a payload is not what was encrypted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The tag is wrong.
    #[error(
        "the chunk does not authenticate: it is damaged, it is not in its place, or data follow the \
         end of the file"
    )]
    Damaged,
    /// The tag is that of a chunk that others follow.
    #[error("the input ends here, and the last chunk is not the end of the file: it is cut short")]
    CutShort,
    /// The input ends within a tag, or where a chunk has to begin.
    #[error("the input ends within a chunk: the file is cut short")]
    Truncated,
    /// A last chunk without data, behind others.
    #[error("the last chunk is empty, and is not the only one")]
    EmptyLast,
}

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

    /// Why the last chunk's tag is wrong, of which this is a copy.
    fn diagnose(&self, number: u64, copy: &mut [u8]) -> PayloadError {
        let text = copy.len() - TAG;
        let job = Job::new(&self.session, copy).nonce(&nonce(number, false));
        let mut jobs = [job.cipher_range(0..text).tag_at(text)];
        Processor::new().process_many(&mut jobs);
        match jobs[0].succeeded() {
            true => PayloadError::CutShort,
            false => PayloadError::Damaged,
        }
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
        let (mut jobs, mut copy, mut failed) = (Vec::with_capacity(lens.len()), Vec::new(), None);
        for (index, (slot, &len)) in group.slots.iter_mut().zip(&lens).enumerate() {
            let number = first + index as u64;
            let is_last = last && index == end;
            // Only a first chunk may be empty. A chunk that others follow is full.
            let Some(text) = len.checked_sub(TAG).filter(|&text| text > 0 || number == 0) else {
                let cause =
                    if len < TAG { PayloadError::Truncated } else { PayloadError::EmptyLast };
                let offset = self.offset(number) + if len < TAG { len as u64 } else { 0 };
                failed = Some((offset, cause));
                break;
            };
            if is_last {
                copy = slot[..len].to_vec();
            }
            let job = Job::new(&self.session, &mut slot[..len]).nonce(&nonce(number, is_last));
            jobs.push(job.cipher_range(0..text).tag_at(text));
        }
        processor.process_many(&mut jobs);
        let mut opened = Vec::with_capacity(lens.len());
        for (index, job) in jobs.iter().enumerate() {
            let number = first + index as u64;
            let offset = self.offset(number);
            match job.status() {
                Some(Ok(())) => opened.push(lens[index] - TAG),
                Some(Err(JobError::TagMismatch)) => {
                    let cause = match last && index == end {
                        true => self.diagnose(number, &mut copy),
                        false => PayloadError::Damaged,
                    };
                    group.lens = opened;
                    return Err(EncryptionError::Payload { offset, cause });
                }
                Some(Err(error)) => {
                    group.lens = opened;
                    return Err(EncryptionError::Job { offset, error });
                }
                None => unreachable!("a job that was processed is complete"),
            }
        }
        group.lens = opened;
        failed.map_or(Ok(()), |(offset, cause)| Err(EncryptionError::Payload { offset, cause }))
    }
}
