//! Small JSON documents owned by callers, in a folder or in a table that nodes share. When full, documents of the
//! caller with most are evicted.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use parking_lot::Mutex;
use serde::{Serialize, de::DeserializeOwned};
use tokio_postgres::Row;

use crate::{
    blocking,
    database::{Fence, Kind, Movable, MovedRows, Value, no_row, postgres::Server},
    digest::digest,
    private,
};

/// Digits of an owner's share.
const SHARE_DIGITS: usize = 16;

/// Limits of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentLimits {
    pub documents_max: usize,
    /// Bytes of all of them.
    pub bytes_max: u64,
    /// Bytes of one document.
    pub document_bytes_max: u64,
}

/// Storage of documents.
pub enum Place {
    /// In this folder, which is made where there is none.
    Folder(PathBuf),
    /// A table on that server, under that name.
    Table(Server, &'static str),
}

impl Place {
    /// On `server` if there is one, else in the folder `data`.
    pub fn new(server: Option<&Server>, data: &Path, name: &'static str) -> Self {
        server.map_or_else(|| Self::Folder(data.join(name)), |it| Self::Table(it.clone(), name))
    }

    /// The server of those in a table.
    pub fn server(&self) -> Option<&Server> {
        match self {
            Self::Folder(_) => None,
            Self::Table(server, _) => Some(server),
        }
    }
}

impl From<PathBuf> for Place {
    fn from(folder: PathBuf) -> Self {
        Self::Folder(folder)
    }
}

/// Documents of one place. Clones share them. Operations fail if the disk or database does, or if a document is too
/// large.
#[derive(Clone)]
pub struct Documents(Arc<Inner>);

struct Inner {
    limits: DocumentLimits,
    kinds: &'static [&'static str],
    way: Way,
}

enum Way {
    Folder(PathBuf, Mutex<Index>),
    Table(Table),
}

