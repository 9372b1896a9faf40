//! The memory that a session takes.

use broadloom_engine::{Processor, Session};

use super::material::Material;
use super::side::Side;
use super::worker::Stamp;
use crate::error::PerfError;
use crate::measure::sys::memory::allocated;
use crate::report::row::QUEUE_PAIRS;

/// Sessions whose memory is measured together.
const SESSIONS: usize = 64;

/// The memory of one session, in bytes.
pub struct Memory {
    /// When it was just opened.
    pub session: f64,
    /// What the first job of each queue pair adds.
    pub queue_pair: f64,
}

/// Opens sessions and has several queue pairs do a job for each of them. Nothing comes back where
/// the allocator does not tell, and for a library, which has no sessions.
///
/// # Errors
/// The side does not have the algorithm, or a job fails.
pub fn measure(material: &Material, side: &Side) -> Result<Option<Memory>, PerfError> {
    if allocated().is_none() || matches!(side, Side::Bare(_)) {
        return Ok(None);
    }
    let pairs = side.queue_pairs().unwrap_or(QUEUE_PAIRS).min(QUEUE_PAIRS);
    let mut processors: Vec<Processor> = (0..pairs).map(|_| Processor::new()).collect();
    let open = || -> Result<Vec<Session>, PerfError> {
        let session = |_| side.session(material.plain(), material.direction());
        (0..SESSIONS).map(session).collect()
    };
    let mut buffers = material.buffers();
    let mut work = |sessions: &[Session]| -> Result<(), PerfError> {
        for processor in &mut processors {
            for session in sessions {
                let mut bytes = buffers.split_mut();
                let job = material.job(session, 0, bytes.swap_remove(0));
                let mut job = job.user(Stamp::default());
                material.restore(session, 0, &mut job);
                processor.process_many(std::slice::from_mut(&mut job));
                material.made(0, &job, side)?;
            }
        }
        Ok(())
    };
    // The first sessions take what the allocator and the queues keep for later.
    let first = open()?;
    work(&first)?;
    let before = allocated();
    let sessions = open()?;
    let opened = allocated();
    work(&sessions)?;
    let used = allocated();
    let each = |from: Option<usize>, to: Option<usize>, count: usize| {
        Some((to? as f64 - from? as f64) / count as f64)
    };
    let (session, queue_pair) =
        (each(before, opened, SESSIONS), each(opened, used, SESSIONS * pairs));
    Ok(session.zip(queue_pair).map(|(session, queue_pair)| Memory { session, queue_pair }))
}
