//! The schedulers. They gather texts and messages, so that the kernel can fill its lanes.

use super::aead::{GATHERED, LONG, TOGETHER, Workspace};
use super::job::{ChaCha, ChaChaPoly, XChaChaPoly};
use super::{ChaChaKernel, ChaChaKey, Extended, Message, Text};
use crate::aes::CounterError;
use crate::buffer::{Buffers, Span};
use crate::cpu::Cpu;
use crate::job::{Aead, Cipher, Parts};
use crate::manager::{Goal, Lanes, Loan, Occupancy, Source};

/// One text, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct ChaChaTask(pub(super) Text);

/// One message, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct ChaChaPolyTask(pub(super) Message);

/// The common part of all schedulers: a kernel, and room for the texts of a call.
struct Gathering<T> {
    kernel: &'static ChaChaKernel,
    workspace: Workspace,
    gathered: [T; GATHERED],
    ids: [u32; GATHERED],
}

impl<T: Copy + AsRef<Text>> Gathering<T> {
    fn new(cpu: &Cpu, none: T) -> Self {
        let (gathered, ids) = ([none; GATHERED], [0; GATHERED]);
        Gathering {
            kernel: cpu.pick(&cpu.kernels().chacha),
            workspace: Workspace::new(),
            gathered,
            ids,
        }
    }

    /// Takes all that the source has, and has `process` work on it. What is longer than [`LONG`]
    /// goes alone.
    #[inline(always)]
    fn run<K: Copy>(
        &mut self,
        source: &mut impl Source<K>,
        item: impl Fn(&K) -> T,
        mut process: impl FnMut(&ChaChaKernel, &[T], &mut Workspace),
    ) {
        let Gathering { kernel, workspace, gathered, ids } = self;
        loop {
            let (mut count, mut bytes) = (0, 0);
            while count < GATHERED && bytes < TOGETHER {
                let taken = source.next(|id, task| {
                    gathered[count] = item(task);
                    ids[count] = id;
                });
                if taken.is_none() {
                    break;
                }
                bytes += gathered[count].as_ref().len;
                count += 1;
            }
            if count == 0 {
                return;
            }
            let (last, before) = gathered[..count].split_last().expect("not empty");
            if last.as_ref().len > LONG {
                process(kernel, before, workspace);
                process(kernel, core::slice::from_ref(last), workspace);
            } else {
                process(kernel, &gathered[..count], workspace);
            }
            ids[..count].iter().for_each(|id| source.done(*id));
        }
    }
}

/// One message of XChaCha20-Poly1305, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct XChaChaPolyTask(pub(super) Extended);

/// The scheduler of ChaCha20: a lane is given to each block of any text.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{ChaChaJob, ChaChaKey, ChaChaLanes, Cpu, Planner};
///
/// let mut planner: Planner<ChaChaLanes> = Planner::new(&Cpu::detect());
/// let key = ChaChaKey::new(&[7; 32]);
/// let mut jobs = [ChaChaJob::chacha20(&key, 1, &[1; 12], vec![0; 40], ()).expect("a short text")];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct ChaChaLanes(Gathering<Text>);

/// The scheduler of ChaCha20-Poly1305: a lane is given to each block of any message.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{ChaChaKey, ChaChaPolyJob, ChaChaPolyLanes, Cpu, Planner};
///
/// let mut planner: Planner<ChaChaPolyLanes> = Planner::new(&Cpu::detect());
/// let key = ChaChaKey::new(&[7; 32]);
/// let job = ChaChaPolyJob::seal(&key, &[1; 12], b"header", vec![0; 40], ());
/// let mut jobs = [job.expect("a short text")];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct ChaChaPolyLanes(Gathering<Message>);

/// The scheduler of XChaCha20-Poly1305: a lane is given to each key that is derived, and then to
/// each block of any message.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{ChaChaKey, Cpu, Planner, XChaChaPolyJob, XChaChaPolyLanes};
///
/// let mut planner: Planner<XChaChaPolyLanes> = Planner::new(&Cpu::detect());
/// let key = ChaChaKey::new(&[7; 32]);
/// let job = XChaChaPolyJob::seal(&key, &[1; 24], b"header", vec![0; 40], ());
/// let mut jobs = [job.expect("a short text")];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct XChaChaPolyLanes {
    gathering: Gathering<Extended>,
    keys: [ChaChaKey; GATHERED],
}

// SAFETY: `gathered` and the workspace hold the pointers of tasks only during a call.
unsafe impl Send for ChaChaLanes {}
// SAFETY: as above.
unsafe impl Send for ChaChaPolyLanes {}

