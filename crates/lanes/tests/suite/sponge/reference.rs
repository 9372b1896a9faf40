//! Independent implementations of sponges: the crates `sha3` and `keccak`.

use broadloom_lanes::{
    Sha3, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256, Sponge, Xof,
};
use hmac::{Mac, SimpleHmac};
use sha3::digest::{Digest, ExtendableOutput, Update, XofReader};

/// The independent implementation of SHA-3.
pub trait Sha3Reference: Sha3 {
    fn digest(data: &[u8]) -> Vec<u8>;
    fn hmac(key: &[u8], data: &[u8]) -> Vec<u8>;
}

/// The independent implementation of SHAKE.
pub trait XofReference: Xof {
    fn shake(data: &[u8], len: usize) -> Vec<u8>;
}

macro_rules! references {
    ($($hash:ty => $other:ty),*; $($xof:ty => $other_xof:ty),*) => {
        $(
            impl Sha3Reference for $hash {
                fn digest(data: &[u8]) -> Vec<u8> {
                    <$other as Digest>::digest(data).to_vec()
                }
                fn hmac(key: &[u8], data: &[u8]) -> Vec<u8> {
                    let mut mac = <SimpleHmac<$other> as hmac::KeyInit>::new_from_slice(key)
                        .expect("any length of key will do");
                    Mac::update(&mut mac, data);
                    mac.finalize().into_bytes().to_vec()
                }
            }
        )*
        $(
            impl XofReference for $xof {
                fn shake(data: &[u8], len: usize) -> Vec<u8> {
                    let mut hasher = <$other_xof>::default();
                    hasher.update(data);
                    let mut output = vec![0; len];
                    hasher.finalize_xof().read(&mut output);
                    output
                }
            }
        )*
    };
}

references! {
    Sha3_224 => sha3::Sha3_224,
    Sha3_256 => sha3::Sha3_256,
    Sha3_384 => sha3::Sha3_384,
    Sha3_512 => sha3::Sha3_512;
    Shake128 => sha3::Shake128,
    Shake256 => sha3::Shake256
}

/// KMAC, or KMACXOF, of SP 800-185, written as the standard has it.
pub fn kmac<A: Sponge>(
    key: &[u8],
    customization: &[u8],
    data: &[u8],
    len: usize,
    is_xof: bool,
) -> Vec<u8> {
    fn digits(number: usize) -> Vec<u8> {
        let bytes = number.to_be_bytes();
        let zeros = bytes.iter().take(bytes.len() - 1).take_while(|byte| **byte == 0).count();
        bytes[zeros..].to_vec()
    }
    let left = |number| [vec![digits(number).len() as u8], digits(number)].concat();
    let string = |bytes: &[u8]| [left(8 * bytes.len()), bytes.to_vec()].concat();
    let pad = |bytes: Vec<u8>| {
        let mut padded = [left(A::BLOCK_LEN), bytes].concat();
        padded.resize(padded.len().next_multiple_of(A::BLOCK_LEN), 0);
        padded
    };
    let bits = if is_xof { 0 } else { 8 * len };
    let right = [digits(bits), vec![digits(bits).len() as u8]].concat();
    let prefix = pad([string(b"KMAC"), string(customization)].concat());
    let mut message = [prefix, pad(string(key)), data.to_vec(), right, vec![4]].concat();
    message.resize(message.len().next_multiple_of(A::BLOCK_LEN), 0);
    *message.last_mut().expect("a block at least") |= 0x80;

    let mut state = [0_u64; 25];
    let permute = |state: &mut _| keccak::Keccak::new().with_f1600(|f| f(state));
    for block in message.chunks(A::BLOCK_LEN) {
        for (word, bytes) in state.iter_mut().zip(block.chunks(8)) {
            *word ^= u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        }
        permute(&mut state);
    }
    let mut output = Vec::new();
    while output.len() < len {
        let bytes: Vec<u8> = state.iter().flat_map(|word| word.to_le_bytes()).collect();
        output.extend_from_slice(&bytes[..A::BLOCK_LEN]);
        permute(&mut state);
    }
    output.truncate(len);
    output
}

/// Calls a generic check with every SHA-3.
macro_rules! every_sha3 {
    ($check:ident($($argument:expr),*)) => {
        $check::<broadloom_lanes::Sha3_224>($($argument),*);
        $check::<broadloom_lanes::Sha3_256>($($argument),*);
        $check::<broadloom_lanes::Sha3_384>($($argument),*);
        $check::<broadloom_lanes::Sha3_512>($($argument),*);
    };
}
pub(crate) use every_sha3;

/// Calls a generic check with every SHAKE.
macro_rules! every_xof {
    ($check:ident($($argument:expr),*)) => {
        $check::<broadloom_lanes::Shake128>($($argument),*);
        $check::<broadloom_lanes::Shake256>($($argument),*);
    };
}
pub(crate) use every_xof;
