//! SHAKE, whose output has any length.

use std::ffi::{CStr, c_int, c_void};
use std::slice;

use broadloom::lanes::{Cpu, Planner, Shake128, Shake256, SpongeLanes, SpongeStream, Xof, XofJob};
use zeroize::Zeroizing;

use super::{Facts, gettable_params, given};
use crate::interface::*;
use crate::libcrypto::fail;
use crate::stack::with_room;

pub(super) const NAMES_128: &CStr = c"SHAKE-128:SHAKE128:2.16.840.1.101.3.4.2.11";
pub(super) const NAMES_256: &CStr = c"SHAKE-256:SHAKE256:2.16.840.1.101.3.4.2.12";

pub(super) const SHAKE_128: &[Dispatch] = Shake::<Shake128, 16>::FUNCTIONS;
pub(super) const SHAKE_256: &[Dispatch] = Shake::<Shake256, 32>::FUNCTIONS;

thread_local! {
    static PLANNER: std::cell::RefCell<Option<Planner<SpongeLanes>>> =
        const { std::cell::RefCell::new(None) };
}

/// Has the lanes of sponges do one job.
pub fn process<A: Xof>(job: XofJob<'_, A, &[u8], &mut [u8]>) {
    PLANNER.with_borrow_mut(|planner| {
        let planner = planner.get_or_insert_with(|| Planner::new(&Cpu::detect()));
        with_room(|| planner.process_many(&mut [job]));
    });
}

/// A message for SHAKE, whose output has `LEN` bytes unless another length is set.
#[derive(Clone)]
struct Shake<A: Xof, const LEN: usize> {
    stream: SpongeStream<A>,
    len: usize,
    phase: Phase,
}

/// How far a message is.
#[derive(Clone)]
enum Phase {
    /// More of it may come.
    Absorbing,
    /// Output is taken in pieces.
    Squeezing(Ahead),
    /// All output was taken.
    Ended,
}

/// The beginning of the output, and how much of it was taken.
#[derive(Clone, Default)]
struct Ahead {
    made: Zeroizing<Vec<u8>>,
    taken: usize,
}

impl Ahead {
    /// Fills a piece with what follows of the output. The lanes make output from its beginning on.
    /// So it is made ahead, twice as much each time, so that many pieces cost what few do.
    fn take<A: Xof>(&mut self, stream: &mut SpongeStream<A>, piece: &mut [u8]) {
        let end = self.taken + piece.len();
        if end > self.made.len() {
            let len = (2 * end).next_multiple_of(A::BLOCK_LEN);
            self.made = Zeroizing::new(vec![0; len]);
            process(XofJob::finish(stream, &[][..], &mut self.made[..], ()));
        }
        piece.copy_from_slice(&self.made[self.taken..end]);
        self.taken = end;
    }
}

