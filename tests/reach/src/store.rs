//! Reads granted files, and writes and reads blobs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Stop, Tool, User, blobs, files};

use crate::named;

/// 許可されたファイルの一部を読む。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFile {
    name: String,
    offset: u64,
    length: u32,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Piece {
    text: String,
    size: u64,
}

impl Tool for ReadFile {
    named!(
        "read_file",
        "読む",
        "Read",
        "Reads a piece of a granted file.",
        "name",
        "offset",
        "length"
    );
    type Output = Piece;

    fn call(self, _: &User) -> Result<Piece, Stop> {
        let bytes = files::read(&self.name, self.offset, self.length)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Piece { text, size: files::size(&self.name)? })
    }
}

/// ブロブを作る。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PutBlob {
    text: String,
    mime_type: String,
    /// How many, each with another number at its end.
    #[serde(default)]
    times: u32,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Put {
    id: String,
    size: u64,
    mime_type: String,
}

impl Tool for PutBlob {
    named!("put_blob", "置く", "Put", "Makes a blob.", "text", "mime_type", "times");
    type Output = Put;

    fn call(self, _: &User) -> Result<Put, Stop> {
        for number in 1..self.times {
            blobs::put(format!("{}{number}", self.text).as_bytes(), &self.mime_type)?;
        }
        let blob = blobs::put(self.text.as_bytes(), &self.mime_type)?;
        Ok(Put { id: blob.id, size: blob.size, mime_type: blob.mime_type })
    }
}

/// ブロブを読む。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadBlob {
    id: String,
    offset: u64,
    length: u32,
}

impl Tool for ReadBlob {
    named!("read_blob", "見る", "See", "Reads a piece of a blob.", "id", "offset", "length");
    type Output = Piece;

    fn call(self, _: &User) -> Result<Piece, Stop> {
        let size = blobs::stat(&self.id)?.size;
        let bytes = blobs::read(&self.id, self.offset, self.length)?;
        Ok(Piece { text: String::from_utf8_lossy(&bytes).into_owned(), size })
    }
}
