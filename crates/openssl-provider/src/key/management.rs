//! Key management, for libcrypto: everything goes to a key of the same type in the library context
//! apart.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};

use zeroize::Zeroize;

use super::{Key, KeyType};
use crate::interface::*;
use crate::libcrypto::{PkeyContext, apart, fail, functions};
use crate::line::{Kind, is_worth_asking};

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
        FUNC_KEYMGMT_IMPORT => import_list as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_KEYMGMT_IMPORT_TYPES => types::<PLACE> as unsafe extern "C" fn(_) -> _,
        FUNC_KEYMGMT_EXPORT => export as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_KEYMGMT_EXPORT_TYPES => types::<PLACE> as unsafe extern "C" fn(_) -> _,
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

fn hand_out(key: Key) -> *mut c_void {
    Arc::into_raw(Arc::new(key)).cast_mut().cast()
}

unsafe extern "C" fn new<const PLACE: usize>(_: *mut c_void) -> *mut c_void {
    hand_out(Key::new(At::<PLACE>::TYPE, ptr::null_mut()))
}

unsafe extern "C" fn free(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: it came from `hand_out`.
        drop(unsafe { Arc::from_raw(pointer.cast::<Key>()) });
    }
}

/// A context of libcrypto by name, made once, for lists of parameters.
fn context_of(key_type: KeyType) -> *mut PkeyContext {
    static CONTEXTS: [AtomicPtr<PkeyContext>; KeyType::ALL.len()] =
        [const { AtomicPtr::new(ptr::null_mut()) }; _];
    let place = &CONTEXTS[key_type.place()];
    let known = place.load(Ordering::Acquire);
    if !known.is_null() {
        return known;
    }
    let made = new_context(key_type);
    let functions = functions();
    // SAFETY: the context is new; a null one is refused.
    unsafe { (functions.EVP_PKEY_fromdata_init)(made) };
    match place.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => made,
        Err(other) => {
            // SAFETY: the context is ours, and nobody knows of it.
            unsafe { (functions.EVP_PKEY_CTX_free)(made) };
            other
        }
    }
}

fn new_context(key_type: KeyType) -> *mut PkeyContext {
    let name = key_type.name().as_ptr();
    // SAFETY: the context is valid, and the properties may be null.
    unsafe { (functions().EVP_PKEY_CTX_new_from_name)(apart(), name, ptr::null()) }
}

/// Key management in the library context apart, by type, for lists of parameters.
fn manager_of(key_type: KeyType) -> *const c_void {
    static MANAGERS: [OnceLock<usize>; KeyType::ALL.len()] = [const { OnceLock::new() }; _];
    let manager = MANAGERS[key_type.place()].get_or_init(|| {
        let name = key_type.name().as_ptr();
        // SAFETY: the context is valid, and the properties may be null.
        unsafe { (functions().EVP_KEYMGMT_fetch)(apart(), name, ptr::null()) }.expose_provenance()
    });
    ptr::with_exposed_provenance(*manager)
}

unsafe extern "C" fn gettable_params<const PLACE: usize>(_: *mut c_void) -> *const Param {
    // SAFETY: libcrypto made the manager, or gives an empty list for null.
    unsafe { (functions().EVP_KEYMGMT_gettable_params)(manager_of(At::<PLACE>::TYPE)) }
}

unsafe extern "C" fn settable_params<const PLACE: usize>(_: *mut c_void) -> *const Param {
    // SAFETY: as above.
    unsafe { (functions().EVP_KEYMGMT_settable_params)(manager_of(At::<PLACE>::TYPE)) }
}

unsafe extern "C" fn gen_settable_params<const PLACE: usize>(
    _: *mut c_void,
    _: *mut c_void,
) -> *const Param {
    // SAFETY: as above.
    unsafe { (functions().EVP_KEYMGMT_gen_settable_params)(manager_of(At::<PLACE>::TYPE)) }
}

unsafe extern "C" fn types<const PLACE: usize>(selection: c_int) -> *const Param {
    // SAFETY: libcrypto made the context, or refuses null.
    unsafe { (functions().EVP_PKEY_fromdata_settable)(context_of(At::<PLACE>::TYPE), selection) }
}

unsafe extern "C" fn query_operation_name<const PLACE: usize>(operation: c_int) -> *const c_char {
    let name = match (At::<PLACE>::TYPE, operation) {
        (KeyType::Ec, OP_SIGNATURE) => c"ECDSA",
        (KeyType::Ec, OP_KEYEXCH) => c"ECDH",
        (other, _) => other.name(),
    };
    name.as_ptr()
}

