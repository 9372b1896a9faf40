//! The lanes of public keys, tested as their users use them. One program, so that the kernels are
//! compiled once.

mod common;
mod guard;
mod kernels;
mod ml_dsa_answers;
mod residue;
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
#[path = "../../../lanes/tests/suite/stack.rs"]
mod stack;