impl Documents {
    /// Opens `place`. Documents of the first of `kinds` are evicted first, and win where a power loss left two
    /// versions.
    pub fn open(
        place: impl Into<Place>,
        limits: DocumentLimits,
        kinds: &'static [&'static str],
    ) -> io::Result<Self> {
        let way = match place.into() {
            Place::Folder(folder) => {
                private::make_folder(&folder)?;
                let index = Mutex::new(Index::read(&folder, &limits, kinds)?);
                Way::Folder(folder, index)
            }
            Place::Table(server, name) => Way::Table(Table { server, name }),
        };
        Ok(Self(Arc::new(Inner { limits, kinds, way })))
    }

    /// Writes the document of that number, in place of one of another kind.
    pub async fn put<T: Serialize + Send + 'static>(
        &self,
        of: (&str, &str),
        kind: &'static str,
        value: T,
    ) -> io::Result<()> {
        self.put_holding(of, kind, value, None).await
    }

    /// Stores only while the lease of `fence` holds, so that a node taken for gone writes nothing.
    pub async fn put_holding<T: Serialize + Send + 'static>(
        &self,
        of: (&str, &str),
        kind: &'static str,
        value: T,
        fence: Option<&Fence>,
    ) -> io::Result<()> {
        if self.write(of, kind, value, (fence, None)).await? {
            return Ok(());
        }
        Err(io::Error::other("this node was taken for gone, and another one is at it"))
    }

    /// Stores unless the stored document is of the first kind, which is final. Returns whether it did. Writers of one
    /// folder take turns.
    pub async fn put_before_the_end<T: Serialize + Send + 'static>(
        &self,
        of: (&str, &str),
        kind: &'static str,
        value: T,
    ) -> io::Result<bool> {
        self.write(of, kind, value, (None, self.0.kinds.first().copied())).await
    }

    async fn write<T: Serialize + Send + 'static>(
        &self,
        (id, owner): (&str, &str),
        kind: &'static str,
        value: T,
        (fence, last): (Option<&Fence>, Option<&str>),
    ) -> io::Result<bool> {
        let Inner { limits, kinds, way } = &*self.0;
        let most = limits.document_bytes_max;
        let written = move || {
            let bytes = serde_json::to_vec(&value)?;
            match bytes.len() as u64 {
                len if len > most => {
                    let why = format!("it has {len} bytes; {most} is most");
                    Err(io::Error::new(io::ErrorKind::FileTooLarge, why))
                }
                _ => Ok(bytes),
            }
        };
        if let Way::Table(table) = way {
            let bytes = written()?;
            return table.put((id, owner), (kind, &bytes), (limits, kinds), fence, last).await;
        }
        let (documents, named) = (self.0.clone(), format!("{id}.{}", share(owner)));
        let write = move || {
            let Inner { limits, kinds, way: Way::Folder(folder, index) } = &*documents else {
                return Ok(true);
            };
            let bytes = written()?;
            let name = format!("{named}.{kind}");
            private::write(&folder.join(&name), &bytes)?;
            let others = kinds.iter().filter(|it| **it != kind);
            let mut gone: Vec<_> = others.map(|it| format!("{named}.{it}")).collect();
            let mut index = index.lock();
            gone.retain(|it| index.remove(it));
            gone.extend(index.put(&name, bytes.len() as u64, limits, kinds));
            drop(index);
            for name in gone {
                let _ = fs::remove_file(folder.join(name));
            }
            Ok(true)
        };
        blocking(write).await
    }

    /// The document of that number and any of the kinds, if it is `owner`'s; a damaged one is none.
    pub async fn get<T: DeserializeOwned + Send + 'static>(
        &self,
        id: &str,
        owner: &str,
    ) -> io::Result<Option<T>> {
        // Becomes part of a path.
        if !is_number(id) {
            return Ok(None);
        }
        let found = match &self.0.way {
            Way::Table(table) => table.get(id, owner).await,
            Way::Folder(folder, _) => {
                let share = share(owner);
                let kinds = self.0.kinds.iter();
                let paths = kinds.map(|it| folder.join(format!("{id}.{share}.{it}")));
                let paths: Vec<_> = paths.collect();
                let look = move || paths.iter().find_map(|it| read(it).transpose());
                // A document whose kind changes meanwhile exists, though it may be seen in neither place.
                let find = move || look().or_else(&look).transpose();
                blocking(find).await
            }
        };
        match found {
            Err(error) if !is_damaged(&error) => Err(error),
            found => Ok(readable(found).flatten()),
        }
    }

    /// Takes the document of that number away, if it is there and `owner`'s.
    pub async fn remove(&self, id: &str, owner: &str) -> io::Result<()> {
        if !is_number(id) {
            return Ok(());
        }
        if let Way::Table(table) = &self.0.way {
            return table.remove(id, owner).await;
        }
        let (documents, named) = (self.0.clone(), format!("{id}.{}", share(owner)));
        let remove = move || {
            let Inner { kinds, way: Way::Folder(folder, index), .. } = &*documents else {
                return Ok(());
            };
            for kind in *kinds {
                let name = format!("{named}.{kind}");
                if index.lock().remove(&name) {
                    fs::remove_file(folder.join(name))?;
                }
            }
            Ok(())
        };
        blocking(remove).await
    }

    /// All readable documents of `owner` and that kind, unordered.
    pub async fn of_owner<T: DeserializeOwned + Send + 'static>(
        &self,
        owner: &str,
        kind: &'static str,
    ) -> io::Result<Vec<T>> {
        let share = share(owner);
        let (folder, names) = match &self.0.way {
            Way::Table(table) => return table.of_owner(owner, kind).await,
            Way::Folder(folder, index) => (folder.clone(), index.lock().names(&share, kind)),
        };
        blocking(move || {
            Ok(names.iter().filter_map(|it| readable(read(&folder.join(it)))?).collect())
        })
        .await
    }
}

