//! Memory that is brought near before it is needed.

use crate::arch;

/// Bytes of a cache line.
const LINE: usize = 64;

/// The most bytes of a value that are asked for.
const MOST: usize = 512;

/// Asks the core to bring a value into its nearest cache, up to 512 bytes of it, while it goes on.
/// What the value points to is not fetched.
///
/// A caller that works on many values, most of which are in no cache, asks for the next ones before
/// it works on one: it then waits for many of them at once, or not at all.
///
/// ```
/// let values = vec![[7_u8; 200]; 1000];
/// for (at, value) in values.iter().enumerate() {
///     values.get(at + 8).into_iter().for_each(broadloom_lanes::prefetch);
///     assert_eq!(value[0], 7);
/// }
/// ```
#[inline]
pub fn prefetch<T>(value: &T) {
    let start = core::ptr::from_ref(value).cast::<u8>();
    let len = size_of::<T>().min(MOST);
    let mut at = 0;
    while at < len {
        arch::prefetch(start.wrapping_add(at));
        at += LINE;
    }
    // A value that does not begin with a line may end in one more.
    if align_of::<T>() < LINE && len > 1 {
        arch::prefetch(start.wrapping_add(len - 1));
    }
}
