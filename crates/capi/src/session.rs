//! Sessions.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use broadloom::error::SpecError;
use broadloom::provider::Provider;
use broadloom::{Algorithm, Direction, Registry, Session, Transform};

use crate::fault::{Fault, object, optional_text, put, report, structure};
use crate::status::{BL_E_PROVIDER, bl_status};
use crate::transform::bl_transform;

/// A transform opened at a provider, its keys expanded.
// Aligned: what each job reads is in one line of the cache.
#[repr(align(64))]
pub struct bl_session {
    pub(crate) session: Session,
    pub(crate) shape: Shape,
    /// The longest nonce: more bytes are not looked at.
    pub(crate) nonce_max: usize,
    provider: CString,
    kernel: CString,
}

/// What a job's `tag` and `destination` are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A digest or a tag is made, and perhaps ciphertext; the tag's length in bytes.
    Makes(u8),
    /// A tag is checked.
    Checks,
    /// No tag: a cipher.
    Plain,
    /// A compression, or an encryption or an agreement with a key pair: the output is the job's.
    Output,
    /// A signature is made.
    Signs,
    /// A signature is checked.
    Verifies,
}

/// Every provider of this build, and the emulated device that the framework calls "qat". No library
/// is loaded before it is asked for.
pub(crate) static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = broadloom::registry();
    registry.add_factory(broadloom_emulated::factory());
    registry
});

impl bl_session {
    pub(crate) fn new(session: Session) -> bl_session {
        let is_public_key = matches!(session.algorithm(), Algorithm::PublicKey(_));
        let shape = match (session.direction(), session.tag_len()) {
            (Direction::Sign, _) => Shape::Signs,
            (Direction::Verify, _) if is_public_key => Shape::Verifies,
            (Direction::Compress | Direction::Decompress | Direction::Agree, _) => Shape::Output,
            _ if is_public_key => Shape::Output,
            (_, 0) => Shape::Plain,
            (direction, _) if direction.checks() => Shape::Checks,
            (_, tag_len) => Shape::Makes(tag_len as u8),
        };
        let words = |text: &str| CString::new(text).expect("names have no zero byte");
        let (provider, kernel) = (words(session.provider()), words(&session.kernel()));
        let nonce_max = session.algorithm().nonce_lens().max();
        bl_session { session, shape, nonce_max, provider, kernel }
    }
}

/// Opens a session at the provider that is named, or at the first that can.
pub(crate) fn open_at(provider: Option<&str>, transform: &Transform) -> Result<Session, Fault> {
    let none = |error: &dyn std::fmt::Display| Fault::new(BL_E_PROVIDER, error);
    match provider {
        None => REGISTRY.open(transform).map_err(|error| none(&error)),
        Some(name) if !name.contains(':') => {
            REGISTRY.open_at(name, transform).map_err(|error| none(&error))
        }
        Some(text) => {
            let provider = with_options(text).map_err(|error| none(&error))?;
            Session::open(provider, transform).map_err(|error| none(&error))
        }
    }
}

/// A provider with options, which is opened once for all sessions that name it so: whatever
/// processes jobs keeps a queue at each provider that it has met.
fn with_options(text: &str) -> Result<Arc<dyn Provider>, SpecError> {
    static OPENED: Mutex<BTreeMap<String, Arc<dyn Provider>>> = Mutex::new(BTreeMap::new());
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(provider) = opened.get(text) {
        return Ok(Arc::clone(provider));
    }
    let provider = REGISTRY.open_provider(&REGISTRY.parse(text)?)?;
    opened.insert(text.to_owned(), Arc::clone(&provider));
    Ok(provider)
}

/// Opens the session of a transform. The keys are copied; the caller may wipe its own.
///
/// `session`: out: the session; unchanged where the call fails.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_session_open(
    transform: *const bl_transform,
    session: *mut *mut bl_session,
) -> bl_status {
    // SAFETY: the conditions *structures*, *texts*, *bytes* and *places* hold.
    report(unsafe { open(transform).and_then(|opened| hand_out(opened, session, "session")) })
}

/// Opens the session of a transform.
///
/// # Safety
/// The [condition](crate#what-c-vouches-for) *structures* holds, and *texts* and *bytes* for the
/// members.
unsafe fn open(transform: *const bl_transform) -> Result<bl_session, Fault> {
    // SAFETY: the conditions *structures*, *texts* and *bytes* hold.
    let (transform, provider) = unsafe {
        let given = structure(transform, "bl_transform")?;
        (given.read()?, optional_text(given.provider, "provider")?)
    };
    Ok(bl_session::new(open_at(provider, &transform)?))
}

/// Gives the caller an object, which its `close` takes back.
///
/// # Safety
/// The place is null, or a pointer can be written there.
pub(crate) unsafe fn hand_out<T>(object: T, place: *mut *mut T, name: &str) -> Result<(), Fault> {
    let object = Box::into_raw(Box::new(object));
    // SAFETY: the place is null or a pointer can be written there, by the contract.
    unsafe { put(place, name, object) }.inspect_err(|_| {
        // SAFETY: it was a box a moment ago, and nobody else knows of it.
        drop(unsafe { Box::from_raw(object) });
    })
}

/// Takes an object back, unless it is null.
///
/// # Safety
/// It is null, or was [handed out](hand_out) and not taken back, and nobody uses it.
pub(crate) unsafe fn take_back<T>(object: *mut T) -> Option<Box<T>> {
    // SAFETY: it is not null, so that it was made by `hand_out` and nobody uses it, by the
    // contract.
    (!object.is_null()).then(|| unsafe { Box::from_raw(object) })
}

/// Closes a session and wipes its keys. Null is allowed. All its jobs must have come back before.
///
/// Threads: one; no other uses the session any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_session_close(session: *mut bl_session) {
    // SAFETY: the condition *closing* holds.
    drop(unsafe { take_back(session) });
}

/// The name of the provider that works for a session, valid as long as the session. Null for a null
/// pointer.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_session_provider(session: *const bl_session) -> *const c_char {
    // SAFETY: the condition *objects* holds.
    let session = unsafe { object(session, "session") };
    session.map_or(std::ptr::null(), |session| session.provider.as_ptr())
}

/// The kernel that works for a session, in words, valid as long as the session. Null for a null
/// pointer.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_session_kernel(session: *const bl_session) -> *const c_char {
    // SAFETY: the condition *objects* holds.
    let session = unsafe { object(session, "session") };
    session.map_or(std::ptr::null(), |session| session.kernel.as_ptr())
}

/// Bytes of a session's digests or tags; 0 for a cipher, a compression, a public-key algorithm, and
/// for a null pointer.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_session_tag_len(session: *const bl_session) -> usize {
    // SAFETY: the condition *objects* holds.
    unsafe { object(session, "session") }.map_or(0, |session| session.session.tag_len())
}

/// Room, in bytes, in which the output of `len` bytes of input surely fits: of a compression the
/// provider's worst case, of a signature or an encryption with a key pair the longest. 0 for a null
/// pointer. A decompression has no such bound.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_session_bound(session: *const bl_session, len: usize) -> usize {
    // SAFETY: the condition *objects* holds.
    unsafe { object(session, "session") }.map_or(0, |session| session.session.bound(len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_with_options_is_opened_once() {
        let open = |text| with_options(text).expect("the lanes are always there");
        let (one, other) = (open("native:isa=portable"), open("native:isa=portable"));
        assert!(Arc::ptr_eq(&one, &other), "each session would have a provider, and its queues");
        assert!(with_options("native:isa=abacus").is_err());
    }
}