// SAFETY: as above.
unsafe impl Send for XChaChaPolyLanes {}

impl Lanes for ChaChaLanes {
    type Task = ChaChaTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        ChaChaLanes(Gathering::new(cpu, Text::NONE))
    }

    fn lanes(&self) -> usize {
        self.0.kernel.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.0.workspace.lanes.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<ChaChaTask>, _: Goal) {
        self.0.run(
            source,
            |task| task.0,
            // SAFETY: the caller vouches for the tasks until they are complete; the kernel is for
            // this CPU.
            |kernel, texts, workspace| unsafe { (kernel.cipher)(texts, &mut workspace.lanes) },
        );
    }
}

impl Lanes for ChaChaPolyLanes {
    type Task = ChaChaPolyTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        ChaChaPolyLanes(Gathering::new(cpu, Message::NONE))
    }

    fn lanes(&self) -> usize {
        self.0.kernel.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.0.workspace.lanes.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<ChaChaPolyTask>, _: Goal) {
        self.0.run(
            source,
            |task| task.0,
            // SAFETY: the caller vouches for the tasks until they are complete; the kernel is for
            // this CPU.
            |kernel, messages, workspace| unsafe { (kernel.process)(messages, workspace) },
        );
    }
}

impl Lanes for XChaChaPolyLanes {
    type Task = XChaChaPolyTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        let gathering = Gathering::new(cpu, Extended::NONE);
        XChaChaPolyLanes { gathering, keys: [ChaChaKey::NONE; _] }
    }

    fn lanes(&self) -> usize {
        self.gathering.kernel.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.gathering.workspace.lanes.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<XChaChaPolyTask>, _: Goal) {
        let XChaChaPolyLanes { gathering, keys } = self;
        gathering.run(
            source,
            |task| task.0,
            |kernel, extended, workspace| {
                // SAFETY: the caller vouches for the tasks until they are complete; the kernel is
                // for this CPU.
                unsafe { (kernel.subkeys)(extended, &mut workspace.lanes, keys) };
                let mut messages = [Message::NONE; GATHERED];
                for ((message, extended), key) in messages.iter_mut().zip(extended).zip(&*keys) {
                    *message = extended.message;
                    message.text.key = key;
                }
                // SAFETY: as above; the derived keys stay where they are.
                unsafe { (kernel.process)(&messages[..extended.len()], workspace) };
            },
        );
    }
}

impl<'a> Loan<'a, ChaChaLanes> {
    /// Encrypts or decrypts a buffer with ChaCha20 (RFC 8439, section 2.4), which are the
    /// same. `counter` is the number of the first block, of 64 bytes.
    ///
    /// No counter may be used twice under one key and nonce: two such ciphertexts reveal the
    /// difference of their plaintexts.
    ///
    /// ```
    /// use broadloom_lanes::{ChaChaKey, ChaChaPolyLanes, Cpu, Loan, Planner};
    ///
    /// let key = ChaChaKey::new(&[7; 32]);
    /// let mut packets = [[1u8; 20], [1; 20]];
    /// let nonces = [[0; 12], [1; 12]];
    /// let loans = packets.iter_mut().zip(&nonces);
    /// let loans: Result<Vec<_>, _> =
    ///     loans.map(|(packet, nonce)| Loan::chacha20(&key, 1, nonce, packet)).collect();
    /// Planner::new(&Cpu::detect()).process_each(loans?);
    /// assert_ne!(packets[0], packets[1]);
    /// # Ok::<(), broadloom_lanes::CounterError>(())
    /// ```
    ///
    /// # Errors
    /// [`CounterError`] if the counter would pass its last value, and so repeat; nothing is
    /// written.
    #[inline(always)]
    pub fn chacha20(
        key: &'a ChaChaKey,
        counter: u32,
        nonce: &[u8; 12],
        buffer: impl Into<Buffers<'a>>,
    ) -> Result<Self, CounterError> {
        Self::text(key, counter, nonce, buffer.into().span())
    }

    #[inline(always)]
    fn text(
        key: &'a ChaChaKey,
        counter: u32,
        nonce: &[u8; 12],
        text: Span,
    ) -> Result<Self, CounterError> {
        Ok(ChaCha::new(key, counter, nonce, text.len)?.lend(text))
    }
}

