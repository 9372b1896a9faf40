//! SLH-DSA, which hashes messages itself, and of which one signature alone fills the lanes.

use std::ffi::{CStr, c_char, c_int, c_void};

use broadloom::Transform;
use broadloom::public_key::{Scheme, SlhDsaSet};
use zeroize::Zeroizing;

use super::message::{Init, alone_with};
use super::newctx;
use crate::digest::given;
use crate::interface::*;
use crate::key::{Key, KeyType, Purpose, open};
use crate::libcrypto::{MdContext, fail, functions};
use crate::line;
use crate::operation::{Context, Operation, context, dupctx, freectx, put_or};

/// The operation, and its parameters.
struct Signing {
    operation: Operation,
    parameters: Parameters,
}

/// What a program may set (EVP_SIGNATURE-SLH-DSA(7)).
#[derive(Clone)]
struct Parameters {
    context: Vec<u8>,
    deterministic: c_int,
    encoding: c_int,
    /// The randomness of a signature, for tests with known answers.
    randomness: Option<Zeroizing<Vec<u8>>>,
}

/// libcrypto's number for messages that are signed with their context (FIPS 205, 10.2.1).
const PURE: c_int = 1;

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { context: Vec::new(), deterministic: 0, encoding: PURE, randomness: None }
    }
}

const CONTEXT: &CStr = c"context-string";
const RANDOMNESS: &CStr = c"test-entropy";
const DETERMINISTIC: &CStr = c"deterministic";
const ENCODING: &CStr = c"message-encoding";

/// The functions of all sets.
pub static SLH_DSA: &[Dispatch] = dispatch![
    FUNC_SIGNATURE_NEWCTX => newctx::<Signing> as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_FREECTX => freectx::<Signing> as unsafe extern "C" fn(_),
    FUNC_SIGNATURE_DUPCTX => dupctx::<Signing> as unsafe extern "C" fn(_) -> _,
    FUNC_SIGNATURE_SIGN_MESSAGE_INIT => init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_SIGNATURE_SIGN => sign as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_SIGNATURE_VERIFY_MESSAGE_INIT => init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_SIGNATURE_VERIFY => verify as unsafe extern "C" fn(_, _, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_SIGN_INIT => digest_init as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_SIGN => sign as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_VERIFY_INIT => digest_init as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_VERIFY => verify as unsafe extern "C" fn(_, _, _, _, _) -> _,
    FUNC_SIGNATURE_GET_CTX_PARAMS => get_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_GETTABLE_CTX_PARAMS => gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_SET_CTX_PARAMS => set_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_SETTABLE_CTX_PARAMS => settable_ctx_params as unsafe extern "C" fn(_, _) -> _,
];

impl Context for Signing {
    fn new() -> Signing {
        Signing { operation: Operation::new(), parameters: Parameters::default() }
    }

    fn copy(&self) -> Signing {
        Signing { operation: self.operation.copy(), parameters: self.parameters.clone() }
    }

    fn operation(&mut self) -> &mut Operation {
        &mut self.operation
    }
}

/// DER of an algorithm's identifier (RFC 9909, 3), but for the last arc of the object identifier.
const IDENTIFIER: [u8; 12] = [0x30, 11, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3];
const FIRST_ARC: u8 = 20;

impl Signing {
    fn set(&self) -> Option<SlhDsaSet> {
        match self.operation.key.as_ref()?.key_type {
            KeyType::SlhDsa(set) => Some(set),
            _ => None,
        }
    }

    /// Does an operation in the lanes: with those of other jobs, or at once. `None` if the default
    /// provider is to do it.
    fn in_lanes(
        &self,
        purpose: Purpose,
        data: &[u8],
        signature: Option<&[u8]>,
    ) -> Option<Result<Zeroizing<Vec<u8>>, ()>> {
        let Parameters { context, encoding, randomness, .. } = &self.parameters;
        if *encoding != PURE || randomness.is_some() {
            return None;
        }
        let session = if context.is_empty() {
            if self.operation.is_worth_asking()
                && let Some(made) = self.operation.ask(purpose, data, signature)
            {
                return Some(made);
            }
            self.operation.key.as_ref()?.session(purpose)?
        } else {
            let key = self.operation.key.as_ref()?;
            let with_context = |transform: Transform| transform.context(context).ok();
            open(|| key.transform(purpose).and_then(with_context))?
        };
        let made = line::alone(&session, data, signature);
        Some(made.map_err(|error| {
            fail(c"lanes", &error.to_string());
        }))
    }

    /// Has the default provider do an operation.
    fn by_default(&self, init: Init, function: impl FnOnce(*mut MdContext) -> c_int) -> c_int {
        let Parameters { context, mut deterministic, mut encoding, randomness } =
            self.parameters.clone();
        let octets = |name, bytes: &[u8]| {
            let (data, data_size) = (bytes.as_ptr().cast_mut().cast(), bytes.len());
            Param { data, data_size, ..Param::describe(name, OCTETS) }
        };
        let list = [
            Param::number(DETERMINISTIC, INTEGER, &mut deterministic),
            Param::number(ENCODING, INTEGER, &mut encoding),
            octets(CONTEXT, &context),
            randomness.as_ref().map_or(Param::END, |bytes| octets(RANDOMNESS, bytes)),
            Param::END,
        ];
        // SAFETY: the list ends, and its values live as long as the call.
        unsafe { alone_with(&self.operation, init, list.as_ptr(), function) }
    }
}

/// Takes the key; the rest is known once the message comes.
unsafe extern "C" fn init(pointer: *mut c_void, key: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, a key of ours or null, and its list.
    unsafe {
        let signing = context::<Signing>(pointer);
        if !key.is_null() {
            signing.parameters = Parameters::default();
        }
        let key = signing.operation.take_key(key.cast::<Key>());
        match key.is_some_and(|key| !key.pkey().is_null()) {
            true => set_ctx_params(pointer, list),
            false => fail(c"signature_init", "there is no key"),
        }
    }
}

unsafe extern "C" fn digest_init(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and a name.
    unsafe {
        if !digest.is_null() && *digest != 0 {
            return fail(c"digest_sign_init", "SLH-DSA hashes messages itself and takes no digest");
        }
        init(pointer, key, list)
    }
}

unsafe extern "C" fn sign(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, places, and so many bytes.
    unsafe {
        let signing = context::<Signing>(pointer);
        let Some(set) = signing.set() else {
            return fail(c"signature_sign", "there is no key");
        };
        if out.is_null() {
            *out_len = set.signature_len();
            return 1;
        }
        let scheme = match signing.parameters.deterministic {
            0 => Scheme::default().hedged(),
            _ => Scheme::default(),
        };
        let fits = room >= set.signature_len();
        let lanes = || signing.in_lanes(Purpose::Sign(scheme), given(data, len), None);
        let made = fits.then(lanes).flatten();
        put_or(made, out, out_len, room, || {
            let functions = functions();
            signing.by_default(functions.EVP_DigestSignInit_ex, |context| {
                (functions.EVP_DigestSign)(context, out, out_len, data, len)
            })
        })
    }
}

unsafe extern "C" fn verify(
    pointer: *mut c_void,
    signature: *const u8,
    signature_len: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many bytes.
    unsafe {
        let signing = context::<Signing>(pointer);
        let purpose = Purpose::Verify(Scheme::default());
        let given_signature = Some(given(signature, signature_len));
        if let Some(made) = signing.in_lanes(purpose, given(data, len), given_signature) {
            return c_int::from(made.is_ok());
        }
        let functions = functions();
        signing.by_default(functions.EVP_DigestVerifyInit_ex, |context| {
            (functions.EVP_DigestVerify)(context, signature, signature_len, data, len)
        })
    }
}

unsafe extern "C" fn get_ctx_params(pointer: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let (set, param) =
            (context::<Signing>(pointer).set(), Param::find_mut(list, c"algorithm-id"));
        let (Some(set), Some(param)) = (set, param) else { return 1 };
        let mut der = IDENTIFIER.to_vec();
        der.push(FIRST_ARC + set as u8);
        c_int::from(param.put_bytes(&der))
    }
}

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 2] = [Param::describe(c"algorithm-id", OCTETS), Param::END];
    LIST.as_ptr()
}

