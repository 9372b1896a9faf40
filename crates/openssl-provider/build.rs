//! libcrypto may close a provider while threads still hold what is to be dropped at their end.
//! The library stays in memory instead.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
