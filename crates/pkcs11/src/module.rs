//! The module between `C_Initialize` and `C_Finalize`.

use std::collections::HashMap;
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use broadloom::data::Bytes;
use broadloom::{
    Algorithm, CipherAlgorithm, Data, Direction, Job, JobError, Registry, Session as Engine,
};
use cryptoki_sys::*;
use zeroize::{Zeroize, Zeroizing};

use crate::config::Config;
use crate::meeting::Meeting;
use crate::memory::{Outcome, wipe_stack};
use crate::object::Opened;
use crate::session::{Desk, Session};
use crate::slot::{Slot, handle};
use crate::store::{Role, Store};
use crate::work::{OwnedJob, Task};

/// All that an application uses.
pub struct Module {
    pub config: Config,
    pub registry: Registry,
    pub slots: Vec<Slot>,
    pub meeting: Meeting<Task>,
    sessions: RwLock<HashMap<CK_SESSION_HANDLE, Arc<Session>>>,
}

/// The module of one process, if it is initialized.
struct Holder {
    process: u32,
    module: Mutex<Option<Arc<Module>>>,
}

/// The holder of the process that initialized the module last. After a fork it belongs to the
/// parent: a lock in it may be held by a thread that the child does not have. So the child makes
/// one of its own, and none is ever freed.
static CURRENT: AtomicPtr<Holder> = AtomicPtr::new(ptr::null_mut());

fn holder() -> Option<&'static Holder> {
    let current = CURRENT.load(Ordering::Acquire);
    // SAFETY: it is null, or points to a holder that is never freed.
    let holder = unsafe { current.as_ref() };
    holder.filter(|holder| holder.process == process::id())
}

impl Holder {
    fn module(&self) -> MutexGuard<'_, Option<Arc<Module>>> {
        self.module.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The module of this process.
///
/// # Errors
/// `CKR_CRYPTOKI_NOT_INITIALIZED`, also in the child of a process that did initialize it.
pub fn current() -> Outcome<Arc<Module>> {
    holder().and_then(|holder| holder.module().clone()).ok_or(CKR_CRYPTOKI_NOT_INITIALIZED)
}

/// Initializes the module.
///
/// # Errors
/// `CKR_CRYPTOKI_ALREADY_INITIALIZED`; `CKR_GENERAL_ERROR` for a configuration that is wrong, of
/// which standard error tells more.
pub fn initialize() -> Outcome {
    if holder().is_none() {
        let own = Box::new(Holder { process: process::id(), module: Mutex::new(None) });
        let (before, own) = (CURRENT.load(Ordering::Acquire), Box::into_raw(own));
        let exchanged = CURRENT.compare_exchange(before, own, Ordering::AcqRel, Ordering::Acquire);
        if exchanged.is_err() {
            // SAFETY: the box was made above, and nobody else has seen it.
            drop(unsafe { Box::from_raw(own) });
        }
    }
    if current().is_ok() {
        return Err(CKR_CRYPTOKI_ALREADY_INITIALIZED);
    }
    let config = Config::load().map_err(|error| {
        eprintln!("broadloom-pkcs11: {error}");
        CKR_GENERAL_ERROR
    })?;
    let module = Arc::new(Module::new(config));
    let mut place = holder().ok_or(CKR_GENERAL_ERROR)?.module();
    if place.is_some() {
        return Err(CKR_CRYPTOKI_ALREADY_INITIALIZED);
    }
    *place = Some(module);
    Ok(())
}

/// Ends the module. Calls of other threads that are in it go on to their end.
///
/// # Errors
/// `CKR_CRYPTOKI_NOT_INITIALIZED`.
pub fn finalize() -> Outcome {
    let module = holder().and_then(|holder| holder.module().take());
    module.map(drop).ok_or(CKR_CRYPTOKI_NOT_INITIALIZED)
}

impl Module {
    /// The module as a configuration has it.
    pub fn new(config: Config) -> Module {
        let slot = |number: u64| {
            let store = Store::new(config.directory.join(format!("slot-{number}")));
            Slot::new(number as CK_SLOT_ID, store)
        };
        Module {
            registry: broadloom::registry(),
            slots: (0..config.slots).map(slot).collect(),
            meeting: Meeting::new(config.wait),
            sessions: RwLock::default(),
            config,
        }
    }

    /// # Errors
    /// `CKR_SLOT_ID_INVALID`.
    pub fn slot(&self, id: CK_SLOT_ID) -> Outcome<(usize, &Slot)> {
        let number = usize::try_from(id).map_err(|_| CKR_SLOT_ID_INVALID)?;
        Ok((number, self.slots.get(number).ok_or(CKR_SLOT_ID_INVALID)?))
    }

    /// Processes a job: beside those of other threads, where there is something to gain.
    pub fn run(&self, job: OwnedJob, alone: Option<Engine>) -> OwnedJob {
        let is_long = job.data().len() >= self.config.meets_from;
        let gains = match job.session().algorithm() {
            Algorithm::PublicKey(_) => true,
            // Each step of a chain needs the step before, and leaves lanes to other chains.
            Algorithm::Hash(_) | Algorithm::Mac(_) => is_long,
            Algorithm::Cipher(CipherAlgorithm::AesCbc(_)) => {
                is_long && job.session().direction() == Direction::Encrypt
            }
            // One message fills a core.
            _ => false,
        };
        let has_pair = matches!(job.session().algorithm(), Algorithm::PublicKey(_));
        let job = match gains {
            true => self.meeting.meet(Task { job, alone }).job,
            false => self.meeting.at_once(job),
        };
        if has_pair {
            wipe_stack();
        }
        job
    }

