//! The host's reports to the operator. Missing fields are empty.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::text::narrow;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Now {
    pub(crate) version: String,
    pub(crate) uptime_s: f64,
    /// Number of completed calls since the start.
    pub(crate) calls: u64,
    pub(crate) errors: u64,
    pub(crate) traps: u64,
    pub(crate) p50_us: u64,
    pub(crate) p99_us: u64,
    pub(crate) running: u64,
    pub(crate) queued: u64,
    /// Number of calls waiting for a person or an event.
    pub(crate) waiting: u64,
    pub(crate) memory_bytes: Option<u64>,
    /// Number of serving components.
    pub(crate) serving: u64,
    /// Number of builds waiting for approval.
    pub(crate) pending: u64,
    /// Number of upstream tools whose definitions wait for approval.
    pub(crate) waiting_tools: u64,
    pub(crate) tools: u64,
    pub(crate) troubles: Vec<Problem>,
}

/// The hosts that share a database.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Nodes {
    /// Whether the database can be shared.
    pub(crate) shared: bool,
    pub(crate) nodes: Vec<Node>,
}

/// One of these hosts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Node {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) address: Option<String>,
    pub(crate) version: String,
    pub(crate) seen_at: String,
    pub(crate) is_here: bool,
    pub(crate) is_gone: bool,
    pub(crate) not_ready: Option<String>,
    pub(crate) components: Vec<NodeComponent>,
}

/// A node's state of one component.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct NodeComponent {
    pub(crate) name: String,
    pub(crate) epoch: i64,
    pub(crate) state: String,
    pub(crate) why: Option<String>,
}

impl Node {
    /// The latest change applied by it.
    pub(crate) fn epoch(&self) -> Option<i64> {
        self.components.iter().filter(|it| it.why.is_none()).map(|it| it.epoch).max()
    }

    /// Why it is out of rotation, and which component changes it could not apply.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let failed = |component: &NodeComponent| {
            let why = component.why.as_ref()?;
            Some(format!("{} {}: {why}", component.name, component.epoch))
        };
        self.not_ready.iter().cloned().chain(self.components.iter().filter_map(failed)).collect()
    }

    /// Whether it receives requests.
    pub(crate) fn is_in_rotation(&self) -> bool {
        !self.is_gone && self.not_ready.is_none()
    }
}

/// A problem of the server.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Problem {
    /// `component`, `server`, `node` or `disk`.
    pub(crate) of: String,
    /// Name of the component, server or node; none for the disk.
    pub(crate) name: Option<String>,
    /// The host's message.
    pub(crate) why: String,
    /// Whether a build only waits for approval.
    pub(crate) waits: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Components {
    pub(crate) components: Vec<Component>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) is_serving: bool,
    /// The serving revision.
    pub(crate) generation: Option<u64>,
    pub(crate) digest: Option<String>,
    pub(crate) since: Option<String>,
    pub(crate) size_bytes: Option<u64>,
    /// Its grants.
    pub(crate) grants: Vec<String>,
    /// The grants it uses.
    pub(crate) grants_needed: Vec<String>,
    pub(crate) reach: Reach,
    pub(crate) tools: Vec<String>,
    pub(crate) trouble: Option<String>,
    pub(crate) pending: Option<Pending>,
    /// The trial of its pending build.
    pub(crate) canary: Option<Canary>,
    pub(crate) activity: Activity,
    /// Histogram of durations: upper bound in microseconds and number of calls, shortest first.
    pub(crate) latency: Vec<(u64, u64)>,
    /// Its revisions, oldest first.
    pub(crate) generations: Vec<Generation>,
    /// The revisions whose bytes the host still has.
    pub(crate) kept: Vec<u64>,
}

/// What a component can reach by its grants.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Reach {
    pub(crate) http: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) folders: Vec<String>,
    pub(crate) environment: Vec<String>,
    pub(crate) asks: Vec<String>,
    pub(crate) calls: Vec<String>,
    /// Tools it may call without individual approval.
    pub(crate) trusts: Vec<String>,
    pub(crate) schedule_ms: Option<u64>,
}

