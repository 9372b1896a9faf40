//! Algorithms that are handed on as the default provider has them: lanes gain nothing for a message
//! by itself, and these have no batches. Each of their functions is the default provider's own,
//! which libcrypto calls without a way through this provider.

use std::ffi::{CStr, c_int, c_void};
use std::mem;
use std::slice;
use std::sync::LazyLock;

use crate::interface::*;
use crate::theirs::{entry_of, provider_context};

/// What is handed on: the operation, one of the names, and the number of the function that makes a
/// context.
const HANDED_ON: [(c_int, &CStr, c_int); COUNT] = [
    (OP_DIGEST, c"SHAKE-128", FUNC_DIGEST_NEWCTX),
    (OP_DIGEST, c"SHAKE-256", FUNC_DIGEST_NEWCTX),
    (OP_MAC, c"KMAC-128", FUNC_MAC_NEWCTX),
    (OP_MAC, c"KMAC-256", FUNC_MAC_NEWCTX),
];

const COUNT: usize = 4;

type NewContext = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// Functions that make contexts: the default provider is to be given its own context, and not this
/// provider's.
const NEW: [NewContext; COUNT] = [newctx::<0>, newctx::<1>, newctx::<2>, newctx::<3>];

/// An algorithm that is handed on.
struct HandedOn {
    operation: c_int,
    algorithm: Algorithm,
    newctx: NewContext,
}

/// Those of the algorithms that the default provider has.
static ALL: LazyLock<[Option<HandedOn>; COUNT]> = LazyLock::new(|| {
    let mut at = 0;
    HANDED_ON.map(|(operation, name, new)| {
        at += 1;
        hand_on(operation, name, new, NEW[at - 1])
    })
});

fn hand_on(operation: c_int, name: &CStr, new: c_int, ours: NewContext) -> Option<HandedOn> {
    let entry = entry_of(operation, name)?;
    // SAFETY: the default provider's table ends with the number 0, and its names are C strings.
    // Both stay with it.
    let (table, names) = unsafe {
        let mut len = 0;
        while (*entry.functions.add(len)).id != 0 {
            len += 1;
        }
        (slice::from_raw_parts(entry.functions, len + 1), CStr::from_ptr(entry.names))
    };
    let mut table = table.to_vec();
    let newctx = table.iter_mut().find(|one| one.id == new)?;
    let theirs = mem::replace(&mut newctx.function, ours as *const c_void);
    // SAFETY: the type is that of the header for the number of a function that makes a context.
    let newctx = unsafe { mem::transmute::<*const c_void, NewContext>(theirs) };
    Some(HandedOn { operation, algorithm: Algorithm::new(names, Vec::leak(table)), newctx })
}

/// Returns the algorithms of an operation that are handed on.
pub fn algorithms(operation: c_int) -> impl Iterator<Item = Algorithm> {
    let of_it = move |one: &&HandedOn| one.operation == operation;
    ALL.iter().flatten().filter(of_it).map(|one| one.algorithm)
}

unsafe extern "C" fn newctx<const AT: usize>(_: *mut c_void) -> *mut c_void {
    let handed_on = ALL[AT].as_ref().expect("libcrypto calls a function of what is handed on");
    // SAFETY: the function is called with its provider's context.
    unsafe { (handed_on.newctx)(provider_context()) }
}
