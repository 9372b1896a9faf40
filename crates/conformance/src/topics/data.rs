//! Places of the bytes: offsets, in place or apart, in several pieces.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Buffer, Bytes, Data, Processor};
use fastrand::Rng;

use crate::case::{Case, assert_same};
use crate::keyed::{Keyed, varied};
use crate::place::{LINE, Placed};

/// Every offset of a buffer in place, and every offset of a source with several offsets of its
/// destination. The bytes around stay unchanged.
pub fn alignments(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(6);
    let mut processor = Processor::new();
    for algorithm in varied(provider) {
        let keyed = Keyed::random(&mut rng, provider, algorithm);
        let cases = [Case::random(&mut rng, &keyed, 80), Case::random(&mut rng, &keyed, 163)];
        for (session, case) in keyed.open_all(provider).iter().zip(cases.iter().cycle()) {
            let input = case.input(session.direction());
            let mut places: Vec<_> = (0..LINE).map(|offset| Placed::new(offset, input)).collect();
            let in_place = places.iter_mut().map(|place| case.job(session, place.as_mut_slice()));
            let mut jobs: Vec<_> = in_place.collect();
            processor.process_many(&mut jobs);
            for (offset, job) in jobs.iter().enumerate() {
                case.check(job, format_args!("in place, {offset} bytes after a line's start"));
            }
            drop(jobs);
            let unharmed = places.iter().all(Placed::is_unharmed);
            assert!(
                unharmed,
                "bytes beside the buffer changed: {}",
                case.describe(session.provider())
            );

            let offsets = (0..LINE)
                .flat_map(|from| [0, from, LINE - 1 - from, from * 37 % LINE].map(|to| (from, to)));
            let offsets: Vec<_> = offsets.collect();
            let mut pairs: Vec<_> = offsets
                .iter()
                .map(|(from, to)| {
                    (Placed::new(*from, input), Placed::new(*to, &vec![0; input.len()]))
                })
                .collect();
            let apart = pairs.iter_mut().map(|(source, destination)| {
                case.job(session, (source.as_slice(), destination.as_mut_slice()))
            });
            let mut jobs: Vec<_> = apart.collect();
            processor.process_many(&mut jobs);
            for (job, (from, to)) in jobs.iter().zip(&offsets) {
                case.check(job, format_args!("from {from} to {to} bytes after a line's start"));
            }
            drop(jobs);
            for (source, destination) in &pairs {
                assert_same(source.as_slice(), input, || "a source changed".to_owned());
                assert!(
                    source.is_unharmed() && destination.is_unharmed(),
                    "bytes beside a buffer changed"
                );
            }
        }
    }
}

/// A hash or a MAC needs no destination; where it is given one, it copies there, as everything does
/// that no cipher touches.
pub fn out_of_place_copies(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(7);
    let mut processor = Processor::new();
    for algorithm in varied(provider) {
        let keyed = Keyed::random(&mut rng, provider, algorithm);
        let case = Case::random(&mut rng, &keyed, 96);
        for session in keyed.open_all(provider) {
            let input = case.input(session.direction());
            let data = (input, vec![0x5a; input.len()]);
            let mut job = case.job(&session, data);
            processor.process_many(std::slice::from_mut(&mut job));
            case.check(&job, "out of place");
        }
    }
}

/// Data in up to five pieces, some of them empty: to be read, in place, and from some pieces to
/// others.
pub fn scattered(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(8);
    let mut processor = Processor::new();
    for algorithm in varied(provider) {
        let keyed = Keyed::random(&mut rng, provider, algorithm);
        let cases: Vec<_> = (0..24)
            .map(|_| {
                let len = rng.usize(..300);
                Case::random(&mut rng, &keyed, len)
            })
            .collect();
        for session in keyed.open_all(provider) {
            let mut jobs = Vec::new();
            for case in &cases {
                let input = case.input(session.direction());
                let blank = vec![0; input.len()];
                let in_place = Data::scattered(split(&mut rng, input));
                let apart = Data::scattered_to(split(&mut rng, input), split(&mut rng, &blank));
                jobs.push(case.job(&session, in_place).user((case, "in place")));
                jobs.push(case.job(&session, apart).user((case, "out of place")));
                if !case.writes() {
                    let read = Data::gather(split(&mut rng, input));
                    jobs.push(case.job(&session, read).user((case, "read only")));
                }
            }
            processor.process_many(&mut jobs);
            for job in &jobs {
                let (case, how) = *job.user_value();
                case.check(job, format_args!("in pieces, {how}"));
            }
        }
    }
}

/// The two kinds of pieces that there are.
pub(super) trait Piece {
    fn of(bytes: &[u8]) -> Self;
}

impl Piece for Bytes<'_> {
    fn of(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl Piece for Buffer<'_> {
    fn of(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

/// One to five pieces, cut at random places; where two cuts meet, or one is at an end, a piece is
/// empty.
pub(super) fn split<P: Piece>(rng: &mut Rng, bytes: &[u8]) -> Vec<P> {
    let mut cuts = vec![0, bytes.len()];
    for _ in 0..rng.usize(..5) {
        let cut = match rng.u8(..4) {
            0 => cuts[rng.usize(..cuts.len())],
            _ => rng.usize(..=bytes.len()),
        };
        cuts.push(cut);
    }
    cuts.sort_unstable();
    cuts.windows(2).map(|cut| P::of(&bytes[cut[0]..cut[1]])).collect()
}
