//! Broadloom's own lanes as a provider.
