//! Builds the page: the frontend for the browser, its glue, index.html and its assets.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use anyhow::{Context, Result, bail, ensure};
use brotli::enc::BrotliEncoderParams;

use crate::{
    command::{cargo, check},
    files::{self, Tree, fingerprint, write_if_changed},
    paths::Names,
    program,
    workspace::{Kind, Workspace},
};

/// The browser's target.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// The profile of the page; see the workspace's Cargo.toml.
pub(crate) const PROFILE: &str = "wasm";

const BOOT: &str =
    "import init from './frontend.js';\nawait init({ module_or_path: './frontend_bg.wasm' });\n";
/// Files of every visit besides the program, in dependency order. Names contain fingerprints, so that browsers cache
/// them permanently.
const NAMED: [&str; 4] = ["first.js", STYLE, LATER, "boot.js"];

/// Builds what changed, into `target/bundle/page`.
pub(crate) fn build(workspace: &Workspace) -> Result<String> {
    let wasm = compile(workspace)?;
    let index = workspace.root.join("index.html");
    let index =
        fs::read_to_string(&index).with_context(|| format!("reading {}", index.display()))?;
    let page = plain(&index)?;
    let mut tree = collect(&workspace.root, &page.copies)?;
    tree.insert(STYLE.to_owned(), joined(&workspace.root, &page.styles)?);
    tree.insert(LATER.to_owned(), joined(&workspace.root, &page.later)?);
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
    add_compressed(&mut tree, &workspace.memory().join("compressed"))?;
    files::mirror(&folder, &tree)?;
    write_if_changed(&stamp, inputs.as_bytes())?;
    Ok(format!("{} kB, {} kB compressed", originals / 1000, transfer_bytes(&tree) / 1000))
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

/// What shrinks. Pictures and fonts are compressed already.
const SHRINKING: [&str; 10] =
    ["bin", "html", "css", "js", "mjs", "wasm", "json", "svg", "txt", "webmanifest"];
/// Below this, the headers weigh more than what is saved.
const WORTH_BYTES_MIN: usize = 256;
/// brotli's best. A page takes seconds with it, therefore the cache.
const QUALITY: i32 = 11;

/// Adds `FILE.br` and `FILE.gz` beside each file that shrinks; `cache` remembers them by content.
fn add_compressed(page: &mut Tree, cache: &Path) -> Result<()> {
    let mut compressed = Tree::new();
    for (path, bytes) in &*page {
        let extension = path.rsplit('.').next().unwrap_or_default();
        if !SHRINKING.contains(&extension) || bytes.len() < WORTH_BYTES_MIN {
            continue;
        }
        for (suffix, compress) in [("br", brotli as Compress), ("gz", gzip)] {
            let small = cached(cache, suffix, bytes, compress)?;
            if small.len() < bytes.len() {
                compressed.insert(format!("{path}.{suffix}"), small);
            }
        }
    }
    page.append(&mut compressed);
    Ok(())
}

/// What a browser that takes brotli downloads, all files together.
fn transfer_bytes(page: &Tree) -> usize {
    let is_original = |path: &str| !path.ends_with(".br") && !path.ends_with(".gz");
    let originals = page.iter().filter(|(path, _)| is_original(path));
    originals.map(|(path, bytes)| page.get(&format!("{path}.br")).unwrap_or(bytes).len()).sum()
}

type Compress = fn(&[u8]) -> std::io::Result<Vec<u8>>;

fn cached(cache: &Path, suffix: &str, bytes: &[u8], compress: Compress) -> Result<Vec<u8>> {
    let file = cache.join(format!("{}.{suffix}", fingerprint(&(bytes, QUALITY))));
    if let Ok(cached) = fs::read(&file) {
        return Ok(cached);
    }
    let small = compress(bytes)?;
    write_if_changed(&file, &small)?;
    Ok(small)
}

fn brotli(mut bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let parameters = BrotliEncoderParams {
        quality: QUALITY,
        size_hint: bytes.len(),
        ..BrotliEncoderParams::default()
    };
    let mut small = Vec::new();
    brotli::BrotliCompress(&mut bytes, &mut small, &parameters)?;
    Ok(small)
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

// Expands the `data-trunk` elements of index.html as trunk does.

/// HTML of the page, and files to copy beside it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) html: String,
    /// Files and folders: where from (relative to index.html), where to (relative to the page).
    pub(crate) copies: Vec<(String, String)>,
    /// Style sheets in their order: one after another they are [`STYLE`].
    pub(crate) styles: Vec<String>,
    /// Files marked `data-later`, concatenated to [`LATER`].
    pub(crate) later: Vec<String>,
}

/// The style of what every visit shows.
pub(crate) const STYLE: &str = "style.css";
/// The style of what parts of the program draw: it is loaded with the first of them, by `frontend/src/part.rs`.
pub(crate) const LATER: &str = "later.css";

/// The elements that start the program. `boot.js` is a file because the page's CSP allows no inline script.
const START: &str = r#"<link rel="modulepreload" href="frontend.js">
  <link rel="modulepreload" href="parts.js">
  <link rel="preload" href="frontend_bg.wasm" as="fetch" type="application/wasm" crossorigin>
  <script type="module" src="boot.js"></script>"#;

/// Reads index.html. An element that we do not know how to turn is an error: trunk would act on it.
pub(crate) fn plain(source: &str) -> Result<Page> {
    let mut page = Page::default();
    let mut rest = source;
    while let Some(begin) = next_element(rest) {
        let end = rest[begin..].find('>').context("an element without its `>`")? + begin + 1;
        let element = &rest[begin..end];
        page.html.push_str(&rest[..begin]);
        if attribute(element, "data-trunk-public-url").is_some() {
            page.html.push_str(r#"<base href="/">"#);
        } else if attribute(element, "data-trunk").is_some() {
            let plain = page.turn(element)?;
            if plain.is_empty() {
                // Nothing is left of it, and nothing of its line.
                page.html.truncate(page.html.trim_end().len());
            }
            page.html.push_str(&plain);
        } else {
            page.html.push_str(element);
        }
        rest = &rest[end..];
    }
    page.html.push_str(rest);
    Ok(page)
}

/// Start of the next element for trunk.
fn next_element(html: &str) -> Option<usize> {
    ["<link", "<base", "<script"].iter().filter_map(|tag| html.find(tag)).min()
}

impl Page {
    fn turn(&mut self, element: &str) -> Result<String> {
        let href = attribute(element, "href").unwrap_or_default();
        let name = href.rsplit('/').next().unwrap_or_default();
        let target = attribute(element, "data-target-path").unwrap_or(name);
        match attribute(element, "rel").unwrap_or_default() {
            "rust" => Ok(START.to_owned()),
            "css" => {
                let is_later = attribute(element, "data-later").is_some();
                let (sheets, element) = if is_later {
                    // No browser follows it until the program makes it a style sheet.
                    (
                        &mut self.later,
                        format!(r#"<link id="later-style" rel="later" href="{LATER}">"#),
                    )
                } else {
                    (&mut self.styles, format!(r#"<link rel="stylesheet" href="{STYLE}">"#))
                };
                sheets.push(href.to_owned());
                Ok(if sheets.len() == 1 { element } else { String::new() })
            }
            "icon" => {
                self.copies.push((href.to_owned(), name.to_owned()));
                Ok(format!(r#"<link rel="icon" href="{name}">"#))
            }
            "copy-dir" => {
                self.copies.push((href.to_owned(), target.to_owned()));
                Ok(String::new())
            }
            "copy-file" => {
                let folder = attribute(element, "data-target-path").map(|path| format!("{path}/"));
                self.copies.push((href.to_owned(), folder.unwrap_or_default() + name));
                Ok(String::new())
            }
            other => bail!("index.html: no way to turn rel=\"{other}\" of {element}"),
        }
    }
}

/// An attribute's value; the empty string for one that has none.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = element.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (found, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"')?,
            None if after.starts_with('=') => {
                after[1..].split_once(char::is_whitespace).unwrap_or((&after[1..], ""))
            }
            None => ("", after),
        };
        if found == name {
            return Some(value);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn minified_style_sheet_keeps_its_rules() {
        let sheet = "/* One. */\n\n.a,\n.b {\n  color: red; /* two\n lines */\n}\n";
        assert_eq!(lean(sheet), ".a,\n.b {\ncolor: red;\n}\n");
    }

    #[test]
    fn renames_by_content_and_updates_references() {
        let page = plain(
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

    #[test]
    fn adds_two_smaller_files_with_the_same_content() {
        let cache = std::env::temp_dir().join(format!("xtask-compress-{}", std::process::id()));
        let text = "座席 seat ".repeat(200).into_bytes();
        let mut page = Tree::from([
            ("page.css".to_owned(), text.clone()),
            ("tiny.css".to_owned(), b"p{}".to_vec()),
            ("seat.png".to_owned(), text.clone()),
        ]);
        add_compressed(&mut page, &cache).unwrap();
        let names = page.keys().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(names, ["page.css", "page.css.br", "page.css.gz", "seat.png", "tiny.css"]);
        let mut back = Vec::new();
        brotli::BrotliDecompress(&mut &page["page.css.br"][..], &mut back).unwrap();
        assert_eq!(back, text);
        back.clear();
        flate2::read::GzDecoder::new(&page["page.css.gz"][..]).read_to_end(&mut back).unwrap();
        assert_eq!(back, text);
        fs::remove_dir_all(cache).unwrap();
    }

    #[test]
    fn expands_trunk_elements_and_keeps_the_rest() {
        let page = plain(
            r#"<head><meta charset="utf-8"><base data-trunk-public-url>
<link data-trunk rel="rust" href="frontend/Cargo.toml"
      data-wasm-opt="0" />
<link data-trunk rel="css" href="frontend/style/page.css">
<link data-trunk rel="css" href="frontend/style/home.css">
<link data-trunk rel="css" data-later href="frontend/style/hall.css">
<link data-trunk rel="css" data-later href="frontend/style/map.css">
<link data-trunk rel="copy-dir" href="node_modules/leaflet/dist" data-target-path="vendor/leaflet">
<link rel="stylesheet" href="vendor/leaflet/leaflet.css"></head>"#,
        )
        .unwrap();
        assert!(!page.html.contains("data-trunk"), "{}", page.html);
        assert!(page.html.contains(r#"<base href="/">"#));
        assert!(page.html.contains(r#"<script type="module" src="boot.js">"#));
        assert_eq!(page.html.matches(r#"<link rel="stylesheet" href="style.css">"#).count(), 1);
        assert!(!page.html.contains("\n\n"), "{}", page.html);
        assert_eq!(
            page.html.matches(r#"<link id="later-style" rel="later" href="later.css">"#).count(),
            1
        );
        assert_eq!(page.styles, ["frontend/style/page.css", "frontend/style/home.css"]);
        assert_eq!(page.later, ["frontend/style/hall.css", "frontend/style/map.css"]);
        assert!(
            page.html
                .ends_with("<link rel=\"stylesheet\" href=\"vendor/leaflet/leaflet.css\"></head>")
        );
        let copies = [("node_modules/leaflet/dist".to_owned(), "vendor/leaflet".to_owned())];
        assert_eq!(page.copies, copies);
    }

    #[test]
    fn unknown_trunk_element_is_an_error() {
        let error = plain(r#"<link data-trunk rel="sass" href="a.scss">"#).unwrap_err();
        assert!(error.to_string().contains("sass"), "{error}");
    }
}
