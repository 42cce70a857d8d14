//! Pinned tool definitions of an upstream server, as first seen or approved by the operator. What a model reads of a
//! tool does not change by itself.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use parking_lot::Mutex;
use rmcp::model::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use base::config::servers::Changed;
use registry::{
    difference::{Difference, Kind, Surface, between},
    upstream::UI_KEYS,
};
use store::{digest::digest, private};

/// Maximum number of stored definitions per server, including removed tools.
const PINS_MAX: usize = 2_048;
/// Bytes of all definitions that are kept, and of the file that has them.
const KEPT_BYTES_MAX: usize = 24 << 20;
const BYTES_MAX: u64 = 32 << 20;

/// The pins of one server, in a file of their own.
pub(super) struct Pins {
    name: String,
    path: PathBuf,
    kept: Mutex<Kept>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// Whether its list has been seen. Later tools are new.
    is_seen: bool,
    /// Tools by upstream name.
    tools: BTreeMap<String, Pin>,
    /// Whether the file is there and cannot be read.
    #[serde(skip)]
    is_unreadable: bool,
}

/// One tool.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Pin {
    /// Offered definition in MCP format. `None` if never offered.
    pinned: Option<Value>,
    /// Changed definition that waits for the operator.
    waiting: Option<Value>,
    /// The digest of the one that the operator did not want.
    refused: Option<String>,
}

/// A tool whose definition waits for the operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitingTool {
    /// The name that the server knows.
    pub tool: String,
    /// Tells this definition from any other.
    pub digest: String,
    /// Differences from the pinned definition.
    pub differences: Vec<Difference>,
    /// Pinned definition in MCP format, or null for a new tool.
    pub pinned: Value,
    /// Current definition.
    pub waiting: Value,
}

/// Decision on a listed tool.
pub(super) enum Settled {
    /// Offered. `is_changed` marks a differing definition at its server.
    Offered { tool: Box<Tool>, is_changed: bool },
    /// Not offered, with the reason.
    Stopped(&'static str),
}

impl Pins {
    /// Opens pins of the server `name` in `folder`. If the file is unreadable, nothing is offered.
    pub(super) fn open(folder: &Path, name: &str) -> Self {
        let path = folder.join(format!("{name}.json"));
        let kept = Kept::read(&path).unwrap_or_else(|error| {
            let path = path.display();
            tracing::error!("{path}: {error}; no tool of the server {name} is offered: put the file back from a backup, or remove it to pin the tools as they are now");
            Kept { is_unreadable: true, ..Kept::default() }
        });
        Self { name: name.to_owned(), path, kept: Mutex::new(kept) }
    }

    /// Decides on each listed tool, in order.
    pub(super) fn settle(&self, tools: Vec<Tool>, changed: Changed) -> Vec<(String, Settled)> {
        let mut kept = self.kept.lock();
        if kept.is_unreadable {
            let stopped = |it: Tool| (it.name.to_string(), Settled::Stopped(UNREADABLE));
            return tools.into_iter().map(stopped).collect();
        }
        let is_first = !std::mem::replace(&mut kept.is_seen, true);
        let mut is_touched = is_first;
        // Counted over all stored ones, only on changes.
        let mut bytes: Option<usize> = None;
        let mut settled = Vec::with_capacity(tools.len());
        for tool in tools {
            let name = tool.name.to_string();
            if kept.tools.len() >= PINS_MAX && !kept.tools.contains_key(&name) {
                settled.push((name, Settled::Stopped(TOO_MANY)));
                continue;
            }
            let pin = kept.tools.entry(name.clone()).or_default();
            let before = pin.clone();
            let is = pin.settle(tool, is_first, changed);
            let waits_anew = pin.waiting.is_some() && pin.waiting != before.waiting;
            if *pin != before {
                let (was, own) = (before.bytes(), pin.bytes());
                let now = match bytes {
                    Some(bytes) => bytes - was + own,
                    None => kept.tools.values().map(Pin::bytes).sum(),
                };
                if now > KEPT_BYTES_MAX && own > was {
                    match before == Pin::default() {
                        true => kept.tools.remove(&name),
                        false => kept.tools.insert(name.clone(), before),
                    };
                    bytes = Some(now - own + was);
                    settled.push((name, Settled::Stopped(TOO_MANY)));
                    continue;
                }
                (bytes, is_touched) = (Some(now), true);
            }
            if waits_anew {
                tracing::warn!(target: "server", server = &*self.name, tool = &*name, "a tool's definition waits for the operator; `madoguchi accept server:NAME --show` shows it");
            }
            settled.push((name, is));
        }
        if is_touched {
            self.write(&kept);
        }
        settled
    }

