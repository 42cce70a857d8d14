//! Blobs as rows, for moves between a folder and tables (STO-46).

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

use super::{
    Limits,
    index::{self, Kept},
    mime, read_at,
    table::PIECE_BYTES,
};
use crate::{
    database::{Kind, Movable, MovedRows, Value, no_row},
    private,
};

/// Folder of blobs.
const FOLDER: &str = "blobs";

/// Content ids are the leading bits of the digest.
const PUT: &str = "WITH of AS (SELECT ('x' || left($1, 16))::bit(64)::bigint AS content),
    own AS (INSERT INTO madoguchi_host.contents (content, owner, promised)
        SELECT content, $6, greatest($3, 4096) FROM of)
    INSERT INTO madoguchi_host.blobs (id, content, size, mime_type, sniffed, used_ms)
        SELECT $1, content, $3, $2, $4, $5 FROM of";
const PUT_PIECE: &str = "INSERT INTO madoguchi_host.pieces (content, number, bytes)
    VALUES (('x' || left($1, 16))::bit(64)::bigint, $2::int, $3)";

/// Metadata and contents to move, contents last. Blobs larger than `limits` are rejected.
pub fn movables(limits: &Limits) -> [Movable; 2] {
    let most = limits.blob_bytes_max;
    let of_files = Movable {
        name: "files",
        columns: &[
            ("id", Kind::Text),
            ("mime_type", Kind::Text),
            ("size", Kind::Integer),
            ("sniffed", Kind::Text),
            ("used_ms", Kind::Integer),
            ("share", Kind::Text),
        ],
        select: "SELECT id, mime_type, size, sniffed, used_ms, owner
            FROM madoguchi_host.blobs JOIN madoguchi_host.contents USING (content)"
            .to_owned(),
        insert: PUT,
        path: Some(FOLDER),
        rows: Box::new(files),
        put: Box::new(put_file),
        fit: Box::new(move |row| fit(row, most)),
    };
    let of_pieces = Movable {
        name: "pieces",
        columns: &[("id", Kind::Text), ("number", Kind::Integer), ("bytes", Kind::Blob)],
        select: "SELECT id, number, bytes
            FROM madoguchi_host.blobs JOIN madoguchi_host.pieces USING (content)"
            .to_owned(),
        insert: PUT_PIECE,
        path: None,
        rows: Box::new(pieces),
        put: Box::new(put_piece),
        fit: Box::new(Ok),
    };
    [of_files, of_pieces]
}

fn files(folder: &Path) -> io::Result<MovedRows> {
    let each = index::walk(&folder.join(FOLDER)).map(|it| -> io::Result<Vec<Value>> {
        let (id, _, kept) = it?;
        Ok(vec![
            Value::Text(id),
            Value::Text(kept.mime_type),
            Value::Integer(kept.size.cast_signed()),
            kept.sniffed.map_or(Value::Null, |it| Value::Text(it.to_owned())),
            Value::Integer(i64::try_from(kept.used.as_millis()).unwrap_or(i64::MAX)),
            Value::Text(kept.share.as_deref().unwrap_or_default().to_owned()),
        ])
    });
    Ok(Box::new(each))
}

fn put_file(folder: &Path, row: &[Value]) -> io::Result<()> {
    let [
        Value::Text(id),
        Value::Text(mime_type),
        Value::Integer(size),
        sniffed,
        Value::Integer(used_ms),
        Value::Text(share),
    ] = row
    else {
        return Err(no_row());
    };
    let path = path(folder, id)?;
    if let Some(above) = path.parent() {
        private::make_folder(above)?;
    }
    let sniffed = if let Value::Text(it) = sniffed { mime::known(it) } else { None };
    let share = (!share.is_empty()).then(|| share.as_str().into());
    let used = Duration::from_millis(used_ms.unsigned_abs());
    let kept = Kept::new(size.unsigned_abs(), mime_type.clone(), sniffed, (share, used));
    private::write(&path.with_extension("json"), &serde_json::to_vec(&kept)?)?;
    private::create_new(&path)?.set_modified(UNIX_EPOCH + used)
}

fn fit(mut row: Vec<Value>, most: u64) -> Result<Vec<Value>, String> {
    if let [Value::Text(id), _, Value::Integer(size), ..] = &row[..]
        && size.unsigned_abs() > most
    {
        return Err(format!(
            "the file {id} has {size} bytes, and {most} is most: set blob_bytes_max under [blobs] to {size} at least, or let it end first"
        ));
    }
    // Unknown types are dropped on both sides.
    if let Some(Value::Text(it)) = row.get(3)
        && mime::known(it).is_none()
    {
        row[3] = Value::Null;
    }
    Ok(row)
}

fn pieces(folder: &Path) -> io::Result<MovedRows> {
    let mut blobs = index::walk(&folder.join(FOLDER));
    let mut open: Option<(String, File, u64)> = None;
    let mut next = move || -> io::Result<Option<Vec<Value>>> {
        loop {
            if let Some((id, file, number)) = &mut open {
                let mut bytes = vec![0; PIECE_BYTES];
                let read = read_at(file, &mut bytes, *number * PIECE_BYTES as u64)?;
                bytes.truncate(read);
                if read > 0 {
                    let at = Value::Integer(number.cast_signed());
                    *number += 1;
                    return Ok(Some(vec![Value::Text(id.clone()), at, Value::Blob(bytes)]));
                }
            }
            let Some(blob) = blobs.next() else { return Ok(None) };
            let (id, path, _) = blob?;
            open = Some((id, File::open(path)?, 0));
        }
    };
    Ok(Box::new(std::iter::from_fn(move || next().transpose())))
}

fn put_piece(folder: &Path, row: &[Value]) -> io::Result<()> {
    let [Value::Text(id), Value::Integer(number), Value::Blob(bytes)] = row else {
        return Err(no_row());
    };
    let file = private::options().write(true).open(path(folder, id)?)?;
    // The modification time is the time of last use.
    let used = file.metadata()?.modified()?;
    file.write_all_at(bytes, number.unsigned_abs() * PIECE_BYTES as u64)?;
    file.set_modified(used)
}

fn path(folder: &Path, id: &str) -> io::Result<std::path::PathBuf> {
    index::is_id(id).then(|| index::path(&folder.join(FOLDER), id)).ok_or_else(no_row)
}
