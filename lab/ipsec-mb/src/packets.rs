//! The calls that a packet path makes: AES-GCM by the library's direct functions, and AES-CBC with
//! HMAC by its jobs, each of which does both. These are the library's fastest calls for them.

use std::ffi::c_int;
use std::ops::Range;
use std::ptr;

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, Direction, MAX_TAG, MacAlgorithm, Transform,
};

use crate::fill::Places;
use crate::gcm;
use crate::keys::{AesKey, GcmKeyBox, HmacKey, aes_index, sha_index};
use crate::layout::{self, Auth, GcmContext, HmacAuth, Job};
use crate::library::{CallError, OwnedManager};
use crate::rules::refused;

/// The expanded keys of a packet's transform.
pub struct PacketKey(Key);

enum Key {
    Gcm { size: usize, key: GcmKeyBox, encrypts: bool },
    Chain { aes: Box<AesKey>, key_len: u64, encrypts: bool, hmac: Box<HmacKey>, alg: c_int },
}

/// A packet of a chain: its bytes, and what becomes of them.
pub struct ChainPacket<'p> {
    /// The expanded keys, of a chain.
    pub key: &'p PacketKey,
    /// The IV.
    pub iv: [u8; 16],
    /// The bytes that the ranges count in.
    pub data: &'p mut [u8],
    /// What is encrypted or decrypted: whole blocks.
    pub cipher: Range<usize>,
    /// What is authenticated: the ciphertext is a part of it.
    pub mac: Range<usize>,
    /// Bytes of the tag, as short as the algorithm's IPsec use has it or as long as the digest.
    pub tag_len: usize,
    /// Where the tag goes.
    pub tag: [u8; MAX_TAG],
}

/// The library's calls for packets, with a manager of their own.
pub struct PacketCalls {
    manager: OwnedManager,
    context: Box<GcmContext>,
}

impl PacketCalls {
    /// The calls of a manager.
    pub fn new(manager: OwnedManager) -> PacketCalls {
        PacketCalls { manager, context: Box::new(GcmContext([0; 128])) }
    }

