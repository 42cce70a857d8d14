//! The page's program as files: the main program, parts loaded on demand, code they share, and the JavaScript glue.

use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    fs,
    path::Path,
};

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::json;
use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::Options;

use crate::{
    files::{self, Tree, fingerprint},
    lean::{lean, lean_program},
};

/// Prefix of a part's export in wasm-split's loader.
const EXPORT: &str = "export const __wasm_split_load_";
/// The parts that every visit loads before long: the words of all others, and the stream of news.
const ALWAYS: [&str; 2] = ["words", "live"];
/// How often parts are loaded, where that is more than others: those of every visit, those linked in the page's header,
/// and the hall, to which the front page leads.
const OFTEN: [(&[&str], i64); 3] = [
    (&ALWAYS, 16),
    (&["chat", "conversations", "counter", "forms", "navigation"], 8),
    (&["cinema"], 4),
];
/// Parts that a visit may begin with, and parts that are drawn in one of those, with its name. Each has a file of all
/// that it needs and the other does not bring.
const FIRST: [(&str, &str); 23] = [
    ("agent", ""),
    ("agents", ""),
    ("approvals", ""),
    ("chat", ""),
    ("cinema", ""),
    ("cinema_cards", ""),
    ("conversation", ""),
    ("conversations", ""),
    ("counter", ""),
    ("form", ""),
    ("forms", ""),
    ("navigation", ""),
    ("navigation_found", "navigation"),
    ("operator", ""),
    ("operator_calls", "operator"),
    ("operator_components", "operator"),
    ("operator_people", "operator"),
    ("operator_servers", "operator"),
    ("staff", ""),
    ("staff_entries", "staff"),
    ("staff_party", "staff"),
    ("tool", ""),
    ("transcript", "chat"),
];
/// Stands for the program's fingerprint until that is known. Its files name each other, some within WebAssembly, where
/// the length of a name matters.
const UNKNOWN: &str = "fingerprint_here";
/// The JavaScript that loads parts.
const LOADER: &str = "parts.fingerprint_here.js";
/// Which pieces are in which file, and which a part needs.
const TABLE: &str = "table.fingerprint_here.json";
/// The JavaScript between the browser and the program.
const GLUE: &str = "frontend.fingerprint_here.js";
/// The main program.
const MAIN: &str = "frontend_bg.fingerprint_here.wasm";

/// The pieces of each part.
type Needs = BTreeMap<String, BTreeSet<String>>;

/// Splits what the linker put together, in `folder`, and binds it to JavaScript.
pub(crate) fn split(wasm: &Path, folder: &Path) -> Result<Tree> {
    if folder.is_dir() {
        fs::remove_dir_all(folder)?;
    }
    let (parts, bound) = (folder.join("parts"), folder.join("bound"));
    fs::create_dir_all(&bound)?;
    let main = folder.join("frontend.wasm");
    let (link_name, main_module) = (format!("./{LOADER}"), format!("./{GLUE}"));
    let linked = fs::read(wasm)?;
    let mut options = Options::new(&linked);
    options.output_dir = &parts;
    options.main_out_path = &main;
    options.link_name = &link_name;
    options.main_module = &main_module;
    wasm_split_cli_support::transform(options)
        .map_err(|error| anyhow!("wasm-split could not split the page: {error:?}"))?;
    bind(&main, &bound)?;

    let mut program = files::read_tree(&bound)?;
    let [glue, main] = ["frontend.js", "frontend_bg.wasm"]
        .map(|name| program.remove(name).with_context(|| format!("wasm-bindgen made no {name}")));
    let (main, glue) = lean_program(&main?, &lean_script(str::from_utf8(&glue?)?))?;
    program.insert(MAIN.to_owned(), main);
    program.insert(GLUE.to_owned(), glue.into_bytes());
    let mut pieces = Tree::new();
    let loader = fs::read_to_string(parts.join(LOADER))?;
    for (name, bytes) in files::read_tree(&parts)?.into_iter().filter(|it| it.0 != LOADER) {
        let bytes = lean(&bytes)?;
        let stem = name.trim_end_matches(".wasm");
        if stem.starts_with("chunk_") {
            pieces.insert(stem.to_owned(), bytes);
        } else {
            program.insert(format!("{stem}.{UNKNOWN}.wasm"), bytes);
        }
    }
    let needs = needs(&loader)?;
    all_known(&needs)?;
    let files = put_together(&pieces, &needs, &mut program);
    program.insert(LOADER.to_owned(), lean_loader(&loader, &needs)?.into_bytes());
    program.insert(TABLE.to_owned(), table(&files, &pieces, &needs)?);
    Ok(program)
}

