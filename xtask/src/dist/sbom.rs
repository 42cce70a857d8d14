//! Writes the bill of materials in CycloneDX 1.6.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::Release;
use super::parts::{Origin, Part, Parts};
use crate::workspace::PROGRAM;

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

    use super::super::parts::tests::part;
    use super::*;

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
