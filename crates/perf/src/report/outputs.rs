//! The files that a run leaves behind.

use std::io::{self, Write};
use std::path::Path;

use super::csv;
use super::file::OutputFile;
use super::row::Report;
use crate::error::PerfError;

/// Where a run's files go.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paths<'p> {
    /// The rows as CSV.
    pub csv: Option<&'p Path>,
    /// The rows as JSON.
    pub json: Option<&'p Path>,
    /// The page.
    pub page: Option<&'p Path>,
}

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
    pub fn create(paths: Paths<'_>) -> Result<Outputs, PerfError> {
        let paths = [paths.csv, paths.json, paths.page];
        for (index, path) in paths.iter().enumerate() {
            if let Some(path) = path.filter(|path| paths[..index].contains(&Some(path))) {
                return Err(PerfError::SameFile { path: path.to_owned() });
            }
        }
        let create = |path: Option<&Path>| path.map(OutputFile::create).transpose();
        let [csv, json, page] = paths;
        Ok(Outputs { csv: create(csv)?, json: create(json)?, page: create(page)? })
    }

    /// Fills them, the page with what `write_page` writes, and puts them in their places.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn finish(
        self,
        report: &Report,
        write_page: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), PerfError> {
        if let Some(file) = self.csv {
            file.finish(|out| csv::write(&report.rows, out))?;
        }
        if let Some(file) = self.json {
            file.finish(|out| report.write_json(out))?;
        }
        if let Some(file) = self.page {
            file.finish(|out| write_page(out))?;
        }
        Ok(())
    }
}
