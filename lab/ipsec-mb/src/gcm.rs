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
/// The functions must belong to the open library; `size` must be the place of the key's length in
/// its arrays, and the library must have expanded the key. The source must be readable and the
/// destination writable for the length, and the tag for 16 bytes.
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
        // SAFETY: the caller vouches for the places; the nonce has the length that is read.
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
    // SAFETY: the caller vouches for the places; the nonce and the associated data are read for
    // their lengths, and the three calls share one context.
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