/// A number that cannot be guessed.
pub fn number() -> io::Result<String> {
    let number = || getrandom::u64().map_err(io::Error::other);
    Ok(format!("{:016x}{:016x}", number()?, number()?))
}

/// Share of `owner`, also used in file names.
fn share(owner: &str) -> String {
    let mut share = digest(owner.as_bytes());
    share.truncate(SHARE_DIGITS);
    share
}

/// The value, if readable.
fn readable<T>(found: io::Result<T>) -> Option<T> {
    found.inspect_err(|it| tracing::error!("a kept document cannot be read: {it}")).ok()
}

/// Whether the file is corrupt.
fn is_damaged(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
}

fn is_number(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

fn read<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    let bytes = private::if_exists(fs::read(path))?;
    Ok(bytes.map(|it| serde_json::from_slice(&it)).transpose()?)
}

/// The files of a folder: each caller's in the order in which they go.
#[derive(Default)]
struct Index {
    shares: HashMap<String, Share>,
    /// Files by name: share, order and bytes.
    files: HashMap<String, (String, Order, u64)>,
    bytes: u64,
    next: u64,
}

/// The documents of one caller.
#[derive(Default)]
struct Share {
    files: BTreeMap<Order, String>,
    bytes: u64,
}

/// Eviction order: kind, then age.
type Order = (usize, u64);

impl Index {
    /// Reads `folder`. Removes incomplete files and those above the limits.
    fn read(folder: &Path, limits: &DocumentLimits, kinds: &[&str]) -> io::Result<Self> {
        let (mut found, mut names) = (Vec::new(), HashSet::new());
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let metadata = entry.metadata()?;
            if parse(&name, kinds).is_none() {
                if name.contains(".tmp-") {
                    fs::remove_file(entry.path())?;
                }
                continue;
            }
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            names.insert(name.clone());
            found.push((modified, name, metadata.len()));
        }
        found.sort();
        let mut index = Self::default();
        for (_, name, bytes) in found {
            if is_left_over(&name, kinds, &names) {
                fs::remove_file(folder.join(name))?;
                continue;
            }
            for name in index.put(&name, bytes, limits, kinds) {
                fs::remove_file(folder.join(name))?;
            }
        }
        Ok(index)
    }

    /// Adds or updates a document as the newest. Returns names to evict, from the caller with most, so that a caller
    /// with less than an equal share loses nothing to others.
    fn put(
        &mut self,
        name: &str,
        bytes: u64,
        limits: &DocumentLimits,
        kinds: &[&str],
    ) -> Vec<String> {
        self.remove(name);
        let Some((share, rank)) = parse(name, kinds) else { return Vec::new() };
        let place = (rank, self.next);
        self.next += 1;
        let own = self.shares.entry(share.to_owned()).or_default();
        own.files.insert(place, name.to_owned());
        own.bytes += bytes;
        self.files.insert(name.to_owned(), (share.to_owned(), place, bytes));
        self.bytes += bytes;
        let mut dropped = Vec::new();
        loop {
            let is_crowded = self.files.len() > limits.documents_max;
            if self.files.len() < 2 || !is_crowded && self.bytes <= limits.bytes_max {
                return dropped;
            }
            let heaviest = self.shares.values().filter_map(|share| {
                let first = share.files.values().find(|it| *it != name)?;
                let weight = if is_crowded { share.files.len() as u64 } else { share.bytes };
                Some((weight, first))
            });
            let Some(first) = heaviest.max().map(|it| it.1.clone()) else { return dropped };
            self.remove(&first);
            dropped.push(first);
        }
    }

    /// The names of those of that share and kind.
    fn names(&self, share: &str, kind: &str) -> Vec<String> {
        let names = self.shares.get(share).into_iter().flat_map(|it| it.files.values());
        names.filter(|it| it.rsplit_once('.').is_some_and(|it| it.1 == kind)).cloned().collect()
    }

    /// Takes one away; whether it was there.
    fn remove(&mut self, name: &str) -> bool {
        let Some((share, place, bytes)) = self.files.remove(name) else { return false };
        self.bytes -= bytes;
        let Some(own) = self.shares.get_mut(&share) else { return true };
        own.bytes -= bytes;
        own.files.remove(&place);
        if own.files.is_empty() {
            self.shares.remove(&share);
        }
        true
    }
}

