//! Documents as rows, for a move from a folder to a table and back (STO-46).

use std::{
    collections::HashMap,
    fs, io,
    path::Path,
    time::{Duration, SystemTime},
};

use super::{DocumentLimits, parse};
use crate::{
    database::{Kind, Movable, MovedRows, Relation, Value, no_row},
    private,
};

/// Those of a folder or a table of that name, of these kinds. None has more bytes than `limits` say, which are set by
/// that entry of the configuration.
pub fn movable(
    (name, entry): (&'static str, &'static str),
    limits: &DocumentLimits,
    kinds: &'static [&'static str],
) -> Box<dyn Movable> {
    let relation = Relation {
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
    };
    // Those that come after a move are younger than all of it.
    let since = SystemTime::now() - Duration::from_secs(86_400);
    let bytes_max = limits.document_bytes_max;
    Box::new(Moving { relation, entry, bytes_max, kinds, since })
}

struct Moving {
    relation: Relation,
    entry: &'static str,
    bytes_max: u64,
    kinds: &'static [&'static str],
    since: SystemTime,
}

impl Movable for Moving {
    fn relation(&self) -> &Relation {
        &self.relation
    }

    /// The eldest first, as a folder tells it: by the time of change.
    fn rows(&self, folder: &Path) -> io::Result<MovedRows> {
        let folder = folder.join(self.relation.name);
        let (mut found, mut ranks) = (Vec::new(), HashMap::new());
        for entry in private::there(fs::read_dir(&folder))?.into_iter().flatten() {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Some((_, rank)) = parse(&name, self.kinds) else { continue };
            let Some((document, _)) = name.rsplit_once('.') else { continue };
            // A kill in the middle of a change of its kind leaves both: the one that is read counts.
            let best = ranks.entry(document.to_owned()).or_insert(rank);
            *best = rank.max(*best);
            found.push((entry.metadata()?.modified()?, name));
        }
        found.sort();
        let kinds = self.kinds;
        found.retain(|(_, name)| {
            let document = name.rsplit_once('.').map(|it| it.0).unwrap_or_default();
            parse(name, kinds).map(|it| it.1) == ranks.get(document).copied()
        });
        let of = self.relation.name;
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

    fn put(&self, folder: &Path, row: &[Value]) -> io::Result<()> {
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
        if parse(&name, self.kinds).is_none() {
            return Err(no_row());
        }
        let folder = folder.join(self.relation.name);
        private::make_folder(&folder)?;
        private::write(&folder.join(&name), body)?;
        let file = fs::File::options().write(true).open(folder.join(name))?;
        file.set_modified(self.since + Duration::from_millis(place.unsigned_abs()))
    }

    fn fit(&self, row: Vec<Value>) -> Result<Vec<Value>, String> {
        let (entry, most) = (self.entry, self.bytes_max);
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
}
