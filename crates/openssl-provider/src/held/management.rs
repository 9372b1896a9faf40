//! Management of keys that are held here, for libcrypto. The parameters are those of OpenSSL 3.5.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::facts::HeldType;
use super::key::{HeldKey, KeyBytes};
use crate::interface::*;
use crate::libcrypto::fail;
use crate::{kem, signature};

/// A type of keys, as a type: by its place among all.
struct At<const PLACE: usize>;

impl<const PLACE: usize> At<PLACE> {
    const OF: HeldType = HeldType::ALL[PLACE];

    const FUNCTIONS: &'static [Dispatch] = dispatch![
        FUNC_KEYMGMT_NEW => new::<PLACE> as unsafe extern "C" fn(_) -> _,
        FUNC_KEYMGMT_FREE => free as unsafe extern "C" fn(_),
        FUNC_KEYMGMT_GEN_INIT => gen_init::<PLACE> as unsafe extern "C" fn(_, _, _) -> _,
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
        FUNC_KEYMGMT_IMPORT_TYPES => types as unsafe extern "C" fn(_) -> _,
        FUNC_KEYMGMT_EXPORT => export as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_KEYMGMT_EXPORT_TYPES => types as unsafe extern "C" fn(_) -> _,
        FUNC_KEYMGMT_DUP => dup as unsafe extern "C" fn(_, _) -> _,
    ];
}

/// Returns the functions of key management, of a type of keys.
pub fn functions_of(of: HeldType) -> &'static [Dispatch] {
    macro_rules! all {
        ($($place:literal)+) => { [ $( At::<$place>::FUNCTIONS, )+ ] };
    }
    const ALL: [&[Dispatch]; HeldType::ALL.len()] = all!(0 1 2 3 4 5 6 7);
    ALL[of.place()]
}

const PUBLIC: &CStr = c"pub";
/// The public key as TLS has it, which is the same.
const ENCODED: &CStr = c"encoded-pub-key";
const PRIVATE: &CStr = c"priv";
const SEED: &CStr = c"seed";
/// The digest that signatures must have: none, as ML-DSA hashes messages itself.
const MANDATORY_DIGEST: &CStr = c"mandatory-digest";

/// A key as libcrypto holds it.
///
/// # Safety
/// [`hand_out`] returned `key`, which was not freed.
unsafe fn key<'a>(key: *const c_void) -> &'a HeldKey {
    // SAFETY: `hand_out` made the pointer from a key that was not freed, by this function's
    // contract.
    unsafe { &*key.cast::<HeldKey>() }
}

fn hand_out(key: HeldKey) -> *mut c_void {
    Arc::into_raw(Arc::new(key)).cast_mut().cast()
}

/// Gives libcrypto's 1, or reports why not.
fn status(outcome: Result<(), String>, function: &'static CStr) -> c_int {
    match outcome {
        Ok(()) => 1,
        Err(reason) => fail(function, &reason),
    }
}

unsafe extern "C" fn new<const PLACE: usize>(_: *mut c_void) -> *mut c_void {
    hand_out(HeldKey::new(At::<PLACE>::OF))
}

unsafe extern "C" fn free(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: it came from `hand_out`.
        drop(unsafe { Arc::from_raw(pointer.cast::<HeldKey>()) });
    }
}

unsafe extern "C" fn query_operation_name<const PLACE: usize>(_: c_int) -> *const c_char {
    At::<PLACE>::OF.facts().name.as_ptr()
}

/// Finds bytes in a list.
///
/// # Safety
/// The list is valid, as [`Param`] defines it, and its parameters have values.
unsafe fn octets<'a>(list: *const Param, name: &CStr) -> Option<&'a [u8]> {
    // SAFETY: the list is valid and its parameters have values, by this function's contract.
    let bytes = unsafe { Param::find(list, name)?.bytes()? };
    (!bytes.is_empty()).then_some(bytes)
}

unsafe extern "C" fn import(pointer: *mut c_void, selection: c_int, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes a key of ours, and its list, whose parameters have values.
    unsafe {
        let key = key(pointer);
        let public = octets(list, PUBLIC);
        let is_private = selection & KEYMGMT_SELECT_PRIVATE_KEY != 0;
        let (private, seed) = match is_private {
            true => (octets(list, PRIVATE), octets(list, SEED)),
            false => (None, None),
        };
        let outcome = match (private.or(seed), public) {
            (Some(_), _) => key.take_private(private, seed, public),
            (None, Some(public)) => key.take_public(public),
            (None, None) => Err(format!("there is no key of {}", key.of.name())),
        };
        status(outcome, c"keymgmt_import")
    }
}

