//! Canaries: a build that waits for approval answers some of the calls beside the serving version. The outcomes of both
//! are counted, and the canary is withdrawn where it does worse.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use base::{
    call::Ending,
    config::{CanaryConfig, Reason},
    grants::Grant,
};
use parking_lot::Mutex;
use sandbox::{
    component::{Content, LoadedComponent, Output, ResourceBody},
    definition::{Template, Tool},
    schema,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::digest::digest;
use telemetry::{metrics::Tally, timeline};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::difference::{self, Surface};

/// Callers that may be named.
const CALLERS_MAX: usize = 32;
/// Bytes of a caller's name.
const CALLER_BYTES_MAX: usize = 256;

/// The calls that a canary answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CanaryShare {
    /// Percentage of calls of callers other than `callers`: 0 to 99.
    pub percent: u8,
    /// Principals whose calls are all answered by it.
    pub callers: Vec<String>,
}

impl CanaryShare {
    /// Checks the share.
    ///
    /// # Errors
    /// If the percentage or a caller name is invalid.
    pub fn check(&self) -> Result<(), String> {
        if self.percent > 99 {
            return Err("percent is 1 to 99; to let it answer all calls, accept the build".into());
        }
        if self.percent == 0 && self.callers.is_empty() {
            return Err("it answers no call: percent is 1 to 99, or callers are named".into());
        }
        if self.callers.len() > CALLERS_MAX {
            return Err(format!("{} callers are named; {CALLERS_MAX} is most", self.callers.len()));
        }
        let is_name = |name: &String| {
            (1..=CALLER_BYTES_MAX).contains(&name.len()) && !name.chars().any(char::is_control)
        };
        match self.callers.iter().find(|it| !is_name(it)) {
            Some(name) => Err(format!(
                "{:?} is no caller's name: it has 1 to {CALLER_BYTES_MAX} bytes and no control characters",
                name.chars().take(64).collect::<String>()
            )),
            None => Ok(()),
        }
    }
}

/// Formats as `10 % of calls, and all of ci and dana`.
impl std::fmt::Display for CanaryShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let callers = self.callers.join(", ");
        match (self.percent, self.callers.is_empty()) {
            (0, _) => write!(f, "the calls of {callers}"),
            (percent, true) => write!(f, "{percent} % of calls"),
            (percent, false) => write!(f, "{percent} % of calls and those of {callers}"),
        }
    }
}

/// One of the two compared versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The version that serves.
    Serving,
    Canary,
}

/// Statistics of one version on calls that both could answer, since the canary started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Calls that have ended.
    pub calls: u64,
    /// Calls that failed by a fault of component or host, including `traps`.
    pub errors: u64,
    /// Calls refused or with invalid arguments.
    pub refused: u64,
    /// Calls that trapped or exceeded a limit.
    pub traps: u64,
    /// Mean duration in microseconds, without waiting times.
    pub mean_us: u64,
    /// The time within which half of the calls ended.
    pub p50_us: u64,
    /// The time within which 99 of 100 calls ended.
    pub p99_us: u64,
}

impl Figures {
    fn from_tally(tally: &Tally) -> Self {
        let count = |wanted: fn(Ending) -> bool| {
            Ending::ALL.iter().filter(|it| wanted(**it)).map(|it| tally.ending(*it)).sum::<u64>()
        };
        let us = |part| timeline::us(tally.latency.quantile(part));
        let calls = count(|_| true);
        let mean_us = tally.latency.sum_s() * 1e6 / calls.max(1) as f64;
        Self {
            calls,
            errors: count(Ending::is_error),
            refused: count(|ending| {
                matches!(ending, Ending::Refused | Ending::InvalidArguments | Ending::NotFound)
            }),
            traps: count(|it| matches!(it, Ending::Trapped | Ending::LimitExceeded)),
            mean_us: mean_us as u64,
            p50_us: us(0.5),
            p99_us: us(0.99),
        }
    }
}

