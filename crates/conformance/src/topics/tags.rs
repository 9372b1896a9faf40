//! Truncated tags, and wrong ones.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, ChainOrder, Direction, JobError, Processor, Session};
use fastrand::Rng;

use crate::case::{Case, Layout};
use crate::keyed::{Keyed, chains, simple};

/// Every length that a tag may be truncated to, made and checked.
pub fn tags(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(10);
    let mut processor = Processor::new();
    for algorithm in with_tags(provider) {
        let full = Keyed::random(&mut rng, provider, algorithm);
        for tag_len in full.tag_lens() {
            let keyed = full.clone().with_tag_len(tag_len);
            let cases: Vec<_> = (0..6).map(|_| Case::random(&mut rng, &keyed, 77)).collect();
            for session in keyed.open_all(provider) {
                assert_eq!(session.tag_len(), tag_len);
                let mut jobs: Vec<_> = cases.iter().map(|case| case.owned_job(&session)).collect();
                processor.process_many(&mut jobs);
                cases.iter().zip(&jobs).for_each(|(case, job)| case.check(job, "its tag"));
            }
        }
    }
}

/// A tag with one wrong bit, in its first, its middle or its last byte, or over another text, nonce
/// or associated data: the job fails, and nothing of the plaintext is left.
pub fn wrong_tags(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(11);
    let mut processor = Processor::new();
    for algorithm in with_tags(provider) {
        let full = Keyed::random(&mut rng, provider, algorithm);
        let lens = full.tag_lens();
        for tag_len in [lens[0], full.tag_len] {
            let keyed = full.clone().with_tag_len(tag_len);
            let session = keyed.open(provider, algorithm.directions()[1]);
            // With nothing to decipher, there is a tag to check all the same.
            for text_len in [0, 16, 96] {
                let right = Case::random(&mut rng, &keyed, text_len);
                let forged = forgeries(&right);
                check_forgeries(&mut processor, &session, &right, &forged);
            }
        }
    }
}

/// The same for chains, with the tag apart from the text.
pub fn wrong_tags_of_chains(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(12);
    let mut processor = Processor::new();
    for algorithm in chains(provider) {
        let keyed = Keyed::random(&mut rng, provider, algorithm);
        let session = keyed.open(provider, Direction::Decrypt);
        let right = Case::random(&mut rng, &keyed, 96);
        check_forgeries(&mut processor, &session, &right, &forgeries(&right));
    }
}

fn with_tags(provider: &Arc<dyn Provider>) -> impl Iterator<Item = Algorithm> {
    let tagged =
        |algorithm: &Algorithm| matches!(algorithm, Algorithm::Mac(_) | Algorithm::Aead(_));
    simple(provider).into_iter().filter(tagged)
}

/// A message each with something wrong, and what.
fn forgeries(right: &Case) -> Vec<(&'static str, Case)> {
    let mut forged = Vec::new();
    let mut with = |what, change: &dyn Fn(&mut Case)| {
        let mut case = right.clone();
        change(&mut case);
        forged.push((what, case));
    };
    with("the tag's first bit", &|case| case.tag[0] ^= 0x80);
    with("the tag's middle", &|case| {
        let middle = case.tag.len() / 2;
        case.tag[middle] ^= 0x10;
    });
    with("the tag's last bit", &|case| *case.tag.last_mut().expect("a tag") ^= 1);
    with("all of the tag", &|case| case.tag.iter_mut().for_each(|byte| *byte ^= 0xff));
    if !right.after.is_empty() {
        with("the text's first bit", &|case| case.after[0] ^= 0x80);
        let behind = right.bits.map_or(0, |bits| 8 * right.after.len() - bits);
        with("the text's last bit", &|case| {
            *case.after.last_mut().expect("a text") ^= 1 << behind;
        });
    }
    let chain = matches!(right.keyed.algorithm, Algorithm::Chain(..));
    // A chain that authenticates the ciphertext does not notice a wrong IV.
    if !right.nonce.is_empty() && !chain {
        with("the nonce", &|case| case.nonce[0] ^= 1);
    }
    if !right.associated.is_empty() {
        with("the associated data", &|case| case.associated[0] ^= 1);
    }
    forged
}

/// The forged messages fail, a right one before and after them does not.
fn check_forgeries(
    processor: &mut Processor,
    session: &Session,
    right: &Case,
    forged: &[(&str, Case)],
) {
    let mut jobs = vec![right.owned_job(session).user("nothing")];
    for (what, case) in forged {
        jobs.push(case.owned_job(session).user(*what));
        let apart = (case.after.as_slice(), vec![0x77; case.after.len()]);
        jobs.push(case.job(session, apart).user(*what));
    }
    jobs.push(right.owned_job(session).user("nothing"));
    let outcome = processor.process_many(&mut jobs);
    let what = || right.describe(session.provider());
    assert_eq!(outcome.failed, 2 * forged.len(), "{}", what());
    let (good, bad) = (&[&jobs[0], &jobs[jobs.len() - 1]], &jobs[1..jobs.len() - 1]);
    for job in good {
        right.check(job, "beside forged ones");
    }
    for job in bad {
        let wrong = job.user_value();
        assert_eq!(job.status(), Some(Err(JobError::TagMismatch)), "{wrong} is wrong: {}", what());
        assert_eq!(job.tag(), None);
        assert_eq!(job.output(), None);
        if right.writes() {
            let left: Vec<u8> = job.data().output_pieces().flatten().copied().collect();
            assert_nothing_left(right, &left, wrong);
        }
    }
}

/// That a buffer of a failed job holds no plaintext.
pub(super) fn assert_nothing_left(case: &Case, left: &[u8], wrong: &str) {
    let ciphered = case.ciphered();
    let (left, plain) = (&left[ciphered.clone()], &case.before[ciphered]);
    let what = || format!("{wrong} is wrong: {}", case.describe("the provider"));
    // One byte or two are the same by chance.
    let same = left.windows(4).zip(plain.windows(4)).any(|(left, plain)| left == plain);
    assert!(!same, "plaintext is left where {}", what());
    let deciphers_first = match case.keyed.algorithm {
        Algorithm::Chain(_, _, order) => order == ChainOrder::MacThenCipher,
        _ => true,
    };
    if deciphers_first {
        assert!(
            left.iter().all(|byte| *byte == 0),
            "what was deciphered is not wiped where {}",
            what()
        );
    }
}

/// A layout's tag, made wrong where it is in the buffer.
pub(super) fn with_wrong_tag(case: &Case) -> Case {
    let mut forged = case.clone();
    let Layout { tag_at, .. } = case.layout;
    let at = tag_at.expect("the tag is in the buffer");
    forged.after[at] ^= 4;
    forged
}
