//! What the suite is worth, and that its reference passes it. One program, so that what it uses is
//! linked once.

mod compression_defects;
mod defects;
mod reference;
