//! No modules depend on each other in a cycle. Between crates the compiler forbids it, and `packages.rs`
//! lists their edges.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::{sources, text};

/// Modules with the modules of the same crate that they use.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The first names of paths after `crate::` in a text; `$crate` belongs to users of a macro.
fn used(text: &str) -> BTreeSet<String> {
    let code: String = text
        .split("#[cfg(test)]")
        .next()
        .unwrap_or_default()
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|it: char| it == '$' || it == '_' || it.is_alphanumeric()) {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(firsts(group)),
            None => found.extend(first(rest)),
        }
    }
    found
}

fn first(path: &str) -> Option<String> {
    let path = path.trim_start();
    let end = path.find(|it: char| it != '_' && !it.is_alphanumeric()).unwrap_or(path.len());
    (end > 0).then(|| path[..end].to_owned())
}

/// The first names of `a::{b, c}, d}`: of each entry, up to the brace that ends the group.
fn firsts(group: &str) -> Vec<String> {
    let (mut depth, mut begin, mut found) = (0, 0, Vec::new());
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.extend(first(&group[begin..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.extend(first(&group[begin..at]));
                begin = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// The crates of the tree by the folders of their sources, each with its modules.
fn crates() -> BTreeMap<String, Uses> {
    let mut crates = BTreeMap::<String, Uses>::new();
    for path in sources() {
        let Some((folder, rest)) = path.split_once("/src/") else { continue };
        let module = rest.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        if ["main", "lib", "tests"].contains(&module) || rest.contains("tests") {
            continue;
        }
        let uses = crates.entry(format!("{folder}/src/")).or_default();
        uses.entry(module.to_owned()).or_default().extend(used(&text(path)));
    }
    crates
}

/// Modules that depend on themselves through another one.
fn in_circles(uses: &Uses) -> Vec<&str> {
    let reaches = |from: &str| {
        let (mut distinct, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            for used in uses.get(module).into_iter().flatten() {
                if used != module && uses.contains_key(used) && distinct.insert(used.as_str()) {
                    next.push(used);
                }
            }
        }
        distinct.contains(from)
    };
    uses.keys().map(String::as_str).filter(|it| reaches(it)).collect()
}

#[test]
fn no_modules_depend_on_each_other_in_a_cycle() {
    let crates = crates();
    assert!(crates.len() > 15, "all crates are read: {:?}", crates.keys());
    let found: Vec<_> = crates.iter().map(|it| (it.0.as_str(), in_circles(it.1))).collect();
    let found: Vec<_> = found.into_iter().filter(|it| !it.1.is_empty()).collect();
    assert_eq!(found, [], "these modules depend on themselves by way of others");
}

#[test]
fn finds_cycles_in_each_form_of_use() {
    let code = "use crate::{a::{x, y}, b};\nfn f() { crate::c::g(); $crate::d::h() } // crate::e\n#[cfg(test)]\nuse crate::f;";
    assert_eq!(used(code).into_iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    let uses = |all: &[(&str, &[&str])]| -> Uses {
        let one = |it: &&str| (*it).to_owned();
        all.iter().map(|it| (it.0.to_owned(), it.1.iter().map(one).collect())).collect()
    };
    let circle = uses(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"]), ("d", &["a", "d"])]);
    assert_eq!(in_circles(&circle), ["a", "b", "c"]);
}