unsafe extern "C" fn set_ctx_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list, whose parameters have values.
    unsafe {
        let signing = context::<Signing>(pointer);
        let node_len = signing.set().map_or(0, SlhDsaSet::node_len);
        let parameters = &mut signing.parameters;
        if let Some(param) = Param::find(list, CONTEXT) {
            match param.bytes() {
                Some(bytes) if bytes.len() <= 255 => parameters.context = bytes.to_vec(),
                _ => return fail(c"set_ctx_params", "a context has at most 255 bytes"),
            }
        }
        if let Some(param) = Param::find(list, RANDOMNESS) {
            match param.bytes() {
                Some(bytes) if bytes.len() == node_len => {
                    parameters.randomness = Some(Zeroizing::new(bytes.to_vec()));
                }
                _ => {
                    let reason = format!("the randomness of a signature has {node_len} bytes");
                    return fail(c"set_ctx_params", &reason);
                }
            }
        }
        let numbers =
            [(DETERMINISTIC, &mut parameters.deterministic), (ENCODING, &mut parameters.encoding)];
        for (name, place) in numbers {
            if let Some(param) = Param::find(list, name) {
                match param.unsigned().and_then(|number| number.try_into().ok()) {
                    Some(number) => *place = number,
                    None => return fail(c"set_ctx_params", "a number is 0 or more"),
                }
            }
        }
        1
    }
}

unsafe extern "C" fn settable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 5] = [
        Param::describe(CONTEXT, OCTETS),
        Param::describe(RANDOMNESS, OCTETS),
        Param::describe(DETERMINISTIC, INTEGER),
        Param::describe(ENCODING, INTEGER),
        Param::END,
    ];
    LIST.as_ptr()
}
