//! Bursts of packets, protected or unprotected within the call.

use std::any::Any;
use std::array;
use std::mem;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use arrayvec::ArrayVec;
use broadloom_engine::{Job, JobError, MAX_TAG, PlainJob, Processor, Session};
use zeroize::Zeroize;

use crate::error::PacketError;
use crate::flow::Flow;
use crate::frame::Frame;
use crate::near::Near;
use crate::packet::Packet;
use crate::plan::{Mask, Step, TagPlace, Work};
use crate::prepared::Prepared;

/// Packets that go to the engine in one call. All lanes of a hash in two stages have work then, and
/// the packets, their plans and their jobs still fit the second cache.
const WINDOW: usize = 128;

/// Protects and unprotects bursts of packets within the call, on one thread: any mix of flows,
/// algorithms, lengths and keys of one protocol.
///
/// Threads that work at the same time each have a processor of their own; they may share flows.
pub struct PacketProcessor {
    engine: Engine,
    near: Near,
    /// What is to be done with each packet of a window. Like all rooms of a window it is filled in
    /// where it stays, and used again.
    works: Box<[Work; WINDOW]>,
    /// Tags that are not in their packets while the engine works.
    tags: Box<[[u8; MAX_TAG]; WINDOW]>,
}

/// The engine, from which a provider's panic comes later than it happens.
#[derive(Default)]
struct Engine {
    processor: Processor,
    /// What a provider has panicked with, until all packets of the burst have a status.
    panic: Option<Box<dyn Any + Send>>,
    /// The jobs of the last call that failed, by their numbers in it, and why.
    failures: Vec<(usize, JobError)>,
}

impl Engine {
    /// Processes jobs, and notes which have failed. If a provider panics, those have failed that it
    /// was given.
    fn process(&mut self, jobs: &mut [PlainJob<'_>]) {
        self.failures.clear();
        let process = AssertUnwindSafe(|| self.processor.process_plain(jobs));
        match catch_unwind(process) {
            Ok(outcome) if outcome.failed == 0 => return,
            Ok(_) => {}
            Err(panic) => self.note_panic(panic),
        }
        self.note_failures(jobs);
    }

    /// Computes a mask at once if it is an encrypted sample and the provider does so. Returns
    /// `false` if the mask is for a job.
    #[inline]
    fn encrypt_block(&mut self, mask: &mut Mask<'_>) -> bool {
        if !mask.nonce.is_empty() || self.panic.is_some() {
            return false;
        }
        let (session, mut block) = (mask.session, mask.block);
        let encrypt = AssertUnwindSafe(|| self.processor.encrypt_block(session, &mut block));
        match catch_unwind(encrypt) {
            Ok(true) => {
                mask.block = block;
                true
            }
            Ok(false) => false,
            Err(panic) => {
                self.note_panic(panic);
                false
            }
        }
    }

    #[cold]
    fn note_panic(&mut self, panic: Box<dyn Any + Send>) {
        // What the provider has open may be of no more use.
        self.processor = Processor::new();
        self.panic.get_or_insert(panic);
    }

    #[cold]
    fn note_failures(&mut self, jobs: &[PlainJob<'_>]) {
        for (number, job) in jobs.iter().enumerate().filter(|(_, job)| !job.succeeded()) {
            let error = job.status().and_then(Result::err).unwrap_or(JobError::NotDone);
            self.failures.push((number, error));
        }
    }

    /// Lets a panic of a provider go on, when all packets have a status.
    fn go_on_to_panic(&mut self) {
        if let Some(panic) = self.panic.take() {
            resume_unwind(panic);
        }
    }
}

impl Default for PacketProcessor {
    fn default() -> Self {
        PacketProcessor {
            engine: Engine::default(),
            near: Near::default(),
            works: Box::new(array::from_fn(|_| Work::default())),
            tags: Box::new([[0; MAX_TAG]; WINDOW]),
        }
    }
}

impl Drop for PacketProcessor {
    /// Wipes nonces, of which parts may be secret.
    fn drop(&mut self) {
        self.works.iter_mut().for_each(|work| work.nonce.as_mut_slice().zeroize());
    }
}

/// How many packets of a burst went which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BurstOutcome {
    /// Packets that were protected, or that are authentic and were delivered.
    pub succeeded: usize,
    /// Packets that were refused, each with its [`status`](Packet::status).
    pub refused: usize,
}

/// Which way packets go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Protect,
    Unprotect,
}

