//! What every provider of Broadloom must pass.

pub mod reference;

pub use reference::reference_provider;
