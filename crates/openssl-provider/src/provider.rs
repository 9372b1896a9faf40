//! The provider itself: its beginning, its parameters, its algorithms.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::{LazyLock, OnceLock};
use std::{mem, ptr};

use broadloom::Registry;
use broadloom::lanes::Cpu;
use broadloom::public_key::Kem;

use crate::held::{self, HeldType};
use crate::interface::*;
use crate::key::KeyType;
use crate::libcrypto::{
    LIBRARY_PROVIDERS, PASSED_INVALID_ARGUMENT, default_provider, fail, functions, load,
};
use crate::{
    asym_cipher, cipher, digest, exchange, kem, key, mac, self_test, settings, signature, theirs,
};

/// The lanes alone: Broadloom's provider `openssl` would call the library that calls this one.
pub static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    registry
});

const NAME: &CStr = c"Broadloom provider";
const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no zero byte"),
    };

/// The version with the instruction set of the lanes.
static BUILD: LazyLock<CString> = LazyLock::new(|| {
    let text = format!("{} on {}", env!("CARGO_PKG_VERSION"), Cpu::detect().isa());
    CString::new(text).expect("names have no zero byte")
});

type GetParams = unsafe extern "C" fn(*const c_void, *mut Param) -> c_int;
type NewError = unsafe extern "C" fn(*const c_void);
type SetError = unsafe extern "C" fn(*const c_void, u32, *const c_char, *mut c_void);

/// The function that libcrypto calls when it loads the provider.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const c_void,
    core: *const Dispatch,
    out: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: libcrypto passes its table.
    let upcall = unsafe { core_function(core, FUNC_CORE_GET_PARAMS) };
    let found = upcall.ok_or_else(|| "libcrypto has no function core_get_params".to_owned());
    if let Err(reason) = found.and_then(load) {
        // SAFETY: libcrypto passes its handle and its table.
        unsafe { report(handle, core, &reason) };
        return 0;
    }
    let begun = || -> Result<Provider, String> {
        // SAFETY: as above.
        let provider = unsafe { configure(handle, core) }?;
        self_test::run()?;
        Ok(provider)
    };
    match begun() {
        Ok(provider) => {
            // SAFETY: libcrypto passes two places.
            unsafe {
                *context = Box::into_raw(Box::new(provider)).cast();
                *out = FUNCTIONS.as_ptr();
            }
            1
        }
        Err(reason) => fail(c"OSSL_provider_init", &reason),
    }
}

/// A function of libcrypto's, by its number.
///
/// # Safety
/// The table is libcrypto's.
unsafe fn core_function(mut core: *const Dispatch, id: c_int) -> Option<*const c_void> {
    // SAFETY: the table ends with the number 0.
    unsafe {
        while (*core).id != 0 && (*core).id != id {
            core = core.add(1);
        }
        ((*core).id == id).then_some((*core).function)
    }
}

/// Reports an error by libcrypto's table alone.
///
/// # Safety
/// The handle and the table are libcrypto's.
unsafe fn report(handle: *const c_void, core: *const Dispatch, reason: &str) {
    let bytes: Vec<u8> = reason.bytes().filter(|byte| !b"\0%".contains(byte)).chain([0]).collect();
    let number = ((LIBRARY_PROVIDERS as u32) << 23) | PASSED_INVALID_ARGUMENT as u32;
    // The format has no conversion, so that nobody reads this list of arguments.
    let mut arguments = [0_u64; 4];
    // SAFETY: the types are those of the header for these numbers. Where a list of arguments is a
    // structure, C passes a pointer to it.
    unsafe {
        let new_error = core_function(core, FUNC_CORE_NEW_ERROR);
        let set_error = core_function(core, FUNC_CORE_VSET_ERROR);
        if let (Some(new_error), Some(set_error)) = (new_error, set_error) {
            mem::transmute::<*const c_void, NewError>(new_error)(handle);
            let set_error = mem::transmute::<*const c_void, SetError>(set_error);
            set_error(handle, number, bytes.as_ptr().cast(), arguments.as_mut_ptr().cast());
        }
    }
}

