//! What every provider of Broadloom must pass.
