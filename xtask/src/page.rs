//! Builds the page: the frontend for the browser, its glue, index.html and its assets.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, ensure};

use crate::command::{cargo, check};
use crate::compress;
use crate::files::{self, Tree, fingerprint};
use crate::html;
use crate::paths::Names;
use crate::program;
use crate::workspace::{Kind, Workspace};

/// The browser's target.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// The profile of the page; see the workspace's Cargo.toml.
pub(crate) const PROFILE: &str = "wasm";

const BOOT: &str =
    "import init from './frontend.js';\nawait init({ module_or_path: './frontend_bg.wasm' });\n";
/// Files of every visit besides the program, in dependency order. Names contain fingerprints, so that browsers cache
/// them permanently.
const NAMED: [&str; 4] = ["first.js", html::STYLE, html::LATER, "boot.js"];

/// Builds what changed, into `target/bundle/page`.
pub(crate) fn build(workspace: &Workspace) -> Result<String> {
    let wasm = compile(workspace)?;
    let index = workspace.root.join("index.html");
    let index =
        fs::read_to_string(&index).with_context(|| format!("reading {}", index.display()))?;
    let page = html::plain(&index)?;
    let mut tree = collect(&workspace.root, &page.copies)?;
    tree.insert(html::STYLE.to_owned(), joined(&workspace.root, &page.styles)?);
    tree.insert(html::LATER.to_owned(), joined(&workspace.root, &page.later)?);
    tree.insert("index.html".to_owned(), page.html.into_bytes());
    tree.insert("boot.js".to_owned(), BOOT.as_bytes().to_vec());

    let inputs = fingerprint(&(fs::read(&wasm)?, &tree, build_time()));
    let folder = workspace.bundle().join("page");
    let stamp = workspace.memory().join("page");
    let is_fresh = fs::read_to_string(&stamp).is_ok_and(|built| built == inputs);
    if is_fresh && folder.join("index.html").is_file() {
        return Ok("unchanged".to_owned());
    }
    let program = workspace.memory().join("program");
    let mut program = program::split(&wasm, &program)?;
    program::name_by_content(&mut program, &mut tree)?;
    tree.append(&mut program);
    name_by_content(&mut tree)?;
    let originals = tree.values().map(Vec::len).sum::<usize>();
    compress::add_compressed(&mut tree, &workspace.memory().join("compressed"))?;
    files::mirror(&folder, &tree)?;
    files::write_if_changed(&stamp, inputs.as_bytes())?;
    Ok(format!("{} kB, {} kB compressed", originals / 1000, compress::transfer_bytes(&tree) / 1000))
}

fn compile(workspace: &Workspace) -> Result<PathBuf> {
    let names = workspace.named(&[Kind::Page]);
    ensure!(names.len() == 1, "the page is the package in frontend/, and there is one");
    let mut build = cargo();
    // A split is made of what the linker put where.
    build.args([
        "rustc",
        "--features",
        "split",
        "--profile",
        PROFILE,
        "--target",
        TARGET,
        "--target-dir",
    ]);
    build.arg(workspace.wasm_target()).current_dir(&workspace.root);
    Names::collect(workspace)?.give(&mut build, TARGET);
    check(build.args(["--package", names[0], "--", "-Clink-arg=--emit-relocs"]))?;
    Ok(workspace.wasm_target().join(TARGET).join(PROFILE).join(format!("{}.wasm", names[0])))
}

/// Collects files for index.html, without source maps and unminified copies, because the host embeds them all.
fn collect(root: &Path, copies: &[(String, String)]) -> Result<Tree> {
    let mut tree = Tree::new();
    for (from, to) in copies {
        let source = root.join(from);
        if source.is_dir() {
            for (path, bytes) in files::read_tree(&source)? {
                tree.insert(format!("{to}/{path}"), bytes);
            }
        } else {
            let bytes = fs::read(&source);
            let bytes = bytes.with_context(|| format!("index.html wants {}", source.display()))?;
            tree.insert(to.clone(), bytes);
        }
    }
    tree.retain(|path, _| !path.ends_with(".map") && !path.contains("-src."));
    Ok(tree)
}

/// The style sheets as one.
fn joined(root: &Path, styles: &[String]) -> Result<Vec<u8>> {
    let mut all = String::new();
    for style in styles {
        let sheet = fs::read_to_string(root.join(style));
        all.push_str(&lean(&sheet.with_context(|| format!("index.html wants {style}"))?));
    }
    Ok(all.into_bytes())
}

/// A style sheet without comments and indentation, an eighth smaller.
fn lean(sheet: &str) -> String {
    let mut pieces = sheet.split("/*");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    plain.extend(pieces.map(|it| it.split_once("*/").map_or("", |(_, after)| after)));
    let lines = plain.lines().map(str::trim).filter(|it| !it.is_empty());
    lines.flat_map(|it| [it, "\n"]).collect()
}

/// Renames each of [`NAMED`] to `NAME.FINGERPRINT.ENDING`, in index.html, too.
fn name_by_content(tree: &mut Tree) -> Result<()> {
    for name in NAMED {
        let bytes = tree.remove(name).with_context(|| format!("the page has no {name}"))?;
        let (stem, ending) = name.rsplit_once('.').context("each has an ending")?;
        let named = format!("{stem}.{}.{ending}", fingerprint(&bytes));
        if let Some(text) = tree.get_mut("index.html") {
            let html = String::from_utf8(std::mem::take(text))?;
            let quoted = |name: &str| format!("\"{name}\"");
            *text = html.replace(&quoted(name), &quoted(&named)).into_bytes();
        }
        tree.insert(named, bytes);
    }
    Ok(())
}

/// Build time of xtask, because a new one may bind or compress differently.
fn build_time() -> Option<u128> {
    let own = std::env::current_exe().and_then(fs::metadata).and_then(|file| file.modified());
    own.ok()?.duration_since(UNIX_EPOCH).ok().map(|age| age.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minified_style_sheet_keeps_its_rules() {
        let sheet = "/* One. */\n\n.a,\n.b {\n  color: red; /* two\n lines */\n}\n";
        assert_eq!(lean(sheet), ".a,\n.b {\ncolor: red;\n}\n");
    }

    #[test]
    fn renames_by_content_and_updates_references() {
        let page = html::plain(
            r#"<script src="first.js"></script><link data-trunk rel="css" href="a.css"><link data-trunk rel="css" data-later href="b.css"><link data-trunk rel="rust" href="x">"#,
        );
        let index = page.unwrap().html;
        let tree = |boot: &str| {
            let files =
                [("first.js", ""), ("style.css", "p{}"), ("later.css", "b{}"), ("boot.js", boot)];
            let mut tree: Tree = files.map(|(name, text)| (name.to_owned(), text.into())).into();
            tree.insert("index.html".to_owned(), index.clone().into_bytes());
            name_by_content(&mut tree).unwrap();
            tree
        };
        let (old, new) = (tree("old"), tree("new"));
        for tree in [&old, &new] {
            let html = String::from_utf8(tree["index.html"].clone()).unwrap();
            for name in tree.keys().filter(|it| *it != "index.html") {
                assert!(html.contains(name), "{name} is named by nothing: {tree:?}");
            }
            assert!(NAMED.iter().all(|it| !tree.contains_key(*it)), "{tree:?}");
        }
        let kept = |start: &str| {
            old.keys().filter(|it| it.starts_with(start)).all(|it| new.contains_key(it))
        };
        assert!(kept("style.") && kept("later.") && kept("first.") && !kept("boot."));
    }
}
