//! Files of snapshot repositories. They are sealed here, with keys that are known, so that the
//! fuzzer's bytes are what stands behind the seal.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes256};
use base64ct::{Base64, Encoding};
use broadloom_engine::Registry;
use broadloom_lanes::Cpu;
use broadloom_snapshot::backup::{Progress, Report};
use broadloom_snapshot::check::{CheckOptions, Finding, check as check_repository};
use broadloom_snapshot::restore::{RestoreOptions, restore};
use broadloom_snapshot::snapshot::{Snapshot, Snapshots};
use broadloom_snapshot::store::{File, Kind, Store, StoreError};
use broadloom_snapshot::tree::{Place, Tree};
use broadloom_snapshot::{BlobKind, Id, Repository, to_json};
use ctr::cipher::{KeyIvInit, StreamCipher};
use poly1305::Poly1305;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    registry
});

const PASSWORD: &[u8] = b"password";

/// The work that a fuzzed key may ask scrypt for: N r p.
const MOST_WORK: u64 = 1 << 12;

/// A repository's keys: of AES-256, and the two of Poly1305-AES.
pub(crate) struct Keys([u8; 32], [u8; 16], [u8; 16]);

impl Keys {
    fn new(bytes: &[u8; 64]) -> Keys {
        let mut r: [u8; 16] = bytes[48..].try_into().expect("16 bytes");
        [3, 7, 11, 15].into_iter().for_each(|at| r[at] &= 15);
        [4, 8, 12].into_iter().for_each(|at| r[at] &= 252);
        let part = |range: Range<usize>| bytes[range].to_vec();
        let (encrypt, k) = (part(0..32), part(32..48));
        Keys(encrypt.try_into().expect("32 bytes"), k.try_into().expect("16 bytes"), r)
    }

    /// The one-time key of Poly1305 is `r` and the block of the initialisation vector.
    pub(crate) fn seal(&self, text: &[u8]) -> Vec<u8> {
        let iv = [9; 16];
        let mut sealed = text.to_vec();
        ctr::Ctr128BE::<Aes256>::new(&self.0.into(), &iv.into()).apply_keystream(&mut sealed);
        let mut block = iv.into();
        Aes128::new(&self.1.into()).encrypt_block(&mut block);
        let once: [u8; 32] = [self.2, block.into()].concat().try_into().expect("32 bytes");
        let tag = Poly1305::new(&once.into()).compute_unpadded(&sealed);
        [&iv[..], &sealed, &tag[..]].concat()
    }
}

pub(crate) fn name(bytes: &[u8]) -> Id {
    Id(Sha256::digest(bytes).into())
}

/// The file of a key with little work, and the keys that it holds.
pub(crate) static KEYS: LazyLock<(Vec<u8>, Keys)> = LazyLock::new(|| {
    let (salt, text) = ([5; 64], |bytes: &[u8]| Base64::encode_string(bytes));
    let keys = Keys::new(&[7; 64]);
    let mut derived = [0; 64];
    let parameters = scrypt::Params::new(1, 1, 1).expect("they are valid");
    scrypt::scrypt(PASSWORD, &salt, &parameters, &mut derived).expect("64 bytes are valid");
    let inner = json!({
        "mac": { "k": text(&keys.1), "r": text(&keys.2) },
        "encrypt": text(&keys.0),
    });
    let sealed = Keys::new(&derived).seal(inner.to_string().as_bytes());
    let file = json!({
        "created": "2024-01-01T00:00:00Z", "username": "u", "hostname": "h", "kdf": "scrypt",
        "N": 2, "r": 1, "p": 1, "salt": text(&salt), "data": text(&sealed),
    });
    (file.to_string().into_bytes(), keys)
});

/// Files in memory.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<HashMap<File, Vec<u8>>>>);

impl Memory {
    /// A repository without snapshots.
    pub(crate) fn new() -> Memory {
        let memory = Memory::default();
        memory.named(Kind::Key, KEYS.0.clone());
        let id = name(b"").to_string();
        let config = json!({ "version": 2, "id": id, "chunker_polynomial": "3da3358b4dc173" });
        memory.add(File::Config, KEYS.1.seal(config.to_string().as_bytes()));
        memory
    }

    pub(crate) fn add(&self, file: File, bytes: Vec<u8>) {
        self.0.lock().expect("no panic").insert(file, bytes);
    }

