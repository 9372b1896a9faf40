//! intel-ipsec-mb in our packet path: our flows frame the packets, and the library's fastest calls
//! take the place of the engine.

use std::mem;
use std::ops::Range;
use std::sync::Arc;

use arrayvec::ArrayVec;
use broadloom::{Algorithm, Direction, Session, Transform};
use broadloom_ipsec_mb::library::Api;
use broadloom_ipsec_mb::packets::{ChainPacket, PacketCalls, PacketKey};
use broadloom_packets::{Flow, Frame, PacketProcessor, Step, TagPlace, Work};
use subtle::ConstantTimeEq;

use super::options::Way;
use super::side::{Side, Traffic, failed};
use crate::error::PerfError;

/// The library in our packet path, on one set of packets.
pub struct InPlaceOfTheEngine<'t, F: Flow> {
    traffic: &'t Traffic<F>,
    way: Way,
    calls: PacketCalls,
    version: String,
    keys: Vec<PacketKey>,
    is_chain: bool,
    buffers: Vec<Vec<u8>>,
    ranges: Vec<Range<usize>>,
    metas: Vec<F::Meta>,
    /// Plans of a burst, whose room is used again.
    works: Vec<Work>,
    sender: PacketProcessor,
}

impl<'t, F: Flow> InPlaceOfTheEngine<'t, F> {
    /// Expands the keys of all flows.
    ///
    /// # Errors
    /// The library is absent, or does not have the algorithm.
    pub fn new(
        traffic: &'t Traffic<F>,
        way: Way,
        transform: impl Fn(usize, Direction) -> Transform,
    ) -> Result<Self, PerfError> {
        let api = Api::load().map_err(failed)?;
        let calls = PacketCalls::new(api.manager().map_err(failed)?);
        let is_chain = matches!(transform(0, Direction::Encrypt).algorithm(), Algorithm::Chain(..));
        let direction = match way {
            Way::Protect => Direction::Encrypt,
            Way::Unprotect => Direction::Decrypt,
        };
        let key = |flow| calls.key(&transform(flow, direction)).map_err(failed);
        let keys = (0..traffic.send.len()).map(key).collect::<Result<_, _>>()?;
        let numbers = 0..traffic.parcels.len();
        Ok(InPlaceOfTheEngine {
            traffic,
            way,
            version: api.version(),
            calls,
            keys,
            is_chain,
            buffers: numbers.clone().map(|number| traffic.buffer(number)).collect(),
            ranges: vec![0..0; numbers.len()],
            metas: numbers.map(|_| F::Meta::default()).collect(),
            works: Vec::new(),
            sender: PacketProcessor::new(),
        })
    }

