//! Grants of components. An import that is not granted is not linked.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use strum::{Display, VariantArray};

pub mod hosts;
pub mod http;
pub mod secret;

/// Leave to use one capability.
#[derive(
    Clone,
    Copy,
    Debug,
    Display,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    VariantArray,
    Deserialize,
    Serialize,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Grant {
    /// A database of its own.
    Sql,
    /// Settings by the operator.
    Settings,
    /// The time of day, and time passing.
    Clock,
    /// Random bytes that cannot be predicted.
    Random,
    /// Outgoing requests to the hosts in `http`.
    Http,
    /// Reading the folders in `folders`.
    Folders,
    /// Reading the files in `files`, piece by piece.
    Files,
    /// Reading and making blobs.
    Blobs,
    /// Publishing events of changes.
    Events,
    /// Being run every `schedule_ms`.
    Schedule,
    /// Doing jobs of its own.
    Jobs,
    /// Answering requests under `/api/NAME`, and writing events while it does.
    Endpoints,
    /// Asking the assistants in `asks`.
    Assistants,
    /// Calling the tools in `calls`, with the caller's scopes.
    Calls,
    /// Running the assistants of the configuration: learning which there are, and calling tools as they may.
    Runs,
}

impl Grant {
    /// Every grant there is.
    pub const ALL: [Self; 15] =
        *<Self as VariantArray>::VARIANTS.first_chunk().expect("there are fifteen");

    /// The grant that an import needs. `None` if it needs none or cannot be granted.
    pub fn for_import(import: &str) -> Option<Self> {
        match interface(import) {
            "madoguchi:tool/sql" => Some(Self::Sql),
            "madoguchi:tool/settings" => Some(Self::Settings),
            "wasi:clocks/wall-clock"
            | "wasi:clocks/system-clock"
            | "wasi:clocks/monotonic-clock" => Some(Self::Clock),
            "wasi:random/random" | "wasi:random/insecure" => Some(Self::Random),
            "wasi:http/types" | "wasi:http/outgoing-handler" | "wasi:http/client" => {
                Some(Self::Http)
            }
            "wasi:filesystem/types" | "wasi:filesystem/preopens" => Some(Self::Folders),
            "madoguchi:tool/files" => Some(Self::Files),
            "madoguchi:tool/blobs" => Some(Self::Blobs),
            "madoguchi:tool/events" => Some(Self::Events),
            "madoguchi:tool/assistants" => Some(Self::Assistants),
            "madoguchi:tool/calls" => Some(Self::Calls),
            "madoguchi:tool/assistant-calls" | "madoguchi:tool/dialogues" => Some(Self::Runs),
            _ => None,
        }
    }
}

/// Imports that every component has: they reach nothing, or only the call itself.
const BASELINE: [&str; 20] = [
    "madoguchi:tool/types",
    "madoguchi:tool/tasks",
    "madoguchi:tool/sentences",
    "madoguchi:tool/stops",
    "madoguchi:tool/caller",
    "madoguchi:tool/event-stream",
    "madoguchi:tool/progress",
    "madoguchi:tool/log",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/stderr",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stdin",
    "wasi:random/insecure-seed",
];

/// Imports that a component may carry without having them, by package (`wasi:sockets`) or by interface
/// (`wasi:sockets/tcp`), without a version, or `*` for all: each of their functions ends the call that calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Stubs(BTreeSet<String>);

impl Stubs {
    /// Stubs for every import.
    pub fn all() -> Self {
        Self(BTreeSet::from([ALL.to_owned()]))
    }

    /// Whether `import` is one of them.
    pub fn has(&self, import: &str) -> bool {
        let interface = interface(import);
        [interface, package(interface), ALL].iter().any(|it| self.0.contains(*it))
    }

    /// Those that are none of `imports`: mistyped, or not imported any more. `*` is right for any.
    pub fn idle<'a>(&self, imports: impl IntoIterator<Item = &'a str>) -> Vec<&str> {
        let names: BTreeSet<&str> =
            imports.into_iter().map(interface).flat_map(|it| [it, package(it)]).collect();
        let written = self.0.iter().map(String::as_str);
        written.filter(|it| *it != ALL && !names.contains(it)).collect()
    }

    /// The stubs as written.
    pub fn written(&self) -> impl Iterator<Item = &String> {
        self.0.iter()
    }

    /// Says what to fix where one of them can mean no import.
    ///
    /// # Errors
    /// For one that is empty or has a version.
    pub fn check(&self) -> Result<(), String> {
        let is_wrong = |it: &&String| it.trim().is_empty() || it.contains('@');
        match self.0.iter().find(is_wrong) {
            Some(wrong) => Err(format!(
                "{wrong:?}: a package (wasi:sockets), an interface (wasi:sockets/tcp) or * is right, without a version"
            )),
            None => Ok(()),
        }
    }
}

