//! The engine's job that stands for a caller's, and is used again for the next one.

use std::ptr;
use std::time::{Duration, Instant};

use broadloom::data::{Buffer, Bytes, Data};
use broadloom::queue::{Contents, Handle};
use broadloom::{Algorithm, Direction, Job, JobError};
use zeroize::Zeroize;

use crate::fault::{Fault, bytes, check_size, structure};
use crate::job::{
    BL_HAS_BITS, BL_HAS_CIPHER_RANGE, BL_HAS_DESTINATION_PIECES, BL_HAS_LIMIT, BL_HAS_MAC_RANGE,
    BL_HAS_TAG_AT, BL_HAS_WAIT, bl_extras, bl_job, bl_range,
};
use crate::lend::{has_pieces, lend, overlap, pieces};
use crate::session::{Shape, bl_session};
use crate::status::{self, BL_E_ROOM, BL_E_TAG_LENGTH, BL_OK, BL_PENDING, bl_status};

/// Output buffers of up to so many bytes are kept for the next job.
const KEPT: usize = 1 << 20;

/// A job of the engine that stands for a caller's.
// In this order: the job begins with what is asked of every job. Aligned: three lines of the cache
// have all of it.
#[repr(C, align(64))]
pub(crate) struct Shell {
    /// The caller's job, from [`load`](Shell::load) to [`store`](Shell::store).
    caller: *mut bl_job,
    shape: Shape,
    /// What the next job may have to take back.
    has_nonce: bool,
    has_associated: bool,
    has_tag: bool,
    has_extras: bool,
    has_limit: bool,
    job: Job<'static>,
}

/// A box moves faster through a queue pair than a shell does.
pub(crate) type Boxed = Box<Shell>;

// SAFETY: the pointer to the caller's job is its only part that is not `Send`. From load to store
// the caller lends the job, and all that it points to, to the library, on whatever thread.
unsafe impl Send for Shell {}

impl Handle<'static> for Shell {
    #[inline(always)]
    fn contents(&mut self) -> &mut Contents<'static> {
        self.job.contents()
    }
}

impl Shell {
    /// One that stands for a caller's job.
    ///
    /// # Safety
    /// As [`load`](Shell::load).
    #[cold]
    pub(crate) unsafe fn new(
        caller: *mut bl_job,
        session: Option<&'static bl_session>,
    ) -> Result<Shell, Fault> {
        // SAFETY: the condition *jobs* holds.
        let session = unsafe { session_of(&*caller, session) }?;
        let mut shell = Shell {
            job: Job::new(&session.session, Bytes::EMPTY.as_slice()),
            shape: session.shape,
            caller,
            has_nonce: false,
            has_associated: false,
            has_tag: false,
            has_extras: false,
            has_limit: false,
        };
        // SAFETY: the condition *jobs* holds.
        unsafe { shell.load(caller, Some(session)) }.map(|()| shell)
    }

    /// Makes it stand for a caller's job; `session` takes the place of the job's own, which is null
    /// then. Where the job cannot be, nothing of it is kept.
    ///
    /// # Safety
    /// The [condition](crate#what-c-vouches-for) *jobs* holds: the job, its session and all that it
    /// points to are lent to the library until [`store`](Shell::store). So the lifetime `'static`
    /// of what the shell borrows is true for as long as anyone uses it: after `store`, nothing of
    /// the session and of the data is read before `load` replaces it.
    #[inline(always)]
    pub(crate) unsafe fn load(
        &mut self,
        caller: *mut bl_job,
        session: Option<&'static bl_session>,
    ) -> Result<(), Fault> {
        // SAFETY: the condition *jobs* holds.
        let outcome = unsafe { self.fill(&*caller, session) };
        if outcome.is_err() {
            self.forget();
            return outcome;
        }
        self.caller = caller;
        // SAFETY: the condition *jobs* holds, and `fill` has checked the size of the job.
        unsafe { (*caller).status = BL_PENDING };
        Ok(())
    }

