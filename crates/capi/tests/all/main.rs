//! The functions of the C library. One program, so that what they use is linked once.

mod functions;
mod keys;
mod lengths;
