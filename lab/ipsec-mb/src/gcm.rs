//! GCM and GMAC by the library's direct functions. The library has no lanes for them, and a
//! function call costs less than a job.

use crate::fill::Places;
use crate::layout::{Functions, GcmContext, GcmKey};

/// The length of nonces that GCM uses unhashed, in bytes.
const NONCE_LEN: usize = 12;

/// Bytes of a whole tag.
const TAG_LEN: u64 = 16;

/// Processes a message.
///
/// # Safety
/// - The functions belong to the open library.
/// - `size` is the place of the key's length in the library's arrays, and the library has expanded
///   the key.
/// - The source is readable and the destination writable for `places.len` bytes, and the tag is
///   writable for 16 bytes.
#[inline]
pub unsafe fn process(
    functions: &Functions,
    size: usize,
    encrypts: bool,
    key: &GcmKey,
    context: &mut GcmContext,
    places: &Places<'_>,
) {
    let (nonce, associated, len) = (places.nonce, places.associated, places.len as u64);
    let associated_len = associated.len() as u64;
    if nonce.len() == NONCE_LEN {
        let whole = match encrypts {
            true => functions.gcm_encrypt[size],
            false => functions.gcm_decrypt[size],
        };
        // SAFETY: key and places are as this function's contract says; the nonce has the 12 bytes
        // that are read, and the associated data are a slice.
        unsafe {
            whole(
                key,
                context,
                places.destination,
                places.source,
                len,
                nonce.as_ptr(),
                associated.as_ptr(),
                associated_len,
                places.tag,
                TAG_LEN,
            );
        }
        return;
    }
    let (update, end) = match encrypts {
        true => (functions.gcm_encrypt_update[size], functions.gcm_encrypt_end[size]),
        false => (functions.gcm_decrypt_update[size], functions.gcm_decrypt_end[size]),
    };
    let begin = functions.gcm_begin[size];
    // SAFETY: key and places are as this function's contract says; the nonce and the associated
    // data are read for their lengths, and the three calls share one context.
    unsafe {
        begin(
            key,
            context,
            nonce.as_ptr(),
            nonce.len() as u64,
            associated.as_ptr(),
            associated_len,
        );
        update(key, context, places.destination, places.source, len);
        end(key, context, places.tag, TAG_LEN);
    }
}
