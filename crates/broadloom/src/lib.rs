//! Many independent buffers, hashed, authenticated and encrypted side by side.
