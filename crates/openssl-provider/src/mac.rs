//! Message authentication codes, for libcrypto: HMAC. KMAC is [handed on](handed_on).

mod repeated;

use std::ffi::{CStr, c_int, c_void};
use std::sync::{LazyLock, OnceLock};
use std::{mem, ptr, slice};

use broadloom::{HashAlgorithm, MacAlgorithm, Session, Stream, Transform};
use zeroize::Zeroizing;

use crate::digest::{given, hash_named, succeeds};
use crate::handed_on;
use crate::interface::*;
use crate::job;
use crate::libcrypto::fail;
use crate::line;
use crate::low_level::LowLevel;
use crate::provider::REGISTRY;
use crate::settings;
use crate::stack::{wipe, with_room};
use crate::theirs::{self, MacFunctions};

use repeated::Repeated;

/// All MACs.
pub static ALGORITHMS: LazyLock<Vec<Algorithm>> = LazyLock::new(|| {
    let hmac = Algorithm::new(c"HMAC", FUNCTIONS);
    [hmac].into_iter().chain(handed_on::algorithms(OP_MAC)).collect()
});

const FUNCTIONS: &[Dispatch] = dispatch![
    FUNC_MAC_NEWCTX => newctx as unsafe extern "C" fn(_) -> _,
    FUNC_MAC_FREECTX => freectx as unsafe extern "C" fn(_),
    FUNC_MAC_DUPCTX => dupctx as unsafe extern "C" fn(_) -> _,
    FUNC_MAC_INIT => init as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_MAC_UPDATE => update as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_MAC_FINAL => last as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_MAC_GET_CTX_PARAMS => get_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_MAC_GETTABLE_CTX_PARAMS => gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_MAC_SET_CTX_PARAMS => set_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_MAC_SETTABLE_CTX_PARAMS => settable_ctx_params as unsafe extern "C" fn(_, _) -> _,
];

/// A key of HMAC, with its hash.
#[derive(Clone)]
struct Key {
    hash: HashAlgorithm,
    bytes: Zeroizing<Box<[u8]>>,
    /// Once a message under the key went to the lanes.
    session: Option<Session>,
    /// Once another message came under the key, outside of jobs.
    repeated: Option<Repeated>,
}

impl Key {
    /// A message under the key; `None` where the engine refuses.
    fn begin(&mut self) -> Option<Stream> {
        with_room(|| {
            if self.session.is_none() {
                let mac = MacAlgorithm::Hmac(self.hash);
                let transform = Transform::mac(mac, &self.bytes).generate().ok()?;
                self.session = REGISTRY.open_at("native", &transform).ok();
            }
            self.session.as_ref()?.begin().ok()
        })
    }

    /// Begins another message under the key, for [`Repeated`]. Returns `false` if that does not
    /// have the hash.
    fn repeat(&mut self) -> bool {
        if self.repeated.is_none() {
            self.repeated = Repeated::new(self.hash, &self.bytes);
        }
        self.repeated.as_mut().map(Repeated::begin).is_some()
    }
}

