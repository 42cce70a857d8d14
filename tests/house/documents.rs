//! Documents match the sources: commands, invariants, links; and texts that no file may have.

use std::collections::BTreeSet;

use host::limits::{
    ApprovalsConfig, ConnectionsConfig, Limits, SandboxConfig, SessionsConfig, TasksConfig,
};
use serde_json::{Value, to_value};
use tests::fixtures::check_golden;

use crate::repository::{files, root, sources, text};

const DOCUMENTS: [&str; 3] = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"];
/// The page that defines requirement codes.
const REQUIREMENTS: &str = "docs/requirements.md";
/// Prefixes of requirement codes.
const FAMILIES: [&str; 16] = [
    "APP-", "AUTH-", "SYS-", "CIN-", "ILL-", "CONV-", "NAV-", "FORM-", "OAUTH-", "TASK-", "PIN-",
    "HOSTED-", "DIST-", "DEV-", "STO-", "OPS-",
];
/// Maximum length of a test's name.
const TEST_NAME_MAX: usize = 60;
/// Pronouns that leave open whether a caller, a person, the operator or an agent is meant.
const VAGUE: [&str; 3] = ["whoever", "nobody", "somebody"];
/// The page of promises to operators, each with its tests.
const PROMISES: &str = "docs/promises.md";

#[test]
fn every_command_that_the_documents_name_exists() {
    let program = text("xtask/src/main.rs");
    let mut named = 0;
    for document in DOCUMENTS {
        for (_, after) in text(document).split("cargo xtask ").skip(1).map(|rest| (document, rest))
        {
            let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
            let command = &after[..end];
            assert!(
                program.contains(&format!("(\"{command}\"")),
                "{document}: no `cargo xtask {command}`"
            );
            named += 1;
        }
    }
    assert!(named > 1, "the README names the two commands");
}

#[test]
fn ci_runs_the_readmes_command() {
    let command = "cargo xtask test";
    assert!(text("README.md").contains(command));
    assert!(text(".ci/run").contains(&format!("exec {command}")));
}

#[test]
fn every_invariant_is_held_by_a_test_that_exists() {
    let architecture = text("ARCHITECTURE.md");
    let invariants = architecture.lines().filter(|line| line.starts_with("| I"));
    let invariants = invariants.collect::<Vec<_>>();
    assert!(invariants.len() > 50, "ARCHITECTURE.md lists invariants as `| I1 | … |`");
    invariants.into_iter().for_each(is_held);
}

#[test]
fn every_promise_names_a_test_that_exists() {
    let promises = text(PROMISES).replace("\n  ", " ");
    let promises = promises.lines().filter(|line| line.starts_with("- ")).collect::<Vec<_>>();
    assert!(promises.len() > 20, "{PROMISES} lists promises as `- …`");
    promises.into_iter().for_each(is_held);
    assert!(text("README.md").contains(PROMISES), "the README leads there");
}

/// The codes of requirements in a text.
fn codes(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for family in FAMILIES {
        for (at, _) in text.match_indices(family) {
            let is_inside = text[..at].ends_with(|it: char| it.is_alphanumeric() || it == '-');
            let rest = &text[at + family.len()..];
            let digits = rest.strip_prefix('X').unwrap_or(rest);
            let end = digits.find(|it: char| !it.is_ascii_digit()).unwrap_or(digits.len());
            if end > 0 && !is_inside {
                found.insert(format!("{family}{}", &rest[..rest.len() - digits.len() + end]));
            }
        }
    }
    found
}

