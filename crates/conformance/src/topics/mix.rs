//! All algorithms of a provider, mixed.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Bytes, Checksum, Compression, Direction, Held, Job, Session};
use fastrand::Rng;

use super::answers::random_len;
use crate::case::Case;
use crate::chunk::{Chunk, Kind, compressions, ways};
use crate::keyed::{Keyed, varied};

/// A packet with its tag, or a chunk to be compressed.
#[allow(clippy::large_enum_variant, reason = "there are few, and a packet is the usual one")]
pub(super) enum Message {
    Packet(Case),
    Chunk(Chunk),
}

impl Message {
    /// A job that owns its data.
    pub fn owned_job<'a>(&'a self, session: impl Into<Held<'a>>) -> Job<'a> {
        match self {
            Message::Packet(case) => case.owned_job(session),
            Message::Chunk(chunk) => chunk.owned_job(session),
        }
    }

    /// Makes a job that was used before one of this message.
    pub fn renew<'a>(&'a self, job: &mut Job<'a>, session: Session) {
        let direction = session.direction();
        job.set_session(session);
        match self {
            Message::Packet(case) => {
                job.set_data(case.input(direction).to_vec());
                job.set_nonce(&case.nonce);
                job.set_bits(case.bits);
                job.set_associated(case.associated.as_slice());
                job.set_expected_tag(if direction.checks() { &case.tag } else { &[] });
            }
            Message::Chunk(chunk) => {
                job.set_data(chunk.input(direction).to_vec());
                job.set_nonce(&[]);
                job.set_bits(None);
                job.set_associated(Bytes::EMPTY);
                job.set_expected_tag(&[]);
            }
        }
    }

    /// That a job of it has gone as it should.
    pub fn check<T>(&self, job: &Job<'_, T>, context: &str) {
        match self {
            Message::Packet(case) => case.check(job, context),
            Message::Chunk(chunk) => chunk.check(job, context),
        }
    }
}

/// Messages of everything that a provider supports, in random order, each with a session for a
/// random direction.
pub(super) struct Mix {
    pub messages: Vec<Message>,
    pub sessions: Vec<Session>,
}

impl Mix {
    pub fn new(provider: &Arc<dyn Provider>, seed: u64, each: usize) -> Self {
        let mut rng = Rng::with_seed(seed);
        let mut pairs = packets(provider, &mut rng, each);
        pairs.extend(chunks(provider, &mut rng, 3 * each));
        Mix::of(rng, pairs)
    }

    /// One provider's chunks among another's packets.
    pub fn of_both(
        chunky: &Arc<dyn Provider>,
        other: &Arc<dyn Provider>,
        seed: u64,
        each: usize,
    ) -> Self {
        let mut rng = Rng::with_seed(seed);
        let mut pairs = packets(other, &mut rng, each);
        let count = pairs.len();
        pairs.extend(chunks(chunky, &mut rng, count));
        Mix::of(rng, pairs)
    }

    fn of(mut rng: Rng, mut pairs: Vec<(Message, Session)>) -> Self {
        rng.shuffle(&mut pairs);
        let (messages, sessions) = pairs.into_iter().unzip();
        Mix { messages, sessions }
    }

    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// A job of each message, with its number.
    pub fn jobs(&self) -> Vec<Job<'_, usize>> {
        let pairs = self.messages.iter().zip(&self.sessions).enumerate();
        pairs.map(|(number, (message, session))| message.owned_job(session).user(number)).collect()
    }

    /// That the jobs are right, and are all there are, each once.
    pub fn check_all(&self, jobs: &[Job<'_, usize>], context: &str) {
        let mut numbers: Vec<_> = jobs.iter().map(|job| *job.user_value()).collect();
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..self.len()), "each job once, {context}: {numbers:?}");
        jobs.iter().for_each(|job| self.messages[*job.user_value()].check(job, context));
    }
}

fn packets(provider: &Arc<dyn Provider>, rng: &mut Rng, each: usize) -> Vec<(Message, Session)> {
    let mut pairs = Vec::new();
    for algorithm in varied(provider) {
        let keyed = Keyed::random(rng, provider, algorithm);
        let sessions = keyed.open_all(provider);
        for _ in 0..each {
            let len = random_len(rng).min(2000);
            let session = sessions[rng.usize(..sessions.len())].clone();
            pairs.push((Message::Packet(Case::random(rng, &keyed, len)), session));
        }
    }
    pairs
}

/// Chunks of each compression, in few of its ways: a session and what it needs is made for each.
fn chunks(provider: &Arc<dyn Provider>, rng: &mut Rng, each: usize) -> Vec<(Message, Session)> {
    let mut pairs = Vec::new();
    for algorithm in compressions(provider) {
        let mut ways = ways(provider, algorithm);
        rng.shuffle(&mut ways);
        ways.truncate(3);
        let whole = |how| Compression { checksum: Checksum::Crc32, ..how };
        let blank = ways.iter().map(|how| Chunk::new(algorithm, whole(*how), Kind::Text.bytes(0)));
        let sessions = blank.map(|chunk| {
            let both = [Direction::Compress, Direction::Decompress];
            (both.map(|direction| chunk.open(provider, direction)), chunk)
        });
        let sessions: Vec<_> = sessions.collect();
        for _ in 0..each {
            let (both, chunk) = &sessions[rng.usize(..sessions.len())];
            let text = Kind::ALL[rng.usize(..3)].bytes(random_len(rng).min(2000));
            let chunk = Chunk::new(algorithm, chunk.how, text);
            pairs.push((Message::Chunk(chunk), both[rng.usize(..2)].clone()));
        }
    }
    pairs
}
