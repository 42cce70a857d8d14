//! Builds the page: the frontend for the browser, its glue, index.html and what that asks for.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;

use crate::command::{cargo, check};
use crate::compress;
use crate::files::{self, Tree, fingerprint};
use crate::html;
use crate::paths::Names;
use crate::workspace::{Kind, Workspace};

/// The browser's target.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// The profile of the page; see the workspace's Cargo.toml.
pub(crate) const PROFILE: &str = "wasm";

const BOOT: &str =
    "import init from './frontend.js';\nawait init({ module_or_path: './frontend_bg.wasm' });\n";

/// Builds what changed, into `target/bundle/page`.
pub(crate) fn build(workspace: &Workspace) -> Result<String> {
    let wasm = compile(workspace)?;
    let index = workspace.root.join("index.html");
    let index =
        fs::read_to_string(&index).with_context(|| format!("reading {}", index.display()))?;
    let page = html::plain(&index)?;
    let mut tree = collect(&workspace.root, &page.copies)?;
    tree.insert("index.html".to_owned(), page.html.into_bytes());
    tree.insert("boot.js".to_owned(), BOOT.as_bytes().to_vec());

    let inputs = fingerprint(&(fs::read(&wasm)?, &tree, own_age()));
    let folder = workspace.bundle().join("page");
    let stamp = workspace.memory().join("page");
    let is_fresh = fs::read_to_string(&stamp).is_ok_and(|built| built == inputs);
    if is_fresh && folder.join("index.html").is_file() {
        return Ok("unchanged".to_owned());
    }
    let glue = workspace.memory().join("bindgen");
    bind(&wasm, &glue)?;
    tree.append(&mut files::read_tree(&glue)?);
    let originals = tree.values().map(Vec::len).sum::<usize>();
    compress::beside(&mut tree, &workspace.memory().join("compressed"))?;
    files::mirror(&folder, &tree)?;
    files::write_if_changed(&stamp, inputs.as_bytes())?;
    Ok(format!("{} kB, {} kB compressed", originals / 1000, compress::transfer_bytes(&tree) / 1000))
}

fn compile(workspace: &Workspace) -> Result<PathBuf> {
    let names = workspace.named(&[Kind::Page]);
    ensure!(names.len() == 1, "the page is the package in frontend/, and there is one");
    let mut build = cargo();
    build.args(["build", "--profile", PROFILE, "--target", TARGET, "--target-dir"]);
    build.arg(workspace.wasm_target()).current_dir(&workspace.root);
    Names::of(workspace)?.give(&mut build, TARGET);
    check(build.args(["--package", names[0]]))?;
    Ok(workspace.wasm_target().join(TARGET).join(PROFILE).join(format!("{}.wasm", names[0])))
}

/// The JavaScript between the browser and the program.
fn bind(wasm: &Path, folder: &Path) -> Result<()> {
    if folder.is_dir() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name("frontend").web(true)?;
    bindgen.typescript(false).keep_debug(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(folder).context("wasm-bindgen could not bind the page")
}

/// What index.html wants beside it. Source maps and unminified twins stay at home: every file
/// here travels in the host's binary.
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

/// When this program was built: a new xtask may bind or compress differently.
fn own_age() -> Option<u128> {
    let own = std::env::current_exe().and_then(fs::metadata).and_then(|file| file.modified());
    own.ok()?.duration_since(UNIX_EPOCH).ok().map(|age| age.as_nanos())
}
