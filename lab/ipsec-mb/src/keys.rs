//! Expanded keys, in the form and at the alignment that the library needs. Wiped when dropped.

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{AesSize, Algorithm, HashAlgorithm, MAX_TAG, MacAlgorithm};
use md5::{Digest, Md5};
use zeroize::{Zeroize, Zeroizing};

use crate::layout::{Functions, GcmKey};
use crate::rules::refused;

/// The two expanded forms of an AES key, or room for the longest.
#[repr(C, align(16))]
pub struct AesKey {
    /// For encryption, and for every mode that only encrypts.
    pub encrypt: [u8; 16 * 15],
    /// For decryption.
    pub decrypt: [u8; 16 * 15],
}

/// An AES key and the subkeys of CMAC.
#[repr(C, align(16))]
pub struct CmacKey {
    /// The expanded key.
    pub aes: AesKey,
    /// K1 and K2.
    pub subkeys: [[u8; 16]; 2],
}

/// The round keys of DES.
#[repr(C, align(16))]
pub struct DesKey {
    /// 16 of them.
    pub schedule: [u64; 16],
}

/// The round keys of the three keys of triple DES.
#[repr(C, align(16))]
pub struct TripleDesKey {
    /// 16 round keys for each.
    pub schedules: [[u64; 16]; 3],
}

/// A key of HMAC.
#[repr(C, align(16))]
pub struct HmacKey {
    /// The state after the inner key block.
    pub inner: [u8; MAX_TAG],
    /// The state after the outer key block.
    pub outer: [u8; MAX_TAG],
    /// The tag of the empty message, which the library refuses to make.
    pub empty: [u8; MAX_TAG],
}

/// A key of KASUMI's F8.
#[repr(C, align(16))]
pub struct KasumiKey {
    /// Round keys, and the round keys of the modified key.
    pub schedule: [u8; 256],
}

/// A key of ChaCha20.
pub struct ChaChaKey(pub [u8; 32]);

/// A key of GCM, whose type is the library's.
pub struct GcmKeyBox(pub Box<GcmKey>);

/// Wipes these fields of a key when it is dropped; those that wipe themselves are left out.
macro_rules! wiped {
    ($($key:ident { $($field:tt),+ })+) => { $(
        impl Drop for $key {
            fn drop(&mut self) {
                $( self.$field.zeroize(); )+
            }
        }
    )+ };
}

wiped! {
    AesKey { encrypt, decrypt }
    CmacKey { subkeys }
    DesKey { schedule }
    TripleDesKey { schedules }
    HmacKey { inner, outer, empty }
    KasumiKey { schedule }
    ChaChaKey { 0 }
}

impl Drop for GcmKeyBox {
    fn drop(&mut self) {
        self.0.0.zeroize();
    }
}

/// The place of a key length in the library's arrays.
pub fn aes_index(size: AesSize) -> usize {
    match size {
        AesSize::Aes128 => 0,
        AesSize::Aes192 => 1,
        AesSize::Aes256 => 2,
    }
}

/// The place of a SHA function in the order that the library keeps everywhere; `None` for any
/// other.
pub fn sha_index(hash: HashAlgorithm) -> Option<usize> {
    match hash {
        HashAlgorithm::Sha1 => Some(0),
        HashAlgorithm::Sha224 => Some(1),
        HashAlgorithm::Sha256 => Some(2),
        HashAlgorithm::Sha384 => Some(3),
        HashAlgorithm::Sha512 => Some(4),
        _ => None,
    }
}

/// Expands keys with the library's functions.
#[derive(Clone, Copy)]
pub struct Expander<'a> {
    functions: &'a Functions,
}

impl<'a> Expander<'a> {
    /// Works with these functions.
    ///
    /// # Safety
    /// They must be the library's, which must stay open for as long as this lives.
    pub(crate) unsafe fn new(functions: &'a Functions) -> Self {
        Expander { functions }
    }

    /// An AES key for both directions.
    ///
    /// # Errors
    /// The key has another length.
    pub fn aes(self, size: AesSize, key: &[u8]) -> Result<Box<AesKey>, ProviderError> {
        let mut expanded = Box::new(AesKey { encrypt: [0; 240], decrypt: [0; 240] });
        self.aes_into(size, key, &mut expanded)?;
        Ok(expanded)
    }

    fn aes_into(self, size: AesSize, key: &[u8], to: &mut AesKey) -> Result<(), ProviderError> {
        check_len(key, size.key_len())?;
        let expand = self.functions.expand_aes[aes_index(size)];
        // SAFETY: the key has the length that this expansion reads; at most 15 round keys are
        // written to each of the two, which are aligned to 16.
        unsafe {
            expand(
                key.as_ptr().cast(),
                to.encrypt.as_mut_ptr().cast(),
                to.decrypt.as_mut_ptr().cast(),
            );
        }
        Ok(())
    }

