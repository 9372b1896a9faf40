//! The lanes, tested as their users use them. One program, so that the kernels are compiled once.

mod allocations;
mod cbc;
mod ccm;
mod common;
mod guard;
mod hash;
mod keystream;
mod known_answers;
mod loans;
mod managers;
mod packet_answers;
mod packets;
mod sequences;
mod xts;
