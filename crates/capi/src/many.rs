//! Calls on many buffers, without objects.

use std::cell::RefCell;
use std::ffi::c_char;

use broadloom::{Algorithm, MacAlgorithm};

use crate::fault::{Fault, report, text};
use crate::job::bl_job;
use crate::process::bl_processor;
use crate::session::{bl_session, open_at};
use crate::status::bl_status;
use crate::transform::{bl_scheme, bl_transform, hash_of};

thread_local! {
    /// What each thread keeps open from call to call.
    static PROCESSOR: RefCell<bl_processor> = RefCell::default();
}

/// Opens the session of a transform at the first provider that can, and processes jobs.
///
/// # Safety
/// The [conditions](crate#what-c-vouches-for) *texts*, *bytes* and *structures* hold for the
/// transform, *arrays* and *jobs* for the jobs.
unsafe fn run(transform: bl_transform, jobs: *mut bl_job, count: usize) -> Result<(), Fault> {
    // SAFETY: the conditions *texts*, *bytes* and *structures* hold.
    let session = bl_session::new(open_at(None, &unsafe { transform.read() }?)?);
    // SAFETY: the session lives until the end of this function, and all jobs are processed and
    // stored before.
    let lent: &'static bl_session = unsafe { &*std::ptr::from_ref(&session) };
    // SAFETY: the conditions *arrays* and *jobs* hold.
    let process =
        |processor: &mut bl_processor| unsafe { processor.process(jobs, count, Some(lent)) };
    // A thread that is ending has given up its own: destructors of its keys may call all the same.
    let own = PROCESSOR.try_with(|processor| process(&mut processor.borrow_mut()));
    own.unwrap_or_else(|_| process(&mut bl_processor::default()))
}

/// Hashes `count` messages: `source`, `len`; the digests go to `tag`, which has room for `tag_len`
/// bytes. The session of each job is null.
///
/// `algorithm`: "sha256", "md5", "sha3-256" and so on.
///
/// Threads: any, at once. The same holds for all functions `bl_..._many`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_hash_many(
    algorithm: *const c_char,
    jobs: *mut bl_job,
    count: usize,
) -> bl_status {
    // SAFETY: the conditions *texts*, *arrays* and *jobs* hold.
    report(unsafe {
        text(algorithm, "hash")
            .and_then(hash_of)
            .and_then(|_| run(bl_transform { algorithm, ..bl_transform::NOTHING }, jobs, count))
    })
}

/// Authenticates `count` messages by HMAC with one key: `source`, `len`; the tags go to `tag`. For
/// messages that each have a key of their own, open sessions and call `bl_process`.
///
/// `hash`: "sha1", "sha256" and so on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_hmac_many(
    hash: *const c_char,
    key: *const u8,
    key_len: usize,
    jobs: *mut bl_job,
    count: usize,
) -> bl_status {
    // SAFETY: the condition *texts* holds.
    let name = unsafe { text(hash, "hash").and_then(hash_of) }.and_then(|hash| {
        let name = Algorithm::Mac(MacAlgorithm::Hmac(hash)).to_string();
        std::ffi::CString::new(name).map_err(Fault::name)
    });
    report(name.and_then(|name| {
        let algorithm = name.as_ptr();
        // SAFETY: the conditions *bytes*, *arrays* and *jobs* hold, and the name lives as long as
        // the call.
        unsafe {
            run(bl_transform { algorithm, key, key_len, ..bl_transform::NOTHING }, jobs, count)
        }
    }))
}

/// Encrypts and authenticates `count` buffers with one key of an AEAD: `source`, `len`,
/// `destination`, `nonce`, `associated`; the tags go to `tag`. No nonce may be used twice with one
/// key.
///
/// `algorithm`: "aes-128-gcm", "chacha20-poly1305" and so on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_seal_many(
    algorithm: *const c_char,
    key: *const u8,
    key_len: usize,
    jobs: *mut bl_job,
    count: usize,
) -> bl_status {
    let direction = c"seal".as_ptr();
    // SAFETY: the conditions *texts*, *bytes*, *arrays* and *jobs* hold.
    report(unsafe { keyed("AEAD", algorithm, direction, key, key_len, jobs, count) })
}

