//! `parcomp`: the parallel compression benchmark of Intel's *Programming Intel QuickAssist
//! Technology Hardware Accelerators for Optimal Performance*, with its command line.

#![forbid(unsafe_code)]

mod args;
mod clock;
mod mask;
mod report;
mod run;

use std::error::Error;
use std::fs;
use std::io::Write;
use std::process::ExitCode;

use broadloom_lanes::Cpu;
use broadloom_program::command_line::parse;
use broadloom_program::identity::is_same;
use broadloom_program::message::{USAGE, complain, is_broken_pipe, printed_status, reason};
use broadloom_program::output::Output;
use broadloom_program::quote::shown;
use broadloom_program::signals;
use broadloom_program::streams::{self, StandardOutput};
use clap::CommandFactory;
use clap_mangen::Man;

use args::Args;
use clock::Clock;
use report::{Outcome, csv, table};
use run::Benchmark;

const PROGRAM: &str = "parcomp";

fn main() -> ExitCode {
    if let Err(error) = streams::refuse_closed() {
        return fail(&error, 1);
    }
    if std::env::args_os().skip(1).eq(["--man"]) {
        return printed_status(PROGRAM, Man::new(Args::command()).render(&mut StandardOutput));
    }
    let args: Args = match parse(PROGRAM, std::env::args_os()) {
        Ok(args) => args,
        Err(status) => return status,
    };
    let clock = Clock::new(args.frequency);
    let benchmark = match Benchmark::new(&args, &Cpu::detect()) {
        Ok(benchmark) => benchmark,
        Err(error) => return fail(&*error, USAGE),
    };
    if let Some(path) = args.output.as_deref().filter(|path| is_same(&args.input, path)) {
        let text = format!(
            "{}: this is the input file {}; valid: another for the output",
            shown(path),
            shown(&args.input)
        );
        return fail(&*Box::<dyn Error>::from(text), USAGE);
    }
    match measure(&args, &clock, &benchmark) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&*error) => signals::die_of_broken_pipe(),
        Err(error) => fail(&*error, 1),
    }
}

fn measure(args: &Args, clock: &Clock, benchmark: &Benchmark<'_>) -> Result<(), Box<dyn Error>> {
    let of_input = |error: Box<dyn Error>| format!("{}: {error}", shown(&args.input));
    let input = fs::read(&args.input).map_err(|error| of_input(reason(&error).into()))?;
    let description = benchmark.description();
    if args.provider.is_device() {
        complain(PROGRAM, &format!("there is no device: this is {description}"));
    }
    if let Some(missing) = &benchmark.missing {
        complain(PROGRAM, missing);
    }
    benchmark.pin()?;
    let mut output = benchmark.output(&input);
    let prepared = benchmark.prepare(&input, &mut output).map_err(of_input)?;
    let mut outcome = Outcome {
        cores: benchmark.cores.clone(),
        window: benchmark.window,
        who: vec![
            ("provider", format!("{} ({description})", args.provider.spec)),
            ("kernel", benchmark.kernel.clone()),
        ],
        ..Outcome::default()
    };
    for _ in 0..args.iterations {
        let iteration = benchmark.iterate(clock, &input, &mut output).map_err(of_input)?;
        outcome.chunks = iteration.report.chunks;
        outcome.overflows = iteration.report.overflows;
        outcome.iterations.push(iteration.taken);
    }
    let (read, made) = (input.len() as u64, output.len() as u64);
    (outcome.uncompressed, outcome.compressed) =
        if args.decompress { (made, read) } else { (read, made) };
    if let Some(path) = &args.output {
        signals::watch()?;
        let written =
            Output::create(path).and_then(|file| file.finish(|out| out.write_all(&output)));
        written.map_err(|error| format!("{}: {}", shown(path), reason(&error)))?;
    }
    outcome.emulation = benchmark.emulation(prepared);
    if let (Some(emulation), Some(_)) = (&outcome.emulation, args.csv) {
        complain(PROGRAM, emulation);
    }
    let text = match args.csv {
        Some(lines) => csv(args, &outcome, clock.mhz(), lines == 2),
        None => table(args, &outcome, args.verbose.then(|| clock.mhz())),
    };
    StandardOutput.write_all(text.as_bytes()).map_err(|error| match is_broken_pipe(&error) {
        true => error.into(),
        false => format!("write error: {}", reason(&error)).into(),
    })
}

fn fail(error: &dyn Error, status: u8) -> ExitCode {
    complain(PROGRAM, &error.to_string());
    ExitCode::from(status)
}
