//! Kinds of jobs that can be made from a number and a length, to run one check over all of them.

use std::marker::PhantomData;
use std::sync::OnceLock;

use broadloom_lanes::{AesKey, CbcJob, HashJob, HmacKey, for_each_hash};

use super::{Numbered, Reference, bytes, cbc_decrypt, cbc_encrypt};

/// A kind of job.
pub trait Kind {
    type Job: Numbered + Send + 'static;
    const NAME: &'static str;
    /// The job of a number, with a buffer of a length, rounded down to what this kind can have.
    fn job(number: usize, len: usize) -> Self::Job;
    /// Its result, from an independent implementation.
    fn expected(number: usize, len: usize) -> Vec<u8>;
}

/// Digests (even numbers) and HMACs (odd).
pub struct Hashes<A>(PhantomData<A>);

/// A hash with a key that lives as long as the process.
pub trait Keyed: Reference {
    fn key() -> &'static HmacKey<Self>;
}

const KEY: &[u8] = b"a key that all tags of a test share";

macro_rules! keyed {
    ($($hash:ident),+) => { $(
        impl Keyed for broadloom_lanes::$hash {
            fn key() -> &'static HmacKey<Self> {
                static EXPANDED: OnceLock<HmacKey<broadloom_lanes::$hash>> = OnceLock::new();
                EXPANDED.get_or_init(|| HmacKey::new(KEY))
            }
        }
    )+ };
}

for_each_hash!(keyed!());

impl<A: Keyed> Kind for Hashes<A> {
    type Job = HashJob<'static, A, Vec<u8>, usize>;
    const NAME: &'static str = A::NAME;

    fn job(number: usize, len: usize) -> Self::Job {
        let message = bytes(number, len);
        if number.is_multiple_of(2) {
            HashJob::digest(message, number)
        } else {
            HashJob::hmac(A::key(), message, number)
        }
    }

    fn expected(number: usize, len: usize) -> Vec<u8> {
        let message = bytes(number, len);
        if number.is_multiple_of(2) { A::digest(&message) } else { A::hmac(KEY, &message) }
    }
}

/// AES-CBC: encryption (even numbers) and decryption (odd), with keys of each size in turn.
pub struct Ciphers;

impl Ciphers {
    fn key(number: usize) -> Vec<u8> {
        bytes(number / 2 % 3 + 7, 16 + 8 * (number / 2 % 3))
    }

    fn iv(number: usize) -> [u8; 16] {
        std::array::from_fn(|i| (i ^ number) as u8)
    }
}

impl Kind for Ciphers {
    type Job = CbcJob<'static, Vec<u8>, usize>;
    const NAME: &'static str = "aes-cbc";

    fn job(number: usize, len: usize) -> Self::Job {
        static KEYS: OnceLock<[AesKey; 3]> = OnceLock::new();
        let new = |size: usize| AesKey::new(&Self::key(2 * size)).expect("a good length");
        let key = &KEYS.get_or_init(|| [0, 1, 2].map(new))[number / 2 % 3];
        let make = if number.is_multiple_of(2) { CbcJob::encrypt } else { CbcJob::decrypt };
        make(key, Self::iv(number), bytes(number, len / 16 * 16), number).expect("whole blocks")
    }

    fn expected(number: usize, len: usize) -> Vec<u8> {
        let reference = if number.is_multiple_of(2) { cbc_encrypt } else { cbc_decrypt };
        reference(&Self::key(number), &Self::iv(number), &bytes(number, len / 16 * 16))
    }
}

/// Calls a generic check with a kind for each scheduler and word size.
macro_rules! every_kind {
    ($check:ident($($argument:expr),*)) => {
        $check::<$crate::common::Hashes<broadloom_lanes::Md5>>($($argument),*);
        $check::<$crate::common::Hashes<broadloom_lanes::Sha1>>($($argument),*);
        $check::<$crate::common::Hashes<broadloom_lanes::Sha512>>($($argument),*);
        $check::<$crate::common::Ciphers>($($argument),*);
    };
}
pub(crate) use every_kind;