/// A packet on its way through a burst.
struct Item<'x, F: Flow> {
    flow: &'x F,
    buffer: &'x mut [u8],
    range: &'x mut Range<usize>,
    meta: &'x mut F::Meta,
    status: &'x mut Option<Result<(), PacketError>>,
    /// The session that has something to do for the packet.
    session: Option<&'x Session>,
    /// The range that the packet had before the burst.
    original: Range<usize>,
}

impl<'x, F: Flow> Item<'x, F> {
    /// Returns `true` if the packet has no status yet.
    fn is_open(&self) -> bool {
        self.status.is_none()
    }

    /// Returns `true` if the packet has no status yet, and its header is masked.
    fn awaits_mask(&self) -> bool {
        self.flow.masks() && self.is_open()
    }

    fn refuse(&mut self, error: PacketError) {
        *self.range = self.original.clone();
        *self.status = Some(Err(error));
        self.flow.counters().refuse(&error);
    }

    fn succeed(&mut self, way: Way) {
        let bytes = if way == Way::Protect { self.original.len() } else { self.range.len() };
        *self.status = Some(Ok(()));
        self.flow.counters().add(bytes);
    }

    /// Has the flow say in `work` what is to be done, or refuse the packet.
    #[inline(always)]
    fn begin(&mut self, way: Way, work: &mut Work) {
        let (flow, mut frame) = (self.flow, Frame::new(self.buffer, self.range));
        let session = match way {
            Way::Protect => flow.protect(&mut frame, self.meta, work),
            Way::Unprotect => flow.unprotect(&mut frame, self.meta, work),
        };
        match session {
            Ok(session) => self.session = Some(session),
            Err(error) => self.refuse(error),
        }
    }

    /// Goes on after a job that succeeded, and whose tag is in the packet: the packet is complete,
    /// or the flow says in `work` what is to be done next.
    #[inline]
    fn go_on(&mut self, way: Way, work: &mut Work) {
        self.session = None;
        let flow = self.flow;
        let mut frame = Frame::new(self.buffer, self.range);
        let next = match way {
            Way::Protect => flow.protected(&mut frame, self.meta, work),
            Way::Unprotect => flow.unprotected(&mut frame, self.meta, work),
        };
        match next {
            Err(error) => self.refuse(error),
            Ok(Step::Again(plan)) => self.session = Some(plan.write(work)),
            // A mask over the header is still to come.
            Ok(Step::Complete) if way == Way::Protect && flow.masks() => {}
            Ok(Step::Complete) => self.succeed(way),
        }
    }

    /// Refuses the packet after a job that failed.
    #[cold]
    fn fail(&mut self, work: &Work, error: JobError) {
        self.session = None;
        let mut frame = Frame::new(self.buffer, self.range);
        self.flow.failed(&mut frame, self.meta, work);
        self.refuse(error.into());
    }

    /// Goes on after a job of a queue pair, which made this tag.
    fn go_on_from(&mut self, way: Way, work: &mut Work, (outcome, tag): &JobResult) {
        if let Err(error) = outcome {
            return self.fail(work, *error);
        }
        if let TagPlace::At(at) | TagPlace::Later(at) = work.tag {
            self.buffer[at..at + tag.len()].copy_from_slice(tag);
        }
        self.go_on(way, work);
    }

    /// Returns the job for what `work` says; its tag is in the packet, or else in `apart`.
    #[inline(always)]
    fn job<'j>(
        &'j mut self,
        session: &'j Session,
        work: &'j Work,
        apart: &'j mut [u8; MAX_TAG],
    ) -> PlainJob<'j> {
        let (text, tag_len) = (work.text(), session.tag_len());
        let is_behind = work.has_tag_behind();
        if !is_behind {
            work.take_tag(self.buffer, &mut apart[..tag_len]);
        }
        let (before, from) = self.buffer.split_at_mut(text.start);
        let (data, behind) = from.split_at_mut(text.len());
        let tag = match work.tag {
            TagPlace::At(tag) if is_behind => &mut behind[tag - text.end..][..tag_len],
            _ => &mut apart[..tag_len],
        };
        let associated = work.associated.bytes(before);
        let mut job = PlainJob::new(session, &work.nonce, associated, data, tag);
        if let (Some(cipher), Some(mac)) = (&work.cipher, &work.mac) {
            let within = |range: &Range<usize>| range.start - text.start..range.end - text.start;
            job.set_ranges(within(cipher), within(mac));
        }
        job
    }
}

