//! Selects the context of an operation.
//!
//! Before 3.0.3 an `EVP_MAC` does not restart, so MACs then have a context for each job. Where the
//! context of an AEAD cannot be copied, it is made anew from the key.

use std::sync::{Mutex, MutexGuard, PoisonError};

use broadloom_engine::JobError;

use crate::evp::{CipherContext, DigestContext, EvpError, KeyContext, MacContext};
use crate::options::{ContextMode, Options};
use crate::slots::{Number, Numbers, Slots, Sole};

/// A context that can be made from another one with the same key.
pub(crate) trait Duplicate: Sized {
    /// `true` if it makes digests or MACs by itself, without a cipher.
    const AUTHENTICATES: bool = false;

    fn duplicate(&self) -> Result<Self, EvpError>;
}

/// A session's contexts: one with every setting that is made once, and the copies of it.
pub(crate) enum Contexts<T> {
    /// There is one queue, which uses the first context itself.
    Only(Sole<T>),
    /// Every queue has a copy, made when it first meets the session.
    PerQueuePair { main: T, copies: Slots<T> },
    /// Every job has a copy, made for it and freed after it.
    PerJob { main: T },
    /// All queues use the first context, one at a time.
    Locked(Mutex<T>),
}

/// The context that a job holds until its end, where it holds one.
pub(crate) enum Held<'a, T> {
    Nothing,
    Own(T),
    Locked(MutexGuard<'a, T>),
}

impl<T: Duplicate> Contexts<T> {
    pub(crate) fn new(main: T, options: &Options, numbers: &Numbers) -> Contexts<T> {
        match options.contexts {
            ContextMode::PerJob => Contexts::PerJob { main },
            ContextMode::CiphersPerQueuePair if T::AUTHENTICATES => Contexts::PerJob { main },
            ContextMode::Locked => Contexts::Locked(Mutex::new(main)),
            _ if numbers.capacity() == 1 => Contexts::Only(Sole::new(numbers, main)),
            _ => Contexts::PerQueuePair { main, copies: Slots::new(numbers) },
        }
    }

    /// The context of an operation of the queue with this number. What the job has to free or to
    /// unlock afterwards is put into `held`.
    #[inline(always)]
    pub(crate) fn get<'j, 's: 'j>(
        &'s self,
        number: &'j mut Number,
        held: &'j mut Held<'s, T>,
    ) -> Result<&'j mut T, EvpError> {
        match self {
            Contexts::PerQueuePair { main, copies } => copies.get(number, || main.duplicate()),
            Contexts::Only(sole) => Ok(sole.get(number)),
            Contexts::PerJob { main } => Ok(held.own(main.duplicate()?)),
            // A job that panicked left nothing that the next one does not begin anew.
            Contexts::Locked(main) => {
                Ok(held.locked(main.lock().unwrap_or_else(PoisonError::into_inner)))
            }
        }
    }
}

impl<'s, T> Held<'s, T> {
    fn own(&mut self, context: T) -> &mut T {
        *self = Held::Own(context);
        let Held::Own(context) = self else { unreachable!("it was just put there") };
        context
    }

    fn locked(&mut self, context: MutexGuard<'s, T>) -> &mut T {
        *self = Held::Locked(context);
        let Held::Locked(context) = self else { unreachable!("it was just put there") };
        context
    }
}

/// A failure of libcrypto as a job's.
pub(crate) fn job_error(error: EvpError) -> JobError {
    JobError::Provider { code: i64::try_from(error.code).unwrap_or(i64::MAX) }
}

impl Duplicate for DigestContext {
    const AUTHENTICATES: bool = true;

    fn duplicate(&self) -> Result<Self, EvpError> {
        DigestContext::duplicate(self)
    }
}

impl Duplicate for MacContext {
    const AUTHENTICATES: bool = true;

    fn duplicate(&self) -> Result<Self, EvpError> {
        MacContext::duplicate(self)
    }
}

impl Duplicate for KeyContext {
    fn duplicate(&self) -> Result<Self, EvpError> {
        KeyContext::duplicate(self)
    }
}

impl Duplicate for CipherContext {
    fn duplicate(&self) -> Result<Self, EvpError> {
        CipherContext::duplicate(self)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use super::*;
    use crate::options::Again;

    /// A context that says which one it is, and counts what was made.
    struct Fake<const AUTHENTICATES: bool> {
        name: u32,
        made: Arc<AtomicU32>,
    }

    impl<const AUTHENTICATES: bool> Duplicate for Fake<AUTHENTICATES> {
        const AUTHENTICATES: bool = AUTHENTICATES;

        fn duplicate(&self) -> Result<Self, EvpError> {
            let name = self.made.fetch_add(1, Ordering::Relaxed) + 1;
            Ok(Fake { name, made: Arc::clone(&self.made) })
        }
    }

    /// The contexts that two jobs each of two queues get, where there may be two.
    fn used<const AUTHENTICATES: bool>(contexts: ContextMode, queue_pairs: usize) -> Vec<u32> {
        let numbers = Numbers::new(queue_pairs);
        let main = Fake::<AUTHENTICATES> { name: 0, made: Arc::default() };
        let options = Options { contexts, queue_pairs, again: Again::default(), legacy: false };
        let contexts = Contexts::new(main, &options, &numbers);
        let mut queues: Vec<_> = (0..2).filter_map(|_| numbers.take()).collect();
        let mut used = Vec::new();
        for queue in [0, 1, 0, 1] {
            if let Some(number) = queues.get_mut(queue) {
                let mut held = Held::Nothing;
                used.push(contexts.get(number, &mut held).expect("none fails").name);
            }
        }
        used
    }

    #[test]
    fn who_gets_which_context() {
        use ContextMode::*;
        for ciphers in [PerQueuePair, CiphersPerQueuePair] {
            assert_eq!(used::<false>(ciphers, 2), [1, 2, 1, 2]);
            assert_eq!(used::<false>(ciphers, 9), [1, 2, 1, 2]);
            assert_eq!(used::<false>(ciphers, 1), [0, 0], "no copy is made");
        }
        assert_eq!(used::<true>(PerQueuePair, 2), [1, 2, 1, 2]);
        for jobs in [used::<true>(CiphersPerQueuePair, 2), used::<false>(PerJob, 2)] {
            assert_eq!(jobs, [1, 2, 3, 4]);
        }
        assert_eq!(used::<true>(PerJob, 1), [1, 2]);
        assert_eq!(used::<true>(CiphersPerQueuePair, 1), [1, 2]);
        assert_eq!(used::<false>(Locked, 2), [0; 4], "one at a time uses the first");
        assert_eq!(used::<true>(Locked, 1), [0; 2]);
    }

    #[test]
    fn a_locked_context_is_free_again_after_each_job() {
        let numbers = Numbers::new(2);
        let options = Options {
            contexts: ContextMode::Locked,
            queue_pairs: 2,
            again: Again::default(),
            legacy: false,
        };
        let contexts = Contexts::new(Count(0), &options, &numbers);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut number = numbers.take().expect("there are two");
                    for _ in 0..10_000 {
                        let mut held = Held::Nothing;
                        contexts.get(&mut number, &mut held).expect("it does not fail").0 += 1;
                    }
                });
            }
        });
        let (mut number, mut held) = (numbers.take().expect("both are free"), Held::Nothing);
        assert_eq!(contexts.get(&mut number, &mut held).expect("it does not fail").0, 20_000);
    }

    struct Count(u32);

    impl Duplicate for Count {
        fn duplicate(&self) -> Result<Self, EvpError> {
            panic!("a locked context is not copied")
        }
    }
}