impl<'a> Loan<'a, ChaChaPolyLanes> {
    /// Encrypts a text with ChaCha20-Poly1305 (RFC 8439, section 2.8), and writes the tag.
    ///
    /// No nonce may be used twice under one key: two such messages reveal the difference of their
    /// plaintexts, and an attacker can forge messages under that nonce.
    ///
    /// ```
    /// use broadloom_lanes::{ChaChaKey, ChaChaPolyLanes, Cpu, Loan, Planner};
    ///
    /// let key = ChaChaKey::new(&[7; 32]);
    /// let mut packets = [[1u8; 20], [2; 20]];
    /// let mut tags = [[0; 16]; 2];
    /// let nonces = [[0; 12], [1; 12]];
    /// let all = packets.iter_mut().zip(&mut tags).zip(&nonces);
    /// Planner::new(&Cpu::detect()).process_each(
    ///     all.map(|((packet, tag), nonce)| {
    ///         Loan::<ChaChaPolyLanes>::seal(&key, nonce, b"header", packet, tag)
    ///     }),
    /// );
    /// assert_ne!(tags[0], tags[1]);
    /// ```
    ///
    /// # Panics
    /// If the text is longer than 2^38 - 64 bytes.
    #[inline(always)]
    pub fn seal(
        key: &'a ChaChaKey,
        nonce: &[u8; 12],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self::message(true, key, nonce, associated, text.into().span(), tag)
    }

    /// Decrypts a text, and writes the tag that it should have. Nobody has compared it
    /// yet: the caller does, in constant time, and wipes the text unless it is the tag that came
    /// with it.
    ///
    /// # Panics
    /// As [`seal`](Loan::<ChaChaPolyLanes>::seal).
    #[inline(always)]
    pub fn open(
        key: &'a ChaChaKey,
        nonce: &[u8; 12],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self::message(false, key, nonce, associated, text.into().span(), tag)
    }

    #[inline(always)]
    fn message(
        seals: bool,
        key: &'a ChaChaKey,
        nonce: &[u8; 12],
        associated: &'a [u8],
        text: Span,
        tag: &'a mut [u8; 16],
    ) -> Self {
        match ChaChaPoly::new(seals, key, nonce, text.len) {
            Ok(mode) => mode.lend(&Parts::new(associated, text, tag)),
            Err(error) => panic!("{error}"),
        }
    }
}

impl<'a> Loan<'a, XChaChaPolyLanes> {
    /// Encrypts a text with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), and writes
    /// the tag.
    ///
    /// A nonce has 24 bytes, so that it may be drawn at random. No nonce may be used twice under
    /// one key: two such messages reveal the difference of their plaintexts, and an attacker can
    /// forge messages under that nonce.
    ///
    /// ```
    /// use broadloom_lanes::{ChaChaKey, Cpu, Loan, Planner, XChaChaPolyLanes};
    ///
    /// let key = ChaChaKey::new(&[7; 32]);
    /// let mut packets = [[1u8; 20], [2; 20]];
    /// let mut tags = [[0; 16]; 2];
    /// let nonces = [[0; 24], [1; 24]];
    /// let all = packets.iter_mut().zip(&mut tags).zip(&nonces);
    /// Planner::new(&Cpu::detect()).process_each(
    ///     all.map(|((packet, tag), nonce)| {
    ///         Loan::<XChaChaPolyLanes>::seal(&key, nonce, b"header", packet, tag)
    ///     }),
    /// );
    /// assert_ne!(tags[0], tags[1]);
    /// ```
    ///
    /// # Panics
    /// If the text is longer than 2^38 - 64 bytes.
    #[inline(always)]
    pub fn seal(
        key: &'a ChaChaKey,
        nonce: &[u8; 24],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self::message(true, key, nonce, associated, text.into().span(), tag)
    }

    /// Decrypts a text, and writes the tag that it should have. Nobody has compared it
    /// yet: the caller does, in constant time, and wipes the text unless it is the tag that came
    /// with it.
    ///
    /// # Panics
    /// As [`seal`](Loan::<XChaChaPolyLanes>::seal).
    #[inline(always)]
    pub fn open(
        key: &'a ChaChaKey,
        nonce: &[u8; 24],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self::message(false, key, nonce, associated, text.into().span(), tag)
    }

    #[inline(always)]
    fn message(
        seals: bool,
        key: &'a ChaChaKey,
        nonce: &[u8; 24],
        associated: &'a [u8],
        text: Span,
        tag: &'a mut [u8; 16],
    ) -> Self {
        match XChaChaPoly::new(seals, key, nonce, text.len) {
            Ok(mode) => mode.lend(&Parts::new(associated, text, tag)),
            Err(error) => panic!("{error}"),
        }
    }
}