    /// Tools with waiting definitions.
    pub(super) fn waiting(&self) -> Vec<WaitingTool> {
        let kept = self.kept.lock();
        kept.tools.iter().filter_map(|(name, pin)| pin.report(name)).collect()
    }

    /// Number of pinned tools.
    pub(super) fn count(&self) -> usize {
        self.kept.lock().tools.values().filter(|it| it.pinned.is_some()).count()
    }

    /// Takes, or turns down, the definitions of those digests that wait for those tools; or all that wait. The tools
    /// that it did so of.
    pub(super) fn decide(
        &self,
        tools: Option<&[(String, String)]>,
        is_accepted: bool,
    ) -> Vec<String> {
        let mut kept = self.kept.lock();
        let waits = |(tool, digest): &(String, String)| {
            let waiting = kept.tools.get(tool).and_then(|it| it.waiting.as_ref());
            waiting.is_some_and(|it| digest_of(it) == *digest)
        };
        // All that were looked at, or none.
        if !tools.is_none_or(|it| it.iter().all(waits)) {
            return Vec::new();
        }
        let mut decided = Vec::new();
        for (name, pin) in &mut kept.tools {
            let Some(waiting) = pin.waiting.take() else { continue };
            let digest = digest_of(&waiting);
            let is_it = |it: &(String, String)| it.0 == *name && it.1 == digest;
            if !tools.is_none_or(|it| it.iter().any(is_it)) {
                pin.waiting = Some(waiting);
                continue;
            }
            if is_accepted {
                (pin.pinned, pin.refused) = (Some(waiting), None);
            } else {
                pin.refused = Some(digest);
            }
            decided.push(name.clone());
        }
        if !decided.is_empty() {
            self.write(&kept);
        }
        decided
    }

    fn write(&self, kept: &Kept) {
        let write = || {
            private::make_folder(self.path.parent().unwrap_or(&self.path))?;
            private::write(&self.path, &serde_json::to_vec(kept)?)
        };
        if let Err(error) = write() {
            let path = self.path.display();
            tracing::error!(
                "{path}: {error}; after a restart a tool that has changed may be taken for the one that was pinned"
            );
        }
    }
}

impl Kept {
    fn read(path: &Path) -> io::Result<Self> {
        match private::if_exists(fs::metadata(path))? {
            None => Ok(Self::default()),
            Some(it) if it.len() > BYTES_MAX => Err(io::Error::other("it is too big")),
            Some(_) => Ok(serde_json::from_slice(&fs::read(path)?)?),
        }
    }
}

impl Pin {
    /// Bytes of its definitions as JSON.
    fn bytes(&self) -> usize {
        [&self.pinned, &self.waiting].into_iter().flatten().map(|it| it.to_string().len()).sum()
    }

    /// Decides on `tool`. `is_first` marks the first list of the server.
    fn settle(&mut self, tool: Tool, is_first: bool, changed: Changed) -> Settled {
        let now = serde_json::to_value(&tool).unwrap_or_default();
        let offered = |tool| Settled::Offered { tool: Box::new(tool), is_changed: false };
        let is_same = self.pinned.as_ref().is_some_and(|it| digest_of(it) == digest_of(&now));
        let is_new = self.pinned.is_none();
        let is_taken =
            is_same || changed == Changed::Take || is_new && (is_first || changed != Changed::Stop);
        if is_taken {
            (self.pinned, self.waiting) = (Some(now), None);
            return offered(tool);
        }
        let is_refused = self.refused.as_ref() == Some(&digest_of(&now));
        self.waiting = (!is_refused).then_some(now);
        let pinned = self.pinned.clone().and_then(|it| serde_json::from_value(it).ok());
        match pinned {
            Some(tool) if changed == Changed::Keep => {
                Settled::Offered { tool: Box::new(tool), is_changed: true }
            }
            Some(_) => {
                Settled::Stopped("its definition has changed, and the operator has not accepted it")
            }
            None => Settled::Stopped("it is new, and the operator has not accepted it"),
        }
    }

