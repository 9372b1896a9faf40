//! Which algorithms a provider supports, and whether their results are right.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, ChainOrder, CipherAlgorithm, Job, MacAlgorithm, Processor, Session,
};
use fastrand::Rng;

use crate::candidate::say;
use crate::case::Case;
use crate::keyed::{Keyed, varied};
use crate::limits::Limits;
use crate::vectors::{self, Vector};

/// Algorithms that a provider supports open in every direction; the others are refused with a
/// reason.
pub fn support(provider: &Arc<dyn Provider>) {
    let name = provider.name();
    assert!(!name.is_empty(), "a provider has a name");
    assert!(!provider.description().is_empty(), "{name} has no description");
    let mut rng = Rng::with_seed(1);
    let mut missing = Vec::new();
    for algorithm in Algorithm::simple() {
        let keyed = Keyed::unlimited(&mut rng, algorithm);
        if provider.supports(algorithm) {
            for session in keyed.open_all(provider) {
                assert_eq!(session.provider(), name);
                assert!(!session.kernel().is_empty(), "{name} names no kernel for {session:?}");
            }
            continue;
        }
        missing.push(algorithm.to_string());
        for direction in algorithm.directions() {
            let transform = keyed.transform(*direction).expect("a transform that fits");
            let Err(error) = Session::open(Arc::clone(provider), &transform) else {
                panic!("{name} does not support {algorithm}, and opens a session to {direction}");
            };
            assert!(
                !error.reason.is_empty(),
                "{name} refuses {algorithm} {direction} without a reason"
            );
        }
    }
    missing.extend(super::compression::missing(provider));
    let macs = || MacAlgorithm::all().filter(|mac| mac.nonce_lens().is_none());
    for (cipher, mac) in
        CipherAlgorithm::all().flat_map(|cipher| macs().map(move |mac| (cipher, mac)))
    {
        let chain = Algorithm::Chain(cipher, mac, ChainOrder::CipherThenMac);
        let has_both =
            [Algorithm::Cipher(cipher), Algorithm::Mac(mac)].map(|half| provider.supports(half));
        assert_eq!(
            provider.supports(chain),
            has_both == [true; 2],
            "{name} has {chain} if it has its halves"
        );
    }
    if !missing.is_empty() {
        say(format_args!("{name} does not support {}", missing.join(", ")));
    }
}

/// The examples of the standards, all of them side by side and each alone.
pub fn known_answers(provider: &Arc<dyn Provider>) {
    let vectors = vectors::all().into_iter();
    let vectors: Vec<_> = vectors
        .filter(|Vector { case, .. }| {
            let algorithm = case.keyed.algorithm;
            provider.supports(algorithm) && case.is_within(Limits::of(provider, algorithm))
        })
        .collect();
    let mut processor = Processor::new();
    let sessions: Vec<_> =
        vectors.iter().map(|vector| vector.case.keyed.open_all(provider)).collect();
    let jobs = || {
        let each = vectors.iter().zip(&sessions);
        each.flat_map(|(vector, sessions)| {
            sessions.iter().map(move |session| vector.case.owned_job(session).user(vector))
        })
    };
    let check = |job: &Job<'_, &Vector>, how: &str| {
        let vector = *job.user_value();
        vector.case.check(job, format_args!("{how}, {}", vector.name));
    };
    let mut together: Vec<_> = jobs().collect();
    processor.process_many(&mut together);
    together.iter().for_each(|job| check(job, "among others"));
    for mut job in jobs() {
        processor.process_many(std::slice::from_mut(&mut job));
        check(&job, "alone");
    }
}

/// Random jobs of everything at once, in random order, against the reference.
pub fn random_jobs(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(2);
    let mut processor = Processor::new();
    for round in 0..4 {
        // Few keys for many jobs: some share a session, and most do not.
        let keyed: Vec<_> = varied(provider)
            .into_iter()
            .map(|algorithm| Keyed::random(&mut rng, provider, algorithm))
            .collect();
        let sessions: Vec<_> = keyed.iter().map(|keyed| keyed.open_all(provider)).collect();
        let mut cases = Vec::new();
        for (index, keyed) in keyed.iter().enumerate() {
            for _ in 0..12 {
                let len = random_len(&mut rng);
                cases.push((index, Case::random(&mut rng, keyed, len)));
            }
        }
        rng.shuffle(&mut cases);
        let mut jobs = Vec::new();
        for (index, case) in &cases {
            let directions = &sessions[*index];
            let session = &directions[rng.usize(..directions.len())];
            jobs.push(case.owned_job(session).user(case));
        }
        let outcome = processor.process_many(&mut jobs);
        assert_eq!(outcome.completed, jobs.len());
        for (index, job) in jobs.iter().enumerate() {
            job.user_value().check(job, format_args!("job {index} of round {round}"));
        }
        assert_eq!(outcome.failed, 0);
    }
}

/// Mostly packets, sometimes nearly nothing, sometimes a record.
pub(crate) fn random_len(rng: &mut Rng) -> usize {
    match rng.u8(..10) {
        0..=1 => rng.usize(..20),
        2..=5 => rng.usize(..300),
        6..=8 => rng.usize(..1600),
        _ => rng.usize(..17000),
    }
}