/// A build waiting for the operator's approval.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Pending {
    pub(crate) digest: String,
    pub(crate) origin: String,
    /// Sentences separated by `; `.
    pub(crate) why: String,
    /// The same point by point.
    pub(crate) reasons: Vec<Reason>,
    /// Changed texts read by models.
    pub(crate) rewordings: Vec<Rewording>,
    /// Why its trial ended; of an older host, a sentence alone.
    pub(crate) ended: Option<String>,
    pub(crate) ended_reason: Option<Reason>,
}

/// One point of what a pending build wants or changes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Reason {
    pub(crate) code: String,
    pub(crate) values: Vec<String>,
    /// In English.
    pub(crate) text: String,
}

/// A changed text of a tool, prompt or template, as read by a model.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Rewording {
    /// Its kind and name.
    pub(crate) of: String,
    /// Null if it is new.
    pub(crate) pinned: Value,
    /// Null if it is removed.
    pub(crate) waiting: Value,
}

/// An upstream tool whose definition waits for approval.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct WaitingTool {
    pub(crate) tool: String,
    pub(crate) digest: String,
    pub(crate) differences: Vec<Difference>,
    /// Null if it is new.
    pub(crate) pinned: Value,
    pub(crate) waiting: Value,
}

/// A part in which two definitions differ.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) name: String,
    /// The current text, if any.
    pub(crate) pinned: Option<String>,
    pub(crate) waiting: Option<String>,
}

/// A pending build that answers a share of the calls.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Canary {
    #[serde(flatten)]
    pub(crate) share: Share,
    pub(crate) since: String,
    /// Figures of the pending build.
    pub(crate) own: Figures,
    /// Figures of the serving build.
    pub(crate) before: Figures,
    pub(crate) comparisons: Vec<Comparison>,
}

/// The share of calls it answers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Share {
    pub(crate) percent: u8,
    pub(crate) callers: Vec<String>,
}

impl Share {
    /// Parses typed text: a percentage, or none, and comma-separated callers. Returns none if it is no share of the
    /// calls.
    pub(crate) fn read(percent: &str, callers: &str) -> Option<Self> {
        let callers = callers.split([',', '、', '，']).map(str::trim).filter(|it| !it.is_empty());
        let callers: Vec<_> = callers.map(str::to_owned).collect();
        let percent: String =
            percent.trim().trim_end_matches(['%', '％']).chars().map(narrow).collect();
        let percent = match percent.trim() {
            "" if !callers.is_empty() => 0,
            text => text.parse().ok().filter(|it| *it <= 99)?,
        };
        (percent > 0 || !callers.is_empty()).then_some(Self { percent, callers })
    }

    /// The request body, for the build of that digest.
    pub(crate) fn body(&self, digest: Option<&str>) -> Value {
        json!({ "percent": self.percent, "callers": self.callers, "digest": digest })
    }
}

/// Figures of one of two builds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Figures {
    pub(crate) calls: u64,
    pub(crate) errors: u64,
    pub(crate) refused: u64,
    pub(crate) traps: u64,
    pub(crate) mean_us: u64,
    pub(crate) p99_us: u64,
}

/// Compared answers to calls of one tool.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Comparison {
    pub(crate) tool: String,
    pub(crate) compared: u64,
    pub(crate) different: u64,
    pub(crate) example: Option<Example>,
}

/// Two differing answers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Example {
    /// A JSON pointer, or empty.
    pub(crate) at: String,
    pub(crate) serving: String,
    pub(crate) canary: String,
}

/// A component's activity since the server started.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Activity {
    pub(crate) calls: u64,
    pub(crate) errors: u64,
    pub(crate) traps: u64,
    pub(crate) p50_us: u64,
    pub(crate) p99_us: u64,
    pub(crate) memory_peak_bytes: u64,
    pub(crate) running: u64,
    pub(crate) queued: u64,
}