    pub(crate) fn named(&self, kind: Kind, bytes: Vec<u8>) -> Id {
        let id = name(&bytes);
        self.add(File::Named(kind, id), bytes);
        id
    }

    /// Adds a pack of one blob that is not compressed, with a header, and an index that is right.
    pub(crate) fn pack(&self, kind: BlobKind, blob: &[u8], header: Option<&[u8]>) {
        let (sealed, number) = (KEYS.1.seal(blob), u8::from(kind == BlobKind::Tree));
        let length = sealed.len() as u32;
        let right = right_header(number, length, name(blob));
        let blobs = json!([{
            "id": name(blob).to_string(), "type": kind.name(), "offset": 0, "length": length,
        }]);
        self.pack_of(sealed, header.unwrap_or(&right), &blobs);
    }

    /// Adds a pack whose blob is a frame of zstd, which is to become so many bytes with this name.
    pub(crate) fn compressed(&self, kind: BlobKind, frame: &[u8], (len, id): (u32, Id)) {
        let (sealed, number) = (KEYS.1.seal(frame), 2 | u8::from(kind == BlobKind::Tree));
        let length = sealed.len() as u32;
        let header = [&[number][..], &length.to_le_bytes(), &len.to_le_bytes(), &id.0].concat();
        let blobs = json!([{
            "id": id.to_string(), "type": kind.name(), "offset": 0, "length": length,
            "uncompressed_length": len,
        }]);
        self.pack_of(sealed, &header, &blobs);
    }

    fn pack_of(&self, sealed: Vec<u8>, header: &[u8], blobs: &Value) {
        let header = KEYS.1.seal(header);
        let last = (header.len() as u32).to_le_bytes();
        let pack = self.named(Kind::Pack, [&sealed[..], &header, &last].concat());
        let index = json!({ "packs": [{ "id": pack.to_string(), "blobs": blobs }] });
        self.named(Kind::Index, KEYS.1.seal(index.to_string().as_bytes()));
    }

    fn snapshot(&self, tree: Id) {
        let text = json!({ "time": "2024-01-01T00:00:00Z", "tree": tree.to_string() });
        self.named(Kind::Snapshot, KEYS.1.seal(text.to_string().as_bytes()));
    }

    pub(crate) fn open(&self) -> Option<Repository> {
        Repository::open(Box::new(self.clone()), &REGISTRY, PASSWORD).ok()
    }
}

/// The header of a pack that has one blob, which is not compressed.
fn right_header(kind: u8, length: u32, blob: Id) -> Vec<u8> {
    [&[kind][..], &length.to_le_bytes(), &blob.0].concat()
}

impl Store for Memory {
    fn create(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError> {
        self.add(file, content.to_vec());
        Ok(())
    }

    fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError> {
        let files = self.0.lock().expect("no panic");
        let content = files.get(&file).ok_or(StoreError::NotFound)?;
        let Some(range) = range else { return Ok(content.clone()) };
        let part = content.get(range.start as usize..range.end as usize);
        let (wanted, got) = (range.end, content.len() as u64);
        Ok(part.ok_or(StoreError::Short { wanted, got })?.to_vec())
    }

    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
        let files = self.0.lock().expect("no panic");
        let named = files.iter().filter_map(|(file, content)| match file {
            File::Named(of, id) if *of == kind => Some((*id, content.len() as u64)),
            _ => None,
        });
        Ok(named.collect())
    }

    fn remove(&self, file: File) -> Result<(), StoreError> {
        let removed = self.0.lock().expect("no panic").remove(&file);
        removed.map(drop).ok_or(StoreError::NotFound)
    }

    fn waits(&self) -> &[Duration] {
        &[]
    }
}

struct Silent;

impl Report for Silent {
    fn error(&self, _: &Path, _: &dyn std::error::Error) {}
    fn warning(&self, _: &str) {}
}

/// Checks all bytes, and gives the errors.
pub(crate) fn errors(repository: &Repository) -> Vec<String> {
    let found = Mutex::new(Vec::new());
    let options = CheckOptions { read_data: true, subset: None, threads: NonZeroUsize::MIN };
    let checked = check_repository(repository, &options, &Progress::default(), &|finding| {
        if let Finding::Error(text) = finding {
            found.lock().expect("no panic").push(text);
        }
    });
    let found = found.into_inner().expect("no panic");
    assert_eq!(checked.expect("the store answers").errors, found.len() as u64);
    found
}

