//! Outcomes of comparisons, and other results, which are public.

use subtle::Choice;

/// Returns the outcome of a comparison in constant time, about to be branched on: it is public,
/// whatever was compared.
///
/// The check for constant time is built with `--cfg constant_time`. Only there, memcheck is told
/// that the outcome may be known, so that it reports every other branch that depends on what was
/// compared.
#[doc(hidden)]
#[inline(always)]
pub fn public(outcome: Choice) -> bool {
    #[cfg(constant_time)]
    let outcome = {
        let mut byte = [outcome.unwrap_u8()];
        broadloom_memcheck::define(&mut byte);
        Choice::from(byte[0])
    };
    outcome.into()
}

/// Says that bytes may be known from here on, though they were made of secrets: a part of a
/// signature, say. Only the check for constant time is told.
#[inline(always)]
pub fn publish(bytes: &mut [u8]) {
    #[cfg(constant_time)]
    broadloom_memcheck::define(bytes);
    #[cfg(not(constant_time))]
    let _ = bytes;
}
