//! Counter mode in constant time on plain integers: four blocks of a buffer at once.

use zeroize::Zeroize;

use super::CtrKernel;
use crate::kernels::aes::key::{AesKey, Block};
use crate::kernels::aes::soft::{SlicedCipher, WIDTH};

/// Constant-time AES on plain integers, for any CPU.
pub(crate) static SOFT: CtrKernel = CtrKernel { name: "bitsliced", cipher, stream };

/// Does what [`CtrKernel::cipher`] does, with its contract.
unsafe fn cipher(key: &AesKey, first: &Block, src: *const u8, dst: *mut u8, len: usize) {
    let cipher = SlicedCipher::new(key);
    let mut next = *first;
    for at in (0..len).step_by(16 * WIDTH) {
        let mut stream = [[0; 16]; WIDTH];
        for block in &mut stream {
            *block = next;
            increment(&mut next);
        }
        cipher.encrypt(&mut stream);
        for (i, byte) in stream.as_flattened().iter().enumerate().take(len - at) {
            // SAFETY: `at + i < len`, and `src` is readable and `dst` writable for `len` bytes, by
            // the contract of `CtrKernel`.
            unsafe { dst.add(at + i).write(src.add(at + i).read() ^ byte) };
        }
        stream.zeroize();
    }
}

/// Does what [`CtrKernel::stream`] does, with its contract.
unsafe fn stream(key: &AesKey, first: &Block, dst: *mut u8, len: usize) {
    // SAFETY: `dst` is writable for `len` bytes, by the contract of `CtrKernel`, and readable once
    // they are written.
    unsafe {
        dst.write_bytes(0, len);
        cipher(key, first, dst.cast_const(), dst, len);
    }
}

/// Applies the standard's incrementing function on 32 bits (SP 800-38D, 6.2).
pub(crate) fn increment(block: &mut Block) {
    let number = block.last_chunk_mut().expect("a block has four bytes");
    *number = u32::from_be_bytes(*number).wrapping_add(1).to_be_bytes();
}
