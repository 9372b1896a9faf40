//! GCM in constant time on plain integers, one message after the other.

use zeroize::Zeroize;

use super::field::Element;
use super::key::GcmKey;
use super::{GcmKernel, Message};
use crate::kernels::aes::ctr::soft::increment;
use crate::kernels::aes::key::Block;
use crate::kernels::aes::soft::{SlicedCipher, WIDTH};

/// Constant-time AES and GHASH on plain integers, for any CPU.
pub(crate) static SOFT: GcmKernel = GcmKernel { name: "bitsliced", process, first_counter };

/// Does what [`GcmKernel::process`] does, with its contract.
unsafe fn process(messages: &[Message]) {
    for message in messages {
        // SAFETY: the message fulfils the contract of `GcmKernel`.
        unsafe { process_one(message) };
    }
}

/// Seals or opens one message.
///
/// # Safety
/// The contract of [`GcmKernel`], for this message.
unsafe fn process_one(message: &Message) {
    let Message { key, counter, associated, src, dst, len, tag, seals, .. } = *message;
    // SAFETY: the key is valid and all pointers are valid for the lengths beside them, by this
    // function's contract; slices of bytes that are written are made anew afterwards.
    unsafe {
        let key = &*key;
        let associated = core::slice::from_raw_parts(associated.0, associated.1);
        let hash_key = key.hash_key();
        let cipher = SlicedCipher::new(key.aes());
        let hash_text =
            |text: *const u8| hash(hash_key, associated, core::slice::from_raw_parts(text, len));
        let [low, high] = counter.map(u64::from_le);
        let mut mask = (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
        let mut sum = Element::default();
        if !seals {
            sum = hash_text(src);
        }
        encipher(&cipher, &mut mask, src, dst, len);
        if seals {
            sum = hash_text(dst);
        }
        let mut sum = sum.to_block();
        for (sum, mask) in sum.iter_mut().zip(&mask) {
            *sum ^= mask;
        }
        tag.cast::<Block>().write(sum);
        mask.zeroize();
    }
}

/// Does what [`GcmKernel::first_counter`] does, with its contract.
unsafe fn first_counter(key: &GcmKey, nonce: *const u8, len: usize) -> Block {
    // SAFETY: `nonce` is readable for `len` bytes, by the contract of `GcmKernel`.
    let nonce = unsafe { core::slice::from_raw_parts(nonce, len) };
    hash(key.hash_key(), &[], nonce).to_block()
}

/// Ciphers a text with the counters after `first`, which is ciphered itself.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes, and they are equal or apart.
unsafe fn encipher(
    cipher: &SlicedCipher,
    first: &mut Block,
    src: *const u8,
    dst: *mut u8,
    len: usize,
) {
    let mut next = *first;
    // The stream begins with a block that is not added to the text.
    for start in (0..len + 16).step_by(16 * WIDTH) {
        let mut stream = [[0; 16]; WIDTH];
        for block in &mut stream {
            *block = next;
            increment(&mut next);
        }
        cipher.encrypt(&mut stream);
        if start == 0 {
            *first = stream[0];
        }
        for (at, byte) in
            (start..len + 16).zip(stream.as_flattened()).skip(if start == 0 { 16 } else { 0 })
        {
            // SAFETY: `at - 16 < len`, and both places are valid for `len` bytes, by this
            // function's contract.
            unsafe { dst.add(at - 16).write(src.add(at - 16).read() ^ byte) };
        }
        stream.zeroize();
    }
}

/// Returns the GHASH of two texts, each filled up with zeros, and their lengths.
fn hash(key: Element, first: &[u8], second: &[u8]) -> Element {
    let mut sum = Element::default();
    for text in [first, second] {
        for part in text.chunks(16) {
            let mut block = [0; 16];
            block[..part.len()].copy_from_slice(part);
            sum = sum.plus(Element::of_block(&block)).times(key);
        }
    }
    let lengths = Element { low: 8 * second.len() as u64, high: 8 * first.len() as u64 };
    sum.plus(lengths).times(key)
}
