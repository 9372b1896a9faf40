//! Lengths of texts and of associated data.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{AeadAlgorithm, Algorithm, Data, Processor};
use fastrand::Rng;

use crate::case::{Case, Layout, random_nonce};
use crate::keyed::{Keyed, random_bytes, simple, varied};
use crate::limits::{LONGEST_ASSOCIATED, LONGEST_TEXT};

/// Every length from nothing to four blocks of a hash and one byte, or to sixteen of a cipher and
/// some bytes: all side by side, and each alone.
pub fn lengths(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(3);
    let mut processor = Processor::new();
    for algorithm in varied(provider) {
        let longest = match algorithm {
            Algorithm::Hash(hash) => 4 * hash.block_len() + 1,
            _ => 16 * 16 + 17,
        };
        let keyed = Keyed::random(&mut rng, provider, algorithm);
        let lens = (algorithm.min_len()..=longest).step_by(algorithm.granularity());
        let cases: Vec<_> = lens.map(|len| Case::random(&mut rng, &keyed, len)).collect();
        for session in keyed.open_all(provider) {
            let jobs = || cases.iter().map(|case| case.owned_job(&session).user(case));
            let mut together: Vec<_> = jobs().collect();
            processor.process_many(&mut together);
            together.iter().for_each(|job| job.user_value().check(job, "beside all other lengths"));
            for mut job in jobs() {
                processor.process_many(std::slice::from_mut(&mut job));
                job.user_value().check(&job, "alone");
            }
        }
    }
}

/// Every length in bits up to some blocks, of the whole text and of a range, in place and apart.
/// Bits behind the last one stay unchanged.
pub fn lengths_in_bits(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(30);
    let mut processor = Processor::new();
    for algorithm in simple(provider).into_iter().filter(|algorithm| algorithm.counts_bits()) {
        let keyed = Keyed::random(&mut rng, provider, algorithm);
        let cases: Vec<_> = (0..=300)
            .map(|bits: usize| {
                let len = bits.div_ceil(8);
                let ranged = bits.is_multiple_of(3);
                let (start, end) = if ranged { (bits % 7, bits % 7 + len + 5) } else { (0, len) };
                let range = ranged.then_some(start..start + len);
                let ciphers = matches!(algorithm, Algorithm::Cipher(_));
                let (cipher, mac) = if ciphers { (range, None) } else { (None, range) };
                let layout = Layout { cipher, mac, tag_at: None };
                let nonce = random_nonce(&mut rng, algorithm, len);
                let text = random_bytes(&mut rng, end);
                Case::new(keyed.clone(), nonce, Vec::new(), layout, text).of_bits(Some(bits))
            })
            .collect();
        for session in keyed.open_all(provider) {
            let mut jobs = Vec::new();
            for case in &cases {
                let input = case.input(session.direction());
                jobs.push(case.owned_job(&session).user((case, "in place")));
                let apart = (input, vec![0x11; input.len()]);
                jobs.push(case.job(&session, apart).user((case, "out of place")));
                let (front, back) = input.split_at(input.len() / 2);
                let pieces = Data::scattered(vec![front.to_vec().into(), back.to_vec().into()]);
                jobs.push(case.job(&session, pieces).user((case, "in two pieces")));
            }
            processor.process_many(&mut jobs);
            for job in &jobs {
                let (case, how) = *job.user_value();
                case.check(job, how);
            }
        }
    }
}

/// A buffer of 1 MiB among buffers of 16 bytes, at any place of the burst.
pub fn large_beside_small(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(4);
    let mut processor = Processor::new();
    for (turn, algorithm) in simple(provider).into_iter().enumerate() {
        let keyed = Keyed::random(&mut rng, provider, algorithm);
        let large_at = turn * 5 % 24;
        let lens = (0..24).map(|place| if place == large_at { LONGEST_TEXT } else { 16 });
        let cases: Vec<_> = lens.map(|len| Case::random(&mut rng, &keyed, len)).collect();
        for session in keyed.open_all(provider) {
            let mut jobs: Vec<_> = cases.iter().map(|case| case.owned_job(&session)).collect();
            processor.process_many(&mut jobs);
            cases.iter().zip(&jobs).for_each(|(case, job)| case.check(job, "one is large"));
        }
    }
}

/// Associated data of every length to some blocks, and around the lengths at which CCM writes its
/// own length in another way.
pub fn long_associated_data(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(5);
    let mut processor = Processor::new();
    for aead in AeadAlgorithm::all().filter(|aead| provider.supports(Algorithm::Aead(*aead))) {
        let keyed = Keyed::random(&mut rng, provider, Algorithm::Aead(aead));
        let lens =
            (0..=80).chain([255, 256, 4096, 0xfeff, 0xff00, 0xff01, 0x1_0000, LONGEST_ASSOCIATED]);
        let lens = lens.filter(|len| *len <= keyed.limits.associated);
        let cases: Vec<_> = lens
            .map(|len| {
                let nonce = random_nonce(&mut rng, keyed.algorithm, 33);
                let (associated, text) =
                    (random_bytes(&mut rng, len), random_bytes(&mut rng, len % 34));
                Case::new(keyed.clone(), nonce, associated, Layout::default(), text)
            })
            .collect();
        for session in keyed.open_all(provider) {
            let mut jobs: Vec<_> = cases.iter().map(|case| case.owned_job(&session)).collect();
            processor.process_many(&mut jobs);
            cases.iter().zip(&jobs).for_each(|(case, job)| case.check(job, "many lengths"));
        }
    }
}