/// Why the canary is withdrawn. `None` if it does as well as `before`.
fn fault(limits: &CanaryConfig, own: &Figures, before: &Figures) -> Option<Reason> {
    let is_beyond = |count: u64, of_before: u64| {
        let rate = of_before as f64 / before.calls.max(1) as f64;
        let expected = rate * limits.errors_factor * own.calls as f64;
        // Twice the deviation of such a count: what chance alone would bring about.
        count >= limits.faults_min && count as f64 > expected + 2.0 * expected.sqrt()
    };
    let shown = |code: &str, what: &str, count: u64, of_before: u64| {
        let (calls, calls_before) = (own.calls, before.calls);
        let text = format!(
            "{count} of its {calls} calls {what}, and {of_before} of {calls_before} of the version before"
        );
        Reason::new(code, &[&count, &calls, &of_before, &calls_before], text)
    };
    if is_beyond(own.traps, before.traps) {
        return Some(shown("trapped", "trapped or exceeded a limit", own.traps, before.traps));
    }
    if own.calls < limits.calls_min {
        return None;
    }
    if is_beyond(own.errors, before.errors) {
        return Some(shown("failed", "failed", own.errors, before.errors));
    }
    // The rest says nothing without the version before to compare it with.
    if before.calls < limits.calls_min {
        return None;
    }
    let (bad, bad_before) = (own.errors + own.refused, before.errors + before.refused);
    if is_beyond(bad, bad_before) {
        return Some(shown("refused", "failed or were refused", bad, bad_before));
    }
    let least_us = limits.latency_ms_min.saturating_mul(1_000);
    let is_slower = |own: u64, before: u64| {
        own as f64 > before as f64 * limits.latency_factor && own - before > least_us
    };
    if is_slower(own.mean_us, before.mean_us) && is_slower(own.p50_us, before.p50_us) {
        let (calls, calls_before) = (own.calls, before.calls);
        let [ms, ms_before] = [own, before].map(|it| format!("{:.1}", it.mean_us as f64 / 1e3));
        let text = format!(
            "its {calls} calls took {ms} ms on average, and {calls_before} of the version before {ms_before} ms"
        );
        return Some(Reason::new("slower", &[&calls, &ms, &calls_before, &ms_before], text));
    }
    None
}

/// Takes a canary out of the catalog that has given way.
pub trait GivesWay: Send + Sync {
    /// Returns at once; the canary itself takes no call any more.
    fn withdraw_canary(&self, component: &str);
}

/// How a tool of the canary can be called.
struct Reach {
    /// Schema that arguments must satisfy. `None` if all arguments valid for the serving version are.
    fitting: Option<Arc<Map<String, Value>>>,
    /// Whether its description is that of the serving version.
    is_same: bool,
    /// Whether a call of it may be made by both versions: it only reads, and reaches nothing outside this host.
    is_repeatable: bool,
}

/// A waiting build that answers some of the calls.
pub struct Canary {
    /// The build, with all it asks for.
    pub component: Arc<LoadedComponent>,
    pub share: CanaryShare,
    /// Since when, as RFC 3339 has it.
    pub since: String,
    limits: CanaryConfig,
    tools: BTreeMap<Arc<str>, Reach>,
    /// Prompts that take what those of the version that serves take.
    prompts: BTreeSet<Arc<str>>,
    /// Calls that it could have answered, those of named callers apart.
    counted: AtomicU64,
    tallies: [Arc<Tally>; 2],
    /// Answer comparisons by tool.
    comparisons: Mutex<BTreeMap<Arc<str>, Comparison>>,
    /// Allows one comparison at a time.
    comparing: Arc<Semaphore>,
    gone: OnceLock<Reason>,
    gives_way: Arc<dyn GivesWay>,
}

