//! What a release says of its parts: licences of dependencies, each text once, and the bill of materials in CycloneDX 1.6.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::Release;
use super::parts::{Origin, Part, Parts};
use crate::files::paths_below;
use crate::workspace::PROGRAM;

/// Name prefixes of licence and notice files.
const NAMES: [&str; 7] =
    ["AUTHORS", "COPYING", "COPYRIGHT", "LICENCE", "LICENSE", "NOTICE", "UNLICENSE"];
/// A folder that holds nothing else.
const FOLDER: &str = "LICENSES/";
/// Endings of files that are called so and are sources.
const SOURCES: [&str; 3] = ["rs", "py", "html"];
const RULE: &str =
    "--------------------------------------------------------------------------------";

/// Everything in one file: who, under which licence, and where below its texts are.
pub(super) fn text(release: &Release, parts: &Parts) -> Result<String> {
    let mut numbers = BTreeMap::<String, usize>::new();
    let mut texts = Vec::<String>::new();
    let mut all = format!(
        "What others wrote and Madoguchi {} for {} carries.\n\n\
         All of it is built with rustc {};\n\
         its standard library is MIT OR Apache-2.0, by the Rust project.\n\
         Data has its sources in components/*/data/NOTICE.md.\n\
         Numbers are those of the texts below. What brings no text of its own is told with its authors.\n\n",
        release.version, release.target, release.rustc
    );
    for part in parts.of_others() {
        let mut found = Vec::new();
        for text in texts_of(part)? {
            let next = texts.len() + 1;
            // Line endings and indentation differ where the text is the same.
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let number = *numbers.entry(words).or_insert(next);
            if number == next {
                texts.push(text);
            }
            found.push(number);
        }
        found.sort_unstable();
        found.dedup();
        let listed = found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let found = if found.is_empty() { part.author.clone() } else { format!("[{listed}]") };
        let line = format!("{} {}: {}  {found}", part.name, part.version, part.licence);
        writeln!(all, "{line}")?;
    }
    for (index, text) in texts.iter().enumerate() {
        write!(all, "\n{RULE}\n[{}]\n{RULE}\n\n{}\n", index + 1, text.trim_end())?;
    }
    Ok(all)
}

/// The texts that a part brings, sorted by the names of their files.
fn texts_of(part: &Part) -> Result<Vec<String>> {
    // Sources in C that a crate brings have a licence of their own, in their folder.
    let mut paths = paths_below(&part.folder)?;
    paths.retain(|path| path.starts_with(FOLDER) || is_licence(Path::new(path)));
    let read = |path: &String| {
        let path = part.folder.join(path);
        let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
    };
    paths.iter().map(read).collect()
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    NAMES.iter().any(|begin| name.starts_with(begin)) && !SOURCES.contains(&ending.as_str())
}

/// The document for a release; the same parts give the same bytes.
pub(super) fn json(release: &Release, parts: &Parts) -> Result<String> {
    let time = jiff::Timestamp::from_second(release.time.try_into()?)?.to_string();
    let is_program = |part: &&Part| part.origin == Origin::Ours && part.name == PROGRAM;
    let program = parts.0.values().find(is_program);
    let others = parts.0.values().filter(|part| !is_program(part));
    let edges = parts.0.iter().map(|(id, part)| json!({ "ref": id, "dependsOn": part.needs }));
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time,
            "component": program.map(|part| component(part, "application")),
            "properties": [
                { "name": "madoguchi:target", "value": release.target },
                { "name": "madoguchi:rustc", "value": release.rustc },
            ],
        },
        "components": others.map(|part| component(part, "library")).collect::<Vec<_>>(),
        "dependencies": edges.collect::<Vec<_>>(),
    });
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

fn component(part: &Part, kind: &str) -> Value {
    let id = part.id();
    let mut component = Map::new();
    component.insert("type".to_owned(), kind.into());
    component.insert("bom-ref".to_owned(), id.as_str().into());
    component.insert("name".to_owned(), part.name.as_str().into());
    component.insert("version".to_owned(), part.version.as_str().into());
    if let Origin::Cargo(Some(digest)) = &part.origin {
        component.insert("hashes".to_owned(), json!([{ "alg": "SHA-256", "content": digest }]));
    }
    if !part.licence.is_empty() {
        component.insert("licenses".to_owned(), json!([{ "expression": part.licence }]));
    }
    if part.origin != Origin::Ours {
        component.insert("purl".to_owned(), id.into());
    }
    component.into()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use super::*;
    use crate::dist::parts::tests::part;

    #[test]
    fn shared_licence_text_is_written_once() {
        let folder = std::env::temp_dir().join(format!("xtask-licences-{}", std::process::id()));
        for (file, text) in [
            ("a/LICENSE-MIT", "Permission is\nhereby granted"),
            ("a/license.rs", "fn main() {}"),
            ("b/LICENSE", "Permission is\r\n  hereby granted"),
            ("b/c_src/NOTICE", "by b"),
        ] {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        fs::create_dir_all(folder.join("c")).unwrap();
        let parts = ["a", "b", "c"].map(|name| part(name, "MIT", &folder.join(name)));
        let parts = Parts(parts.map(|part| (part.id(), part)).into());
        let release = Release {
            version: "1".to_owned(),
            target: "t".to_owned(),
            rustc: "1.95.0".to_owned(),
            time: 0,
        };
        let text = text(&release, &parts).unwrap();
        assert!(
            text.contains("a 1.0.0: MIT  [1]\nb 1.0.0: MIT  [1, 2]\nc 1.0.0: MIT  c's people\n"),
            "{text}"
        );
        assert_eq!(text.matches("hereby granted").count(), 1, "{text}");
        assert!(!text.contains("fn main"), "{text}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn document_has_parts_digests_licences_and_edges() {
        let crc = part("crc", "MIT OR Apache-2.0", Path::new("/"));
        let mut program = part(PROGRAM, "Apache-2.0", Path::new("/"));
        (program.origin, program.needs) = (Origin::Ours, BTreeSet::from([crc.id()]));
        let parts = Parts(BTreeMap::from([crc, program].map(|part| (part.id(), part))));
        let release = Release {
            version: "1.0.0".to_owned(),
            target: "t".to_owned(),
            rustc: "1.95.0".to_owned(),
            time: 1_700_000_000,
        };
        let document: Value = serde_json::from_str(&json(&release, &parts).unwrap()).unwrap();
        assert_eq!(document["metadata"]["timestamp"], "2023-11-14T22:13:20Z");
        assert_eq!(document["metadata"]["component"]["bom-ref"], "madoguchi:madoguchi@1.0.0");
        let expected = json!([{
            "type": "library",
            "bom-ref": "pkg:cargo/crc@1.0.0",
            "name": "crc",
            "version": "1.0.0",
            "hashes": [{ "alg": "SHA-256", "content": "ab" }],
            "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            "purl": "pkg:cargo/crc@1.0.0",
        }]);
        assert_eq!(document["components"], expected);
        let edges = &document["dependencies"];
        assert_eq!(edges[0]["dependsOn"], json!(["pkg:cargo/crc@1.0.0"]));
    }
}
