//! Files below `keys` that are no keys, or another repository's, or cost too much: the right key
//! is found all the same, and one that is not what its name says is not used.

use broadloom_engine::{HashAlgorithm, Job, Processor, Transform};
use broadloom_snapshot::store::{File, Kind};
use broadloom_snapshot::{Id, Repository, SnapshotError};

use crate::common::{Memory, registry, repository};

fn open(memory: &Memory, password: &[u8]) -> Result<Repository, SnapshotError> {
    Repository::open(Box::new(memory.clone()), &registry(), password)
}

/// Leaves a file below `keys`, under the name that its content has.
fn plant(memory: &Memory, content: &[u8]) -> File {
    let session = registry().open(&Transform::hash(HashAlgorithm::Sha256)).unwrap();
    let mut jobs = [Job::new(&session, content)];
    Processor::new().process_many(&mut jobs);
    let name = Id(jobs[0].tag().unwrap().try_into().unwrap());
    let file = File::Named(Kind::Key, name);
    memory.insert(file, content.to_vec());
    file
}

fn key(memory: &Memory) -> File {
    let is_key = |file: &File| matches!(file, File::Named(Kind::Key, _));
    memory.files().into_iter().find(is_key).unwrap()
}

#[test]
fn files_that_are_no_keys_hide_none() {
    let (memory, made) = repository();
    let right = memory.content(key(&memory));
    let text = String::from_utf8(right.clone()).unwrap();
    let with = |field: &str, value: &str| {
        let start = text.find(&format!("\"{field}\":")).unwrap() + field.len() + 3;
        let end = start + text[start..].find([',', '}']).unwrap();
        format!("{}{value}{}", &text[..start], &text[end..]).into_bytes()
    };
    // Many of each, so that some come before the right key in the order of names.
    for number in 0..8 {
        plant(&memory, format!("no JSON {number}").as_bytes());
        plant(&memory, format!("{{\"another\":{number}}}").as_bytes());
        plant(&memory, &with("kdf", &format!("\"argon{number}\"")));
        plant(&memory, &with("N", &(3 + 2 * number).to_string()));
        plant(&memory, &with("r", &(1 << (24 + number / 2)).to_string()));
        plant(&memory, &with("p", &(1 << (24 + number)).to_string()));
        plant(&memory, &[b' '].repeat((1 << 20) + number));
        memory.insert(File::Named(Kind::Key, Id([number as u8; 32])), right[..9].to_vec());
    }
    assert_eq!(open(&memory, b"password").unwrap().id(), made.id());
    let Err(error) = open(&memory, b"another") else { panic!("the password is wrong") };
    assert!(error.to_string().contains("keys/"), "{error}");
}

#[test]
fn another_repositorys_key_hides_none() {
    let (memory, made) = repository();
    // Of some names, one comes before the name of the right key.
    for _ in 0..4 {
        let (other, _) = repository();
        let foreign = key(&other);
        memory.insert(foreign, other.content(foreign));
    }
    assert_eq!(open(&memory, b"password").unwrap().id(), made.id());
}

#[test]
fn a_key_with_another_name_is_not_used() {
    let (memory, _) = repository();
    let right = key(&memory);
    let content = memory.content(right);
    memory.delete(right);
    let renamed = File::Named(Kind::Key, Id([7; 32]));
    memory.insert(renamed, content);
    let Err(error) = open(&memory, b"password") else { panic!("the key was used") };
    let expected = format!("{renamed} is damaged: its SHA-256 is not its name");
    assert_eq!(error.to_string(), expected);
}
