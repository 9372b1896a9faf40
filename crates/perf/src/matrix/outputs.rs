//! The files that a run leaves behind.

use std::path::Path;

use super::options::MatrixOptions;
use crate::error::PerfError;
use crate::report::baseline::Baseline;
use crate::report::file::OutputFile;
use crate::report::row::Report;
use crate::report::{csv, page};

/// Files to be, opened before anything is measured.
pub struct Outputs {
    csv: Option<OutputFile>,
    json: Option<OutputFile>,
    page: Option<OutputFile>,
}

impl Outputs {
    /// Opens those that are asked for.
    ///
    /// # Errors
    /// One of them cannot be written, or two are the same.
    pub fn create(options: &MatrixOptions) -> Result<Outputs, PerfError> {
        let paths = [&options.csv, &options.json, &options.report].map(Option::as_deref);
        for (index, path) in paths.iter().enumerate() {
            if let Some(path) = path.filter(|path| paths[..index].contains(&Some(path))) {
                return Err(PerfError::SameFile { path: path.to_owned() });
            }
        }
        let create = |path: Option<&Path>| path.map(OutputFile::create).transpose();
        let [csv, json, page] = paths;
        Ok(Outputs { csv: create(csv)?, json: create(json)?, page: create(page)? })
    }

    /// Fills them, and puts them in their places.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn finish(self, report: &Report, baseline: Option<&Baseline>) -> Result<(), PerfError> {
        if let Some(file) = self.csv {
            file.finish(|out| csv::write(&report.rows, out))?;
        }
        if let Some(file) = self.json {
            file.finish(|out| report.write_json(out))?;
        }
        if let Some(file) = self.page {
            file.finish(|out| page::write(report, baseline, out))?;
        }
        Ok(())
    }
}
