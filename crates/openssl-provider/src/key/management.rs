//! Key management, for libcrypto: everything goes to a key of the default provider's.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use zeroize::Zeroize;

use super::{Key, KeyType, functions_for};
use crate::interface::*;
use crate::libcrypto::functions;
use crate::line::{Kind, is_worth_asking};
use crate::theirs::{KeyFunctions, provider_context};

/// A type of keys, as a type: by its place among all.
struct At<const PLACE: usize>;

impl<const PLACE: usize> At<PLACE> {
    const TYPE: KeyType = KeyType::ALL[PLACE];

    const FUNCTIONS: &'static [Dispatch] = dispatch![
        FUNC_KEYMGMT_NEW => new::<PLACE> as unsafe extern "C" fn(_) -> _,
        FUNC_KEYMGMT_FREE => free as unsafe extern "C" fn(_),
        FUNC_KEYMGMT_GEN_INIT => gen_init::<PLACE> as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_KEYMGMT_GEN_SET_TEMPLATE => gen_set_template as unsafe extern "C" fn(_, _) -> _,
        FUNC_KEYMGMT_GEN_SET_PARAMS => gen_set_params as unsafe extern "C" fn(_, _) -> _,
        FUNC_KEYMGMT_GEN_SETTABLE_PARAMS =>
            gen_settable_params::<PLACE> as unsafe extern "C" fn(_, _) -> _,
        FUNC_KEYMGMT_GEN => generate as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_KEYMGMT_GEN_CLEANUP => gen_cleanup as unsafe extern "C" fn(_),
        FUNC_KEYMGMT_GET_PARAMS => get_params as unsafe extern "C" fn(_, _) -> _,
        FUNC_KEYMGMT_GETTABLE_PARAMS => gettable_params::<PLACE> as unsafe extern "C" fn(_) -> _,
        FUNC_KEYMGMT_SET_PARAMS => set_params as unsafe extern "C" fn(_, _) -> _,
        FUNC_KEYMGMT_SETTABLE_PARAMS => settable_params::<PLACE> as unsafe extern "C" fn(_) -> _,
        FUNC_KEYMGMT_QUERY_OPERATION_NAME =>
            query_operation_name::<PLACE> as unsafe extern "C" fn(_) -> _,
        FUNC_KEYMGMT_HAS => has as unsafe extern "C" fn(_, _) -> _,
        FUNC_KEYMGMT_VALIDATE => validate as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_KEYMGMT_MATCH => matches as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_KEYMGMT_IMPORT => import as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_KEYMGMT_IMPORT_TYPES => import_types::<PLACE> as unsafe extern "C" fn(_) -> _,
        FUNC_KEYMGMT_EXPORT => export as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_KEYMGMT_EXPORT_TYPES => export_types::<PLACE> as unsafe extern "C" fn(_) -> _,
        FUNC_KEYMGMT_DUP => dup as unsafe extern "C" fn(_, _) -> _,
    ];
}

/// Returns the functions of key management, of a type of keys.
pub const fn functions_of(key_type: KeyType) -> &'static [Dispatch] {
    macro_rules! all {
        ($($place:literal)+) => { [ $( At::<$place>::FUNCTIONS, )+ ] };
    }
    const ALL: [&[Dispatch]; KeyType::ALL.len()] = all!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    ALL[key_type.place()]
}

/// A key as libcrypto holds it.
///
/// # Safety
/// [`hand_out`] returned `key`, which was not freed.
unsafe fn key<'a>(key: *const c_void) -> &'a Key {
    // SAFETY: `hand_out` made the pointer from a key that was not freed, by this function's
    // contract.
    unsafe { &*key.cast::<Key>() }
}

/// Hands out a key; null for none.
fn hand_out(key: Option<Key>) -> *mut c_void {
    key.map_or(ptr::null_mut(), |key| Arc::into_raw(Arc::new(key)).cast_mut().cast())
}

unsafe extern "C" fn new<const PLACE: usize>(_: *mut c_void) -> *mut c_void {
    hand_out(Key::empty(At::<PLACE>::TYPE))
}

unsafe extern "C" fn free(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: it came from `hand_out`.
        drop(unsafe { Arc::from_raw(pointer.cast::<Key>()) });
    }
}

