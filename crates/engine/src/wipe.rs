//! Overwriting what was secret.

/// Fills bytes with zeros, which the compiler may not leave out although nobody reads them: as fast
/// as memory is, where `Zeroize` of bytes takes a store for each.
pub(crate) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    zeroize::optimization_barrier(bytes);
}
