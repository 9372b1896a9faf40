//! Fills in the library's jobs: every field that the library reads, and no other.

use std::ffi::{c_int, c_void};

use broadloom_engine::provider::{Buffers, Text};

use crate::layout::{self, AeadAuth, Auth, CmacAuth, HmacAuth, Job};
use crate::session::Task;

/// Where an operation's bytes are. The addresses stay good until the operation is completed.
pub struct Places<'v> {
    /// What is read.
    pub source: *const u8,
    /// Where a cipher writes; null where nothing can be written.
    pub destination: *mut u8,
    /// Bytes at either.
    pub len: usize,
    /// The nonce or IV.
    pub nonce: &'v [u8],
    /// Associated data of an AEAD.
    pub associated: &'v [u8],
    /// Where the tag or digest goes: room for 64 bytes.
    pub tag: *mut u8,
    /// The length of the text in bits, where that is not all of them.
    pub bits: Option<usize>,
    /// Bytes of the session's tags, for the one algorithm (CCM) that makes another tag of another
    /// length.
    pub tag_len: usize,
}

/// The source, the destination (null for none) and the length of a text.
#[inline(always)]
pub fn addresses(text: Text<'_>) -> (*const u8, *mut u8, usize) {
    match text {
        Text::Read(bytes) => (bytes.as_ptr(), std::ptr::null_mut(), bytes.len()),
        Text::Write(Buffers::InPlace(bytes)) => {
            let address = bytes.as_mut_ptr();
            (address, address, bytes.len())
        }
        Text::Write(Buffers::Apart(source, destination)) => {
            (source.as_ptr(), destination.as_mut_ptr(), source.len().min(destination.len()))
        }
    }
}

/// Fills in a job for a task. For triple DES the job points to `schedules`, which it sets.
///
/// GMAC has functions of its own and is not asked for by jobs. GCM has both.
#[inline(always)]
pub fn fill(job: &mut Job, task: &Task, places: &Places<'_>, schedules: &mut [*const c_void; 3]) {
    match task {
        Task::Hash { alg, digest_len } => fill_hash(job, *alg, *digest_len, places),
        Task::Hmac { alg, digest_len, key } => {
            fill_hash(job, *alg, *digest_len, places);
            let hmac = HmacAuth { inner: key.inner.as_ptr(), outer: key.outer.as_ptr() };
            job.auth = Auth { hmac };
        }
        Task::Cmac { alg, key } => {
            fill_hash(job, *alg, 16, places);
            let subkeys = [&key.subkeys[0], &key.subkeys[1]].map(|subkey| subkey.as_ptr().cast());
            let cmac = CmacAuth { key: key.aes.encrypt.as_ptr().cast(), subkeys };
            job.auth = Auth { cmac };
        }
        Task::Cbc { direction, key_len, key } => {
            let keys = [key.encrypt.as_ptr().cast(), key.decrypt.as_ptr().cast()];
            fill_cipher(job, layout::CIPHER_CBC, *direction, keys, *key_len, places);
        }
        Task::Ctr { key_len, key } => {
            let key = key.encrypt.as_ptr().cast();
            fill_cipher(job, layout::CIPHER_CTR, layout::ENCRYPT, [key; 2], *key_len, places);
        }
        Task::KasumiF8 { mode, key } => {
            let key = key.schedule.as_ptr().cast();
            fill_cipher(job, *mode, layout::ENCRYPT, [key; 2], 16, places);
            job.cipher_len = places.bits.map_or(8 * places.len as u64, |bits| bits as u64);
        }
        Task::Ecb { direction, key_len, key } => {
            let keys = [key.encrypt.as_ptr().cast(), key.decrypt.as_ptr().cast()];
            fill_cipher(job, layout::CIPHER_ECB, *direction, keys, *key_len, places);
        }
        Task::DesCbc { direction, key } => {
            let key = key.schedule.as_ptr().cast();
            fill_cipher(job, layout::CIPHER_DES, *direction, [key; 2], 8, places);
        }
        Task::TripleDesCbc { direction, key } => {
            *schedules = [0, 1, 2].map(|part| key.schedules[part].as_ptr().cast());
            let keys = schedules.as_ptr().cast();
            fill_cipher(job, layout::CIPHER_3DES, *direction, [keys; 2], 24, places);
        }
        Task::Ccm { direction, key_len, key } => {
            let key = key.encrypt.as_ptr().cast();
            fill_cipher(job, layout::CIPHER_CCM, *direction, [key; 2], *key_len, places);
            // The MAC covers the plaintext: it comes first when encrypting, and last when
            // decrypting.
            let order = match *direction {
                layout::ENCRYPT => layout::HASH_THEN_CIPHER,
                _ => layout::CIPHER_THEN_HASH,
            };
            fill_aead(job, layout::AUTH_CCM, order, places.tag_len, places);
        }
        Task::ChaCha { mode, direction, key } => {
            let key = key.0.as_ptr().cast();
            fill_cipher(job, *mode, *direction, [key; 2], 32, places);
            // The MAC is that of the ciphertext.
            let order = match *direction {
                layout::ENCRYPT => layout::CIPHER_THEN_HASH,
                _ => layout::HASH_THEN_CIPHER,
            };
            fill_aead(job, layout::AUTH_CHACHA20_POLY1305, order, 16, places);
        }
        Task::Gcm { size, key, encrypts } => {
            let (direction, order) = match *encrypts {
                true => (layout::ENCRYPT, layout::CIPHER_THEN_HASH),
                false => (layout::DECRYPT, layout::HASH_THEN_CIPHER),
            };
            let key_len = [16, 24, 32][*size];
            let key = (&raw const *key.0).cast();
            fill_cipher(job, layout::CIPHER_GCM, direction, [key; 2], key_len, places);
            fill_aead(job, layout::AUTH_GMAC, order, 16, places);
        }
        Task::Gmac { .. } => {}
    }
}

