//! Poly1305 against an independent implementation, with values whose carries go furthest.

use std::vec;
use std::vec::Vec;

use poly1305::universal_hash::{KeyInit, UniversalHash};

use super::{BLOCK, NoVectors, OneTimeKey, Part, Poly, Wide, absorb_each};

/// Returns the tags of a text that is absorbed in one call, in two, and beside others: texts that
/// end earlier, later, and with it.
///
/// # Safety
/// The CPU has W's instructions.
#[inline(always)]
pub(crate) unsafe fn tags<W: Wide>(key: &OneTimeKey, text: &[u8]) -> Vec<[u8; 16]> {
    let at = text.len() / 32 * 16;
    // SAFETY: the CPU has W's instructions, by this function's contract; all parts come from a
    // slice.
    unsafe {
        let (mut whole, mut parts) = (Poly::new(key), Poly::new(key));
        whole.absorb::<W>(text.as_ptr(), text.len());
        parts.absorb::<W>(text.as_ptr(), at);
        parts.absorb::<W>(text.as_ptr().add(at), text.len() - at);
        let mut all = vec![whole.tag(), parts.tag()];
        // How much of the text a part has behind it already, in whole blocks.
        let cuts = |i: usize| text.len() / BLOCK * [0, 4, 2, 0, 1, 3, 0, 1][i % 8] / 4 * BLOCK;
        for count in [W::LANES / 2 + 1, W::LANES, W::LANES + W::LANES / 2, 2 * W::LANES] {
            let mut parts: Vec<Part> = (0..count)
                .map(|i| {
                    let mut poly = Poly::new(key);
                    poly.absorb::<W>(text.as_ptr(), cuts(i));
                    poly.part(text[cuts(i)..].as_ptr(), text.len() - cuts(i))
                })
                .collect();
            let mut numbers: Vec<usize> = (0..count).collect();
            absorb_each::<W>(&mut parts, &mut numbers);
            all.extend(parts.iter().map(|part| part.absorbed::<W>(key).tag()));
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count));
        }
        all
    }
}

/// A function of a key and a text.
pub(crate) type Tags = unsafe fn(&OneTimeKey, &[u8]) -> Vec<[u8; 16]>;

#[test]
fn tags_are_right_where_sums_are_largest_and_smallest() {
    // SAFETY: integers need no instruction set.
    unsafe { check(tags::<NoVectors>) };
}

/// Compares tags with the tags of an independent implementation.
///
/// # Safety
/// The CPU has the instructions of `tags`.
pub(crate) unsafe fn check(ours: Tags) {
    let byte = |seed: usize, i: usize| ((seed * 167) ^ (i * 31) ^ (i >> 3)) as u8;
    let mut keys: Vec<[u8; 32]> = vec![[0xff; 32], [0; 32]];
    // RFC 8439, A.3: keys 1 and 2, with nothing added, or the most that can be.
    for (r, s) in [(1, 0), (2, 0), (2, 0xff), (4, 0xff), (5, 0)] {
        let mut key = [s; 32];
        key[..16].fill(0);
        key[0] = r;
        keys.push(key);
    }
    keys.extend((0..20).map(|seed| core::array::from_fn(|i| byte(seed, i))));
    for len in [0, 1, 15, 16, 17, 32, 48, 64, 255, 256, 272, 320, 512, 513, 640, 1024, 2047] {
        let mut texts: Vec<Vec<u8>> =
            [0xff, 0, 0xfb, 0xfe, 0x01].map(|byte| vec![byte; len]).into();
        texts.extend((0..3).map(|seed| (0..len).map(|i| byte(seed, i)).collect()));
        // Sums of 2^130 - 5 and about that.
        texts.push((0..len).map(|i| if i % 48 == 0 { 0xfb } else { 0xff }).collect());
        for (key, text) in keys.iter().flat_map(|key| texts.iter().map(move |text| (key, text))) {
            let mut reference = poly1305::Poly1305::new(key.into());
            reference.update_padded(text);
            let expected = reference.finalize();
            let words = core::array::from_fn(|i| match i {
                0..8 => u32::from_le_bytes(*key[4 * i..].first_chunk().expect("32 bytes")),
                _ => 0,
            });
            // SAFETY: the CPU has the instructions of `ours`, by this function's contract.
            let tags = unsafe { ours(&OneTimeKey::of_stream(&words), text) };
            for (i, tag) in tags.into_iter().enumerate() {
                assert_eq!(tag, expected.as_slice(), "{i}, key {key:x?}, {len} bytes");
            }
        }
    }
}
