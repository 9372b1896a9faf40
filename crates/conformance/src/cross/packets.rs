//! Packets: two providers must give the same output.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, Data, Job, Processor, Session};
use fastrand::Rng;

use crate::case::{Case, assert_same};
use crate::keyed::{Keyed, varied_of};
use crate::limits::Limits;
use crate::topics::random_len;

/// Compares two providers on random jobs of these algorithms.
pub(super) fn compare(a: &Arc<dyn Provider>, b: &Arc<dyn Provider>, common: &[Algorithm]) {
    let common = varied_of(&|algorithm| common.contains(&algorithm));
    let mut rng = Rng::with_seed(32);
    let mut processor = Processor::new();
    for round in 0..3 {
        let keyed: Vec<_> = common
            .iter()
            .map(|algorithm| {
                Keyed::random(&mut rng, a, *algorithm).within(Limits::of(b, *algorithm))
            })
            .collect();
        let messages: Vec<_> = keyed
            .iter()
            .flat_map(|keyed| {
                let sessions = [a, b].map(|provider| keyed.open_all(provider));
                let cases: Vec<_> = (0..8).map(|_| message(&mut rng, keyed)).collect();
                cases.into_iter().map(move |case| (case, sessions.clone()))
            })
            .collect();
        // Jobs of both go through one processor, in one call.
        let mut made = jobs_of(&messages, |case, sessions| case.owned_job(&sessions[0]));
        processor.process_many(&mut made);
        same(&messages, &made, &format!("made, round {round}"));

        let readable: Vec<_> =
            messages.iter().filter(|(_, [own, _])| own.len() > 1).cloned().collect();
        let mut read = jobs_of(&readable, |case, sessions| case.owned_job(&sessions[1]));
        processor.process_many(&mut read);
        same(&readable, &read, &format!("read, round {round}"));
    }
}

type Message = (Case, [Vec<Session>; 2]);

/// A random message, one in four with a bit wrong in its tag or its text.
fn message(rng: &mut Rng, keyed: &Keyed) -> Case {
    let len = random_len(rng);
    let mut case = Case::random(rng, keyed, len);
    match rng.u8(..8) {
        0 if !case.tag.is_empty() => {
            let at = rng.usize(..case.tag.len());
            case.tag[at] ^= 1 << rng.u8(..8);
        }
        1 if !case.after.is_empty() => {
            let at = rng.usize(..case.after.len());
            case.after[at] ^= 1 << rng.u8(..8);
        }
        _ => {}
    }
    case
}

/// For each message, one provider's job and then the other's.
fn jobs_of<'m>(
    messages: &'m [Message],
    make: impl Fn(&'m Case, &'m [Session]) -> Job<'m>,
) -> Vec<Job<'m>> {
    messages.iter().flat_map(|(case, [a, b])| [make(case, a), make(case, b)]).collect()
}

fn same(messages: &[Message], jobs: &[Job<'_>], what: &str) {
    for ((case, _), pair) in messages.iter().zip(jobs.chunks_exact(2)) {
        let [a, b] = pair else { unreachable!("chunks of two") };
        let what = || {
            let names = format!("{} and {}", a.session().provider(), b.session().provider());
            format!("{what}, {}", case.describe(&names))
        };
        assert_eq!(a.status(), b.status(), "{}", what());
        assert_eq!(a.tag(), b.tag(), "the tags of {}", what());
        let contents = |job: &Job<'_>| match job.data() {
            Data::Scattered(_) => unreachable!("they own one piece"),
            data => data.output().unwrap_or_default().to_vec(),
        };
        assert_same(&contents(a), &contents(b), what);
    }
}