impl Canary {
    /// A canary `component` beside `serving`, with `tallies` of serving version and canary.
    pub fn new(
        (serving, component): (&LoadedComponent, Arc<LoadedComponent>),
        (share, limits): (CanaryShare, CanaryConfig),
        since: String,
        tallies: [Arc<Tally>; 2],
        gives_way: Arc<dyn GivesWay>,
    ) -> Self {
        // Calls with effects on others are not repeated.
        let others = [Grant::Http, Grant::Calls, Grant::Assistants, Grant::Runs];
        let reaches_out = |it: &LoadedComponent| others.iter().any(|grant| it.needs(*grant));
        let is_alone = !reaches_out(serving) && !reaches_out(&component);
        let tools = component.tools().iter().filter_map(|new| {
            let old = serving.tools().iter().find(|it| it.name == new.name)?;
            let mut reach = reach(old, new)?;
            reach.is_repeatable &= is_alone;
            Some((new.name.clone(), reach))
        });
        let surfaces = [serving, &*component].map(Surface::all);
        let broken = difference::between(&surfaces[0], &surfaces[1]);
        let names = |component: &LoadedComponent| -> BTreeSet<Arc<str>> {
            component.offers().prompts.iter().map(|it| it.name.clone()).collect()
        };
        let mut prompts: BTreeSet<_> =
            names(serving).intersection(&names(&component)).cloned().collect();
        prompts.retain(|it| !broken.iter().any(|found| found.is_breaking && *found.tool == **it));
        Self {
            tools: tools.collect(),
            prompts,
            component,
            share,
            since,
            limits,
            counted: AtomicU64::new(0),
            tallies,
            comparisons: Mutex::default(),
            comparing: Arc::new(Semaphore::new(1)),
            gone: OnceLock::new(),
            gives_way,
        }
    }

    /// Whether it can answer a call of `tool` with these arguments: same annotations, compatible output, and accepted
    /// arguments. Calls by assistants or components (`is_asked_for`) also need the description that the person was
    /// shown.
    pub fn has_tool(&self, tool: &str, arguments: &str, is_asked_for: bool) -> bool {
        let Some(reach) = self.tools.get(tool) else { return false };
        if is_asked_for && !reach.is_same {
            return false;
        }
        let Some(schema) = &reach.fitting else { return true };
        let read = serde_json::from_str::<Value>(arguments);
        read.is_ok_and(|it| schema::check(schema, &it, arguments.len()).is_ok())
    }

    /// Whether it could answer for the prompt.
    pub fn has_prompt(&self, name: &str) -> bool {
        self.prompts.contains(name)
    }

    /// Whether it can read `uri`.
    pub fn has_resource(&self, uri: &str) -> bool {
        let offers = self.component.offers();
        let fits = |it: &Template| it.uri_template.matches(uri);
        offers.resources.iter().any(|it| *it.uri == *uri) || offers.templates.iter().any(fits)
    }

    /// Whether it has the template that reads exactly so.
    pub fn has_template(&self, text: &str) -> bool {
        self.component.offers().templates.iter().any(|it| it.uri_template.text() == text)
    }

    /// Whether it answers the next call of `principal` that it could answer. Of each hundred such calls, one after
    /// another, exactly its share are.
    pub fn takes(&self, principal: &str) -> bool {
        if self.is_gone() {
            return false;
        }
        if self.share.callers.iter().any(|it| it == principal) {
            return true;
        }
        let percent = u64::from(self.share.percent);
        percent > 0 && is_chosen(self.counted.fetch_add(1, Relaxed), percent)
    }

    /// Whether it has given way.
    pub fn is_gone(&self) -> bool {
        self.gone.get().is_some()
    }

    /// Why it has given way.
    pub fn withdrawal_reason(&self) -> Option<&Reason> {
        self.gone.get()
    }

    /// Records a call that either version could answer, made by `by`. Withdraws a canary that does worse.
    pub fn record_end(&self, by: Side, ending: Ending, duration: Duration) {
        self.tallies[by as usize].record_end(ending, duration);
        if by == Side::Serving || self.is_gone() {
            return;
        }
        if let Some(why) =
            fault(&self.limits, &self.figures(Side::Canary), &self.figures(Side::Serving))
            && self.gone.set(why).is_ok()
        {
            self.gives_way.withdraw_canary(self.component.name());
        }
    }

