//! Slots: memory that driver and device share, for one request at a time.
//!
//! The generation of a slot tells a late response from a current one: the driver may have given its
//! request up.

use std::sync::{MutexGuard, PoisonError};

use broadloom_engine::{Buffer, Bytes, Contents, Data, Handle, Job, JobError, MAX_TAG};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use zeroize::Zeroize;

use crate::faults::Fate;
use crate::session::{DeviceSession, Inner, Kind};

/// A request's memory, on cache lines of its own. The driver has it until the doorbell rings, and
/// again after the response.
#[repr(align(64))]
pub(crate) struct Slot {
    /// Which use of the slot this is. What the device finds with another is no longer wanted.
    pub generation: u32,
    pub fate: Fate,
    /// Bytes of room for the output of a compression or a decompression.
    pub room: usize,
    /// The session and the job with it; none until the first request.
    work: Option<SlotJob>,
    /// The memory of the job's input, while the job has what was lent instead.
    pinned: Option<Vec<u8>>,
    /// The original of lent data that are overwritten.
    kept: Vec<u8>,
    /// The output, where the job has it not.
    output: Option<Output>,
    /// Memory of an output that was not the job's own.
    spare: Vec<u8>,
    pub result: Outcome,
}

/// An output outside of the job.
enum Output {
    /// The job made it.
    Taken(Vec<u8>),
    /// It was made otherwise.
    Own(Vec<u8>),
}

struct SlotJob {
    session: DeviceSession,
    job: Job<'static>,
}

/// The result of a request.
pub(crate) struct Outcome {
    pub status: Result<(), JobError>,
    pub tag: [u8; MAX_TAG],
    pub tag_len: usize,
    pub consumed: usize,
    pub checksum: Option<u32>,
    /// There was too little room.
    pub full: bool,
    /// A checksum of the output and the tag, from before they were sent.
    pub integrity: u64,
}

impl Slot {
    pub(crate) fn new() -> Self {
        Slot {
            generation: 0,
            fate: Fate::GOOD,
            room: 0,
            work: None,
            pinned: None,
            kept: Vec::new(),
            output: None,
            spare: Vec::new(),
            result: Outcome {
                status: Err(JobError::NotDone),
                tag: [0; MAX_TAG],
                tag_len: 0,
                consumed: 0,
                checksum: None,
                full: false,
                integrity: 0,
            },
        }
    }