/// A list of parameters of the default provider's, by the function that gives it.
fn list_of<const PLACE: usize>(list: impl FnOnce(&KeyFunctions) -> *const Param) -> *const Param {
    functions_for(At::<PLACE>::TYPE).map_or(ptr::null(), list)
}

unsafe extern "C" fn gettable_params<const PLACE: usize>(_: *mut c_void) -> *const Param {
    // SAFETY: the function is called with its provider's context.
    list_of::<PLACE>(|theirs| unsafe { (theirs.gettable_params)(provider_context()) })
}

unsafe extern "C" fn settable_params<const PLACE: usize>(_: *mut c_void) -> *const Param {
    list_of::<PLACE>(|theirs| {
        // SAFETY: as above.
        theirs.settable_params.map_or(ptr::null(), |list| unsafe { list(provider_context()) })
    })
}

unsafe extern "C" fn gen_settable_params<const PLACE: usize>(
    pointer: *mut c_void,
    _: *mut c_void,
) -> *const Param {
    list_of::<PLACE>(|theirs| {
        // SAFETY: as above; libcrypto passes what `gen_init` made, or null.
        theirs.gen_settable_params.map_or(ptr::null(), |list| unsafe {
            let generation = pointer.cast::<Generation>().as_ref();
            let context = generation.map_or(ptr::null_mut(), |generation| generation.context);
            list(context, provider_context())
        })
    })
}

unsafe extern "C" fn import_types<const PLACE: usize>(selection: c_int) -> *const Param {
    // SAFETY: the function has no conditions.
    list_of::<PLACE>(|theirs| unsafe { (theirs.import_types)(selection) })
}

unsafe extern "C" fn export_types<const PLACE: usize>(selection: c_int) -> *const Param {
    // SAFETY: as above.
    list_of::<PLACE>(|theirs| unsafe { (theirs.export_types)(selection) })
}

unsafe extern "C" fn query_operation_name<const PLACE: usize>(operation: c_int) -> *const c_char {
    let name = match (At::<PLACE>::TYPE, operation) {
        (KeyType::Ec, OP_SIGNATURE) => c"ECDSA",
        (KeyType::Ec, OP_KEYEXCH) => c"ECDH",
        (other, _) => other.name(),
    };
    name.as_ptr()
}

unsafe extern "C" fn import(pointer: *mut c_void, selection: c_int, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes a key of ours, and its list.
    unsafe {
        let key = key(pointer);
        key.sessions.forget();
        (key.functions.import)(key.theirs, selection, list)
    }
}

/// Who takes what is exported.
struct Taker {
    callback: Callback,
    argument: *mut c_void,
}

unsafe extern "C" fn export(
    pointer: *mut c_void,
    selection: c_int,
    callback: Callback,
    argument: *mut c_void,
) -> c_int {
    let mut taker = Taker { callback, argument };
    // SAFETY: libcrypto passes a key of ours, and a callback with its argument.
    unsafe {
        let key = key(pointer);
        (key.functions.export)(key.theirs, selection, take, (&raw mut taker).cast())
    }
}

/// Passes on what is exported, and wipes it if the default provider does not.
///
/// For the keys that come here, OpenSSL 3 makes a list of copies for the call, and frees it as it
/// is. Later releases clear it themselves, and may pass memory of the key instead of copies.
unsafe extern "C" fn take(list: *const Param, taker: *mut c_void) -> c_int {
    // SAFETY: the default provider passes its list, and what `export` gave it.
    unsafe {
        let Taker { callback, argument } = *taker.cast::<Taker>();
        let status = callback(list, argument);
        if (functions().OPENSSL_version_major)() < 4 {
            wipe_copies(list);
        }
        status
    }
}

/// Wipes the values of a list.
///
/// # Safety
/// The list ends with an entry without a key, and nobody else needs the memory of its values.
unsafe fn wipe_copies(list: *const Param) {
    let mut at = list;
    // SAFETY: the caller vouches for the list and for its values.
    unsafe {
        while !(*at).key.is_null() {
            let Param { data, data_size, .. } = *at;
            if !data.is_null() {
                std::slice::from_raw_parts_mut(data.cast::<u8>(), data_size).zeroize();
            }
            at = at.add(1);
        }
    }
}

