//! Collects licences of dependencies, each text once.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Release;
use super::parts::{Part, Parts};
use crate::files::paths_below;

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

#[cfg(test)]
mod tests {
    use super::super::parts::tests::part;
    use super::*;

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
}