/// A context of the default provider's, which has every key, and every parameter.
struct Apart(&'static MacFunctions, *mut c_void);

impl Drop for Apart {
    fn drop(&mut self) {
        // SAFETY: the context is ours.
        unsafe { (self.0.freectx)(self.1) };
    }
}

impl Apart {
    /// A new one; `None` where libcrypto has no memory for it.
    fn new() -> Option<Apart> {
        static HMAC: OnceLock<Option<MacFunctions>> = OnceLock::new();
        let theirs = HMAC.get_or_init(|| MacFunctions::find(OP_MAC, c"HMAC")).as_ref()?;
        // SAFETY: the function is called with its provider's context.
        let context = unsafe { (theirs.newctx)(theirs::provider_context()) };
        (!context.is_null()).then_some(Apart(theirs, context))
    }

    /// A copy; `None` where libcrypto has no memory for it.
    fn copy(&self) -> Option<Apart> {
        // SAFETY: the context is ours.
        let context = unsafe { (self.0.dupctx)(self.1) };
        (!context.is_null()).then_some(Apart(self.0, context))
    }
}

/// The parameter for the records of TLS with CBC. The length of such a message must stay secret,
/// which libcrypto's own HMAC sees to.
const TLS_LENGTH: &CStr = c"tls-data-size";

/// Who authenticates.
enum MacState {
    /// The default provider: outside of jobs, what is short, over a hash that the lanes lack, and
    /// the records of TLS with CBC, whose length is secret.
    Theirs,
    /// The key's [`Repeated`], outside of jobs.
    Repeated,
    /// Nothing of the message came yet: its first piece decides.
    Open,
    /// The lanes.
    Lanes(Stream),
    /// The lanes have made the tag.
    Ended,
}

/// HMAC as libcrypto sees it. A key may come before a job begins, and its messages inside.
struct Context {
    apart: Apart,
    /// The hash that the next key is for; `None` where the lanes lack it.
    hash: Option<HashAlgorithm>,
    /// The key; `None` where the lanes lack its hash.
    key: Option<Key>,
    /// The length of a record of TLS was set, which the default provider remembers.
    is_of_tls: bool,
    state: MacState,
}

impl Drop for Key {
    fn drop(&mut self) {
        if self.session.take().is_some() {
            wipe();
        }
    }
}

impl Context {
    /// A copy, in the same state; `None` where libcrypto has no memory for it.
    fn copy(&self) -> Option<Context> {
        let state = match &self.state {
            MacState::Theirs => MacState::Theirs,
            MacState::Repeated => MacState::Repeated,
            MacState::Open => MacState::Open,
            MacState::Lanes(stream) => MacState::Lanes(stream.clone()),
            MacState::Ended => MacState::Ended,
        };
        let Context { hash, is_of_tls, .. } = *self;
        Some(Context { apart: self.apart.copy()?, hash, key: self.key.clone(), is_of_tls, state })
    }

    /// Takes a key.
    fn take(&mut self, key: &[u8]) {
        let bytes = Zeroizing::new(key.into());
        self.key = self.hash.map(|hash| Key { hash, bytes, session: None, repeated: None });
    }

    /// Begins a message under the key, which the default provider has begun.
    fn begin(&mut self) {
        let may_wait = self.key.is_some() && !self.is_of_tls;
        self.state = if may_wait { MacState::Open } else { MacState::Theirs };
    }

    /// Begins another message under the key, outside of jobs. Returns `false` if the default
    /// provider is to begin it.
    fn repeat(&mut self) -> bool {
        let is_usual = |key: &&mut Key| !key.bytes.is_empty() && !self.is_of_tls;
        let key = self.key.as_mut().filter(is_usual);
        let begins = key.is_some_and(|key| {
            LowLevel::of(key.hash).is_some() && !job::can_wait() && key.repeat()
        });
        if begins {
            self.state = MacState::Repeated;
        }
        begins
    }

    /// The message that is authenticated under a repeated key, if one is.
    fn repeated(&mut self) -> Option<&mut Repeated> {
        match self.state {
            MacState::Repeated => self.key.as_mut()?.repeated.as_mut(),
            _ => None,
        }
    }

    /// Decides who authenticates a message, by the length of its first piece, where that is open.
    fn settle(&mut self, len: usize) {
        if !matches!(self.state, MacState::Open) {
            return;
        }
        let is_long = len >= settings::bulk_threshold() && job::can_wait();
        let key = self.key.as_mut().filter(|_| is_long);
        self.state = key.and_then(Key::begin).map_or(MacState::Theirs, MacState::Lanes);
    }
}

/// Says that there is too little room for a tag.
fn lacks_room(room: usize, len: usize) -> c_int {
    fail(c"mac_final", &format!("{room} bytes of room for a tag of {len} bytes"))
}

/// The context behind a pointer.
///
/// # Safety
/// `newctx` or `dupctx` made `pointer`.
unsafe fn context<'a>(pointer: *mut c_void) -> &'a mut Context {
    // SAFETY: `newctx` or `dupctx` made the context, by this function's contract, and libcrypto
    // uses a context in one call at a time.
    unsafe { &mut *pointer.cast::<Context>() }
}

fn hand_out(context: Option<Context>) -> *mut c_void {
    context.map_or(ptr::null_mut(), |context| Box::into_raw(Box::new(context)).cast())
}

unsafe extern "C" fn newctx(_: *mut c_void) -> *mut c_void {
    let context =
        |apart| Context { apart, hash: None, key: None, is_of_tls: false, state: MacState::Theirs };
    hand_out(Apart::new().map(context))
}

unsafe extern "C" fn freectx(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: `newctx` or `dupctx` made it.
        drop(unsafe { Box::from_raw(pointer.cast::<Context>()) });
    }
}

