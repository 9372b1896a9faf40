//! How much there is to save, counted beside the backup.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::lstat;

use super::Progress;
use super::filter::Filter;
use super::targets::{absolute, below};
use super::worker::joined;
use crate::node::{Mode, NodeKind};

/// Adds files and bytes below some paths to the totals, until `enough`. Says whether all were
/// counted. What cannot be read is left to the backup to report.
pub fn estimate(
    paths: &[PathBuf],
    filter: &Filter,
    progress: &Progress,
    enough: &AtomicBool,
) -> bool {
    for path in paths {
        let Ok(full) = absolute(path) else { continue };
        count(path, full.as_os_str().as_encoded_bytes(), None, filter, progress, enough);
    }
    !enough.load(Ordering::Relaxed)
}

fn count(
    path: &Path,
    full: &[u8],
    device: Option<u64>,
    filter: &Filter,
    progress: &Progress,
    enough: &AtomicBool,
) {
    let Ok(stat) = lstat(path) else { return };
    let device = device.unwrap_or(stat.st_dev);
    let elsewhere = filter.one_file_system && stat.st_dev != device;
    if enough.load(Ordering::Relaxed) || elsewhere || filter.excludes(full, &stat) {
        return;
    }
    let (_, kind) = Mode::from_unix(stat.st_mode);
    if kind == NodeKind::File {
        progress.total_files.fetch_add(1, Ordering::Relaxed);
        progress.total_bytes.fetch_add(stat.st_size as u64, Ordering::Relaxed);
    }
    if kind != NodeKind::Dir {
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let (path, full) = (joined(path, name), below(full, name));
        count(&path, &full, Some(device), filter, progress, enough);
    }
}