/// An error if this file names a part that the page does not have: its pieces would lie where nothing looks for them.
fn all_known(needs: &Needs) -> Result<()> {
    let first = FIRST.iter().flat_map(|it| [it.0, it.1]);
    let often = OFTEN.iter().flat_map(|it| it.0.iter().copied());
    let mut named = first.chain(often).filter(|it| !it.is_empty());
    let unknown = named.find(|it| !needs.contains_key(*it));
    ensure!(
        unknown.is_none(),
        "xtask/src/program.rs names `{}`, which is no part of the page",
        unknown.unwrap_or_default()
    );
    Ok(())
}

/// Pieces of each part in wasm-split's loader, those of [`ALWAYS`] among them.
fn needs(loader: &str) -> Result<Needs> {
    let parts = loader.split(EXPORT).skip(1).map(|part| {
        let (name, rest) = part.split_once(' ').context("a part has a name")?;
        let (_, list) = rest.split_once("\n, [").context("a part has a list of pieces")?;
        let (list, _) = list.split_once(']').context("a list ends")?;
        let pieces = list.split(", ").filter(|it| !it.is_empty());
        let pieces = pieces.map(|it| it.trim_start_matches("__").to_owned()).collect();
        Ok((name.to_owned(), pieces))
    });
    let mut needs = parts.collect::<Result<Needs>>()?;
    let always: Vec<_> = ALWAYS.iter().filter_map(|it| needs.get(*it)).flatten().cloned().collect();
    needs.values_mut().for_each(|it| it.extend(always.iter().cloned()));
    Ok(needs)
}

/// Puts the pieces that parts share into files of the program; the names of those in each, in their order.
fn put_together(pieces: &Tree, needs: &Needs, program: &mut Tree) -> Vec<Vec<String>> {
    let of = |name: &String| {
        let parts = needs.values().enumerate().filter(|(_, it)| it.contains(name));
        parts.map(|it| it.0).collect::<Vec<_>>()
    };
    let bits = |often: &[&str]| {
        let parts = needs.keys().enumerate().filter(|(_, it)| often.contains(&it.as_str()));
        parts.fold(0, |all, (number, _)| all | 1 << number)
    };
    let weights = OFTEN.map(|(parts, weight)| (bits(parts), weight)).to_vec();
    let groups = pieces.iter().map(|(name, bytes)| Group::new(name.clone(), of(name), bytes.len()));
    let mut files = Vec::new();
    for (number, group) in grouped(groups.collect(), &weights).into_iter().enumerate() {
        let mut names = group.pieces;
        // Pieces of the same parts are grouped, which shortens the table.
        names.sort_by_cached_key(of);
        let all = names.iter().flat_map(|name| pieces[name].iter().copied()).collect();
        program.insert(format!("shared_{number}.{UNKNOWN}.bin"), all);
        files.push(names);
    }
    for (part, within) in FIRST.into_iter().filter(|it| needs.contains_key(it.0)) {
        let is_in = |part: &str, name: &String| needs.get(part).is_some_and(|it| it.contains(name));
        let names = files.iter().flatten().filter(|it| is_in(part, it) && !is_in(within, it));
        let all = names.flat_map(|name| pieces[name].iter().copied()).collect();
        program.insert(format!("first_{part}.{UNKNOWN}.bin"), all);
    }
    files
}

