//! Connections over the loopback device, and the thread that receives all that they carry.

use std::io::{self, ErrorKind, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use broadloom_engine::pin_to;
use rustix::event::{Timespec, epoll};

use super::failed;
use crate::error::PerfError;

/// Bytes that are taken from a connection at once.
const PIECE: usize = 256 << 10;

/// Connections that are looked at together.
const EVENTS: usize = 256;

/// What was sent arrives within this time, unless it is lost.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long the receiver waits before it looks whether it is to end.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// Open connections, whose receiving ends a thread of its own drains.
pub(super) struct Wire {
    streams: Vec<TcpStream>,
    shared: Arc<Shared>,
    receiver: Option<JoinHandle<io::Result<()>>>,
}

/// What both ends know.
struct Shared {
    /// Bytes that have arrived on all connections.
    arrived: AtomicU64,
    /// `true` if what arrives is kept.
    keeps: AtomicBool,
    ends: AtomicBool,
    /// What was kept, by connections.
    kept: Mutex<Vec<Vec<u8>>>,
}

impl Wire {
    /// Opens connections, whose receiver runs on a core if one is given.
    ///
    /// # Errors
    /// The system opens no more.
    pub fn open(connections: usize, core: Option<usize>) -> Result<Wire, PerfError> {
        let (mut streams, mut ends) = (Vec::new(), Vec::new());
        // Each set has a port of its own, so that connections that were closed a moment ago do not
        // use up the other port.
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        for _ in 0..connections {
            streams.push(TcpStream::connect(address).map_err(failed)?);
            let (end, _) = listener.accept().map_err(failed)?;
            end.set_nonblocking(true).map_err(failed)?;
            ends.push(end);
        }
        let shared = Arc::new(Shared {
            arrived: AtomicU64::new(0),
            keeps: AtomicBool::new(false),
            ends: AtomicBool::new(false),
            kept: Mutex::new(vec![Vec::new(); connections]),
        });
        let receiver = {
            let shared = Arc::clone(&shared);
            let work = move || {
                // Where it cannot be pinned, the report says so of the sender.
                let _ = core.map(pin_to);
                receive(ends, &shared)
            };
            thread::Builder::new().name("receiver".to_owned()).spawn(work).map_err(failed)?
        };
        Ok(Wire { streams, shared, receiver: Some(receiver) })
    }

    /// Returns the sending ends.
    pub fn streams(&self) -> &[TcpStream] {
        &self.streams
    }

    /// Returns the number of bytes that have arrived.
    pub fn arrived(&self) -> u64 {
        self.shared.arrived.load(Ordering::Acquire)
    }

    /// Waits until so many bytes have arrived since the wire was opened.
    ///
    /// # Errors
    /// They do not arrive.
    pub fn wait(&self, bytes: u64) -> Result<(), PerfError> {
        let begin = Instant::now();
        while self.arrived() < bytes {
            if begin.elapsed() > PATIENCE {
                return Err(failed(format!("{} of {bytes} bytes arrived", self.arrived())));
            }
            thread::sleep(Duration::from_micros(50));
        }
        Ok(())
    }

    /// Runs `send`, which returns the bytes that it has sent, and returns what arrived, by
    /// connections.
    ///
    /// # Errors
    /// Of `send`; or not all arrives.
    pub fn keep(
        &self,
        send: impl FnOnce() -> Result<u64, PerfError>,
    ) -> Result<Vec<Vec<u8>>, PerfError> {
        let before = self.arrived();
        self.shared.keeps.store(true, Ordering::SeqCst);
        let done = send().and_then(|bytes| self.wait(before + bytes));
        self.shared.keeps.store(false, Ordering::SeqCst);
        let mut kept = self.shared.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.iter_mut().map(std::mem::take).collect();
        done.map(|()| kept)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::SeqCst);
        if let Some(receiver) = self.receiver.take() {
            // Its failure was seen as bytes that did not arrive.
            let _ = receiver.join();
        }
    }
}

/// Receives until it is to end.
fn receive(mut ends: Vec<TcpStream>, shared: &Shared) -> io::Result<()> {
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (number, end) in ends.iter().enumerate() {
        epoll::add(&poll, end, epoll::EventData::new_u64(number as u64), epoll::EventFlags::IN)?;
    }
    let mut buffer = vec![0; PIECE];
    let mut events = Vec::with_capacity(EVENTS);
    while !shared.ends.load(Ordering::Relaxed) {
        events.clear();
        match epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), Some(&LOOK)) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        for event in &events {
            let number = event.data.u64() as usize;
            let len = match ends[number].read(&mut buffer) {
                Ok(len) => len,
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if shared.keeps.load(Ordering::SeqCst) {
                let mut kept = shared.kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept[number].extend_from_slice(&buffer[..len]);
            }
            shared.arrived.fetch_add(len as u64, Ordering::Release);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_is_sent_arrives_on_its_connection() {
        let wire = Wire::open(3, None).unwrap();
        let kept = wire.keep(|| {
            for (number, mut stream) in wire.streams().iter().enumerate() {
                stream.write_all(&vec![number as u8; 100_000]).unwrap();
            }
            Ok(300_000)
        });
        let kept = kept.unwrap();
        for (number, bytes) in kept.iter().enumerate() {
            assert_eq!(*bytes, vec![number as u8; 100_000], "connection {number}");
        }
        (&wire.streams()[0]).write_all(&[1]).unwrap();
        wire.wait(300_001).unwrap();
        assert_eq!(wire.keep(|| Ok(0)).unwrap(), vec![Vec::<u8>::new(); 3]);
    }
}
