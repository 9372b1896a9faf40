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
        let mut device = None;
        let mut counts =
            |path: &Path, full: &[u8]| count(path, full, &mut device, filter, progress);
        let full = full.into_os_string().into_encoded_bytes();
        let mut waiting = Vec::new();
        if counts(path, &full) {
            waiting.push((path.clone(), full));
        }
        while let Some((path, full)) = waiting.pop() {
            for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
                if enough.load(Ordering::Relaxed) {
                    return false;
                }
                let name = entry.file_name();
                let name = name.as_encoded_bytes();
                let (path, full) = (joined(&path, name), below(&full, name));
                if counts(&path, &full) {
                    waiting.push((path, full));
                }
            }
        }
    }
    !enough.load(Ordering::Relaxed)
}

/// Counts what has a name. Returns `true` for a directory whose content counts too.
fn count(
    path: &Path,
    full: &[u8],
    device: &mut Option<u64>,
    filter: &Filter,
    progress: &Progress,
) -> bool {
    let Ok(stat) = lstat(path) else { return false };
    let elsewhere = stat.st_dev != *device.get_or_insert(stat.st_dev);
    if filter.one_file_system && elsewhere || filter.excludes(full, &stat) {
        return false;
    }
    let (_, kind) = Mode::from_unix(stat.st_mode);
    if kind == NodeKind::File {
        progress.total_files.fetch_add(1, Ordering::Relaxed);
        progress.total_bytes.fetch_add(stat.st_size as u64, Ordering::Relaxed);
    }
    kind == NodeKind::Dir
}