unsafe extern "C" fn types(selection: c_int) -> *const Param {
    static LIST: [Param; 4] = [
        Param::describe(SEED, OCTETS),
        Param::describe(PRIVATE, OCTETS),
        Param::describe(PUBLIC, OCTETS),
        Param::END,
    ];
    if selection & KEYMGMT_SELECT_KEYPAIR == 0 { ptr::null() } else { LIST.as_ptr() }
}

unsafe extern "C" fn export(
    pointer: *mut c_void,
    selection: c_int,
    callback: Callback,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: libcrypto passes a key of ours.
    let key = unsafe { key(pointer) };
    let Some(KeyBytes { public, private, seed }) = key.bytes() else {
        return fail(c"keymgmt_export", &format!("there is no key of {}", key.of.name()));
    };
    let described = |name, bytes: &[u8]| {
        let (data, data_size) = (bytes.as_ptr().cast_mut().cast(), bytes.len());
        Param { data, data_size, ..Param::describe(name, OCTETS) }
    };
    let mut list = [Param::END; 4];
    let mut places = list.iter_mut();
    let mut add = |param| {
        if let Some(place) = places.next() {
            *place = param;
        }
    };
    if selection & KEYMGMT_SELECT_PRIVATE_KEY != 0 {
        seed.iter().for_each(|seed| add(described(SEED, seed)));
        private.iter().for_each(|private| add(described(PRIVATE, private)));
    }
    if selection & KEYMGMT_SELECT_PUBLIC_KEY != 0 {
        add(described(PUBLIC, public));
    }
    // SAFETY: the list has at most three parameters, so that it ends, and the callback with its
    // argument is libcrypto's, which only reads.
    unsafe { callback(list.as_ptr(), argument) }
}

unsafe extern "C" fn gettable_params<const PLACE: usize>(_: *mut c_void) -> *const Param {
    const fn list(last: Param) -> [Param; 9] {
        [
            Param::describe(c"bits", INTEGER),
            Param::describe(c"security-bits", INTEGER),
            Param::describe(c"security-category", INTEGER),
            Param::describe(c"max-size", INTEGER),
            Param::describe(SEED, OCTETS),
            Param::describe(PRIVATE, OCTETS),
            Param::describe(PUBLIC, OCTETS),
            last,
            Param::END,
        ]
    }
    static OF_KEM: [Param; 9] = list(Param::describe(ENCODED, OCTETS));
    static OF_ML_DSA: [Param; 9] = list(Param::describe(MANDATORY_DIGEST, UTF8));
    match At::<PLACE>::OF {
        HeldType::Kem(_) => OF_KEM.as_ptr(),
        HeldType::MlDsa(_) => OF_ML_DSA.as_ptr(),
    }
}

unsafe extern "C" fn get_params(pointer: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: libcrypto passes a key of ours.
    let key = unsafe { key(pointer) };
    let facts = key.of.facts();
    let numbers = [
        (c"bits", facts.bits.into()),
        (c"security-bits", facts.security_bits.into()),
        (c"security-category", facts.category.into()),
        (c"max-size", key.of.output_len() as u64),
    ];
    let bytes = key.bytes();
    let public = bytes.map(|bytes| bytes.public.as_slice());
    let private = bytes.and_then(|bytes| bytes.private.as_ref()).map(|bytes| &bytes[..]);
    let seed = bytes.and_then(|bytes| bytes.seed.as_ref()).map(|bytes| &bytes[..]);
    let is_kem = matches!(key.of, HeldType::Kem(_));
    let encoded = public.filter(|_| is_kem);
    let parts = [(PUBLIC, public), (ENCODED, encoded), (PRIVATE, private), (SEED, seed)];
    let mut is_put = true;
    // SAFETY: libcrypto passes a list whose parameters have room.
    unsafe {
        for (name, number) in numbers {
            if let Some(param) = Param::find_mut(list, name) {
                is_put &= param.put_unsigned(number);
            }
        }
        for (name, part) in parts {
            if let (Some(part), Some(param)) = (part, Param::find_mut(list, name)) {
                is_put &= param.data_type == OCTETS && param.put_bytes(part);
            }
        }
        if !is_kem && let Some(param) = Param::find_mut(list, MANDATORY_DIGEST) {
            is_put &= param.put_text(c"");
        }
    }
    c_int::from(is_put)
}

unsafe extern "C" fn settable_params<const PLACE: usize>(_: *mut c_void) -> *const Param {
    static OF_KEM: [Param; 2] = [Param::describe(ENCODED, OCTETS), Param::END];
    match At::<PLACE>::OF {
        HeldType::Kem(_) => OF_KEM.as_ptr(),
        HeldType::MlDsa(_) => OF_KEM[1..].as_ptr(),
    }
}

/// TLS sets the other side's public key.
unsafe extern "C" fn set_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes a key of ours, and its list, whose parameters have values.
    unsafe {
        match octets(list, ENCODED) {
            Some(public) => status(key(pointer).take_public(public), c"keymgmt_set_params"),
            None => 1,
        }
    }
}

