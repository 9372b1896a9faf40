//! Ciphers, for libcrypto.
//!
//! Each context has one of the default provider's beside it, which has all parameters and does what
//! is short. Long pieces go to the engine, where that is faster: what a kernel computes in parallel
//! within a message, at once; what it cannot, inside a job and beside the messages of other jobs.

mod aead;
mod apart;
mod keyed;
mod pipeline;
mod stream;
mod trial;

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::LazyLock;

use broadloom::algorithm::XtsSize;
use broadloom::{AeadAlgorithm, AesSize, CipherAlgorithm};

use crate::interface::*;
use crate::theirs::{self, CipherFunctions};

use aead::Aead;
use apart::Apart;
use stream::{Mode, Stream};

/// What a cipher is, to the engine.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Stream(Mode, CipherAlgorithm),
    Aead(AeadAlgorithm),
}

/// What is offered, by one of the default provider's names.
const OFFERED: [(&CStr, Kind); COUNT] = {
    use AesSize::{Aes128, Aes192, Aes256};
    const fn stream(
        name: &'static CStr,
        mode: Mode,
        cipher: CipherAlgorithm,
    ) -> (&'static CStr, Kind) {
        (name, Kind::Stream(mode, cipher))
    }
    const fn aead(name: &'static CStr, aead: AeadAlgorithm) -> (&'static CStr, Kind) {
        (name, Kind::Aead(aead))
    }
    [
        stream(c"AES-128-ECB", Mode::Ecb, CipherAlgorithm::AesEcb(Aes128)),
        stream(c"AES-192-ECB", Mode::Ecb, CipherAlgorithm::AesEcb(Aes192)),
        stream(c"AES-256-ECB", Mode::Ecb, CipherAlgorithm::AesEcb(Aes256)),
        stream(c"AES-128-CBC", Mode::Cbc, CipherAlgorithm::AesCbc(Aes128)),
        stream(c"AES-192-CBC", Mode::Cbc, CipherAlgorithm::AesCbc(Aes192)),
        stream(c"AES-256-CBC", Mode::Cbc, CipherAlgorithm::AesCbc(Aes256)),
        stream(c"AES-128-CTR", Mode::Ctr, CipherAlgorithm::AesCtr(Aes128)),
        stream(c"AES-192-CTR", Mode::Ctr, CipherAlgorithm::AesCtr(Aes192)),
        stream(c"AES-256-CTR", Mode::Ctr, CipherAlgorithm::AesCtr(Aes256)),
        stream(c"AES-128-CFB", Mode::Cfb, CipherAlgorithm::AesCfb(Aes128)),
        stream(c"AES-192-CFB", Mode::Cfb, CipherAlgorithm::AesCfb(Aes192)),
        stream(c"AES-256-CFB", Mode::Cfb, CipherAlgorithm::AesCfb(Aes256)),
        stream(c"AES-128-OFB", Mode::Ofb, CipherAlgorithm::AesOfb(Aes128)),
        stream(c"AES-192-OFB", Mode::Ofb, CipherAlgorithm::AesOfb(Aes192)),
        stream(c"AES-256-OFB", Mode::Ofb, CipherAlgorithm::AesOfb(Aes256)),
        stream(c"AES-128-XTS", Mode::Xts, CipherAlgorithm::AesXts(XtsSize::Aes128)),
        stream(c"AES-256-XTS", Mode::Xts, CipherAlgorithm::AesXts(XtsSize::Aes256)),
        aead(c"AES-128-GCM", AeadAlgorithm::AesGcm(Aes128)),
        aead(c"AES-192-GCM", AeadAlgorithm::AesGcm(Aes192)),
        aead(c"AES-256-GCM", AeadAlgorithm::AesGcm(Aes256)),
        aead(c"AES-128-CCM", AeadAlgorithm::AesCcm(Aes128)),
        aead(c"AES-192-CCM", AeadAlgorithm::AesCcm(Aes192)),
        aead(c"AES-256-CCM", AeadAlgorithm::AesCcm(Aes256)),
        aead(c"ChaCha20-Poly1305", AeadAlgorithm::ChaCha20Poly1305),
    ]
};

const COUNT: usize = 24;

/// Makes contexts of each cipher: libcrypto does not tell the function which one it wants.
const NEW: [unsafe extern "C" fn(*mut c_void) -> *mut c_void; COUNT] = {
    macro_rules! all {
        ($($at:literal)+) => { [ $( newctx::<$at>, )+ ] };
    }
    all!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)
};

