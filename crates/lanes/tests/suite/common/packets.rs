//! Modes of packets, each with an independent implementation, and messages for them.

mod ccm;
mod ciphers;
mod xcbc;

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use broadloom_lanes::{
    AesKey, Buffers, CmacKey, CmacLanes, Cpu, CtrLanes, GcmKey, GcmLanes, Loan, Planner,
};
use cmac::Mac;
use ctr::cipher::{KeyIvInit, StreamCipher};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;

use super::bytes;

pub use ccm::{CcmOpen, CcmSeal, ccm_tag_len};
pub use ciphers::{CfbDecrypt, CfbEncrypt, EcbDecrypt, EcbEncrypt, Ofb, XtsDecrypt, XtsEncrypt};
pub use xcbc::Xcbc;

/// What a mode does to messages.
pub trait Mode {
    const NAME: &'static str;
    /// Lengths of nonces, the usual one first.
    const NONCES: &'static [usize];
    /// `true` if there are associated data.
    const ASSOCIATED: bool = false;
    /// Bytes of the tag.
    const TAG: usize = 0;
    /// `true` if the text that it starts from is what the mode before it made.
    const UNDOES: bool = false;

    type Key;

    /// A length that it takes, near another.
    fn fits(len: usize) -> usize {
        len
    }

    fn key(bytes: &[u8]) -> Self::Key;

    /// Processes messages, each with its own key, in one call.
    fn process(cpu: &Cpu, keys: &[Self::Key], views: Vec<View<'_>>);

    /// What becomes of a plaintext: the other text, and the tag.
    fn expected(message: &Message) -> (Vec<u8>, Vec<u8>);
}

/// A message.
#[derive(Clone, Debug)]
pub struct Message {
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub associated: Vec<u8>,
    pub plain: Vec<u8>,
}

impl Message {
    /// One that differs with its number, of a length if the mode takes it, with a key of a length.
    pub fn new<M: Mode>(number: usize, key_len: usize, len: usize) -> Self {
        let nonce_len = M::NONCES[number % M::NONCES.len()];
        let associated_len =
            if M::ASSOCIATED { [16, 0, 5, 33, 300, 12, 64][number % 7] } else { 0 };
        Message {
            key: bytes(number + 1, key_len),
            nonce: bytes(number + 2, nonce_len),
            associated: bytes(number + 3, associated_len),
            plain: bytes(number + 4, M::fits(len)),
        }
    }

    /// The text that a mode starts from, the text that it ends with, and the tag.
    pub fn texts<M: Mode>(&self) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let (other, tag) = M::expected(self);
        let plain = self.plain.clone();
        if M::UNDOES { (other, plain, tag) } else { (plain, other, tag) }
    }
}

/// The parts of a message where they are.
pub struct View<'a> {
    pub nonce: &'a [u8],
    pub associated: &'a [u8],
    pub text: Text<'a>,
    pub tag: &'a mut [u8; 16],
}

/// A text in place, or from one buffer to another.
pub enum Text<'a> {
    InPlace(&'a mut [u8]),
    Apart(&'a [u8], &'a mut [u8]),
}

impl<'a> From<Text<'a>> for Buffers<'a> {
    fn from(text: Text<'a>) -> Self {
        match text {
            Text::InPlace(text) => text.into(),
            Text::Apart(from, to) => Buffers::Apart(from, to),
        }
    }
}

/// The type of AES that a key's length stands for.
macro_rules! of_aes {
    ($key:expr, $Aes:ident => $call:expr) => {
        match $key.len() {
            16 => of_aes!(@ aes::Aes128, $Aes => $call),
            24 => of_aes!(@ aes::Aes192, $Aes => $call),
            _ => of_aes!(@ aes::Aes256, $Aes => $call),
        }
    };
    (@ $type:ty, $Aes:ident => $call:expr) => {{
        type $Aes = $type;
        $call
    }};
}
use of_aes;

fn stream<C: KeyIvInit + StreamCipher>(key: &[u8], first: &[u8], text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    C::new_from_slices(key, first).expect("good lengths").apply_keystream(&mut text);
    text
}