    /// Leave to have the version that serves answer a call of `tool`, too, that the canary has answered: where that
    /// changes nothing, and no other comparison runs.
    pub fn compares(&self, tool: &str) -> Option<OwnedSemaphorePermit> {
        let is_repeatable = self.tools.get(tool).is_some_and(|it| it.is_repeatable);
        if !is_repeatable || self.is_gone() {
            return None;
        }
        self.comparing.clone().try_acquire_owned().ok()
    }

    /// Counts two answers to one call of `tool`.
    pub fn compared(&self, tool: &str, serving: &GivenAnswer, canary: &GivenAnswer) {
        let mut all = self.comparisons.lock();
        if let Some((name, _)) = self.tools.get_key_value(tool) {
            let own = all
                .entry(name.clone())
                .or_insert_with(|| Comparison { tool: tool.to_owned(), ..Comparison::default() });
            own.add(serving, canary);
        }
    }

    /// Comparisons of its answers, by tool.
    pub fn comparisons(&self) -> Vec<Comparison> {
        self.comparisons.lock().values().cloned().collect()
    }

    /// Statistics of one version.
    pub fn figures(&self, of: Side) -> Figures {
        Figures::from_tally(&self.tallies[of as usize])
    }
}

/// Whether call `number` (from 0) is selected: `percent` of each hundred, spread evenly and shifted each hundred, so
/// that an alternating caller meets both versions.
fn is_chosen(number: u64, percent: u64) -> bool {
    let (hundred, place) = (number / 100, number % 100);
    (place * 37 + (hundred % 100) * 61) % 100 < percent
}

/// How to call the canary's tool `new` with arguments for `old`. `None` if incompatible.
fn reach(old: &Tool, new: &Tool) -> Option<Reach> {
    let is_alike = (old.hints, old.audience) == (new.hints, new.audience)
        && old.takes_unasked_answers == new.takes_unasked_answers
        && old.has_header_arguments == new.has_header_arguments;
    let surface = |it: &Tool| Surface::of_tools(std::slice::from_ref(it));
    let (was, is) = (surface(old), surface(new));
    let breaks = |was: &[Surface]| difference::between(was, &is).iter().any(|it| it.is_breaking);
    let with_input = |mut was: Vec<Surface>| {
        was[0].input.clone_from(&is[0].input);
        was
    };
    if !is_alike || breaks(&with_input(was.clone())) {
        return None;
    }
    let fitting = breaks(&was).then(|| new.input_schema.clone());
    let is_repeatable = old.hints.read_only && !old.hints.open_world;
    Some(Reach { fitting, is_same: old.shown == new.shown, is_repeatable })
}

// Compares answers of a canary with those of the serving version: a count and one short example per tool. They stay in
// memory, for the operator only, until the canary ends.

/// Maximum number of shown characters of an answer, followed by a digest.
const SHOWN_MAX: usize = 160;
/// Name parts of secret properties.
const SECRET: [&str; 8] =
    ["password", "passwd", "secret", "token", "passkey", "apikey", "credential", "authorization"];
/// Replacement of secret values.
const HIDDEN: &str = "(hidden)";

/// Compared answers of one tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Comparison {
    pub tool: String,
    /// Calls that both have answered.
    pub compared: u64,
    /// Differing answers.
    pub different: u64,
    /// The first of those.
    pub example: Option<Example>,
}

/// First difference of two answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Example {
    /// A JSON pointer into the output, or `content`, or empty where one of the two is none.
    pub at: String,
    /// Value of the serving version.
    pub serving: String,
    /// Value of the canary.
    pub canary: String,
}

/// A comparable answer, without call metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum GivenAnswer {
    /// Output and content.
    Output(Value, Vec<Value>),
    /// Kind of failure.
    Stopped(String),
}

