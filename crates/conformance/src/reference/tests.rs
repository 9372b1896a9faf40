//! The modes that are composed here, against RustCrypto's own.

use aes::{Aes128, Aes192, Aes256};
use aes_gcm::AesGcm;
use aes_gcm::aead::consts::{U7, U8, U10, U12, U13, U16};
use aes_gcm::aead::{AeadInOut, KeyInit};
use broadloom_engine::{AeadAlgorithm, AesSize};
use ccm::Ccm;

use super::*;

fn same<A: AeadInOut + KeyInit>(algorithm: AeadAlgorithm, nonce_len: usize, tag_len: usize) {
    let mut rng = fastrand::Rng::with_seed(nonce_len as u64);
    let mut random = |len: usize| (0..len).map(|_| rng.u8(..)).collect::<Vec<_>>();
    for len in (0..70).chain([1000]) {
        let (key, nonce) = (random(algorithm.key_len()), random(nonce_len));
        let (associated, text) = (random(len / 3), random(len));
        let mut input = Input {
            algorithm: Algorithm::Aead(algorithm),
            direction: Direction::Seal,
            key: &key,
            mac_key: &[],
            nonce: &nonce,
            associated: &associated,
            tag_len,
            bits: None,
            data: &text,
        };
        let sealed = compute(&input);
        let mut theirs = text.clone();
        let cipher = A::new_from_slice(&key).expect("the key fits");
        let nonce = nonce.as_slice().try_into().expect("the nonce fits");
        let tag = cipher.encrypt_inout_detached(nonce, &associated, theirs.as_mut_slice().into());
        assert_eq!(
            sealed,
            (theirs, tag.expect("the text fits").to_vec()),
            "{algorithm}, {len} bytes"
        );
        (input.direction, input.data) = (Direction::Open, &sealed.0);
        assert_eq!(compute(&input), (text.clone(), sealed.1.clone()));
    }
}

#[test]
fn gcm_is_that_of_the_crate() {
    same::<AesGcm<Aes128, U12>>(AeadAlgorithm::AesGcm(AesSize::Aes128), 12, 16);
    same::<AesGcm<Aes192, U8>>(AeadAlgorithm::AesGcm(AesSize::Aes192), 8, 16);
    same::<AesGcm<Aes256, U16>>(AeadAlgorithm::AesGcm(AesSize::Aes256), 16, 16);
}

#[test]
fn ccm_is_that_of_the_crate() {
    same::<Ccm<Aes128, U16, U13>>(AeadAlgorithm::AesCcm(AesSize::Aes128), 13, 16);
    same::<Ccm<Aes192, U8, U12>>(AeadAlgorithm::AesCcm(AesSize::Aes192), 12, 8);
    same::<Ccm<Aes256, U10, U7>>(AeadAlgorithm::AesCcm(AesSize::Aes256), 7, 10);
}
