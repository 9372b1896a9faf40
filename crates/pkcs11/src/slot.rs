//! Slots: a token, who is logged in, and the objects that this process sees.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use broadloom::Registry;
use cryptoki_sys::*;

use crate::attribute::Attributes;
use crate::memory::Outcome;
use crate::object::{Object, Place};
use crate::random;
use crate::store::{Role, SealingKey, Stamp, Store};

/// Handles of sessions and objects; none is used twice.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A new handle.
pub fn handle() -> CK_ULONG {
    NEXT.fetch_add(1, Ordering::Relaxed) as CK_ULONG
}

/// A slot, which always has a token.
pub struct Slot {
    pub id: CK_SLOT_ID,
    pub store: Store,
    /// Held while an object changes.
    changes: Mutex<()>,
    state: Mutex<SlotState>,
}

#[derive(Default)]
struct SlotState {
    login: Option<Role>,
    /// The token's key, while the user is logged in.
    key: Option<SealingKey>,
    objects: BTreeMap<CK_OBJECT_HANDLE, Arc<Object>>,
    /// The token's files that were read, by name. Private ones have no handle until the user logs
    /// in, and damaged ones never.
    files: HashMap<String, (Stamp, Option<CK_OBJECT_HANDLE>)>,
}

impl SlotState {
    /// Returns `true` if an object can be seen by whoever is logged in.
    fn shows(&self, object: &Object) -> bool {
        self.login == Some(Role::User) || !object.attributes.is(CKA_PRIVATE)
    }

    fn forget(&mut self, handle: Option<CK_OBJECT_HANDLE>) {
        if let Some(handle) = handle {
            self.objects.remove(&handle);
        }
    }
}

