//! The lanes, tested as their users use them. One program, so that the kernels are compiled once.

mod allocations;
mod cbc;
mod ccm;
mod chacha;
mod chains;
mod common;
mod des;
mod guard;
mod hash;
mod jobs;
mod kasumi;
mod kernels;
mod keystream;
mod known_answers;
mod loans;
mod managers;
mod packet_answers;
mod packets;
mod rc4;
mod residue;
mod sequences;
mod sponge;
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
mod stack;
mod xts;
