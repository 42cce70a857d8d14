//! Licences of dependencies, and whether they allow us to ship.

use crate::repository::packages;

/// Permissive licences, and those of data and of single files, that Apache-2.0 may be shipped with.
const ALLOWED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages under another licence, each with the reason why it is fine.
const QUERIED: [(&str, &str, &str); 3] = [
    ("option-ext", "MPL-2.0", "copyleft by the file, unchanged; under rust-embed, at build time"),
    (
        "webpki-root-certs",
        "CDLA-Permissive-2.0",
        "Mozilla's list of certificates, data to be handed on; under rustls, not on Linux",
    ),
    ("webdriver", "MPL-2.0", "copyleft by the file, unchanged; under fantoccini, in tests"),
];

/// Whether accepted licences satisfy an SPDX expression. `/` is an old form of `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words = spaced.split_whitespace().collect::<Vec<_>>();
    let mut rest = words.as_slice();
    let is_allowed = any(&mut rest);
    is_allowed && rest.is_empty()
}

fn any(words: &mut &[&str]) -> bool {
    let mut are_met = all(words);
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        are_met |= all(words);
    }
    are_met
}

fn all(words: &mut &[&str]) -> bool {
    let mut is_met = one(words);
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        is_met &= one(words);
    }
    is_met
}

fn one(words: &mut &[&str]) -> bool {
    match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let is_met = any(words);
            *words = words.strip_prefix(&[")"]).unwrap_or(&["unbalanced"]);
            is_met
        }
        [name, "WITH", exception, rest @ ..] => {
            *words = rest;
            ALLOWED.contains(&format!("{name} WITH {exception}").as_str()) || ALLOWED.contains(name)
        }
        [name, rest @ ..] => {
            *words = rest;
            ALLOWED.contains(name)
        }
        [] => false,
    }
}

#[test]
fn every_dependency_has_an_accepted_licence() {
    let mut refused = Vec::new();
    for package in packages() {
        let name = package["name"].as_str().unwrap_or_default();
        let licence = package["license"].as_str().unwrap_or_default();
        let is_asked = QUERIED.iter().any(|(named, under, _)| *named == name && *under == licence);
        if !is_allowed(licence) && !is_asked {
            refused.push(format!("{name}: {licence}"));
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn alternatives_need_one_licence_conjunctions_need_all() {
    assert!(is_allowed("MIT OR LGPL-2.1-or-later"));
    assert!(is_allowed("Unlicense/MIT"));
    assert!(is_allowed("(MIT OR GPL-3.0-only) AND Unicode-3.0"));
    assert!(!is_allowed("MIT AND GPL-3.0-only"));
    assert!(!is_allowed("GPL-3.0-only"));
    assert!(!is_allowed("(MIT"));
    assert!(!is_allowed(""));
}