/// The default provider's functions for each; `None` if it has no such cipher.
static THEIRS: LazyLock<[Option<CipherFunctions>; COUNT]> =
    LazyLock::new(|| OFFERED.map(|(name, _)| CipherFunctions::find(OP_CIPHER, name)));

/// Returns the first name of each cipher.
pub fn names() -> impl Iterator<Item = &'static CStr> {
    OFFERED.into_iter().map(|(name, _)| name)
}

/// All ciphers, under the default provider's names.
pub static ALGORITHMS: LazyLock<Vec<Algorithm>> = LazyLock::new(|| {
    let mut list = Vec::new();
    for (at, (name, kind)) in OFFERED.into_iter().enumerate() {
        let entry = theirs::entry_of(OP_CIPHER, name);
        if let (Some(functions), Some(entry)) = (&THEIRS[at], entry) {
            let table = match kind {
                Kind::Stream(..) => table::<Stream>(NEW[at], functions),
                Kind::Aead(_) => table::<Aead>(NEW[at], functions),
            };
            // SAFETY: the default provider's names are C strings that stay with it.
            let names = unsafe { CStr::from_ptr(entry.names) };
            list.push(Algorithm::new(names, table));
        }
    }
    list
});

/// Returns the functions of a cipher. Functions that need no context are the default provider's
/// own.
fn table<C: Cipher>(
    newctx: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    theirs: &'static CipherFunctions,
) -> &'static [Dispatch] {
    let functions: [Dispatch; 19] = *dispatch![
        FUNC_CIPHER_NEWCTX => newctx,
        FUNC_CIPHER_FREECTX => freectx::<C> as unsafe extern "C" fn(_),
        FUNC_CIPHER_DUPCTX => dupctx::<C> as unsafe extern "C" fn(_) -> _,
        FUNC_CIPHER_ENCRYPT_INIT => init::<C, true> as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
        FUNC_CIPHER_DECRYPT_INIT => init::<C, false> as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
        FUNC_CIPHER_UPDATE => update::<C> as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
        FUNC_CIPHER_FINAL => last::<C> as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_CIPHER_CIPHER => cipher::<C> as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
        FUNC_CIPHER_GET_PARAMS => theirs.get_params,
        FUNC_CIPHER_GET_CTX_PARAMS => get_ctx_params::<C> as unsafe extern "C" fn(_, _) -> _,
        FUNC_CIPHER_SET_CTX_PARAMS => set_ctx_params::<C> as unsafe extern "C" fn(_, _) -> _,
        FUNC_CIPHER_GETTABLE_PARAMS => theirs.gettable_params,
        FUNC_CIPHER_GETTABLE_CTX_PARAMS => theirs.gettable,
        FUNC_CIPHER_SETTABLE_CTX_PARAMS => theirs.settable,
        FUNC_CIPHER_PIPELINE_ENCRYPT_INIT =>
            pipeline::init::<C, true> as unsafe extern "C" fn(_, _, _, _, _, _, _) -> _,
        FUNC_CIPHER_PIPELINE_DECRYPT_INIT =>
            pipeline::init::<C, false> as unsafe extern "C" fn(_, _, _, _, _, _, _) -> _,
        FUNC_CIPHER_PIPELINE_UPDATE =>
            pipeline::update::<C> as unsafe extern "C" fn(_, _, _, _, _, _, _) -> _,
        FUNC_CIPHER_PIPELINE_FINAL =>
            pipeline::last::<C> as unsafe extern "C" fn(_, _, _, _, _) -> _,
    ];
    Vec::leak(functions.to_vec())
}

/// The arguments that libcrypto passes to a function that writes.
///
/// A piece keeps *libcrypto's rules* if `data` is null or readable for `len` bytes, `out` is null
/// or writable for `room` bytes, `out_len` is writable, and the two places are equal or apart.
#[derive(Debug, Clone, Copy)]
struct Piece {
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    data: *const u8,
    len: usize,
}

/// A context, with the functions of libcrypto's interface.
///
/// # Safety
/// This is the contract of every function:
/// - Pieces, and what is given, keep libcrypto's rules ([`Piece`], [`Given`]).
/// - Places keep the rules of a piece without data.
/// - Lists are valid, as [`Param`] defines it.
trait Cipher: Sized {
    /// Returns a copy; `None` if libcrypto has no memory for it.
    fn copy(&self) -> Option<Self>;
    unsafe fn init(&mut self, encrypts: bool, given: Given) -> c_int;
    /// Takes note of a piece, and returns the default provider's context, if that one is to process
    /// the piece and nothing else is to be done about it.
    fn pass_on(&mut self, is_text: bool, data: *const u8, len: usize) -> Option<&Apart>;
    unsafe fn update(&mut self, piece: Piece) -> c_int;
    unsafe fn last(&mut self, out: *mut u8, out_len: *mut usize, room: usize) -> c_int;
    unsafe fn cipher(&mut self, piece: Piece) -> c_int;
    unsafe fn get(&mut self, list: *mut Param) -> c_int;
    unsafe fn set(&mut self, list: *const Param) -> c_int;
    /// Tells that long texts come under the key, as under that of another context, if there is one:
    /// both use the same session of the engine.
    fn expect_long_texts(&mut self, other: Option<&Self>);
}

