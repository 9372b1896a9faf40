//! Separate parts of a buffer for the cipher and for the MAC, and a place for the tag.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, Data, Processor};
use fastrand::Rng;

use crate::case::{Case, Layout, random_nonce};
use crate::keyed::{Keyed, random_bytes, simple};

/// A range at any offset in a buffer, and a tag before or after it; in place, out of place and in
/// pieces. What is in no range stays, or is copied.
pub fn ranges(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(9);
    let mut processor = Processor::new();
    for algorithm in simple(provider) {
        let keyed = Keyed::random(&mut rng, provider, algorithm);
        let cases: Vec<_> = (0..40).map(|_| ranged(&mut rng, &keyed)).collect();
        for session in keyed.open_all(provider) {
            let mut jobs = Vec::new();
            for case in &cases {
                let input = case.input(session.direction());
                let (first, last) = input.split_at(input.len() / 3);
                let pieces = vec![first.to_vec().into(), last.to_vec().into()];
                jobs.push(case.owned_job(&session).user((case, "in place")));
                let apart = (input.to_vec(), vec![0xee; input.len()]);
                jobs.push(case.job(&session, apart).user((case, "out of place")));
                jobs.push(case.job(&session, Data::scattered(pieces)).user((case, "in pieces")));
            }
            processor.process_many(&mut jobs);
            for job in &jobs {
                let (case, how) = *job.user_value();
                case.check(job, format_args!("a range, {how}"));
            }
        }
    }
}

/// A random range with bytes around it, in which the tag may be.
fn ranged(rng: &mut Rng, keyed: &Keyed) -> Case {
    let head = rng.usize(..40);
    let len = keyed.text_len(rng.usize(..120));
    let (covered, tail) = (head..head + len, rng.usize(..40));
    let tag_len = keyed.tag_len;
    let (total, tag_at) = match rng.u8(..3) {
        _ if tag_len == 0 => (covered.end + tail, None),
        0 => (covered.end + tail, None),
        1 if tag_len <= head => (covered.end + tail, Some(head - tag_len)),
        _ => (covered.end + tail + tag_len, Some(covered.end + rng.usize(..=tail))),
    };
    let layout = match keyed.algorithm {
        Algorithm::Cipher(_) | Algorithm::Aead(_) => {
            Layout { cipher: Some(covered), mac: None, tag_at }
        }
        _ => Layout { cipher: None, mac: Some(covered), tag_at },
    };
    let nonce = random_nonce(rng, keyed.algorithm, len);
    let associated = match keyed.algorithm {
        Algorithm::Aead(_) => random_bytes(rng, 13),
        _ => Vec::new(),
    };
    let before = random_bytes(rng, total);
    Case::new(keyed.clone(), nonce, associated, layout, before)
}