impl<A: Xof + 'static, const LEN: usize> Shake<A, LEN> {
    const FUNCTIONS: &'static [Dispatch] = dispatch![
        FUNC_DIGEST_NEWCTX => Self::newctx as unsafe extern "C" fn(_) -> _,
        FUNC_DIGEST_INIT => Self::init as unsafe extern "C" fn(_, _) -> _,
        FUNC_DIGEST_UPDATE => Self::update as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_DIGEST_FINAL => Self::last as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_DIGEST_FREECTX => Self::freectx as unsafe extern "C" fn(_),
        FUNC_DIGEST_DUPCTX => Self::dupctx as unsafe extern "C" fn(_) -> _,
        FUNC_DIGEST_GET_PARAMS => Self::get_params as unsafe extern "C" fn(_) -> _,
        FUNC_DIGEST_GETTABLE_PARAMS => gettable_params as unsafe extern "C" fn(_) -> _,
        FUNC_DIGEST_SQUEEZE => Self::squeeze as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_DIGEST_GET_CTX_PARAMS => Self::get_ctx_params as unsafe extern "C" fn(_, _) -> _,
        FUNC_DIGEST_GETTABLE_CTX_PARAMS => gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
        FUNC_DIGEST_SET_CTX_PARAMS => Self::set_ctx_params as unsafe extern "C" fn(_, _) -> _,
        FUNC_DIGEST_SETTABLE_CTX_PARAMS => settable_ctx_params as unsafe extern "C" fn(_, _) -> _,
    ];

    fn new() -> Self {
        Shake { stream: SpongeStream::new(), len: LEN, phase: Phase::Absorbing }
    }

    unsafe extern "C" fn newctx(_: *mut c_void) -> *mut c_void {
        Box::into_raw(Box::new(Self::new())).cast()
    }

    unsafe extern "C" fn freectx(context: *mut c_void) {
        if !context.is_null() {
            // SAFETY: `newctx` or `dupctx` made it.
            drop(unsafe { Box::<Self>::from_raw(context.cast()) });
        }
    }

    unsafe extern "C" fn dupctx(context: *mut c_void) -> *mut c_void {
        // SAFETY: `newctx` or `dupctx` made it.
        let copy = unsafe { &*context.cast::<Self>() }.clone();
        Box::into_raw(Box::new(copy)).cast()
    }

    unsafe extern "C" fn init(context: *mut c_void, list: *const Param) -> c_int {
        // SAFETY: `newctx` or `dupctx` made it; the list is libcrypto's.
        unsafe {
            let shake = &mut *context.cast::<Self>();
            (shake.stream, shake.phase) = (SpongeStream::new(), Phase::Absorbing);
            Self::set_ctx_params(context, list)
        }
    }

    unsafe extern "C" fn update(context: *mut c_void, data: *const u8, len: usize) -> c_int {
        // SAFETY: `newctx` or `dupctx` made it; the caller passes so many bytes.
        let (shake, data) = unsafe { (&mut *context.cast::<Self>(), given(data, len)) };
        if !matches!(shake.phase, Phase::Absorbing) {
            return fail(
                c"digest_update",
                "output of SHAKE was taken; init begins another message",
            );
        }
        process(XofJob::update(&mut shake.stream, data, &mut [][..], ()));
        1
    }

    unsafe extern "C" fn last(
        context: *mut c_void,
        out: *mut u8,
        out_len: *mut usize,
        room: usize,
    ) -> c_int {
        // SAFETY: `newctx` or `dupctx` made it.
        let shake = unsafe { &mut *context.cast::<Self>() };
        let len = shake.len;
        if !matches!(shake.phase, Phase::Absorbing) {
            return fail(c"digest_final", "output of SHAKE was taken; init begins another message");
        }
        if room < len {
            return fail(c"digest_final", &format!("{room} bytes of room for {len} of SHAKE"));
        }
        // SAFETY: libcrypto passes `room` writable bytes at `out`, which are enough, and a writable
        // length.
        let out = unsafe {
            *out_len = len;
            if len == 0 { &mut [][..] } else { slice::from_raw_parts_mut(out, len) }
        };
        process(XofJob::finish(&mut shake.stream, &[][..], out, ()));
        shake.phase = Phase::Ended;
        1
    }

    /// Since OpenSSL 3.3: the next so many bytes of output.
    unsafe extern "C" fn squeeze(
        context: *mut c_void,
        out: *mut u8,
        out_len: *mut usize,
        len: usize,
    ) -> c_int {
        // SAFETY: `newctx` or `dupctx` made it; the caller passes so much room.
        let (shake, out) = unsafe {
            *out_len = len;
            let out = if len == 0 { &mut [][..] } else { slice::from_raw_parts_mut(out, len) };
            (&mut *context.cast::<Self>(), out)
        };
        if matches!(shake.phase, Phase::Absorbing) {
            shake.phase = Phase::Squeezing(Ahead::default());
        }
        match &mut shake.phase {
            Phase::Squeezing(ahead) => {
                ahead.take(&mut shake.stream, out);
                1
            }
            _ => fail(c"digest_squeeze", "all output of SHAKE was taken"),
        }
    }

    unsafe extern "C" fn get_ctx_params(context: *mut c_void, list: *mut Param) -> c_int {
        let mut is_put = true;
        for name in [c"xoflen", c"size"] {
            // SAFETY: `newctx` or `dupctx` made it; the list is libcrypto's.
            unsafe {
                if let Some(param) = Param::find_mut(list, name) {
                    is_put &= param.put_unsigned((*context.cast::<Self>()).len as u64);
                }
            }
        }
        c_int::from(is_put)
    }

    unsafe extern "C" fn get_params(list: *mut Param) -> c_int {
        let block_len = A::BLOCK_LEN;
        let facts = Facts { block_len, len: LEN, is_extendable: true, lacks_parameters: false };
        // SAFETY: the list is libcrypto's.
        unsafe { facts.put(list) }
    }

    unsafe extern "C" fn set_ctx_params(context: *mut c_void, list: *const Param) -> c_int {
        // SAFETY: `newctx` or `dupctx` made it; the list is libcrypto's.
        let (shake, param) =
            unsafe { (&mut *context.cast::<Self>(), Param::find(list, c"xoflen")) };
        // SAFETY: the value is libcrypto's.
        match param.map(|param| unsafe { param.unsigned() }) {
            None => 1,
            Some(Some(len)) if usize::try_from(len).is_ok() => {
                shake.len = len as usize;
                1
            }
            Some(_) => fail(c"digest_set_ctx_params", "xoflen is no number of bytes"),
        }
    }
}

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 3] =
        [Param::describe(c"xoflen", UNSIGNED), Param::describe(c"size", UNSIGNED), Param::END];
    LIST.as_ptr()
}

unsafe extern "C" fn settable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 2] = [Param::describe(c"xoflen", UNSIGNED), Param::END];
    LIST.as_ptr()
}
