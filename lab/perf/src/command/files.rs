//! The files that a run leaves behind, and where its tables go.

use std::io::{self, BufWriter, ErrorKind, LineWriter, Write};
use std::path::{Path, PathBuf};

use broadloom_perf::PerfError;
use broadloom_perf::report::csv;
use broadloom_perf::report::row::Report;
use broadloom_program::identity::is_same;
use broadloom_program::metrics::MetricsArgs;
use broadloom_program::output::Output;
use broadloom_program::streams::StandardOutput;
use clap::Args;

use super::failure::Failure;

/// Where the rows go, and the page.
#[derive(Args)]
pub struct FileArgs {
    /// Write all rows to FILE as CSV; with - to standard output, and the tables to standard error
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write all rows to FILE as JSON, or with - to standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write a page with tables and charts to FILE, or with - to standard output; it needs nothing
    /// but a browser
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    #[command(flatten)]
    metrics: MetricsArgs,
}

/// The output files. They are opened before the measurement, so that an unwritable file costs no
/// run.
struct Files {
    csv: Option<Sink>,
    json: Option<Sink>,
    page: Option<Sink>,
}

/// One of them.
struct Sink {
    path: PathBuf,
    to: To,
}

enum To {
    StandardOutput,
    Output(Output),
}

/// Measures, and leaves the files that were asked for, none in the place of one of the `inputs`.
/// Where the tables cannot be written, files still are.
///
/// # Errors
/// Of `run`; and if something cannot be written.
pub fn leave(
    args: &FileArgs,
    inputs: &[&Path],
    run: impl FnOnce(&mut Tables) -> Result<Report, PerfError>,
    page: impl FnOnce(&Report, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let files = Files::open(args, inputs)?;
    let _offered = args.metrics.offer("broadloom-perf").map_err(Failure::Metrics)?;
    let mut tables = files.tables();
    let report = run(&mut tables)?;
    files.write(&report, page)?;
    tables.end()
}

impl Files {
    fn open(args: &FileArgs, inputs: &[&Path]) -> Result<Files, Failure> {
        for output in [&args.csv, &args.json, &args.report].into_iter().flatten() {
            if let Some(input) = inputs.iter().find(|input| is_same(input, output)) {
                return Err(Failure::Input { path: output.clone(), input: input.to_path_buf() });
            }
        }
        let open = |path: &Option<PathBuf>| path.as_deref().map(Sink::open).transpose();
        let files =
            Files { csv: open(&args.csv)?, json: open(&args.json)?, page: open(&args.report)? };
        let all: Vec<&Sink> = files.all().collect();
        let again =
            (1..all.len()).find(|&index| all[..index].iter().any(|one| one.is_same(all[index])));
        match again {
            Some(index) => Err(Failure::Twice { path: all[index].path.clone() }),
            None => Ok(files),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Sink> {
        [&self.csv, &self.json, &self.page].into_iter().flatten()
    }

    /// Returns where the tables go: to standard output, unless that is one of the files.
    fn tables(&self) -> Tables {
        let taken = self.all().any(|sink| matches!(sink.to, To::StandardOutput));
        Tables {
            out: match taken {
                true => Box::new(io::stderr()),
                false => Box::new(LineWriter::new(StandardOutput)),
            },
            goes_on: self.all().next().is_some(),
            failed: None,
        }
    }

    /// Writes all of them, even where one fails.
    fn write(
        self,
        report: &Report,
        page: impl FnOnce(&Report, &mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let csv = self.csv.map_or(Ok(()), |sink| sink.write(|out| csv::write(&report.rows, out)));
        let json = self.json.map_or(Ok(()), |sink| sink.write(|out| report.write_json(out)));
        let page = self.page.map_or(Ok(()), |sink| sink.write(|out| page(report, out)));
        csv.and(json).and(page)
    }
}

impl Sink {
    fn open(path: &Path) -> Result<Sink, Failure> {
        let to = match path.as_os_str() == "-" {
            true => To::StandardOutput,
            false => To::Output(
                Output::create(path)
                    .map_err(|error| Failure::Write { path: path.to_owned(), error })?,
            ),
        };
        Ok(Sink { path: path.to_owned(), to })
    }

    /// Returns `true` if one of the two would take the other's place, or both are mixed.
    fn is_same(&self, other: &Sink) -> bool {
        match (&self.to, &other.to) {
            (To::StandardOutput, To::StandardOutput) => true,
            (To::Output(one), To::Output(other)) => {
                one.place().is_some() && one.place() == other.place()
            }
            _ => false,
        }
    }

    fn write(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        match self.to {
            To::StandardOutput => {
                let mut out = BufWriter::new(StandardOutput);
                write(&mut out).and_then(|()| out.flush()).map_err(Failure::StandardOutput)
            }
            To::Output(output) => {
                output.finish(write).map_err(|error| Failure::Write { path: self.path, error })
            }
        }
    }
}

/// Where the tables go. If output files are to be written as well, an error in the tables is kept
/// until the files are written.
pub struct Tables {
    out: Box<dyn Write>,
    goes_on: bool,
    failed: Option<io::Error>,
}

impl Tables {
    fn try_to<T>(
        &mut self,
        instead: T,
        work: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.failed.is_some() {
            return Ok(instead);
        }
        match work(&mut *self.out) {
            Err(error) if self.goes_on && error.kind() != ErrorKind::Interrupted => {
                self.failed = Some(error);
                Ok(instead)
            }
            done => done,
        }
    }

    /// Returns the error that kept the tables from being written. It is no error if the reader has
    /// left, because it has seen what it wanted.
    fn end(mut self) -> Result<(), Failure> {
        self.flush().map_err(PerfError::Tables)?;
        match self.failed.filter(|error| error.kind() != ErrorKind::BrokenPipe) {
            Some(error) => Err(PerfError::Tables(error).into()),
            None => Ok(()),
        }
    }
}

impl Write for Tables {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.try_to(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.try_to((), |out| out.flush())
    }
}
