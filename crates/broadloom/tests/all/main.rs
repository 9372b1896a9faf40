//! What the providers make of one another, and what the registry has. One program, so that all of
//! them are linked once.

mod cross;
mod registry;
