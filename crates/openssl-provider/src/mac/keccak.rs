//! KMAC, for libcrypto.

use std::ffi::{CStr, c_int, c_void};
use std::slice;

use broadloom::lanes::{KmacKey, Shake128, Shake256, SpongeStream, Xof, XofJob};
use zeroize::Zeroizing;

use crate::digest::{given, process};
use crate::interface::*;
use crate::libcrypto::fail;
use crate::stack::wipe;

pub(super) const NAMES_128: &CStr = c"KMAC-128:KMAC128:2.16.840.1.101.3.4.2.19";
pub(super) const NAMES_256: &CStr = c"KMAC-256:KMAC256:2.16.840.1.101.3.4.2.20";

pub(super) const KMAC_128: &[Dispatch] = Kmac::<Shake128, 32>::FUNCTIONS;
pub(super) const KMAC_256: &[Dispatch] = Kmac::<Shake256, 64>::FUNCTIONS;

/// The shortest key that libcrypto's own KMAC takes, in bytes, and the longest.
const KEYS: std::ops::RangeInclusive<usize> = 4..=512;

/// The longest customization string that libcrypto's own KMAC takes, in bytes.
const MAX_CUSTOM: usize = 512;

/// KMAC as libcrypto sees it, with tags of `LEN` bytes unless another length is set.
#[derive(Clone)]
struct Kmac<A: Xof, const LEN: usize> {
    key: Zeroizing<Vec<u8>>,
    custom: Vec<u8>,
    len: usize,
    is_extendable: bool,
    stream: Option<SpongeStream<A>>,
}

impl<A: Xof, const LEN: usize> Drop for Kmac<A, LEN> {
    fn drop(&mut self) {
        wipe();
    }
}

