//! Sessions of an application, and the operations that they are in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cryptoki_sys::*;

use crate::cipher::Ciphering;
use crate::digest::Digesting;
use crate::memory::Outcome;
use crate::module::Module;
use crate::object::Object;
use crate::sign::Signing;
use crate::slot::Slot;
use crate::store::Role;

/// A session.
pub struct Session {
    pub handle: CK_SESSION_HANDLE,
    /// The number of its slot.
    pub slot: usize,
    pub writes: bool,
    operations: Mutex<Operations>,
}

/// The operations of a session, one of each kind.
#[derive(Default)]
pub struct Operations {
    /// Handles that were found and not yet given.
    pub find: Running<Vec<CK_OBJECT_HANDLE>>,
    pub digest: Running<Digesting>,
    pub sign: Running<Signing>,
    pub verify: Running<Signing>,
    /// The check of a signature that was given first.
    pub verify_signature: Running<(Signing, Vec<u8>)>,
    pub encrypt: Running<Ciphering>,
    pub decrypt: Running<Ciphering>,
}

impl Operations {
    /// Returns `true` if operations wait for the user to log in once more. With `goes_on`, they
    /// wait no longer.
    pub fn may_go_on(&mut self, goes_on: bool) -> bool {
        let sign = self.sign.active().map(|signing| &mut signing.awaits_login);
        let decrypt = self.decrypt.active().map(|ciphering| &mut ciphering.awaits_login);
        let mut any = false;
        for awaits in [sign, decrypt].into_iter().flatten() {
            any |= *awaits;
            *awaits &= !goes_on;
        }
        any
    }
}

/// An operation of a session, if there is one.
#[derive(Default)]
pub enum Running<T> {
    #[default]
    None,
    Active(T),
    /// Another thread works on it just now.
    Busy,
}

impl<T> Running<T> {
    /// Begins an operation.
    ///
    /// # Errors
    /// `CKR_OPERATION_ACTIVE`.
    pub fn begin(&mut self, operation: T) -> Outcome {
        match self {
            Running::None => {
                *self = Running::Active(operation);
                Ok(())
            }
            _ => Err(CKR_OPERATION_ACTIVE),
        }
    }

    /// # Errors
    /// `CKR_OPERATION_ACTIVE`.
    pub fn must_be_free(&self) -> Outcome {
        if matches!(self, Running::None) { Ok(()) } else { Err(CKR_OPERATION_ACTIVE) }
    }

    /// Ends an operation, if there is one.
    ///
    /// # Errors
    /// `CKR_OPERATION_CANCEL_FAILED`: another thread works on it.
    pub fn cancel(&mut self) -> Outcome {
        match self {
            Running::Busy => Err(CKR_OPERATION_CANCEL_FAILED),
            _ => {
                *self = Running::None;
                Ok(())
            }
        }
    }

    fn active(&mut self) -> Option<&mut T> {
        match self {
            Running::Active(operation) => Some(operation),
            _ => None,
        }
    }

    /// Takes the operation, to work on it without a lock.
    fn take(&mut self) -> Outcome<T> {
        match std::mem::replace(self, Running::Busy) {
            Running::Active(operation) => Ok(operation),
            other => {
                *self = other;
                Err(CKR_OPERATION_NOT_INITIALIZED)
            }
        }
    }
}

/// Whether an operation goes on after a call.
pub enum After {
    GoesOn,
    Ends,
}

/// Returns the outcome of a call of an operation. `CKR_BUFFER_TOO_SMALL` and a question for a
/// length let the operation go on; everything else ends it.
pub fn unless_asked(given: Outcome<bool>) -> (After, Outcome) {
    match given {
        Ok(true) => (After::Ends, Ok(())),
        Ok(false) => (After::GoesOn, Ok(())),
        Err(CKR_BUFFER_TOO_SMALL) => (After::GoesOn, Err(CKR_BUFFER_TOO_SMALL)),
        Err(error) => (After::Ends, Err(error)),
    }
}

/// What a call comes to whose arguments have to be read first: wrong ones end the operation, as
/// every other error does (PKCS #11, 5.8 to 5.14).
pub fn with_arguments<T>(
    arguments: Outcome<T>,
    work: impl FnOnce(T) -> (After, Outcome),
) -> (After, Outcome) {
    match arguments {
        Ok(arguments) => work(arguments),
        Err(error) => (After::Ends, Err(error)),
    }
}

/// What an update comes to: `CKR_BUFFER_TOO_SMALL` lets the operation go on, every other error ends
/// it.
pub fn unless_failed(result: Outcome) -> (After, Outcome) {
    let ends = matches!(result, Err(error) if error != CKR_BUFFER_TOO_SMALL);
    (if ends { After::Ends } else { After::GoesOn }, result)
}