unsafe extern "C" fn dupctx(pointer: *mut c_void) -> *mut c_void {
    // SAFETY: `newctx` or `dupctx` made it.
    hand_out(unsafe { context(pointer) }.copy())
}

unsafe extern "C" fn init(
    pointer: *mut c_void,
    key: *const u8,
    len: usize,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, so many bytes, and its list.
    unsafe {
        let context = context(pointer);
        if key.is_null() && Param::each(list).next().is_none() && context.repeat() {
            return 1;
        }
        let Apart(theirs, apart) = context.apart;
        if (theirs.init)(apart, key, len, list) != 1 {
            return 0;
        }
        context.note(list);
        if !key.is_null() {
            context.take(given(key, len));
        }
        context.begin();
    }
    1
}

unsafe extern "C" fn update(pointer: *mut c_void, data: *const u8, len: usize) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many bytes.
    unsafe {
        let context = context(pointer);
        if let Some(repeated) = context.repeated() {
            repeated.update(given(data, len));
            return 1;
        }
        context.settle(len);
        match &mut context.state {
            MacState::Lanes(stream) => {
                succeeds(c"mac_update", line::absorb(stream, given(data, len)))
            }
            MacState::Ended => {
                fail(c"mac_update", "the message has ended; init begins another one")
            }
            MacState::Open | MacState::Theirs | MacState::Repeated => {
                (context.apart.0.update)(context.apart.1, data, len)
            }
        }
    }
}

unsafe extern "C" fn last(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so much room.
    unsafe {
        let context = context(pointer);
        if let Some(repeated) = context.repeated() {
            let len = repeated.tag_len();
            if room < len {
                return lacks_room(room, len);
            }
            *out_len = len;
            repeated.finish(slice::from_raw_parts_mut(out, len));
            context.state = MacState::Ended;
            return 1;
        }
        context.settle(0);
        match &context.state {
            MacState::Lanes(stream) => {
                let len = stream.session().tag_len();
                if room < len {
                    return lacks_room(room, len);
                }
                let ended = mem::replace(&mut context.state, MacState::Ended);
                let MacState::Lanes(stream) = ended else { return 0 };
                *out_len = len;
                let made = line::finish(stream, slice::from_raw_parts_mut(out, len));
                succeeds(c"mac_final", made)
            }
            MacState::Ended => fail(c"mac_final", "the message has ended; init begins another one"),
            MacState::Open | MacState::Theirs | MacState::Repeated => {
                (context.apart.0.last)(context.apart.1, out, out_len, room)
            }
        }
    }
}

unsafe extern "C" fn get_ctx_params(pointer: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let Apart(theirs, apart) = context(pointer).apart;
        (theirs.get)(apart, list)
    }
}

unsafe extern "C" fn set_ctx_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let context = context(pointer);
        let Apart(theirs, apart) = context.apart;
        if (theirs.set)(apart, list) != 1 {
            return 0;
        }
        context.note(list);
        if Param::find(list, c"key").is_some() {
            context.begin();
        } else if Param::find(list, TLS_LENGTH).is_some() {
            context.state = match context.state {
                MacState::Theirs | MacState::Open => MacState::Theirs,
                // What came of the message is elsewhere.
                MacState::Lanes(_) | MacState::Repeated | MacState::Ended => MacState::Ended,
            };
        }
    }
    1
}

impl Context {
    /// Notes parameters that the default provider has taken.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    unsafe fn note(&mut self, list: *const Param) {
        // SAFETY: the list is valid, by this function's contract, so that its parameters have
        // values as their types say.
        unsafe {
            if let Some(param) = Param::find(list, c"digest") {
                self.hash = param.text().and_then(hash_named);
            }
            if let Some(param) = Param::find(list, c"key") {
                self.take(param.bytes().unwrap_or_default());
            }
            self.is_of_tls |= Param::find(list, TLS_LENGTH).is_some();
        }
    }
}

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 3] =
        [Param::describe(c"size", UNSIGNED), Param::describe(c"block-size", UNSIGNED), Param::END];
    LIST.as_ptr()
}

unsafe extern "C" fn settable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 7] = [
        Param::describe(c"digest", UTF8),
        Param::describe(c"properties", UTF8),
        Param::describe(c"key", OCTETS),
        Param::describe(c"digest-noinit", INTEGER),
        Param::describe(c"digest-oneshot", INTEGER),
        Param::describe(c"tls-data-size", UNSIGNED),
        Param::END,
    ];
    LIST.as_ptr()
}