/// Reads the settings of the configuration file.
///
/// # Safety
/// The handle and the table are libcrypto's.
unsafe fn configure(handle: *const c_void, core: *const Dispatch) -> Result<Provider, String> {
    // SAFETY: the type is that of the header for this number.
    let get_params = unsafe {
        core_function(core, FUNC_CORE_GET_PARAMS)
            .map(|function| mem::transmute::<*const c_void, GetParams>(function))
    };
    let get = |name: &'static CStr| {
        let mut value: *const c_char = ptr::null();
        let mut list = [Param::number(name, UTF8_POINTER, &mut value), Param::END];
        // SAFETY: the handle is libcrypto's, and the list ends; its values are C strings.
        unsafe {
            let found = get_params?(handle, list.as_mut_ptr()) == 1 && !value.is_null();
            found.then(|| CStr::from_ptr(value).to_string_lossy().into_owned())
        }
    };
    for name in settings::names() {
        if let Some(text) = get(name) {
            settings::set(name, &text)?;
        }
    }
    let known: Vec<&str> = known_names().collect();
    let excluded = settings::names_in(&get(settings::EXCLUDE).unwrap_or_default(), &known)?;
    Ok(Provider { excluded, lists: Default::default() })
}

/// The provider in one of libcrypto's library contexts.
struct Provider {
    /// The names of what was left out.
    excluded: Vec<String>,
    /// What remains, of each kind, once it was asked for.
    lists: [OnceLock<Vec<Algorithm>>; KINDS.len()],
}

/// The kinds of algorithms that are here.
const KINDS: [c_int; 8] =
    [OP_DIGEST, OP_CIPHER, OP_MAC, OP_KEYMGMT, OP_SIGNATURE, OP_KEYEXCH, OP_ASYM_CIPHER, OP_KEM];

impl Provider {
    /// Returns `true` if none of an algorithm's names was left out.
    fn offers(&self, names: &str) -> bool {
        !names.split(':').any(|name| {
            let is_on_curve = ["ECDSA", "ECDH"].contains(&name);
            self.excluded.iter().any(|excluded| {
                excluded.eq_ignore_ascii_case(name)
                    || is_on_curve && excluded.eq_ignore_ascii_case("EC")
            })
        })
    }

    /// Returns `true` if a KEM is here and was not left out.
    fn has_kem(&self, kem: Kem) -> bool {
        let of = HeldType::Kem(kem);
        self.offers(of.name()) && held::is_here(of)
    }

    /// The algorithms of a kind; `None` where there is none of it.
    fn list(&self, kind: c_int) -> Option<&[Algorithm]> {
        let place = KINDS.iter().position(|&known| known == kind)?;
        Some(self.lists[place].get_or_init(|| {
            let all = all_of(kind).iter().filter(|one| self.offers(one.names()));
            all.copied().chain([Algorithm::END]).collect()
        }))
    }
}

/// The provider behind a pointer.
///
/// # Safety
/// `OSSL_provider_init` handed it out.
unsafe fn provider<'a>(pointer: *mut c_void) -> &'a Provider {
    // SAFETY: `OSSL_provider_init` handed the pointer out, by this function's contract, and
    // libcrypto gives it back only when it unloads the provider.
    unsafe { &*pointer.cast::<Provider>() }
}

/// All algorithms of a kind.
fn all_of(kind: c_int) -> &'static [Algorithm] {
    match kind {
        OP_DIGEST => &digest::ALGORITHMS,
        OP_CIPHER => &cipher::ALGORITHMS,
        OP_MAC => &mac::ALGORITHMS,
        OP_KEYMGMT => &KEYS.managers,
        OP_SIGNATURE => &KEYS.signatures,
        OP_KEYEXCH => &KEYS.exchanges,
        OP_ASYM_CIPHER => &KEYS.ciphers,
        OP_KEM => &KEYS.kems,
        _ => &[],
    }
}

/// The names that may be left out.
fn known_names() -> impl Iterator<Item = &'static str> {
    let tables = [&digest::ALGORITHMS, &mac::ALGORITHMS].into_iter().flat_map(|table| table.iter());
    let names = tables.flat_map(|one| one.names().split(':'));
    let ciphers = cipher::names().map(|name| name.to_str().unwrap_or_default());
    let types = KeyType::ALL.map(|key_type| key_type.name().to_str().unwrap_or_default());
    let keys = types.into_iter().chain(["ECDSA", "ECDH"]);
    // Not the numbers of objects.
    names
        .filter(|name| !name.starts_with(|first: char| first.is_ascii_digit()))
        .chain(ciphers)
        .chain(keys)
        .chain(HeldType::ALL.map(HeldType::name))
}