/// Whether the document is there as an earlier kind, too: a kill or a power cut in the middle of a change of its kind
/// leaves both, and the earlier one counts, so that nothing that was over waits again.
fn is_left_over(name: &str, kinds: &[&str], names: &HashSet<String>) -> bool {
    let Some((document, kind)) = name.rsplit_once('.') else { return false };
    let mut earlier = kinds.iter().take_while(|it| **it != kind);
    earlier.any(|it| names.contains(&format!("{document}.{it}")))
}

/// Owner share of the file `ID.SHARE.KIND`, and the rank of its kind. `None` for foreign files.
fn parse<'a>(name: &'a str, kinds: &[&str]) -> Option<(&'a str, usize)> {
    let (id, rest) = name.split_once('.')?;
    let (share, kind) = rest.rsplit_once('.')?;
    let rank = kinds.iter().position(|it| *it == kind)?;
    let is_share = share.bytes().all(|it| it.is_ascii_hexdigit());
    (is_number(id) && is_share).then_some((share, rank))
}

// Documents in a table that nodes share (STO-13). Nothing is cached, so that each node sees writes of others at once.

const PUT: &str = "WITH holds AS (SELECT 1 FROM leases
        WHERE component = $6 AND key = $7 AND fence = $8 FOR SHARE)
    INSERT INTO documents (folder, id, share, kind, body, bytes, place)
    SELECT $1::text, $2::text, $3::text, $4::text, $5::bytea, length($5::bytea), nextval('document_places')
    WHERE $6::text IS NULL OR EXISTS (SELECT 1 FROM holds)
    ON CONFLICT (folder, id, share) DO UPDATE
    SET kind = excluded.kind, body = excluded.body, bytes = excluded.bytes, place = excluded.place
    WHERE $9::text IS NULL OR documents.kind <> $9 OR documents.body = excluded.body
    RETURNING id";
const SUMS: &str =
    "SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM documents WHERE folder = $1";
/// Removes one: of the caller with most the one that goes first. Two that run at once choose the same.
const GIVE_WAY: &str = "WITH sums AS MATERIALIZED (
        SELECT count(*) > $4::bigint AS is_crowded, coalesce(sum(bytes), 0)::bigint > $5 AS is_heavy
        FROM documents WHERE folder = $1),
    shares AS (SELECT share, count(*) AS documents, sum(bytes) AS bytes
        FROM documents WHERE folder = $1 GROUP BY share),
    firsts AS (SELECT DISTINCT ON (share) share, id, kind FROM documents
        WHERE folder = $1 AND NOT (id = $2 AND share = $3)
        ORDER BY share, array_position($6::text[], kind), place),
    chosen AS (SELECT firsts.id, firsts.share FROM firsts JOIN shares USING (share), sums
        WHERE is_crowded OR is_heavy
        ORDER BY CASE WHEN is_crowded THEN documents ELSE shares.bytes END DESC,
            (firsts.id || '.' || share || '.' || kind) COLLATE \"C\" DESC
        LIMIT 1)
    DELETE FROM documents d USING chosen
    WHERE d.folder = $1 AND d.id = chosen.id AND d.share = chosen.share RETURNING d.id";
const GET: &str = "SELECT body FROM documents WHERE folder = $1 AND id = $2 AND share = $3";
const REMOVE: &str = "DELETE FROM documents WHERE folder = $1 AND id = $2 AND share = $3";
const OF: &str = "SELECT body FROM documents WHERE folder = $1 AND share = $2 AND kind = $3";

struct Table {
    server: Server,
    /// Name of these documents in the table.
    name: &'static str,
}

