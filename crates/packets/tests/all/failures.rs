//! Providers that panic or that leave a packet undone in the middle of a burst: every packet has a
//! status, no number is used twice, and the packets beside it are whole.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use broadloom_engine::provider::{AnyQueue, Operation, Provider, ProviderError, ProviderSession};
use broadloom_engine::provider::{PlainJobs, Portion, Queue};
use broadloom_engine::{
    Algorithm, CipherAlgorithm, JobError, Placement, Registry, Session, Transform,
};
use broadloom_lanes::Cpu;
use broadloom_native::Native;
use broadloom_packets::dtls::{Dtls13Config, Dtls13Flow};
use broadloom_packets::esp::{EspConfig, EspFlow, EspKeys};
use broadloom_packets::quic::{
    PacketType, QuicConfig, QuicFlow, QuicSecrets, QuicSuite, QuicVersion,
};
use broadloom_packets::srtp::{MasterKey, SrtpConfig, SrtpContext, SrtpProfile, SrtpStream};
use broadloom_packets::tls::{RecordAead, RecordKeys, Tls13Config, Tls13Flow};
use broadloom_packets::wireguard::WireGuardFlow;
use broadloom_packets::{
    Counters, Flow, Frame, Mask, Packet, PacketError, PacketProcessor, PacketWorkers, Step, Work,
};

use crate::support::{noise, packet};

/// Packets that go to the engine in one call.
const WINDOW: usize = 128;

/// Packets of a burst: two whole windows and a part of a third.
const COUNT: usize = 300;

/// What a provider does wrong.
#[derive(Debug, Clone, Copy)]
enum Wrong {
    /// It panics when it has done some of the operations of a call.
    Panics,
    /// It leaves one operation of a call undone.
    Leaves,
}

/// In how many calls from now on a provider does something wrong, and what.
type Fault = Arc<Mutex<Option<(usize, Wrong)>>>;

/// The provider `native`, with faults.
struct Faulty(Native, Fault);

struct FaultyQueue(Box<dyn Queue>, Fault);

impl Provider for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn description(&self) -> String {
        "native, with faults".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        self.0.supports(algorithm)
    }

    fn chains_whole(&self, chain: Algorithm) -> bool {
        self.0.chains_whole(chain)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        self.0.open_session(transform)
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        match self.0.open_queue()? {
            AnyQueue::Local(queue) => Ok(AnyQueue::local(FaultyQueue(queue, Arc::clone(&self.1)))),
            AnyQueue::Device(_) => unreachable!("native works within the call"),
        }
    }
}

impl FaultyQueue {
    /// Says what is to go wrong in this call.
    fn wrong(&self) -> Option<Wrong> {
        let mut fault = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        match *fault {
            Some((0, wrong)) => {
                *fault = None;
                Some(wrong)
            }
            Some((calls, wrong)) => {
                *fault = Some((calls - 1, wrong));
                None
            }
            None => None,
        }
    }
}

impl Queue for FaultyQueue {
    fn batch(&mut self, class: u8) -> usize {
        self.0.batch(class)
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        let middle = operations.len() / 2;
        match self.wrong() {
            None => self.0.run(operations),
            Some(Wrong::Panics) => {
                self.0.run(&mut operations[..middle]);
                panic!("as it was asked to");
            }
            Some(Wrong::Leaves) => {
                let (before, after) = operations.split_at_mut(middle);
                self.0.run(before);
                self.0.run(&mut after[1..]);
            }
        }
    }

    fn run_plain(&mut self, jobs: &mut PlainJobs<'_, '_>) -> bool {
        let (middle, len) = (jobs.len() / 2, jobs.len());
        match self.wrong() {
            None => self.0.run_plain(jobs),
            Some(Wrong::Panics) => {
                self.0.run_plain(&mut jobs.part(0..middle));
                panic!("as it was asked to");
            }
            Some(Wrong::Leaves) => {
                self.0.run_plain(&mut jobs.part(0..middle))
                    && self.0.run_plain(&mut jobs.part(middle + 1..len))
            }
        }
    }

