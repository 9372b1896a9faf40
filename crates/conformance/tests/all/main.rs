//! What the suite is worth, and that its reference passes it. One program, so that what it uses is
//! linked once.

mod codec_defects;
mod compression_defects;
mod defects;
mod failing;
mod hybrid_defects;
mod ml_dsa_defects;
mod ml_kem_defects;
mod reference;
