//! The hashes, and HMAC over them.

use broadloom_lanes::{Hash, HashJob, HashLanes, Loan, Planner, Stream, for_each_hash};

use crate::check::{Checks, Shape};
use crate::keys::hmac_key;
use crate::observer::watch;
use crate::secrets::{made_from_secrets, secret};

pub fn check(checks: &mut Checks) {
    macro_rules! each {
        ($($hash:ident),+) => { $( check_hash::<broadloom_lanes::$hash>(checks); )+ };
    }
    for_each_hash!(each!());
}

fn check_hash<A: Hash>(checks: &mut Checks) {
    let hmac = format!("hmac-{}", A::NAME);
    checks.keyed(Shape::tag(&hmac, A::DIGEST_LEN), hmac_key::<A>, |key, message| {
        Loan::hmac(key, &message.text, &mut message.tag)
    });
    checks.kernel(&format!("{}, streams", A::NAME), |cpu| {
        let mut planner = Planner::<HashLanes<A>>::new(cpu);
        let mut streams: Vec<_> = (0..9).map(|i| Stream::hmac(&hmac_key::<A>(cpu, i))).collect();
        streams.push(Stream::new());
        let pieces: Vec<_> =
            (0..streams.len()).map(|i| secret(i, A::BLOCK_LEN * (i % 3))).collect();
        let jobs = streams.iter_mut().zip(&pieces);
        let jobs = jobs.map(|(stream, piece)| HashJob::update(stream, piece.as_slice(), ()));
        let mut jobs: Vec<_> = jobs.map(|job| job.expect("whole blocks")).collect();
        watch(|| planner.process_many(&mut jobs));
        drop(jobs);
        let lasts: Vec<_> = (0..streams.len()).map(|i| secret(i, 1 + 40 * i)).collect();
        let jobs = streams.iter_mut().zip(&lasts);
        let mut jobs: Vec<_> =
            jobs.map(|(stream, last)| HashJob::finish(stream, last.as_slice(), ())).collect();
        watch(|| planner.process_many(&mut jobs));
        jobs.iter().all(|job| {
            let mut digest = *job.output().expect("complete");
            made_from_secrets(digest.as_mut())
        })
    });
    checks.kernel(A::NAME, |cpu| {
        let texts: Vec<_> = (0..70).map(|i| secret(i, 1 + i * 37 % 300)).collect();
        let mut digests = vec![[0; 64]; texts.len()];
        let mut planner = Planner::<HashLanes<A>>::new(cpu);
        watch(|| {
            let all = texts.iter().zip(&mut digests);
            planner.process_each(all.map(|(text, digest)| Loan::digest(text, digest)));
        });
        digests.iter_mut().all(|digest| made_from_secrets(&mut digest[..A::DIGEST_LEN]))
    });
}
