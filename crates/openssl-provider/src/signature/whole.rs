//! Signatures of messages that are given whole, under a context string: SLH-DSA and ML-DSA, which
//! hash messages themselves.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use broadloom::JobError;
use broadloom::public_key::Scheme;
use zeroize::Zeroizing;

use crate::digest::given;
use crate::interface::*;
use crate::key::Purpose;
use crate::libcrypto::fail;
use crate::operation::{context, freectx, hand_out, put_or, shared};

/// What the lanes have made, or not; of an error, libcrypto's queue knows more.
pub type Answered = Result<Zeroizing<Vec<u8>>, ()>;

/// A key of a family of such signatures.
pub trait SigningKey: Sized + 'static {
    /// The name of the family.
    const FAMILY: &'static str;
    /// `true` if the digest of key, context and message may be given in place of a message.
    const TAKES_MU: bool;

    /// Returns the facts of the key's parameter set; `None` for a key that is for something else.
    fn facts(&self) -> Option<Facts>;

    /// Returns `true` if the key has its bytes.
    fn is_there(&self) -> bool;

    /// Has the default provider do an operation with parameters; `None` where that provider lacks
    /// the family.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it, and the call is libcrypto's.
    unsafe fn by_default(&self, list: *const Param, call: Call) -> Option<c_int>;

    /// Does an operation in the lanes: with those of other jobs, or at once. `None` if the default
    /// provider is to do it.
    fn in_lanes(
        &self,
        purpose: Purpose,
        context: &[u8],
        data: &[u8],
        signature: Option<&[u8]>,
    ) -> Option<Answered>;
}

/// An operation that libcrypto wants: so many bytes of a message, and of a signature or of room.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    pub what: Wanted,
    pub data: *const u8,
    pub len: usize,
}

/// What libcrypto wants of a message.
#[derive(Debug, Clone, Copy)]
pub enum Wanted {
    /// A signature, in a place with so much room.
    Signature { out: *mut u8, out_len: *mut usize, room: usize },
    /// To know whether a signature is right.
    Verdict { signature: *const u8, len: usize },
}

/// Facts of a parameter set.
pub struct Facts {
    /// Bytes of a signature.
    pub signature_len: usize,
    /// Bytes of the randomness of a signature.
    pub randomness_len: usize,
    /// The last arc of the object identifier, below that of NIST's signatures.
    pub last_arc: u8,
}

/// Reports an error of the lanes to libcrypto.
pub fn reported(made: Result<Zeroizing<Vec<u8>>, JobError>) -> Answered {
    made.map_err(|error| {
        fail(c"lanes", &error.to_string());
    })
}

/// The key of an operation, and its parameters.
struct Signing<K> {
    key: Option<Arc<K>>,
    parameters: Parameters,
}

/// What a program may set (EVP_SIGNATURE-SLH-DSA(7), EVP_SIGNATURE-ML-DSA(7)).
#[derive(Clone)]
struct Parameters {
    context: Vec<u8>,
    deterministic: c_int,
    encoding: c_int,
    /// Other than 0 if the data are mu of ML-DSA.
    mu: c_int,
    /// The randomness of a signature, for tests with known answers.
    randomness: Option<Zeroizing<Vec<u8>>>,
}

/// libcrypto's number for messages that are signed with their context (FIPS 204, 5.2; FIPS 205,
/// 10.2.1).
const PURE: c_int = 1;

impl Default for Parameters {
    fn default() -> Parameters {
        let (context, deterministic, encoding) = (Vec::new(), 0, PURE);
        Parameters { context, deterministic, encoding, mu: 0, randomness: None }
    }
}

const CONTEXT: &CStr = c"context-string";
const RANDOMNESS: &CStr = c"test-entropy";
const DETERMINISTIC: &CStr = c"deterministic";
const ENCODING: &CStr = c"message-encoding";
const MU: &CStr = c"mu";

/// The functions of signatures with keys of a family.
pub struct Functions<K>(K);