/// wasm-split's loader without a function for each piece and without comments: what it needs to know is in the table.
fn lean_loader(loader: &str, needs: &Needs) -> Result<String> {
    let end = loader.find("const __chunk_").or_else(|| loader.find(EXPORT));
    let (own, _) = loader.split_at(end.context("the loader has parts")?);
    let mut lean = [own, include_str!("program.js")].map(lean_script).concat();
    for part in needs.keys() {
        lean.push_str(&format!("{EXPORT}{part} = part(\"{part}\");\n"));
    }
    Ok(lean)
}

/// The lengths of the pieces in each file; and of each part, where what it needs begins and ends, and what it is drawn
/// in.
fn table(files: &[Vec<String>], pieces: &Tree, needs: &Needs) -> Result<Vec<u8>> {
    let lengths = files.iter().map(|it| it.iter().map(|name| pieces[name].len()).collect());
    let lengths = lengths.collect::<Vec<Vec<usize>>>();
    let part = |(part, needs): (&String, &BTreeSet<String>)| {
        let is_needed = files.iter().flatten().map(|it| needs.contains(it));
        let mut turns = Vec::new();
        for (at, is_needed) in is_needed.chain([false]).enumerate() {
            if is_needed == (turns.len() % 2 == 0) {
                turns.push(at);
            }
        }
        let within = FIRST.iter().find(|it| it.0 == part).map(|it| it.1);
        (part.clone(), (turns, within))
    };
    let parts = needs.iter().map(part).collect::<BTreeMap<_, _>>();
    Ok(serde_json::to_vec(&json!({ "lengths": lengths, "parts": parts }))?)
}

/// A script without indentation and without lines that are comments.
fn lean_script(script: &str) -> String {
    let is_comment = |it: &str| ["//", "/*", "*"].iter().any(|begin| it.starts_with(begin));
    let lines = script.lines().map(str::trim).filter(|it| !it.is_empty() && !is_comment(it));
    lines.flat_map(|it| [it, "\n"]).collect()
}

/// The JavaScript between the browser and the program.
fn bind(wasm: &Path, folder: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name("frontend").web(true)?;
    bindgen.typescript(false).keep_debug(false);
    // Parts are linked with the table of functions.
    bindgen.keep_lld_exports(true);
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(folder).context("wasm-bindgen could not bind the page")
}

/// Gives the program's files their fingerprint, one for all of them, since they name each other; and what of `tree`
/// names them.
pub(crate) fn name_by_content(program: &mut Tree, tree: &mut Tree) -> Result<()> {
    let own = fingerprint(program);
    ensure!(own.len() == UNKNOWN.len(), "names keep their length");
    for (name, mut bytes) in std::mem::take(program) {
        replace(&mut bytes, UNKNOWN.as_bytes(), own.as_bytes());
        program.insert(name.replace(UNKNOWN, &own), bytes);
    }
    for naming in ["boot.js", "index.html"] {
        let bytes = tree.get_mut(naming).with_context(|| format!("the page has no {naming}"))?;
        let mut text = String::from_utf8(std::mem::take(bytes))?;
        for name in [GLUE, LOADER, MAIN] {
            let plain = name.replace(&format!(".{UNKNOWN}"), "");
            text = text.replace(&plain, &name.replace(UNKNOWN, &own));
        }
        *bytes = text.into_bytes();
    }
    Ok(())
}

/// Replaces each `from` by a `to` that is as long.
fn replace(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    let mut at = 0;
    while at + from.len() <= bytes.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + from.len()].copy_from_slice(to);
            at += from.len();
        } else {
            at += 1;
        }
    }
}

// Groups code that parts share into a few files.

/// Bytes, uncompressed, that take as long to load as one more request.
const REQUEST_BYTES: i64 = 24_000;

/// How often parts are loaded: bit sets of parts, and how often each of a set is for each time that any other is.
pub(crate) type Weights = Vec<(u64, i64)>;

/// Pieces that are always loaded together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// The pieces of the page, by their names.
    pub(crate) pieces: Vec<String>,
    /// The parts that need one of them, a bit each.
    parts: u64,
    bytes: i64,
}

impl Group {
    /// One piece, and numbers of parts that need it.
    pub(crate) fn new(piece: String, parts: impl IntoIterator<Item = usize>, bytes: usize) -> Self {
        let parts = parts.into_iter().fold(0, |all, part| all | 1 << part);
        Self { pieces: vec![piece], parts, bytes: i64::try_from(bytes).unwrap_or(i64::MAX) }
    }

