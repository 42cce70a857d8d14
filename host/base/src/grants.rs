//! What the operator gave to which component. What is not granted is not linked.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use strum::{Display, VariantArray};

pub mod address;
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
    /// What the operator set for it.
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

    /// The grant that an import needs; none where it needs none, or none would do.
    pub fn for_import(import: &str) -> Option<Self> {
        match interface(import) {
            "madoguchi:tool/sql" => Some(Self::Sql),
            "madoguchi:tool/settings" => Some(Self::Settings),
            "wasi:clocks/wall-clock" | "wasi:clocks/monotonic-clock" => Some(Self::Clock),
            "wasi:random/random" | "wasi:random/insecure" => Some(Self::Random),
            "wasi:http/types" | "wasi:http/outgoing-handler" => Some(Self::Http),
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

/// Why an import cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The operator may grant it.
    #[error(
        "it imports {import}, which is not granted; to grant it, put under [components.{component}]: grants = [{grants}]"
    )]
    NotGranted {
        /// The component that asks.
        component: String,
        /// What it asks for.
        import: String,
        /// The line that would grant it, with what is granted already.
        grants: String,
    },
    /// This host does not have it.
    #[error("it imports {import}, which this host does not offer")]
    NotOffered {
        /// What it asks for.
        import: String,
    },
}

/// The grants that `imports` need, or nothing of it when one of them cannot be had.
pub fn check<'a>(
    component: &str,
    imports: impl IntoIterator<Item = &'a str>,
    granted: &BTreeSet<Grant>,
) -> Result<BTreeSet<Grant>, Refused> {
    let imports: Vec<_> = imports.into_iter().collect();
    let mut needed = BTreeSet::new();
    for import in imports.iter().copied() {
        let interface = interface(import);
        match Grant::for_import(import) {
            Some(grant) if granted.contains(&grant) => _ = needed.insert(grant),
            Some(_) => {
                // All at once: reported one by one, they would cost a start each.
                let mut wanted = granted.clone();
                wanted.extend(imports.iter().filter_map(|it| Grant::for_import(it)));
                return Err(Refused::NotGranted {
                    component: component.to_owned(),
                    import: import.to_owned(),
                    grants: list(&wanted),
                });
            }
            None if BASELINE.contains(&interface)
                || interface.starts_with("wasi:cli/terminal-") => {}
            None => return Err(Refused::NotOffered { import: import.to_owned() }),
        }
    }
    Ok(needed)
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
    fn a_granted_import_is_needed_and_an_ungranted_one_names_the_line_that_grants_it() {
        let sql = "madoguchi:tool/sql@0.1.0";
        let clock = "wasi:clocks/wall-clock@0.2.6";
        let granted = BTreeSet::from([Grant::Clock]);
        assert_eq!(check("shop", [clock], &granted), Ok(granted.clone()));
        let refused = check("shop", [clock, sql], &granted).unwrap_err().to_string();
        assert!(refused.contains("[components.shop]: grants = [\"sql\", \"clock\"]"), "{refused}");
    }

    #[test]
    fn what_std_imports_by_itself_needs_no_grant_and_sockets_cannot_be_had() {
        let none = BTreeSet::new();
        assert_eq!(check("shop", ["wasi:cli/stderr@0.2.6"], &none), Ok(none.clone()));
        let refused = check("shop", ["wasi:sockets/tcp@0.2.6"], &none).unwrap_err();
        assert!(matches!(refused, Refused::NotOffered { .. }), "{refused}");
    }
}