    /// Ends the login of a slot. Processors remember keys that they worked with, in the lanes and
    /// in contexts of libcrypto: they go, too.
    pub fn leave(&self, slot: &Slot) {
        slot.leave();
        self.meeting.put_tools_away();
    }

    /// The digest, tag or other output of a job over data that are read alone.
    ///
    /// # Errors
    /// As [`status`].
    pub fn compute(&self, opened: &Opened, data: Vec<u8>) -> Outcome<Zeroizing<Vec<u8>>> {
        let data = Data::Read(Bytes::Owned(data));
        let mut job = self.run(Job::new(opened.session.clone(), data), opened.alone.clone());
        let result = status(&job).map(|()| {
            let tag = job.tag().map(<[u8]>::to_vec);
            Zeroizing::new(tag.unwrap_or_else(|| job.take_output()))
        });
        if let Data::Read(Bytes::Owned(mut data)) = job.into_parts().0 {
            data.zeroize();
        }
        result
    }

    fn sessions(
        &self,
    ) -> std::sync::RwLockWriteGuard<'_, HashMap<CK_SESSION_HANDLE, Arc<Session>>> {
        self.sessions.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session.
    ///
    /// # Errors
    /// `CKR_SLOT_ID_INVALID`, `CKR_TOKEN_NOT_RECOGNIZED`, `CKR_SESSION_READ_WRITE_SO_EXISTS`.
    pub fn open(&self, id: CK_SLOT_ID, writes: bool) -> Outcome<CK_SESSION_HANDLE> {
        let (number, slot) = self.slot(id)?;
        slot.store.token()?.ok_or(CKR_TOKEN_NOT_RECOGNIZED)?;
        if !writes && slot.login() == Some(Role::Officer) {
            return Err(CKR_SESSION_READ_WRITE_SO_EXISTS);
        }
        slot.store.attend()?;
        let session = Session::new(handle(), number, writes);
        let handle = session.handle;
        self.sessions().insert(handle, Arc::new(session));
        Ok(handle)
    }

    /// Closes the sessions that meet a condition, and says how many. The last of a slot ends the
    /// login.
    pub fn close(&self, closes: impl Fn(&Session) -> bool) -> usize {
        let mut sessions = self.sessions();
        let closed: Vec<Arc<Session>> =
            sessions.values().filter(|one| closes(one)).cloned().collect();
        for session in &closed {
            sessions.remove(&session.handle);
        }
        let left: Vec<usize> = sessions.values().map(|session| session.slot).collect();
        drop(sessions);
        for session in &closed {
            let slot = &self.slots[session.slot];
            slot.close(session.handle);
            slot.store.depart();
            if !left.contains(&session.slot) {
                self.leave(slot);
            }
        }
        closed.len()
    }

    /// Sessions of a slot: those that write, and those that do not.
    pub fn count(&self, slot: usize) -> (usize, usize) {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let of_slot = sessions.values().filter(|session| session.slot == slot);
        let (writing, reading): (Vec<_>, Vec<_>) = of_slot.partition(|session| session.writes);
        (writing.len(), reading.len())
    }
}

/// The module, and a session of it.
///
/// # Errors
/// `CKR_CRYPTOKI_NOT_INITIALIZED`, `CKR_SESSION_HANDLE_INVALID`.
pub fn desk(handle: CK_SESSION_HANDLE) -> Outcome<Desk> {
    let module = current()?;
    let found = {
        let sessions = module.sessions.read().unwrap_or_else(PoisonError::into_inner);
        sessions.get(&handle).cloned()
    };
    Ok(Desk { session: found.ok_or(CKR_SESSION_HANDLE_INVALID)?, module })
}

/// Returns the outcome of a job.
///
/// # Errors
/// As [`meaning`]; `CKR_GENERAL_ERROR` after a provider's panic.
pub fn status(job: &OwnedJob) -> Outcome {
    job.status().ok_or(CKR_GENERAL_ERROR)?.map_err(meaning)
}

/// Returns PKCS #11's value for an error of the engine.
pub fn meaning(error: JobError) -> CK_RV {
    match error {
        JobError::TagMismatch | JobError::SignatureMismatch => CKR_SIGNATURE_INVALID,
        JobError::Decryption => CKR_ENCRYPTED_DATA_INVALID,
        JobError::NotBelowModulus | JobError::Scalar => CKR_DATA_INVALID,
        JobError::PublicKey => CKR_MECHANISM_PARAM_INVALID,
        JobError::InputLength { .. }
        | JobError::EitherLength { .. }
        | JobError::DataLength { .. }
        | JobError::TooLong { .. }
        | JobError::AssociatedTooLong { .. } => CKR_DATA_LEN_RANGE,
        JobError::NonceLength { .. } => CKR_MECHANISM_PARAM_INVALID,
        JobError::OutOfMemory { .. } => CKR_HOST_MEMORY,
        _ => CKR_FUNCTION_FAILED,
    }
}