impl GivenAnswer {
    /// An output of a tool.
    pub fn from_output(output: &Output) -> Self {
        let read = |it: &str| serde_json::from_str(it).unwrap_or_default();
        let structured = output.structured.as_deref().map_or(Value::Null, read);
        Self::Output(structured, output.content.iter().map(content).collect())
    }
}

/// A piece of content; of bytes their digest.
fn content(content: &Content) -> Value {
    match content {
        Content::Text(it) => json!(it.text),
        Content::Image(media) | Content::Audio(media) => {
            json!({ media.mime_type.clone(): digest(&media.data) })
        }
        Content::Resource(resource) => match &resource.body {
            ResourceBody::Text(text) => json!({ resource.uri.clone(): text }),
            ResourceBody::Blob(data) => json!({ resource.uri.clone(): digest(data) }),
        },
        Content::Link(it) => json!(it.uri),
    }
}

impl Comparison {
    /// Counts two answers to one call.
    pub fn add(&mut self, serving: &GivenAnswer, canary: &GivenAnswer) {
        self.compared += 1;
        if serving == canary {
            return;
        }
        self.different += 1;
        if self.example.is_none() {
            self.example = Some(example(serving, canary));
        }
    }
}

fn example(serving: &GivenAnswer, canary: &GivenAnswer) -> Example {
    let (GivenAnswer::Output(was, beside), GivenAnswer::Output(is, beside_now)) = (serving, canary)
    else {
        let text = |answer: &GivenAnswer| match answer {
            GivenAnswer::Output(structured, _) => shown("", structured),
            GivenAnswer::Stopped(text) => text.clone(),
        };
        return Example { at: String::new(), serving: text(serving), canary: text(canary) };
    };
    let (at, was, is) = match first_difference(String::new(), was, is) {
        Some((at, was, is)) => (at, was.clone(), is.clone()),
        None => ("content".to_owned(), json!(beside), json!(beside_now)),
    };
    Example { serving: shown(&at, &was), canary: shown(&at, &is), at }
}

/// First difference of two documents: JSON pointer and both values.
fn first_difference<'a>(
    at: String,
    was: &'a Value,
    is: &'a Value,
) -> Option<(String, &'a Value, &'a Value)> {
    match (was, is) {
        _ if was == is => None,
        (Value::Object(was), Value::Object(is)) => {
            let names = was.keys().chain(is.keys().filter(|it| !was.contains_key(*it)));
            let mut found = names.filter_map(|name| {
                let of = |it: &'a Map<String, Value>| it.get(name).unwrap_or(&Value::Null);
                let name = name.replace('~', "~0").replace('/', "~1");
                first_difference(format!("{at}/{name}"), of(was), of(is))
            });
            found.next()
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            let mut pairs = was.iter().zip(is).enumerate();
            pairs.find_map(|(index, (was, is))| first_difference(format!("{at}/{index}"), was, is))
        }
        _ => Some((at, was, is)),
    }
}

/// Formats a value: shortened, without secrets.
fn shown(at: &str, value: &Value) -> String {
    if is_secret(at) {
        return HIDDEN.to_owned();
    }
    let text = without_secrets(value).to_string();
    if text.chars().count() <= SHOWN_MAX {
        return text;
    }
    let start: String = text.chars().take(SHOWN_MAX).collect();
    format!("{start}… (SHA-256 {})", &digest(text.as_bytes())[..12])
}

fn is_secret(name: &str) -> bool {
    let name: String = name.to_lowercase().chars().filter(|it| !"_- ".contains(*it)).collect();
    SECRET.iter().any(|it| name.contains(it))
}