    /// The instruction set that the library has chosen, as it calls it.
    pub fn arch(&self) -> &'static str {
        self.manager.table().arch()
    }

    /// Expands the keys of AES-GCM, or of AES-CBC and HMAC-SHA1 or -SHA2.
    ///
    /// # Errors
    /// Another algorithm.
    pub fn key(&self, transform: &Transform) -> Result<PacketKey, ProviderError> {
        let expander = self.manager.table().expander();
        let encrypts = matches!(transform.direction(), Direction::Encrypt | Direction::Seal);
        let key = match transform.algorithm() {
            Algorithm::Aead(AeadAlgorithm::AesGcm(size)) => Key::Gcm {
                size: aes_index(size),
                key: expander.gcm(size, transform.key())?,
                encrypts,
            },
            Algorithm::Chain(CipherAlgorithm::AesCbc(size), MacAlgorithm::Hmac(hash), _) => {
                let index = sha_index(hash).ok_or_else(|| refused(transform.algorithm()))?;
                Key::Chain {
                    aes: expander.aes(size, transform.key())?,
                    key_len: transform.key().len() as u64,
                    encrypts,
                    hmac: expander.hmac(hash, transform.mac_key()),
                    alg: layout::AUTH_HMAC_SHA1 + index as c_int,
                }
            }
            algorithm => return Err(refused(algorithm)),
        };
        Ok(PacketKey(key))
    }

    /// Encrypts or decrypts a packet by AES-GCM in place, and makes its tag of 16 bytes. Whoever
    /// decrypts compares it.
    ///
    /// # Panics
    /// If the key is that of a chain, or the nonce has not 12 bytes.
    #[inline]
    pub fn gcm(
        &mut self,
        key: &PacketKey,
        nonce: &[u8],
        associated: &[u8],
        text: &mut [u8],
        tag: &mut [u8; 16],
    ) {
        let Key::Gcm { size, key, encrypts } = &key.0 else { panic!("the key is a chain's") };
        assert_eq!(nonce.len(), 12, "AES-GCM's direct functions take nonces of 12 bytes");
        let places = Places {
            source: text.as_ptr(),
            destination: text.as_mut_ptr(),
            len: text.len(),
            nonce,
            associated,
            tag: tag.as_mut_ptr(),
            bits: None,
            tag_len: 16,
        };
        let functions = self.manager.table().functions();
        // SAFETY: the functions are those of the manager's library, which stays open; the size is
        // the index of the key's length, and the key was expanded by the same functions. The text
        // is read and written for its length, the nonce has 12 bytes and the tag 16.
        unsafe { gcm::process(functions, *size, *encrypts, &key.0, &mut self.context, &places) };
    }

    /// Encrypts and authenticates packets, or authenticates and decrypts them, and makes their
    /// tags. Whoever decrypts compares them.
    ///
    /// # Errors
    /// The library refuses a job.
    ///
    /// # Panics
    /// If a key is that of AES-GCM, if a range is not within its data, if the cipher's is empty or
    /// has a part of a block, or if a tag has another length than the two that there are.
    pub fn chains(&mut self, packets: &mut [ChainPacket<'_>]) -> Result<(), CallError> {
        let functions = self.manager.table().functions();
        let manager = self.manager.as_ptr();
        packets.iter().for_each(check);
        let mut worst = layout::COMPLETED;
        let mut take = |done: *mut Job| {
            // SAFETY: the library returned this job, not null, and leaves it alone until the next
            // `get_next_job`.
            let status = unsafe { (*done).status };
            if status != layout::COMPLETED {
                worst = status;
            }
        };
        for packet in packets.iter_mut() {
            // SAFETY: the manager is alive; the library returns a free job of its ring, which is
            // this function's until it is submitted.
            let job = unsafe { &mut *(functions.get_next_job)(manager) };
            fill(job, packet);
            // SAFETY: the job last got is filled in; keys, IV, data and tag stay borrowed until
            // all jobs are complete below, and `check` has found the ranges within the data.
            let mut done = unsafe { (functions.submit_job_nocheck)(manager) };
            while !done.is_null() {
                take(done);
                // SAFETY: the manager is alive.
                done = unsafe { (functions.get_completed_job)(manager) };
            }
        }
        loop {
            // SAFETY: the manager is alive, and so is what its jobs point to.
            let done = unsafe { (functions.flush_job)(manager) };
            if done.is_null() {
                break;
            }
            take(done);
        }
        match worst {
            layout::COMPLETED => Ok(()),
            status => Err(CallError { call: "a job", reason: format!("its status is {status}") }),
        }
    }
}

fn check(packet: &ChainPacket<'_>) {
    let ChainPacket { data, cipher, mac, .. } = packet;
    let within = |range: &Range<usize>| range.start < range.end && range.end <= data.len();
    assert!(within(cipher) && within(mac), "{cipher:?} and {mac:?} of {} bytes", data.len());
    assert!(cipher.len().is_multiple_of(16), "AES-CBC has whole blocks");
    assert!(packet.tag_len <= MAX_TAG, "a tag has at most {MAX_TAG} bytes");
}

#[inline(always)]
fn fill(job: &mut Job, packet: &mut ChainPacket<'_>) {
    let Key::Chain { aes, key_len, encrypts, hmac, alg } = &packet.key.0 else {
        panic!("the key is AES-GCM's")
    };
    let data = packet.data.as_mut_ptr();
    job.enc_keys = aes.encrypt.as_ptr().cast();
    job.dec_keys = aes.decrypt.as_ptr().cast();
    job.key_len = *key_len;
    job.src = data;
    job.dst = data.wrapping_add(packet.cipher.start);
    job.cipher_offset = packet.cipher.start as u64;
    job.cipher_len = packet.cipher.len() as u64;
    job.hash_offset = packet.mac.start as u64;
    job.hash_len = packet.mac.len() as u64;
    job.iv = packet.iv.as_ptr();
    job.iv_len = 16;
    job.tag = packet.tag.as_mut_ptr();
    job.tag_len = packet.tag_len as u64;
    job.auth = Auth { hmac: HmacAuth { inner: hmac.inner.as_ptr(), outer: hmac.outer.as_ptr() } };
    job.cipher_mode = layout::CIPHER_CBC;
    job.hash_alg = *alg;
    (job.cipher_direction, job.chain_order) = match encrypts {
        true => (layout::ENCRYPT, layout::CIPHER_THEN_HASH),
        false => (layout::DECRYPT, layout::HASH_THEN_CIPHER),
    };
    job.user_data = ptr::null_mut();
}
