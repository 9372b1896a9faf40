//! The groups of TLS 1.3 that are KEMs.

use std::ffi::{CStr, c_int, c_uint, c_void};

use broadloom::public_key::{HybridKem, Kem, MlKemSet};

use crate::held::HeldType;
use crate::interface::{Callback, INTEGER, Param, UNSIGNED};

/// TLS 1.3 in libssl's numbers.
const TLS_1_3: c_int = 0x0304;

/// Returns the number and the name of a group (draft-ietf-tls-mlkem, draft-ietf-tls-ecdhe-mlkem).
fn group(kem: Kem) -> (c_uint, &'static CStr) {
    match kem {
        Kem::MlKem(MlKemSet::MlKem512) => (0x0200, c"MLKEM512"),
        Kem::MlKem(MlKemSet::MlKem768) => (0x0201, c"MLKEM768"),
        Kem::MlKem(MlKemSet::MlKem1024) => (0x0202, c"MLKEM1024"),
        Kem::Hybrid(HybridKem::X25519MlKem768) => (0x11ec, c"X25519MLKEM768"),
        Kem::Hybrid(HybridKem::P256MlKem768) => (0x11eb, c"SecP256r1MLKEM768"),
    }
}

/// Tells libssl the groups whose keys are managed here. Returns 0 once the callback does.
///
/// # Safety
/// libcrypto passes the callback and its argument.
pub unsafe fn tell_groups(
    has: impl Fn(Kem) -> bool,
    callback: Callback,
    argument: *mut c_void,
) -> c_int {
    for kem in Kem::ALL.into_iter().filter(|kem| has(*kem)) {
        let facts = HeldType::Kem(kem).facts();
        let (mut id, name) = group(kem);
        let mut security: c_uint = facts.security_bits.into();
        let mut is_kem: c_uint = 1;
        // DTLS never, and TLS without a last version.
        let (mut least, mut most): (c_int, c_int) = (TLS_1_3, 0);
        let (mut least_datagram, mut most_datagram): (c_int, c_int) = (-1, -1);
        let list = [
            Param::with_text(c"tls-group-name", name),
            Param::with_text(c"tls-group-name-internal", name),
            Param::with_text(c"tls-group-alg", facts.name),
            Param::number(c"tls-group-id", UNSIGNED, &mut id),
            Param::number(c"tls-group-sec-bits", UNSIGNED, &mut security),
            Param::number(c"tls-group-is-kem", UNSIGNED, &mut is_kem),
            Param::number(c"tls-min-tls", INTEGER, &mut least),
            Param::number(c"tls-max-tls", INTEGER, &mut most),
            Param::number(c"tls-min-dtls", INTEGER, &mut least_datagram),
            Param::number(c"tls-max-dtls", INTEGER, &mut most_datagram),
            Param::END,
        ];
        // SAFETY: the list ends, and its values live until the callback returns; the callback and
        // its argument are libcrypto's.
        if unsafe { callback(list.as_ptr(), argument) } == 0 {
            return 0;
        }
    }
    1
}
