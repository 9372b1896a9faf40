//! The lanes, tested as their users use them. One program, so that the kernels are compiled once.

mod allocations;
mod cbc;
mod chacha;
mod common;
mod guard;
mod hash;
mod known_answers;
mod loans;
mod managers;
mod packet_answers;
mod packets;
mod sequences;