impl<K: SigningKey> Functions<K> {
    /// The functions of all sets. The first are those of `EVP_PKEY_sign_message_init` and
    /// `EVP_PKEY_verify_message_init`, which OpenSSL has since 3.4.
    pub const TABLE: &'static [Dispatch] = dispatch![
        FUNC_SIGNATURE_SIGN_MESSAGE_INIT => init::<K> as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_SIGNATURE_SIGN => sign::<K> as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
        FUNC_SIGNATURE_VERIFY_MESSAGE_INIT => init::<K> as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_SIGNATURE_VERIFY => verify::<K> as unsafe extern "C" fn(_, _, _, _, _) -> _,
        FUNC_SIGNATURE_NEWCTX => newctx::<K> as unsafe extern "C" fn(_, _) -> _,
        FUNC_SIGNATURE_FREECTX => freectx::<Signing<K>> as unsafe extern "C" fn(_),
        FUNC_SIGNATURE_DUPCTX => dupctx::<K> as unsafe extern "C" fn(_) -> _,
        FUNC_SIGNATURE_DIGEST_SIGN_INIT =>
            digest_init::<K> as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_SIGNATURE_DIGEST_SIGN => sign::<K> as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
        FUNC_SIGNATURE_DIGEST_VERIFY_INIT =>
            digest_init::<K> as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_SIGNATURE_DIGEST_VERIFY => verify::<K> as unsafe extern "C" fn(_, _, _, _, _) -> _,
        FUNC_SIGNATURE_GET_CTX_PARAMS => get_ctx_params::<K> as unsafe extern "C" fn(_, _) -> _,
        FUNC_SIGNATURE_GETTABLE_CTX_PARAMS =>
            gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
        FUNC_SIGNATURE_SET_CTX_PARAMS => set_ctx_params::<K> as unsafe extern "C" fn(_, _) -> _,
        FUNC_SIGNATURE_SETTABLE_CTX_PARAMS =>
            settable_ctx_params::<K> as unsafe extern "C" fn(_, _) -> _,
    ];

    /// The functions for an older OpenSSL, which refuses a function that signs without the one that
    /// it knows for the beginning.
    pub const OLDER_TABLE: &'static [Dispatch] = Self::TABLE.split_at(4).1;
}

/// DER of an algorithm's identifier (RFC 9881, 2, and RFC 9909, 3), but for the last arc of the
/// object identifier.
const IDENTIFIER: [u8; 12] = [0x30, 11, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3];

impl<K: SigningKey> Signing<K> {
    fn facts(&self) -> Option<Facts> {
        self.key.as_ref()?.facts()
    }

    /// Does an operation in the lanes: with those of other jobs, or at once. `None` if the default
    /// provider is to do it.
    fn in_lanes(
        &self,
        purpose: impl FnOnce(Scheme) -> Purpose,
        data: &[u8],
        signature: Option<&[u8]>,
    ) -> Option<Answered> {
        let Parameters { context, encoding, mu, randomness, .. } = &self.parameters;
        // The context is in mu already, and so is how the message was encoded.
        let (scheme, context) = match *mu {
            0 if *encoding != PURE => return None,
            0 => (Scheme::default(), context.as_slice()),
            _ => (Scheme::default().external_mu(), &[][..]),
        };
        match randomness {
            Some(_) => None,
            None => self.key.as_ref()?.in_lanes(purpose(scheme), context, data, signature),
        }
    }

    /// Has the default provider do an operation.
    ///
    /// # Safety
    /// The call is libcrypto's.
    unsafe fn by_default(&self, call: Call) -> c_int {
        let Some(key) = &self.key else { return fail(c"signature", "there is no key") };
        let Parameters { context, mut deterministic, mut encoding, mut mu, randomness } =
            self.parameters.clone();
        let octets = |name, bytes: &[u8]| {
            let (data, data_size) = (bytes.as_ptr().cast_mut().cast(), bytes.len());
            Param { data, data_size, ..Param::describe(name, OCTETS) }
        };
        let mut list = vec![
            Param::number(DETERMINISTIC, INTEGER, &mut deterministic),
            Param::number(ENCODING, INTEGER, &mut encoding),
            octets(CONTEXT, &context),
        ];
        if K::TAKES_MU {
            list.push(Param::number(MU, INTEGER, &mut mu));
        }
        list.extend(randomness.as_ref().map(|bytes| octets(RANDOMNESS, bytes)));
        list.push(Param::END);
        // SAFETY: the list ends, and its values live as long as the call, which is libcrypto's, by
        // this function's contract.
        unsafe { key.by_default(list.as_ptr(), call) }.unwrap_or_else(|| {
            let family = K::FAMILY;
            let reason = format!(
                "the lanes take no test-entropy and no message-encoding of 0, and libcrypto's \
                 default provider lacks {family}: that of OpenSSL 3.5 would be right"
            );
            fail(c"signature", &reason)
        })
    }
}

unsafe extern "C" fn newctx<K>(_: *mut c_void, _: *const c_char) -> *mut c_void {
    hand_out(Signing::<K> { key: None, parameters: Parameters::default() })
}

unsafe extern "C" fn dupctx<K>(pointer: *mut c_void) -> *mut c_void {
    // SAFETY: libcrypto passes what was handed out.
    let Signing { key, parameters } = unsafe { context::<Signing<K>>(pointer) };
    hand_out(Signing { key: key.clone(), parameters: parameters.clone() })
}