/// An installed revision.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Generation {
    pub(crate) number: u64,
    pub(crate) digest: String,
    pub(crate) installed_at: String,
    pub(crate) size_bytes: u64,
    pub(crate) origin: String,
    /// Differences between its tools and those of the previous revision.
    pub(crate) differences: Vec<Difference>,
    pub(crate) status: String,
}

/// A difference between two revisions.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Difference {
    pub(crate) tool: String,
    pub(crate) what: String,
    pub(crate) is_breaking: bool,
}

/// The last lines of the audit log, oldest first.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Audit {
    pub(crate) lines: Vec<Line>,
}

/// A line of the audit log: a call, or a number of calls without lines.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Line {
    /// Unique within the list.
    #[serde(skip)]
    pub(crate) key: String,
    pub(crate) time: String,
    pub(crate) call: Value,
    pub(crate) principal: String,
    pub(crate) surface: String,
    pub(crate) era: Option<String>,
    pub(crate) round: u64,
    pub(crate) method: String,
    pub(crate) tool: Option<String>,
    /// Name of a call that is no tool call.
    pub(crate) name: Option<String>,
    pub(crate) component: Option<String>,
    /// The upstream server that answered.
    pub(crate) server: Option<String>,
    pub(crate) generation: Option<u64>,
    pub(crate) outcome: String,
    /// Why and where a component trapped.
    pub(crate) trap: Option<String>,
    pub(crate) duration_us: u64,
    pub(crate) lines_dropped: Option<u64>,
    pub(crate) more_refused: Option<u64>,
}

/// The called name for display: an endpoint has its method and its path below the component's.
pub(crate) fn called(name: &str, component: &str) -> String {
    match name.split_once(' ') {
        Some((method, path)) => {
            let address = format!("{method} /api/{component}/{path}");
            address.trim_end_matches('/').to_owned()
        }
        None => name.to_owned(),
    }
}

impl Now {
    /// Number of items waiting for the operator's decision.
    pub(crate) fn awaits(&self) -> u64 {
        self.pending.saturating_add(self.waiting_tools)
    }
}

impl Component {
    /// Whether that revision is serving.
    pub(crate) fn serves(&self, generation: &Generation) -> bool {
        self.is_serving && self.generation == Some(generation.number)
    }

    /// Whether that revision can be restored.
    pub(crate) fn may_return(&self, generation: &Generation) -> bool {
        !self.serves(generation) && self.kept.contains(&generation.number)
    }
}

impl Component {
    /// Its error, unless that is only that a build waits.
    pub(crate) fn fault(&self) -> Option<&str> {
        let is_wait = |error: &&str| {
            self.pending.as_ref().is_some_and(|it| !it.why.is_empty() && error.contains(&it.why))
        };
        self.trouble.as_deref().filter(|it| !is_wait(it))
    }
}

impl Pending {
    /// Why its trial ended, if it did.
    pub(crate) fn end(&self) -> Option<Reason> {
        let of_sentence = |text: &String| Reason { text: text.clone(), ..Reason::default() };
        self.ended_reason.clone().or_else(|| self.ended.as_ref().map(of_sentence))
    }

    /// The reasons why it waits; of one kept by an older host, its sentences.
    pub(crate) fn reasons(&self) -> Vec<Reason> {
        if !self.reasons.is_empty() {
            return self.reasons.clone();
        }
        let sentences = self.why.split("; ").map(str::trim).filter(|it| !it.is_empty());
        sentences.map(|it| Reason { text: it.to_owned(), ..Reason::default() }).collect()
    }
}