unsafe extern "C" fn has(pointer: *const c_void, selection: c_int) -> c_int {
    if pointer.is_null() {
        return 0;
    }
    // SAFETY: libcrypto passes a key of ours.
    let key = unsafe { key(pointer) };
    let has = match selection & KEYMGMT_SELECT_KEYPAIR {
        0 => true,
        KEYMGMT_SELECT_PUBLIC_KEY => key.bytes().is_some(),
        _ => key.is_private(),
    };
    c_int::from(has)
}

unsafe extern "C" fn matches(one: *const c_void, other: *const c_void, selection: c_int) -> c_int {
    // SAFETY: libcrypto passes keys of ours.
    let (one, other) = unsafe { (key(one), key(other)) };
    let public = |key: &HeldKey| key.bytes().map(|bytes| bytes.public.clone());
    let is_equal = one.of == other.of
        && (selection & KEYMGMT_SELECT_KEYPAIR == 0 || public(one) == public(other));
    c_int::from(is_equal)
}

unsafe extern "C" fn validate(pointer: *const c_void, selection: c_int, _: c_int) -> c_int {
    // SAFETY: libcrypto passes a key of ours.
    let is_there = unsafe { has(pointer, selection) } == 1;
    let is_pair = selection & KEYMGMT_SELECT_KEYPAIR == KEYMGMT_SELECT_KEYPAIR;
    // SAFETY: as above.
    c_int::from(is_there && (!is_pair || parts_agree(unsafe { key(pointer) })))
}

/// Returns `true` if what is made with one part of a key comes back with the other.
fn parts_agree(key: &HeldKey) -> bool {
    match key.of {
        HeldType::Kem(kem) => kem::is_pair(kem, key),
        HeldType::MlDsa(_) => signature::is_pair(key),
    }
}

unsafe extern "C" fn dup(pointer: *const c_void, selection: c_int) -> *mut c_void {
    // SAFETY: libcrypto passes a key of ours.
    let key = unsafe { key(pointer) };
    hand_out(match selection & KEYMGMT_SELECT_KEYPAIR {
        0 => HeldKey::new(key.of),
        parts => key.copy(parts & KEYMGMT_SELECT_PRIVATE_KEY != 0),
    })
}

/// A key that is being made.
struct Generation {
    of: HeldType,
    makes_key: bool,
    seed: Option<Zeroizing<Vec<u8>>>,
}

unsafe extern "C" fn gen_init<const PLACE: usize>(
    _: *mut c_void,
    selection: c_int,
    list: *const Param,
) -> *mut c_void {
    let makes_key = selection & KEYMGMT_SELECT_KEYPAIR != 0;
    let generation = Generation { of: At::<PLACE>::OF, makes_key, seed: None };
    let pointer: *mut c_void = Box::into_raw(Box::new(generation)).cast();
    // SAFETY: it was just made, and the list is libcrypto's.
    unsafe {
        if gen_set_params(pointer, list) == 1 {
            return pointer;
        }
        gen_cleanup(pointer);
    }
    ptr::null_mut()
}

/// Takes a seed. TLS also names the group, which is known.
unsafe extern "C" fn gen_set_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list, whose parameters have values.
    unsafe {
        if let Some(seed) = octets(list, SEED) {
            let generation = &mut *pointer.cast::<Generation>();
            generation.seed = Some(Zeroizing::new(seed.to_vec()));
        }
    }
    1
}

unsafe extern "C" fn gen_settable_params<const PLACE: usize>(
    _: *mut c_void,
    _: *mut c_void,
) -> *const Param {
    static OF_KEM: [Param; 3] =
        [Param::describe(SEED, OCTETS), Param::describe(c"group", UTF8), Param::END];
    static OF_ML_DSA: [Param; 2] = [Param::describe(SEED, OCTETS), Param::END];
    match At::<PLACE>::OF {
        HeldType::Kem(_) => OF_KEM.as_ptr(),
        HeldType::MlDsa(_) => OF_ML_DSA.as_ptr(),
    }
}

unsafe extern "C" fn generate(
    pointer: *mut c_void,
    _: Option<Callback>,
    _: *mut c_void,
) -> *mut c_void {
    // SAFETY: libcrypto passes what was handed out.
    let generation = unsafe { &mut *pointer.cast::<Generation>() };
    if !generation.makes_key {
        return hand_out(HeldKey::new(generation.of));
    }
    let seed = generation.seed.take();
    match HeldKey::generated(generation.of, seed.as_deref().map(Vec::as_slice)) {
        Ok(key) => hand_out(key),
        Err(reason) => {
            fail(c"keymgmt_gen", &reason);
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
