//! SHA-3 and SHAKE, HMAC over SHA-3, and KMAC.

use broadloom_lanes::{
    Cpu, HmacSha3Key, KmacKey, Loan, Planner, Sha3, Sha3_224, Sha3_256, Sha3_384, Sha3_512,
    Sha3Job, Shake128, Shake256, SpongeLanes, SpongeStream, Xof,
};

use crate::check::{Checks, Shape};
use crate::observer::watch;
use crate::secrets::{made_from_secrets, secret};

pub fn check(checks: &mut Checks) {
    check_sha3::<Sha3_224>(checks);
    check_sha3::<Sha3_256>(checks);
    check_sha3::<Sha3_384>(checks);
    check_sha3::<Sha3_512>(checks);
    check_xof::<Shake128>(checks);
    check_xof::<Shake256>(checks);
}

fn check_sha3<A: Sha3>(checks: &mut Checks) {
    let hmac = format!("hmac-{}", A::NAME);
    checks.keyed(Shape::tag(&hmac, A::DIGEST_LEN), hmac_key::<A>, |key, message| {
        Loan::<SpongeLanes>::hmac_sha3(key, &message.text, &mut message.tag)
    });
    checks.kernel(&format!("{}, streams", A::NAME), |cpu| {
        let mut planner = Planner::<SpongeLanes>::new(cpu);
        let stream = |i| SpongeStream::hmac(&hmac_key::<A>(cpu, i));
        let mut streams: Vec<SpongeStream<A>> = (0..9).map(stream).collect();
        streams.push(SpongeStream::new());
        for round in 0..2 {
            let pieces: Vec<_> =
                (0..streams.len()).map(|i| secret(i, 61 * (i + round) % 300)).collect();
            let jobs = streams.iter_mut().zip(&pieces);
            let mut jobs: Vec<_> =
                jobs.map(|(stream, piece)| Sha3Job::update(stream, &piece[..], ())).collect();
            watch(|| planner.process_many(&mut jobs));
        }
        let lasts: Vec<_> = (0..streams.len()).map(|i| secret(i, 1 + 40 * i)).collect();
        let jobs = streams.iter_mut().zip(&lasts);
        let mut jobs: Vec<_> =
            jobs.map(|(stream, last)| Sha3Job::finish(stream, &last[..], ())).collect();
        watch(|| planner.process_many(&mut jobs));
        jobs.iter().all(|job| {
            let mut digest = *job.output().expect("complete");
            made_from_secrets(digest.as_mut())
        })
    });
    checks.kernel(A::NAME, |cpu| {
        process(cpu, A::DIGEST_LEN, |text, digest| Loan::<SpongeLanes>::sha3::<A>(text, digest))
    });
    checks.check(&format!("{hmac}, key expansion"), |cpu| {
        let keys = watch(|| (0..10).map(|i| hmac_key::<A>(cpu, i)).collect::<Vec<_>>());
        let key = keys.into_iter().next().expect("ten keys");
        let mut tag = [0; 64];
        let loan = Loan::<SpongeLanes>::hmac_sha3(&key, b"text", &mut tag);
        Planner::new(cpu).process_each([loan]);
        made_from_secrets(&mut tag[..A::DIGEST_LEN])
    });
}

fn check_xof<A: Xof>(checks: &mut Checks) {
    checks.keyed(Shape::tag(A::KMAC_NAME, 64), kmac_key::<A>, |key, message| {
        Loan::<SpongeLanes>::kmac(key, &message.text, &mut message.tag)
    });
    checks.kernel(A::NAME, |cpu| {
        process(cpu, 400, |text, output| Loan::<SpongeLanes>::shake::<A>(text, output))
    });
    checks.check(&format!("{}, key expansion", A::KMAC_NAME), |cpu| {
        let keys = watch(|| (0..10).map(|i| kmac_key::<A>(cpu, i)).collect::<Vec<_>>());
        let key = keys.into_iter().next().expect("ten keys");
        let mut tag = [0; 400];
        let loan = Loan::<SpongeLanes>::kmac_xof(&key, b"text", &mut tag);
        Planner::new(cpu).process_each([loan]);
        made_from_secrets(&mut tag)
    });
}

/// Processes secret texts, with output of so many bytes. Says whether secrets reached all of it.
fn process(
    cpu: &Cpu,
    len: usize,
    loan: impl for<'a> Fn(&'a [u8], &'a mut [u8]) -> Loan<'a, SpongeLanes>,
) -> bool {
    let texts: Vec<_> = (0..70).map(|i| secret(i, 1 + i * 37 % 300)).collect();
    let mut outputs = vec![vec![0; len]; texts.len()];
    let mut planner = Planner::<SpongeLanes>::new(cpu);
    watch(|| {
        let all = texts.iter().zip(&mut outputs);
        planner.process_each(all.map(|(text, output)| loan(text, output)));
    });
    outputs.iter_mut().all(|output| made_from_secrets(output))
}

/// Keys up to a block, and keys that are hashed first.
fn hmac_key<A: Sha3>(_: &Cpu, number: usize) -> HmacSha3Key<A> {
    HmacSha3Key::new(&secret(number, [20, 64, 136, 1, 200][number % 5]))
}

fn kmac_key<A: Xof>(_: &Cpu, number: usize) -> KmacKey<A> {
    KmacKey::new(&secret(number, [20, 64, 136, 1, 400][number % 5]), b"custom")
}