impl Part {
    /// All differing parts: texts as they are, other values as JSON.
    pub(crate) fn between(pinned: &Value, waiting: &Value) -> Vec<Self> {
        let text = |object: &Value, name: &str| match object.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => serde_json::to_string_pretty(other).ok(),
        };
        let names = [pinned, waiting].into_iter().filter_map(Value::as_object);
        let names: BTreeSet<_> = names.flat_map(|it| it.keys()).collect();
        let differing = names.into_iter().filter(|it| pinned.get(*it) != waiting.get(*it));
        let part = |name: &String| Self {
            name: name.clone(),
            pinned: text(pinned, name),
            waiting: text(waiting, name),
        };
        let is_any = |it: &Self| it.pinned.is_some() || it.waiting.is_some();
        differing.map(part).filter(is_any).collect()
    }
}

impl Line {
    /// The called name.
    pub(crate) fn called_name(&self) -> String {
        let name = self.tool.as_deref().or(self.name.as_deref()).unwrap_or(&self.method);
        called(name, self.answerer())
    }

    /// The component or upstream server that answered.
    pub(crate) fn answerer(&self) -> &str {
        self.component.as_deref().or(self.server.as_deref()).unwrap_or_default()
    }

    /// The number of the call, if details may be available.
    pub(crate) fn opens(&self) -> Option<String> {
        let is_answered = self.component.is_some() || self.server.is_some();
        let number = self.call.as_u64().filter(|_| is_answered)?;
        Some(number.to_string())
    }

    /// Whether it is a successful call.
    pub(crate) fn is_done(&self) -> bool {
        self.outcome == "done"
    }

    /// Whether it only counts missing lines.
    pub(crate) fn is_note(&self) -> bool {
        self.lines_dropped.is_some() || self.more_refused.is_some()
    }

    /// Whether the lower-case text `sought` occurs in the called name, the answerer or the caller.
    pub(crate) fn has(&self, sought: &str) -> bool {
        [&*self.called_name(), self.answerer(), &self.principal]
            .iter()
            .any(|it| it.to_lowercase().contains(sought))
    }
}

