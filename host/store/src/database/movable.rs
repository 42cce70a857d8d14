//! Data of the host as rows, equal in a data folder and on PostgreSQL, so that moves include and compare it (STO-46).

use std::io;
use std::path::Path;

use super::moving::{Kind, Table};
use super::types::Value;
use crate::data::DataError;

/// The rows of a part, as they come.
pub type Rows = Box<dyn Iterator<Item = io::Result<Vec<Value>>>>;
/// Reads rows of a data folder without changes.
type Read = Box<dyn Fn(&Path) -> io::Result<Rows>>;
/// Writes a row to a folder that has only rows written before it.
type Put = Box<dyn Fn(&Path, &[Value]) -> io::Result<()>>;
/// Adapts a row to both sides, or explains why it cannot be moved.
type Fit = Box<dyn Fn(Vec<Value>) -> Result<Vec<Value>, String>>;

/// A part of the host's data, and its table in the schema `madoguchi_host`.
pub struct Movable {
    /// Name for display.
    pub name: &'static str,
    /// The values of a row.
    pub columns: &'static [(&'static str, Kind)],
    /// The query that gives all rows, and the statement that puts one there.
    pub select: String,
    pub insert: &'static str,
    /// Path in a data folder that must be empty before a move. Mere copies are replaced.
    pub path: Option<&'static str>,
    pub rows: Read,
    pub put: Put,
    pub fit: Fit,
}

impl Movable {
    pub(super) fn table(&self) -> Table {
        let columns = self.columns.iter().map(|(name, kind)| ((*name).to_owned(), *kind));
        Table { name: self.name.to_owned(), columns: columns.collect() }
    }
}

/// Rows in `folder`, adapted to both sides.
pub(super) fn fitting<'a>(
    part: &'a Movable,
    table: &'a Table,
    folder: &Path,
) -> Result<impl Iterator<Item = Result<Vec<Value>, DataError>> + use<'a>, DataError> {
    let rows = (part.rows)(folder).map_err(|it| DataError::for_name(&table.name, &it))?;
    Ok(rows.map(|row| fit(part, table, row.map_err(|it| DataError::for_name(&table.name, &it))?)))
}

/// Adapts a row to both sides.
pub(super) fn fit(part: &Movable, table: &Table, row: Vec<Value>) -> Result<Vec<Value>, DataError> {
    table.fit((part.fit)(row).map_err(|it| DataError::for_name(&table.name, &it))?)
}

/// Error for a foreign row.
pub fn no_row() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a row there is not as it should be")
}
