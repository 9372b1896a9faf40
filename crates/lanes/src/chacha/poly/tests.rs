//! Poly1305 against an independent implementation, where its carries go furthest.

use std::vec;
use std::vec::Vec;

use poly1305::universal_hash::{KeyInit, UniversalHash};

use super::{BLOCK, NoVectors, OneTimeKey, Part, Poly, Wide, absorb_each};
#[cfg(target_arch = "x86_64")]
use super::{Fused, Lanes, Limbs};
use crate::cpu::{Cpu, Isa};

/// The tags of a text in one call, in two, and beside others: of texts that end earlier, later, and with it.
///
/// # Safety
/// The CPU has W's instructions.
#[inline(always)]
unsafe fn tags<W: Wide>(key: &OneTimeKey, text: &[u8]) -> Vec<[u8; 16]> {
    let at = text.len() / 32 * 16;
    // SAFETY: the caller's; the parts are those of a slice.
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

/// What a key and a text are given to.
type Tags = unsafe fn(&OneTimeKey, &[u8]) -> Vec<[u8; 16]>;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn tags_avx2(key: &OneTimeKey, text: &[u8]) -> Vec<[u8; 16]> {
    // SAFETY: the instructions are enabled here.
    unsafe { tags::<Lanes<Limbs<crate::isa::avx2::U64x4>>>(key, text) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn tags_avx512(key: &OneTimeKey, text: &[u8]) -> Vec<[u8; 16]> {
    // SAFETY: the instructions are enabled here.
    unsafe { tags::<Lanes<Limbs<crate::isa::avx512::U64x8>>>(key, text) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
unsafe fn tags_ifma(key: &OneTimeKey, text: &[u8]) -> Vec<[u8; 16]> {
    // SAFETY: the instructions are enabled here.
    unsafe { tags::<Lanes<Fused>>(key, text) }
}

/// All that this machine can run.
fn ways() -> Vec<Tags> {
    let all: &[(Isa, &str, Tags)] = &[
        (Isa::Portable, "", tags::<NoVectors>),
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2, "avx2", tags_avx2),
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, "avx512f", tags_avx512),
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, "avx512ifma", tags_ifma),
    ];
    let has =
        |isa, feature| Cpu::with_isa(isa).is_ok_and(|cpu| isa == Isa::Portable || cpu.has(feature));
    all.iter().filter(|(isa, feature, _)| has(*isa, feature)).map(|(_, _, tags)| *tags).collect()
}

#[test]
fn tags_are_right_where_sums_are_largest_and_smallest() {
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
        let mut texts: Vec<Vec<u8>> = [0xff, 0, 0xfb, 0xfe, 0x01].map(|byte| vec![byte; len]).into();
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
            for (i, tags) in ways().into_iter().enumerate() {
                // SAFETY: this machine can run it.
                let tags = unsafe { tags(&OneTimeKey::of_stream(&words), text) };
                for (j, tag) in tags.into_iter().enumerate() {
                    assert_eq!(tag, expected.as_slice(), "way {i}, {j}, key {key:x?}, {len} bytes");
                }
            }
        }
    }
}
