//! Digests, for libcrypto. SHAKE is [handed on](handed_on).

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::sync::{LazyLock, OnceLock};
use std::{mem, ptr, slice};

use broadloom::error::JobError;
use broadloom::{HashAlgorithm, Session, Stream, Transform};

use crate::handed_on;
use crate::interface::*;
use crate::job;
use crate::libcrypto::fail;
use crate::line;
use crate::low_level::{LowLevel, Room};
use crate::provider::REGISTRY;
use crate::settings;
use crate::stack::with_room;
use crate::theirs::{self, DigestFunctions, Owned};

/// The parameters of a digest.
struct Facts {
    block_len: usize,
    len: usize,
    lacks_parameters: bool,
}

impl Facts {
    /// Writes those that a list asks for.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    unsafe fn put(&self, list: *mut Param) -> c_int {
        let mut is_put = true;
        for (name, value) in [
            (c"blocksize", self.block_len as u64),
            (c"size", self.len as u64),
            (c"xof", 0),
            (c"algid-absent", self.lacks_parameters.into()),
        ] {
            // SAFETY: the list is valid, by this function's contract, and nobody else uses it
            // meanwhile.
            if let Some(param) = unsafe { Param::find_mut(list, name) } {
                // SAFETY: as above.
                is_put &= unsafe { param.put_unsigned(value) };
            }
        }
        c_int::from(is_put)
    }
}

/// The names of the parameters.
unsafe extern "C" fn gettable_params(_: *mut c_void) -> *const Param {
    static LIST: [Param; 5] = [
        Param::describe(c"blocksize", UNSIGNED),
        Param::describe(c"size", UNSIGNED),
        Param::describe(c"xof", INTEGER),
        Param::describe(c"algid-absent", INTEGER),
        Param::END,
    ];
    LIST.as_ptr()
}

/// The bytes that a caller passes.
///
/// # Safety
/// `data` is readable for `len` bytes, or `len` is zero.
pub unsafe fn given<'a>(data: *const u8, len: usize) -> &'a [u8] {
    match len {
        0 => &[],
        // SAFETY: `data` is readable for `len` bytes, by this function's contract.
        len => unsafe { slice::from_raw_parts(data, len) },
    }
}

/// A digest as libcrypto sees it.
trait Provided: Sized + 'static {
    /// Its place among all.
    const PLACE: usize;
    /// The engine's name of the function.
    const ALGORITHM: HashAlgorithm;
    const LACKS_PARAMETERS: bool;
    /// The first of its names.
    const NAME: &'static CStr;

    const DIGEST_LEN: usize = Self::ALGORITHM.digest_len();

    const FUNCTIONS: &'static [Dispatch] = dispatch![
        FUNC_DIGEST_NEWCTX => newctx::<Self> as unsafe extern "C" fn(_) -> _,
        FUNC_DIGEST_INIT => init::<Self> as unsafe extern "C" fn(_, _) -> _,
        FUNC_DIGEST_UPDATE => update::<Self> as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_DIGEST_FINAL => last::<Self> as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_DIGEST_FREECTX => freectx::<Self> as unsafe extern "C" fn(_),
        FUNC_DIGEST_DUPCTX => dupctx::<Self> as unsafe extern "C" fn(_) -> _,
        FUNC_DIGEST_GET_PARAMS => get_params::<Self> as unsafe extern "C" fn(_) -> _,
        FUNC_DIGEST_GETTABLE_PARAMS => gettable_params as unsafe extern "C" fn(_) -> _,
    ];
}