    /// Takes over what a caller's job says.
    ///
    /// # Safety
    /// As [`load`](Shell::load).
    #[inline(always)]
    unsafe fn fill(
        &mut self,
        given: &bl_job,
        session: Option<&'static bl_session>,
    ) -> Result<(), Fault> {
        // SAFETY: the job's session is an open object, by the condition *jobs*.
        let session = unsafe { session_of(given, session) }?;
        self.shape = session.shape;
        self.job.set_session(&session.session);
        if given.nonce_len != 0 || self.has_nonce {
            if given.nonce_len > session.nonce_max {
                return Err(nonce_too_long(given, session));
            }
            // SAFETY: the nonce is lent with the job: the condition *jobs*.
            self.job.set_nonce(unsafe { bytes(given.nonce, given.nonce_len, "nonce") }?);
            self.has_nonce = given.nonce_len != 0;
        }
        // SAFETY: the tag, its room and the extras are lent with the job: the condition *jobs*.
        unsafe {
            match session.shape {
                Shape::Makes(tag_len) => check_tag_room(given, tag_len)?,
                Shape::Plain => {}
                _ => return self.fill_rest(given),
            }
            if !given.extras.is_null() || self.has_more() {
                return self.fill_rest(given);
            }
            if given.associated_len != 0 || self.has_associated {
                self.load_associated(given, false)?;
            }
            lend(self.job.data_mut(), given, Shape::Plain)
        }
    }

    /// Returns `true` if the job has what few jobs have: a tag to check, or extras.
    #[inline(always)]
    fn has_more(&self) -> bool {
        self.has_tag | self.has_extras
    }

    /// Takes over the rest of what few jobs have, or takes back that of an earlier job: a tag to
    /// check, and extras.
    ///
    /// # Safety
    /// As [`load`](Shell::load).
    #[inline(never)]
    unsafe fn fill_rest(&mut self, given: &bl_job) -> Result<(), Fault> {
        // SAFETY: the tag and the extras are lent with the job: the condition *jobs*.
        unsafe {
            self.load_tag(given)?;
            if !given.extras.is_null() || self.has_extras {
                self.load_extras(given)?;
            }
            let has_pieces = self.has_extras && has_pieces(given);
            if given.associated_len != 0 || (self.has_associated && self.shape != Shape::Verifies) {
                self.load_associated(given, has_pieces)?;
            }
            let data = self.job.data_mut();
            if has_pieces {
                *data = pieces(given, self.shape)?;
                Ok(())
            } else {
                lend(data, given, self.shape)
            }
        }
    }

    /// Takes over the tag or the signature to check, or takes back that of an earlier job.
    ///
    /// # Safety
    /// As [`load`](Shell::load).
    unsafe fn load_tag(&mut self, given: &bl_job) -> Result<(), Fault> {
        if self.has_tag {
            self.job.set_expected_tag(&[]);
            self.has_tag = false;
        }
        // SAFETY: the tag is lent with the job: the condition *jobs*.
        unsafe {
            match self.shape {
                Shape::Makes(_) | Shape::Plain | Shape::Output | Shape::Signs => {}
                Shape::Checks => {
                    self.job.set_expected_tag(bytes(given.tag, given.tag_len, "tag")?);
                    self.has_tag = true;
                }
                Shape::Verifies => {
                    self.job.set_signature(bytes(given.tag, given.tag_len, "signature")?);
                    self.has_associated = true;
                }
            }
        }
        Ok(())
    }

