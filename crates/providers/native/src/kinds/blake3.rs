//! BLAKE3, plain and keyed.

use broadloom_engine::provider::{Portion, PortionParts, ProviderStream};
use broadloom_engine::{Algorithm, HashAlgorithm, MAX_TAG, MacAlgorithm, Transform};
use broadloom_lanes::{Blake3Job, Blake3Key, Blake3Lanes, Blake3Stream, Cpu, Loan, Planner};

use super::Opener;
use crate::kind::{Kind, Opened, Parts, laned, refused};

/// A mode of BLAKE3 with its key, and the length of its output.
pub(crate) struct Blake3 {
    key: Blake3Key,
    len: usize,
}

/// A message that comes in pieces, and the length of its output.
#[derive(Clone)]
struct Pieces {
    stream: Blake3Stream,
    len: usize,
}

/// Pieces are multiples of so many bytes, so that no call of the lanes is for fewer.
const PIECE: usize = 128;

pub(super) fn opener(algorithm: Algorithm) -> Option<Opener> {
    match algorithm {
        Algorithm::Hash(HashAlgorithm::Blake3) => {
            Some(|transform, cpu| open(transform, cpu, Blake3Key::new()))
        }
        Algorithm::Mac(MacAlgorithm::Blake3Keyed) => Some(|transform, cpu| {
            let key = transform.key().try_into().map_err(refused)?;
            open(transform, cpu, Blake3Key::keyed(key))
        }),
        _ => None,
    }
}

fn open(transform: &Transform, cpu: &Cpu, key: Blake3Key) -> Opened {
    Blake3 { key, len: transform.tag_len() }.session(laned(Blake3Lanes::kernel_info(cpu)))
}

impl Kind for Blake3 {
    const TAG_LEN: usize = MAX_TAG;
    type Lanes = Blake3Lanes;

    #[inline(always)]
    fn lend<'v>(&'v self, Parts { text, tag, .. }: Parts<'v, Self>) -> Loan<'v, Blake3Lanes> {
        Loan::blake3(&self.key, text.into_input(), &mut tag[..self.len])
    }

    fn begin(&self) -> Option<ProviderStream> {
        let pieces = Pieces { stream: Blake3Stream::new(&self.key), len: self.len };
        Some(ProviderStream::new(pieces, PIECE))
    }

    /// With jobs, not loans: what a stream keeps of a piece it takes when the lanes have read what
    /// it kept before.
    fn absorb<'p, 'd: 'p>(
        planner: &mut Planner<Blake3Lanes>,
        portions: impl Iterator<Item = &'p mut Portion<'d>>,
    ) {
        let jobs = portions.filter_map(|portion| {
            let PortionParts { stream: Pieces { stream, len }, data, tag } = portion.commit()?;
            Some(match tag {
                Some(tag) => Blake3Job::finish(stream, data, &mut tag[..*len], ()),
                None => Blake3Job::update(stream, data, &mut [][..], ()),
            })
        });
        planner.process_many(&mut jobs.collect::<Vec<_>>());
    }
}
