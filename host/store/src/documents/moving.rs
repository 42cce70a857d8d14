//! Documents as rows, for moves between a folder and a table (STO-46).

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{DocumentLimits, is_left_over, parse};
use crate::{
    database::{Kind, Movable, MovedRows, Value, no_row},
    private,
};

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