    /// A key of AES-CMAC.
    ///
    /// # Errors
    /// The key has another length, or 192 bits, which the library's CMAC does not take.
    pub fn cmac(self, size: AesSize, key: &[u8]) -> Result<Box<CmacKey>, ProviderError> {
        let subkeys = match size {
            AesSize::Aes128 => self.functions.cmac_subkeys_128,
            AesSize::Aes256 => self.functions.cmac_subkeys_256,
            AesSize::Aes192 => return Err(refused(Algorithm::Mac(MacAlgorithm::AesCmac(size)))),
        };
        let aes = AesKey { encrypt: [0; 240], decrypt: [0; 240] };
        let mut cmac = Box::new(CmacKey { aes, subkeys: [[0; 16]; 2] });
        self.aes_into(size, key, &mut cmac.aes)?;
        let CmacKey { aes, subkeys: [first, second] } = &mut *cmac;
        // SAFETY: an expanded key of this size is read, one block is written to each subkey.
        unsafe {
            subkeys(
                aes.encrypt.as_ptr().cast(),
                first.as_mut_ptr().cast(),
                second.as_mut_ptr().cast(),
            );
        }
        Ok(cmac)
    }

    /// A key of KASUMI's F8, 16 bytes.
    ///
    /// # Errors
    /// The key has another length.
    pub fn kasumi_f8(self, key: &[u8]) -> Result<Box<KasumiKey>, ProviderError> {
        check_len(key, 16)?;
        let mut expanded = Box::new(KasumiKey { schedule: [0; 256] });
        // SAFETY: 16 bytes are read and 256 are written.
        unsafe {
            let expand = self.functions.expand_kasumi_f8;
            expand(key.as_ptr().cast(), expanded.schedule.as_mut_ptr().cast());
        }
        Ok(expanded)
    }

    /// A key of DES, 8 bytes.
    ///
    /// # Errors
    /// The key has another length.
    pub fn des(self, key: &[u8]) -> Result<Box<DesKey>, ProviderError> {
        check_len(key, 8)?;
        let mut expanded = Box::new(DesKey { schedule: [0; 16] });
        // SAFETY: 8 bytes are read and 16 words are written.
        unsafe { (self.functions.expand_des)(expanded.schedule.as_mut_ptr(), key.as_ptr().cast()) };
        Ok(expanded)
    }

    /// A key of triple DES, 24 bytes.
    ///
    /// # Errors
    /// The key has another length.
    pub fn triple_des(self, key: &[u8]) -> Result<Box<TripleDesKey>, ProviderError> {
        check_len(key, 24)?;
        let mut expanded = Box::new(TripleDesKey { schedules: [[0; 16]; 3] });
        for (schedule, key) in expanded.schedules.iter_mut().zip(key.chunks_exact(8)) {
            // SAFETY: 8 bytes are read and 16 words are written.
            unsafe { (self.functions.expand_des)(schedule.as_mut_ptr(), key.as_ptr().cast()) };
        }
        Ok(expanded)
    }

    /// A key of GCM.
    ///
    /// # Errors
    /// The key has another length.
    pub fn gcm(self, size: AesSize, key: &[u8]) -> Result<GcmKeyBox, ProviderError> {
        check_len(key, size.key_len())?;
        let mut expanded = GcmKeyBox(Box::new(GcmKey([0; 1280])));
        // SAFETY: the key has the length that this expansion reads; the structure is written.
        unsafe {
            self.functions.expand_gcm[aes_index(size)](key.as_ptr().cast(), &mut *expanded.0)
        };
        Ok(expanded)
    }

    /// A key of HMAC (RFC 2104), of any length.
    pub fn hmac(self, hash: HashAlgorithm, key: &[u8]) -> Box<HmacKey> {
        let block_len = hash.block_len();
        let mut key_block = Zeroizing::new([0; 128]);
        if key.len() <= block_len {
            key_block[..key.len()].copy_from_slice(key);
        } else {
            self.digest(hash, key, key_block.first_chunk_mut().expect("128 bytes"));
        }
        let one_block = self.functions.one_block[sha_index(hash).unwrap_or(5)];
        let zero = [0; MAX_TAG];
        let mut expanded = Box::new(HmacKey { inner: zero, outer: zero, empty: zero });
        // The input of the hashes for the empty message: a key block, and for the outer hash a
        // digest.
        let mut message = Zeroizing::new([0; 128 + MAX_TAG]);
        let HmacKey { inner, outer, empty } = &mut *expanded;
        for (pad, state, rest) in [(0x36, inner, 0), (0x5c, outer, hash.digest_len())] {
            for (padded, key) in message.iter_mut().zip(&key_block[..block_len]) {
                *padded = key ^ pad;
            }
            // SAFETY: one block is read, at most 128 bytes; one state is written, at most 64.
            unsafe { one_block(message.as_ptr().cast(), state.as_mut_ptr().cast()) };
            message[block_len..][..MAX_TAG].copy_from_slice(empty);
            self.digest(hash, &message[..block_len + rest], empty);
        }
        expanded
    }

    /// The digest of a message, at the start of the output.
    fn digest(self, hash: HashAlgorithm, message: &[u8], output: &mut [u8; MAX_TAG]) {
        match sha_index(hash) {
            // SAFETY: the message is read, and at most 64 bytes are written.
            Some(index) => unsafe {
                let sha = self.functions.hash[index];
                sha(message.as_ptr().cast(), message.len() as u64, output.as_mut_ptr().cast());
            },
            None => {
                let output = output.first_chunk_mut::<16>().expect("64 bytes");
                Md5::new_with_prefix(message).finalize_into(output.into());
            }
        }
    }
}

fn check_len(key: &[u8], len: usize) -> Result<(), ProviderError> {
    if key.len() == len {
        return Ok(());
    }
    Err(ProviderError::new(format!("a key of {} bytes does not fit; valid: {len}", key.len())))
}