    fn flow(&self, number: usize) -> &'t Arc<F> {
        let flow = self.traffic.parcels[number].flow;
        match self.way {
            Way::Protect => &self.traffic.send[flow],
            Way::Unprotect => &self.traffic.receive[flow],
        }
    }

    /// Frames a packet.
    fn plan(&mut self, number: usize, work: &mut Work) -> Result<&'t Session, PerfError> {
        let flow = self.flow(number);
        let mut frame = Frame::new(&mut self.buffers[number], &mut self.ranges[number]);
        let session = match self.way {
            Way::Protect => flow.protect(&mut frame, &mut self.metas[number], work),
            Way::Unprotect => flow.unprotect(&mut frame, &mut self.metas[number], work),
        };
        session.map_err(failed)
    }

    /// Puts the tag that was made into a packet, or compares it with the packet's, and has the flow
    /// complete the packet.
    fn complete(&mut self, number: usize, work: &Work, tag: &[u8]) -> Result<(), PerfError> {
        let flow = self.flow(number);
        let buffer = &mut self.buffers[number];
        let is_right = match (&work.tag, self.way) {
            (TagPlace::At(at) | TagPlace::Later(at), Way::Protect) => {
                buffer[*at..*at + tag.len()].copy_from_slice(tag);
                true
            }
            (TagPlace::At(at), Way::Unprotect) => buffer[*at..*at + tag.len()].ct_eq(tag).into(),
            (TagPlace::Expected(expected), _) => expected.ct_eq(tag).into(),
            _ => false,
        };
        if !is_right {
            return Err(failed("intel-ipsec-mb's tag is another than the packet's"));
        }
        let mut frame = Frame::new(buffer, &mut self.ranges[number]);
        let step = match self.way {
            Way::Protect => flow.protected(&mut frame, &mut self.metas[number], work),
            Way::Unprotect => flow.unprotected(&mut frame, &mut self.metas[number], work),
        };
        match step.map_err(failed)? {
            Step::Complete => Ok(()),
            Step::Again(_) => Err(failed("the protocol takes more than one job a packet")),
        }
    }

    fn aeads(&mut self, numbers: Range<usize>) -> Result<(), PerfError> {
        let mut work = Work::default();
        for number in numbers {
            let session = self.plan(number, &mut work)?;
            let cipher = work.cipher.clone().unwrap_or(0..0);
            let (before, from) = self.buffers[number].split_at_mut(cipher.start);
            let associated = work.associated.bytes(before);
            let key = &self.keys[self.traffic.parcels[number].flow];
            let mut tag = [0; 16];
            self.calls.gcm(key, &work.nonce, associated, &mut from[..cipher.len()], &mut tag);
            self.complete(number, &work, &tag[..session.tag_len()])?;
        }
        Ok(())
    }

    fn chains(&mut self, numbers: Range<usize>) -> Result<(), PerfError> {
        let mut works = mem::take(&mut self.works);
        works.resize_with(numbers.len().max(works.len()), Work::default);
        let mut sessions: ArrayVec<&'t Session, 1024> = ArrayVec::new();
        for (number, work) in numbers.clone().zip(&mut works) {
            sessions.push(self.plan(number, work)?);
        }
        let mut packets: ArrayVec<ChainPacket<'_>, 1024> = ArrayVec::new();
        let buffers = self.buffers[numbers.clone()].iter_mut();
        let plans = sessions.iter().zip(&works);
        for (((session, work), data), number) in plans.clone().zip(buffers).zip(numbers.clone()) {
            packets.push(ChainPacket {
                key: &self.keys[self.traffic.parcels[number].flow],
                iv: work.nonce.as_slice().try_into().map_err(failed)?,
                data,
                cipher: work.cipher.clone().unwrap_or(0..0),
                mac: work.mac.clone().unwrap_or(0..0),
                tag_len: session.tag_len(),
                tag: [0; 64],
            });
        }
        self.calls.chains(&mut packets).map_err(failed)?;
        let tags: ArrayVec<[u8; 64], 1024> = packets.iter().map(|packet| packet.tag).collect();
        drop(packets);
        for (((session, work), tag), number) in plans.zip(&tags).zip(numbers) {
            self.complete(number, work, &tag[..session.tag_len()])?;
        }
        self.works = works;
        Ok(())
    }
}

impl<F: Flow> Side for InPlaceOfTheEngine<'_, F> {
    fn name(&self) -> String {
        "ipsec-mb".to_owned()
    }

    fn kernel(&self) -> String {
        let call = if self.is_chain { "jobs" } else { "direct" };
        format!("{} {} {call}", self.version, self.calls.arch().to_lowercase())
    }

    fn prepare(&mut self, piece: usize) -> Result<(), PerfError> {
        for number in self.traffic.piece(piece) {
            let buffer = &mut self.buffers[number];
            (self.metas[number], self.ranges[number]) = match self.way {
                Way::Protect => ((self.traffic.meta)(), self.traffic.write(number, buffer)),
                Way::Unprotect => {
                    let range = self.traffic.write_sent(number, buffer, &mut self.sender)?;
                    (F::Meta::default(), range)
                }
            };
        }
        Ok(())
    }

    fn run(&mut self, piece: usize) -> Result<(), PerfError> {
        let numbers = self.traffic.piece(piece);
        if self.is_chain { self.chains(numbers) } else { self.aeads(numbers) }
    }

    fn outputs(&self, piece: usize) -> Vec<Vec<u8>> {
        let bytes = |number: usize| self.buffers[number][self.ranges[number].clone()].to_vec();
        self.traffic.piece(piece).map(bytes).collect()
    }
}
