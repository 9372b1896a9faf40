//! A bound on the bytes a second that go one way.

use std::io::{self, Read};
use std::num::NonZeroU64;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Most bytes that pass at once.
const PIECE: u64 = 64 << 10;

/// A bound on the bytes a second of all transfers in one direction together.
#[derive(Debug)]
pub(super) struct Limit {
    /// Bytes a second.
    rate: NonZeroU64,
    /// When the next bytes may pass.
    free: Mutex<Instant>,
}

impl Limit {
    pub(super) fn new(rate: NonZeroU64) -> Limit {
        Limit { rate, free: Mutex::new(Instant::now()) }
    }

    /// Most bytes of one piece: a tenth of a second's, for an even flow.
    fn piece(&self) -> usize {
        (self.rate.get() / 10).clamp(1, PIECE) as usize
    }

    /// Returns how long bytes that are ready now have to wait.
    fn wait(&self, now: Instant, bytes: usize) -> Duration {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let start = (*free).max(now);
        *free = start + Duration::from_secs_f64(bytes as f64 / self.rate.get() as f64);
        free.duration_since(now)
    }
}

/// Bytes that are read no faster than a limit allows.
pub(super) struct Limited<'l, R> {
    pub(super) inner: R,
    pub(super) limit: Option<&'l Limit>,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let Some(limit) = self.limit else { return self.inner.read(to) };
        let room = to.len().min(limit.piece());
        let read = self.inner.read(&mut to[..room])?;
        thread::sleep(limit.wait(Instant::now(), read));
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_all_threads_wait_for_those_before_them() {
        let limit = Limit::new(NonZeroU64::new(1000).unwrap());
        let now = Instant::now() + Duration::from_secs(1);
        let milliseconds = |wait: Duration| wait.as_millis();
        assert_eq!(milliseconds(limit.wait(now, 100)), 100);
        assert_eq!(milliseconds(limit.wait(now, 400)), 500);
        // Time that nobody used is not saved up.
        let later = now + Duration::from_secs(60);
        assert_eq!(milliseconds(limit.wait(later, 1000)), 1000);
    }

    #[test]
    fn limited_bytes_come_in_pieces_and_whole() {
        let limit = Limit::new(NonZeroU64::new(1 << 20).unwrap());
        let bytes: Vec<u8> = (0..200_000u32).map(|byte| byte as u8).collect();
        let mut limited = Limited { inner: &bytes[..], limit: Some(&limit) };
        let mut piece = vec![0; 200_000];
        assert_eq!(limited.read(&mut piece).unwrap(), 64 << 10);
        let mut all = piece[..64 << 10].to_vec();
        limited.read_to_end(&mut all).unwrap();
        assert!(all == bytes);
    }
}