static FUNCTIONS: &[Dispatch] = dispatch![
    FUNC_PROVIDER_TEARDOWN => teardown as unsafe extern "C" fn(_),
    FUNC_PROVIDER_GETTABLE_PARAMS => gettable_params as unsafe extern "C" fn(_) -> _,
    FUNC_PROVIDER_GET_PARAMS => get_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_PROVIDER_QUERY_OPERATION => query_operation as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_PROVIDER_GET_CAPABILITIES => get_capabilities as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_PROVIDER_SELF_TEST => self_test as unsafe extern "C" fn(_) -> _,
];

unsafe extern "C" fn teardown(pointer: *mut c_void) {
    // SAFETY: `OSSL_provider_init` handed it out, and libcrypto has no more use for it.
    drop(unsafe { Box::from_raw(pointer.cast::<Provider>()) });
}

unsafe extern "C" fn gettable_params(_: *mut c_void) -> *const Param {
    static LIST: [Param; 5] = [
        Param::describe(c"name", UTF8_POINTER),
        Param::describe(c"version", UTF8_POINTER),
        Param::describe(c"buildinfo", UTF8_POINTER),
        Param::describe(c"status", UNSIGNED),
        Param::END,
    ];
    LIST.as_ptr()
}

unsafe extern "C" fn get_params(_: *mut c_void, list: *mut Param) -> c_int {
    let mut is_put = true;
    for (name, text) in [(c"name", NAME), (c"version", VERSION), (c"buildinfo", BUILD.as_c_str())] {
        // SAFETY: libcrypto passes a list, and the texts are static.
        if let Some(param) = unsafe { Param::find_mut(list, name) } {
            // SAFETY: as above.
            is_put &= unsafe { param.put_text(text) };
        }
    }
    // SAFETY: as above.
    if let Some(param) = unsafe { Param::find_mut(list, c"status") } {
        // SAFETY: as above.
        is_put &= unsafe { param.put_unsigned(1) };
    }
    c_int::from(is_put)
}

unsafe extern "C" fn self_test(_: *mut c_void) -> c_int {
    match self_test::run() {
        Ok(()) => 1,
        Err(reason) => fail(c"self_test", &reason),
    }
}

/// Who asks for capabilities, and whom.
struct Asker {
    provider: *mut c_void,
    callback: Callback,
    argument: *mut c_void,
}

/// Tells libssl the groups of TLS, and its signatures that are not built in. It takes one only from
/// the provider that manages its keys: without this, those whose keys are here would be lost.
unsafe extern "C" fn get_capabilities(
    pointer: *mut c_void,
    capability: *const c_char,
    callback: Callback,
    argument: *mut c_void,
) -> c_int {
    let provider = default_provider();
    if provider.is_null() {
        return 1;
    }
    let mut asker = Asker { provider: pointer, callback, argument };
    let asker = (&raw mut asker).cast();
    // SAFETY: the provider is loaded, and the asker outlives the call; the name is a C string, and
    // the callback with its argument is libcrypto's.
    unsafe {
        let get = functions().OSSL_PROVIDER_get_capabilities;
        if get(provider, capability, tell, asker) != 1 {
            return 0;
        }
        match CStr::from_ptr(capability) == c"TLS-GROUP" {
            true => {
                kem::tell_groups(|kem| self::provider(pointer).has_kem(kem), callback, argument)
            }
            false => 1,
        }
    }
}

