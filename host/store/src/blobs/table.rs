//! Blobs in tables that nodes share (STO-14). Contents are rows of pieces, which are read singly, removed with their
//! blob, and part of database backups; large objects would need a transaction per reader. An upload belongs to its node
//! and ends with it.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::Path,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use tokio_postgres::Row;

use super::{
    Blob, BlobError, Blobs, Limits, TOUCH_EVERY, UPLOADS_MAX,
    index::{self, Grace, Kept},
    mime, read_at,
};
use crate::{
    clock::Clock,
    database::{
        Kind, Movable, MovedRows, Value, no_row,
        postgres::{GONE_AFTER, Server},
    },
    private,
};

pub(super) const PIECE_BYTES: usize = 256 << 10;
/// Retry delay for removing an abandoned upload.
const AGAIN_AFTER: Duration = Duration::from_secs(1);
/// Blobs that one sweep removes at a time.
const SWEPT_MAX: i64 = 100;

const STAT: &str = "SELECT size, mime_type, sniffed, used_ms, content FROM blobs WHERE id = $1";
const TOUCH: &str = "UPDATE blobs SET used_ms = $2 WHERE id = $1 AND used_ms < $2";
/// Selects the requested part of each piece.
const READ: &str = "SELECT substring(bytes FROM (greatest($2 - begins.first, 0) + 1)::int
        FOR (least($3 - begins.first, $4) - greatest($2 - begins.first, 0))::int)
    FROM pieces, LATERAL (SELECT number * $4::bigint AS first) AS begins
    WHERE content = $1 AND number BETWEEN ($2::bigint / $4)::int AND (($3::bigint - 1) / $4)::int
    ORDER BY number";
const WRITE: &str = "INSERT INTO pieces (content, number, bytes)
    SELECT content, $2::int, $3::bytea FROM contents WHERE content = $1 AND node IS NOT NULL
    ON CONFLICT (content, number) DO UPDATE SET bytes = excluded.bytes RETURNING number";
const PROMISE: &str = "SELECT blob_promise($1, $2, $3, $4, $5, $6, $7, $8, $9)";
const FINISH: &str = "SELECT blob_finish($1, $2, $3, $4, $5, $6, $7)";
const GIVE_UP: &str = "SELECT blob_give_up($1)";
const SWEEP: &str = "SELECT blob_sweep($1, $2, $3)";

/// All blobs of a database.
pub(super) struct Table {
    pub(super) server: Server,
    pub(super) limits: Limits,
    pub(super) clock: Clock,
    pub(super) grace: Grace,
}

/// An upload on its way into the table.
pub(super) struct Arriving {
    table: Arc<Table>,
    content: i64,
    owner: String,
    /// Bytes that are promised it.
    promised: u64,
    /// Unwritten bytes, and number of pieces.
    piece: Vec<u8>,
    written: i32,
    has_ended: bool,
}

impl Table {
    /// Metadata and content id of a blob. Counts as a use.
    pub(super) async fn stat(&self, id: &str) -> Result<(Blob, i64), BlobError> {
        // It may be any text.
        if !index::is_id(id) {
            return Err(BlobError::Unknown);
        }
        let rows = self.server.ask(STAT, &[&id]).await?;
        let row = rows.first().ok_or(BlobError::Unknown)?;
        let (size, used_ms): (i64, i64) = (row.get(0), row.get(3));
        let (now, used) = (self.clock.now(), Duration::from_millis(used_ms.unsigned_abs()));
        let ttl = Duration::from_secs(self.limits.ttl_s);
        if used < self.grace.over_before() {
            return Err(BlobError::Unknown);
        }
        // Other nodes see only stored uses.
        if now.saturating_sub(used) >= TOUCH_EVERY.min(ttl / 4) {
            self.server.ask(TOUCH, &[&id, &millis(now)]).await?;
        }
        let sniffed: Option<&str> = row.get(2);
        let blob = Blob {
            id: id.to_owned(),
            size: size.unsigned_abs(),
            mime_type: row.get(1),
            sniffed: sniffed.and_then(mime::known),
            expires_at: now.max(used) + ttl,
        };
        Ok((blob, row.get(4)))
    }

    /// Up to `length` bytes of a content from `offset`.
    pub(super) async fn read(
        &self,
        content: i64,
        offset: u64,
        length: usize,
    ) -> Result<Vec<u8>, io::Error> {
        if length == 0 {
            return Ok(Vec::new());
        }
        let from = number(offset);
        let until = from.saturating_add(number(length as u64));
        let rows = self.server.ask(READ, &[&content, &from, &until, &PIECE]).await?;
        let mut bytes = Vec::with_capacity(length);
        rows.iter().for_each(|it| bytes.extend_from_slice(it.get(0)));
        Ok(bytes)
    }

    /// Removes expired blobs and uploads of gone nodes. Returns the number of blobs.
    pub(super) async fn sweep(&self) -> Result<usize, io::Error> {
        let over = self.grace.over_before();
        let (over_ms, gone_s) = (millis(over), GONE_AFTER.as_secs_f64());
        let mut swept = 0;
        loop {
            let rows = self.server.ask(SWEEP, &[&over_ms, &gone_s, &SWEPT_MAX]).await?;
            let found: i64 = rows.first().map_or(0, |it| it.get(0));
            swept += usize::try_from(found).unwrap_or_default();
            if found < SWEPT_MAX {
                return Ok(swept);
            }
        }
    }
}