unsafe extern "C" fn import_list(
    pointer: *mut c_void,
    selection: c_int,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes a key of ours, and its list.
    c_int::from(unsafe { import(key(pointer), selection, list) }.is_some())
}

/// Makes a key of its numbers; `None` where libcrypto refuses them.
///
/// # Safety
/// The list is valid, as [`Param`] defines it.
pub unsafe fn import(key: &Key, selection: c_int, list: *const Param) -> Option<()> {
    let functions = functions();
    let mut pkey = ptr::null_mut();
    // SAFETY: the context is new, and the list the caller's.
    let is_made = unsafe {
        let context = new_context(key.key_type);
        let is_made = !context.is_null()
            && (functions.EVP_PKEY_fromdata_init)(context) == 1
            && (functions.EVP_PKEY_fromdata)(context, &mut pkey, selection, list) == 1;
        (functions.EVP_PKEY_CTX_free)(context);
        is_made
    };
    is_made.then(|| key.replace(pkey))
}

unsafe extern "C" fn export(
    pointer: *mut c_void,
    selection: c_int,
    callback: Callback,
    argument: *mut c_void,
) -> c_int {
    let mut list = ptr::null_mut();
    // SAFETY: libcrypto passes a key of ours, and a callback with its argument.
    unsafe {
        let pkey = key(pointer).pkey();
        if pkey.is_null() || (functions().EVP_PKEY_todata)(pkey, selection, &mut list) != 1 {
            return 0;
        }
        let status = callback(list, argument);
        wipe_and_free(list);
        status
    }
}

/// Wipes all values of a list and frees it. libcrypto would wipe those in secure memory alone.
///
/// # Safety
/// `EVP_PKEY_todata` made the list, and nobody uses it any more.
unsafe fn wipe_and_free(list: *mut Param) {
    // SAFETY: `EVP_PKEY_todata` made the list and nobody uses it any more, by this function's
    // contract; the values of such a list are in the list's own memory.
    unsafe {
        let mut at = list;
        while !(*at).key.is_null() {
            let Param { data, data_size, .. } = *at;
            if !data.is_null() {
                std::slice::from_raw_parts_mut(data.cast::<u8>(), data_size).zeroize();
            }
            at = at.add(1);
        }
        (functions().OSSL_PARAM_free)(list);
    }
}

unsafe extern "C" fn get_params(pointer: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: libcrypto passes a key of ours, and its list.
    unsafe {
        let pkey = key(pointer).pkey();
        if pkey.is_null() { 0 } else { (functions().EVP_PKEY_get_params)(pkey, list) }
    }
}

unsafe extern "C" fn set_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes a key of ours, and its list, which is only read.
    unsafe {
        let key = key(pointer);
        let pkey = key.pkey();
        key.sessions.forget();
        if pkey.is_null() { 0 } else { (functions().EVP_PKEY_set_params)(pkey, list.cast_mut()) }
    }
}

unsafe extern "C" fn has(pointer: *const c_void, selection: c_int) -> c_int {
    if pointer.is_null() {
        return 0;
    }
    // SAFETY: libcrypto passes a key of ours.
    let key = unsafe { key(pointer) };
    let parts = [(KEYMGMT_SELECT_PRIVATE_KEY, true), (KEYMGMT_SELECT_PUBLIC_KEY, false)];
    let has_all =
        parts.into_iter().all(|(part, private)| selection & part == 0 || key.has(private));
    c_int::from(!key.pkey().is_null() && has_all)
}

unsafe extern "C" fn matches(one: *const c_void, other: *const c_void, selection: c_int) -> c_int {
    // SAFETY: libcrypto passes keys of ours.
    unsafe {
        let (one, other) = (key(one).pkey(), key(other).pkey());
        let is_equal = match (one.is_null() || other.is_null(), selection & KEYMGMT_SELECT_KEYPAIR)
        {
            (true, _) => false,
            (false, 0) => (functions().EVP_PKEY_parameters_eq)(one, other) == 1,
            (false, _) => (functions().EVP_PKEY_eq)(one, other) == 1,
        };
        c_int::from(is_equal)
    }
}

unsafe extern "C" fn validate(pointer: *const c_void, selection: c_int, _: c_int) -> c_int {
    // SAFETY: libcrypto passes a key of ours.
    let context = unsafe { key(pointer) }.context();
    if context.is_null() {
        return 0;
    }
    let functions = functions();
    let check = match selection & KEYMGMT_SELECT_KEYPAIR {
        KEYMGMT_SELECT_KEYPAIR => functions.EVP_PKEY_pairwise_check,
        KEYMGMT_SELECT_PUBLIC_KEY => functions.EVP_PKEY_public_check,
        KEYMGMT_SELECT_PRIVATE_KEY => functions.EVP_PKEY_private_check,
        _ => functions.EVP_PKEY_param_check,
    };
    // SAFETY: the context is ours.
    unsafe {
        let status = check(context);
        (functions.EVP_PKEY_CTX_free)(context);
        c_int::from(status == 1)
    }
}