fn without_secrets(value: &Value) -> Value {
    match value {
        Value::Object(all) => {
            let shown = |(name, value): (&String, &Value)| {
                let shown_value =
                    if is_secret(name) { HIDDEN.into() } else { without_secrets(value) };
                (name.clone(), shown_value)
            };
            Value::Object(all.iter().map(shown).collect())
        }
        Value::Array(all) => all.iter().map(without_secrets).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(calls: u64, errors: u64) -> Figures {
        Figures { calls, errors, ..Figures::default() }
    }

    fn fault_of(own: Figures, before: Figures) -> Option<String> {
        fault(&CanaryConfig::default(), &own, &before).map(|it| it.text)
    }

    #[test]
    fn selects_exact_share_of_each_hundred_calls() {
        for percent in 1..=99 {
            for hundred in [0, 1, 7, 12_345] {
                let calls = hundred * 100..(hundred + 1) * 100;
                let chosen = calls.filter(|it| is_chosen(*it, percent)).count() as u64;
                assert_eq!(chosen, percent, "of the hundred {hundred}");
            }
        }
        assert!(is_chosen(0, 1), "the first call is one of them");
    }

    #[test]
    fn alternating_caller_meets_both_versions() {
        for turns in 2..=10 {
            for turn in 0..turns {
                let calls = (0..10_000).filter(|it| it % turns == turn);
                let chosen = calls.filter(|it| is_chosen(*it, 10)).count() as u64;
                let fair = 1_000 / turns;
                assert!(chosen.abs_diff(fair) <= fair / 4, "{chosen} of {fair}: {turn} of {turns}");
            }
        }
    }

    #[test]
    fn share_is_a_percentage_or_named_callers() {
        let share = |percent, callers: &[&str]| CanaryShare {
            percent,
            callers: callers.iter().map(ToString::to_string).collect(),
        };
        for good in [share(1, &[]), share(99, &[]), share(0, &["ci"]), share(10, &["ci", "花"])] {
            assert_eq!(good.check(), Ok(()));
        }
        let long = "n".repeat(257);
        for (bad, what) in [
            (share(0, &[]), "answers no call"),
            (share(100, &[]), "accept the build"),
            (share(255, &["ci"]), "1 to 99"),
            (share(10, &[""]), "no caller's name"),
            (share(10, &["a\nb"]), "no caller's name"),
            (share(10, &[&long]), "256 bytes"),
            (share(10, &["ci"; 33]), "32 is most"),
        ] {
            let error = bad.check().unwrap_err();
            assert!(error.contains(what), "{error}");
        }
        assert_eq!(share(10, &["ci", "dana"]).to_string(), "10 % of calls and those of ci, dana");
        assert_eq!(share(0, &["ci"]).to_string(), "the calls of ci");
    }

    #[test]
    fn canary_withdraws_on_its_third_trap() {
        let trapped = |calls, traps| Figures { traps, ..figures(calls, traps) };
        assert_eq!(fault_of(trapped(2, 2), trapped(18, 0)), None);
        let text = fault_of(trapped(3, 3), trapped(27, 0)).unwrap();
        assert!(text.starts_with("3 of its 3 calls trapped"), "{text}");
        assert!(text.ends_with("0 of 27 of the version before"), "{text}");
        let reason = fault(&CanaryConfig::default(), &trapped(3, 3), &trapped(27, 0)).unwrap();
        assert_eq!((&*reason.code, reason.values.join(" ")), ("trapped", "3 3 0 27".to_owned()));
        assert_eq!(
            fault_of(trapped(10, 3), trapped(90, 27)),
            None,
            "as often as the version before"
        );
        assert!(
            fault_of(trapped(3, 3), trapped(0, 0)).is_some(),
            "with nothing to compare it with"
        );
    }

    #[test]
    fn canary_withdraws_on_more_errors_than_before() {
        assert_eq!(fault_of(figures(19, 19), figures(19, 0)), None, "too few calls to tell");
        assert_eq!(fault_of(figures(20, 2), figures(180, 0)), None, "too few errors to tell");
        assert!(fault_of(figures(20, 3), figures(180, 0)).is_some());
        assert_eq!(fault_of(figures(100, 10), figures(900, 90)), None, "just as many");
        assert_eq!(fault_of(figures(100, 20), figures(900, 90)), None, "by chance, perhaps");
        assert!(fault_of(figures(100, 40), figures(900, 90)).is_some());
    }

    #[test]
    fn compares_refusals_once_both_versions_have_enough_calls() {
        let refused = |calls, refused| Figures { refused, ..figures(calls, 0) };
        assert_eq!(fault_of(refused(20, 20), refused(5, 0)), None, "too few of the version before");
        assert!(fault_of(refused(20, 20), refused(50, 2)).unwrap().contains("refused"));
        assert_eq!(fault_of(refused(20, 3), refused(100, 10)), None);
    }

    #[test]
    fn canary_withdraws_when_slower_by_factor_and_minimum() {
        let took = |ms: u64| Figures { mean_us: ms * 1_000, p50_us: ms * 1_000, ..figures(20, 0) };
        assert!(fault_of(took(60), took(20)).unwrap().contains("60.0 ms on average"));
        assert_eq!(fault_of(took(39), took(20)), None, "less than twice as long");
        assert_eq!(fault_of(took(15), took(1)), None, "too little to matter");
        let outlier = Figures { p50_us: 1_000, ..took(200) };
        assert_eq!(fault_of(outlier, took(1)), None, "one slow call says nothing");
        assert_eq!(fault_of(took(500), Figures { calls: 19, ..took(1) }), None);
    }

    fn output(structured: Value) -> GivenAnswer {
        GivenAnswer::Output(structured, Vec::new())
    }

    fn example_of(was: Value, is: Value) -> Example {
        let mut comparison = Comparison::default();
        comparison.add(&output(was), &output(is));
        assert_eq!((comparison.compared, comparison.different), (1, 1));
        comparison.example.unwrap()
    }

    #[test]
    fn example_shows_first_difference() {
        let found = example_of(
            json!({ "a": 1, "list": [{ "x/y": 1 }, { "x/y": 2 }] }),
            json!({ "a": 1, "list": [{ "x/y": 1 }, { "x/y": 3 }] }),
        );
        assert_eq!(found.at, "/list/1/x~1y");
        assert_eq!((&*found.serving, &*found.canary), ("2", "3"));
        let new = example_of(json!({}), json!({ "new": true }));
        assert_eq!((&*new.at, &*new.serving, &*new.canary), ("/new", "null", "true"));
        let longer = example_of(json!({ "list": [1] }), json!({ "list": [1, 2] }));
        assert_eq!((&*longer.serving, &*longer.canary), ("[1]", "[1,2]"));
    }

    #[test]
    fn counts_equal_answers_without_example() {
        let mut comparison = Comparison::default();
        comparison.add(&output(json!({ "a": 1, "b": 2 })), &output(json!({ "b": 2, "a": 1 })));
        assert_eq!((comparison.compared, comparison.different, comparison.example), (1, 0, None));
    }

    #[test]
    fn cuts_long_answers_and_adds_a_digest() {
        let found = example_of(json!({ "a": "猫".repeat(10_000) }), json!({ "a": "犬" }));
        assert!(found.serving.chars().count() < 200, "{}", found.serving.len());
        assert!(found.serving.contains("… (SHA-256 "), "{}", found.serving);
        assert_eq!(found.canary, "\"犬\"");
    }

    #[test]
    fn secrets_are_not_shown() {
        let found = example_of(json!({ "sessionToken": "one" }), json!({ "sessionToken": "two" }));
        assert_eq!((&*found.serving, &*found.canary), (HIDDEN, HIDDEN));
        let within = example_of(json!({}), json!({ "user": { "api_key": "k", "name": "花" } }));
        assert!(within.canary.contains("花") && !within.canary.contains("\"k\""), "{within:?}");
    }

    #[test]
    fn names_the_only_version_that_answered() {
        let mut comparison = Comparison::default();
        comparison
            .add(&GivenAnswer::Stopped("refused: sold_out".to_owned()), &output(json!({ "a": 1 })));
        let example = comparison.example.unwrap();
        assert_eq!((&*example.serving, &*example.canary), ("refused: sold_out", "{\"a\":1}"));
    }
}