    /// What merging spares: requests of the parts that need both, less bytes that those load in vain that need one.
    fn gain(&self, other: &Self, weights: &Weights) -> i64 {
        let weight = |parts: u64| {
            let more = weights.iter().map(|(of, weight)| count(parts & of) * (weight - 1));
            count(parts) + more.sum::<i64>()
        };
        let all = weight(self.parts | other.parts);
        let in_vain = |it: &Self| it.bytes * (all - weight(it.parts));
        REQUEST_BYTES * weight(self.parts & other.parts) - in_vain(self) - in_vain(other)
    }

    fn append(&mut self, other: Self) {
        self.pieces.extend(other.pieces);
        self.parts |= other.parts;
        self.bytes += other.bytes;
    }
}

fn count(parts: u64) -> i64 {
    i64::from(parts.count_ones())
}

/// Merges groups, those with the most gain first, while there is a gain.
pub(crate) fn grouped(groups: Vec<Group>, weights: &Weights) -> Vec<Group> {
    let mut by_parts = BTreeMap::<u64, Group>::new();
    for group in groups {
        // Nothing is in vain where the same parts need both.
        by_parts.entry(group.parts).or_default().append(group);
    }
    // A merged group has a place of its own, and those that it is made of have none.
    let mut groups: Vec<Option<Group>> = Vec::new();
    let mut gains = BinaryHeap::new();
    let add = |new: Group, groups: &mut Vec<Option<Group>>, gains: &mut BinaryHeap<_>| {
        for (at, group) in groups.iter().enumerate() {
            let gain = group.as_ref().map_or(0, |it| it.gain(&new, weights));
            if gain > 0 {
                gains.push((gain, at, groups.len()));
            }
        }
        groups.push(Some(new));
    };
    by_parts.into_values().for_each(|group| add(group, &mut groups, &mut gains));
    while let Some((_, a, b)) = gains.pop() {
        if groups[a].is_none() || groups[b].is_none() {
            continue;
        }
        let both = [a, b].map(|at| groups[at].take());
        let merged = both.into_iter().flatten().reduce(|mut one, other| {
            one.append(other);
            one
        });
        merged.into_iter().for_each(|it| add(it, &mut groups, &mut gains));
    }
    groups.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn files_share_one_fingerprint_and_references_follow() {
        let named = |wasm: &str| {
            let files =
                [(MAIN, wasm), (GLUE, "import './parts.fingerprint_here.js'"), (LOADER, "")];
            let mut program: Tree = files.map(|(name, text)| (name.to_owned(), text.into())).into();
            let mut tree = Tree::from([
                ("boot.js".to_owned(), b"'./frontend.js' './frontend_bg.wasm'".to_vec()),
                ("index.html".to_owned(), b"\"frontend.js\"".to_vec()),
            ]);
            name_by_content(&mut program, &mut tree).unwrap();
            (program, tree)
        };
        let (program, tree) = named("\0asm ./parts.fingerprint_here.js");
        let texts = [&program, &tree].into_iter().flat_map(|it| it.values().flatten().copied());
        let texts = String::from_utf8(texts.collect()).unwrap();
        assert_eq!(program.len(), 3);
        for name in program.keys() {
            assert!(
                texts.contains(&format!("./{name}")) && !name.contains(UNKNOWN),
                "{name}: {texts}"
            );
        }
        assert!(!texts.contains(UNKNOWN) && !texts.contains("frontend.js"), "{texts}");
        let (other, _) = named("\0asm");
        assert!(program.keys().all(|it| !other.contains_key(it)));
    }

    #[test]
    fn first_files_hold_what_is_not_there_yet() {
        let pieces = [("both", b'b'), ("chat", b'c'), ("later", b'l'), ("word", b'w')];
        let pieces: Tree = pieces.map(|(name, byte)| (name.to_owned(), vec![byte])).into();
        let needs = [
            ("chat", &["both", "chat", "word"][..]),
            ("operator", &[]),
            ("transcript", &["both", "later", "word"]),
        ];
        let of = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
        let needs = needs.map(|(name, pieces)| (name.to_owned(), of(pieces))).into();
        let mut program = Tree::new();
        let files = put_together(&pieces, &needs, &mut program);
        let table = table(&files, &pieces, &needs).unwrap();
        let table: Value = serde_json::from_slice(&table).unwrap();
        let first = |part: &str| {
            let mut bytes = program[&format!("first_{part}.{UNKNOWN}.bin")].clone();
            bytes.sort_unstable();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!([first("chat"), first("transcript")], ["bcw", "l"]);
        let within = ["chat", "transcript", "operator"].map(|part| &table["parts"][part][1]);
        assert_eq!(within, ["", "chat", ""]);
    }

    #[test]
    fn table_and_loader_need_the_same_pieces() {
        let chunk = |it: usize| format!("const __chunk_{it} = makeLoad(() => {{\n}}\n, []);\n");
        let part = |name: &str, pieces: &str| {
            format!("{EXPORT}{name} = wrapAsyncCb(makeLoad(() => {{\n}}\n, [{pieces}]));\n")
        };
        let loader = [
            "import { initSync } from './x';\n// A comment.\n  function makeLoad() {}\n",
            &chunk(1),
            &chunk(2),
            &chunk(3),
            &part("seats", "__chunk_1, __chunk_3"),
            &part("map", ""),
        ];
        let loader = loader.concat();
        let needs = needs(&loader).unwrap();
        assert_eq!(needs["seats"], BTreeSet::from(["chunk_1", "chunk_3"].map(str::to_owned)));
        let pieces: Tree = (1..4).map(|it| (format!("chunk_{it}"), vec![0; it * 10])).collect();
        let files = [vec!["chunk_2".to_owned(), "chunk_1".to_owned()], vec!["chunk_3".to_owned()]];
        let lean = lean_loader(&loader, &needs).unwrap();
        assert!(lean.starts_with("import { initSync } from './x';\nfunction makeLoad() {}\n"));
        assert!(
            lean.contains("load_seats = part(\"seats\");") && !lean.contains("chunk"),
            "{lean}"
        );
        let table = table(&files, &pieces, &needs).unwrap();
        assert_eq!(
            serde_json::from_slice::<Value>(&table).unwrap(),
            json!({
                "lengths": [[20, 10], [30]],
                "parts": { "map": [[], null], "seats": [[1, 3], null] },
            })
        );
    }

    #[test]
    fn unknown_part_is_an_error_that_names_it() {
        let named = FIRST.iter().map(|it| it.0).chain(OFTEN.iter().flat_map(|it| it.0).copied());
        let mut needs: Needs = named.map(|it| (it.to_owned(), BTreeSet::new())).collect();
        all_known(&needs).unwrap();
        needs.remove("chat");
        assert!(all_known(&needs).unwrap_err().to_string().contains("`chat`"));
    }

    fn group(name: &str, parts: &[usize], bytes: usize) -> Group {
        Group::new(name.to_owned(), parts.iter().copied(), bytes)
    }

    fn names(groups: Vec<Group>, weights: &Weights) -> Vec<String> {
        let mut names: Vec<_> =
            grouped(groups, weights).iter().map(|it| it.pieces.join(" ")).collect();
        names.sort();
        names
    }

    #[test]
    fn groups_what_spares_requests_and_loads_little_in_vain() {
        let groups = vec![
            group("big", &[0, 1], 900_000),
            group("other", &[2, 3], 900_000),
            group("small", &[0, 1, 2], 9_000),
            group("same", &[0, 1], 9),
            group("far", &[5], 9),
        ];
        assert_eq!(names(groups, &Vec::new()), ["big same", "far", "other", "small"]);
    }

    #[test]
    fn parts_that_are_often_loaded_load_less_in_vain() {
        let groups = || vec![group("common", &[0, 1, 2], 9_000), group("rare", &[1, 2], 30_000)];
        assert_eq!(names(groups(), &Vec::new()), ["rare common"]);
        assert_eq!(names(groups(), &vec![(1, 9)]), ["common", "rare"]);
    }
}
