//! Documents in a table that nodes share (STO-13). Nothing is cached, so that each node sees writes of others at once.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::de::DeserializeOwned;
use tokio_postgres::Row;

use super::{DocumentLimits, is_left_over, parse, share};
use crate::{
    database::{Fence, Kind, Movable, MovedRows, Value, no_row, postgres::Server},
    private,
};

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

pub(super) struct Table {
    pub(super) server: Server,
    /// Name of these documents in the table.
    pub(super) name: &'static str,
}

impl Table {
    /// Whether it is written: only while the lease of `fence` holds, and not over another one of the kind `last`.
    pub(super) async fn put(
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

    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        id: &str,
        owner: &str,
    ) -> io::Result<Option<T>> {
        let rows = self.server.ask(GET, &[&self.name, &id, &share(owner)]).await?;
        rows.first().map(read).transpose()
    }

    pub(super) async fn remove(&self, id: &str, owner: &str) -> io::Result<()> {
        self.server.ask(REMOVE, &[&self.name, &id, &share(owner)]).await.map(drop)
    }

    pub(super) async fn of_owner<T: DeserializeOwned>(
        &self,
        owner: &str,
        kind: &str,
    ) -> io::Result<Vec<T>> {
        let rows = self.server.ask(OF, &[&self.name, &share(owner), &kind]).await?;
        Ok(rows.iter().filter_map(|it| super::readable(read(it))).collect())
    }
}

fn read<T: DeserializeOwned>(row: &Row) -> io::Result<T> {
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
pub(super) fn rows(folder: PathBuf, of: &'static str, kinds: Kinds) -> io::Result<MovedRows> {
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
