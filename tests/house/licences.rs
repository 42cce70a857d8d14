//! Licences of dependencies, and whether they allow us to ship.

use std::cmp::Ordering;

use crate::repository::{packages, text, toml};

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

// No lock file has a version with a known advisory. Works offline, from a dated extract.

/// The path of the extract.
const EXTRACT: &str = "tests/house/advisories.toml";
/// Age in days from which each run reports the extract as old.
const DAYS_MAX: i64 = 90;

/// An advisory of the extract.
struct Advisory {
    package: String,
    id: String,
    /// Version ranges that are not affected.
    fine: Vec<String>,
}

fn advisories(kind: &str) -> Vec<Advisory> {
    let extract = toml(EXTRACT);
    let listed = extract.get(kind).and_then(|it| it.as_array()).into_iter().flatten();
    let advisory = |entry: &toml::Value| {
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let lists =
            ["patched", "unaffected"].map(|name| entry.get(name).and_then(|it| it.as_array()));
        let fine = lists.into_iter().flatten().flatten().filter_map(|it| it.as_str());
        Advisory {
            package: text("package"),
            id: text("id"),
            fine: fine.map(str::to_owned).collect(),
        }
    };
    listed.map(advisory).collect()
}

/// Orders versions by their numbers, prereleases first.
fn compare(one: &str, other: &str) -> Ordering {
    let parts = |version: &str| {
        let release = version.split('+').next().unwrap_or_default();
        let (numbers, before) = release.split_once('-').unwrap_or((release, ""));
        let numbers: Vec<u64> = numbers.split('.').map(|it| it.parse().unwrap_or(0)).collect();
        (numbers, before.to_owned())
    };
    let (one, other) = (parts(one), parts(other));
    one.0.cmp(&other.0).then_with(|| match (one.1.is_empty(), other.1.is_empty()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => one.1.cmp(&other.1),
    })
}

/// Whether all bounds of a list such as `>= 1.2.3, < 2.0.0` hold.
fn holds(version: &str, bounds: &str) -> bool {
    bounds.split(',').map(str::trim).all(|bound| {
        let at = bound.find(|c: char| c.is_ascii_digit()).unwrap_or_default();
        let order = compare(version, &bound[at..]);
        match bound[..at].trim() {
            ">=" => order != Ordering::Less,
            ">" => order == Ordering::Greater,
            "<" => order == Ordering::Less,
            "<=" => order != Ordering::Greater,
            "=" => order == Ordering::Equal,
            other => panic!("{EXTRACT}: {other:?} in {bounds:?} is no bound"),
        }
    })
}

/// Affected packages among `locked` ones, with version and advisory.
fn hit(advisories: &[Advisory], locked: &[(String, String)]) -> Vec<String> {
    let of = |own: &Advisory| {
        let affected = |version: &str| !own.fine.iter().any(|bounds| holds(version, bounds));
        let versions = locked.iter().filter(|(name, _)| *name == own.package).map(|it| &it.1);
        let hit = versions.filter(|version| affected(version));
        hit.map(|version| format!("{} {version}: {}", own.package, own.id)).collect::<Vec<_>>()
    };
    advisories.iter().flat_map(of).collect()
}

fn locked_by_cargo() -> Vec<(String, String)> {
    let lock = toml("Cargo.lock");
    let packages = lock["package"].as_array().into_iter().flatten();
    let text = |it: &toml::Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    packages.map(|it| (text(it, "name"), text(it, "version"))).collect()
}

fn locked_by_npm(file: &str) -> Vec<(String, String)> {
    let lock: serde_json::Value = serde_json::from_str(&text(file)).unwrap_or_default();
    let packages = lock["packages"].as_object().into_iter().flatten();
    let of = |(path, entry): (&String, &serde_json::Value)| {
        let (_, name) = path.rsplit_once("node_modules/")?;
        Some((name.to_owned(), entry["version"].as_str()?.to_owned()))
    };
    packages.filter_map(of).collect()
}

fn locked_by_pip(file: &str) -> Vec<(String, String)> {
    let lines = text(file);
    let pinned = lines.lines().filter_map(|it| it.trim().split_once("=="));
    let owned = |(name, version): (&str, &str)| {
        let name = name.split('[').next().unwrap_or_default();
        let version = version.split_whitespace().next().unwrap_or_default();
        (name.to_owned(), version.to_owned())
    };
    pinned.map(owned).collect()
}

#[test]
fn no_locked_version_has_an_advisory() {
    let npm = [
        "package-lock.json",
        "tests/clients/package-lock.json",
        "workbench/templates/js/package-lock.json",
    ];
    let pip = ["requirements", "langchain", "maps", "routers"];
    let pip = pip.map(|it| format!("tests/clients/{it}.txt"));
    let pip = pip.into_iter().chain(["workbench/templates/python/requirements.txt".to_owned()]);
    let locked = [
        ("cargo", locked_by_cargo()),
        ("npm", npm.iter().flat_map(|it| locked_by_npm(it)).collect()),
        ("pip", pip.flat_map(|it| locked_by_pip(&it)).collect()),
    ];
    for (kind, locked) in locked {
        let listed = advisories(kind);
        assert!(!listed.is_empty() && !locked.is_empty(), "{kind}: there is something to compare");
        let found = hit(&listed, &locked);
        assert!(found.is_empty(), "{kind}: take a version in which it is mended: {found:#?}");
        // Entries about removed packages are stale.
        let gone = listed.iter().filter(|it| !locked.iter().any(|(name, _)| *name == it.package));
        let gone: Vec<_> = gone.map(|it| &it.package).collect();
        assert!(gone.is_empty(), "{EXTRACT}: no lock file has {gone:?}");
    }
}

#[test]
fn extract_has_its_date() {
    let extract = toml(EXTRACT);
    let date = |name: &str| {
        let text = extract[name].as_str().unwrap_or_default();
        text.parse::<jiff::civil::Date>().unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (made, newest) = (date("date"), date("newest"));
    assert!(newest <= made);
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let days = (today - made).get_days();
    let is_old = if i64::from(days) > DAYS_MAX { "; make a newer one" } else { "" };
    eprintln!("{EXTRACT}: of {made}, {days} days ago; its newest advisory is of {newest}{is_old}");
}

#[test]
fn compares_versions_as_numbers_and_prereleases_as_earlier() {
    assert!(holds("48.0.8", ">= 48.0.4, < 49.0.0") && !holds("48.0.3", ">= 48.0.4, < 49.0.0"));
    assert!(holds("0.10.1", ">= 0.9.3") && !holds("0.4.9", ">= 0.4.16"));
    assert!(holds("0.103.16", "< 0.104.0-alpha.1") && !holds("0.104.0", "< 0.104.0-alpha.1"));
    let listed = [Advisory {
        package: "a".to_owned(),
        id: "X-1".to_owned(),
        fine: vec![">= 2.0.0".to_owned(), "< 1.0.0".to_owned()],
    }];
    let locked = |version: &str| [("a".to_owned(), version.to_owned())];
    assert_eq!(hit(&listed, &locked("1.5.0")), ["a 1.5.0: X-1"]);
    assert!(hit(&listed, &locked("2.0.0")).is_empty() && hit(&listed, &locked("0.9.0")).is_empty());
}
