//! What all commands share: the repository, its lock, and how they speak.

use std::env;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};

use broadloom::{Registry, registry_on};
use broadloom_lanes::Cpu;
use broadloom_program::message::{complain, reason};
use broadloom_program::streams::StandardOutput;
use broadloom_snapshot::snapshot::{Named, Selection, Snapshots};
use broadloom_snapshot::{Id, Lock, Remover, Repository, SnapshotError, store};

use super::args::{CommonArgs, SelectionArgs};
use super::password::password;

/// Why a command ends.
pub enum Failure {
    /// It is to be said.
    Said(String),
    /// Standard output cannot be written.
    Output(io::Error),
    /// Files that could not be read are not in the snapshot.
    Incomplete,
}

impl From<SnapshotError> for Failure {
    fn from(error: SnapshotError) -> Failure {
        Failure::Said(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure::Said(text)
    }
}

/// Standard output, buffered.
pub type Out = BufWriter<StandardOutput>;

/// The repository of a command line.
pub struct Context {
    pub program: &'static str,
    pub common: CommonArgs,
    pub repository: Arc<Repository>,
    pub out: Out,
}

/// What a signal removes before it ends the program.
static HELD: Mutex<Option<Remover>> = Mutex::new(None);

/// Removes the lock that is held.
pub fn release() {
    if let Some(remover) = &*HELD.lock().unwrap_or_else(PoisonError::into_inner) {
        remover.remove();
    }
}

/// How a command locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locking {
    /// It reads, and may do without.
    Reading,
    /// It adds.
    Adding,
    /// It removes, or must see no change.
    Alone,
}

impl Context {
    /// Opens the repository, or makes it.
    pub fn open(
        common: CommonArgs,
        program: &'static str,
        cpu: &Cpu,
        new: bool,
    ) -> Result<Context, Failure> {
        let address = common.repo.clone().or_else(|| env::var_os("RESTIC_REPOSITORY"));
        let address = address.ok_or_else(|| {
            "which repository? valid: --repo REPOSITORY, or RESTIC_REPOSITORY".to_owned()
        })?;
        let password = password(&common, new);
        let password = password.map_err(|error| format!("the password: {}", reason(&error)))?;
        let registry: Registry = registry_on(cpu);
        let store = store(address, &common, program)?;
        let repository = match new {
            true => Repository::init(store, &registry, &password)?,
            false => Repository::open(store, &registry, &password)?,
        };
        let (repository, out) = (Arc::new(repository), BufWriter::new(StandardOutput));
        Ok(Context { program, common, repository, out })
    }

    /// Locks the repository.
    pub fn lock(&self, how: Locking) -> Result<Option<Held>, Failure> {
        if how == Locking::Reading && self.common.no_lock {
            return Ok(None);
        }
        let lock = Lock::new(&self.repository, how == Locking::Alone)?;
        *HELD.lock().unwrap_or_else(PoisonError::into_inner) = Some(lock.remover());
        Ok(Some(Held(lock)))
    }

    /// All snapshots, oldest first. Files that are none are left out, with a warning.
    pub fn all(&self) -> Result<Snapshots, Failure> {
        Ok(Snapshots::all(&self.repository, &mut |error| self.left_out(error))?)
    }

    /// The ID of the snapshot that a text names.
    pub fn identify(&self, text: &str, selection: &Selection) -> Result<Id, Failure> {
        let mut skip = |error: &SnapshotError| self.left_out(error);
        Ok(Snapshots::identify(&self.repository, text, selection, &mut skip)?)
    }

    /// The snapshot that a text names. No other snapshot needs to be whole.
    pub fn find(&self, text: &str, selection: &Selection) -> Result<Named, Failure> {
        Ok(Snapshots::load(&self.repository, self.identify(text, selection)?)?)
    }

    fn left_out(&self, error: &SnapshotError) {
        complain(self.program, &format!("{error}; it is left out"));
    }

    /// The snapshots that are meant, oldest first: those that are named, or all that fit.
    pub fn chosen(&self, names: &[String], selection: &Selection) -> Result<Snapshots, Failure> {
        if names.is_empty() {
            let mut all = self.all()?;
            all.retain(selection);
            return Ok(all);
        }
        let chosen = names.iter().map(|name| self.find(name, selection));
        chosen.collect::<Result<_, _>>().map(Snapshots)
    }

    /// The snapshot that is meant, and the path behind its name.
    pub fn named(
        &self,
        text: &OsString,
        selection: &Selection,
    ) -> Result<(Named, Vec<u8>), Failure> {
        let bytes = text.as_encoded_bytes();
        let (name, path) = match bytes.iter().position(|&byte| byte == b':') {
            Some(at) => (&bytes[..at], &bytes[at + 1..]),
            None => (bytes, &b""[..]),
        };
        let name = String::from_utf8_lossy(name);
        Ok((self.find(&name, selection)?, path.to_vec()))
    }

    /// Says something that is not asked for; not with `--quiet` or `--json`.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        match self.common.quiet || self.common.json {
            true => Ok(()),
            false => writeln!(self.out, "{text}"),
        }
    }
}

/// A lock, which a signal removes too.
pub struct Held(pub Lock);

impl Drop for Held {
    fn drop(&mut self) {
        HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn store(
    address: OsString,
    common: &CommonArgs,
    program: &'static str,
) -> Result<Box<dyn store::Store>, Failure> {
    let rate = |kib: u64| NonZeroU64::new(kib << 10);
    let mut options = store::Options::default();
    (options.upload, options.download) = (rate(common.limit_upload), rate(common.limit_download));
    options.notice = Some(Arc::new(move |text: &str| complain(program, text)));
    match address.into_string() {
        Ok(text) => {
            let opened = store::open(&text, &options);
            opened.map_err(|error| Failure::Said(format!("the repository: {error}")))
        }
        // A name that is not UTF-8 is a directory's.
        Err(path) => Ok(Box::new(store::Directory::new(path).limited(&options))),
    }
}

impl SelectionArgs {
    /// Returns the snapshots that are meant.
    pub fn selection(&self) -> Selection {
        let tags = self.tag.iter().map(|tags| lists(tags)).collect();
        Selection { hosts: self.host.clone(), tags, paths: self.path.clone() }
    }
}

/// Tags with commas between them.
pub fn lists(tags: &str) -> Vec<String> {
    tags.split(',').map(str::to_owned).collect()
}
