//! The functions of PKCS #11, in the order of the standard's chapters.
//!
//! Each translates pointers to values, calls what does the work, and translates the outcome to a
//! code. A panic never crosses into C: it becomes `CKR_GENERAL_ERROR`, and ends the operation that
//! it happened in. Functions that work with keys or PINs wipe the stack behind themselves.
//!
//! What every function asks of its caller: pointers are null or good for as much as the standard
//! says, until the function returns.

mod cipher;
mod digest;
mod general;
mod interface;
mod keys;
mod objects;
mod other;
mod sessions;
mod sign;
mod slots;

use std::panic::{AssertUnwindSafe, catch_unwind};

use cryptoki_sys::{CK_RV, CKR_GENERAL_ERROR, CKR_OK};

use crate::memory::{Outcome, wipe_deep_stack};

pub use interface::{C_GetFunctionList, C_GetInterface, C_GetInterfaceList};

/// Runs a function, and makes a code of what comes of it.
#[inline(never)]
fn guard(function: impl FnOnce() -> Outcome) -> CK_RV {
    match catch_unwind(AssertUnwindSafe(function)) {
        Ok(Ok(())) => CKR_OK,
        Ok(Err(code)) => code,
        Err(_) => CKR_GENERAL_ERROR,
    }
}

/// Runs a function that works with keys or PINs, and wipes the stack that it has used: values that
/// were moved, and registers that were spilled, stay there otherwise.
fn guard_secrets(function: impl FnOnce() -> Outcome) -> CK_RV {
    let code = guard(function);
    wipe_deep_stack();
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_code() {
        assert_eq!(guard(|| panic!("as it was asked to")), CKR_GENERAL_ERROR);
        assert_eq!(guard(|| Err(7)), 7);
        assert_eq!(guard(|| Ok(())), CKR_OK);
    }
}
