//! What the crate does, tested as its users use it. One program, so that what it uses is linked
//! once.

mod choose;
mod decode;
mod decompress;
mod faults;
mod framed;
mod pauses;
mod round_trips;
mod toy;