#[test]
fn every_cited_requirement_is_defined_and_the_reverse() {
    let is_text = |path: &&String| {
        [".rs", ".md", ".wit", ".toml", ".sql", ".html", ".css"].iter().any(|it| path.ends_with(it))
    };
    let mut cited = BTreeSet::new();
    for path in files().iter().filter(is_text).filter(|it| *it != REQUIREMENTS) {
        cited.extend(codes(&text(path)));
    }
    let page = text(REQUIREMENTS);
    let mut defined = BTreeSet::new();
    for line in page.lines().filter(|it| it.starts_with("- ")) {
        let code = line.strip_prefix("- **").and_then(|it| it.split_once("** "));
        let (code, text) = code.unwrap_or_else(|| panic!("no code begins {line:?}"));
        assert_eq!(codes(code), [code.to_owned()].into(), "{line}");
        assert!(text.ends_with('.') && line.chars().count() <= 200, "{line}");
        assert!(defined.insert(code.to_owned()), "{code} is there twice");
    }
    assert_eq!(cited.difference(&defined).collect::<Vec<_>>(), [""; 0], "cited and not defined");
    assert_eq!(defined.difference(&cited).collect::<Vec<_>>(), [""; 0], "defined and not cited");
    assert!(text("ARCHITECTURE.md").contains(REQUIREMENTS), "ARCHITECTURE.md leads there");
}

/// Checks that the tests named in a sentence exist.
fn is_held(sentence: &str) {
    let named = sentence.split('`').filter(|part| part.contains("::")).collect::<Vec<_>>();
    assert!(!named.is_empty(), "no test is named in {sentence}");
    for test in named {
        let (ring, function) = test.split_once("::").unwrap_or_default();
        let function = function.rsplit("::").next().unwrap_or_default();
        assert!(
            is_test(ring, function),
            "there is no test `{function}` in the ring `{ring}`: {sentence}"
        );
    }
}

/// Whether a ring, or the packages in a folder of that name, have such a test.
fn is_test(ring: &str, function: &str) -> bool {
    let ours = sources().filter(|path| {
        let places = [format!("tests/{ring}.rs"), format!("tests/{ring}/")];
        let rooms = [format!("{ring}/"), format!("components/{ring}/")];
        let is_in = |of: &[String]| of.iter().any(|place| path.starts_with(place.as_str()));
        is_in(&places) || is_in(&rooms) && path.contains("/src/")
    });
    let declaration = format!("fn {function}(");
    ours.map(text).any(|source| {
        source
            .split(&declaration)
            .next()
            .is_some_and(|before| before.len() < source.len() && is_marked(before))
    })
}

#[test]
fn tests_are_named_in_at_most_sixty_characters() {
    let mut count = 0;
    for path in sources() {
        let source = text(path);
        for (at, _) in source.match_indices("fn ").filter(|(at, _)| is_marked(&source[..*at])) {
            let name = source[at + 3..].split('(').next().unwrap_or_default();
            assert!(name.len() <= TEST_NAME_MAX, "{path}: `{name}` is too long");
            count += 1;
        }
    }
    assert!(count > 2_000, "only {count} tests were found");
}

#[test]
fn comments_have_no_vague_pronouns() {
    // Descriptions of schemas are text of tools: their goldens hold them.
    let is_ours = |path: &&str| !text(path).contains("JsonSchema");
    for path in sources().filter(is_ours) {
        let source = text(path);
        let comments = source.lines().map(str::trim).filter(|line| line.starts_with("//"));
        for line in comments {
            let words = line.split(|c: char| !c.is_alphanumeric());
            let vague = words.map(str::to_lowercase).find(|it| VAGUE.contains(&it.as_str()));
            assert_eq!(vague, None, "{path}: say who it is: {line}");
        }
    }
}

/// Whether the text ends in a test attribute, with nothing but attributes and `async` after it.
fn is_marked(before: &str) -> bool {
    let mut lines =
        before.lines().rev().map(str::trim).skip_while(|line| matches!(*line, "" | "async"));
    lines.by_ref().take_while(|line| line.starts_with("#[")).any(|line| line.contains("test"))
}

#[test]
fn every_link_within_the_repository_leads_somewhere() {
    // The specifications' links lead to what is theirs.
    let is_ours = |path: &&String| path.ends_with(".md") && !path.starts_with("tests/host/");
    for document in files().iter().filter(is_ours) {
        let text = text(document);
        let folder = root().join(document);
        let folder = folder.parent().expect("a file is in a folder");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = target.split('#').next().unwrap_or_default();
            let is_ours = !path.is_empty() && !path.contains("://");
            assert!(!is_ours || folder.join(path).exists(), "{document} links to {path}");
        }
    }
}