/// Passes on a group, or a signature, whose keys are managed here.
unsafe extern "C" fn tell(list: *const Param, asker: *mut c_void) -> c_int {
    // SAFETY: libcrypto passes its list, and what `get_capabilities` gave it.
    unsafe {
        let Asker { provider: pointer, callback, argument } = *asker.cast::<Asker>();
        let names = [c"tls-group-alg", c"tls-sigalg-name"].into_iter();
        let algorithm = names.filter_map(|name| Param::find(list, name)?.text()).next();
        let signs = |of: &HeldType, name| matches!(of, HeldType::MlDsa(_)) && of.name() == name;
        let is_signed = |name| HeldType::ALL.iter().any(|of| signs(of, name));
        let is_managed = match algorithm {
            Some("X25519") => true,
            Some("EC") => *HAS_CURVES,
            Some(name) => is_signed(name),
            None => false,
        };
        match algorithm {
            Some(name) if is_managed && provider(pointer).offers(name) => callback(list, argument),
            _ => 1,
        }
    }
}

unsafe extern "C" fn query_operation(
    pointer: *mut c_void,
    operation: c_int,
    no_store: *mut c_int,
) -> *const Algorithm {
    // SAFETY: libcrypto passes the provider, and a place. It may keep what it makes of the answer.
    unsafe {
        *no_store = 0;
        provider(pointer).list(operation).map_or(ptr::null(), <[Algorithm]>::as_ptr)
    }
}

/// The algorithms with keys.
#[derive(Default)]
struct Keys {
    managers: Vec<Algorithm>,
    signatures: Vec<Algorithm>,
    exchanges: Vec<Algorithm>,
    ciphers: Vec<Algorithm>,
    kems: Vec<Algorithm>,
}

/// Whether keys on curves of NIST's are here: where the lanes have P-256, P-384 and P-521.
static HAS_CURVES: LazyLock<bool> = LazyLock::new(key::lanes_have_curves);

static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    const RSA: &CStr = c"RSA:rsaEncryption:1.2.840.113549.1.1.1";
    const X25519: &CStr = c"X25519:1.3.101.110";
    const ED25519: &CStr = c"ED25519:1.3.101.112";
    let managed = |names, key_type| Algorithm::new(names, key::functions_of(key_type));
    let is_theirs = |key_type| key::functions_for(key_type).is_some();
    let mut keys = Keys::default();
    if is_theirs(KeyType::Rsa) {
        keys.managers.push(managed(RSA, KeyType::Rsa));
        keys.signatures.push(Algorithm::new(RSA, signature::RSA));
        keys.ciphers.push(Algorithm::new(RSA, asym_cipher::FUNCTIONS));
    }
    if is_theirs(KeyType::X25519) {
        keys.managers.push(managed(X25519, KeyType::X25519));
        keys.exchanges.push(Algorithm::new(X25519, exchange::X25519));
    }
    if is_theirs(KeyType::Ed25519) {
        keys.managers.push(managed(ED25519, KeyType::Ed25519));
        keys.signatures.push(Algorithm::new(ED25519, signature::ED25519));
    }
    if *HAS_CURVES && is_theirs(KeyType::Ec) {
        keys.managers.push(managed(c"EC:id-ecPublicKey:1.2.840.10045.2.1", KeyType::Ec));
        keys.signatures.push(Algorithm::new(c"ECDSA", signature::ECDSA));
        keys.exchanges.push(Algorithm::new(c"ECDH", exchange::ECDH));
    }
    for key_type in KeyType::ALL.into_iter().filter(|one| matches!(one, KeyType::SlhDsa(_))) {
        // The default provider has its keys since OpenSSL 3.5.
        if let Some(entry) = theirs::entry_of(OP_KEYMGMT, key_type.name()) {
            // SAFETY: the default provider's names are C strings that stay with it.
            let names = unsafe { CStr::from_ptr(entry.names) };
            keys.managers.push(Algorithm::new(names, key::functions_of(key_type)));
            keys.signatures.push(Algorithm::new(names, signature::SLH_DSA));
        }
    }
    for of in HeldType::ALL.into_iter().filter(|of| held::is_here(*of)) {
        let names = of.facts().names;
        keys.managers.push(Algorithm::new(names, held::functions_of(of)));
        match of {
            HeldType::Kem(_) => keys.kems.push(Algorithm::new(names, kem::FUNCTIONS)),
            HeldType::MlDsa(_) => {
                let functions = match held::default_has(of) {
                    true => signature::ML_DSA,
                    false => signature::ML_DSA_ALONE,
                };
                keys.signatures.push(Algorithm::new(names, functions));
            }
        }
    }
    keys
});