    fn absorb(&mut self, portions: &mut [Portion<'_>]) {
        self.0.absorb(portions);
    }
}

/// A registry with the provider, and the fault that it is to have.
fn registry() -> (Registry, Fault) {
    let fault = Fault::default();
    let mut registry = Registry::new();
    registry.add(Arc::new(Faulty(Native::new(Cpu::detect()), Arc::clone(&fault))));
    (registry, fault)
}

fn arm(fault: &Fault, calls: usize, wrong: Wrong) {
    *fault.lock().unwrap_or_else(PoisonError::into_inner) = Some((calls, wrong));
}

/// A flow that notes which numbers its packets were sealed with.
struct Noting<F>(F, Mutex<Vec<u64>>);

impl<F> Noting<F> {
    fn new(flow: F) -> Self {
        Noting(flow, Mutex::default())
    }

    /// Checks that no number was used twice.
    fn assert_unique(&self, what: &str) {
        let mut numbers = self.1.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let count = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), count, "{what}: a number was used twice");
    }
}

impl<F: Flow> Flow for Noting<F> {
    type Meta = F::Meta;

    const MASKS: bool = F::MASKS;

    fn protect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut F::Meta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let session = self.0.protect(frame, meta, work)?;
        self.1.lock().unwrap_or_else(PoisonError::into_inner).push(work.number);
        Ok(session)
    }

    fn protected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut F::Meta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        self.0.protected(frame, meta, work)
    }

    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut F::Meta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        self.0.unprotect(frame, meta, work)
    }

    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut F::Meta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        self.0.unprotected(frame, meta, work)
    }

    fn failed(&self, frame: &mut Frame<'_>, meta: &mut F::Meta, work: &Work) {
        self.0.failed(frame, meta, work);
    }

    fn mask(&self, frame: &Frame<'_>, meta: &F::Meta) -> Result<Option<Mask<'_>>, PacketError> {
        self.0.mask(frame, meta)
    }

    fn masked(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut F::Meta,
        mask: &[u8; 16],
        protects: bool,
    ) -> Result<(), PacketError> {
        self.0.masked(frame, meta, mask, protects)
    }

    fn counters(&self) -> &Counters {
        self.0.counters()
    }
}

/// Both ends of a flow, whose packets may come in any order.
struct Ends<F> {
    what: String,
    fault: Fault,
    ours: Noting<F>,
    theirs: F,
    text: fn(usize) -> Vec<u8>,
    /// Bytes of a text that do not come out at the other end.
    header: usize,
    /// Calls of the provider for a window.
    calls: usize,
}

/// Returns the expected status of a packet of a burst whose second window went wrong.
fn expected(place: usize, wrong: Wrong) -> Result<(), PacketError> {
    match (place / WINDOW, wrong) {
        (1, Wrong::Panics) => Err(PacketError::Job(JobError::Panicked)),
        (2, Wrong::Panics) => Err(PacketError::Job(JobError::Cancelled)),
        (1, Wrong::Leaves) if place == WINDOW + WINDOW / 2 => {
            Err(PacketError::Job(JobError::NotDone))
        }
        _ => Ok(()),
    }
}

impl<F: Flow> Ends<F> {
    /// Lets the provider go wrong in each of its calls for the second window of a burst that is
    /// protected, and of one that is unprotected.
    fn check(&self) {
        let mut seed = 0;
        for wrong in [Wrong::Panics, Wrong::Leaves] {
            for call in 0..self.calls {
                let calls = self.calls + call;
                let texts: Vec<Vec<u8>> = (seed..seed + COUNT).map(self.text).collect();
                seed += 10_000;
                let first = self.protect(&texts, calls, wrong);
                // The same texts once more: their numbers are new ones.
                let second = self.protect(&texts, usize::MAX, wrong);
                self.ours.assert_unique(&self.what);
                let sent = [first, second].concat();
                assert!(sent.len() > COUNT && sent.len() < 2 * COUNT);
                self.unprotect(&sent, &texts, calls, wrong);
            }
        }
    }

