//! The life of a chunk: compressed, perhaps verified, perhaps compressed again.

use broadloom_engine::{
    Bytes, Contents, Data, DeviceFault, Ending, Handle, Job, JobError, Session,
};

use crate::error::{CompressError, Mismatch};
use crate::format::EMPTY_FINAL_BLOCK;
use crate::pipeline::ChunkJob;

use super::Compressor;
use super::ends::Filled;

/// Room beyond what a verified chunk should have: enough to see that it has more.
const EXCESS: usize = 64;

/// A chunk on its way.
pub(super) struct Chunk<'a> {
    session: &'a Session,
    job: Job<'a>,
    verifier: Option<Verifier<'a>>,
    /// Where it begins, in bytes of the input.
    offset: u64,
    /// The input pauses behind it.
    pub(super) precedes_pause: bool,
    overflows: u64,
    /// Why it was not done by the session's own provider.
    fell_back: Option<JobError>,
}

/// The session that verifies it.
struct Verifier<'a> {
    /// While it is at work, and after, its data are what is verified.
    job: Job<'a>,
    /// Bytes that the compressed chunk lacks to be a whole DEFLATE stream.
    end: &'static [u8],
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The chunk is not compressed yet.
    Before,
    /// It is being verified.
    During,
    /// It is right.
    Right,
    /// It is wrong.
    Wrong(Mismatch),
}

/// A chunk that was compressed well.
pub(super) struct Compressed<'c> {
    /// Where it begins, in bytes of the input.
    pub offset: u64,
    /// Bytes of the input.
    pub len: usize,
    /// Their results.
    pub bytes: &'c [u8],
    pub checksum: Option<u32>,
    pub overflows: u64,
    pub fell_back: Option<JobError>,
    pub is_verified: bool,
}

impl<'a> Chunk<'a> {
    pub(super) fn new(compressor: &'a Compressor) -> Self {
        let mut job = Job::new(&compressor.session, Bytes::EMPTY);
        job.set_room(compressor.settings.room);
        let verifier = compressor.verifier.as_ref().map(|session| Verifier {
            job: Job::new(session, Bytes::EMPTY),
            end: match compressor.how.ending {
                Ending::Final => &[],
                Ending::Open => &EMPTY_FINAL_BLOCK,
            },
            stage: Stage::Before,
        });
        let session = &compressor.session;
        Chunk {
            session,
            job,
            verifier,
            offset: 0,
            precedes_pause: false,
            overflows: 0,
            fell_back: None,
        }
    }

    /// Gives the job memory for its result.
    pub(super) fn set_memory(&mut self, memory: Vec<u8>) {
        self.job.set_output_buffer(memory);
    }

    /// Takes the memory of the result.
    pub(super) fn take_memory(&mut self) -> Vec<u8> {
        self.job.take_output()
    }

    /// Its result.
    pub(super) fn result(&self) -> Result<Compressed<'_>, CompressError> {
        let (offset, len) = (self.offset, bytes(&self.job).len());
        let provider = || self.job.session().provider().to_owned();
        if let Some(Err(error)) = self.job.status() {
            return Err(CompressError::Chunk { offset, len, provider: provider(), error });
        }
        let bytes = match &self.verifier {
            None => self.job.output().unwrap_or_default(),
            Some(Verifier { stage: Stage::Wrong(found), .. }) => {
                return Err(CompressError::Verify {
                    offset,
                    len,
                    provider: provider(),
                    found: *found,
                });
            }
            Some(verifier) => {
                let verified = bytes(&verifier.job);
                &verified[..verified.len() - verifier.end.len()]
            }
        };
        Ok(Compressed {
            offset,
            len,
            bytes,
            checksum: self.job.checksum(),
            overflows: self.overflows,
            fell_back: self.fell_back,
            is_verified: self.verifier.is_some(),
        })
    }
}

impl<'a> Filled<'a> for Chunk<'a> {
    fn set_input(&mut self, offset: u64, input: Bytes<'a>) -> Bytes<'a> {
        if let Some(verifier) = &mut self.verifier {
            let compressed = replace(&mut verifier.job, Bytes::EMPTY);
            // The memory is the first job's.
            if let Bytes::Owned(memory) = compressed {
                self.job.set_output_buffer(memory);
            }
            verifier.stage = Stage::Before;
            if self.fell_back.is_some() {
                self.job.set_session(self.session);
            }
        }
        self.offset = offset;
        self.overflows = 0;
        self.fell_back = None;
        replace(&mut self.job, input)
    }

    fn set_pause(&mut self, precedes_pause: bool) {
        self.precedes_pause = precedes_pause;
    }
}

impl<'a> Handle<'a> for Chunk<'a> {
    fn contents(&mut self) -> &mut Contents<'a> {
        match &mut self.verifier {
            Some(verifier) if verifier.stage == Stage::During => verifier.job.contents(),
            _ => self.job.contents(),
        }
    }
}

impl<'a> ChunkJob<'a> for Chunk<'a> {
    fn again(&mut self) -> bool {
        let is_compressed =
            !matches!(&self.verifier, Some(verifier) if verifier.stage == Stage::During);
        if is_compressed {
            self.overflows += u64::from(self.job.attempts().saturating_sub(1));
            self.fell_back = self.fell_back.or(self.job.fell_back());
        }
        match &mut self.verifier {
            Some(verifier) if is_compressed => {
                let compressed = self.job.succeeded();
                if compressed {
                    verifier.begin(&mut self.job);
                }
                compressed
            }
            Some(verifier) => {
                let found = verifier.compare(bytes(&self.job));
                match (found, self.session.falls_back_to()) {
                    (Stage::Wrong(_), Some(other)) if self.fell_back.is_none() => {
                        self.fell_back = Some(JobError::Device(DeviceFault::Corrupted));
                        self.job.set_session(other);
                        verifier.stage = Stage::Before;
                        true
                    }
                    _ => {
                        verifier.stage = found;
                        false
                    }
                }
            }
            None => false,
        }
    }
}

impl<'a> Verifier<'a> {
    /// Takes over what a job has compressed.
    fn begin(&mut self, compressed: &mut Job<'a>) {
        let room = bytes(compressed).len() + EXCESS;
        let mut stream = compressed.take_output();
        stream.extend_from_slice(self.end);
        replace(&mut self.job, Bytes::Owned(stream));
        self.job.set_room(Some(room));
        self.job.set_limit(room as u64);
        self.stage = Stage::During;
    }

    fn compare(&self, input: &[u8]) -> Stage {
        match self.job.status() {
            Some(Err(error)) => Stage::Wrong(Mismatch::Failed(error)),
            _ if self.job.output() != Some(input) => Stage::Wrong(Mismatch::Bytes),
            _ if self.job.consumed() != bytes(&self.job).len() => Stage::Wrong(Mismatch::Bytes),
            _ => Stage::Right,
        }
    }
}

/// Gives a job other data to read, and takes those that it had.
fn replace<'a>(job: &mut Job<'a>, data: Bytes<'a>) -> Bytes<'a> {
    match job.set_data(data) {
        Data::Read(bytes) => bytes,
        // There are no others here.
        _ => Bytes::EMPTY,
    }
}

/// The data that a job reads.
fn bytes<'j>(job: &'j Job<'_>) -> &'j [u8] {
    match job.data() {
        Data::Read(bytes) => bytes.as_slice(),
        // There are no others here.
        _ => &[],
    }
}
