//! The packet path of `broadloom-packets`, by each of its calls.

use std::mem;
use std::sync::Arc;

use broadloom::QueuePair;
use broadloom::queue::QueueConfig;
use broadloom::workers::{Placement, WorkersConfig};
use broadloom_packets::{Flow, Packet, PacketProcessor, PacketWorkers, Prepared};
#[cfg(target_os = "linux")]
use rustix::event::{PollFd, PollFlags, poll};

use super::options::{Call, Case, Way};
use super::side::{Side, Traffic, check, failed};
use crate::error::PerfError;

/// Our packet path on one set of packets.
pub struct Ours<'t, F: Flow + 'static> {
    traffic: &'t Traffic<F>,
    way: Way,
    pieces: Vec<Vec<Packet<'static, F>>>,
    processor: PacketProcessor,
    /// Makes what is to be unprotected; of its own, so that our processor stays as it was.
    sender: PacketProcessor,
    path: Path<F>,
}

/// What a call goes through.
enum Path<F: Flow + 'static> {
    Single,
    Burst,
    Pair(QueuePair<'static, Box<Prepared<F>>>),
    Packets(PacketWorkers),
    Futures(broadloom::Workers<Box<Prepared<F>>>),
    #[cfg(target_os = "linux")]
    Event(broadloom::Workers<Box<Prepared<F>>>, broadloom::queue::Event),
}

impl<'t, F: Flow + 'static> Ours<'t, F> {
    /// Makes the packets, and starts what the case's call needs.
    ///
    /// # Errors
    /// Workers cannot be started.
    pub fn new(
        traffic: &'t Traffic<F>,
        case: &Case,
        placement: &Placement,
    ) -> Result<Self, PerfError> {
        let flows = match case.way {
            Way::Protect => &traffic.send,
            Way::Unprotect => &traffic.receive,
        };
        let packet = |number: usize| {
            let flow = Arc::clone(&flows[traffic.parcels[number].flow]);
            let mut buffer = traffic.buffer(number);
            if let Some(place) = buffer.last_chunk_mut() {
                *place = number.to_ne_bytes();
            }
            Packet::new(flow, buffer, 0..0)
        };
        let pieces = (0..traffic.pieces()).map(|piece| traffic.piece(piece).map(packet).collect());
        let path = match case.call {
            Call::Single => Path::Single,
            // Each of the threads has packets of its own.
            Call::Burst | Call::Threads => Path::Burst,
            Call::QueuePair => {
                let capacity = case.burst.max(64);
                Path::Pair(QueuePair::new(QueueConfig { capacity, ..QueueConfig::default() }))
            }
            Call::Workers => {
                Path::Packets(PacketWorkers::new(case.workers, placement).map_err(failed)?)
            }
            Call::Futures | Call::EventFd => {
                let config = WorkersConfig {
                    threads: case.workers,
                    placement: placement.clone(),
                    ..WorkersConfig::default()
                };
                let workers = broadloom::Workers::new(config).map_err(failed)?;
                match case.call {
                    Call::Futures => Path::Futures(workers),
                    _ => Path::event(workers)?,
                }
            }
        };
        Ok(Ours {
            traffic,
            way: case.way,
            pieces: pieces.collect(),
            processor: PacketProcessor::new(),
            sender: PacketProcessor::new(),
            path,
        })
    }

    /// Goes on with another processor.
    pub fn set_processor(&mut self, processor: PacketProcessor) {
        self.processor = processor;
    }
}

/// Returns the number of a packet, which the end of its buffer has.
fn number<F: Flow>(packet: &Packet<'_, F>) -> usize {
    packet.buffer().last_chunk().map_or(0, |place| usize::from_ne_bytes(*place))
}

impl<F: Flow + 'static> Side for Ours<'_, F> {
    fn name(&self) -> String {
        "native".to_owned()
    }

    fn kernel(&self) -> String {
        String::new()
    }

