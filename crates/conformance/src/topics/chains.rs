//! Ciphers and MACs over one buffer, in the layouts of protocols.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, ChainOrder, Direction, JobError, Processor, Session};
use fastrand::Rng;

use super::tags::{assert_nothing_left, with_wrong_tag};
use crate::case::{Case, Layout, random_nonce};
use crate::keyed::{Keyed, chains, random_bytes};

/// Every cipher with every MAC, in both orders, over all of the buffer; what was encrypted
/// decrypts.
pub fn every_chain(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(18);
    let mut processor = Processor::new();
    for algorithm in chains(provider) {
        let keyed = Keyed::random(&mut rng, provider, algorithm);
        let cases: Vec<_> = [0, 64, 200].map(|len| Case::random(&mut rng, &keyed, len)).into();
        let sessions = keyed.open_all(provider);
        let mut jobs = Vec::new();
        for session in &sessions {
            jobs.extend(cases.iter().map(|case| case.owned_job(session).user(case)));
        }
        processor.process_many(&mut jobs);
        jobs.iter().for_each(|job| job.user_value().check(job, "over all of the buffer"));
    }
}

/// As IPsec has it (RFC 4303): a header and an IV that are authenticated only, the ciphertext, the
/// tag.
pub fn esp_packets(provider: &Arc<dyn Provider>) {
    in_layout(provider, 19, ChainOrder::CipherThenMac, |rng, keyed| {
        let text_len = keyed.text_len(rng.usize(..300));
        let nonce = random_nonce(rng, keyed.algorithm, text_len);
        let head = 8 + nonce.len();
        let end = head + text_len;
        let layout = Layout { cipher: Some(head..end), mac: Some(0..end), tag_at: Some(end) };
        let mut packet = random_bytes(rng, end + keyed.tag_len);
        packet[8..head].copy_from_slice(&nonce);
        Case::new(keyed.clone(), nonce, Vec::new(), layout, packet)
    });
}

/// As TLS 1.2 has it (RFC 5246): the text and a header before it are authenticated; the text, its
/// tag and the padding are encrypted.
pub fn tls_records(provider: &Arc<dyn Provider>) {
    in_layout(provider, 20, ChainOrder::MacThenCipher, |rng, keyed| {
        let granularity = keyed.algorithm.granularity();
        let (head, text_len) = (13, rng.usize(..300));
        let (text_end, tag_end) = (head + text_len, head + text_len + keyed.tag_len);
        let padded = (tag_end - head + 1).next_multiple_of(granularity);
        let end = head + padded.max(keyed.algorithm.min_len());
        let layout =
            Layout { cipher: Some(head..end), mac: Some(0..text_end), tag_at: Some(text_end) };
        let record = random_bytes(rng, end);
        let nonce = random_nonce(rng, keyed.algorithm, end);
        Case::new(keyed.clone(), nonce, Vec::new(), layout, record)
    });
}

/// Messages in one layout: both ways, in place and out of place, and with wrong tags among them.
fn in_layout(
    provider: &Arc<dyn Provider>,
    seed: u64,
    of_order: ChainOrder,
    mut make: impl FnMut(&mut Rng, &Keyed) -> Case,
) {
    let mut rng = Rng::with_seed(seed);
    let mut processor = Processor::new();
    for algorithm in chains(provider) {
        let Algorithm::Chain(.., order) = algorithm else { continue };
        if order != of_order {
            continue;
        }
        let full = Keyed::random(&mut rng, provider, algorithm);
        let tag_lens = [full.tag_len, 12];
        for tag_len in tag_lens {
            let keyed = full.clone().with_tag_len(tag_len);
            let cases: Vec<_> = (0..6).map(|_| make(&mut rng, &keyed)).collect();
            for session in keyed.open_all(provider) {
                both_ways(&mut processor, &session, &cases);
            }
            wrong_ones(&mut processor, &keyed.open(provider, Direction::Decrypt), &cases);
        }
    }
}

fn both_ways(processor: &mut Processor, session: &Session, cases: &[Case]) {
    let mut jobs = Vec::new();
    for case in cases {
        let input = case.input(session.direction());
        jobs.push(case.owned_job(session).user((case, "in place")));
        let apart = (input, vec![0x11; input.len()]);
        jobs.push(case.job(session, apart).user((case, "out of place")));
    }
    processor.process_many(&mut jobs);
    for job in &jobs {
        let (case, how) = *job.user_value();
        case.check(job, how);
    }
}

fn wrong_ones(processor: &mut Processor, session: &Session, cases: &[Case]) {
    let forged: Vec<_> = cases.iter().map(with_wrong_tag).collect();
    let mut jobs = Vec::new();
    for (case, forged) in cases.iter().zip(&forged) {
        jobs.push(forged.owned_job(session).user((case, true)));
        jobs.push(case.owned_job(session).user((case, false)));
    }
    processor.process_many(&mut jobs);
    for job in &jobs {
        let (case, is_forged) = *job.user_value();
        if !is_forged {
            case.check(job, "beside forged ones");
            continue;
        }
        // A bit of the ciphertext that becomes the tag, or of what follows it: the tag is wrong as
        // well.
        assert_eq!(
            job.status(),
            Some(Err(JobError::TagMismatch)),
            "{}",
            case.describe("the provider")
        );
        let left: Vec<u8> = job.data().output_pieces().flatten().copied().collect();
        assert_nothing_left(case, &left, "the tag");
    }
}