impl Slot {
    pub fn new(id: CK_SLOT_ID, store: Store) -> Slot {
        Slot { id, store, changes: Mutex::default(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, SlotState> {
        // Nothing under this lock panics half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the role that is logged in.
    pub fn login(&self) -> Option<Role> {
        self.state().login
    }

    /// Notes who has logged in, with the token's key.
    ///
    /// # Errors
    /// `CKR_USER_ALREADY_LOGGED_IN`, `CKR_USER_ANOTHER_ALREADY_LOGGED_IN`: another thread was
    /// faster.
    pub fn enter(&self, role: Role, key: SealingKey) -> Outcome {
        let mut state = self.state();
        match state.login {
            Some(other) if other == role => return Err(CKR_USER_ALREADY_LOGGED_IN),
            Some(_) => return Err(CKR_USER_ANOTHER_ALREADY_LOGGED_IN),
            None => {}
        }
        state.login = Some(role);
        state.key = Some(key);
        // What could not be opened before is read again.
        state.files.retain(|_, (_, handle)| handle.is_some());
        Ok(())
    }

    /// Notes that nobody is logged in. Private objects, and the token's key, are wiped as soon as
    /// no operation has them any more.
    pub fn leave(&self) {
        let mut state = self.state();
        state.login = None;
        state.key = None;
        state.objects.retain(|_, object| !object.attributes.is(CKA_PRIVATE));
        let SlotState { files, objects, .. } = &mut *state;
        files.retain(|_, (_, handle)| handle.is_some_and(|handle| objects.contains_key(&handle)));
    }

    /// The token's key, while somebody is logged in.
    pub fn key(&self) -> Option<SealingKey> {
        self.state().key.clone()
    }

    /// Forgets all that it knows, before the token is made anew.
    pub fn reset(&self) {
        *self.state() = SlotState::default();
    }

    /// The object of a handle, where it can be seen.
    ///
    /// # Errors
    /// The given one.
    pub fn object(&self, handle: CK_OBJECT_HANDLE, otherwise: CK_RV) -> Outcome<Arc<Object>> {
        let state = self.state();
        let found = state.objects.get(&handle).filter(|object| state.shows(object));
        found.cloned().ok_or(otherwise)
    }

    /// The handles of all objects that can be seen and meet a condition.
    pub fn find(&self, meets: impl Fn(&Attributes) -> bool) -> Vec<CK_OBJECT_HANDLE> {
        let state = self.state();
        let all = state.objects.iter().filter(|(_, object)| state.shows(object));
        all.filter(|(_, object)| meets(&object.attributes)).map(|(handle, _)| *handle).collect()
    }

    /// Sees what other processes have written, changed and removed.
    ///
    /// # Errors
    /// `CKR_DEVICE_ERROR`.
    pub fn refresh(&self, registry: &Registry) -> Outcome {
        let list = self.store.list()?;
        let (key, new) = {
            let mut state = self.state();
            let SlotState { files, objects, .. } = &mut *state;
            files.retain(|name, (_, handle)| {
                let stays = list.binary_search_by(|(other, _)| other.cmp(name)).is_ok();
                if let (false, Some(handle)) = (stays, handle) {
                    objects.remove(handle);
                }
                stays
            });
            let is_new = |(name, stamp): &(String, Stamp)| {
                files.get(name).is_none_or(|(known, _)| known != stamp)
            };
            let new: Vec<(String, Stamp)> = list.into_iter().filter(is_new).collect();
            let key = state.key.clone().filter(|_| state.login == Some(Role::User));
            (key, new)
        };
        // Without the lock: files and the engine take their time.
        for (name, stamp) in new {
            // A damaged file hides its own object and no other.
            let attributes = self.store.read(registry, &name, key.as_ref()).ok().flatten();
            let object =
                attributes.and_then(|found| Object::new(found, Place::Token(name.clone())).ok());
            let mut state = self.state();
            let known = state.files.get(&name).copied();
            let is_private =
                object.as_ref().is_some_and(|object| object.attributes.is(CKA_PRIVATE));
            if known.is_some_and(|(known, _)| known == stamp)
                || is_private && state.login != Some(Role::User)
            {
                // Another thread was faster, or the user has logged out.
                continue;
            }
            let before = known.and_then(|(_, handle)| handle);
            let at = object.map(|object| {
                let at = before.unwrap_or_else(handle);
                state.objects.insert(at, Arc::new(object));
                at
            });
            if at.is_none() {
                state.forget(before);
            }
            state.files.insert(name, (stamp, at));
        }
        Ok(())
    }

    /// Adds a new object: to the token, if its attributes say so, or to a session.
    ///
    /// # Errors
    /// `CKR_USER_NOT_LOGGED_IN` for a private object of nobody; what writing a file, or a key,
    /// has.
    pub fn add(
        &self,
        registry: &Registry,
        session: CK_SESSION_HANDLE,
        mut attributes: Attributes,
    ) -> Outcome<CK_OBJECT_HANDLE> {
        let is_private = attributes.is(CKA_PRIVATE);
        if is_private && self.login() != Some(Role::User) {
            return Err(CKR_USER_NOT_LOGGED_IN);
        }
        let name = random::name::<16>()?;
        attributes.set(CKA_UNIQUE_ID, zeroize::Zeroizing::new(name.clone().into_bytes()));
        let place = match attributes.is(CKA_TOKEN) {
            true => Place::Token(name),
            false => Place::Session(session),
        };
        let object = Object::new(attributes, place)?;
        object.check_point(registry)?;
        object.check_seed(registry)?;
        let stamp = self.save(registry, &object)?;
        let handle = handle();
        let mut state = self.state();
        if let (Some(stamp), Place::Token(name)) = (stamp, &object.place) {
            state.files.insert(name.clone(), (stamp, Some(handle)));
        }
        state.objects.insert(handle, Arc::new(object));
        Ok(handle)
    }

    /// Changes an object. The change begins with what the object is at that moment: another
    /// thread, or another process, may have changed it since it was last read here, and what it has
    /// forbidden must stay so.
    ///
    /// # Errors
    /// `CKR_OBJECT_HANDLE_INVALID` if it is gone by now; what the change, writing a file, or a key,
    /// has.
    pub fn change(
        &self,
        registry: &Registry,
        handle: CK_OBJECT_HANDLE,
        change: impl Fn(&Attributes) -> Outcome<Attributes>,
    ) -> Outcome {
        let changed = |attributes: &Attributes, place: &Place| {
            change(attributes).and_then(|attributes| Object::new(attributes, place.clone()))
        };
        // One at a time, so that the last to write the file is the last to be seen.
        let _one = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let before = self.object(handle, CKR_OBJECT_HANDLE_INVALID)?;
            let (object, stamp) = match &before.place {
                Place::Token(name) => {
                    let key = self.key();
                    let revise = |found: &Attributes| changed(found, &before.place);
                    let (object, stamp) =
                        self.store.revise(registry, name, key.as_ref(), revise)?;
                    (object, Some((name, stamp)))
                }
                Place::Session(_) => (changed(&before.attributes, &before.place)?, None),
            };
            let mut state = self.state();
            let now = state.objects.get(&handle).ok_or(CKR_OBJECT_HANDLE_INVALID)?;
            if let Some((name, stamp)) = stamp {
                state.files.insert(name.clone(), (stamp, Some(handle)));
            } else if !Arc::ptr_eq(now, &before) {
                continue;
            }
            state.objects.insert(handle, Arc::new(object));
            return Ok(());
        }
    }

    fn save(&self, registry: &Registry, object: &Object) -> Outcome<Option<Stamp>> {
        let Place::Token(name) = &object.place else { return Ok(None) };
        let key = self.key();
        self.store.write(registry, name, &object.attributes, key.as_ref()).map(Some)
    }

    /// Removes an object.
    ///
    /// # Errors
    /// `CKR_DEVICE_ERROR`.
    pub fn remove(&self, handle: CK_OBJECT_HANDLE, object: &Object) -> Outcome {
        if let Place::Token(name) = &object.place {
            self.store.remove(name)?;
            self.state().files.remove(name);
        }
        self.state().forget(Some(handle));
        Ok(())
    }

    /// Removes the objects of a session that is closed.
    pub fn close(&self, session: CK_SESSION_HANDLE) {
        self.state().objects.retain(|_, object| object.place != Place::Session(session));
    }
}

#[cfg(test)]
mod tests {
    use broadloom::Registry;

    use super::*;
    use crate::attribute::{boolean, ulong};

    fn label(text: &str) -> zeroize::Zeroizing<Vec<u8>> {
        zeroize::Zeroizing::new(text.as_bytes().to_vec())
    }

    /// Two processes with the same token, as far as one process can have them.
    fn two(registry: &Registry) -> (tempfile::TempDir, [Slot; 2]) {
        let folder = tempfile::tempdir().expect("a folder");
        let key = SealingKey::new().expect("random bytes");
        let slots = [0, 1].map(|id| {
            let slot = Slot::new(id, Store::new(folder.path().join("slot")));
            slot.enter(Role::User, key.clone()).expect("nobody is logged in");
            slot.refresh(registry).expect("a folder");
            slot
        });
        (folder, slots)
    }

    fn add(registry: &Registry, slot: &Slot) -> CK_OBJECT_HANDLE {
        let template = vec![
            (CKA_CLASS, ulong(CKO_SECRET_KEY)),
            (CKA_KEY_TYPE, ulong(CKK_AES)),
            (CKA_TOKEN, boolean(true)),
            (CKA_SENSITIVE, boolean(false)),
            (CKA_VALUE, zeroize::Zeroizing::new(vec![7; 16])),
        ];
        let mut attributes = Attributes::of_template(template).expect("values that fit");
        attributes.complete();
        slot.add(registry, 1, attributes).expect("a key")
    }

    #[test]
    fn a_change_begins_with_what_others_have_changed() {
        let registry = broadloom::registry();
        let (_folder, [one, other]) = two(&registry);
        let first = add(&registry, &one);
        other.refresh(&registry).expect("a folder");
        let second = other.find(|_| true)[0];
        let set = |slot: &Slot, handle, id, value: zeroize::Zeroizing<Vec<u8>>| {
            slot.change(&registry, handle, |found| {
                found.changed(vec![(id, value.clone())], false, false)
            })
        };
        assert_eq!(set(&one, first, CKA_SENSITIVE, boolean(true)), Ok(()));
        assert_eq!(set(&other, second, CKA_LABEL, label("late")), Ok(()));
        for (slot, handle) in [(&one, first), (&other, second)] {
            slot.refresh(&registry).expect("a folder");
            let object = slot.object(handle, 1).expect("it is there");
            assert!(object.attributes.is(CKA_SENSITIVE), "in slot {}", slot.id);
            assert_eq!(object.attributes.get(CKA_LABEL), Some(&b"late"[..]));
        }
        // What one has destroyed comes back by no change of the other's.
        let object = one.object(first, 1).expect("it is there");
        one.remove(first, &object).expect("it can be removed");
        let late = set(&other, second, CKA_LABEL, label("later"));
        assert_eq!(late, Err(CKR_OBJECT_HANDLE_INVALID));
        assert_eq!(one.store.list().map(|list| list.len()), Ok(0));
    }
}
