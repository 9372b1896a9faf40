//! ECB, CFB, OFB and XTS.

use aes::cipher::{BlockCipherEncrypt, KeyInit, KeyIvInit};
use broadloom_lanes::{AesKey, CfbLanes, Cpu, EcbLanes, Loan, OfbLanes, Planner, XtsKey, XtsLanes};

use super::{Message, Mode, View, of_aes};

/// A cipher, one way.
macro_rules! cipher {
    ($(
        $(#[$doc:meta])*
        $mode:ident: $lanes:ident, $name:literal, $undoes:literal, $nonces:expr, $fits:expr,
        $key:ident, $make:expr, $lend:expr, $expected:expr;
    )*) => { $(
        $(#[$doc])*
        pub struct $mode;

        impl Mode for $mode {
            const NAME: &'static str = $name;
            const NONCES: &'static [usize] = $nonces;
            const UNDOES: bool = $undoes;
            type Key = $key;

            fn fits(len: usize) -> usize {
                $fits(len)
            }

            fn key(bytes: &[u8]) -> $key {
                $make(bytes)
            }

            fn process(cpu: &Cpu, keys: &[$key], views: Vec<View<'_>>) {
                Planner::<$lanes>::new(cpu).process_each(views.into_iter().zip(keys).map(
                    |(View { nonce, text, .. }, key)| $lend(key, nonce, text),
                ));
            }

            fn expected(message: &Message) -> (Vec<u8>, Vec<u8>) {
                ($expected(message), Vec::new())
            }
        }
    )* };
}

cipher! {
    /// ECB, encrypting.
    EcbEncrypt: EcbLanes, "aes-ecb encrypt", false, &[0], whole, AesKey, aes_key,
    |key, _: &[u8], text| Loan::ecb_encrypt(key, text).expect("whole blocks"), ecb;
    /// ECB, decrypting.
    EcbDecrypt: EcbLanes, "aes-ecb decrypt", true, &[0], whole, AesKey, aes_key,
    |key, _: &[u8], text| Loan::ecb_decrypt(key, text).expect("whole blocks"), ecb;
    /// CFB, encrypting.
    CfbEncrypt: CfbLanes, "aes-cfb encrypt", false, &[16], |len| len, AesKey, aes_key,
    |key, iv, text| Loan::cfb_encrypt(key, block(iv), text), cfb;
    /// CFB, decrypting.
    CfbDecrypt: CfbLanes, "aes-cfb decrypt", true, &[16], |len| len, AesKey, aes_key,
    |key, iv, text| Loan::cfb_decrypt(key, block(iv), text), cfb;
    /// OFB, either way.
    Ofb: OfbLanes, "aes-ofb", false, &[16], |len| len, AesKey, aes_key,
    |key, iv, text| Loan::ofb(key, block(iv), text), ofb;
    /// XTS, encrypting.
    XtsEncrypt: XtsLanes, "aes-xts encrypt", false, &[16], at_least_a_block, XtsKey, xts_key,
    |key, tweak, text| Loan::xts_encrypt(key, block(tweak), text).expect("a good length"), xts;
    /// XTS, decrypting.
    XtsDecrypt: XtsLanes, "aes-xts decrypt", true, &[16], at_least_a_block, XtsKey, xts_key,
    |key, tweak, text| Loan::xts_decrypt(key, block(tweak), text).expect("a good length"), xts;
}

fn whole(len: usize) -> usize {
    len / 16 * 16
}

fn at_least_a_block(len: usize) -> usize {
    len.max(16)
}

fn block(bytes: &[u8]) -> &[u8; 16] {
    bytes.try_into().expect("16 bytes")
}

fn aes_key(bytes: &[u8]) -> AesKey {
    AesKey::new(bytes).expect("a good length")
}

fn ecb(Message { key, plain, .. }: &Message) -> Vec<u8> {
    let mut text = plain.clone();
    let (blocks, _) = text.as_chunks_mut::<16>();
    of_aes!(key, Aes => {
        let cipher = Aes::new_from_slice(key).expect("a good length");
        blocks.iter_mut().for_each(|block| cipher.encrypt_block(block.into()));
    });
    text
}

fn cfb(Message { key, nonce, plain, .. }: &Message) -> Vec<u8> {
    let mut text = plain.clone();
    of_aes!(key, Aes => {
        let cipher = cfb_mode::Encryptor::<Aes>::new_from_slices(key, nonce).expect("good lengths");
        cipher.encrypt(&mut text);
    });
    text
}

/// A block of key stream is the encryption of the one before.
fn ofb(Message { key, nonce, plain, .. }: &Message) -> Vec<u8> {
    let mut text = plain.clone();
    let mut stream = aes::Block::from(*block(nonce));
    of_aes!(key, Aes => {
        let cipher = Aes::new_from_slice(key).expect("a good length");
        for piece in text.chunks_mut(16) {
            cipher.encrypt_block(&mut stream);
            piece.iter_mut().zip(&stream).for_each(|(byte, stream)| *byte ^= stream);
        }
    });
    text
}

/// Both halves of a key for XTS, from a key of 16 to 32 bytes, of which those of 24 are cut.
fn halves(bytes: &[u8]) -> [Vec<u8>; 2] {
    let bytes = if bytes.len() == 32 { bytes } else { &bytes[..16] };
    [bytes.to_vec(), bytes.iter().map(|byte| byte.wrapping_mul(3) ^ 0x5c).collect()]
}

fn xts_key(bytes: &[u8]) -> XtsKey {
    XtsKey::new(&halves(bytes).concat()).expect("a good key")
}

/// IEEE 1619, 5.3, a block at a time.
fn xts(Message { key, nonce, plain, .. }: &Message) -> Vec<u8> {
    let [key, tweak_key] = halves(key);
    let cipher = |key: &[u8], text: [u8; 16]| -> [u8; 16] {
        let text = ecb(&Message {
            key: key.to_vec(),
            nonce: Vec::new(),
            associated: Vec::new(),
            plain: text.to_vec(),
        });
        *block(&text)
    };
    let mut tweak = cipher(&tweak_key, *block(nonce));
    let mut next = |text: [u8; 16]| {
        let xor = |text: [u8; 16]| std::array::from_fn(|i| text[i] ^ tweak[i]);
        let out = xor(cipher(&key, xor(text)));
        let carry = tweak[15] >> 7;
        for i in (1..16).rev() {
            tweak[i] = tweak[i] << 1 | tweak[i - 1] >> 7;
        }
        tweak[0] = (tweak[0] << 1) ^ (carry * 0x87);
        out
    };
    let (blocks, part) = plain.as_chunks::<16>();
    let mut out: Vec<[u8; 16]> = blocks.iter().map(|block| next(*block)).collect();
    if part.is_empty() {
        return out.concat();
    }
    let stolen = out.pop().expect("at least a block");
    let mut last = stolen;
    last[..part.len()].copy_from_slice(part);
    out.push(next(last));
    [&out.concat(), &stolen[..part.len()]].concat()
}
