//! ChaCha20, ChaCha20-Poly1305 and XChaCha20-Poly1305 with their independent implementations.

use broadloom_lanes::{
    ChaChaKey, ChaChaLanes, ChaChaPolyLanes, Cpu, Loan, Planner, XChaChaPolyLanes,
};
use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, XChaCha20Poly1305};
use ctr::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};

use super::packets::{Message, Mode, View};

/// A key of 32 bytes: tests for all modes bring shorter ones, too, which are repeated.
fn whole(key: &[u8]) -> [u8; 32] {
    std::array::from_fn(|i| key[i % key.len()])
}

/// The counter and the nonce that a nonce of 16 bytes stands for.
pub fn counter_and_nonce(nonce: &[u8]) -> (u32, &[u8; 12]) {
    let (counter, nonce) = nonce.split_first_chunk().expect("16 bytes");
    (u32::from_le_bytes(*counter), nonce.try_into().expect("16 bytes"))
}

/// The block function as RFC 8439, 2.3, writes it.
fn block(key: &[u8; 32], counter: u32, nonce: &[u8; 12]) -> [u8; 64] {
    let bytes = [b"expand 32-byte k".as_slice(), key, &counter.to_le_bytes(), nonce].concat();
    let words = bytes.as_chunks().0;
    let initial: [u32; 16] = std::array::from_fn(|i| u32::from_le_bytes(words[i]));
    let mut state = initial;
    let mut quarter_round = |[a, b, c, d]: [usize; 4]| {
        for ([to, from, turned], bits) in
            [[a, b, d], [c, d, b]].into_iter().cycle().zip([16, 12, 8, 7])
        {
            state[to] = state[to].wrapping_add(state[from]);
            state[turned] = (state[turned] ^ state[to]).rotate_left(bits);
        }
    };
    for _ in 0..10 {
        (0..4).for_each(|i| quarter_round([i, 4 + i, 8 + i, 12 + i]));
        (0..4).for_each(|i| quarter_round([i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4]));
    }
    let sums: [_; 16] = std::array::from_fn(|i| state[i].wrapping_add(initial[i]).to_le_bytes());
    sums.as_flattened().try_into().expect("64 bytes")
}

/// ChaCha20, its nonce a counter in little-endian order and the nonce proper.
pub struct ChaCha20;

impl Mode for ChaCha20 {
    const NAME: &'static str = "chacha20";
    const NONCES: &'static [usize] = &[16];
    type Key = ChaChaKey;

    fn key(bytes: &[u8]) -> ChaChaKey {
        ChaChaKey::new(&whole(bytes))
    }

    fn process(cpu: &Cpu, keys: &[ChaChaKey], views: Vec<View<'_>>) {
        let all = views.into_iter().zip(keys);
        Planner::<ChaChaLanes>::new(cpu).process_each(all.map(|(view, key)| {
            let (counter, nonce) = counter_and_nonce(view.nonce);
            Loan::chacha20(key, counter, nonce, view.text).expect("there are counters enough")
        }));
    }

    fn expected(Message { key, nonce, plain, .. }: &Message) -> (Vec<u8>, Vec<u8>) {
        let (counter, nonce) = counter_and_nonce(nonce);
        let mut text = plain.clone();
        // The crate refuses the block with the last counter.
        let before_last = 64 * u64::from(u32::MAX - counter);
        let split = text.len().min(before_last as usize);
        let (most, last) = text.split_at_mut(split);
        let mut cipher = chacha20::ChaCha20::new(&whole(key).into(), nonce.into());
        cipher.seek(64 * u64::from(counter));
        cipher.apply_keystream(most);
        let stream = block(&whole(key), u32::MAX, nonce);
        last.iter_mut().zip(stream).for_each(|(byte, stream)| *byte ^= stream);
        (text, Vec::new())
    }
}

/// ChaCha20-Poly1305 or XChaCha20-Poly1305, one way.
macro_rules! chacha_poly {
    ($(
        $(#[$doc:meta])*
        $mode:ident, $name:literal, $lanes:ident, $nonce:literal, $crate_type:ident,
        $undoes:literal, $way:ident;
    )*) => { $(
        $(#[$doc])*
        pub struct $mode;

        impl Mode for $mode {
            const NAME: &'static str = concat!($name, " ", stringify!($way));
            const NONCES: &'static [usize] = &[$nonce];
            const ASSOCIATED: bool = true;
            const TAG: usize = 16;
            const UNDOES: bool = $undoes;
            type Key = ChaChaKey;

            fn key(bytes: &[u8]) -> ChaChaKey {
                ChaChaKey::new(&whole(bytes))
            }

            fn process(cpu: &Cpu, keys: &[ChaChaKey], views: Vec<View<'_>>) {
                Planner::<$lanes>::new(cpu).process_each(views.into_iter().zip(keys).map(
                    |(View { nonce, associated, text, tag }, key)| {
                        let nonce = nonce.try_into().expect("as many bytes");
                        Loan::<$lanes>::$way(key, nonce, associated, text, tag)
                    },
                ));
            }

            fn expected(Message { key, nonce, associated, plain }: &Message) -> (Vec<u8>, Vec<u8>) {
                let cipher = $crate_type::new(&whole(key).into());
                let nonce: [u8; $nonce] = nonce.as_slice().try_into().expect("as many bytes");
                let mut text = plain.clone();
                let tag = cipher
                    .encrypt_inout_detached(&nonce.into(), associated, text.as_mut_slice().into())
                    .expect("lengths within the limits");
                (text, tag.to_vec())
            }
        }
    )* };
}

chacha_poly! {
    /// ChaCha20-Poly1305, sealing.
    ChaChaSeal, "chacha20-poly1305", ChaChaPolyLanes, 12, ChaCha20Poly1305, false, seal;
    /// ChaCha20-Poly1305, opening.
    ChaChaOpen, "chacha20-poly1305", ChaChaPolyLanes, 12, ChaCha20Poly1305, true, open;
    /// XChaCha20-Poly1305, sealing.
    XChaChaSeal, "xchacha20-poly1305", XChaChaPolyLanes, 24, XChaCha20Poly1305, false, seal;
    /// XChaCha20-Poly1305, opening.
    XChaChaOpen, "xchacha20-poly1305", XChaChaPolyLanes, 24, XChaCha20Poly1305, true, open;
}