impl<A: Xof + 'static, const LEN: usize> Kmac<A, LEN> {
    const FUNCTIONS: &'static [Dispatch] = dispatch![
        FUNC_MAC_NEWCTX => Self::newctx as unsafe extern "C" fn(_) -> _,
        FUNC_MAC_FREECTX => Self::freectx as unsafe extern "C" fn(_),
        FUNC_MAC_DUPCTX => Self::dupctx as unsafe extern "C" fn(_) -> _,
        FUNC_MAC_INIT => Self::init as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_MAC_UPDATE => Self::update as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_MAC_FINAL => Self::last as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_MAC_GET_CTX_PARAMS => Self::get_ctx_params as unsafe extern "C" fn(_, _) -> _,
        FUNC_MAC_GETTABLE_CTX_PARAMS => gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
        FUNC_MAC_SET_CTX_PARAMS => Self::set_ctx_params as unsafe extern "C" fn(_, _) -> _,
        FUNC_MAC_SETTABLE_CTX_PARAMS => settable_ctx_params as unsafe extern "C" fn(_, _) -> _,
    ];

    /// # Safety
    /// `newctx` or `dupctx` made `pointer`.
    unsafe fn of<'a>(pointer: *mut c_void) -> &'a mut Self {
        // SAFETY: `newctx` or `dupctx` made the context, by this function's contract, and libcrypto
        // uses a context in one call at a time.
        unsafe { &mut *pointer.cast::<Self>() }
    }

    unsafe extern "C" fn newctx(_: *mut c_void) -> *mut c_void {
        let (key, custom) = (Zeroizing::default(), Vec::new());
        let kmac = Self { key, custom, len: LEN, is_extendable: false, stream: None };
        Box::into_raw(Box::new(kmac)).cast()
    }

    unsafe extern "C" fn freectx(pointer: *mut c_void) {
        if !pointer.is_null() {
            // SAFETY: `newctx` or `dupctx` made it.
            drop(unsafe { Box::<Self>::from_raw(pointer.cast()) });
        }
    }

    unsafe extern "C" fn dupctx(pointer: *mut c_void) -> *mut c_void {
        // SAFETY: `newctx` or `dupctx` made it.
        let copy = unsafe { Self::of(pointer) }.clone();
        Box::into_raw(Box::new(copy)).cast()
    }

    unsafe extern "C" fn init(
        pointer: *mut c_void,
        key: *const u8,
        len: usize,
        list: *const Param,
    ) -> c_int {
        // SAFETY: libcrypto passes what was handed out, so many bytes, and its list.
        unsafe {
            if Self::set_ctx_params(pointer, list) != 1 {
                return 0;
            }
            if !key.is_null() && Self::of(pointer).set_key(given(key, len)) != 1 {
                return 0;
            }
            Self::of(pointer).begin()
        }
    }

    fn set_key(&mut self, key: &[u8]) -> c_int {
        let len = key.len();
        if !KEYS.contains(&len) {
            let (least, most) = (KEYS.start(), KEYS.end());
            let right = format!("{least} to {most} would be right");
            return fail(c"mac_init", &format!("a key of {len} bytes for KMAC; {right}"));
        }
        self.key = Zeroizing::new(key.to_vec());
        1
    }

    fn begin(&mut self) -> c_int {
        if self.key.is_empty() {
            return fail(c"mac_init", "KMAC needs a key");
        }
        let key = KmacKey::<A>::new(&self.key, &self.custom);
        self.stream = Some(match self.is_extendable {
            true => SpongeStream::kmac_xof(&key),
            false => SpongeStream::kmac(&key),
        });
        1
    }

    unsafe extern "C" fn update(pointer: *mut c_void, data: *const u8, len: usize) -> c_int {
        // SAFETY: libcrypto passes what was handed out, and so many bytes.
        let (kmac, data) = unsafe { (Self::of(pointer), given(data, len)) };
        match &mut kmac.stream {
            None => fail(c"mac_update", "KMAC has no key yet"),
            Some(stream) => {
                process(XofJob::update(stream, data, &mut [][..], ()));
                1
            }
        }
    }

    unsafe extern "C" fn last(
        pointer: *mut c_void,
        out: *mut u8,
        out_len: *mut usize,
        room: usize,
    ) -> c_int {
        // SAFETY: libcrypto passes what was handed out.
        let kmac = unsafe { Self::of(pointer) };
        let len = kmac.len;
        if room < len {
            return fail(c"mac_final", &format!("{room} bytes of room for a tag of {len} bytes"));
        }
        let Some(stream) = &mut kmac.stream else {
            return fail(c"mac_final", "KMAC has no key yet");
        };
        // SAFETY: libcrypto passes `room` writable bytes at `out`, which are enough, and a writable
        // length.
        let out = unsafe {
            *out_len = len;
            if len == 0 { &mut [][..] } else { slice::from_raw_parts_mut(out, len) }
        };
        process(XofJob::finish(stream, &[][..], out, ()));
        1
    }

    unsafe extern "C" fn get_ctx_params(pointer: *mut c_void, list: *mut Param) -> c_int {
        // SAFETY: libcrypto passes what was handed out, and its list.
        unsafe {
            let mut is_put = true;
            for (name, value) in [(c"size", Self::of(pointer).len), (c"block-size", A::BLOCK_LEN)] {
                if let Some(param) = Param::find_mut(list, name) {
                    is_put &= param.put_unsigned(value as u64);
                }
            }
            c_int::from(is_put)
        }
    }

    unsafe extern "C" fn set_ctx_params(pointer: *mut c_void, list: *const Param) -> c_int {
        // SAFETY: libcrypto passes what was handed out, and its list.
        unsafe {
            let kmac = Self::of(pointer);
            if let Some(param) = Param::find(list, c"xof") {
                kmac.is_extendable = param.unsigned().unwrap_or(0) != 0;
            }
            if let Some(param) = Param::find(list, c"size") {
                let Some(Ok(len)) = param.unsigned().map(usize::try_from) else {
                    return fail(c"mac_set_ctx_params", "the size is no number of bytes");
                };
                kmac.len = len;
            }
            if let Some(param) = Param::find(list, c"custom") {
                let custom = param.bytes().unwrap_or_default();
                if custom.len() > MAX_CUSTOM {
                    let len = custom.len();
                    let right = format!("at most {MAX_CUSTOM} would be right");
                    let reason = format!("a customization string of {len} bytes; {right}");
                    return fail(c"mac_set_ctx_params", &reason);
                }
                kmac.custom = custom.to_vec();
            }
            match Param::find(list, c"key") {
                Some(param) => kmac.set_key(param.bytes().unwrap_or_default()),
                None => 1,
            }
        }
    }
}

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 3] =
        [Param::describe(c"size", UNSIGNED), Param::describe(c"block-size", UNSIGNED), Param::END];
    LIST.as_ptr()
}

unsafe extern "C" fn settable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 5] = [
        Param::describe(c"xof", INTEGER),
        Param::describe(c"size", UNSIGNED),
        Param::describe(c"key", OCTETS),
        Param::describe(c"custom", OCTETS),
        Param::END,
    ];
    LIST.as_ptr()
}