impl Table {
    /// Whether it is written: only while the lease of `fence` holds, and not over another one of the kind `last`.
    async fn put(
        &self,
        (id, owner): (&str, &str),
        (kind, bytes): (&str, &[u8]),
        (limits, kinds): (&DocumentLimits, &[&str]),
        fence: Option<&Fence>,
        last: Option<&str>,
    ) -> io::Result<bool> {
        let share = share(owner);
        let (of, key) = (fence.map(|it| &*it.component), fence.map(|it| &*it.key));
        let number = fence.map(|it| it.number);
        let put = self
            .server
            .ask(PUT, &[&self.name, &id, &share, &kind, &bytes, &of, &key, &number, &last])
            .await?;
        if put.is_empty() {
            return Ok(false);
        }
        // Written in any case; the next write evicts.
        if let Err(error) = self.make_room((id, &share), limits, kinds).await {
            tracing::warn!("kept documents are more than they may be: {error}");
        }
        Ok(true)
    }

    /// Evicts documents above the limits, except the one just written.
    async fn make_room(
        &self,
        (id, share): (&str, &str),
        limits: &DocumentLimits,
        kinds: &[&str],
    ) -> io::Result<()> {
        let documents_max = i64::try_from(limits.documents_max).unwrap_or(i64::MAX);
        let bytes_max = i64::try_from(limits.bytes_max).unwrap_or(i64::MAX);
        let sums = self.server.ask(SUMS, &[&self.name]).await?;
        let is_within = |row: &Row| {
            let (documents, bytes): (i64, i64) = (row.get(0), row.get(1));
            documents < 2 || documents <= documents_max && bytes <= bytes_max
        };
        if sums.first().is_none_or(is_within) {
            return Ok(());
        }
        loop {
            let gone = self
                .server
                .ask(GIVE_WAY, &[&self.name, &id, &share, &documents_max, &bytes_max, &kinds])
                .await?;
            if gone.is_empty() {
                return Ok(());
            }
        }
    }

    async fn get<T: DeserializeOwned>(&self, id: &str, owner: &str) -> io::Result<Option<T>> {
        let rows = self.server.ask(GET, &[&self.name, &id, &share(owner)]).await?;
        rows.first().map(read_row).transpose()
    }

    async fn remove(&self, id: &str, owner: &str) -> io::Result<()> {
        self.server.ask(REMOVE, &[&self.name, &id, &share(owner)]).await.map(drop)
    }

    async fn of_owner<T: DeserializeOwned>(&self, owner: &str, kind: &str) -> io::Result<Vec<T>> {
        let rows = self.server.ask(OF, &[&self.name, &share(owner), &kind]).await?;
        Ok(rows.iter().filter_map(|it| readable(read_row(it))).collect())
    }
}

fn read_row<T: DeserializeOwned>(row: &Row) -> io::Result<T> {
    let body: &[u8] = row.get(0);
    Ok(serde_json::from_slice(body)?)
}

/// Documents of a folder or table to move. `limits` come from `entry` of the configuration.
pub fn movable(
    (name, entry): (&'static str, &'static str),
    limits: &DocumentLimits,
    kinds: Kinds,
) -> Movable {
    // Documents created after a move are newer than moved ones.
    let since = SystemTime::now() - Duration::from_secs(86_400);
    let most = limits.document_bytes_max;
    Movable {
        name,
        columns: &[
            ("id", Kind::Text),
            ("share", Kind::Text),
            ("kind", Kind::Text),
            ("body", Kind::Blob),
            ("place", Kind::Integer),
            ("folder", Kind::Text),
        ],
        select: format!(
            "SELECT id, share, kind, body, row_number() OVER (ORDER BY place), folder
            FROM madoguchi_host.documents WHERE folder = '{name}'"
        ),
        insert: "INSERT INTO madoguchi_host.documents (id, share, kind, body, bytes, place, folder)
            VALUES ($1, $2, $3, $4, length($4), $5, $6)",
        path: Some(name),
        rows: Box::new(move |folder: &Path| rows(folder.join(name), name, kinds)),
        put: Box::new(move |folder: &Path, row: &[Value]| {
            put(&folder.join(name), row, kinds, since)
        }),
        fit: Box::new(move |row| fit(row, entry, most)),
    }
}

