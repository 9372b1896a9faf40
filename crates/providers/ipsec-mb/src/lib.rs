//! Intel's multi-buffer library for IPsec, found at run time, as a provider for Broadloom.
