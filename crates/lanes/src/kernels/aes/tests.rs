//! Every kernel that this CPU runs, against known answers and against the crates `aes` and `cbc`.

extern crate std;

use super::cbc::{CbcKernel, CbcLaneSet, MAX_LANES};
use super::key::AesKey;
use crate::cpu::Cpu;
use ::aes::{Aes128, Aes192, Aes256};
use ::cbc::cipher::{BlockModeEncrypt, KeyIvInit, block_padding::NoPadding};
use std::vec::Vec;
use std::{eprintln, format, vec};

/// Returns the kernels of CBC that can run here.
fn kernels() -> Vec<&'static CbcKernel> {
    let kernels = Cpu::every(|kernels| &kernels.aes.cbc);
    let names: Vec<_> = kernels.iter().map(|kernel| kernel.name).collect();
    eprintln!("kernels tested: {}", names.join(", "));
    kernels
}

/// Returns the kernels of OFB.
fn ofb_kernels() -> Vec<&'static CbcKernel> {
    Cpu::every(|kernels| &kernels.aes.ofb)
}

/// Returns the kernels of CFB.
fn cfb_kernels() -> Vec<&'static CbcKernel> {
    Cpu::every(|kernels| &kernels.aes.cfb)
}

/// One lane's work: a key, an IV, a plaintext.
struct Case {
    key: Vec<u8>,
    iv: [u8; 16],
    plain: Vec<u8>,
}

impl Case {
    fn random(random: &mut Random, key_length: usize, blocks: usize) -> Self {
        Self {
            key: random.bytes(key_length),
            iv: random.bytes(16).try_into().unwrap(),
            plain: random.bytes(blocks * 16),
        }
    }

    /// Returns the ciphertext of CFB: each block is added to what becomes of the one before it, one
    /// block of CBC under that as IV.
    fn expected_of_cfb(&self) -> Vec<u8> {
        let (mut ciphertext, mut before) = (Vec::new(), self.iv);
        for block in self.plain.chunks(16) {
            let stream = Case { key: self.key.clone(), iv: before, plain: vec![0; 16] }.expected();
            before = core::array::from_fn(|at| block[at] ^ stream[at]);
            ciphertext.extend_from_slice(&before);
        }
        ciphertext
    }

    /// Returns the ciphertext of OFB: the key stream is what CBC makes of zeros.
    fn expected_of_ofb(&self) -> Vec<u8> {
        let zeros = vec![0; self.plain.len()];
        let stream = Case { key: self.key.clone(), iv: self.iv, plain: zeros }.expected();
        self.plain.iter().zip(stream).map(|(byte, stream)| byte ^ stream).collect()
    }

    /// Returns the ciphertext by the `cbc` crate.
    fn expected(&self) -> Vec<u8> {
        let mut buffer = self.plain.clone();
        let length = buffer.len();
        macro_rules! by {
            ($aes:ty) => {
                ::cbc::Encryptor::<$aes>::new_from_slices(&self.key, &self.iv)
                    .unwrap()
                    .encrypt_padded::<NoPadding>(&mut buffer, length)
                    .unwrap()
            };
        }
        match self.key.len() {
            16 => by!(Aes128),
            24 => by!(Aes192),
            _ => by!(Aes256),
        };
        buffer
    }
}

/// xorshift64*: the same cases in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| (self.next() >> 56) as u8).collect()
    }
}

/// Where a buffer lies, and whether the result goes back to it.
#[derive(Clone, Copy, Debug)]
struct Placing {
    misalignment: usize,
    in_place: bool,
}

const PLACINGS: [Placing; 4] = [
    Placing { misalignment: 0, in_place: true },
    Placing { misalignment: 0, in_place: false },
    Placing { misalignment: 5, in_place: true },
    Placing { misalignment: 9, in_place: false },
];

/// A source and a destination, between bytes that must not change.
struct Buffers {
    src: Vec<u8>,
    dst: Vec<u8>,
    placing: Placing,
    length: usize,
}

impl Buffers {
    const ROOM: usize = 32;
    const UNTOUCHED: u8 = 0xa7;

    fn new(data: &[u8], placing: Placing) -> Self {
        let mut src = vec![Self::UNTOUCHED; data.len() + 2 * Self::ROOM];
        let dst = src.clone();
        src[Self::ROOM + placing.misalignment..][..data.len()].copy_from_slice(data);
        Self { src, dst, placing, length: data.len() }
    }

