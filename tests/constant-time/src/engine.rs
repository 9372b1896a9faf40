//! Tags that the engine compares: `verify`, `open` and `decrypt`, at the provider `native`.

use std::sync::Arc;

use broadloom_engine::{
    Algorithm, ChainOrder, CipherAlgorithm, Direction, HashAlgorithm, Job, MacAlgorithm, Processor,
    Session, Transform,
};
use broadloom_lanes::Cpu;
use broadloom_native::Native;

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{disclose, forge, made_from_secrets, public, secret};

pub fn check(checks: &mut Checks) {
    for algorithm in algorithms() {
        let directions = algorithm.directions();
        let [making, checking] = *directions else {
            unreachable!("{algorithm} has a direction for either end")
        };
        checks.check(&format!("engine, {algorithm} {checking}"), |cpu| {
            process(cpu, algorithm, making, checking)
        });
    }
}

/// All that compare tags: MACs, AEADs, chains of one pass and a chain of two.
fn algorithms() -> Vec<Algorithm> {
    use CipherAlgorithm::{AesCbc, AesCtr, TripleDesCbc};
    let aes = broadloom_engine::AesSize::Aes128;
    let simple = Algorithm::simple()
        .filter(|algorithm| matches!(algorithm, Algorithm::Mac(_) | Algorithm::Aead(_)));
    let chains = [
        (AesCbc(aes), HashAlgorithm::Sha1),
        (AesCtr(aes), HashAlgorithm::Sha256),
        (TripleDesCbc, HashAlgorithm::Sha1),
    ];
    let chains = chains.into_iter().flat_map(|(cipher, hash)| {
        [ChainOrder::CipherThenMac, ChainOrder::MacThenCipher]
            .map(|order| Algorithm::Chain(cipher, MacAlgorithm::Hmac(hash), order))
    });
    simple.chain(chains).collect()
}

/// Makes tags, and has them compared: every other one is wrong.
fn process(cpu: &Cpu, algorithm: Algorithm, making: Direction, checking: Direction) -> bool {
    const COUNT: usize = 6;
    let is_forged = |number: usize| number % 2 == 1;
    let open = |direction| {
        let (key, mac_key) = keys(algorithm);
        let transform = Transform::new(algorithm, direction, &key, &mac_key).build();
        Session::open(
            Arc::new(Native::new(cpu.clone()).with_legacy()),
            &transform.expect("good keys"),
        )
        .expect("native has it")
    };
    let lens = algorithm.nonce_lens();
    let nonce_len = if lens.contains(12) { 12 } else { lens.max() };
    let nonce = |i: usize| -> Vec<u8> {
        let nonce = public(i, nonce_len).into_iter().enumerate();
        nonce.map(|(at, byte)| byte & algorithm.nonce_mask(at)).collect()
    };
    let job = |session: &Session, i: usize, text: Vec<u8>| -> Job<'static> {
        let job = Job::new(session.clone(), text).nonce(&nonce(i));
        if matches!(algorithm, Algorithm::Aead(_)) { job.associated(public(i, 20)) } else { job }
    };

    let session = open(making);
    let texts: Vec<_> = (0..COUNT).map(|i| secret(i, [64, 16, 304][i % 3])).collect();
    let mut made: Vec<_> =
        texts.iter().enumerate().map(|(i, text)| job(&session, i, text.clone())).collect();
    let mut processor = Processor::new();
    watch(|| processor.process_many(&mut made));

    let session = watch(|| open(checking));
    let arrived = made.iter().zip(texts).enumerate().map(|(i, (made, text))| {
        let mut tag = made.tag().expect("a tag is made").to_vec();
        disclose(&mut tag);
        if is_forged(i) {
            forge(&mut tag);
        }
        let text = match algorithm {
            Algorithm::Mac(_) => text,
            _ => {
                let mut sealed = made.output().expect("it was written").to_vec();
                disclose(&mut sealed);
                sealed
            }
        };
        job(&session, i, text).expect_tag(&tag)
    });
    let mut arrived: Vec<_> = arrived.collect();
    watch(|| processor.process_many(&mut arrived));
    arrived.iter().enumerate().all(|(number, job)| {
        assert_eq!(job.succeeded(), !is_forged(number), "{algorithm}, message {number}");
        let text =
            job.output().filter(|_| job.succeeded() && !matches!(algorithm, Algorithm::Mac(_)));
        text.is_none_or(|text| made_from_secrets(&mut text.to_vec()))
    }) && made.iter().all(|job| made_from_secrets(&mut job.tag().expect("made").to_vec()))
}

/// Secret keys. The engine may branch on whether parts of a triple DES key are equal: that outcome
/// is public.
fn keys(algorithm: Algorithm) -> (Vec<u8>, Vec<u8>) {
    // Some take keys of any length.
    let of_mac = |mac: MacAlgorithm| mac.key_lens().max().min(32);
    match algorithm {
        Algorithm::Mac(mac) => (secret(1, of_mac(mac)), Vec::new()),
        Algorithm::Aead(aead) => (secret(1, aead.key_len()), Vec::new()),
        Algorithm::Chain(cipher, mac, _) => {
            let mut key = secret(1, cipher.key_len());
            if cipher == CipherAlgorithm::TripleDesCbc {
                // `DesKey` compares the parts once more.
                for (part, bit) in key.chunks_mut(8).zip([0, 0x80, 0]) {
                    part[7] = part[7] & 0x7f | bit;
                }
            }
            (key, secret(2, of_mac(mac)))
        }
        _ => unreachable!("{algorithm} compares no tag"),
    }
}