unsafe extern "C" fn get_params(pointer: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: libcrypto passes a key of ours, and its list.
    c_int::from(unsafe { key(pointer).get(list) })
}

unsafe extern "C" fn set_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes a key of ours, and its list.
    unsafe {
        let key = key(pointer);
        key.sessions.forget();
        key.functions.set_params.map_or(1, |set| set(key.theirs, list))
    }
}

unsafe extern "C" fn has(pointer: *const c_void, selection: c_int) -> c_int {
    // SAFETY: libcrypto passes a key of ours, or null.
    c_int::from(!pointer.is_null() && unsafe { key(pointer) }.has(selection))
}

unsafe extern "C" fn matches(one: *const c_void, other: *const c_void, selection: c_int) -> c_int {
    // SAFETY: libcrypto passes keys of ours, of one type.
    unsafe {
        let (one, other) = (key(one), key(other));
        (one.functions.matches)(one.theirs, other.theirs, selection)
    }
}

unsafe extern "C" fn validate(pointer: *const c_void, selection: c_int, how: c_int) -> c_int {
    // SAFETY: libcrypto passes a key of ours.
    unsafe {
        let key = key(pointer);
        (key.functions.validate)(key.theirs, selection, how)
    }
}

unsafe extern "C" fn dup(pointer: *const c_void, selection: c_int) -> *mut c_void {
    // SAFETY: libcrypto passes a key of ours.
    unsafe {
        let key = key(pointer);
        let copy = (key.functions.dup)(key.theirs, selection);
        hand_out(Key::new(key.key_type, key.functions, copy))
    }
}

/// A key that is being made, with the default provider's context for it.
struct Generation {
    key_type: KeyType,
    functions: &'static KeyFunctions,
    context: *mut c_void,
    makes_key: bool,
}

impl Drop for Generation {
    fn drop(&mut self) {
        // SAFETY: the context is ours.
        unsafe { (self.functions.gen_cleanup)(self.context) };
    }
}

unsafe extern "C" fn gen_init<const PLACE: usize>(
    _: *mut c_void,
    selection: c_int,
    list: *const Param,
) -> *mut c_void {
    let Some(functions) = functions_for(At::<PLACE>::TYPE) else { return ptr::null_mut() };
    // SAFETY: the function is called with its provider's context; the list is libcrypto's.
    let context = unsafe { (functions.gen_init)(provider_context(), selection, list) };
    if context.is_null() {
        return context;
    }
    let makes_key = selection & KEYMGMT_SELECT_KEYPAIR != 0;
    let generation = Generation { key_type: At::<PLACE>::TYPE, functions, context, makes_key };
    Box::into_raw(Box::new(generation)).cast()
}

unsafe extern "C" fn gen_set_template(pointer: *mut c_void, template: *mut c_void) -> c_int {
    // SAFETY: libcrypto passes what `gen_init` made, and a key of ours.
    unsafe {
        let Generation { functions, context, .. } = &*pointer.cast::<Generation>();
        functions.gen_set_template.map_or(1, |set| set(*context, key(template).theirs))
    }
}

unsafe extern "C" fn gen_set_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what `gen_init` made, and its list.
    unsafe {
        let Generation { functions, context, .. } = &*pointer.cast::<Generation>();
        functions.gen_set_params.map_or(0, |set| set(*context, list))
    }
}

unsafe extern "C" fn generate(
    pointer: *mut c_void,
    callback: Option<Callback>,
    argument: *mut c_void,
) -> *mut c_void {
    // SAFETY: libcrypto passes what `gen_init` made.
    let &Generation { key_type, functions, context, makes_key } =
        unsafe { &*pointer.cast::<Generation>() };
    if key_type == KeyType::X25519
        && makes_key
        && is_worth_asking(Kind::Curve25519)
        && let Some(key) = Key::in_lanes()
    {
        return hand_out(Some(key));
    }
    // SAFETY: the context is ours, and the callback with its argument is libcrypto's.
    let made = unsafe { (functions.generate)(context, callback, argument) };
    hand_out(Key::new(key_type, functions, made))
}

unsafe extern "C" fn gen_cleanup(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: `gen_init` made it.
        drop(unsafe { Box::from_raw(pointer.cast::<Generation>()) });
    }
}