    fn pointers(&mut self) -> (*const u8, *mut u8) {
        let at = Self::ROOM + self.placing.misalignment;
        if self.placing.in_place {
            let both = self.src[at..].as_mut_ptr();
            (both, both)
        } else {
            (self.src[at..].as_ptr(), self.dst[at..].as_mut_ptr())
        }
    }

    /// Returns the result, once it is sure that nothing around it was written.
    fn result(&self) -> &[u8] {
        let all = if self.placing.in_place { &self.src } else { &self.dst };
        let (before, rest) = all.split_at(Self::ROOM + self.placing.misalignment);
        let (result, after) = rest.split_at(self.length);
        assert!(before.iter().chain(after).all(|&byte| byte == Self::UNTOUCHED));
        result
    }
}

/// The final state of a lane, for a case and its ciphertext.
type LastState = fn(case: &Case, ciphertext: &[u8]) -> [u8; 16];

/// CBC's, and CFB's: the last block of the ciphertext.
fn last_block(case: &Case, ciphertext: &[u8]) -> [u8; 16] {
    ciphertext.last_chunk().copied().unwrap_or(case.iv)
}

/// OFB's: the last block of the key stream.
fn last_of_stream(case: &Case, ciphertext: &[u8]) -> [u8; 16] {
    match (case.plain.last_chunk::<16>(), ciphertext.last_chunk::<16>()) {
        (Some(plain), Some(cipher)) => core::array::from_fn(|at| plain[at] ^ cipher[at]),
        _ => case.iv,
    }
}

/// Encrypts the cases, one a lane, in calls of at most `step` blocks.
fn encrypt(
    kernel: &CbcKernel,
    keys: &[&AesKey],
    cases: &[Case],
    placing: Placing,
    step: usize,
    last: LastState,
) -> Vec<Vec<u8>> {
    let n = cases.len();
    let mut buffers: Vec<_> = cases.iter().map(|case| Buffers::new(&case.plain, placing)).collect();
    let mut set = CbcLaneSet::new();
    for (lane, case) in cases.iter().enumerate() {
        set.key[lane] = keys[lane];
        (set.src[lane], set.dst[lane]) = buffers[lane].pointers();
        set.state[lane] = case.iv;
    }
    let mut left = cases[0].plain.len() / 16;
    loop {
        let (blocks, places) = (left.min(step), (set.src, set.dst));
        // SAFETY: the CPU was asked; keys and buffers outlive the call, none overlaps another.
        unsafe { (kernel.encrypt)(&mut set, n, blocks) };
        assert_eq!(
            (&set.src[..n], &set.dst[..n]),
            (&places.0[..n], &places.1[..n]),
            "pointers stay"
        );
        left -= blocks;
        if left == 0 {
            break;
        }
        // SAFETY: each of the buffers has `blocks` more blocks.
        unsafe { set.advance(n, blocks) };
    }
    let results: Vec<_> = buffers.iter().map(|buffers| buffers.result().to_vec()).collect();
    for (lane, result) in results.iter().enumerate() {
        assert_eq!(set.state[lane], last(&cases[lane], result), "the state is the last block");
    }
    results
}