/// Takes the key; the rest is known once the message comes.
unsafe extern "C" fn init<K: SigningKey>(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, a key of ours or null, and its list.
    unsafe {
        let signing = context::<Signing<K>>(pointer);
        if !key.is_null() {
            signing.parameters = Parameters::default();
            signing.key = Some(shared(key.cast::<K>().cast_const()));
        }
        signing.parameters.mu = 0;
        match signing.key.as_ref().is_some_and(|key| key.is_there()) {
            true => set_ctx_params::<K>(pointer, list),
            false => fail(c"signature_init", "there is no key"),
        }
    }
}

unsafe extern "C" fn digest_init<K: SigningKey>(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and a name.
    unsafe {
        if !digest.is_null() && *digest != 0 {
            let reason = format!("{} hashes messages itself and takes no digest", K::FAMILY);
            return fail(c"digest_sign_init", &reason);
        }
        init::<K>(pointer, key, list)
    }
}

unsafe extern "C" fn sign<K: SigningKey>(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, places, and so many bytes.
    unsafe {
        let signing = context::<Signing<K>>(pointer);
        let Some(Facts { signature_len, .. }) = signing.facts() else {
            return fail(c"signature_sign", "there is no key");
        };
        if out.is_null() {
            *out_len = signature_len;
            return 1;
        }
        let purpose = |scheme: Scheme| match signing.parameters.deterministic {
            0 => Purpose::Sign(scheme.hedged()),
            _ => Purpose::Sign(scheme),
        };
        let fits = room >= signature_len;
        let lanes = || signing.in_lanes(purpose, given(data, len), None);
        let made = fits.then(lanes).flatten();
        let what = Wanted::Signature { out, out_len, room };
        put_or(made, out, out_len, room, || signing.by_default(Call { what, data, len }))
    }
}

unsafe extern "C" fn verify<K: SigningKey>(
    pointer: *mut c_void,
    signature: *const u8,
    signature_len: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many bytes.
    unsafe {
        let signing = context::<Signing<K>>(pointer);
        let given_signature = Some(given(signature, signature_len));
        if let Some(made) = signing.in_lanes(Purpose::Verify, given(data, len), given_signature) {
            return c_int::from(made.is_ok());
        }
        let what = Wanted::Verdict { signature, len: signature_len };
        signing.by_default(Call { what, data, len })
    }
}

unsafe extern "C" fn get_ctx_params<K: SigningKey>(
    pointer: *mut c_void,
    list: *mut Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let (facts, param) =
            (context::<Signing<K>>(pointer).facts(), Param::find_mut(list, c"algorithm-id"));
        let (Some(facts), Some(param)) = (facts, param) else { return 1 };
        let mut der = IDENTIFIER.to_vec();
        der.push(facts.last_arc);
        c_int::from(param.put_bytes(&der))
    }
}

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 2] = [Param::describe(c"algorithm-id", OCTETS), Param::END];
    LIST.as_ptr()
}

unsafe extern "C" fn set_ctx_params<K: SigningKey>(
    pointer: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list, whose parameters have values.
    unsafe {
        let signing = context::<Signing<K>>(pointer);
        let valid = signing.facts().map_or(0, |facts| facts.randomness_len);
        let parameters = &mut signing.parameters;
        if let Some(param) = Param::find(list, CONTEXT) {
            match param.bytes() {
                Some(bytes) if bytes.len() <= 255 => parameters.context = bytes.to_vec(),
                _ => return fail(c"set_ctx_params", "a context has at most 255 bytes"),
            }
        }
        if let Some(param) = Param::find(list, RANDOMNESS) {
            match param.bytes() {
                Some(bytes) if bytes.len() == valid => {
                    parameters.randomness = Some(Zeroizing::new(bytes.to_vec()));
                }
                _ => {
                    let reason = format!("the randomness of a signature has {valid} bytes");
                    return fail(c"set_ctx_params", &reason);
                }
            }
        }
        let numbers = [
            (DETERMINISTIC, &mut parameters.deterministic),
            (ENCODING, &mut parameters.encoding),
            (MU, &mut parameters.mu),
        ];
        for (name, place) in numbers.into_iter().take(if K::TAKES_MU { 3 } else { 2 }) {
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

unsafe extern "C" fn settable_ctx_params<K: SigningKey>(
    _: *mut c_void,
    _: *mut c_void,
) -> *const Param {
    static WITH_MU: [Param; 6] = [
        Param::describe(MU, INTEGER),
        Param::describe(CONTEXT, OCTETS),
        Param::describe(RANDOMNESS, OCTETS),
        Param::describe(DETERMINISTIC, INTEGER),
        Param::describe(ENCODING, INTEGER),
        Param::END,
    ];
    if K::TAKES_MU { WITH_MU.as_ptr() } else { WITH_MU[1..].as_ptr() }
}