    /// Makes it ready for a request of a session, and gives the job and the memory for its input,
    /// empty.
    #[inline]
    pub(crate) fn begin(&mut self, session: &DeviceSession) -> &mut Job<'static> {
        match &mut self.work {
            Some(work) if std::sync::Arc::ptr_eq(&work.session.0, &session.0) => {}
            Some(work) => {
                work.job.set_session(session.0.work.clone());
                work.session = session.clone();
                // The job may have parameters for another session that this session does not take.
                work.job.set_nonce(&[]);
                work.job.set_bits(None);
                work.job.set_associated(Bytes::EMPTY);
                work.job.set_expected_tag(&[]);
            }
            none => {
                let job = Job::new(session.0.work.clone(), Vec::new());
                *none = Some(SlotJob { session: session.clone(), job });
            }
        }
        self.job()
    }

    /// The session of the request.
    #[inline]
    pub(crate) fn session(&self) -> &Inner {
        &self.expect_work().session.0
    }

    /// The job of the request.
    #[inline]
    pub(crate) fn job(&mut self) -> &mut Job<'static> {
        match &mut self.work {
            Some(work) => &mut work.job,
            None => unreachable!("a slot that is used has a job"),
        }
    }

    #[inline]
    fn expect_work(&self) -> &SlotJob {
        self.work.as_ref().expect("a slot that is used has a job")
    }

    /// The memory for the job's input, emptied.
    #[inline]
    pub(crate) fn input(&mut self) -> &mut Vec<u8> {
        match self.job().data_mut() {
            Data::InPlace(Buffer::Owned(bytes)) => {
                bytes.clear();
                bytes
            }
            _ => unreachable!("what was lent is given back"),
        }
    }

    /// Has the job work on what was lent.
    pub(crate) fn borrow(&mut self, lent: Data<'static>) {
        if let Data::InPlace(Buffer::Owned(bytes)) = self.job().set_data(lent) {
            self.pinned = Some(bytes);
        }
    }

    pub(crate) fn has_borrowed(&self) -> bool {
        self.pinned.is_some()
    }

    /// The input in one piece; none where it is in several.
    #[inline]
    pub(crate) fn text(&self) -> Option<&[u8]> {
        match self.expect_work().job.data() {
            Data::Read(bytes) => Some(bytes.as_slice()),
            Data::InPlace(buffer) => Some(buffer.as_slice()),
            Data::OutOfPlace { source, .. } => Some(source.as_slice()),
            Data::Scattered(_) => None,
        }
    }

    /// Bytes of the input.
    #[inline]
    pub(crate) fn input_len(&self) -> usize {
        self.expect_work().job.data().len()
    }

    /// The input in the pieces in which it is.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.expect_work().job.data().input_pieces()
    }

    /// Keeps what was lent and is to be written over, so that it can be given back as it was.
    pub(crate) fn keep(&mut self) {
        if self.has_borrowed()
            && self.session().kind.writes()
            && let Some(work) = &self.work
            && let Data::InPlace(buffer) = work.job.data()
        {
            self.kept.clear();
            self.kept.extend_from_slice(buffer.as_slice());
        }
    }

    /// Takes back what was lent; where the request has failed, as it was.
    pub(crate) fn give_back(&mut self, failed: bool) -> Option<Data<'static>> {
        let pinned = self.pinned.take()?;
        let mut lent = self.job().set_data(pinned);
        if failed
            && let Data::InPlace(buffer) = &mut lent
            && buffer.as_slice().len() == self.kept.len()
        {
            buffer.as_mut_slice().copy_from_slice(&self.kept);
        }
        self.kept.as_mut_slice().zeroize();
        self.kept.clear();
        Some(lent)
    }

    /// The output and the tag of a successful request.
    #[inline]
    pub(crate) fn made(&self) -> (&[u8], &[u8]) {
        let SlotJob { session, job } = self.expect_work();
        let output = match (session.0.kind, &self.output) {
            (Kind::Tag | Kind::Verify, _) => &[],
            (_, Some(Output::Taken(output) | Output::Own(output))) => output.as_slice(),
            (kind, None) if kind.makes() && self.result.full => &[],
            (kind, None) if kind.makes() => job.output().unwrap_or_default(),
            (_, None) => job.data().output().unwrap_or_default(),
        };
        (output, &self.result.tag[..self.result.tag_len])
    }

    /// A checksum of what was made.
    #[inline]
    pub(crate) fn integrity(&self) -> u64 {
        let (output, tag) = self.made();
        match output.is_empty() {
            true => xxh3_64(tag),
            false => xxh3_64_with_seed(output, xxh3_64(tag)),
        }
    }

    /// The memory of what was made, to be damaged: the output, and the tag.
    pub(crate) fn made_mut(&mut self) -> (Option<&mut [u8]>, &mut [u8]) {
        let Slot { work, output, result, .. } = self;
        let Some(SlotJob { session, job }) = work else { return (None, &mut []) };
        let made = match session.0.kind {
            Kind::Tag | Kind::Verify => None,
            kind if kind.makes() => {
                if output.is_none() && !result.full {
                    *output = Some(Output::Taken(job.take_output()));
                }
                output
                    .as_mut()
                    .map(|(Output::Taken(output) | Output::Own(output))| output.as_mut_slice())
            }
            _ => match job.data_mut() {
                Data::InPlace(buffer) | Data::OutOfPlace { destination: buffer, .. } => {
                    Some(buffer.as_mut_slice())
                }
                _ => None,
            },
        };
        (made, &mut result.tag[..result.tag_len])
    }

    /// Makes it ready for its next request.
    #[inline]
    pub(crate) fn end(&mut self) {
        match self.output.take() {
            None => {}
            Some(Output::Taken(output)) => self.job().set_output_buffer(output),
            Some(Output::Own(output)) => self.spare = output,
        }
    }

    /// Takes the output from the job, which is about to forget it.
    pub(crate) fn take_output(&mut self) {
        if self.output.is_none() && !self.result.full {
            self.output = Some(Output::Taken(self.job().take_output()));
        }
    }

    /// Gives it an output that the job did not make.
    pub(crate) fn set_output(&mut self, output: &[u8]) {
        let mut own = std::mem::take(&mut self.spare);
        own.clear();
        own.extend_from_slice(output);
        self.output = Some(Output::Own(own));
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.kept.zeroize();
        self.pinned.zeroize();
        if let Some(SlotJob { job, .. }) = &mut self.work {
            if let Data::InPlace(buffer) = job.data_mut() {
                buffer.as_mut_slice().zeroize();
            }
            if let Bytes::Owned(bytes) = job.associated_mut() {
                bytes.zeroize();
            }
        }
    }
}

/// A slot that the device works on.
pub(crate) struct Taken<'s> {
    pub slot: MutexGuard<'s, Slot>,
    pub descriptor: crate::ring::Descriptor,
    /// The result is complete.
    pub done: bool,
}

impl Handle<'static> for Taken<'_> {
    #[inline(always)]
    fn contents(&mut self) -> &mut Contents<'static> {
        self.slot.job().contents()
    }
}

/// Locks a slot. What a thread that panicked has left there is used no more than any other slot's
/// contents: a request begins with all that it needs.
#[inline]
pub(crate) fn lock(slot: &std::sync::Mutex<Slot>) -> MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
