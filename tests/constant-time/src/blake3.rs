//! BLAKE3: keyed, plain, in pieces, and the derivation of a mode's key.

use broadloom_lanes::{Blake3Job, Blake3Key, Blake3Lanes, Blake3Stream, Cpu, Loan, Planner};

use crate::check::{Checks, Shape};
use crate::observer::watch;
use crate::secrets::{made_from_secrets, secret, secret_array};

pub fn check(checks: &mut Checks) {
    checks.keyed(Shape::tag("blake3-keyed", 32), key, |key, message| {
        Loan::blake3(key, &message.text, &mut message.tag[..32])
    });
    checks.kernel("blake3, streams", |cpu| {
        let mut planner = Planner::<Blake3Lanes>::new(cpu);
        let mut streams: Vec<_> = (0..9).map(|i| Blake3Stream::new(&key(cpu, i))).collect();
        for round in 0..2 {
            let pieces: Vec<_> =
                (0..streams.len()).map(|i| secret(i, 700 * (i + round) % 5000)).collect();
            let jobs = streams.iter_mut().zip(&pieces);
            let job = |(stream, piece)| Blake3Job::update(stream, piece, vec![], ());
            let mut jobs: Vec<_> = jobs.map(|(stream, piece)| job((stream, &piece[..]))).collect();
            watch(|| planner.process_many(&mut jobs));
        }
        let lasts: Vec<_> = (0..streams.len()).map(|i| secret(i, 1 + 400 * i)).collect();
        let jobs = streams.iter_mut().zip(&lasts);
        let job = |(stream, last)| Blake3Job::finish(stream, last, vec![0; 100], ());
        let mut jobs: Vec<_> = jobs.map(|(stream, last)| job((stream, &last[..]))).collect();
        watch(|| planner.process_many(&mut jobs));
        jobs.iter().all(|job| {
            let mut output = job.output().expect("complete").to_vec();
            made_from_secrets(&mut output)
        })
    });
    checks.kernel("blake3", |cpu| {
        let texts: Vec<_> = (0..70).map(|i| secret(i, 1 + i * 97 % 3000)).collect();
        let mut digests = vec![[0; 40]; texts.len()];
        let mut planner = Planner::<Blake3Lanes>::new(cpu);
        let plain = Blake3Key::new();
        watch(|| {
            let all = texts.iter().zip(&mut digests);
            planner.process_each(all.map(|(text, digest)| Loan::blake3(&plain, text, digest)));
        });
        digests.iter_mut().all(|digest| made_from_secrets(digest))
    });
    checks.check("blake3-keyed, key expansion", |cpu| {
        let keys = watch(|| (0..10).map(|i| key(cpu, i)).collect::<Vec<_>>());
        let mut tag = [0; 32];
        let loan = Loan::blake3(&keys[0], b"text", &mut tag);
        Planner::<Blake3Lanes>::new(cpu).process_each([loan]);
        made_from_secrets(&mut tag)
    });
}

fn key(_: &Cpu, number: usize) -> Blake3Key {
    Blake3Key::keyed(&secret_array(number))
}
