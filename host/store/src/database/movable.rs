//! What the host itself keeps beside components' SQL, as rows that are the same in a data folder and on PostgreSQL: so a
//! move takes it along, and compares it (STO-46).

use std::io;
use std::path::Path;

use super::moving::{Kind, MoveError, Table};
use super::types::Value;

/// How one part of it lies on PostgreSQL, in the schema `madoguchi_host`.
pub struct Relation {
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
}

/// The rows of a part, as they come.
pub type Rows = Box<dyn Iterator<Item = io::Result<Vec<Value>>>>;

/// One part of it.
pub trait Movable {
    fn relation(&self) -> &Relation;

    /// The rows in `folder`, a data folder, where nothing is changed.
    ///
    /// # Errors
    /// Those of the disk.
    fn rows(&self, folder: &Path) -> io::Result<Rows>;

    /// Puts a row into `folder`, which has nothing of this part but what was put there.
    ///
    /// # Errors
    /// Those of the disk, or that the row is none.
    fn put(&self, folder: &Path, row: &[Value]) -> io::Result<()>;

    /// The row as it is kept on either side.
    ///
    /// # Errors
    /// Why it is not kept there, in a sentence that says what to correct.
    fn fit(&self, row: Vec<Value>) -> Result<Vec<Value>, String> {
        Ok(row)
    }
}

impl Relation {
    pub(super) fn table(&self) -> Table {
        let columns = self.columns.iter().map(|(name, kind)| ((*name).to_owned(), *kind));
        Table { name: self.name.to_owned(), columns: columns.collect() }
    }
}

/// The rows in `folder`, each as it is kept on either side.
pub(super) fn fitting<'a>(
    part: &'a dyn Movable,
    table: &'a Table,
    folder: &Path,
) -> Result<impl Iterator<Item = Result<Vec<Value>, MoveError>> + use<'a>, MoveError> {
    let rows = part.rows(folder).map_err(|it| MoveError::of(&table.name, &it))?;
    Ok(rows.map(|row| fit(part, table, row.map_err(|it| MoveError::of(&table.name, &it))?)))
}

/// The row as it is kept on either side.
pub(super) fn fit(
    part: &dyn Movable,
    table: &Table,
    row: Vec<Value>,
) -> Result<Vec<Value>, MoveError> {
    table.fit(part.fit(row).map_err(|it| MoveError::of(&table.name, &it))?)
}

/// What is put there that is no row of its part.
pub fn no_row() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a row there is not as it should be")
}