#[test]
fn no_file_names_a_registrys_host_or_a_machines_paths() {
    // In pieces, or this file would find itself.
    let needles = [
        ["registry.", "npmjs.org"],
        ["registry.", "yarnpkg.com"],
        ["index.", "crates.io"],
        ["static.", "crates.io"],
        ["//crates", ".io"],
        ["pypi", ".org"],
        ["pythonhosted", ".org"],
        ["deb.", "debian.org"],
        ["/ro", "ot/"],
        ["/ho", "me/"],
        ["/Us", "ers/"],
        ["/wo", "rk/"],
    ];
    let needles = needles.map(|pieces| pieces.concat());
    let mut found = Vec::new();
    for path in files().iter().filter(|path| *path != "Cargo.lock") {
        let bytes = std::fs::read(root().join(path)).unwrap_or_default();
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let named = needles.iter().filter(|needle| text.contains(needle.as_str()));
        found.extend(named.map(|needle| format!("{path}: {needle}")));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn lock_files_of_npm_name_no_place_to_download_from() {
    let locks =
        files().iter().filter(|path| path.ends_with("package-lock.json")).collect::<Vec<_>>();
    assert!(!locks.is_empty());
    for lock in locks {
        assert!(
            !text(lock).contains("\"resolved\""),
            "{lock}: .npmrc wants omit-lockfile-registry-resolved=true"
        );
    }
}

/// Each client starts its own program, which needs a data folder of its own.
#[test]
fn stdio_examples_have_their_own_data_folder() {
    let mut count = 0;
    for document in files().iter().filter(|path| path.ends_with(".md")) {
        let page = text(document);
        // Every second piece is between two fences.
        let blocks = page.split("\n```").skip(1).step_by(2);
        let mut folders = BTreeSet::new();
        for line in blocks.flat_map(str::lines).filter(|it| it.contains("--stdio")) {
            let rest = line.split("--data").nth(1).unwrap_or_else(|| panic!("{document}: {line}"));
            let folder = rest.trim_start_matches(['"', ',', ' ']);
            let folder = folder.split(['"', ' ']).next().unwrap_or_default();
            assert!(!folder.is_empty() && folders.insert(folder), "{document}: {line}");
            count += 1;
        }
    }
    assert!(count > 5, "the snippets are found");
}

#[test]
fn each_variable_that_the_program_reads_is_in_the_manual() {
    let manual = text("docs/operating.md");
    let mut count = 0;
    for path in sources().filter(|path| path.starts_with("host/program/src/")) {
        let source = text(path);
        for rest in source.split("\"MADOGUCHI_").skip(1) {
            let variable = rest.split('"').next().unwrap_or_default();
            assert!(manual.contains(&format!("`MADOGUCHI_{variable}`")), "{path}: {variable}");
            count += 1;
        }
    }
    assert!(count > 10, "the variables are found");
}

#[test]
fn each_package_that_a_set_up_installs_is_in_the_manual() {
    let (set_up, manual) = (text("xtask/src/setup.rs"), text("docs/building.md"));
    // The names in the constants: of each pair the first.
    let lists = ["const BROWSER: ", "const SERVER: "].map(|name| {
        let list =
            set_up.split(name).nth(1).and_then(|it| it.split(';').find(|it| it.contains('=')));
        list.unwrap_or_else(|| panic!("{name}"))
    });
    let pairs = lists.iter().flat_map(|it| it.split("(\"").skip(1));
    let packages: Vec<_> = pairs.filter_map(|it| it.split('"').next()).collect();
    assert!(packages.len() > 4, "{packages:?}");
    for package in packages.iter().chain(&["python3-venv"]) {
        assert!(manual.contains(&format!("`{package}`")), "docs/building.md: {package}");
    }
}

/// The page of limits is what their tables say: `cargo xtask goldens` writes it.
#[test]
fn manual_has_each_limit_as_its_table_says() {
    const SOURCE: &str = "host/base/src/limits.rs";
    let defaults = [
        ("Limits", to_value(Limits::default())),
        ("SandboxConfig", to_value(SandboxConfig::default())),
        ("SessionsConfig", to_value(SessionsConfig::default())),
        ("ConnectionsConfig", to_value(ConnectionsConfig::default())),
        ("ApprovalsConfig", to_value(ApprovalsConfig::default())),
        ("TasksConfig", to_value(TasksConfig::default())),
    ];
    let source = text(SOURCE);
    let tables: Vec<_> = source.split("\nlimits! {\n").skip(1).collect();
    assert_eq!(tables.len(), defaults.len(), "{SOURCE}: a table is missing here");
    let mut page = format!(
        "# Limits\n\nWritten by `cargo xtask goldens` from [limits.rs](../{SOURCE}): change that.\n\
         [operating.md](operating.md#limits) says how they are set.\n"
    );
    for (name, defaults) in defaults {
        let defaults = defaults.unwrap();
        let table = tables.iter().find(|it| it.contains(&format!("    {name} as it")));
        let table = table.unwrap_or_else(|| panic!("{SOURCE}: {name}"));
        let mut about = Vec::new();
        for line in table.lines().map(str::trim).take_while(|it| *it != "}") {
            if let Some(line) = line.strip_prefix("/// ") {
                about.push(line);
            } else if line.ends_with('{') {
                let about = std::mem::take(&mut about).join(" ");
                page += &format!("\n## {}\n\n", about.trim_end_matches('.'));
                page += "| limit | default | |\n|---|---|---|\n";
            } else if let Some((limit, _)) = line.split_once(": ") {
                let about = std::mem::take(&mut about).join(" ");
                page += &format!("| `{limit}` | {} | {about} |\n", shown(limit, &defaults[limit]));
            }
        }
    }
    check_golden(&root().join("docs/limits.md"), &page);
}

/// A default as people write it: `64 MiB`, `2,000`.
fn shown(limit: &str, value: &Value) -> String {
    let Some(number) = value.as_u64() else {
        return if value.is_null() { "not set".to_owned() } else { format!("`{value}`") };
    };
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.iter().find(|(bits, _)| number > 0 && number % (1 << bits) == 0);
    if let Some((bits, unit)) = unit.filter(|_| limit.contains("bytes")) {
        return format!("{} {unit}", number >> bits);
    }
    let digits = number.to_string();
    let thousands: Vec<_> =
        digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    thousands.join(",")
}

#[test]
fn each_surface_and_outcome_of_the_audit_log_is_in_the_manual() {
    let (source, manual) = (text("host/base/src/call.rs"), text("docs/operating.md"));
    let mut names = Vec::new();
    for kind in ["pub enum Surface {", "pub enum Ending {"] {
        let body = source.split(kind).nth(1).and_then(|it| it.split("\n}").next());
        let mut named = None;
        for line in body.unwrap_or_else(|| panic!("{kind}")).lines().map(str::trim) {
            if let Some(serialize) = line.strip_prefix("#[strum(serialize = \"") {
                named = serialize.split('"').next().map(str::to_owned);
            } else if let Some(variant) = line.strip_suffix(',').filter(|it| !it.starts_with('/')) {
                names.push(named.take().unwrap_or_else(|| snake_case(variant)));
            }
        }
    }
    assert!(names.len() > 15, "{names:?}");
    // A refusal's code is its own.
    for name in names.iter().filter(|it| *it != "refused") {
        assert!(manual.contains(&format!("`{name}")), "docs/operating.md: {name}");
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// Facts of a refusal are sent as `data`; `details` is a text, of the chat's and the navigation's own errors.
#[test]
fn facts_of_refusals_are_named_data_in_all_documents() {
    for document in files().iter().filter(|path| path.ends_with(".md")) {
        assert!(!text(document).contains("`details."), "{document}");
    }
}