/// Checks and decrypts `count` buffers with one key of an AEAD. `tag` is the tag to check, whole. A
/// buffer whose tag is wrong fails with `BL_E_TAG_MISMATCH`, and its output is wiped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_open_many(
    algorithm: *const c_char,
    key: *const u8,
    key_len: usize,
    jobs: *mut bl_job,
    count: usize,
) -> bl_status {
    let direction = c"open".as_ptr();
    // SAFETY: the conditions *texts*, *bytes*, *arrays* and *jobs* hold.
    report(unsafe { keyed("AEAD", algorithm, direction, key, key_len, jobs, count) })
}

/// Encrypts or decrypts `count` buffers with one key of a cipher: `source`, `len`, `destination`,
/// `nonce` (the IV).
///
/// `algorithm`: "aes-128-cbc", "3des-cbc" and so on. `direction`: "encrypt" or "decrypt".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_cipher_many(
    algorithm: *const c_char,
    direction: *const c_char,
    key: *const u8,
    key_len: usize,
    jobs: *mut bl_job,
    count: usize,
) -> bl_status {
    // SAFETY: the conditions *texts*, *bytes*, *arrays* and *jobs* hold.
    report(unsafe { keyed("cipher", algorithm, direction, key, key_len, jobs, count) })
}

/// Processes jobs with a key, for an algorithm of one kind.
///
/// # Safety
/// The [conditions](crate#what-c-vouches-for) *texts* and *bytes* hold for the algorithm and the
/// key, *arrays* and *jobs* for the jobs.
unsafe fn keyed(
    kind: &str,
    algorithm: *const c_char,
    direction: *const c_char,
    key: *const u8,
    key_len: usize,
    jobs: *mut bl_job,
    count: usize,
) -> Result<(), Fault> {
    // SAFETY: the conditions *texts*, *bytes*, *arrays* and *jobs* hold.
    unsafe {
        let name = text(algorithm, "algorithm")?;
        text(direction, "direction")?;
        let fits = match name.parse().map_err(Fault::name)? {
            Algorithm::Aead(_) => kind == "AEAD",
            Algorithm::Cipher(_) => kind == "cipher",
            _ => false,
        };
        if !fits {
            let text = format!("{name:?} is no {kind}; sessions and bl_process do the rest");
            return Err(Fault::name(text));
        }
        run(
            bl_transform { algorithm, direction, key, key_len, ..bl_transform::NOTHING },
            jobs,
            count,
        )
    }
}

/// Signs `count` messages with one private key, in PEM or DER: `source`, `len`; the signatures go
/// to `tag`, which has room for `tag_len` bytes, and `produced` says how long they are.
///
/// `scheme`: hash and padding; null: SHA-256, and PKCS #1 v1.5 for RSA.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_sign_many(
    scheme: *const bl_scheme,
    key: *const u8,
    key_len: usize,
    jobs: *mut bl_job,
    count: usize,
) -> bl_status {
    let direction = c"sign".as_ptr();
    let transform = bl_transform { direction, key, key_len, scheme, ..bl_transform::NOTHING };
    // SAFETY: the conditions *texts*, *bytes*, *structures*, *arrays* and *jobs* hold.
    report(unsafe { run(transform, jobs, count) })
}

/// Checks `count` signatures with one public key, in PEM or DER: `source`, `len`, and the signature
/// in `tag`, `tag_len`. One that is wrong fails with `BL_E_SIGNATURE_MISMATCH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_verify_many(
    scheme: *const bl_scheme,
    key: *const u8,
    key_len: usize,
    jobs: *mut bl_job,
    count: usize,
) -> bl_status {
    let direction = c"verify".as_ptr();
    let transform = bl_transform { direction, key, key_len, scheme, ..bl_transform::NOTHING };
    // SAFETY: the conditions *texts*, *bytes*, *structures*, *arrays* and *jobs* hold.
    report(unsafe { run(transform, jobs, count) })
}