/// Stands for every import.
const ALL: &str = "*";

impl FromIterator<String> for Stubs {
    fn from_iter<T: IntoIterator<Item = String>>(all: T) -> Self {
        Self(all.into_iter().collect())
    }
}

/// Why an import cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The operator may grant it.
    #[error(
        "it imports {import}, which is not granted; to grant it, put under [components.{component}]: grants = [{grants}]{}{}{}",
        and_hosts(*.has_hosts),
        and_stubs(.stubs),
        and_idle(.idle)
    )]
    NotGranted {
        /// The component that asks.
        component: Box<str>,
        import: String,
        /// The configuration line that grants it, including existing grants.
        grants: Box<str>,
        /// Whether the grant also needs hosts.
        has_hosts: bool,
        /// Unknown imports that would need stubs, and existing stubs. Empty if there are none.
        stubs: Box<str>,
        /// Stubs of what it does not import. Empty if there are none.
        idle: Box<str>,
    },
    /// An unsupported version.
    #[error(
        "it imports {import}, of a version that this host does not offer; there are madoguchi:tool 0.1 and 0.2, as `madoguchi wit` shows them, and of WASI what was released, 0.2 and 0.3.0: build it with tools that know these"
    )]
    OtherVersion { import: String },
    /// An import that cannot be granted.
    #[error(
        "it imports {import}, which this host does not offer; if it does its work without, put under [components.{component}]: stubs = [{stubs}], and a call that uses it ends there{}",
        and_idle(.idle)
    )]
    NotOffered {
        component: Box<str>,
        import: String,
        /// The line that lets it in without, with the stubs that it has already.
        stubs: Box<str>,
        /// Stubs of what it does not import. Empty if there are none.
        idle: Box<str>,
    },
}

/// Hosts section that the grant `http` requires.
pub const HOSTS: &str =
    "http = [{ host = \"NAME\" }], with each host that it may ask, or [] for none";

fn and_hosts(has_hosts: bool) -> String {
    if has_hosts { format!(", and {HOSTS}") } else { String::new() }
}

fn and_stubs(stubs: &str) -> String {
    match stubs {
        "" => String::new(),
        _ => format!(
            "; and stubs = [{stubs}], if it does its work without what this host does not offer: a call that uses it ends there"
        ),
    }
}

fn and_idle(idle: &str) -> String {
    match idle {
        "" => String::new(),
        _ => format!("; its stubs name {idle}, of which it imports nothing: is that mistyped?"),
    }
}

/// The grants that `imports` need, or nothing of it when one of them cannot be had. What is not granted and is
/// one of `stubs` need not be had.
///
/// # Errors
/// For an import that is neither granted nor a stub, with all that is missing.
pub fn check<'a>(
    component: &str,
    imports: impl IntoIterator<Item = &'a str>,
    granted: &BTreeSet<Grant>,
    stubs: &Stubs,
) -> Result<BTreeSet<Grant>, Refused> {
    let (mut needed, mut wanted) = (BTreeSet::new(), granted.clone());
    let mut packages = stubs.0.clone();
    let (mut not_granted, mut not_offered) = (None, None);
    let imports: Vec<_> = imports.into_iter().collect();
    let idle: Box<str> = stubs.idle(imports.iter().copied()).join(", ").into();
    for import in imports {
        match Grant::for_import(import) {
            _ if is_of_other_version(import) && stubs.has(import) => {}
            _ if is_of_other_version(import) => {
                return Err(Refused::OtherVersion { import: import.to_owned() });
            }
            Some(grant) if granted.contains(&grant) => _ = needed.insert(grant),
            _ if is_baseline(import) || stubs.has(import) => {}
            // All together, because each would cost a start if reported singly.
            Some(grant) => {
                wanted.insert(grant);
                not_granted.get_or_insert(import);
            }
            None => {
                packages.insert(package(interface(import)).to_owned());
                not_offered.get_or_insert(import);
            }
        }
    }
    let component: Box<str> = component.into();
    let is_mistyped = |it: &&String| !idle.split(", ").any(|idle| idle == *it);
    let stubs = || {
        let named = packages.iter().filter(is_mistyped).map(|it| format!("{it:?}"));
        Box::from(named.collect::<Vec<_>>().join(", "))
    };
    if let Some(import) = not_granted {
        let stubs = not_offered.map(|_| stubs()).unwrap_or_default();
        let (import, grants) = (import.to_owned(), list(&wanted).into());
        let has_hosts = wanted.contains(&Grant::Http) && !granted.contains(&Grant::Http);
        return Err(Refused::NotGranted { component, import, grants, has_hosts, stubs, idle });
    }
    match not_offered {
        Some(import) => {
            let (import, stubs) = (import.to_owned(), stubs());
            Err(Refused::NotOffered { component, import, stubs, idle })
        }
        None => Ok(needed),
    }
}

