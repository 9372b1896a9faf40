//! The schedulers. They gather texts and messages, so that the kernel can fill its lanes.

use crate::cpu::Cpu;
use crate::kernels::chacha::aead::{GATHERED, LONG, TOGETHER, Workspace};
use crate::kernels::chacha::kernel::ChaChaKernel;
use crate::kernels::chacha::key::ChaChaKey;
use crate::kernels::chacha::text::{ChaChaMessage, ChaChaText, XChaChaMessage};
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;

/// One text, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if its text is as the contract of
/// [`ChaChaKernel`] asks.
#[derive(Clone, Copy)]
pub struct ChaChaTask(pub(super) ChaChaText);

/// One message, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if its message is as the contract of
/// [`ChaChaKernel`] asks.
#[derive(Clone, Copy)]
pub struct ChaChaPolyTask(pub(super) ChaChaMessage);

/// The common part of all schedulers: a kernel, and room for the texts of a call.
struct Gathering<T> {
    kernel: &'static ChaChaKernel,
    workspace: Workspace,
    gathered: [T; GATHERED],
    ids: [u32; GATHERED],
}

impl<T: Copy + AsRef<ChaChaText>> Gathering<T> {
    fn new(cpu: &Cpu, none: T) -> Self {
        let (gathered, ids) = ([none; GATHERED], [0; GATHERED]);
        Gathering {
            kernel: cpu.pick(&cpu.kernels().chacha),
            workspace: Workspace::new(),
            gathered,
            ids,
        }
    }

    /// Takes all tasks of the source, and lets `process` work on them. A text that is longer than
    /// [`LONG`] goes alone.
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
/// A task is good, as [`Lanes::Task`] defines it, if its message is as the contract of
/// [`ChaChaKernel`] asks.
#[derive(Clone, Copy)]
pub struct XChaChaPolyTask(pub(super) XChaChaMessage);

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
pub struct ChaChaLanes(Gathering<ChaChaText>);

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
pub struct ChaChaPolyLanes(Gathering<ChaChaMessage>);

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
    gathering: Gathering<XChaChaMessage>,
    keys: [ChaChaKey; GATHERED],
}

// SAFETY: the pointers in `gathered` and in the workspace are only used during a call, which writes
// them first.
unsafe impl Send for ChaChaLanes {}
// SAFETY: the reason of `ChaChaLanes` holds here, too.
unsafe impl Send for ChaChaPolyLanes {}

// SAFETY: the reason of `ChaChaLanes` holds here, too.
unsafe impl Send for XChaChaPolyLanes {}

impl Lanes for ChaChaLanes {
    type Task = ChaChaTask;
    const ALIKE: bool = true;

    fn new(cpu: &Cpu) -> Self {
        ChaChaLanes(Gathering::new(cpu, ChaChaText::NONE))
    }

    fn lanes(&self) -> usize {
        self.0.kernel.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.0.workspace.lanes.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<ChaChaTask>) {
        self.0.run(
            source,
            |task| task.0,
            // SAFETY: the texts are of tasks that are good until they are reported done, which
            // `Gathering::run` does after this call; there are at most GATHERED of them, and the
            // kernel is for this CPU.
            |kernel, texts, workspace| unsafe { (kernel.cipher)(texts, &mut workspace.lanes) },
        );
    }
}

impl Lanes for ChaChaPolyLanes {
    type Task = ChaChaPolyTask;
    const ALIKE: bool = true;

    fn new(cpu: &Cpu) -> Self {
        ChaChaPolyLanes(Gathering::new(cpu, ChaChaMessage::NONE))
    }

    fn lanes(&self) -> usize {
        self.0.kernel.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.0.workspace.lanes.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<ChaChaPolyTask>) {
        self.0.run(
            source,
            |task| task.0,
            // SAFETY: the messages are of tasks that are good until they are reported done, which
            // `Gathering::run` does after this call; there are at most GATHERED of them, and the
            // kernel is for this CPU.
            |kernel, messages, workspace| unsafe { (kernel.process)(messages, workspace) },
        );
    }
}

impl Lanes for XChaChaPolyLanes {
    type Task = XChaChaPolyTask;
    const ALIKE: bool = true;

    fn new(cpu: &Cpu) -> Self {
        let gathering = Gathering::new(cpu, XChaChaMessage::NONE);
        XChaChaPolyLanes { gathering, keys: [ChaChaKey::NONE; _] }
    }

    fn lanes(&self) -> usize {
        self.gathering.kernel.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.gathering.workspace.lanes.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<XChaChaPolyTask>) {
        let XChaChaPolyLanes { gathering, keys } = self;
        gathering.run(
            source,
            |task| task.0,
            |kernel, extended, workspace| {
                // SAFETY: the messages are of tasks that are good until they are reported done,
                // which `Gathering::run` does after this call; there are at most GATHERED of them,
                // as many as there is room for keys; the kernel is for this CPU.
                unsafe { (kernel.subkeys)(extended, &mut workspace.lanes, keys) };
                let mut messages = [ChaChaMessage::NONE; GATHERED];
                for ((message, extended), key) in messages.iter_mut().zip(extended).zip(&*keys) {
                    *message = extended.message;
                    message.text.key = key;
                }
                // SAFETY: these are the same messages under the derived keys, which stay where they
                // are during the call.
                unsafe { (kernel.process)(&messages[..extended.len()], workspace) };
                keys[..extended.len()].iter_mut().for_each(ChaChaKey::wipe);
                workspace.wipe();
            },
        );
    }
}