/// The lines newest first, with unique keys.
pub(crate) fn newest_first(mut lines: Vec<Line>) -> Vec<Line> {
    let mut seen = HashMap::<String, u32>::new();
    for line in &mut lines {
        let own = format!("{} {} {} {}", line.time, line.call, line.round, line.called_name());
        let count = seen.entry(own.clone()).or_default();
        line.key = format!("{own} {count}");
        *count += 1;
    }
    lines.reverse();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_share_in_any_width_and_spacing() {
        let share = |percent, callers: &[&str]| {
            Some(Share { percent, callers: callers.iter().map(ToString::to_string).collect() })
        };
        assert_eq!(Share::read(" 10 % ", ""), share(10, &[]));
        assert_eq!(Share::read("１０％", "ci、 dana, "), share(10, &["ci", "dana"]));
        assert_eq!(Share::read("", "ci"), share(0, &["ci"]));
        for wrong in ["", "0", "100", "-1", "1.5", "ten", "999"] {
            assert_eq!(Share::read(wrong, ""), None, "{wrong}");
        }
    }

    #[test]
    fn waiting_build_is_no_fault() {
        let pending = Pending { why: "it asks".to_owned(), ..Pending::default() };
        let mut component = Component {
            trouble: Some("shop: it asks; the version before keeps serving".to_owned()),
            pending: Some(pending),
            ..Component::default()
        };
        assert_eq!(component.fault(), None);
        component.trouble = Some("its settings".to_owned());
        assert_eq!(component.fault(), Some("its settings"));
    }

    #[test]
    fn missing_fields_are_empty_and_new_ones_ignored() {
        let now: Now = serde_json::from_value(json!({ "calls": 3, "later": true })).unwrap();
        assert_eq!((now.calls, now.memory_bytes), (3, None));
        let one = json!({ "components": [{ "name": "a", "pending": { "why": "x; y ;" } }] });
        let all: Components = serde_json::from_value(one).unwrap();
        let reasons = all.components[0].pending.as_ref().unwrap().reasons();
        assert_eq!(reasons.iter().map(|it| &*it.text).collect::<Vec<_>>(), ["x", "y ;"]);
    }

    #[test]
    fn names_endpoint_by_its_address() {
        assert_eq!(called("GET ", "assistant"), "GET /api/assistant");
        assert_eq!(called("POST turns/{id}", "assistant"), "POST /api/assistant/turns/{id}");
        assert_eq!(called("reserve_seats", "cinema"), "reserve_seats");
    }

    /// PIN-2, PIN-5.
    #[test]
    fn shows_only_differing_parts_of_definitions() {
        let pinned = json!({ "title": "Send", "description": "Sends.", "inputSchema": { "a": 1 } });
        let waiting = json!({ "title": "Send", "description": "Wires.", "annotations": null });
        let part = |name: &str, pinned: Option<&str>, waiting: Option<&str>| Part {
            name: name.to_owned(),
            pinned: pinned.map(str::to_owned),
            waiting: waiting.map(str::to_owned),
        };
        let schema = "{\n  \"a\": 1\n}";
        let expected = [
            part("description", Some("Sends."), Some("Wires.")),
            part("inputSchema", Some(schema), None),
        ];
        assert_eq!(Part::between(&pinned, &waiting), expected);
        let new = Part::between(&Value::Null, &json!({ "title": "Send" }));
        assert_eq!(new, [part("title", None, Some("Send"))]);
    }

    #[test]
    fn restores_only_kept_revisions_not_serving() {
        let revision = |number| Generation { number, ..Generation::default() };
        let mut component = Component {
            is_serving: true,
            generation: Some(3),
            kept: vec![2, 3],
            ..Component::default()
        };
        assert!(component.may_return(&revision(2)) && !component.may_return(&revision(3)));
        assert!(!component.may_return(&revision(1)), "its bytes are gone");
        component.is_serving = false;
        assert!(component.may_return(&revision(3)), "it was taken away");
    }

    #[test]
    fn merges_lines_newest_first_without_duplicates() {
        let lines = json!({ "lines": [
            { "time": "1", "call": 7, "tool": "a" }, { "time": "1", "call": 7, "tool": "a" },
            { "lines_dropped": 4 }, { "time": "2", "call": "8", "name": "b", "outcome": "done" },
        ] });
        let lines = serde_json::from_value::<Audit>(lines).unwrap().lines;
        let lines = newest_first(lines);
        assert_eq!((&*lines[0].called_name(), lines[0].is_done()), ("b", true));
        assert!(lines[1].is_note());
        assert_ne!(lines[2].key, lines[3].key);
    }

    #[test]
    fn node_is_in_rotation_unless_gone_or_unready() {
        let report = json!({ "shared": true, "nodes": [
            { "id": 1, "name": "a", "components": [{ "name": "x", "epoch": 3 },
                { "name": "y", "epoch": 9, "why": "it wants more" }] },
            { "id": 2, "is_gone": true },
            { "id": 3, "not_ready": "the server is about to stop" },
        ] });
        let Nodes { shared, nodes } = serde_json::from_value(report).unwrap();
        let states: Vec<_> = nodes.iter().map(|it| (it.is_in_rotation(), it.epoch())).collect();
        assert!(shared);
        assert_eq!(states, [(true, Some(3)), (false, None), (false, None)]);
        assert!(!serde_json::from_value::<Nodes>(json!({ "nodes": [{}] })).unwrap().shared);
    }

    #[test]
    fn finds_line_by_tool_component_and_caller() {
        let line = Line {
            tool: Some("Weather_Now".to_owned()),
            component: Some("sky".to_owned()),
            principal: "anna".to_owned(),
            ..Line::default()
        };
        for sought in ["weather", "sky", "ann", ""] {
            assert!(line.has(sought), "{sought}");
        }
        assert!(!line.has("rain"));
    }
}