/// Whether `import` is only stubbed with these grants and stubs.
pub fn is_stub(import: &str, granted: &BTreeSet<Grant>, stubs: &Stubs) -> bool {
    let is_granted = || Grant::for_import(import).is_some_and(|it| granted.contains(&it));
    stubs.has(import) && (is_of_other_version(import) || !is_baseline(import) && !is_granted())
}

/// Whether it is another interface than that of its name here: of WASI before that was released
/// (`wasi:cli/stdin@0.3.0-rc-2026-01-06`), or of another contract.
fn is_of_other_version(import: &str) -> bool {
    let Some((name, version)) = import.split_once('@') else { return false };
    match package(name) {
        "madoguchi:tool" => !version.starts_with("0.1.") && !version.starts_with("0.2."),
        package => package.starts_with("wasi:") && version.contains('-'),
    }
}

fn is_baseline(import: &str) -> bool {
    let interface = interface(import);
    BASELINE.contains(&interface) || interface.starts_with("wasi:cli/terminal-")
}

/// An interface's package; the name itself, where it is in none.
fn package(interface: &str) -> &str {
    interface.split('/').next().unwrap_or(interface)
}

/// An import without its version.
fn interface(import: &str) -> &str {
    import.split('@').next().unwrap_or(import)
}

fn list(grants: &BTreeSet<Grant>) -> String {
    grants.iter().map(|it| format!("\"{it}\"")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requires_granted_import_and_names_missing_grant_line() {
        let sql = "madoguchi:tool/sql@0.1.0";
        let clock = "wasi:clocks/wall-clock@0.2.6";
        let granted = BTreeSet::from([Grant::Clock]);
        let none = Stubs::default();
        assert_eq!(check("shop", [clock], &granted, &none), Ok(granted.clone()));
        let refused = check("shop", [clock, sql], &granted, &none).unwrap_err().to_string();
        assert!(refused.contains("[components.shop]: grants = [\"sql\", \"clock\"]"), "{refused}");
    }

    #[test]
    fn stub_of_nothing_imported_is_named() {
        let stubs: Stubs =
            ["wasi:clcoks", "wasi:sockets", "*"].map(str::to_owned).into_iter().collect();
        let imports = ["wasi:clocks/wall-clock@0.2.6", "wasi:sockets/tcp@0.2.6"];
        assert_eq!(stubs.idle(imports), ["wasi:clcoks"]);
        let stubs: Stubs = ["wasi:clcoks", "wasi:sockets"].map(str::to_owned).into_iter().collect();
        for import in ["wasi:clocks/wall-clock@0.2.6", "wasi:nn/graph@0.2.0"] {
            let all = [imports[1], import];
            let refused = check("shop", all, &BTreeSet::new(), &stubs).unwrap_err().to_string();
            assert!(refused.contains("its stubs name wasi:clcoks, of which"), "{refused}");
            assert!(!refused.contains("\"wasi:clcoks\""), "the line keeps no typo: {refused}");
        }
    }

    #[test]
    fn std_imports_need_no_grant_and_sockets_are_unavailable() {
        let (none, stubs) = (BTreeSet::new(), Stubs::default());
        assert_eq!(check("shop", ["wasi:cli/stderr@0.2.6"], &none, &stubs), Ok(none.clone()));
        let refused = check("shop", ["wasi:sockets/tcp@0.2.6"], &none, &stubs).unwrap_err();
        assert!(matches!(refused, Refused::NotOffered { .. }), "{refused}");
        assert!(refused.to_string().contains(r#"stubs = ["wasi:sockets"]"#), "{refused}");
    }

    #[test]
    fn wasi_03_uses_grants_of_02_and_rejects_drafts() {
        let (none, stubs) = (BTreeSet::new(), Stubs::default());
        for (import, grant) in [
            ("wasi:clocks/system-clock@0.3.0", Grant::Clock),
            ("wasi:clocks/monotonic-clock@0.3.0", Grant::Clock),
            ("wasi:http/client@0.3.1", Grant::Http),
            ("wasi:filesystem/types@0.3.0", Grant::Folders),
        ] {
            let granted = BTreeSet::from([grant]);
            assert_eq!(check("shop", [import], &granted, &stubs), Ok(granted.clone()), "SYS-49");
            let refused = check("shop", [import], &none, &stubs).unwrap_err();
            assert!(refused.to_string().contains(&format!("grants = [\"{grant}\"]")), "{refused}");
        }
        assert_eq!(check("shop", ["wasi:cli/stdout@0.3.0"], &none, &stubs), Ok(none.clone()));
        let draft = "wasi:cli/stdout@0.3.0-rc-2026-01-06";
        let refused = check("shop", [draft], &none, &stubs).unwrap_err().to_string();
        assert!(refused.contains(draft) && refused.contains("0.3.0: build it"), "{refused}");
        assert_eq!(check("shop", [draft], &none, &Stubs::all()), Ok(none.clone()));
        assert!(is_stub(draft, &none, &Stubs::all()));
        let later = "madoguchi:tool/caller@0.9.0";
        let refused = check("shop", [later], &none, &stubs).unwrap_err().to_string();
        assert!(refused.contains(later) && refused.contains("`madoguchi wit`"), "{refused}");
    }

    fn stubs(all: &[&str]) -> Stubs {
        all.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn stub_covers_only_its_package_or_interface() {
        let none = BTreeSet::new();
        let (tcp, udp) = ("wasi:sockets/tcp@0.2.6", "wasi:sockets/udp@0.2.6");
        assert_eq!(check("shop", [tcp, udp], &none, &stubs(&["wasi:sockets"])), Ok(none.clone()));
        let refused = check("shop", [tcp, udp], &none, &stubs(&["wasi:sockets/tcp"])).unwrap_err();
        assert!(refused.to_string().starts_with(&format!("it imports {udp}")), "{refused}");
        assert!(check("shop", [tcp], &none, &stubs(&["wasi:sock"])).is_err());
        assert_eq!(check("shop", [tcp, "acme:db/kv"], &none, &Stubs::all()), Ok(none));
    }

    #[test]
    fn granted_and_baseline_imports_are_never_stubbed() {
        let (clock, all) = ("wasi:clocks/wall-clock@0.2.6", stubs(&["wasi:clocks", "wasi:io"]));
        let granted = BTreeSet::from([Grant::Clock]);
        assert!(is_stub(clock, &BTreeSet::new(), &all));
        assert!(!is_stub(clock, &granted, &all));
        assert_eq!(check("shop", [clock], &granted, &all), Ok(granted));
        assert!(!is_stub("wasi:io/streams@0.2.6", &BTreeSet::new(), &all));
    }

    #[test]
    fn names_missing_grants_and_stubs_together() {
        let imports = ["wasi:sockets/tcp@0.2.0", "wasi:random/random@0.2.0", "acme:db/kv"];
        let refused = check("py", imports, &BTreeSet::new(), &Stubs::default()).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains(r#"[components.py]: grants = ["random"]"#), "{refused}");
        assert!(refused.contains(r#"stubs = ["acme:db", "wasi:sockets"]"#), "{refused}");
    }

    #[test]
    fn http_grant_line_includes_hosts() {
        let imports = ["wasi:http/outgoing-handler@0.2.6", "madoguchi:tool/sql@0.1.0"];
        let message = |granted: &[Grant]| {
            let granted = granted.iter().copied().collect();
            check("shop", imports, &granted, &Stubs::default()).unwrap_err().to_string()
        };
        let line = "grants = [\"sql\", \"http\"], and http = [{ host = ";
        assert!(message(&[]).contains(line), "{}", message(&[]));
        assert!(!message(&[Grant::Http]).contains("host ="), "{}", message(&[Grant::Http]));
    }

    #[test]
    fn rejects_stub_with_version_and_names_correct_one() {
        assert_eq!(stubs(&["wasi:sockets", "log"]).check(), Ok(()));
        let error = stubs(&["wasi:sockets@0.2.0"]).check().unwrap_err();
        assert!(error.contains("wasi:sockets/tcp") && error.contains("version"), "{error}");
    }
}