unsafe extern "C" fn dup(pointer: *const c_void, selection: c_int) -> *mut c_void {
    // SAFETY: libcrypto passes a key of ours.
    let key = unsafe { key(pointer) };
    let functions = functions();
    let pkey = key.pkey();
    if pkey.is_null() {
        return hand_out(Key::new(key.key_type, pkey));
    }
    // SAFETY: the key is valid; a new one takes its parameters.
    let copy = unsafe {
        if selection & KEYMGMT_SELECT_KEYPAIR == 0 {
            let copy = (functions.EVP_PKEY_new)();
            (functions.EVP_PKEY_copy_parameters)(copy, pkey);
            copy
        } else {
            (functions.EVP_PKEY_dup)(pkey)
        }
    };
    if copy.is_null() { ptr::null_mut() } else { hand_out(Key::new(key.key_type, copy)) }
}

/// A key that is being made.
struct Generation {
    key_type: KeyType,
    context: *mut PkeyContext,
    makes_key: bool,
}

impl Generation {
    /// Begins with another context, or fails.
    fn begin(&mut self, context: *mut PkeyContext) -> c_int {
        let functions = functions();
        let begin = match self.makes_key {
            true => functions.EVP_PKEY_keygen_init,
            false => functions.EVP_PKEY_paramgen_init,
        };
        // SAFETY: the contexts are ours; null is allowed.
        unsafe {
            (functions.EVP_PKEY_CTX_free)(self.context);
            self.context = context;
            c_int::from(!context.is_null() && begin(context) == 1)
        }
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        // SAFETY: the context is ours; null is allowed.
        unsafe { (functions().EVP_PKEY_CTX_free)(self.context) };
    }
}

unsafe extern "C" fn gen_init<const PLACE: usize>(
    _: *mut c_void,
    selection: c_int,
    list: *const Param,
) -> *mut c_void {
    let makes_key = selection & KEYMGMT_SELECT_KEYPAIR != 0;
    let mut generation =
        Generation { key_type: At::<PLACE>::TYPE, context: ptr::null_mut(), makes_key };
    let begun = generation.begin(new_context(At::<PLACE>::TYPE));
    let pointer: *mut c_void = Box::into_raw(Box::new(generation)).cast();
    // SAFETY: it was just made, and the list is libcrypto's.
    unsafe {
        if begun == 1 && gen_set_params(pointer, list) == 1 {
            return pointer;
        }
        gen_cleanup(pointer);
    }
    ptr::null_mut()
}

unsafe extern "C" fn gen_set_template(pointer: *mut c_void, template: *mut c_void) -> c_int {
    // SAFETY: both are ours.
    unsafe { (*pointer.cast::<Generation>()).begin(key(template).context()) }
}

unsafe extern "C" fn gen_set_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: it is ours, and the list libcrypto's.
    unsafe {
        let context = (*pointer.cast::<Generation>()).context;
        let is_empty = list.is_null() || (*list).key.is_null();
        if is_empty { 1 } else { (functions().EVP_PKEY_CTX_set_params)(context, list) }
    }
}

unsafe extern "C" fn generate(
    pointer: *mut c_void,
    _: Option<Callback>,
    _: *mut c_void,
) -> *mut c_void {
    // SAFETY: it is ours.
    let generation = unsafe { &mut *pointer.cast::<Generation>() };
    if generation.key_type == KeyType::X25519
        && generation.makes_key
        && is_worth_asking(Kind::Curve25519)
        && let Some(key) = Key::in_lanes()
    {
        return hand_out(key);
    }
    let mut pkey = ptr::null_mut();
    // SAFETY: the context is ours, and so is the place.
    let status = unsafe { (functions().EVP_PKEY_generate)(generation.context, &mut pkey) };
    match status {
        1 => hand_out(Key::new(generation.key_type, pkey)),
        _ => {
            fail(c"keymgmt_gen", "libcrypto's default provider made no key");
            ptr::null_mut()
        }
    }
}

unsafe extern "C" fn gen_cleanup(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: `gen_init` made it.
        drop(unsafe { Box::from_raw(pointer.cast::<Generation>()) });
    }
}