/// Counter mode with 128 bits of counter.
pub struct Ctr;

impl Mode for Ctr {
    const NAME: &'static str = "aes-ctr";
    const NONCES: &'static [usize] = &[16];
    type Key = AesKey;

    fn key(bytes: &[u8]) -> AesKey {
        AesKey::new(bytes).expect("a good length")
    }

    fn process(cpu: &Cpu, keys: &[AesKey], views: Vec<View<'_>>) {
        Planner::<CtrLanes>::new(cpu).process_each(views.into_iter().zip(keys).map(
            |(view, key)| {
                let counter = view.nonce.try_into().expect("16 bytes");
                Loan::ctr(key, counter, view.text)
            },
        ));
    }

    fn expected(Message { key, nonce, plain, .. }: &Message) -> (Vec<u8>, Vec<u8>) {
        (of_aes!(key, Aes => stream::<ctr::Ctr128BE<Aes>>(key, nonce, plain)), Vec::new())
    }
}

/// GCM, one way.
macro_rules! gcm {
    ($($(#[$doc:meta])* $mode:ident, $undoes:literal, $way:ident;)*) => { $(
        $(#[$doc])*
        pub struct $mode;

        impl Mode for $mode {
            const NAME: &'static str = concat!("aes-gcm ", stringify!($way));
            const NONCES: &'static [usize] = GCM_NONCES;
            const ASSOCIATED: bool = true;
            const TAG: usize = 16;
            const UNDOES: bool = $undoes;
            type Key = GcmKey;

            fn key(bytes: &[u8]) -> GcmKey {
                GcmKey::new(bytes).expect("a good length")
            }

            fn process(cpu: &Cpu, keys: &[GcmKey], views: Vec<View<'_>>) {
                Planner::<GcmLanes>::new(cpu).process_each(views.into_iter().zip(keys).map(
                    |(View { nonce, associated, text, tag }, key)| {
                        Loan::<GcmLanes>::$way(key, nonce, associated, text, tag)
                    },
                ));
            }

            fn expected(Message { key, nonce, associated, plain }: &Message) -> (Vec<u8>, Vec<u8>) {
                gcm(key, nonce, associated, plain)
            }
        }
    )* };
}

/// Most have 12 bytes.
const GCM_NONCES: &[usize] = &[12, 12, 1, 12, 16, 12, 60, 12, 12, 300, 8];

gcm! {
    /// GCM, sealing.
    Seal, false, seal;
    /// GCM, opening.
    Open, true, open;
}

/// GMAC.
pub struct Gmac;

impl Mode for Gmac {
    const NAME: &'static str = "aes-gmac";
    const NONCES: &'static [usize] = GCM_NONCES;
    const TAG: usize = 16;
    type Key = GcmKey;

    fn key(bytes: &[u8]) -> GcmKey {
        GcmKey::new(bytes).expect("a good length")
    }

    fn process(cpu: &Cpu, keys: &[GcmKey], views: Vec<View<'_>>) {
        let all = views.into_iter().zip(keys);
        Planner::<GcmLanes>::new(cpu).process_each(all.map(
            |(View { nonce, text, tag, .. }, key)| match text {
                Text::InPlace(data) => Loan::gmac(key, nonce, data, tag),
                Text::Apart(from, to) => {
                    to.copy_from_slice(from);
                    Loan::gmac(key, nonce, from, tag)
                }
            },
        ));
    }

    fn expected(Message { key, nonce, plain, .. }: &Message) -> (Vec<u8>, Vec<u8>) {
        (plain.clone(), gcm(key, nonce, plain, &[]).1)
    }
}

/// CMAC.
pub struct Cmac;

impl Mode for Cmac {
    const NAME: &'static str = "aes-cmac";
    const NONCES: &'static [usize] = &[0];
    const TAG: usize = 16;
    type Key = CmacKey;

    fn key(bytes: &[u8]) -> CmacKey {
        CmacKey::new(bytes).expect("a good length")
    }

    fn process(cpu: &Cpu, keys: &[CmacKey], views: Vec<View<'_>>) {
        let all = views.into_iter().zip(keys);
        Planner::<CmacLanes>::new(cpu).process_each(all.map(|(View { text, tag, .. }, key)| {
            match text {
                Text::InPlace(data) => Loan::cmac(key, data, tag),
                Text::Apart(from, to) => {
                    to.copy_from_slice(from);
                    Loan::cmac(key, from, tag)
                }
            }
        }));
    }

    fn expected(Message { key, plain, .. }: &Message) -> (Vec<u8>, Vec<u8>) {
        let tag = of_aes!(key, Aes => {
            let mac = <cmac::Cmac<Aes> as KeyInit>::new_from_slice(key).expect("a good length");
            mac.chain_update(plain).finalize().into_bytes().to_vec()
        });
        (plain.clone(), tag)
    }
}

/// GCM as SP 800-38D puts it together: the ciphertext, and the tag.
fn gcm(key: &[u8], nonce: &[u8], associated: &[u8], plain: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let hash_key = aes_block(key, [0; 16]);
    let hash = |first: &[u8], second: &[u8]| {
        let mut hash = GHash::new(&hash_key.into());
        hash.update_padded(first);
        hash.update_padded(second);
        hash.update_padded(
            [first, second].map(|text| (8 * text.len() as u64).to_be_bytes()).as_flattened(),
        );
        <[u8; 16]>::from(hash.finalize())
    };
    let first = match <[u8; 12]>::try_from(nonce) {
        Ok(nonce) => (u128::from_be_bytes(
            [[0; 4].as_slice(), &nonce].concat().try_into().expect("16 bytes"),
        ) << 32
            | 1)
        .to_be_bytes(),
        Err(_) => hash(&[], nonce),
    };
    let mut next = first;
    let number = u32::from_be_bytes(*first.last_chunk().expect("16 bytes"));
    next[12..].copy_from_slice(&number.wrapping_add(1).to_be_bytes());
    let cipher = of_aes!(key, Aes => stream::<ctr::Ctr32BE<Aes>>(key, &next, plain));
    let mask = aes_block(key, first);
    let tag = hash(associated, &cipher).iter().zip(mask).map(|(hash, mask)| hash ^ mask).collect();
    (cipher, tag)
}

fn aes_block(key: &[u8], block: [u8; 16]) -> [u8; 16] {
    let mut block = aes::Block::from(block);
    of_aes!(key, Aes => Aes::new_from_slice(key).expect("a good length").encrypt_block(&mut block));
    block.into()
}

/// Calls a generic check with every mode.
macro_rules! every_mode {
    ($check:ident($($argument:expr),*)) => {
        $check::<$crate::common::packets::Ctr>($($argument),*);
        $check::<$crate::common::packets::Seal>($($argument),*);
        $check::<$crate::common::packets::Open>($($argument),*);
        $check::<$crate::common::packets::Gmac>($($argument),*);
        $check::<$crate::common::packets::CcmSeal>($($argument),*);
        $check::<$crate::common::packets::CcmOpen>($($argument),*);
        $check::<$crate::common::packets::Cmac>($($argument),*);
        $check::<$crate::common::chacha::ChaCha20>($($argument),*);
        $check::<$crate::common::chacha::ChaChaSeal>($($argument),*);
        $check::<$crate::common::chacha::ChaChaOpen>($($argument),*);
        $check::<$crate::common::chacha::XChaChaSeal>($($argument),*);
        $check::<$crate::common::chacha::XChaChaOpen>($($argument),*);
        $check::<$crate::common::packets::Xcbc>($($argument),*);
        $check::<$crate::common::packets::EcbEncrypt>($($argument),*);
        $check::<$crate::common::packets::EcbDecrypt>($($argument),*);
        $check::<$crate::common::packets::CfbEncrypt>($($argument),*);
        $check::<$crate::common::packets::CfbDecrypt>($($argument),*);
        $check::<$crate::common::packets::Ofb>($($argument),*);
        $check::<$crate::common::packets::XtsEncrypt>($($argument),*);
        $check::<$crate::common::packets::XtsDecrypt>($($argument),*);
    };
}
pub(crate) use every_mode;
