//! x
mod doze;
mod ring;
mod sync;