    fn prepare(&mut self, piece: usize) -> Result<(), PerfError> {
        // Queue pairs and workers give packets back in any order.
        self.pieces[piece].sort_by_key(number);
        for (number, packet) in self.traffic.piece(piece).zip(&mut self.pieces[piece]) {
            let range = match self.way {
                Way::Protect => {
                    *packet.meta_mut() = (self.traffic.meta)();
                    self.traffic.write(number, packet.buffer_mut())
                }
                Way::Unprotect => {
                    *packet.meta_mut() = F::Meta::default();
                    self.traffic.write_sent(number, packet.buffer_mut(), &mut self.sender)?
                }
            };
            packet.set_range(range);
        }
        Ok(())
    }

    fn run(&mut self, piece: usize) -> Result<(), PerfError> {
        let packets = &mut self.pieces[piece];
        let processor = &mut self.processor;
        match (&mut self.path, self.way) {
            (Path::Single, Way::Protect) => {
                for packet in packets.chunks_mut(1) {
                    processor.protect_burst(packet);
                }
            }
            (Path::Single, Way::Unprotect) => {
                for packet in packets.chunks_mut(1) {
                    processor.unprotect_burst(packet);
                }
            }
            (Path::Burst, Way::Protect) => drop(processor.protect_burst(packets)),
            (Path::Burst, Way::Unprotect) => drop(processor.unprotect_burst(packets)),
            (Path::Packets(workers), Way::Protect) => drop(workers.protect_burst(packets)),
            (Path::Packets(workers), Way::Unprotect) => drop(workers.unprotect_burst(packets)),
            (path, way) => {
                let (taken, mut refused) = (mem::take(packets), Vec::new());
                let jobs = match way {
                    Way::Protect => processor.prepare_to_protect(taken, &mut refused),
                    Way::Unprotect => processor.prepare_to_unprotect(taken, &mut refused),
                };
                let jobs = path.process(jobs)?;
                *packets = processor.complete(jobs);
                packets.append(&mut refused);
            }
        }
        packets.iter().try_for_each(check)
    }

    fn outputs(&self, piece: usize) -> Vec<Vec<u8>> {
        let mut packets: Vec<&Packet<'_, F>> = self.pieces[piece].iter().collect();
        packets.sort_by_key(|packet| number(packet));
        packets.iter().map(|packet| packet.bytes().to_vec()).collect()
    }
}

impl<F: Flow + 'static> Path<F> {
    /// Returns the path over workers whose event file descriptor is waited for.
    #[cfg(target_os = "linux")]
    fn event(workers: broadloom::Workers<Box<Prepared<F>>>) -> Result<Self, PerfError> {
        let event = workers.event().map_err(failed)?;
        Ok(Path::Event(workers, event))
    }

    /// Refuses: only Linux has event file descriptors.
    #[cfg(not(target_os = "linux"))]
    fn event(_: broadloom::Workers<Box<Prepared<F>>>) -> Result<Self, PerfError> {
        Err(failed("only Linux has event file descriptors"))
    }

    /// Has jobs processed, and returns them in their order.
    fn process(
        &mut self,
        mut jobs: Vec<Box<Prepared<F>>>,
    ) -> Result<Vec<Box<Prepared<F>>>, PerfError> {
        match self {
            Path::Pair(pair) => {
                let (count, mut done) = (jobs.len(), Vec::with_capacity(jobs.len()));
                while done.len() < count {
                    pair.enqueue(&mut jobs);
                    pair.flush();
                    pair.dequeue(&mut done, usize::MAX);
                }
                Ok(done)
            }
            // It awaits the future of `Workers::process_burst`.
            Path::Futures(workers) => Ok(workers.process_many(jobs)),
            #[cfg(target_os = "linux")]
            Path::Event(workers, event) => {
                let (count, mut done) = (jobs.len(), Vec::with_capacity(jobs.len()));
                while done.len() < count {
                    workers.submit(&mut jobs);
                    let mut watched = [PollFd::new(event, PollFlags::IN)];
                    poll(&mut watched, None).map_err(failed)?;
                    workers.poll(&mut done, usize::MAX);
                }
                Ok(done)
            }
            Path::Single | Path::Burst | Path::Packets(_) => {
                unreachable!("packets go through these without being prepared")
            }
        }
    }
}
