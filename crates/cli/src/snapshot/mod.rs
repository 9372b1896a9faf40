//! `broadloom snapshot`: what restic does, in restic's repositories.

mod args;
mod backup;
mod context;
mod display;
mod lists;
mod maintain;
mod password;
mod restore;
mod show;
mod text;

use std::io::Write;
use std::process::ExitCode;

use broadloom_lanes::Cpu;
use broadloom_program::message::{complain, printed_status};
use broadloom_program::signals;

pub use args::SnapshotArgs;
use args::SnapshotCommand;
use context::{Context, Failure};

/// The exit status of a backup that left out files that could not be read: restic's.
const INCOMPLETE: u8 = 3;

/// Does what the arguments ask for.
pub fn run(args: SnapshotArgs, cpu: &Cpu) -> ExitCode {
    let program = match &args.command {
        SnapshotCommand::Init => "broadloom snapshot init",
        SnapshotCommand::Backup(_) => "broadloom snapshot backup",
        SnapshotCommand::Restore(_) => "broadloom snapshot restore",
        SnapshotCommand::List(_) => "broadloom snapshot list",
        SnapshotCommand::Ls(_) => "broadloom snapshot ls",
        SnapshotCommand::Check(_) => "broadloom snapshot check",
        SnapshotCommand::Forget(_) => "broadloom snapshot forget",
        SnapshotCommand::Diff(_) => "broadloom snapshot diff",
        SnapshotCommand::Stats(_) => "broadloom snapshot stats",
        SnapshotCommand::Cat(_) => "broadloom snapshot cat",
        SnapshotCommand::Find(_) => "broadloom snapshot find",
        SnapshotCommand::Unlock(_) => "broadloom snapshot unlock",
    };
    // Without signals a lock would stay: then rather nothing is begun.
    if let Err(error) = signals::watch_and(context::release) {
        complain(program, &format!("signals cannot be watched: {error}"));
        return ExitCode::FAILURE;
    }
    match execute(args, program, cpu) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Said(text)) => {
            complain(program, &text);
            ExitCode::FAILURE
        }
        Err(Failure::Output(error)) => printed_status(program, Err(error)),
        Err(Failure::Incomplete) => ExitCode::from(INCOMPLETE),
    }
}

fn execute(args: SnapshotArgs, program: &'static str, cpu: &Cpu) -> Result<(), Failure> {
    let _offered = args.common.metrics.offer(program).map_err(Failure::Said)?;
    let new = matches!(args.command, SnapshotCommand::Init);
    let mut context = Context::open(args.common, program, cpu, new)?;
    let done = match args.command {
        SnapshotCommand::Init => maintain::init(&mut context),
        SnapshotCommand::Backup(args) => backup::run(&mut context, *args, cpu),
        SnapshotCommand::Restore(args) => restore::run(&mut context, &args),
        SnapshotCommand::List(args) => show::list(&mut context, &args),
        SnapshotCommand::Ls(args) => show::ls(&mut context, &args),
        SnapshotCommand::Check(args) => maintain::run_check(&mut context, &args),
        SnapshotCommand::Forget(args) => maintain::run_forget(&mut context, &args),
        SnapshotCommand::Diff(args) => show::differences(&mut context, &args),
        SnapshotCommand::Stats(args) => show::statistics(&mut context, &args),
        SnapshotCommand::Cat(args) => maintain::cat(&mut context, &args),
        SnapshotCommand::Find(args) => show::find(&mut context, &args),
        SnapshotCommand::Unlock(args) => maintain::run_unlock(&mut context, &args),
    };
    let flushed = context.out.flush();
    done.and(flushed.map_err(Failure::Output))
}
