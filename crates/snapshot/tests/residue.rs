//! After a repository is closed, nothing of it is left in memory that could open it: not the
//! password, not the keys that scrypt makes of it, not the repository's own keys.
//!
//! The program is alone, because it searches the memory of the whole process.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "all/common.rs"]
mod common;

use std::sync::Arc;

use base64ct::{Base64, Encoding};
use broadloom_residue::{Secret, assert_gone};
use broadloom_snapshot::check::{CheckOptions, check};
use broadloom_snapshot::store::{File, Kind};
use broadloom_snapshot::{Id, Repository};

use common::{Memory, registry, save, tree};

const PASSWORD: &[u8] = b"umber ferry 29 hollow bracket";

/// A file of `keys` that the password opens, and its name; and a config that its keys open.
const KEY: &str = concat!(
    r#"{"created":"2026-01-01T00:00:00Z","username":"u","hostname":"h","kdf":"scrypt","N":1024,"#,
    r#""r":8,"p":1,"salt":"Y0ea1poJCyWCd+yPum+ZQZov+ySJgVEGV8lEzNEUjpfDpqhTDbtHj7cKbKjHJjqUugsI"#,
    r#"yo1q6WecnKzQNmPsdA==","data":"CrMGgjA1Zhu426IcwlNSMc+zaMfSN499H9MwBOfJ1IgcxVMOfHddmsVw0H"#,
    r#"d9L0xKYTaIcvRAvw2V+oNmFphXexOLqJN1tfPt3fxEXbZWcGUkXDVppKMuWaMYK/lyC3Php4g/7kbIMuq3HqyFmv"#,
    r#"ASy+EjaziJf+jE28xOycBmWrclbvzXMTo/pxG1NsjxA3SJ7VJfYTlXMCz3QgBOxnoWKA=="}"#,
);
const NAME: &str = "8c9ea60013ffee04443d6ae731002f54083ddb7d13add860971956556a9db39e";
const CONFIG: &str = "JpFMhtiNXmgqf2AAEQ28mg4g5VTZfV77CTWQUYUaq2XVkjCKWP+iJvxWVsWtif7/MjoMIapmRJg9\
    ijSxn+6fcUSIytkDyvyOg0OGTmMfoH+4kG/6DXyUuiXUdJBzJKLu5p869kivhKHmrPWJ8Qzw54i114NeLFRBM/kyfTkVw7\
    j3nBdJmcUuPJaIL5eClR0SOh8W8V6zCuiEEyU=";

/// What must be gone.
const SECRETS: [(&str, &[u8]); 12] = [
    ("the password", PASSWORD),
    (
        "the repository's key of AES-256, first half",
        b"\x56\xf8\x9d\x68\x5e\x2f\x40\xe8\x3b\x5d\x8d\xe9\xef\x90\x72\x1f",
    ),
    (
        "the repository's key of AES-256, second half",
        b"\xb7\xd9\x7e\x40\x61\xd0\xb8\x58\x69\xd9\x8d\x5b\xfa\x48\xbb\xb9",
    ),
    ("the repository's k", b"\x1e\x26\xeb\xae\xda\x6c\xea\xdd\x18\x64\xd4\x0e\x20\x5a\x9f\x01"),
    ("the repository's r", b"\x92\x49\xd0\x03\x04\xae\xde\x0f\x04\x2f\xb3\x0c\x84\xa9\x22\x0c"),
    (
        "the user's key of AES-256, first half",
        b"\xfe\x58\x07\xcc\xdc\xfe\x49\xfe\xb3\x1b\xa2\xbe\x19\xc7\xca\x02",
    ),
    (
        "the user's key of AES-256, second half",
        b"\xe6\xcd\x88\xf6\x07\x8c\x10\x8b\xca\xa1\xcc\x11\x75\x13\x1b\xbc",
    ),
    ("the user's k", b"\x36\x4b\x9b\x76\x7a\xfd\x2e\xab\x28\x18\x31\x7a\x0c\x06\x5a\xf7"),
    ("the user's r", b"\x27\x7a\xb7\x08\x58\x02\x84\x01\x2c\xe7\x6f\x00\x10\xd5\xdd\x0e"),
    ("the text of the key of AES-256", b"VvidaF4vQOg7XY3p75ByH7fZfkBh0LhYadmNW/pIu7k="),
    ("the text of k", b"Hibrrtps6t0YZNQOIFqfAQ=="),
    ("the text of r", b"kknQAwSu3g8EL7MMhKkiDA=="),
];

fn secrets() -> Vec<Secret> {
    SECRETS.iter().map(|(name, bytes)| Secret::new(*name, bytes)).collect()
}

/// A repository in memory whose keys are known.
fn known() -> Memory {
    let memory = Memory::default();
    let name: Id = NAME.parse().expect("64 digits");
    memory.insert(File::Named(Kind::Key, name), KEY.as_bytes().to_vec());
    memory.insert(File::Config, Base64::decode_vec(CONFIG).expect("it is base64"));
    memory
}

fn open(memory: &Memory) -> Arc<Repository> {
    let opened = Repository::open(Box::new(memory.clone()), &registry(), PASSWORD);
    Arc::new(opened.unwrap_or_else(|error| panic!("{error}")))
}

/// Overwrites what kernels and other crates spilled from registers (SECURITY.md): the stack below
/// the caller.
#[inline(never)]
fn overwrite_spilled() {
    std::hint::black_box(&mut [0u8; 64 << 10]);
}

/// One test, so that no other one uses keys while it searches.
#[test]
fn of_a_repository_that_was_closed_no_key_is_left() {
    // A backup, and a check that reads all of it.
    let (memory, files) = (known(), tree());
    let repository = open(&memory);
    let saved = save(&repository, files.path()).unwrap_or_else(|error| panic!("{error}"));
    assert!(saved.data_blobs > 0, "{saved:?}");
    drop(repository);
    let repository = open(&memory);
    let options =
        CheckOptions { read_data: true, subset: None, threads: 2.try_into().expect("not 0") };
    let checked = check(&repository, &options, &Default::default(), &|finding| {
        panic!("{finding:?}");
    });
    assert_eq!(checked.map(|checked| checked.errors).ok(), Some(0));
    // A wrong password reads the same files.
    assert!(Repository::open(Box::new(memory.clone()), &registry(), b"another").is_err());
    drop(repository);
    overwrite_spilled();
    let secrets = secrets();
    assert_gone(&secrets.iter().collect::<Vec<_>>());

    // Of a new repository the test knows the password alone.
    let made = Repository::init(Box::new(Memory::default()), &registry(), PASSWORD);
    drop(made.unwrap_or_else(|error| panic!("{error}")));
    overwrite_spilled();
    assert_gone(&[&secrets[0]]);
}
