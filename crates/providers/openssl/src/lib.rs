//! OpenSSL's libcrypto, found at run time, as a provider for Broadloom.
