//! What the tests share; the fuzz targets share `scenario`.

pub mod make;
pub mod provider;
pub mod scenario;
