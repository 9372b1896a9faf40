//! Digests of chunks: batches of chunks fill the lanes of each thread.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use broadloom_hashing::digest::Digest;
use broadloom_lanes::{Cpu, HashJob, Planner, Sha256};

use super::cut::Event;

/// Bytes of a batch, give or take a chunk: two dozen chunks of restic's average length.
const BATCH: usize = 32 << 20;
/// Chunks of a batch.
const MOST: usize = 4096;

/// Events, and the digest of each that is a chunk.
type Hashed = Vec<(Event, Option<Digest>)>;

/// A batch, and where its digests go.
type HashOrder = (Vec<Event>, SyncSender<Hashed>);

/// Hashes chunks in so many threads, and tells all events in their order.
///
/// # Errors
/// The first that `tell` returns; then no more is read.
pub fn hash(
    mut events: impl Iterator<Item = Event>,
    cpu: &Cpu,
    threads: usize,
    mut tell: impl FnMut(Event, Option<Digest>) -> io::Result<()>,
) -> io::Result<()> {
    let (orders, taken) = mpsc::sync_channel::<HashOrder>(0);
    let taken = Mutex::new(taken);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&taken, cpu));
        }
        // The threads end when there are no more orders.
        let orders = orders;
        let mut waiting = VecDeque::new();
        loop {
            let batch = batch(&mut events);
            let ended = batch.is_empty();
            if !ended {
                let (answer, answered) = mpsc::sync_channel(1);
                orders.send((batch, answer)).expect("threads work until the last order");
                waiting.push_back(answered);
            }
            while waiting.len() > if ended { 0 } else { threads } {
                let answered: Receiver<Hashed> = waiting.pop_front().expect("there are some");
                let hashed = answered.recv().expect("each order is answered");
                hashed.into_iter().try_for_each(|(event, digest)| tell(event, digest))?;
            }
            if ended {
                return Ok(());
            }
        }
    })
}

/// The next events, until there are enough bytes for all lanes.
fn batch(events: &mut impl Iterator<Item = Event>) -> Vec<Event> {
    let (mut batch, mut bytes) = (vec![], 0);
    while bytes < BATCH && batch.len() < MOST {
        let Some(event) = events.next() else { break };
        if let Event::Chunk { data, .. } = &event {
            bytes += data.len();
        }
        batch.push(event);
    }
    batch
}

fn work(orders: &Mutex<Receiver<HashOrder>>, cpu: &Cpu) {
    let mut planner = Planner::new(cpu);
    loop {
        let order = orders.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((events, answer)) = order else { return };
        let chunks = events.iter().filter_map(|event| match event {
            Event::Chunk { data, .. } => Some(data.as_slice()),
            _ => None,
        });
        let mut jobs: Vec<_> =
            chunks.map(|data| HashJob::<Sha256, &[u8]>::digest(data, ())).collect();
        planner.process_many(&mut jobs);
        let digests = jobs.iter().map(|job| Digest::new(job.output().expect("it is complete")));
        let digests: Vec<Digest> = digests.collect();
        let mut digests = digests.into_iter();
        let hashed = events.into_iter().map(|event| {
            let digest = match event {
                Event::Chunk { .. } => digests.next(),
                _ => None,
            };
            (event, digest)
        });
        // Nobody waits for it where output cannot be written.
        let _ = answer.send(hashed.collect());
    }
}