    /// Forgets what was borrowed. The caller's job is the caller's again, and has no result.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        match self.job.data_mut() {
            Data::Read(Bytes::Borrowed(bytes)) => *bytes = &[],
            Data::InPlace(Buffer::Borrowed(bytes)) => *bytes = &mut [],
            other => *other = Data::Read(Bytes::EMPTY),
        }
        if self.has_associated {
            self.job.set_associated(Bytes::EMPTY);
            self.has_associated = false;
        }
    }

    /// # Safety
    /// As [`load`](Shell::load).
    #[inline]
    unsafe fn load_associated(&mut self, given: &bl_job, has_pieces: bool) -> Result<(), Fault> {
        // SAFETY: the associated data are lent with the job: the condition *jobs*.
        let associated =
            unsafe { bytes(given.associated, given.associated_len, "associated data") }?;
        if self.shape == Shape::Verifies {
            return Err(Fault::argument("a check of signatures takes no associated data"));
        }
        let (start, len) = (given.associated.addr(), given.associated_len);
        if !has_pieces && overlap(start, len, given.destination.addr(), given.len) {
            return Err(Fault::argument("the associated data overlap the destination"));
        }
        self.job.set_associated(associated);
        self.has_associated = len != 0;
        Ok(())
    }

    /// # Safety
    /// As [`load`](Shell::load).
    unsafe fn load_extras(&mut self, given: &bl_job) -> Result<(), Fault> {
        const ALL: u32 = 2 * BL_HAS_DESTINATION_PIECES - 1;
        let none;
        let extras = match given.extras.is_null() {
            // SAFETY: the extras are lent with the job: the condition *jobs*.
            false => unsafe { structure(given.extras, "bl_extras") }?,
            true => {
                none = NO_EXTRAS;
                &none
            }
        };
        if extras.has & !ALL != 0 {
            let has = extras.has;
            let text = format!("bl_extras.has is {has:#x}; valid: BL_HAS_..., or-ed");
            return Err(Fault::argument(text));
        }
        let has = |what: u32| extras.has & what != 0;
        let decompresses = self.job.session().direction() == Direction::Decompress;
        if has(BL_HAS_LIMIT) && !decompresses {
            return Err(Fault::argument("BL_HAS_LIMIT is for decompressions alone"));
        }
        let range = |range: bl_range| range.start..range.end;
        self.job.set_cipher_range(has(BL_HAS_CIPHER_RANGE).then(|| range(extras.cipher)));
        self.job.set_mac_range(has(BL_HAS_MAC_RANGE).then(|| range(extras.mac)));
        self.job.set_tag_at(has(BL_HAS_TAG_AT).then_some(extras.tag_at));
        self.job.set_bits(has(BL_HAS_BITS).then_some(extras.bits));
        let wait = has(BL_HAS_WAIT).then(|| Duration::from_nanos(extras.wait_ns));
        self.job.set_deadline(wait.and_then(|wait| Instant::now().checked_add(wait)));
        if has(BL_HAS_LIMIT) || self.has_limit {
            self.job.set_limit(if has(BL_HAS_LIMIT) { extras.limit } else { u64::MAX });
            self.has_limit = has(BL_HAS_LIMIT);
        }
        self.has_extras = !given.extras.is_null();
        Ok(())
    }

    /// Writes into the caller's job how it went, takes back what the caller lent, and gives the
    /// caller's job.
    ///
    /// # Safety
    /// The caller's job of the last [`load`](Shell::load) has not been given back yet.
    #[inline(always)]
    pub(crate) unsafe fn store(&mut self) -> *mut bl_job {
        // SAFETY: the caller lent the job until now.
        let given = unsafe { &mut *self.caller };
        match self.shape {
            // A tag that was made says that the job has succeeded.
            Shape::Makes(tag_len) => match self.job.tag() {
                Some(tag) => {
                    given.status = BL_OK;
                    given.produced = usize::from(tag_len);
                    if !given.tag.is_null() {
                        // SAFETY: there is room for a tag, which load has checked.
                        unsafe { copy_tag(&tag[..usize::from(tag_len)], given.tag) };
                    }
                }
                None => given.status = self.failure(),
            },
            // SAFETY: the caller lent the places of the output until now.
            Shape::Output | Shape::Signs => unsafe { self.store_output(given) },
            _ if self.job.succeeded() => given.status = BL_OK,
            _ => given.status = self.failure(),
        }
        // What is borrowed in one piece costs less to leave than to take out.
        if self.has_more() {
            self.forget();
        }
        self.caller
    }

    /// The status of a job that did not succeed.
    #[cold]
    fn failure(&self) -> bl_status {
        let error = self.job.status().and_then(Result::err);
        error.map_or(status::BL_E_CANCELLED, status::of)
    }

    /// Copies what a job made on its own to where the caller wants it.
    ///
    /// # Safety
    /// The places of the output are lent to the library.
    #[cold]
    unsafe fn store_output(&mut self, given: &mut bl_job) {
        if !self.job.succeeded() {
            given.status = self.failure();
            return;
        }
        given.status = BL_OK;
        given.consumed = self.job.consumed();
        given.checksum = self.job.checksum().unwrap_or_default();
        let is_secret = matches!(self.job.session().algorithm(), Algorithm::PublicKey(_));
        let mut output = self.job.take_output();
        given.produced = output.len();
        let (place, room) = match self.shape {
            Shape::Signs => (given.tag, given.tag_len),
            _ => (given.destination, given.room),
        };
        if output.len() > room || (place.is_null() && !output.is_empty()) {
            given.status = BL_E_ROOM;
        } else if !output.is_empty() {
            // SAFETY: the caller lent so much room, and the output is a vector of ours.
            unsafe { ptr::copy_nonoverlapping(output.as_ptr(), place, output.len()) };
        }
        if is_secret {
            output.zeroize();
        } else if output.capacity() <= KEPT {
            self.job.set_output_buffer(output);
        }
    }

    /// Why the job failed, in words.
    pub(crate) fn words(&self) -> Option<String> {
        self.job.status()?.err().map(|error| error.to_string())
    }
}

