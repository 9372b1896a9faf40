//! Texts that are encrypted and decrypted: at once, or in lanes with the texts of other jobs.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::{mem, ptr, slice};

use broadloom::algorithm::MAX_TAG;
use broadloom::error::JobError;
use broadloom::queue::PlainJob;
use broadloom::{Data, Job, Processor, Session};

use super::{Ticket, line, lock};
use crate::stack::with_room;

/// What a text is processed with.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The key, with the algorithm.
    pub session: &'a Session,
    /// The nonce; empty where there is none.
    pub nonce: &'a [u8],
    /// The associated data of an AEAD.
    pub associated: &'a [u8],
    /// The tag to check.
    pub expected: Option<&'a [u8]>,
}

/// The tag that was made, or zeros where none was.
pub type Tag = [u8; MAX_TAG];

/// Where a text is, and where it goes: to another place, or to the same one.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    source: *const u8,
    out: *mut u8,
    len: usize,
    bytes: PhantomData<&'a mut [u8]>,
}

impl<'a> Place<'a> {
    /// From `source` to `out`, so many bytes; `None` where the places overlap in part.
    ///
    /// # Safety
    /// The bytes are there for the lifetime, and nobody else uses `out` while they are processed.
    pub unsafe fn new(source: *const u8, out: *mut u8, len: usize) -> Option<Place<'a>> {
        let place = Place { source, out, len, bytes: PhantomData };
        (source.addr() == out.addr() || place.is_apart()).then_some(place)
    }

    fn is_apart(&self) -> bool {
        let (from, to) = (self.source.addr(), self.out.addr());
        from + self.len <= to || to + self.len <= from
    }

    /// The text at the place where it goes, for work in place; `None` if a copy of it to there
    /// would cost more than that work saves.
    fn in_place(self) -> Option<&'a mut [u8]> {
        let is_apart = self.is_apart();
        if is_apart && self.len > MOST_COPIED {
            return None;
        }
        // SAFETY: `new` has the caller's word; the places are one, or apart.
        unsafe {
            if is_apart {
                ptr::copy_nonoverlapping(self.source, self.out, self.len);
            }
            Some(slice::from_raw_parts_mut(self.out, self.len))
        }
    }

    fn data(self) -> Data<'a> {
        // SAFETY: `new` has the caller's word; the places are one, or apart.
        unsafe {
            let out = slice::from_raw_parts_mut(self.out, self.len);
            match self.is_apart() {
                true => Data::from((slice::from_raw_parts(self.source, self.len), out)),
                false => Data::from(out),
            }
        }
    }
}

type Request = Job<'static, Arc<Ticket<Result<Tag, JobError>>>>;

/// The texts that wait, and the way to the lanes.
#[derive(Default)]
pub(super) struct Texts {
    processor: Processor,
    waiting: Vec<Request>,
}

/// So many texts fill the lanes of every instruction set.
const BATCH: usize = 16;

impl Texts {
    fn run(&mut self) {
        self.processor.process_many(&mut self.waiting);
        for job in self.waiting.drain(..) {
            let outcome = outcome(&job);
            // The bytes belong to the job again before it is told.
            let ticket = job.into_parts().1;
            ticket.complete(outcome);
        }
    }
}

fn outcome<T>(job: &Job<'_, T>) -> Result<Tag, JobError> {
    job.status().unwrap_or(Err(JobError::NotDone))?;
    let mut tag = [0; MAX_TAG];
    let made = job.tag().unwrap_or_default();
    tag[..made.len()].copy_from_slice(made);
    Ok(tag)
}

fn job<'a>(session: &'a Session, text: &Text<'a>, place: Place<'a>) -> Job<'a> {
    let mut job = Job::new(session, place.data());
    if !text.nonce.is_empty() {
        job.set_nonce(text.nonce);
    }
    if !text.associated.is_empty() {
        job.set_associated(text.associated);
    }
    if let Some(expected) = text.expected {
        job.set_expected_tag(expected);
    }
    job
}

thread_local! {
    /// What processes texts that are alone.
    static LONE: RefCell<Processor> = RefCell::default();
}

/// Bytes of the longest text that is copied to where it goes, so that the engine takes its short
/// way for texts in place.
const MOST_COPIED: usize = 4096;

/// Processes a text, at once.
///
/// # Errors
/// Those of the engine: above all a tag that is wrong.
pub fn process(text: &Text<'_>, place: Place<'_>) -> Result<Tag, JobError> {
    with_room(|| {
        LONE.with_borrow_mut(|processor| match place.in_place() {
            Some(data) => process_in_place(processor, text, data),
            None => {
                let mut jobs = [job(text.session, text, place)];
                processor.process_many(&mut jobs);
                outcome(&jobs[0])
            }
        })
    })
}

/// Processes a text in place.
fn process_in_place(
    processor: &mut Processor,
    &Text { session, nonce, associated, expected }: &Text<'_>,
    data: &mut [u8],
) -> Result<Tag, JobError> {
    let mut tag = [0; MAX_TAG];
    let len = session.tag_len();
    if let Some(expected) = expected {
        tag[..len].copy_from_slice(expected);
    }
    let mut jobs = [PlainJob::new(session, nonce, associated, data, &mut tag[..len])];
    processor.process_plain(&mut jobs);
    jobs[0].status().unwrap_or(Err(JobError::NotDone))?;
    Ok(tag)
}

/// Processes a text, inside a job with the texts of other jobs.
///
/// # Errors
/// As [`process`].
pub fn process_beside(text: &Text<'_>, place: Place<'_>) -> Result<Tag, JobError> {
    let ticket = Ticket::new();
    let request = job(text.session, text, place).user(ticket.clone());
    // SAFETY: this function returns only when the ticket is complete, and before that the line
    // drops the job. Until then the caller's frames are in a fibre that is paused.
    let request = unsafe { mem::transmute::<Job<'_, _>, Request>(request) };
    let line = with_room(|| {
        let line = line();
        let mut locked = lock(&line);
        locked.texts.waiting.push(request);
        if locked.texts.waiting.len() >= BATCH {
            locked.texts.run();
        }
        drop(locked);
        line
    });
    ticket.wait(&line, |line| line.texts.run())
}