fn decrypt(
    kernel: &CbcKernel,
    key: &AesKey,
    iv: &[u8; 16],
    data: &[u8],
    placing: Placing,
) -> Vec<u8> {
    let mut buffers = Buffers::new(data, placing);
    let (src, dst) = buffers.pointers();
    // SAFETY: the CPU was asked; the buffers hold the data and outlive the call.
    unsafe { (kernel.decrypt)(key, iv, src, dst, data.len() / 16) };
    buffers.result().to_vec()
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

fn known_answer(key: &str, iv: &str, plain: &str, cipher: &str) {
    let key = AesKey::new(&hex(key)).unwrap();
    let (plain, cipher) = (hex(plain), hex(cipher));
    for kernel in kernels() {
        for lanes in 1..=kernel.lanes {
            let cases: Vec<_> = (0..lanes)
                .map(|_| Case {
                    key: Vec::new(),
                    iv: hex(iv).try_into().unwrap(),
                    plain: plain.clone(),
                })
                .collect();
            let keys = vec![&key; lanes];
            for result in encrypt(kernel, &keys, &cases, PLACINGS[0], usize::MAX, last_block) {
                assert_eq!(result, cipher, "{}", kernel.name);
            }
        }
        let iv = hex(iv).try_into().unwrap();
        assert_eq!(decrypt(kernel, &key, &iv, &cipher, PLACINGS[0]), plain, "{}", kernel.name);
    }
}

/// FIPS 197, appendices B and C: one block under a zero IV.
#[test]
fn fips_197() {
    let zero = "00000000000000000000000000000000";
    let plain = "00112233445566778899aabbccddeeff";
    known_answer(
        "2b7e151628aed2a6abf7158809cf4f3c",
        zero,
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    );
    known_answer(
        "000102030405060708090a0b0c0d0e0f",
        zero,
        plain,
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    );
    known_answer(
        "000102030405060708090a0b0c0d0e0f1011121314151617",
        zero,
        plain,
        "dda97ca4864cdfe06eaf70a0ec0d7191",
    );
    known_answer(
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        zero,
        plain,
        "8ea2b7ca516745bfeafc49904b496089",
    );
}

/// SP 800-38A, appendix F.2: four blocks in CBC mode.
#[test]
fn sp_800_38a() {
    let iv = "000102030405060708090a0b0c0d0e0f";
    let plain = "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
                 30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710";
    known_answer(
        "2b7e151628aed2a6abf7158809cf4f3c",
        iv,
        plain,
        "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2
         73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7",
    );
    known_answer(
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        iv,
        plain,
        "4f021db243bc633d7178183a9fa071e8 b4d9ada9ad7dedf4e5e738763f69145a
         571b242012fb7ae07fa9baac3df102e0 08b0e27988598881d920a9e64f5615cd",
    );
    known_answer(
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        iv,
        plain,
        "f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d
         39f23369a9d9bacfa530e26304231461 b2eb05e2c39be9fcda6c19078c6a9d1b",
    );
}

/// Every lane count, own keys and a shared one, lengths, every placing, and the lengths cut into
/// several calls.
fn encryption_is_right(
    kernel: &CbcKernel,
    lengths: impl Iterator<Item = usize> + Clone,
    expected: fn(&Case) -> Vec<u8>,
    last: LastState,
) {
    let mut random = Random(1);
    for (key_length, lanes) in
        [16, 24, 32].into_iter().flat_map(|k| (1..=kernel.lanes).map(move |n| (k, n)))
    {
        for (blocks, shared) in lengths.clone().flat_map(|blocks| [(blocks, false), (blocks, true)])
        {
            let mut cases: Vec<_> =
                (0..lanes).map(|_| Case::random(&mut random, key_length, blocks)).collect();
            if shared {
                let key = cases[0].key.clone();
                cases.iter_mut().for_each(|case| case.key.clone_from(&key));
            }
            let expanded: Vec<_> =
                cases.iter().map(|case| AesKey::new(&case.key).unwrap()).collect();
            let keys: Vec<_> =
                (0..lanes).map(|lane| &expanded[if shared { 0 } else { lane }]).collect();
            let expected: Vec<_> = cases.iter().map(expected).collect();
            let placing = PLACINGS[(blocks + lanes) % 4];
            for step in [usize::MAX, 1 + blocks / 3] {
                let got = encrypt(kernel, &keys, &cases, placing, step, last);
                let what = format!(
                    "{}, {key_length}-byte keys (shared: {shared}), {lanes} lanes, {blocks} \
                     blocks, {step} a call, {placing:?}",
                    kernel.name
                );
                assert!(got == expected, "{what}");
            }
        }
    }
}

#[test]
fn encryption_agrees_with_the_cbc_crate() {
    for kernel in kernels() {
        encryption_is_right(kernel, 0..=40, Case::expected, last_block);
    }
}

#[test]
fn encryption_of_cfb_agrees_with_the_cbc_crate() {
    for kernel in cfb_kernels() {
        encryption_is_right(kernel, (0..=8).chain([20]), Case::expected_of_cfb, last_block);
    }
}

#[test]
fn encryption_of_ofb_agrees_with_the_cbc_crate() {
    for kernel in ofb_kernels() {
        encryption_is_right(kernel, (0..=8).chain([20]), Case::expected_of_ofb, last_of_stream);
    }
}

#[test]
fn decryption_of_ofb_is_its_encryption() {
    let mut random = Random(5);
    for kernel in ofb_kernels() {
        for blocks in [0, 1, 2, 9] {
            let case = Case::random(&mut random, 24, blocks);
            let key = AesKey::new(&case.key).unwrap();
            for placing in PLACINGS {
                let got = decrypt(kernel, &key, &case.iv, &case.expected_of_ofb(), placing);
                assert!(got == case.plain, "{}, {blocks} blocks, {placing:?}", kernel.name);
            }
        }
    }
}

#[test]
fn decryption_undoes_the_cbc_crate() {
    let mut random = Random(2);
    for kernel in kernels() {
        for (key_length, blocks) in
            [16, 24, 32].into_iter().flat_map(|k| (0..=40).map(move |n| (k, n)))
        {
            let case = Case::random(&mut random, key_length, blocks);
            let key = AesKey::new(&case.key).unwrap();
            let cipher = case.expected();
            for placing in PLACINGS {
                let got = decrypt(kernel, &key, &case.iv, &cipher, placing);
                let name = kernel.name;
                assert!(
                    got == case.plain,
                    "{name}, {key_length}-byte key, {blocks} blocks, {placing:?}"
                );
            }
        }
    }
}

#[test]
fn a_lane_count_beyond_the_kernel_panics() {
    for kernel in kernels() {
        for lanes in [0, kernel.lanes + 1] {
            // SAFETY: nothing is touched: the count is refused first.
            let call = || unsafe { (kernel.encrypt)(&mut CbcLaneSet::new(), lanes, 1) };
            assert!(std::panic::catch_unwind(call).is_err(), "{} took {lanes} lanes", kernel.name);
        }
    }
}

/// Buffers that end where the next byte cannot be read.
#[cfg(all(unix, not(miri)))]
mod guard {
    use super::*;

    /// A page, followed by a page that may not be touched.
    struct Page {
        start: *mut u8,
        size: usize,
    }

    impl Page {
        fn new() -> Self {
            // SAFETY: a fresh private mapping of two pages, the second closed at once.
            unsafe {
                let size = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap();
                let start = libc::mmap(
                    core::ptr::null_mut(),
                    2 * size,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                    -1,
                    0,
                );
                assert_ne!(start, libc::MAP_FAILED);
                assert_eq!(libc::mprotect(start.add(size), size, libc::PROT_NONE), 0);
                Self { start: start.cast(), size }
            }
        }

        /// Returns the last bytes of the open page.
        fn tail(&mut self, length: usize) -> &mut [u8] {
            // SAFETY: the page is mapped for reading and writing, and borrowed with self.
            unsafe { core::slice::from_raw_parts_mut(self.start.add(self.size - length), length) }
        }
    }

    impl Drop for Page {
        fn drop(&mut self) {
            // SAFETY: the mapping made in `new`.
            unsafe { libc::munmap(self.start.cast(), 2 * self.size) };
        }
    }

    #[test]
    fn nothing_behind_a_buffer_is_touched() {
        let mut random = Random(3);
        let (mut src, mut dst): (Vec<_>, Vec<_>) =
            (0..MAX_LANES).map(|_| (Page::new(), Page::new())).unzip();
        for kernel in kernels() {
            for (lanes, blocks) in (1..=kernel.lanes).flat_map(|n| (1..=17).map(move |b| (n, b))) {
                let cases: Vec<_> =
                    (0..lanes).map(|_| Case::random(&mut random, 16, blocks)).collect();
                let keys: Vec<_> =
                    cases.iter().map(|case| AesKey::new(&case.key).unwrap()).collect();
                let mut set = CbcLaneSet::new();
                for (lane, case) in cases.iter().enumerate() {
                    src[lane].tail(blocks * 16).copy_from_slice(&case.plain);
                    set.key[lane] = &keys[lane];
                    set.src[lane] = src[lane].tail(blocks * 16).as_ptr();
                    set.dst[lane] = dst[lane].tail(blocks * 16).as_mut_ptr();
                    set.state[lane] = case.iv;
                }
                // SAFETY: the CPU was asked; keys and pages outlive the call, none overlaps
                // another.
                unsafe { (kernel.encrypt)(&mut set, lanes, blocks) };
                for (lane, case) in cases.iter().enumerate() {
                    let cipher = dst[lane].tail(blocks * 16);
                    assert_eq!(cipher, case.expected(), "{}", kernel.name);
                    let plain = src[lane].tail(blocks * 16);
                    plain.fill(0);
                    // SAFETY: as above.
                    unsafe {
                        (kernel.decrypt)(
                            &keys[lane],
                            &case.iv,
                            cipher.as_ptr(),
                            plain.as_mut_ptr(),
                            blocks,
                        );
                    }
                    assert_eq!(plain, case.plain, "{}", kernel.name);
                }
            }
        }
    }
}