impl Session {
    pub fn new(handle: CK_SESSION_HANDLE, slot: usize, writes: bool) -> Session {
        Session { handle, slot, writes, operations: Mutex::default() }
    }

    /// The operations; only for as long as it takes to begin or to take one.
    pub fn operations(&self) -> MutexGuard<'_, Operations> {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on an operation without a lock: the engine, and other threads, take their time.
    ///
    /// # Errors
    /// `CKR_OPERATION_NOT_INITIALIZED`, or what the work comes to.
    pub fn work<T>(
        &self,
        which: impl Fn(&mut Operations) -> &mut Running<T>,
        work: impl FnOnce(&mut T) -> (After, Outcome),
    ) -> Outcome {
        /// Ends the operation, also where the work panics.
        struct End<'s, T, W: Fn(&mut Operations) -> &mut Running<T>> {
            session: &'s Session,
            which: W,
            stays: Option<T>,
        }
        impl<T, W: Fn(&mut Operations) -> &mut Running<T>> Drop for End<'_, T, W> {
            fn drop(&mut self) {
                let after = self.stays.take().map_or(Running::None, Running::Active);
                *(self.which)(&mut self.session.operations()) = after;
            }
        }
        let mut operation = which(&mut self.operations()).take()?;
        let mut end = End { session: self, which, stays: None };
        let (after, result) = work(&mut operation);
        if let After::GoesOn = after {
            end.stays = Some(operation);
        }
        result
    }

    /// The state as `C_GetSessionInfo` reports it.
    pub fn state(&self, slot: &Slot) -> CK_STATE {
        match (slot.login(), self.writes) {
            (None, false) => CKS_RO_PUBLIC_SESSION,
            (None, true) => CKS_RW_PUBLIC_SESSION,
            (Some(Role::User), false) => CKS_RO_USER_FUNCTIONS,
            (Some(Role::User), true) => CKS_RW_USER_FUNCTIONS,
            (Some(Role::Officer), _) => CKS_RW_SO_FUNCTIONS,
        }
    }
}

/// A session at work: with its module and its slot.
pub struct Desk {
    pub module: Arc<Module>,
    pub session: Arc<Session>,
}

impl Desk {
    pub fn slot(&self) -> &Slot {
        &self.module.slots[self.session.slot]
    }

    /// # Errors
    /// `CKR_OBJECT_HANDLE_INVALID`.
    pub fn object(&self, handle: CK_OBJECT_HANDLE) -> Outcome<Arc<Object>> {
        self.slot().object(handle, CKR_OBJECT_HANDLE_INVALID)
    }

    /// The key of a handle, for a use that its attributes permit by a mechanism.
    ///
    /// # Errors
    /// `CKR_KEY_HANDLE_INVALID`, `CKR_KEY_FUNCTION_NOT_PERMITTED`, `CKR_KEY_TYPE_INCONSISTENT`,
    /// `CKR_MECHANISM_INVALID`.
    pub fn key(
        &self,
        handle: CK_OBJECT_HANDLE,
        mechanism: CK_MECHANISM_TYPE,
        permits: CK_ATTRIBUTE_TYPE,
    ) -> Outcome<Arc<Object>> {
        let object = self.slot().object(handle, CKR_KEY_HANDLE_INVALID)?;
        object.key()?;
        let attributes = &object.attributes;
        let key_type = attributes.ulong(CKA_KEY_TYPE).ok_or(CKR_KEY_HANDLE_INVALID)?;
        if !crate::mechanism::find(mechanism)?.takes(key_type) {
            return Err(CKR_KEY_TYPE_INCONSISTENT);
        }
        if !attributes.is(permits) {
            return Err(CKR_KEY_FUNCTION_NOT_PERMITTED);
        }
        let allowed = attributes.get(CKA_ALLOWED_MECHANISMS).unwrap_or_default();
        let mut each = allowed.chunks_exact(size_of::<CK_MECHANISM_TYPE>());
        if !allowed.is_empty() && !each.any(|one| one == mechanism.to_ne_bytes()) {
            return Err(CKR_MECHANISM_INVALID);
        }
        Ok(object)
    }

    /// Adds a new object of the application's.
    ///
    /// # Errors
    /// `CKR_SESSION_READ_ONLY` for an object of the token in a session that does not write; as
    /// [`crate::seed::expand`] and [`Slot::add`].
    pub fn add(&self, mut attributes: crate::attribute::Attributes) -> Outcome<CK_OBJECT_HANDLE> {
        if attributes.is(CKA_TOKEN) && !self.session.writes {
            return Err(CKR_SESSION_READ_ONLY);
        }
        crate::seed::expand(&self.module, &mut attributes)?;
        self.slot().add(&self.module.registry, self.session.handle, attributes)
    }
}