type Kinds = &'static [&'static str];

/// The eldest first, as a folder tells it: by the time of change.
fn rows(folder: PathBuf, of: &'static str, kinds: Kinds) -> io::Result<MovedRows> {
    let (mut found, mut names) = (Vec::new(), HashSet::new());
    for entry in private::if_exists(fs::read_dir(&folder))?.into_iter().flatten() {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if parse(&name, kinds).is_none() {
            continue;
        }
        names.insert(name.clone());
        found.push((entry.metadata()?.modified()?, name));
    }
    found.sort();
    found.retain(|(_, name)| !is_left_over(name, kinds, &names));
    let row = move |(place, (_, name)): (i64, (SystemTime, String))| -> io::Result<Vec<Value>> {
        let (id, rest) = name.split_once('.').unwrap_or_default();
        let (share, kind) = rest.rsplit_once('.').unwrap_or(("", rest));
        let texts = [id, share, kind].map(|it| Value::Text(it.to_owned()));
        let body = Value::Blob(fs::read(folder.join(&name))?);
        let rest = [body, Value::Integer(place), Value::Text(of.to_owned())];
        Ok(texts.into_iter().chain(rest).collect())
    };
    Ok(Box::new((1..).zip(found).map(row)))
}

fn put(folder: &Path, row: &[Value], kinds: Kinds, since: SystemTime) -> io::Result<()> {
    let [
        Value::Text(id),
        Value::Text(share),
        Value::Text(kind),
        Value::Blob(body),
        Value::Integer(place),
        _,
    ] = row
    else {
        return Err(no_row());
    };
    let name = match share.as_str() {
        "" => format!("{id}.{kind}"),
        _ => format!("{id}.{share}.{kind}"),
    };
    if parse(&name, kinds).is_none() {
        return Err(no_row());
    }
    private::make_folder(folder)?;
    private::write(&folder.join(&name), body)?;
    let file = fs::File::options().write(true).open(folder.join(name))?;
    file.set_modified(since + Duration::from_millis(place.unsigned_abs()))
}

