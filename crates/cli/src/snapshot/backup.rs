//! `broadloom snapshot backup`.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use broadloom::error::SpecError;
use broadloom::registry_on;
use broadloom_lanes::Cpu;
use broadloom_program::message::complain;
use broadloom_program::streams::StandardInput;
use broadloom_snapshot::backup::{
    BackupOptions, Changes, Filter, Hasher, Parent, Progress, Source, Summary, backup, estimate,
};
use broadloom_snapshot::snapshot::Selection;
use broadloom_snapshot::{Compression, Time, to_json};
use serde_json::json;

use super::args::{BackupArgs, How};
use super::context::{Context, Failure, Locking};
use super::display::Display;
use super::lists;
use super::text::{size, span};

const PROGRAM: &str = "broadloom snapshot backup";

/// Makes the backup.
pub fn run(context: &mut Context, args: BackupArgs, cpu: &Cpu) -> Result<(), Failure> {
    let hasher = hasher(&args, cpu)?;
    let mut warn = |text: &str| complain(PROGRAM, text);
    let (filter, excludes) = filter(&args, &mut warn)?;
    let paths = lists::sources(&args, &mut warn)?;
    let lock = match args.dry_run {
        true => None,
        false => context.lock(Locking::Adding)?,
    };
    let parent = match (&args.parent, args.force) {
        (_, true) => Parent::None,
        (None, false) => Parent::Latest,
        (Some(name), false) => Parent::Snapshot(context.identify(name, &Selection::default())?),
    };
    let source = match args.stdin {
        true => {
            let name = args.stdin_filename.clone();
            Source::Stream { name, content: Box::new(StandardInput) }
        }
        false => Source::Paths(paths.clone()),
    };
    let mut options = BackupOptions::new(source);
    options.excludes = excludes;
    options.tags = args.tag.iter().filter(|tag| !tag.is_empty()).cloned().collect();
    options.host = args.host.clone();
    options.time = args.time.as_deref().map(Time::parse_local).transpose()?;
    options.parent = parent;
    let ignore_ctime = args.ignore_ctime || args.ignore_inode;
    options.changes = Changes { ignore_ctime, ignore_inode: args.ignore_inode };
    options.with_atime = args.with_atime;
    options.dry_run = args.dry_run;
    options.skip_if_unchanged = args.skip_if_unchanged;
    options.compression = match args.compression {
        How::Auto => Compression::Auto,
        How::Off => Compression::Off,
        How::Max => Compression::Max,
    };
    options.hasher = hasher;
    options.threads = args.threads.get();
    options.memory = usize::try_from(args.memory.get()).unwrap_or(usize::MAX);
    let common = &context.common;
    let display = Display::new(PROGRAM, "archival", common.json, common.quiet);
    let progress = Progress::default();
    let enough = AtomicBool::new(false);
    let lock = lock.as_ref().map(|held| &held.0);
    let (repository, filter) = (&context.repository, &filter);
    options.filter = filter.clone();
    let summary = thread::scope(|scope| {
        if display.is_watched() && !args.stdin {
            scope.spawn(|| {
                if estimate(&paths, filter, &progress, &enough) {
                    display.counted.store(true, Ordering::Relaxed);
                }
            });
        }
        let made =
            display.during(&progress, || backup(repository, lock, options, &progress, &display));
        enough.store(true, Ordering::Relaxed);
        made
    })?;
    tell(context, &summary, args.dry_run)?;
    if let Some((reason, count)) = summary.fell_back {
        complain(PROGRAM, &format!("{count} blobs were hashed by the fallback: {reason}"));
    }
    if summary.incomplete { Err(Failure::Incomplete) } else { Ok(()) }
}

/// Opens the provider that hashes chunks, if the command line names one.
fn hasher(args: &BackupArgs, cpu: &Cpu) -> Result<Option<Hasher>, Failure> {
    let Some(spec) = &args.provider else { return Ok(None) };
    let fallback = args.fallback;
    match registry_on(cpu).open_provider(spec) {
        Ok(provider) => Ok(Some(Hasher { provider, fallback })),
        Err(error @ SpecError::Absent { .. }) if fallback => {
            complain(PROGRAM, &format!("{error}; all blobs are hashed by the fallback"));
            Ok(None)
        }
        Err(error) => Err(error.to_string().into()),
    }
}

/// Returns the filter of what is left out, and the patterns for the snapshot.
fn filter(args: &BackupArgs, warn: &mut dyn FnMut(&str)) -> Result<(Filter, Vec<String>), Failure> {
    let mut filter = Filter {
        exclude_caches: args.exclude_caches,
        exclude_larger_than: args.exclude_larger_than.map(u64::from),
        one_file_system: args.one_file_system,
        exclude_if_present: args.exclude_if_present.clone(),
        ..Filter::default()
    };
    let mut excludes = args.exclude.clone();
    for path in &args.exclude_file {
        excludes.extend(lists::patterns(path, warn)?);
    }
    for pattern in &excludes {
        filter.excludes.add(pattern, false)?;
    }
    for pattern in &args.iexclude {
        filter.excludes.add(pattern, true)?;
    }
    excludes.extend(args.iexclude.iter().cloned());
    Ok((filter, excludes))
}

fn tell(context: &mut Context, summary: &Summary, dry_run: bool) -> Result<(), Failure> {
    if context.common.json {
        let mut line = json!({
            "message_type": "summary",
            "files_new": summary.files_new,
            "files_changed": summary.files_changed,
            "files_unmodified": summary.files_unmodified,
            "dirs_new": summary.dirs_new,
            "dirs_changed": summary.dirs_changed,
            "dirs_unmodified": summary.dirs_unmodified,
            "data_blobs": summary.data_blobs,
            "tree_blobs": summary.tree_blobs,
            "data_added": summary.added,
            "data_added_packed": summary.stored,
            "total_files_processed": summary.files(),
            "total_bytes_processed": summary.bytes,
            "total_duration": summary.duration.as_secs_f64(),
        });
        match summary.snapshot {
            Some(id) => line["snapshot_id"] = json!(id.to_string()),
            None if dry_run => line["dry_run"] = json!(true),
            None => {}
        }
        context.out.write_all(&to_json(&line))?;
        writeln!(context.out)?;
        return Ok(());
    }
    let (files, dirs) = (
        (summary.files_new, summary.files_changed, summary.files_unmodified),
        (summary.dirs_new, summary.dirs_changed, summary.dirs_unmodified),
    );
    if let Some(parent) = summary.parent {
        context.say(&format!("using parent snapshot {}\n", parent.short()))?;
    }
    for (what, (new, changed, same)) in [("Files:", files), ("Dirs: ", dirs)] {
        let line = format!("{what} {new:11} new, {changed:5} changed, {same:5} unmodified");
        context.say(&line)?;
    }
    let would = if dry_run { "Would add" } else { "Added" };
    let (added, stored) = (size(summary.added), size(summary.stored));
    context.say(&format!("{would} to the repository: {added} ({stored} stored)\n"))?;
    let (files, bytes) = (summary.files(), size(summary.bytes));
    context.say(&format!("processed {files} files, {bytes} in {}", span(summary.duration)))?;
    match summary.snapshot {
        Some(id) => context.say(&format!("snapshot {} saved", id.short()))?,
        None if dry_run => {}
        None => context.say("nothing changed: no snapshot is made")?,
    }
    Ok(())
}
