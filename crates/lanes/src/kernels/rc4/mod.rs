//! RC4: the steps of several buffers side by side, and the key that they start from.

pub(crate) mod kernel;
pub(crate) mod key;