    /// Protects a burst in which the provider goes wrong in its call number `calls`, and returns
    /// what is sent: the packets that were protected.
    fn protect(&self, texts: &[Vec<u8>], calls: usize, wrong: Wrong) -> Vec<(usize, Vec<u8>)> {
        let mut packets: Vec<_> = texts.iter().map(|text| packet(&self.ours, text)).collect();
        let mut processor = PacketProcessor::new();
        self.run(&mut packets, calls, wrong, |packets| {
            processor.protect_burst(packets);
        });
        let sent = packets.iter().enumerate().filter(|(_, packet)| packet.succeeded());
        let sent = sent.map(|(place, packet)| (place, packet.bytes().to_vec())).collect();
        // The processor goes on.
        let mut packets = [packet(&self.theirs, b"")];
        processor.unprotect_burst(&mut packets);
        assert!(packets[0].status().is_some_and(|status| status.is_err()));
        sent
    }

    /// Runs a burst, and checks the status of each packet.
    fn run<G: Flow>(
        &self,
        packets: &mut [Packet<'_, G>],
        calls: usize,
        wrong: Wrong,
        run: impl FnOnce(&mut [Packet<'_, G>]),
    ) {
        let ranges: Vec<_> = packets.iter().map(Packet::range).collect();
        let is_wrong = calls != usize::MAX;
        if is_wrong {
            arm(&self.fault, calls, wrong);
        }
        let panicked = catch_unwind(AssertUnwindSafe(|| run(packets))).is_err();
        assert_eq!(panicked, is_wrong && matches!(wrong, Wrong::Panics), "{}", self.what);
        assert!(self.fault.lock().is_ok_and(|fault| fault.is_none()), "nothing went wrong");
        for (place, (packet, range)) in packets.iter().zip(ranges).enumerate() {
            let expected = if is_wrong { expected(place, wrong) } else { Ok(()) };
            assert_eq!(packet.status(), Some(expected), "{}, packet {place}, {calls}", self.what);
            if expected.is_err() {
                assert_eq!(packet.range(), range, "{}", self.what);
            }
        }
    }

    /// Unprotects a burst in which the provider goes wrong, and then the same packets again: those
    /// that failed pass, and those that passed are repeated ones.
    fn unprotect(&self, sent: &[(usize, Vec<u8>)], texts: &[Vec<u8>], calls: usize, wrong: Wrong) {
        let (burst, rest) = sent.split_at(COUNT);
        let mut packets: Vec<_> =
            burst.iter().map(|(_, sent)| packet(&self.theirs, sent)).collect();
        self.run(&mut packets, calls, wrong, |packets| {
            PacketProcessor::new().unprotect_burst(packets);
        });
        let mut again: Vec<_> =
            burst.iter().chain(rest).map(|(_, sent)| packet(&self.theirs, sent)).collect();
        PacketProcessor::new().unprotect_burst(&mut again);
        for (place, (again, (text, _))) in again.iter().zip(sent).enumerate() {
            let passed = match packets.get(place).filter(|packet| packet.succeeded()) {
                Some(first) => {
                    let replay = matches!(again.status(), Some(Err(PacketError::Replay { .. })));
                    assert!(replay, "{}, packet {place}: {:?}", self.what, again.status());
                    first
                }
                None => again,
            };
            assert!(passed.succeeded(), "{}, packet {place}: {passed:?}", self.what);
            assert_eq!(passed.bytes(), &texts[*text][self.header..], "{}", self.what);
        }
    }
}

/// A text of any content and of lengths that differ.
fn text(number: usize) -> Vec<u8> {
    noise(16 + number % 97, number as u64)
}

fn esp(name: &str, extended: bool) -> Ends<EspFlow> {
    let (registry, fault) = registry();
    let algorithm: broadloom_packets::esp::EspAlgorithm = name.parse().expect("it is one");
    let keys = noise(64, 3);
    let keys = EspKeys {
        key: &keys[..algorithm.key_len()],
        salt: &keys[..algorithm.salt_len()],
        integrity: &keys[..algorithm.integrity_key_len()],
    };
    let config = EspConfig { extended, window: 4096, ..EspConfig::new(algorithm, keys, 300) };
    let ours = EspFlow::outbound(&registry, &config).expect("the keys fit");
    let theirs = EspFlow::inbound(&registry, &config).expect("the keys fit");
    let what = format!("{name}, {extended}");
    Ends { what, fault, ours: Noting::new(ours), theirs, text, header: 0, calls: 1 }
}

#[test]
fn esp_goes_on_after_a_provider_that_fails() {
    for name in ["esp-aes-128-gcm", "esp-aes-128-cbc-hmac-sha1", "esp-aes-128-gmac"] {
        esp(name, false).check();
        esp(name, true).check();
    }
}

#[test]
fn wireguard_goes_on_after_a_provider_that_fails() {
    let (registry, fault) = registry();
    let open = || WireGuardFlow::new(&registry, &[1; 32], 7, &[1; 32], 7).expect("it opens");
    let text = |number| noise(16 * (1 + number % 9), number as u64);
    let (ours, theirs) = (Noting::new(open()), open());
    let what = "wireguard".to_owned();
    Ends { what, fault, ours, theirs, text, header: 0, calls: 1 }.check();
}

/// The provider makes masks of AES at once, without a call of its queue.
#[test]
fn quic_goes_on_after_a_provider_that_fails() {
    let (registry, fault) = registry();
    let suite = QuicSuite::Aes128Gcm;
    // Two bytes of packet number.
    let text = |number| [&[0x41, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0][..], &text(number)].concat();
    let (ours, theirs) = (Noting::new(quic(&registry, suite)), quic(&registry, suite));
    Ends { what: suite.to_string(), fault, ours, theirs, text, header: 11, calls: 1 }.check();
}

/// In a burst of two suites, masks of AES are made at once, and masks of ChaCha20 are jobs. One of
/// these jobs is left undone: its packet is refused, unchanged, and no other.
#[test]
fn a_mask_that_fails_costs_its_packet_alone() {
    let (registry, fault) = registry();
    let flows = [QuicSuite::Aes128Gcm, QuicSuite::ChaCha20Poly1305];
    let flows = flows.map(|suite| quic(&registry, suite));
    let text = [&[0x40, 8, 8, 8, 8, 8, 8, 8, 8, 0][..], &[7; 40]].concat();
    let mut packets: Vec<_> = (0..WINDOW).map(|at| packet(&flows[at % 2], &text)).collect();
    assert_eq!(PacketProcessor::new().protect_burst(&mut packets).succeeded, WINDOW);
    let sent: Vec<Vec<u8>> = packets.iter().map(|packet| packet.bytes().to_vec()).collect();
    let mut packets: Vec<_> =
        sent.iter().enumerate().map(|(at, sent)| packet(&flows[at % 2], sent)).collect();
    arm(&fault, 0, Wrong::Leaves);
    PacketProcessor::new().unprotect_burst(&mut packets);
    for (place, packet) in packets.iter().enumerate() {
        // The job in the middle of those of every second packet.
        let is_left = place == WINDOW / 2 + 1;
        let expected = if is_left { Err(PacketError::Job(JobError::NotDone)) } else { Ok(()) };
        assert_eq!(packet.status(), Some(expected), "packet {place}");
        assert_eq!(packet.bytes(), if is_left { &sent[place][..] } else { &[7; 40] });
    }
}

/// Opens a flow of QUIC that receives what it sends.
fn quic(registry: &Registry, suite: QuicSuite) -> QuicFlow {
    let config = QuicConfig::new(suite, QuicVersion::V1, PacketType::OneRtt);
    let config = QuicConfig { window: 4096, ..config };
    let secrets = QuicSecrets::both(&[1; 32], &[1; 32]);
    QuicFlow::new(registry, &config, secrets).expect("the secrets fit")
}

/// A provider of AES in ECB mode that panics at every single block, and does nothing in its queue.
struct PanicsAtBlocks;

struct PanickingSession;

struct IdleQueue;

impl Provider for PanicsAtBlocks {
    fn name(&self) -> &str {
        "panics-at-blocks"
    }

    fn description(&self) -> String {
        "a provider of AES-ECB that fails".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        matches!(algorithm, Algorithm::Cipher(CipherAlgorithm::AesEcb(_)))
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        match self.supports(transform.algorithm()) {
            true => Ok(Box::new(PanickingSession)),
            false => Err(ProviderError::new("it has AES-ECB alone")),
        }
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(IdleQueue))
    }
}

impl ProviderSession for PanickingSession {
    fn kernel(&self) -> String {
        "none".to_owned()
    }

    fn encrypt_block(&self, _: &mut [u8; 16]) -> bool {
        panic!("as it always does");
    }
}

impl Queue for IdleQueue {
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, _: &mut [&mut Operation<'_>]) {}
}

/// The masks of the first window fail: its packets are not sent, and their numbers are used up.
#[test]
fn a_panic_at_a_mask_leaves_each_packet_with_a_status() {
    let mut registry = Registry::new();
    registry.add(Arc::new(PanicsAtBlocks));
    registry.add(Arc::new(Native::new(Cpu::detect())));
    let flow = quic(&registry, QuicSuite::Aes128Gcm);
    let text = [&[0x40, 8, 8, 8, 8, 8, 8, 8, 8, 0][..], &[7; 40]].concat();
    let mut packets: Vec<_> = (0..COUNT).map(|_| packet(&flow, &text)).collect();
    let run = AssertUnwindSafe(|| PacketProcessor::new().protect_burst(&mut packets));
    assert!(catch_unwind(run).is_err(), "it should have panicked");
    for (place, packet) in packets.iter().enumerate() {
        let error = if place < WINDOW { JobError::NotDone } else { JobError::Cancelled };
        assert_eq!(packet.status(), Some(Err(PacketError::Job(error))), "packet {place}");
    }
    assert_eq!(flow.next_number(), Some(WINDOW as u64));
}

#[test]
fn dtls_goes_on_after_a_provider_that_fails() {
    let (registry, fault) = registry();
    let open = || {
        let config = Dtls13Config {
            aead: RecordAead::Aes128Gcm,
            write_secret: &[1; 32],
            write_epoch: 3,
            write_number: 0,
            read_secret: &[1; 32],
            read_epoch: 3,
            window: 4096,
            write_id: &[],
            read_id: &[],
            long_numbers: true,
            lengths: true,
        };
        Dtls13Flow::new(&registry, &config).expect("the secrets fit")
    };
    let (ours, theirs) = (Noting::new(open()), open());
    let what = "dtls".to_owned();
    Ends { what, fault, ours, theirs, text, header: 0, calls: 1 }.check();
}

/// The caller numbers RTP packets: those that failed have used up their numbers, and those of which
/// nothing was begun have not.
#[test]
fn srtp_protects_no_number_again_that_has_failed() {
    let (registry, fault) = registry();
    let config =
        SrtpConfig::new(SrtpProfile::Aes128CmHmacSha1_80, [MasterKey::new(&[1; 16], &[2; 14])]);
    let config = SrtpConfig { window: 1024, ..config };
    let context = Arc::new(SrtpContext::new(&registry, &config).expect("the keys fit"));
    let ours = SrtpStream::new(context, 5);
    let text = |number: u16| {
        [&[0x80, 96][..], &number.to_be_bytes(), &[0, 0, 0, 0, 0, 0, 0, 5], &[7; 40]].concat()
    };
    let burst = || (0..COUNT as u16).map(|number| packet(&ours, &text(number))).collect::<Vec<_>>();
    let mut packets = burst();
    arm(&fault, 1, Wrong::Panics);
    let run = AssertUnwindSafe(|| PacketProcessor::new().protect_burst(&mut packets));
    assert!(catch_unwind(run).is_err());
    for (place, packet) in packets.iter().enumerate() {
        assert_eq!(packet.status(), Some(expected(place, Wrong::Panics)), "packet {place}");
    }
    let mut again = burst();
    PacketProcessor::new().protect_burst(&mut again);
    for (place, packet) in again.iter().enumerate() {
        let replay = Err(PacketError::Replay { number: place as u64 });
        let expected = if place < 2 * WINDOW { replay } else { Ok(()) };
        assert_eq!(packet.status(), Some(expected), "packet {place}");
    }
}

/// A stream of TLS ends, since the numbers of its records are lost; the records before are whole.
#[test]
fn tls_ends_after_a_provider_that_panics() {
    let (registry, fault) = registry();
    let open = || {
        let keys = RecordKeys::Secret(&[1; 32]);
        let config = Tls13Config {
            aead: RecordAead::Aes128Gcm,
            write: keys,
            write_number: 0,
            read: keys,
            read_number: 0,
        };
        Tls13Flow::new(&registry, &config).expect("the secrets fit")
    };
    let (ours, theirs) = (open(), open());
    let texts: Vec<Vec<u8>> = (0..COUNT).map(text).collect();
    let mut packets: Vec<_> = texts.iter().map(|text| packet(&ours, text)).collect();
    PacketProcessor::new().protect_burst(&mut packets);
    let sent: Vec<Vec<u8>> = packets.iter().map(|packet| packet.bytes().to_vec()).collect();
    let mut packets: Vec<_> = sent.iter().map(|sent| packet(&theirs, sent)).collect();
    arm(&fault, 1, Wrong::Panics);
    let run = AssertUnwindSafe(|| PacketProcessor::new().unprotect_burst(&mut packets));
    assert!(catch_unwind(run).is_err());
    for (place, packet) in packets.iter().enumerate() {
        assert_eq!(packet.status(), Some(expected(place, Wrong::Panics)), "packet {place}");
        if packet.succeeded() {
            assert_eq!(packet.bytes(), texts[place]);
        }
    }
    let mut packets = [packet(&theirs, &sent[COUNT - 1])];
    PacketProcessor::new().unprotect_burst(&mut packets);
    assert_eq!(packets[0].status(), Some(Err(PacketError::Ended)));
}

/// Workers divide a burst into eight parts: one part fails, the others pass, and each packet has a
/// status.
#[test]
fn workers_give_every_packet_a_status() {
    let (registry, fault) = registry();
    let flow = WireGuardFlow::new(&registry, &[1; 32], 7, &[1; 32], 7).expect("it opens");
    let flow = Noting::new(flow);
    let workers = PacketWorkers::new(2, &Placement::Anywhere).expect("there are threads");
    // Long enough to be worth a thread.
    const PART: usize = 3 * COUNT;
    let burst = || (0..8 * PART).map(|number| packet(&flow, &text(number))).collect::<Vec<_>>();
    let mut packets = burst();
    arm(&fault, 0, Wrong::Panics);
    let run = AssertUnwindSafe(|| workers.protect_burst(&mut packets));
    assert!(catch_unwind(run).is_err());
    let parts = packets.chunks(PART).map(|part| {
        part.iter().map(|packet| packet.status().expect("each has a status")).collect::<Vec<_>>()
    });
    let parts: Vec<_> = parts.collect();
    let passed = parts.iter().filter(|part| part.iter().all(Result::is_ok)).count();
    assert_eq!(passed, 7);
    let failed = parts.iter().find(|part| part[0].is_err()).expect("one part failed");
    for (place, status) in failed.iter().enumerate() {
        let error = if place < WINDOW { JobError::Panicked } else { JobError::Cancelled };
        assert_eq!(*status, Err(PacketError::Job(error)), "packet {place}");
    }
    // The workers go on, and use no number twice.
    assert_eq!(workers.protect_burst(&mut burst()).succeeded, 8 * PART);
    flow.assert_unique("workers");
}