/// Restores all snapshots, but writes nothing.
pub(crate) fn restore_all(repository: &Repository) {
    let Ok(snapshots) = Snapshots::all(repository, &mut |_| {}) else { return };
    for snapshot in snapshots.0 {
        let options = RestoreOptions {
            dry_run: true,
            threads: NonZeroUsize::MIN,
            ..RestoreOptions::new(PathBuf::from("/nowhere"))
        };
        let place = Place::Tree(snapshot.file.tree);
        let _ = restore(repository, &place, &options, &Progress::default(), &Silent);
    }
}

/// Takes the first byte for a kind of file, and the others for its content.
pub fn check(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    match kind % 6 {
        0 => key(bytes),
        1 => config(bytes),
        2 => index(bytes),
        3 => snapshot(bytes),
        4 => tree(bytes),
        _ => header(bytes),
    }
}

/// Returns `true` if scrypt does not take long for a key file.
pub(crate) fn is_quick(bytes: &[u8]) -> bool {
    let Ok(Value::Object(file)) = serde_json::from_slice(bytes) else { return false };
    let factor = |name: &str| file.get(name).and_then(Value::as_u64).unwrap_or(1);
    let factors = ["N", "r", "p"].map(factor);
    let work = factors.into_iter().try_fold(1_u64, |work, factor| work.checked_mul(factor));
    work.is_some_and(|work| work <= MOST_WORK)
}

/// Opens a key file, unless scrypt would take long.
fn key(bytes: &[u8]) {
    if !is_quick(bytes) {
        return;
    }
    let memory = Memory::new();
    memory.remove(File::Named(Kind::Key, name(&KEYS.0))).expect("it is there");
    memory.named(Kind::Key, bytes.to_vec());
    memory.open();
}

fn config(bytes: &[u8]) {
    let memory = Memory::new();
    memory.add(File::Config, KEYS.1.seal(bytes));
    if let Some(repository) = memory.open() {
        let text = repository.config_text();
        memory.add(File::Config, KEYS.1.seal(&text));
        assert_eq!(memory.open().expect("it was read before").config_text(), text);
    }
}

/// Compares what an index lists with what serde_json finds in the same text.
fn index(bytes: &[u8]) {
    let memory = Memory::new();
    memory.pack(BlobKind::Data, b"text", None);
    memory.named(Kind::Index, KEYS.1.seal(bytes));
    let repository = memory.open().expect("its key is right");
    let found = errors(&repository);
    let Ok(index) = repository.index() else {
        assert!(!found.is_empty(), "an index that cannot be read was not found");
        return;
    };
    if let Ok(text) = serde_json::from_slice::<Value>(bytes)
        && let Some(packs) = text["packs"].as_array()
    {
        assert_eq!(index.packs().len(), packs.len() + 1);
    }
}

fn snapshot(bytes: &[u8]) {
    let memory = Memory::new();
    memory.named(Kind::Snapshot, KEYS.1.seal(bytes));
    let repository = memory.open().expect("its key is right");
    // Its tree is nowhere.
    assert!(!errors(&repository).is_empty());
    restore_all(&repository);
    if let Ok(snapshot) = serde_json::from_slice::<Snapshot>(bytes) {
        let written = to_json(&snapshot);
        assert_eq!(serde_json::from_slice::<Snapshot>(&written).expect("it was written"), snapshot);
    }
}

fn tree(bytes: &[u8]) {
    let memory = Memory::new();
    memory.pack(BlobKind::Tree, bytes, None);
    memory.snapshot(name(bytes));
    let repository = memory.open().expect("its key is right");
    let found = errors(&repository);
    restore_all(&repository);
    match Tree::from_blob(bytes) {
        Ok(tree) => {
            for node in &tree.nodes {
                let leads = matches!(&node.name[..], b"" | b"." | b"..");
                assert!(!leads && !node.name.iter().any(|byte| b"/\0".contains(byte)));
            }
            assert_eq!(Tree::from_blob(&tree.to_blob()), Ok(tree));
        }
        Err(_) => assert!(!found.is_empty(), "a tree that cannot be read was not found"),
    }
}

/// Only one header is right for a pack of one blob.
fn header(bytes: &[u8]) {
    let (memory, blob) = (Memory::new(), b"text");
    memory.pack(BlobKind::Data, blob, Some(bytes));
    let repository = memory.open().expect("its key is right");
    let right = right_header(0, KEYS.1.seal(blob).len() as u32, name(blob));
    assert_eq!(errors(&repository).is_empty(), bytes == right);
}
