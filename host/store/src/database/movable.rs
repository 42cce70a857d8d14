//! What the host itself keeps beside components' SQL, as rows that are the same in a data folder and on PostgreSQL: so a
//! move takes it along, and compares it (STO-46).

use std::io;
use std::path::Path;

use super::moving::{Kind, MoveError, Table};
use super::types::Value;

/// The rows of a part, as they come.
pub type Rows = Box<dyn Iterator<Item = io::Result<Vec<Value>>>>;
/// What reads the rows of a data folder, where nothing is changed.
type Read = Box<dyn Fn(&Path) -> io::Result<Rows>>;
/// What puts a row into a folder, which has nothing of its part but what was put there.
type Put = Box<dyn Fn(&Path, &[Value]) -> io::Result<()>>;
/// What gives the row as it is kept on either side; or says why it is not kept there, in a sentence that says what to
/// correct.
type Fit = Box<dyn Fn(Vec<Value>) -> Result<Vec<Value>, String>>;

/// One part of it, and how it lies on PostgreSQL, in the schema `madoguchi_host`.
pub struct Movable {
    /// What it is called where it is told of.
    pub name: &'static str,
    /// The values of a row.
    pub columns: &'static [(&'static str, Kind)],
    /// The query that gives all rows, and the statement that puts one there.
    pub select: String,
    pub insert: &'static str,
    /// Where it lies in a data folder, if nothing of it may be there when it comes. What a data folder has copies of
    /// gives way.
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

/// The rows in `folder`, each as it is kept on either side.
pub(super) fn fitting<'a>(
    part: &'a Movable,
    table: &'a Table,
    folder: &Path,
) -> Result<impl Iterator<Item = Result<Vec<Value>, MoveError>> + use<'a>, MoveError> {
    let rows = (part.rows)(folder).map_err(|it| MoveError::of(&table.name, &it))?;
    Ok(rows.map(|row| fit(part, table, row.map_err(|it| MoveError::of(&table.name, &it))?)))
}

/// The row as it is kept on either side.
pub(super) fn fit(part: &Movable, table: &Table, row: Vec<Value>) -> Result<Vec<Value>, MoveError> {
    table.fit((part.fit)(row).map_err(|it| MoveError::of(&table.name, &it))?)
}

/// What is put there that is no row of its part.
pub fn no_row() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a row there is not as it should be")
}