/// libcrypto's own functions of a digest: those for digests that are alone.
#[derive(Debug, Clone, Copy)]
enum Theirs {
    /// The functions below EVP, for a context that has room here.
    LowLevel(&'static LowLevel),
    /// Those of the default provider.
    Provider(&'static DigestFunctions),
}

/// Returns libcrypto's functions of a digest; `None` if it lacks the digest.
#[inline(always)]
fn theirs<F: Provided>() -> Option<Theirs> {
    static ALL: [OnceLock<Option<DigestFunctions>>; COUNT] = [const { OnceLock::new() }; COUNT];
    if let Some(functions) = LowLevel::of(F::ALGORITHM) {
        return Some(Theirs::LowLevel(functions));
    }
    let found = ALL[F::PLACE].get_or_init(|| DigestFunctions::find(OP_DIGEST, F::NAME));
    found.as_ref().map(Theirs::Provider)
}

/// Returns the functions of a context that is theirs.
#[inline(always)]
fn known<F: Provided>() -> Theirs {
    theirs::<F>().expect("a context of theirs was made by a function of theirs")
}

/// # Safety
/// This is the contract of the functions with a context: `newctx` or `dupctx` of the same functions
/// made it, and what is passed beside it keeps the rules of libcrypto's function.
impl Theirs {
    /// Makes a context; null if libcrypto has no memory for it.
    #[inline(always)]
    fn newctx(self) -> *mut c_void {
        match self {
            Theirs::LowLevel(_) => Box::into_raw(Room::take()).cast(),
            // SAFETY: the function is called with its provider's context.
            Theirs::Provider(theirs) => unsafe { (theirs.newctx)(theirs::provider_context()) },
        }
    }

    #[inline(always)]
    unsafe fn freectx(self, context: *mut c_void) {
        // SAFETY: these functions made the context, by this type's contract.
        unsafe {
            match self {
                Theirs::LowLevel(_) => Box::<Room>::from_raw(context.cast()).put(),
                Theirs::Provider(theirs) => (theirs.freectx)(context),
            }
        }
    }

    unsafe fn dupctx(self, context: *mut c_void) -> *mut c_void {
        // SAFETY: these functions made the context, by this type's contract.
        unsafe {
            match self {
                Theirs::LowLevel(_) => Box::into_raw((*context.cast::<Room>()).copy()).cast(),
                Theirs::Provider(theirs) => (theirs.dupctx)(context),
            }
        }
    }

    #[inline(always)]
    unsafe fn init(self, context: *mut c_void, list: *const Param) -> c_int {
        // SAFETY: these functions made the context, by this type's contract.
        unsafe {
            match self {
                Theirs::LowLevel(functions) => (functions.init)(context),
                Theirs::Provider(theirs) => (theirs.init)(context, list),
            }
        }
    }

    #[inline(always)]
    unsafe fn update(self, context: *mut c_void, data: *const u8, len: usize) -> c_int {
        // SAFETY: these functions made the context, and there are `len` bytes, by this type's
        // contract.
        unsafe {
            match self {
                Theirs::LowLevel(functions) => (functions.update)(context, data, len),
                Theirs::Provider(theirs) => (theirs.update)(context, data, len),
            }
        }
    }

    #[inline(always)]
    unsafe fn last(
        self,
        context: *mut c_void,
        out: *mut u8,
        out_len: *mut usize,
        room: usize,
    ) -> c_int {
        // SAFETY: these functions made the context, and there is so much room, by this type's
        // contract.
        unsafe {
            match self {
                Theirs::LowLevel(functions) if room < functions.len => {
                    lacks_room(room, functions.len)
                }
                Theirs::LowLevel(functions) => {
                    *out_len = functions.len;
                    (functions.last)(out, context)
                }
                Theirs::Provider(theirs) => (theirs.last)(context, out, out_len, room),
            }
        }
    }
}

/// Says that there is too little room for a digest.
#[cold]
fn lacks_room(room: usize, len: usize) -> c_int {
    fail(c"digest_final", &format!("{room} bytes of room for a digest of {len} bytes"))
}

/// A message of which nothing came yet, for the lanes; `None` where the engine refuses.
fn stream<F: Provided>() -> Option<Stream> {
    static ALL: [OnceLock<Option<Session>>; COUNT] = [const { OnceLock::new() }; COUNT];
    let place = &ALL[F::PLACE];
    let open = || REGISTRY.open_at("native", &Transform::hash(F::ALGORITHM)).ok();
    let session = place.get().unwrap_or_else(|| with_room(|| place.get_or_init(open)));
    session.as_ref()?.begin().ok()
}

/// A context of theirs.
struct Apart(Theirs, *mut c_void);

impl Drop for Apart {
    fn drop(&mut self) {
        // SAFETY: their function made it.
        unsafe { self.0.freectx(self.1) };
    }
}

thread_local! {
    /// Digests in a row, begun inside jobs, whose first piece was short.
    static SHORT: Cell<u32> = const { Cell::new(0) };
}

/// After so many short digests in a row, contexts are the default provider's, also those that are
/// made inside jobs: a handshake of TLS makes dozens, and none is for the lanes. A long piece ends
/// that.
const MOST_SHORT: u32 = 64;

/// Returns `true` if contexts that are made now are to be the default provider's.
fn are_theirs_wanted() -> bool {
    !job::runs() || SHORT.get() >= MOST_SHORT
}

/// Takes note of a piece, which may be the first of its message. Returns `true` if it is short.
fn is_short(len: usize) -> bool {
    let is_short = len < settings::bulk_threshold();
    if !is_short {
        SHORT.set(0);
    }
    is_short
}

/// A digest that was begun inside a job.
enum Begun {
    /// Nothing of the message came yet: its first piece decides who hashes.
    Open,
    /// In lanes.
    Lanes(Stream),
    /// The default provider, for a message that comes in short pieces.
    Theirs(Apart),
    /// The lanes have made the digest.
    Ended,
}

impl Begun {
    /// Decides who hashes a message, by the length of its first piece, where that is open.
    fn settle<F: Provided>(&mut self, len: usize) -> c_int {
        if !matches!(self, Begun::Open) {
            return 1;
        }
        let Some(theirs) = theirs::<F>().filter(|_| is_short(len)) else {
            let Some(stream) = stream::<F>() else {
                return fail(c"digest_update", "the lanes have no session for the digest");
            };
            *self = Begun::Lanes(stream);
            return 1;
        };
        SHORT.set(SHORT.get().saturating_add(1));
        let context = theirs.newctx();
        if context.is_null() {
            return 0;
        }
        *self = Begun::Theirs(Apart(theirs, context));
        // SAFETY: their function made it.
        unsafe { theirs.init(context, ptr::null()) }
    }

    /// A copy; `None` where libcrypto has no memory for it.
    fn copy(&self) -> Option<Begun> {
        Some(match self {
            Begun::Open => Begun::Open,
            Begun::Lanes(stream) => Begun::Lanes(stream.clone()),
            Begun::Ended => Begun::Ended,
            Begun::Theirs(Apart(theirs, context)) => {
                // SAFETY: their function made it.
                let copy = unsafe { theirs.dupctx(*context) };
                (!copy.is_null()).then_some(Begun::Theirs(Apart(*theirs, copy)))?
            }
        })
    }
}

/// Tells libcrypto how a piece went.
pub fn succeeds(function: &'static CStr, outcome: Result<(), JobError>) -> c_int {
    outcome.map_or_else(|error| fail(function, &error.to_string()), |()| 1)
}

/// Says that a digest was taken already.
fn has_ended(function: &'static CStr) -> c_int {
    fail(function, "the message has ended; init begins another one")
}

unsafe extern "C" fn newctx<F: Provided>(_: *mut c_void) -> *mut c_void {
    match theirs::<F>().filter(|_| are_theirs_wanted()) {
        Some(theirs) => theirs.newctx(),
        None => theirs::ours(Begun::Open),
    }
}

unsafe extern "C" fn freectx<F: Provided>(context: *mut c_void) {
    match theirs::owner::<Begun>(context) {
        // SAFETY: `newctx` or `dupctx` made it.
        Owned::Ours(begun) => drop(unsafe { Box::from_raw(begun) }),
        Owned::Theirs(context) if context.is_null() => {}
        // SAFETY: as above.
        Owned::Theirs(context) => unsafe { known::<F>().freectx(context) },
    }
}

unsafe extern "C" fn dupctx<F: Provided>(context: *mut c_void) -> *mut c_void {
    match theirs::owner::<Begun>(context) {
        // SAFETY: `newctx` or `dupctx` made it.
        Owned::Ours(begun) => unsafe { &*begun }.copy().map_or(ptr::null_mut(), theirs::ours),
        // SAFETY: as above.
        Owned::Theirs(context) => unsafe { known::<F>().dupctx(context) },
    }
}

unsafe extern "C" fn init<F: Provided>(context: *mut c_void, list: *const Param) -> c_int {
    match theirs::owner::<Begun>(context) {
        Owned::Ours(begun) => {
            // SAFETY: `newctx` or `dupctx` made it.
            unsafe { *begun = Begun::Open };
            1
        }
        // SAFETY: as above.
        Owned::Theirs(context) => unsafe { known::<F>().init(context, list) },
    }
}

unsafe extern "C" fn update<F: Provided>(
    context: *mut c_void,
    data: *const u8,
    len: usize,
) -> c_int {
    let begun = match theirs::owner::<Begun>(context) {
        // SAFETY: `newctx` or `dupctx` made it.
        Owned::Ours(begun) => unsafe { &mut *begun },
        Owned::Theirs(context) => {
            is_short(len);
            // SAFETY: as above.
            return unsafe { known::<F>().update(context, data, len) };
        }
    };
    if begun.settle::<F>(len) != 1 {
        return 0;
    }
    match begun {
        Begun::Open => 0,
        Begun::Ended => has_ended(c"digest_update"),
        Begun::Lanes(stream) => {
            // SAFETY: libcrypto passes `len` readable bytes at `data`.
            succeeds(c"digest_update", line::absorb(stream, unsafe { given(data, len) }))
        }
        // SAFETY: their function made it; the caller passes so many bytes.
        Begun::Theirs(Apart(theirs, context)) => unsafe { theirs.update(*context, data, len) },
    }
}

unsafe extern "C" fn last<F: Provided>(
    context: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
) -> c_int {
    let begun = match theirs::owner::<Begun>(context) {
        // SAFETY: `newctx` or `dupctx` made it.
        Owned::Ours(begun) => unsafe { &mut *begun },
        Owned::Theirs(context) => {
            // SAFETY: as above.
            return unsafe { known::<F>().last(context, out, out_len, room) };
        }
    };
    if begun.settle::<F>(0) != 1 {
        return 0;
    }
    match begun {
        Begun::Open => return 0,
        Begun::Ended => return has_ended(c"digest_final"),
        Begun::Lanes(_) => {}
        Begun::Theirs(Apart(theirs, context)) => {
            // SAFETY: their function made it; the caller passes so much room.
            return unsafe { theirs.last(*context, out, out_len, room) };
        }
    }
    if room < F::DIGEST_LEN {
        return lacks_room(room, F::DIGEST_LEN);
    }
    let Begun::Lanes(stream) = mem::replace(begun, Begun::Ended) else { return 0 };
    // SAFETY: libcrypto passes `room` writable bytes at `out`, which are enough, and a writable
    // length.
    let made = unsafe {
        *out_len = F::DIGEST_LEN;
        line::finish(stream, slice::from_raw_parts_mut(out, F::DIGEST_LEN))
    };
    succeeds(c"digest_final", made)
}

unsafe extern "C" fn get_params<F: Provided>(list: *mut Param) -> c_int {
    let facts = Facts {
        block_len: F::ALGORITHM.block_len(),
        len: F::DIGEST_LEN,
        lacks_parameters: F::LACKS_PARAMETERS,
    };
    // SAFETY: the list is libcrypto's.
    unsafe { facts.put(list) }
}

macro_rules! provided {
    ($($function:ident: $lacks:literal, $first:literal, $names:literal;)+) => {
        enum Place {
            $( $function, )+
            End,
        }

        /// The number of places.
        const COUNT: usize = Place::End as usize;

        $(
            struct $function;

            impl Provided for $function {
                const PLACE: usize = Place::$function as usize;
                const ALGORITHM: HashAlgorithm = HashAlgorithm::$function;
                const LACKS_PARAMETERS: bool = $lacks;
                const NAME: &'static CStr = $first;
            }
        )+

        /// All digests.
        pub static ALGORITHMS: LazyLock<Vec<Algorithm>> = LazyLock::new(|| {
            let of_lanes = [ $( Algorithm::new($names, <$function as Provided>::FUNCTIONS), )+ ];
            of_lanes.into_iter().chain(handed_on::algorithms(OP_DIGEST)).collect()
        });

        /// The names of all hashes that are not extendable, one by one.
        static HASHES: LazyLock<Vec<(&[u8], HashAlgorithm)>> = LazyLock::new(|| {
            let mut hashes = Vec::new();
            $(
                let names = $names.to_bytes().split(|&byte| byte == b':');
                hashes.extend(names.map(|name| (name, HashAlgorithm::$function)));
            )+
            hashes
        });
    };
}

/// The hash of a name of libcrypto's; `None` for those that are not here.
pub fn hash_named(name: &str) -> Option<HashAlgorithm> {
    let is_it = |(known, _): &&(&[u8], _)| known.eq_ignore_ascii_case(name.as_bytes());
    HASHES.iter().find(is_it).map(|&(_, hash)| hash)
}

provided! {
    Md5: false, c"MD5", c"MD5:SSL3-MD5:1.2.840.113549.2.5";
    Sha1: true, c"SHA1", c"SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26";
    Sha224: true, c"SHA2-224", c"SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4";
    Sha256: true, c"SHA2-256", c"SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1";
    Sha384: true, c"SHA2-384", c"SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2";
    Sha512: true, c"SHA2-512", c"SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3";
    Sm3: true, c"SM3", c"SM3:1.2.156.10197.1.401";
    Sha3_224: true, c"SHA3-224", c"SHA3-224:2.16.840.1.101.3.4.2.7";
    Sha3_256: true, c"SHA3-256", c"SHA3-256:2.16.840.1.101.3.4.2.8";
    Sha3_384: true, c"SHA3-384", c"SHA3-384:2.16.840.1.101.3.4.2.9";
    Sha3_512: true, c"SHA3-512", c"SHA3-512:2.16.840.1.101.3.4.2.10";
}