/// Gives a job the nonce, the ranges and the tag of its plan, all relative to its data.
pub(crate) fn describe<T>(job: &mut Job<'_, T>, work: &Work) {
    let start = work.data.start;
    let within = |range: &Range<usize>| range.start - start..range.end - start;
    if !work.nonce.is_empty() {
        job.set_nonce(&work.nonce);
    }
    // A range of all the data is the same as none, which the engine knows to be within them.
    if let Some(cipher) = work.cipher.as_ref().filter(|cipher| **cipher != work.data) {
        job.set_cipher_range(Some(within(cipher)));
    }
    if let Some(mac) = work.mac.as_ref().filter(|mac| **mac != work.data) {
        job.set_mac_range(Some(within(mac)));
    }
    match &work.tag {
        TagPlace::None | TagPlace::Later(_) => {}
        TagPlace::At(at) => job.set_tag_at(Some(at - start)),
        TagPlace::Expected(tag) => job.set_expected_tag(tag),
    }
}

impl PacketProcessor {
    /// Returns a processor with nothing open yet.
    pub fn new() -> Self {
        PacketProcessor::default()
    }

    /// Protects a burst of packets: encrypts them, authenticates them and puts them into the form
    /// in which they are sent. Each packet then has a [`status`](Packet::status).
    ///
    /// # Panics
    /// If a provider panics. Each packet of the burst has a status all the same. Those that the
    /// provider was working on have failed with [`JobError::Panicked`]: what was half done of them
    /// is wiped, and their sequence numbers are used up and never given to another packet. Those of
    /// which nothing was begun have failed with [`JobError::Cancelled`]. The processor can be used
    /// again.
    pub fn protect_burst<F: Flow>(&mut self, packets: &mut [Packet<'_, F>]) -> BurstOutcome {
        self.run(packets, Way::Protect)
    }

    /// Unprotects a burst of packets: checks them, decrypts them and takes them out of the form in
    /// which they came. Each packet then has a [`status`](Packet::status). The content of one that
    /// is not authentic is wiped or left encrypted.
    ///
    /// # Panics
    /// As [`protect_burst`](PacketProcessor::protect_burst).
    pub fn unprotect_burst<F: Flow>(&mut self, packets: &mut [Packet<'_, F>]) -> BurstOutcome {
        self.run(packets, Way::Unprotect)
    }

    pub(crate) fn run<F: Flow>(&mut self, packets: &mut [Packet<'_, F>], way: Way) -> BurstOutcome {
        let mut outcome = BurstOutcome::default();
        let step = self.near.step(WINDOW);
        let (protects, mut left) = (way == Way::Protect, packets);
        // Nothing else is done while the first packets are waited for.
        let first = &left[..step.min(left.len())];
        let far = self.near.flows(first);
        Near::sessions(first, far, protects);
        Near::keys(first, far, protects);
        while !left.is_empty() {
            let at = step.min(left.len());
            let (packets, rest) = mem::take(&mut left).split_at_mut(at);
            left = rest;
            self.run_window(packets, &left[..step.min(left.len())], way);
            if self.engine.panic.is_some() {
                cancel(left);
                break;
            }
            let succeeded = packets.iter().filter(|packet| packet.succeeded()).count();
            outcome.succeeded += succeeded;
            outcome.refused += packets.len() - succeeded;
        }
        self.engine.go_on_to_panic();
        outcome
    }

    /// Brings up to [`WINDOW`] packets to their end. Meanwhile the memory is asked for that those
    /// need which come next.
    fn run_window<F: Flow>(
        &mut self,
        packets: &mut [Packet<'_, F>],
        next: &[Packet<'_, F>],
        way: Way,
    ) {
        let far = self.near.flows(next);
        let mut items: Items<'_, F> = ArrayVec::new();
        for packet in packets {
            packet.status = None;
            items.push(item(packet));
        }
        if F::MASKS && way == Way::Unprotect {
            self.mask(&mut items, way);
        }
        for (item, work) in items.iter_mut().zip(&mut *self.works) {
            if item.is_open() {
                item.begin(way, work);
            }
        }
        Near::sessions(next, far, way == Way::Protect);
        self.finish(&mut items, way);
        Near::keys(next, far, way == Way::Protect);
    }

    /// Works on packets until each has a status.
    fn finish<F: Flow>(&mut self, items: &mut [Item<'_, F>], way: Way) {
        while items.iter().any(|item| item.session.is_some()) {
            self.work(items, way);
        }
        if F::MASKS && way == Way::Protect {
            self.mask(items, way);
            items.iter_mut().filter(|item| item.is_open()).for_each(|item| item.succeed(way));
        }
    }

    /// Has the engine do what there is to do for packets, and has their flows go on.
    fn work<F: Flow>(&mut self, items: &mut [Item<'_, F>], way: Way) {
        self.process(items);
        let (mut failures, mut number) = (self.engine.failures.as_slice(), 0);
        for ((item, work), apart) in items.iter_mut().zip(&mut *self.works).zip(&*self.tags) {
            let Some(session) = item.session else { continue };
            match failures {
                [(at, error), rest @ ..] if *at == number => {
                    failures = rest;
                    item.fail(work, *error);
                }
                _ => {
                    if !work.has_tag_behind() {
                        work.put_tag(session, item.buffer, apart);
                    }
                    item.go_on(way, work);
                }
            }
            number += 1;
        }
    }

    /// Has the engine do what there is to do for packets, and notes which of the jobs failed.
    fn process<F: Flow>(&mut self, items: &mut [Item<'_, F>]) {
        let mut jobs: ArrayVec<PlainJob<'_>, WINDOW> = ArrayVec::new();
        for ((item, work), apart) in items.iter_mut().zip(&*self.works).zip(&mut *self.tags) {
            if let Some(session) = item.session {
                jobs.push(item.job(session, work, apart));
            }
        }
        self.engine.process(&mut jobs);
    }

    /// Computes the masks of all packets that have no status yet, and has their flows apply them.
    fn mask<F: Flow>(&mut self, items: &mut [Item<'_, F>], way: Way) {
        let mut masks: ArrayVec<Option<Mask<'_>>, WINDOW> = ArrayVec::new();
        for item in items.iter_mut().filter(|item| item.awaits_mask()) {
            let flow = item.flow;
            match flow.mask(&Frame::new(item.buffer, item.range), item.meta) {
                Ok(mask) => masks.push(mask),
                Err(error) => item.refuse(error),
            }
        }
        if masks.is_empty() {
            return;
        }
        self.encrypt(&mut masks);
        let (mut failures, mut number) = (self.engine.failures.iter().peekable(), 0);
        let open = items.iter_mut().filter(|item| item.awaits_mask());
        for (item, mask) in open.zip(&masks) {
            let Some(mask) = mask else { continue };
            let failure = failures.next_if(|(at, _)| *at == number);
            let outcome = failure.map_or(Ok(()), |(_, error)| Err(PacketError::from(*error)));
            number += 1;
            let mut frame = Frame::new(item.buffer, item.range);
            let applied = outcome.and_then(|()| {
                item.flow.masked(&mut frame, item.meta, &mask.block, way == Way::Protect)
            });
            if let Err(error) = applied {
                if way == Way::Protect {
                    item.flow.failed(&mut frame, item.meta, &Work::default());
                }
                item.refuse(error);
            }
        }
    }

    /// Encrypts the blocks of the masks that there are in place, and notes which of these failed:
    /// each at once if its provider does so, and the rest as jobs.
    fn encrypt(&mut self, masks: &mut [Option<Mask<'_>>]) {
        let mut jobs: ArrayVec<PlainJob<'_>, WINDOW> = ArrayVec::new();
        // The number that each job's mask has among all.
        let mut numbers: ArrayVec<u8, WINDOW> = ArrayVec::new();
        for (number, mask) in (0..).zip(masks.iter_mut().flatten()) {
            if !self.engine.encrypt_block(mask) {
                jobs.push(PlainJob::new(mask.session, &mask.nonce, &[], &mut mask.block, &mut []));
                numbers.push(number);
            }
        }
        self.engine.process(&mut jobs);
        self.engine.failures.iter_mut().for_each(|(at, _)| *at = numbers[*at].into());
    }

    /// Prepares packets for a queue pair or for workers of the engine: frames them, and turns each
    /// into a job. Packets that are refused come back in `refused`, each with its status.
    ///
    /// What comes back from there goes to [`complete`](PacketProcessor::complete).
    ///
    /// # Panics
    /// If a provider panics; the packets are lost then.
    pub fn prepare_to_protect<F: Flow + 'static>(
        &mut self,
        packets: Vec<Packet<'static, F>>,
        refused: &mut Vec<Packet<'static, F>>,
    ) -> Vec<Box<Prepared<F>>> {
        self.prepare(packets, refused, Way::Protect)
    }

    /// Prepares packets that came from the network, as
    /// [`prepare_to_protect`](PacketProcessor::prepare_to_protect) prepares those that go there.
    pub fn prepare_to_unprotect<F: Flow + 'static>(
        &mut self,
        packets: Vec<Packet<'static, F>>,
        refused: &mut Vec<Packet<'static, F>>,
    ) -> Vec<Box<Prepared<F>>> {
        self.prepare(packets, refused, Way::Unprotect)
    }

    fn prepare<F: Flow + 'static>(
        &mut self,
        mut packets: Vec<Packet<'static, F>>,
        refused: &mut Vec<Packet<'static, F>>,
        way: Way,
    ) -> Vec<Box<Prepared<F>>> {
        packets.iter_mut().for_each(|packet| packet.status = None);
        if F::MASKS && way == Way::Unprotect {
            for packets in packets.chunks_mut(WINDOW) {
                let mut items: Items<'_, F> = ArrayVec::new();
                packets.iter_mut().for_each(|packet| items.push(item(packet)));
                self.mask(&mut items, way);
            }
        }
        let mut prepared = Vec::with_capacity(packets.len());
        for mut packet in packets {
            let original = packet.range.clone();
            // A packet whose header could not be unmasked has its status.
            let mut work = Work::default();
            let session = match packet.status {
                Some(_) => None,
                None => {
                    let mut item = item(&mut packet);
                    item.begin(way, &mut work);
                    item.session.cloned()
                }
            };
            match session {
                Some(session) => {
                    prepared.push(Box::new(Prepared::new(packet, original, session, work, way)));
                }
                None => refused.push(packet),
            }
        }
        self.engine.go_on_to_panic();
        prepared
    }

    /// Completes packets whose jobs came back from a queue pair or from workers, and returns them
    /// in the same order, each with its status.
    ///
    /// # Panics
    /// If a provider panics; the packets are lost then.
    pub fn complete<F: Flow + 'static>(
        &mut self,
        prepared: Vec<Box<Prepared<F>>>,
    ) -> Vec<Packet<'static, F>> {
        let (mut packets, mut done) = (Vec::new(), Vec::new());
        for prepared in prepared {
            let result = result(&prepared.job);
            let (packet, rest) = prepared.take_apart();
            packets.push(packet);
            done.push((rest, result));
        }
        for (packets, done) in packets.chunks_mut(WINDOW).zip(done.chunks(WINDOW)) {
            for way in [Way::Protect, Way::Unprotect] {
                let mut own: Items<'_, F> = ArrayVec::new();
                let with_rest = packets.iter_mut().zip(done);
                for (packet, (rest, result)) in with_rest.filter(|(_, (rest, _))| rest.way == way) {
                    let mut item = item(packet);
                    item.original = rest.original.clone();
                    let work = &mut self.works[own.len()];
                    work.clone_from(&rest.work);
                    item.go_on_from(way, work, result);
                    own.push(item);
                }
                self.finish(&mut own, way);
            }
        }
        self.engine.go_on_to_panic();
        packets
    }
}

/// How a job went, and the tag that it made.
type JobResult = (Result<(), JobError>, ArrayVec<u8, MAX_TAG>);

/// Returns how a job went, and the tag that it made.
fn result<T>(job: &Job<'_, T>) -> JobResult {
    let tag = job.tag().unwrap_or_default();
    let outcome = job.status().unwrap_or(Err(JobError::NotDone));
    (outcome, ArrayVec::try_from(tag).expect("a tag has at most 64 bytes"))
}

/// Packets of a window. They are filled in and dropped where they are: to move all this room would
/// cost more than many a packet.
type Items<'x, F> = ArrayVec<Item<'x, F>, WINDOW>;

/// Says of packets that nothing was begun of them.
fn cancel<F: Flow>(packets: &mut [Packet<'_, F>]) {
    for packet in packets {
        packet.status = None;
        item(packet).refuse(PacketError::Job(JobError::Cancelled));
    }
}

/// Returns a packet as a burst works on it.
#[inline(always)]
fn item<'x, F: Flow>(packet: &'x mut Packet<'_, F>) -> Item<'x, F> {
    Item {
        flow: packet.flow.get(),
        buffer: packet.buffer.as_mut_slice(),
        original: packet.range.clone(),
        range: &mut packet.range,
        meta: &mut packet.meta,
        status: &mut packet.status,
        session: None,
    }
}
