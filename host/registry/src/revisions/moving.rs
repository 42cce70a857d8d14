//! Revisions and their bytes as rows, for moves between a data folder and a shared database (STO-46).

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use base::source::name_of;
use store::{
    database::{Kind, Movable, MovedRows, Value, no_row},
    digest::digest,
    private,
};

use super::{Manifest, store::MANIFEST};

const FOLDER: &str = "generations";

/// Manifests and builds to move, builds last. A data folder of a host on PostgreSQL has copies, which are replaced.
pub fn movables() -> [Movable; 2] {
    let of_versions = Movable {
        name: "versions",
        columns: &[("component", Kind::Text), ("manifest", Kind::Text), ("kept", Kind::Text)],
        select: "SELECT component, manifest, '' FROM madoguchi_host.components".to_owned(),
        insert: "INSERT INTO madoguchi_host.components (component, epoch, manifest, kept, node)
            VALUES ($1, nextval('madoguchi_host.component_epochs'), $2, string_to_array($3, ','), 0)",
        path: None,
        rows: Box::new(versions),
        put: Box::new(put_version),
        fit: Box::new(fit_version),
    };
    let of_builds = Movable {
        name: "builds",
        columns: &[("component", Kind::Text), ("digest", Kind::Text), ("bytes", Kind::Blob)],
        select: "SELECT c.component, b.digest, b.bytes FROM madoguchi_host.components c
            JOIN madoguchi_host.component_builds b ON b.digest = ANY (c.kept)
            WHERE encode(sha256(b.bytes), 'hex') = b.digest"
            .to_owned(),
        insert: "INSERT INTO madoguchi_host.component_builds (digest, bytes)
            SELECT $2, $3 WHERE $1 <> '' ON CONFLICT DO NOTHING",
        path: None,
        rows: Box::new(builds),
        put: Box::new(put_build),
        fit: Box::new(Ok),
    };
    [of_versions, of_builds]
}

fn versions(folder: &Path) -> io::Result<MovedRows> {
    Ok(Box::new(manifests(folder)?.into_iter().map(|(name, it)| row(name, &it))))
}

fn put_version(folder: &Path, row: &[Value]) -> io::Result<()> {
    let [Value::Text(name), Value::Text(manifest), _] = row else { return Err(no_row()) };
    let folder = folder_of(folder, name)?;
    private::make_folder(&folder)?;
    private::write(&folder.join(MANIFEST), manifest.as_bytes())
}

/// Normalizes a manifest of another program version, so that both sides are equal.
fn fit_version(of: Vec<Value>) -> Result<Vec<Value>, String> {
    let [Value::Text(name), Value::Text(manifest), _] = &of[..] else { return Ok(of) };
    let read = serde_json::from_str::<Manifest>(manifest).map_err(io::Error::other);
    let again = read.and_then(|it| row(name.clone(), &it));
    again.map_err(|it| format!("what is remembered of {name} cannot be read: {it}"))
}

/// Lists builds whose bytes match their digests.
fn builds(folder: &Path) -> io::Result<MovedRows> {
    let mut builds = Vec::new();
    for (name, manifest) in manifests(folder)? {
        let kept = manifest.kept().into_iter().map(|it| (name.clone(), it.to_owned()));
        builds.extend(kept);
    }
    let folder = folder.to_owned();
    let row = move |(name, digest_there): (String, String)| -> Option<io::Result<Vec<Value>>> {
        let file = folder_of(&folder, &name).ok()?.join(format!("{digest_there}.wasm"));
        match fs::read(file) {
            Ok(bytes) if digest(&bytes) == digest_there => {
                let texts = [name, digest_there].map(Value::Text);
                Some(Ok(texts.into_iter().chain([Value::Blob(bytes)]).collect()))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Some(Err(error)),
            _ => None,
        }
    };
    Ok(Box::new(builds.into_iter().filter_map(row)))
}

fn put_build(folder: &Path, row: &[Value]) -> io::Result<()> {
    let [Value::Text(name), Value::Text(digest), Value::Blob(bytes)] = row else {
        return Err(no_row());
    };
    let is_digest = digest.len() == 64 && digest.bytes().all(|it| it.is_ascii_hexdigit());
    if !is_digest {
        return Err(no_row());
    }
    private::write(&folder_of(folder, name)?.join(format!("{digest}.wasm")), bytes)
}

fn row(name: String, manifest: &Manifest) -> io::Result<Vec<Value>> {
    let manifest = manifest.shared();
    let kept: Vec<_> = manifest.kept().into_iter().collect();
    let texts = [name, serde_json::to_string(&manifest)?, kept.join(",")];
    Ok(texts.map(Value::Text).into())
}

/// Manifests in `folder`. Unreadable ones are an error.
fn manifests(folder: &Path) -> io::Result<BTreeMap<String, Manifest>> {
    let mut found = BTreeMap::new();
    for entry in private::if_exists(fs::read_dir(folder.join(FOLDER)))?.into_iter().flatten() {
        let path = entry?.path();
        let Some(name) = name_of(&path) else { continue };
        let file = path.join(MANIFEST);
        let in_file = |error: io::Error| io::Error::other(format!("{}: {error}", file.display()));
        let Some(text) = private::if_exists(fs::read(&file)).map_err(in_file)? else { continue };
        found.insert(name, serde_json::from_slice(&text).map_err(|it| in_file(it.into()))?);
    }
    Ok(found)
}

/// Folder of a component's revisions.
fn folder_of(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let folder = folder.join(FOLDER).join(name);
    (name_of(&folder).as_deref() == Some(name)).then_some(folder).ok_or_else(no_row)
}