impl Table {
    async fn give_up(&self, content: i64) -> Result<(), io::Error> {
        self.server.ask(GIVE_UP, &[&content]).await.map(drop)
    }
}

impl Arriving {
    /// Begins one that is counted in that share.
    pub(super) async fn begin(
        table: Arc<Table>,
        share: Option<Arc<str>>,
    ) -> Result<Self, BlobError> {
        let content = getrandom::u64().map_err(io::Error::other)?.cast_signed();
        let owner = share.as_deref().unwrap_or_default().to_owned();
        let (piece, promised) = (Vec::new(), 0);
        let mut arriving =
            Self { table, content, owner, promised, piece, written: 0, has_ended: false };
        // Runs to completion even if its client leaves, or it would be removed before it starts.
        let beginning = tokio::spawn(async move {
            let mut begun = arriving.ask_for(0, true).await;
            if matches!(begun, Err(BlobError::Busy | BlobError::ShareBusy(_))) {
                // Some may be of a node that is gone.
                arriving.table.sweep().await?;
                begun = arriving.ask_for(0, true).await;
            }
            // A refused upload has not started and needs no removal.
            arriving.has_ended = !matches!(begun, Ok(()) | Err(BlobError::Io(_)));
            begun.map(|()| arriving)
        });
        beginning.await.map_err(io::Error::other)?
    }

    /// Has the store promise room for a blob of `size` bytes.
    pub(super) async fn promise(&mut self, size: u64) -> Result<(), BlobError> {
        if Blobs::cost(size) <= self.promised {
            return Ok(());
        }
        let promised = self.ask_for(size, false).await;
        if promised.is_err() {
            self.give_up().await;
        }
        promised
    }

    /// Removes a refused upload before its error is returned.
    pub(super) async fn give_up(&mut self) {
        self.has_ended = self.table.give_up(self.content).await.is_ok();
    }

    async fn ask_for(&mut self, size: u64, begins: bool) -> Result<(), BlobError> {
        let (limits, server) = (&self.table.limits, &self.table.server);
        let wanted = Blobs::cost(size);
        let (all, own) = (number(limits.bytes_max), number(limits.caller_bytes_max));
        let (uploads, own_uploads) =
            (number(UPLOADS_MAX as u64), number(limits.caller_uploads_max as u64));
        let (node, cost) = (server.node(), number(wanted));
        let rows = server
            .ask(
                PROMISE,
                &[
                    &self.content,
                    &begins,
                    &node,
                    &self.owner,
                    &cost,
                    &all,
                    &own,
                    &uploads,
                    &own_uploads,
                ],
            )
            .await?;
        match rows.first().and_then(|it: &Row| it.get::<_, Option<&str>>(0)) {
            None => {
                self.promised = wanted;
                Ok(())
            }
            Some("busy") => Err(BlobError::Busy),
            Some("owner_busy") => Err(BlobError::ShareBusy(limits.caller_uploads_max)),
            Some("full") => Err(BlobError::Full(limits.bytes_max)),
            Some("owner_full") => Err(BlobError::ShareFull(limits.caller_bytes_max)),
            Some(_) => Err(upload_lost()),
        }
    }

    pub(super) async fn write(&mut self, mut bytes: &[u8]) -> Result<(), BlobError> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE_BYTES - self.piece.len()));
            self.piece.extend_from_slice(now);
            bytes = later;
            if self.piece.len() == PIECE_BYTES {
                self.flush().await?;
            }
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), BlobError> {
        let server = &self.table.server;
        let written = server.ask(WRITE, &[&self.content, &self.written, &self.piece]).await?;
        if written.is_empty() {
            return Err(upload_lost());
        }
        self.piece.clear();
        self.written += 1;
        Ok(())
    }

    /// Gives it its name.
    pub(super) async fn finish(
        mut self,
        id: String,
        size: u64,
        mime_type: String,
        sniffed: Option<mime::Sniffed>,
    ) -> Result<Blob, BlobError> {
        if !self.piece.is_empty() {
            self.flush().await?;
        }
        let now = self.table.clock.now();
        let (bytes, cost, now_ms) = (number(size), number(Blobs::cost(size)), millis(now));
        let finish: &[&(dyn tokio_postgres::types::ToSql + Sync)] =
            &[&self.content, &id, &bytes, &cost, &mime_type, &sniffed, &now_ms];
        let rows = self.table.server.ask(FINISH, finish).await?;
        if !rows.first().is_some_and(|it| it.get(0)) {
            return Err(upload_lost());
        }
        self.has_ended = true;
        let expires_at = now + Duration::from_secs(self.table.limits.ttl_s);
        Ok(Blob { id, size, mime_type, sniffed, expires_at })
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        // Without a runtime, it is removed with its node.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (table, content, node) = (self.table.clone(), self.content, self.table.server.node());
        runtime.spawn(async move {
            while let Err(error) = table.give_up(content).await
                && table.server.node() == node
                && !table.server.is_closed()
            {
                tracing::debug!("what there is of an upload is still there: {error}");
                tokio::time::sleep(AGAIN_AFTER).await;
            }
        });
    }
}

/// The node was taken for gone, and its upload removed.
fn upload_lost() -> BlobError {
    BlobError::Io(io::Error::other("the upload was removed meanwhile"))
}

const PIECE: i64 = PIECE_BYTES as i64;

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

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