    fn report(&self, name: &str) -> Option<WaitingTool> {
        let waiting = self.waiting.clone()?;
        let pinned = self.pinned.clone().unwrap_or_default();
        Some(WaitingTool {
            tool: name.to_owned(),
            digest: digest_of(&waiting),
            differences: differences(name, &pinned, &waiting),
            pinned,
            waiting,
        })
    }
}

/// Parts of a definition that models read or that are trusted.
const PARTS: [&str; 5] = ["title", "description", "inputSchema", "outputSchema", "annotations"];

/// Digest of these parts and the app metadata.
fn digest_of(tool: &Value) -> String {
    let ui = ui_of(tool);
    let ui = ui.as_array().is_some_and(|it| it.iter().any(|it| !it.is_null())).then_some(ui);
    let mut parts: Value = PARTS.iter().map(|it| tool[*it].clone()).chain(ui).collect();
    parts.sort_all_objects();
    digest(parts.to_string().as_bytes())
}

/// App metadata: its URI and visibility.
fn ui_of(tool: &Value) -> Value {
    UI_KEYS.iter().map(|it| tool["_meta"][*it].clone()).collect()
}

fn differences(name: &str, pinned: &Value, waiting: &Value) -> Vec<Difference> {
    let surface = |value: &Value| Surface {
        kind: Kind::Tool,
        name: name.to_owned(),
        description: value["description"].as_str().unwrap_or_default().to_owned(),
        input: value["inputSchema"].clone(),
        output: value.get("outputSchema").cloned(),
        said: None,
    };
    let before: Vec<_> = (!pinned.is_null()).then(|| surface(pinned)).into_iter().collect();
    let mut found = between(&before, &[surface(waiting)]);
    for (is_same, what) in [
        (pinned["title"] == waiting["title"], "its title changed"),
        (
            pinned["annotations"] == waiting["annotations"],
            "its annotations changed: what it says that a call does to the world",
        ),
        (
            ui_of(pinned) == ui_of(waiting),
            "its _meta.ui changed: its app, or whether models or apps may call it",
        ),
    ] {
        if !pinned.is_null() && !is_same {
            found.push(Difference {
                tool: name.to_owned(),
                what: what.to_owned(),
                is_breaking: false,
            });
        }
    }
    found
}

/// Why no tool is offered.
const UNREADABLE: &str = "what was pinned of this server cannot be read; the log says which file";
/// Why a tool is not offered that is one too many.
const TOO_MANY: &str = "too many tools of this server have been seen; remove its file under DATA/pins to forget those that are gone";

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn keeps_only_as_many_pins_as_can_be_read() {
        let folder = std::env::temp_dir().join(format!("madoguchi-pins-{}", std::process::id()));
        let pins = Pins::open(&folder, "lists");
        let text = "x".repeat(64 << 10);
        let list = |round: usize, changed| {
            let tool = |at| Tool::new(format!("t{round}-{at}"), text.clone(), Arc::default());
            pins.settle((0..128).map(tool).collect(), changed)
        };
        let is_offered = |it: &(String, Settled)| matches!(it.1, Settled::Offered { .. });
        assert!(list(0, Changed::Keep).iter().all(is_offered));
        for round in 1..5 {
            list(round, Changed::Keep);
        }
        assert!(!list(5, Changed::Keep).iter().any(is_offered), "there is no room");
        assert!(list(0, Changed::Keep).iter().all(is_offered), "what was there before is offered");
        let kept = Pins::open(&folder, "lists");
        assert!(!kept.kept.lock().is_unreadable);
        assert_eq!(kept.count(), pins.count());
        fs::remove_dir_all(folder).unwrap();
    }
}