/// A context as libcrypto holds it.
struct Context<C> {
    one: C,
    /// The texts of a pipeline; none before one begins.
    pipes: Vec<C>,
}

/// The arguments that a message begins with; null stands for the value that was there before.
///
/// They keep *libcrypto's rules* if `key` is null or readable for `key_len` bytes, `iv` is null or
/// readable for `iv_len` bytes, and `list` is valid, as [`Param`] defines it.
#[derive(Debug, Clone, Copy)]
struct Given {
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    list: *const Param,
}

fn hand_out<C>(one: C) -> *mut c_void {
    Box::into_raw(Box::new(Context { one, pipes: Vec::new() })).cast()
}

unsafe extern "C" fn newctx<const AT: usize>(_: *mut c_void) -> *mut c_void {
    let Some(apart) = THEIRS[AT].as_ref().and_then(Apart::new) else { return ptr::null_mut() };
    match OFFERED[AT].1 {
        Kind::Stream(mode, cipher) => hand_out(Stream::new(AT, apart, mode, cipher)),
        Kind::Aead(aead) => hand_out(Aead::new(AT, apart, aead)),
    }
}

unsafe extern "C" fn freectx<C: Cipher>(context: *mut c_void) {
    if !context.is_null() {
        // SAFETY: `newctx` or `dupctx` made it.
        drop(unsafe { Box::from_raw(context.cast::<Context<C>>()) });
    }
}

/// # Safety
/// `newctx` or `dupctx` made `context`, for this cipher.
unsafe fn of<'a, C: Cipher>(context: *mut c_void) -> &'a mut Context<C> {
    // SAFETY: `newctx` or `dupctx` made the context for this cipher, by this function's contract,
    // and libcrypto uses a context in one call at a time.
    unsafe { &mut *context.cast::<Context<C>>() }
}

unsafe extern "C" fn dupctx<C: Cipher>(context: *mut c_void) -> *mut c_void {
    // SAFETY: libcrypto passes what was handed out.
    let Context { one, pipes } = unsafe { of::<C>(context) };
    let copies: Option<Vec<C>> = pipes.iter().map(C::copy).collect();
    match (one.copy(), copies) {
        (Some(one), Some(pipes)) => Box::into_raw(Box::new(Context { one, pipes })).cast(),
        _ => ptr::null_mut(),
    }
}

unsafe extern "C" fn init<C: Cipher, const ENCRYPTS: bool>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, so many bytes, and its list.
    unsafe { of::<C>(context).one.init(ENCRYPTS, Given { key, key_len, iv, iv_len, list }) }
}

unsafe extern "C" fn update<C: Cipher>(
    context: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, places, and so many bytes.
    unsafe {
        let one = &mut of::<C>(context).one;
        match one.pass_on(!out.is_null(), data, len) {
            // Lone short pieces take the shortest way: this call is a jump.
            Some(apart) => apart.pass(out, out_len, room, data, len),
            None => one.update(Piece { out, out_len, room, data, len }),
        }
    }
}

unsafe extern "C" fn last<C: Cipher>(
    context: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and places.
    unsafe { of::<C>(context).one.last(out, out_len, room) }
}

unsafe extern "C" fn cipher<C: Cipher>(
    context: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, places, and so many bytes.
    unsafe { of::<C>(context).one.cipher(Piece { out, out_len, room, data, len }) }
}

unsafe extern "C" fn get_ctx_params<C: Cipher>(context: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let Context { one, pipes } = of::<C>(context);
        if pipes.is_empty() {
            return one.get(list);
        }
        // The default provider does not know the tags of a pipeline, and leaves them alone.
        c_int::from(one.get(list) == 1 && pipeline::get(pipes, list))
    }
}

unsafe extern "C" fn set_ctx_params<C: Cipher>(context: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let Context { one, pipes } = of::<C>(context);
        c_int::from(one.set(list) == 1 && (pipes.is_empty() || pipeline::set(pipes, list)))
    }
}
