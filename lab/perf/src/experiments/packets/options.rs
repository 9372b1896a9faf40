//! What `broadloom-perf packets` can be asked for.

use broadloom::workers::Placement;

use super::protocol::Protocol;
use super::traffic::Frames;
use crate::error::PerfError;
use crate::experiments::options::{check_counts, check_jobs, or_usual};
use crate::names::named;

/// The most flows that can be asked for.
const MAX_FLOWS: usize = 1 << 20;

/// The most workers that can be asked for.
const MAX_WORKERS: usize = 1024;

/// Which way packets go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From plaintext to what is sent.
    Protect,
    /// From what was received to plaintext.
    Unprotect,
}

named!(Way, "direction", { Protect => "protect", Unprotect => "unprotect" });

/// How packets are handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// One packet a call, complete on return.
    Single,
    /// A burst a call, complete on return.
    Burst,
    /// A burst prepared for a queue pair, enqueued, flushed, dequeued and completed.
    QueuePair,
    /// A burst a call, divided among threads.
    Workers,
    /// Bursts of their own on each of several threads, which have flows of their own, too.
    Threads,
    /// A burst prepared for the engine's workers, as a future that is awaited.
    Futures,
    /// A burst submitted to the engine's workers, whose event file descriptor is waited for.
    EventFd,
}

named!(Call, "call", {
    Single => "single",
    Burst => "burst",
    QueuePair => "queue-pair",
    Workers => "workers",
    Threads => "threads",
    Futures => "futures",
    EventFd => "event-fd",
});

impl Call {
    /// Returns `true` if packets go to threads of their own.
    fn has_workers(self) -> bool {
        matches!(self, Call::Workers | Call::Threads | Call::Futures | Call::EventFd)
    }
}

/// A library whose packet path, or whose fastest call, is measured beside ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketPeer {
    /// boringtun, with a pair of tunnels for each flow.
    BoringTun,
    /// intel-ipsec-mb, called by the code that frames our packets.
    IpsecMb,
    /// libsrtp 2.
    LibSrtp2,
    /// OpenSSL's record layer.
    OpenSsl,
    /// rustls with aws-lc-rs.
    Rustls,
}

named!(PacketPeer, "peer", {
    BoringTun => "boringtun",
    IpsecMb => "ipsec-mb",
    LibSrtp2 => "libsrtp2",
    OpenSsl => "openssl",
    Rustls => "rustls",
});

/// What to measure.
#[derive(Debug, Clone, Default)]
pub struct PacketOptions {
    /// The protocols; empty: those of most users.
    pub protocols: Vec<Protocol>,
    /// Which ways; empty: both.
    pub directions: Vec<Way>,
    /// Lengths of frames; empty: 64, 512 and 1420 bytes and the mix.
    pub frames: Vec<Frames>,
    /// Numbers of flows; empty: 64.
    pub flows: Vec<usize>,
    /// Packets of a burst; empty: 64.
    pub bursts: Vec<usize>,
    /// Numbers of workers, for the calls that have any; empty: 1.
    pub workers: Vec<usize>,
    /// Where workers run.
    pub placement: Placement,
    /// How packets are handed over; empty: in bursts.
    pub calls: Vec<Call>,
    /// Who is measured beside ours.
    pub peers: Vec<PacketPeer>,
    /// The command line, for the report.
    pub command: Option<String>,
    /// `true` to spend less time, for figures that are less steady.
    pub quick: bool,
}

/// One combination of what can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The protocol.
    pub protocol: Protocol,
    /// Which way.
    pub way: Way,
    /// How long frames are.
    pub frames: Frames,
    /// How many flows.
    pub flows: usize,
    /// Packets of a burst.
    pub burst: usize,
    /// Threads.
    pub workers: usize,
    /// How packets are handed over.
    pub call: Call,
}

impl PacketOptions {
    /// Returns all combinations, flows by flows, so that those of one number are opened once.
    ///
    /// # Errors
    /// A number is out of its range.
    pub fn cases(&self) -> Result<Vec<Case>, PerfError> {
        let bursts = or_usual(&self.bursts, &[64]);
        check_jobs("burst", &bursts)?;
        let flows = or_usual(&self.flows, &[64]);
        check_counts("flows", &flows, MAX_FLOWS, "")?;
        let workers = or_usual(&self.workers, &[1]);
        check_counts("workers", &workers, MAX_WORKERS, "")?;
        let frames = [Frames::Bytes(64), Frames::Bytes(512), Frames::Bytes(1420), Frames::Imix];
        let frames = or_usual(&self.frames, &frames);
        let ways = or_usual(&self.directions, &Way::ALL);
        let calls = or_usual(&self.calls, &[Call::Burst]);
        let mut cases = Vec::new();
        for protocol in or_usual(&self.protocols, &Protocol::USUAL) {
            for &flows in &flows {
                for &way in &ways {
                    for &frames in &frames {
                        let loads = loads(&bursts, &calls, &workers);
                        cases.extend(loads.map(|(burst, call, workers)| Case {
                            protocol,
                            way,
                            frames,
                            flows,
                            burst,
                            workers,
                            call,
                        }));
                    }
                }
            }
        }
        Ok(cases)
    }
}

/// Returns bursts, calls and numbers of workers in all combinations that differ: only some calls
/// have workers, and one packet a call is the same whatever the burst.
fn loads<'a>(
    bursts: &'a [usize],
    calls: &'a [Call],
    workers: &'a [usize],
) -> impl Iterator<Item = (usize, Call, usize)> + 'a {
    let pairs = bursts.iter().flat_map(|burst| calls.iter().map(move |call| (*burst, *call)));
    let pairs = pairs.filter(|(burst, call)| *call != Call::Single || *burst == bursts[0]);
    pairs.flat_map(move |(burst, call)| {
        let workers = if call.has_workers() { workers } else { &[1] };
        workers.iter().map(move |workers| (burst, call, *workers))
    })
}