#[inline(always)]
fn fill_hash(job: &mut Job, alg: c_int, digest_len: u64, places: &Places<'_>) {
    job.src = places.source;
    job.hash_offset = 0;
    job.hash_len = places.len as u64;
    job.tag = places.tag;
    job.tag_len = digest_len;
    job.cipher_mode = layout::CIPHER_NULL;
    job.cipher_direction = layout::ENCRYPT;
    job.hash_alg = alg;
    job.chain_order = layout::HASH_THEN_CIPHER;
}

#[inline(always)]
fn fill_cipher(
    job: &mut Job,
    mode: c_int,
    direction: c_int,
    [enc_keys, dec_keys]: [*const c_void; 2],
    key_len: u64,
    places: &Places<'_>,
) {
    job.enc_keys = enc_keys;
    job.dec_keys = dec_keys;
    job.key_len = key_len;
    job.src = places.source;
    job.dst = places.destination;
    job.cipher_offset = 0;
    job.cipher_len = places.len as u64;
    job.iv = places.nonce.as_ptr();
    job.iv_len = places.nonce.len() as u64;
    job.cipher_mode = mode;
    job.cipher_direction = direction;
    job.hash_alg = layout::AUTH_NULL;
    job.chain_order = layout::CIPHER_THEN_HASH;
}

/// Turns a cipher's job into that of an AEAD.
#[inline(always)]
fn fill_aead(job: &mut Job, alg: c_int, order: c_int, tag_len: usize, places: &Places<'_>) {
    job.hash_offset = 0;
    job.hash_len = places.len as u64;
    job.tag = places.tag;
    job.tag_len = tag_len as u64;
    job.hash_alg = alg;
    job.chain_order = order;
    let aead = AeadAuth::new(places.associated.as_ptr(), places.associated.len());
    job.auth = Auth { aead };
}