const NO_EXTRAS: bl_extras = bl_extras {
    size: size_of::<bl_extras>(),
    has: 0,
    cipher: bl_range { start: 0, end: 0 },
    mac: bl_range { start: 0, end: 0 },
    tag_at: 0,
    bits: 0,
    limit: 0,
    wait_ns: 0,
    source_pieces: ptr::null(),
    source_count: 0,
    destination_pieces: ptr::null(),
    destination_count: 0,
};

/// The session of a job.
///
/// # Safety
/// The job's session is null, or open until the job has come back.
#[inline]
unsafe fn session_of(
    given: &bl_job,
    session: Option<&'static bl_session>,
) -> Result<&'static bl_session, Fault> {
    check_size::<bl_job>(given.size, "bl_job")?;
    // SAFETY: it is null or an open session, by the contract.
    match (session, unsafe { given.session.as_ref() }) {
        (None, Some(own)) => Ok(own),
        (Some(session), None) => Ok(session),
        (Some(session), Some(own)) if ptr::eq(session, own) => Ok(session),
        (None, None) => Err(Fault::argument("the session of the job is a null pointer")),
        (Some(_), Some(_)) => Err(Fault::argument(
            "the job has a session, and this function opens one on its own; right is a null \
             pointer",
        )),
    }
}

/// Why a nonce is not even read.
#[cold]
fn nonce_too_long(given: &bl_job, session: &bl_session) -> Fault {
    let valid = session.session.algorithm().nonce_lens();
    let error = JobError::NonceLength { len: given.nonce_len, valid };
    Fault::new(status::of(error), error)
}

#[inline(always)]
fn check_tag_room(given: &bl_job, tag_len: u8) -> Result<(), Fault> {
    if given.tag.is_null() || given.tag_len >= usize::from(tag_len) {
        return Ok(());
    }
    Err(no_tag_room(given.tag_len, tag_len))
}

#[cold]
fn no_tag_room(room: usize, tag_len: u8) -> Fault {
    let text = format!("the tag has {tag_len} bytes, and there is room for {room}");
    Fault::new(BL_E_TAG_LENGTH, text)
}

/// Copies a tag. The usual lengths take two copies of one length, which may overlap: a call of
/// `memcpy` takes longer than all else that is done for a tag.
///
/// # Safety
/// There is room for the tag at `place`, which is apart from it.
#[inline(always)]
unsafe fn copy_tag(tag: &[u8], place: *mut u8) {
    let ends = |len: usize| (tag.as_ptr(), place, tag.len() - len);
    // SAFETY: the place has room for the tag, by the contract, and each copy is within the tag.
    unsafe {
        match tag.len() {
            16..=32 => {
                let (from, to, end) = ends(16);
                to.cast::<[u8; 16]>().write(from.cast::<[u8; 16]>().read());
                to.add(end).cast::<[u8; 16]>().write(from.add(end).cast::<[u8; 16]>().read());
            }
            8..16 => {
                let (from, to, end) = ends(8);
                to.cast::<[u8; 8]>().write(from.cast::<[u8; 8]>().read());
                to.add(end).cast::<[u8; 8]>().write(from.add(end).cast::<[u8; 8]>().read());
            }
            len => ptr::copy_nonoverlapping(tag.as_ptr(), place, len),
        }
    }
}
