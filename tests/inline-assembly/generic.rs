//! Users of generic functions that hold assembly: it is compiled with them.

use broadloom_lanes::{AesKey, Keystream};

/// Copies key stream.
pub fn draw(stream: &mut Keystream<AesKey>, out: &mut [u8]) {
    let _ = stream.draw(out);
}

/// Adds key stream to a text.
pub fn apply(stream: &mut Keystream<AesKey>, text: &mut [u8]) {
    let _ = stream.apply(text);
}
