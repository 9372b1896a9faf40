//! Selects the context of an operation.
//!
//! Before 3.0.3 an `EVP_MAC` does not restart, so MACs then have a context for each job. Where the
//! context of an AEAD cannot be copied, it is made anew from the key.

use broadloom_engine::JobError;

use crate::evp::{CipherContext, DigestContext, EvpError, KeyContext, MacContext};
use crate::options::{ContextMode, Options};
use crate::slots::{Number, Numbers, Slots, Sole};

/// A context that can be made from another one with the same key.
pub(crate) trait Duplicate: Sized {
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
}

impl<T: Duplicate> Contexts<T> {
    pub(crate) fn new(main: T, options: &Options, numbers: &Numbers) -> Contexts<T> {
        match options.contexts {
            ContextMode::PerJob => Contexts::PerJob { main },
            ContextMode::PerQueuePair if numbers.capacity() == 1 => {
                Contexts::Only(Sole::new(numbers, main))
            }
            ContextMode::PerQueuePair => {
                Contexts::PerQueuePair { main, copies: Slots::new(numbers) }
            }
        }
    }

    /// The context of an operation of the queue with this number. Where every job has its own, it
    /// is put into `own`, and is freed with it.
    #[inline(always)]
    pub(crate) fn get<'a>(
        &'a self,
        number: &'a mut Number,
        own: &'a mut Option<T>,
    ) -> Result<&'a mut T, EvpError> {
        match self {
            Contexts::PerQueuePair { main, copies } => copies.get(number, || main.duplicate()),
            Contexts::Only(sole) => Ok(sole.get(number)),
            Contexts::PerJob { main } => Ok(own.insert(main.duplicate()?)),
        }
    }
}

/// A failure of libcrypto as a job's.
pub(crate) fn job_error(error: EvpError) -> JobError {
    JobError::Provider { code: i64::try_from(error.code).unwrap_or(i64::MAX) }
}

impl Duplicate for DigestContext {
    fn duplicate(&self) -> Result<Self, EvpError> {
        DigestContext::duplicate(self)
    }
}

impl Duplicate for MacContext {
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
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    /// A context that says which one it is, and counts what was made.
    struct Fake {
        name: u32,
        made: Rc<Cell<u32>>,
    }

    impl Duplicate for Fake {
        fn duplicate(&self) -> Result<Self, EvpError> {
            self.made.set(self.made.get() + 1);
            Ok(Fake { name: self.made.get(), made: Rc::clone(&self.made) })
        }
    }

    /// The contexts that two jobs each of two queues get, where there may be two.
    fn used(contexts: ContextMode, queue_pairs: usize) -> Vec<u32> {
        let numbers = Numbers::new(queue_pairs);
        let main = Fake { name: 0, made: Rc::default() };
        let contexts = Contexts::new(main, &Options { contexts, queue_pairs }, &numbers);
        let mut queues: Vec<_> = (0..2).filter_map(|_| numbers.take()).collect();
        let mut used = Vec::new();
        for queue in [0, 1, 0, 1] {
            if let Some(number) = queues.get_mut(queue) {
                used.push(contexts.get(number, &mut None).expect("none fails").name);
            }
        }
        used
    }

    #[test]
    fn who_gets_which_context() {
        assert_eq!(used(ContextMode::PerQueuePair, 2), [1, 2, 1, 2]);
        assert_eq!(used(ContextMode::PerQueuePair, 9), [1, 2, 1, 2]);
        assert_eq!(used(ContextMode::PerQueuePair, 1), [0, 0], "no copy is made");
        assert_eq!(used(ContextMode::PerJob, 2), [1, 2, 3, 4]);
        assert_eq!(used(ContextMode::PerJob, 1), [1, 2]);
    }
}