fn fit(row: Vec<Value>, entry: &str, most: u64) -> Result<Vec<Value>, String> {
    match &row[..] {
        [Value::Text(id), _, _, Value::Blob(body), ..] if body.len() as u64 > most => {
            let len = body.len();
            Err(format!(
                "{id} has {len} bytes, and {most} is most: set {entry} to {len} at least, or let it end first"
            ))
        }
        _ => Ok(row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: &[&str] = &["turn", "wait"];

    fn limits(documents_max: usize, bytes_max: u64) -> DocumentLimits {
        DocumentLimits { documents_max, bytes_max, document_bytes_max: 100 }
    }

    fn name(at: u32, share: &str, kind: &str) -> String {
        format!("{at:032x}.{share}.{kind}")
    }

    #[test]
    fn evicts_oldest_above_count_or_bytes() {
        let (mut index, limits) = (Index::default(), limits(3, 100));
        let of = |at| name(at, "a", "turn");
        for at in 1..=3 {
            assert_eq!(index.put(&of(at), 10, &limits, KINDS), [""; 0]);
        }
        assert_eq!(index.put(&of(4), 10, &limits, KINDS), [of(1)]);
        assert_eq!(index.put(&of(5), 95, &limits, KINDS), [of(2), of(3), of(4)]);
        assert_eq!(index.put(&of(6), 500, &limits, KINDS), [of(5)], "the last one stays");
        assert_eq!((index.bytes, index.files.len(), index.shares.len()), (500, 1, 1));
    }

    #[test]
    fn rewritten_document_becomes_newest() {
        let (mut index, limits) = (Index::default(), limits(2, 100));
        let of = |at| name(at, "a", "turn");
        index.put(&of(1), 10, &limits, KINDS);
        index.put(&of(2), 10, &limits, KINDS);
        index.put(&of(1), 20, &limits, KINDS);
        assert_eq!(index.bytes, 30);
        assert_eq!(index.put(&of(3), 10, &limits, KINDS), [of(2)]);
    }

    #[test]
    fn evicts_only_from_the_caller_with_most() {
        let (mut index, limits) = (Index::default(), limits(1_000, 1_000));
        let approval = name(0, "b", "wait");
        index.put(&approval, 300, &limits, KINDS);
        let mut dropped = Vec::new();
        for at in 1..200 {
            dropped.extend(index.put(&name(at, "a", "wait"), 90, &limits, KINDS));
        }
        assert!(index.files.contains_key(&approval) && dropped.len() > 150);
        assert!(dropped.iter().all(|it| it.contains(".a.")), "{dropped:?}");
        let limits = DocumentLimits { documents_max: 20, ..limits };
        for at in 200..300 {
            index.put(&name(at, "a", "turn"), 1, &limits, KINDS);
        }
        assert!(index.files.contains_key(&approval), "by number, too");
    }

    #[test]
    fn evicts_finished_before_waiting_documents() {
        let (mut index, limits) = (Index::default(), limits(2, 1_000));
        let wait = name(2, "a", "wait");
        index.put(&wait, 1, &limits, KINDS);
        let mut before = name(3, "a", "turn");
        index.put(&before, 1, &limits, KINDS);
        for at in 4..40 {
            let next = name(at, "a", "turn");
            assert_eq!(index.put(&next, 1, &limits, KINDS), [before]);
            before = next;
        }
        assert_eq!(index.put(&name(40, "a", "wait"), 1, &limits, KINDS), [before]);
        assert_eq!(index.put(&name(41, "a", "wait"), 1, &limits, KINDS), [wait]);
    }

    #[test]
    fn restart_keeps_foreign_files_and_removes_partial_ones() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        let id = "0".repeat(32);
        let own = [format!("{id}.0a1b.wait"), format!("{id}.0a1c.wait")];
        let others = ["tmp-7", "0a1b.notes", "turn"].map(|it| format!("{id}.{it}"));
        for name in own.iter().chain(&others) {
            fs::write(folder.join(name), "{}").unwrap();
        }
        let index = Index::read(folder, &limits(10, 100), KINDS).unwrap();
        let there = others.each_ref().map(|it| folder.join(it).exists());
        assert_eq!((index.files.len(), there), (2, [false, true, true]));
    }

    #[tokio::test]
    async fn finished_document_stays_finished_after_power_loss() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().to_owned();
        let id = "0".repeat(32);
        let files = ["wait", "turn"].map(|it| folder.join(format!("{id}.{}.{it}", share("ann"))));
        fs::write(&files[0], "\"waits\"").unwrap();
        fs::write(&files[1], "\"over\"").unwrap();
        let rows: Vec<_> = rows(folder.clone(), "approvals", KINDS).unwrap().collect();
        let documents = Documents::open(folder.clone(), limits(10, 100), KINDS).unwrap();
        assert_eq!(documents.get::<String>(&id, "ann").await.unwrap().as_deref(), Some("over"));
        assert!(documents.of_owner::<String>("ann", "wait").await.unwrap().is_empty());
        assert_eq!((files.map(|it| it.exists()), rows.len()), ([false, true], 1));
        // While the kind changes both are there as well.
        let (of, waits) = ((id.as_str(), "ann"), "waits".to_owned());
        documents.put(of, "wait", waits).await.unwrap();
        assert_eq!(documents.get::<String>(&id, "ann").await.unwrap().as_deref(), Some("waits"));
    }
}
