//! Texts for the operator: numbers, outcomes, statuses of revisions, and sentences about a component's grants.

use super::data::{Component, Reach, Reason};
use crate::text::{Key, Lang};

pub(crate) use output::form::size_of as bytes;

/// Placeholder for a missing number.
pub(crate) const NONE: &str = "—";
/// Number of hexadecimal digits shown of a digest.
const DIGEST_SHOWN: usize = 12;

/// Formats microseconds as µs, ms or s.
pub(crate) fn took(us: u64) -> String {
    let value = us as f64;
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..10_000 => format!("{:.1} ms", value / 1e3),
        10_000..1_000_000 => format!("{:.0} ms", value / 1e3),
        _ => format!("{:.1} s", value / 1e6),
    }
}

/// Formats an upper bound of durations; none if there were no calls.
pub(crate) fn within(us: u64, calls: u64) -> String {
    if calls == 0 { NONE.to_owned() } else { took(us) }
}

/// Formats calls per second.
pub(crate) fn rate(rate: f64) -> String {
    if rate > 0.0 && rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") }
}

/// Formats a percentage; a non-zero share is never shown as zero.
pub(crate) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return NONE.to_owned();
    }
    let share = part as f64 / whole as f64 * 100.0;
    match part {
        0 => "0%".to_owned(),
        _ if share < 0.01 => "<0.01%".to_owned(),
        _ if share < 1.0 => format!("{share:.2}%"),
        _ => format!("{share:.1}%"),
    }
}

/// A shortened digest.
pub(crate) fn digest(digest: &str) -> String {
    digest.chars().take(DIGEST_SHOWN).collect()
}

/// Formats a duration in at most two units.
pub(crate) fn length(seconds: f64, lang: Lang) -> String {
    // Below 2^53 seconds, and never negative.
    let seconds = seconds.max(0.0) as u64;
    let two = |key: Key, large: u64, small: u64| {
        lang.fill(key, &[&(seconds / large).to_string(), &(seconds % large / small).to_string()])
    };
    match seconds {
        0..60 => lang.fill(Key::Seconds, &[&seconds.to_string()]),
        60..3_600 => two(Key::MinutesSeconds, 60, 1),
        3_600..86_400 => two(Key::HoursMinutes, 3_600, 60),
        _ => two(Key::DaysHours, 86_400, 3_600),
    }
}

/// Kind of an outcome; each has its own mark, so that colour is not the only distinction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It was done.
    Done,
    /// Continues once a person has answered.
    Asked,
    /// Refused, without a fault of the server.
    Refused,
    /// A fault of the component or the server.
    Fault,
}

impl Kind {
    /// Drawn before the text.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Done => "✓",
            Self::Asked => "?",
            Self::Refused => "–",
            Self::Fault => "✕",
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Done => "op-outcome is-done",
            Self::Asked => "op-outcome is-asked",
            Self::Refused => "op-outcome is-refused",
            Self::Fault => "op-outcome is-fault",
        }
    }
}

/// Kind and text of an outcome in the audit log.
pub(crate) fn outcome(outcome: &str, lang: Lang) -> (Kind, String) {
    let (code, rest) = outcome.split_once(':').unwrap_or((outcome, ""));
    let (kind, key) = match code {
        "done" => (Kind::Done, Key::Done),
        "asked" => (Kind::Asked, Key::OutcomeAsked),
        "refused" => (Kind::Refused, Key::OutcomeRefused),
        "invalid_params" => (Kind::Refused, Key::OutcomeInvalid),
        "unknown_tool" | "not_found" => (Kind::Refused, Key::OutcomeUnknown),
        "forbidden" => (Kind::Refused, Key::OutcomeForbidden),
        "invalid_request_state" => (Kind::Refused, Key::OutcomeState),
        "cancelled" => (Kind::Refused, Key::OutcomeCancelled),
        "busy" => (Kind::Fault, Key::OutcomeBusy),
        "unavailable" => (Kind::Fault, Key::OutcomeUnavailable),
        "trapped" => (Kind::Fault, Key::OutcomeTrapped),
        "broken" => (Kind::Fault, Key::OutcomeBroken),
        "limit_exceeded" if rest.is_empty() => (Kind::Fault, Key::OutcomeLimitBare),
        "limit_exceeded" => return (Kind::Fault, lang.fill(Key::OutcomeLimit, &[rest])),
        // A tool's own code.
        _ => return (Kind::Refused, lang.fill(Key::OutcomeRefusedAs, &[outcome])),
    };
    (kind, lang.say(key).to_owned())
}

/// Text of a revision's status; an unknown one is shown as it is.
pub(crate) fn status(status: &str, lang: Lang) -> String {
    let key = match status.replace('_', " ").as_str() {
        "serving" => Key::OperatorServes,
        "replaced" => Key::OperatorStatusReplaced,
        "rolled back" => Key::OperatorStatusRolledBack,
        it if it.starts_with("returned") => Key::OperatorStatusReturned,
        "removed" => Key::OperatorStatusRemoved,
        _ => return status.to_owned(),
    };
    lang.say(key).to_owned()
}

/// A sentence per grant: those a component uses, and those it does not.
pub(crate) fn sentences(component: &Component, lang: Lang) -> (Vec<String>, Vec<String>) {
    let is_used = |grant: &&String| component.grants_needed.contains(grant);
    let (used, unused): (Vec<_>, Vec<_>) = component.grants.iter().partition(is_used);
    let reach = &component.reach;
    let describe = |grants: Vec<&String>| -> Vec<String> {
        grants.into_iter().flat_map(|grant| sentence(grant, reach, lang)).collect()
    };
    let (mut used, unused) = (describe(used), describe(unused));
    if !reach.environment.is_empty() {
        used.push(lang.fill(Key::GrantEnvironment, &[&list(&reach.environment, lang)]));
    }
    (used, unused)
}

/// What one grant allows; an unknown one is shown by name.
fn sentence(grant: &str, reach: &Reach, lang: Lang) -> Vec<String> {
    let describe = |names: &[String], some: Key, none: Key| match names {
        [] => lang.say(none).to_owned(),
        names => lang.fill(some, &[&list(names, lang)]),
    };
    let one = match grant {
        "sql" => lang.say(Key::GrantSql).to_owned(),
        "settings" => lang.say(Key::GrantSettings).to_owned(),
        "clock" => lang.say(Key::GrantClock).to_owned(),
        "random" => lang.say(Key::GrantRandom).to_owned(),
        "http" => describe(&reach.http, Key::GrantHttp, Key::GrantHttpNone),
        "folders" => describe(&reach.folders, Key::GrantFolders, Key::GrantFoldersNone),
        "files" => describe(&reach.files, Key::GrantFiles, Key::GrantFilesNone),
        "blobs" => lang.say(Key::GrantBlobs).to_owned(),
        "events" => lang.say(Key::GrantEvents).to_owned(),
        "schedule" => match reach.schedule_ms {
            Some(ms) => lang.fill(Key::GrantSchedule, &[&length(ms as f64 / 1e3, lang)]),
            None => lang.say(Key::GrantScheduleNone).to_owned(),
        },
        "jobs" => lang.say(Key::GrantJobs).to_owned(),
        "endpoints" => lang.say(Key::GrantEndpoints).to_owned(),
        "assistants" => describe(&reach.asks, Key::GrantAssistants, Key::GrantAssistantsNone),
        "calls" => {
            let calls = describe(&reach.calls, Key::GrantCalls, Key::GrantCallsNone);
            let trusts = (!reach.trusts.is_empty())
                .then(|| lang.fill(Key::GrantTrusts, &[&list(&reach.trusts, lang)]));
            return [calls].into_iter().chain(trusts).collect();
        }
        "runs" => lang.say(Key::GrantRuns).to_owned(),
        unknown => unknown.to_owned(),
    };
    vec![one]
}

/// Why a build waits: the introduction, and the reasons in the reader's language; the second is true where one is in
/// English.
pub(crate) fn reasons(all: &[Reason], reach: &Reach, lang: Lang) -> (String, Vec<(String, bool)>) {
    let has =
        |codes: &[&str]| all.iter().any(|it| codes.iter().any(|code| it.code.starts_with(code)));
    // A grant that is told in more detail.
    let is_told = |reason: &&Reason| {
        let grant = reason.values.first().map_or("", String::as_str);
        let details: &[&str] = match (&*reason.code, grant) {
            ("grant", "http") => &["host", "model_host"],
            ("grant", "files") => &["file"],
            ("grant", "folders") => &["folder"],
            ("grant", "assistants") => &["asks"],
            ("grant", "calls") => &["calls"],
            ("grant", "schedule") => &["schedule"],
            ("grant", "settings") => &["setting", "environment"],
            // Old and new are shown below.
            ("reworded", _) => return true,
            _ => &[],
        };
        has(details)
    };
    let one = |reason: &Reason| match reason_text(reason, reach, lang) {
        Some(text) => (text, false),
        None => (reason.text.clone(), true),
    };
    let first = all.first();
    let before = || first.and_then(|it| it.values.last()).map_or("", String::as_str);
    let introduction = match first.map_or("", |it| &*it.code) {
        "new_grant" => lang.fill(Key::OperatorWantsMore, &[before()]),
        "breaking" => lang.fill(Key::OperatorBreaks, &[before()]),
        "reworded" => lang.fill(Key::OperatorRewords, &[before()]),
        "" => lang.say(Key::OperatorWhy).to_owned(),
        _ => lang.say(Key::OperatorAsksFor).to_owned(),
    };
    let mut shown = Vec::new();
    for reason in all.iter().filter(|it| !is_told(it)).map(one) {
        // Several imports may need one grant.
        if !shown.contains(&reason) {
            shown.push(reason);
        }
    }
    (introduction, shown)
}

/// Why a trial ended, in the reader's language, and whether that is in English.
pub(crate) fn end_of_trial(reason: &Reason, lang: Lang) -> (String, bool) {
    let key = match &*reason.code {
        "trapped" => Key::OperatorEndTrapped,
        "failed" => Key::OperatorEndFailed,
        "refused" => Key::OperatorEndRefused,
        "slower" => Key::OperatorEndSlower,
        "stopped" => Key::OperatorEndStopped,
        "replaced" => Key::OperatorEndReplaced,
        "not_begun" => Key::OperatorEndNotBegun,
        "not_resumed" => Key::OperatorEndNotResumed,
        _ => return (reason.text.clone(), true),
    };
    let values: Vec<&str> = reason.values.iter().map(String::as_str).collect();
    (lang.fill(key, &values), false)
}

/// A reason in the reader's language, if it is known.
fn reason_text(reason: &Reason, reach: &Reach, lang: Lang) -> Option<String> {
    let values: Vec<&str> = reason.values.iter().map(String::as_str).collect();
    let key = match (&*reason.code, values.first()?) {
        ("grant", grant) => return sentence(grant, &Reach::default(), lang).into_iter().next(),
        ("new_grant", grant) => {
            let all = sentence(grant, reach, lang);
            return Some(all.join(if lang == Lang::Ja { "" } else { " " }));
        }
        ("schedule", ms) => {
            let every = length(ms.parse::<f64>().ok()? / 1e3, lang);
            return Some(lang.fill(Key::GrantSchedule, &[&every]));
        }
        ("asks", _) => Key::GrantAssistants,
        ("calls", _) => Key::GrantCalls,
        ("trusts", _) => Key::WantTrusts,
        ("file", _) => Key::GrantFiles,
        ("folder", _) => Key::GrantFolders,
        ("environment", _) => Key::WantEnvironment,
        ("host", _) => Key::WantHost,
        ("host_secret", _) => Key::WantHostSecret,
        ("host_private", _) => Key::WantHostPrivate,
        ("host_private_secret", _) => Key::WantHostPrivateSecret,
        ("host_variable", _) => Key::WantHostVariable,
        ("secret_variable", _) => Key::WantSecretVariable,
        ("model_host", _) => Key::WantModelHost,
        ("model_entries", _) => Key::WantModelEntries,
        ("setting", _) => Key::WantSetting,
        ("setting_file", _) => Key::WantSettingFile,
        ("server_tools", _) => Key::WantServerTools,
        ("limit", _) => Key::WantLimit,
        ("stubs", _) => Key::WantStubs,
        ("apart", _) => Key::WantApart,
        _ => return None,
    };
    let shown = |it: &str| match it {
        "*" => lang.say(Key::GrantAny).to_owned(),
        // A secret that the build brings has no name.
        "" => "…".to_owned(),
        value => value.to_owned(),
    };
    let values: Vec<_> = values.into_iter().map(shown).collect();
    Some(lang.fill(key, &values.iter().map(String::as_str).collect::<Vec<_>>()))
}

/// Where a build came from, in the reader's language: a file or an address is shown as it is.
pub(crate) fn origin(origin: &str, lang: Lang) -> String {
    let shown = match origin {
        "the operator" => lang.say(Key::OperatorOriginOwn),
        "the binary" => lang.say(Key::OperatorOriginBundled),
        "the version before" => lang.say(Key::OperatorOriginBefore),
        place => place,
    };
    lang.fill(Key::OperatorOrigin, &[shown])
}

/// What a rewording is of, in the reader's language: `the tool greet`.
pub(crate) fn named_kind(of: &str, lang: Lang) -> String {
    let known = [
        ("the tool ", Key::OperatorOfTool),
        ("the prompt ", Key::OperatorOfPrompt),
        ("the resource template ", Key::OperatorOfTemplate),
    ];
    let named = known.into_iter().find_map(|(kind, key)| Some((key, of.strip_prefix(kind)?)));
    named.map_or_else(|| of.to_owned(), |(key, name)| lang.fill(key, &[name]))
}

/// Joins names; `*` stands for all.
fn list(names: &[String], lang: Lang) -> String {
    let name = |name: &String| {
        if name == "*" { lang.say(Key::GrantAny).to_owned() } else { name.clone() }
    };
    names.iter().map(name).collect::<Vec<_>>().join(lang.comma())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_time_in_fitting_unit() {
        assert_eq!(
            [180, 2_100, 45_600, 1_500_000].map(took),
            ["180 µs", "2.1 ms", "46 ms", "1.5 s"]
        );
        assert_eq!(within(0, 0), NONE);
    }

    #[test]
    fn small_share_is_not_rounded_to_zero() {
        assert_eq!(share(0, 10), "0%");
        assert_eq!(share(1, 1_000_000), "<0.01%");
        assert_eq!(share(1, 200), "0.50%");
        assert_eq!(share(3, 9), "33.3%");
        assert_eq!(share(0, 0), NONE);
        assert_eq!([0.0, 0.5, 12.4].map(rate), ["0", "0.5", "12"]);
    }

    #[test]
    fn formats_length_in_at_most_two_units() {
        assert_eq!(length(59.9, Lang::En), "59 s");
        assert_eq!(length(61.0, Lang::En), "1 min 1 s");
        assert_eq!(length(7_260.0, Lang::Ja), "2 時間 1 分");
        assert_eq!(length(90_000.0, Lang::En), "1 d 1 h");
    }

    #[test]
    fn every_outcome_has_text_and_kind() {
        let described = |it| outcome(it, Lang::En);
        assert_eq!(described("done"), (Kind::Done, "Done".to_owned()));
        assert_eq!(described("asked").0, Kind::Asked);
        assert_eq!(described("limit_exceeded:memory").1, "Limit exceeded: memory");
        assert_eq!(described("limit_exceeded").1, "Limit exceeded");
        assert_eq!(described("trapped").0, Kind::Fault);
        let own = described("sold_out");
        assert_eq!(own, (Kind::Refused, "Refused: sold_out".to_owned()), "a tool's own code");
        assert_eq!(outcome("busy", Lang::Ja).1, "混雑");
    }

    #[test]
    fn every_kind_has_its_own_mark() {
        let marks = [Kind::Done, Kind::Asked, Kind::Refused, Kind::Fault].map(Kind::mark);
        for (index, mark) in marks.iter().enumerate() {
            assert!(!marks[index + 1..].contains(mark), "{mark}");
        }
    }

    #[test]
    fn formats_status_in_any_notation() {
        for written in ["rolled_back", "rolled back"] {
            assert_eq!(status(written, Lang::En), "Rolled back");
        }
        let returned = status("returned: its first three calls trapped", Lang::En);
        assert_eq!(returned, status("returned", Lang::En));
        assert_eq!(status("lost", Lang::En), "lost");
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn separates_used_from_unused_grants() {
        let component = Component {
            grants: names(&["http", "sql", "clock"]),
            grants_needed: names(&["http", "sql"]),
            reach: Reach { http: names(&["api.example.com", "b.example"]), ..Reach::default() },
            ..Component::default()
        };
        let (used, unused) = sentences(&component, Lang::En);
        assert_eq!(used[0], "Sends HTTP requests to: api.example.com, b.example");
        assert_eq!(used[1], Lang::En.say(Key::GrantSql));
        assert_eq!(unused, [Lang::En.say(Key::GrantClock)]);
        let (used, _) = sentences(&component, Lang::Ja);
        assert!(used[0].ends_with("api.example.com、b.example"), "{used:?}");
    }

    #[test]
    fn every_grant_has_a_sentence_and_new_ones_their_name() {
        let known = [
            "sql",
            "settings",
            "clock",
            "random",
            "http",
            "folders",
            "files",
            "blobs",
            "events",
            "schedule",
            "jobs",
            "endpoints",
            "assistants",
            "calls",
            "runs",
        ];
        for grant in known {
            let lines = sentence(grant, &Reach::default(), Lang::En);
            assert!(lines[0].ends_with('.'), "{grant}: {lines:?}");
        }
        assert_eq!(sentence("dragons", &Reach::default(), Lang::Ja), ["dragons"]);
    }

    #[test]
    fn reasons_of_pending_build_are_in_both_languages() {
        let reason = |code: &str, values: &[&str]| Reason {
            code: code.to_owned(),
            values: names(values),
            text: "it does".to_owned(),
        };
        let host = ["POST", "https://a.example:443", ""];
        let asked =
            [reason("grant", &["http"]), reason("grant", &["clock"]), reason("host", &host)];
        let (introduction, all) = reasons(&asked, &Reach::default(), Lang::En);
        assert_eq!(introduction, "What it asks for:");
        let expected = [Lang::En.say(Key::GrantClock), "Sends POST to https://a.example:443."];
        assert_eq!(all, expected.map(|it| (it.to_owned(), false)), "hosts say more than the grant");
        let (_, all) = reasons(&asked, &Reach::default(), Lang::Ja);
        assert_eq!(all[1].0, "https://a.example:443 に POST で接続します。");

        let more = [reason("new_grant", &["clock", "3"]), reason("new_grant", &["clock", "3"])];
        let (introduction, all) = reasons(&more, &Reach::default(), Lang::En);
        assert_eq!(introduction, "It wants what generation 3 did without:");
        assert_eq!(all.len(), 1, "of two imports: {all:?}");
        let (introduction, all) =
            reasons(&[reason("reworded", &["the tool a", "3"])], &Reach::default(), Lang::Ja);
        assert!(introduction.contains("第 3 世代") && all.is_empty(), "{introduction}");
        assert_eq!(named_kind("the tool a", Lang::Ja), "ツール「a」");
        assert_eq!(named_kind("the rest", Lang::Ja), "the rest");
        // What this page does not know is shown as it is.
        let unknown = reasons(&[reason("later", &["x"])], &Reach::default(), Lang::Ja).1;
        assert_eq!(unknown, [("it does".to_owned(), true)]);
    }

    #[test]
    fn end_of_a_trial_is_in_both_languages() {
        let reason = |code: &str| Reason {
            code: code.to_owned(),
            values: names(&["3", "4", "0", "27"]),
            text: "it does".to_owned(),
        };
        for code in ["trapped", "failed", "refused", "slower"] {
            for lang in [Lang::Ja, Lang::En] {
                let (text, is_english) = end_of_trial(&reason(code), lang);
                assert!(!is_english && text.contains("27"), "{code}: {text}");
            }
        }
        assert_eq!(end_of_trial(&reason("stopped"), Lang::Ja).0, "運用者が止めました。");
        assert_eq!(end_of_trial(&reason("later"), Lang::Ja), ("it does".to_owned(), true));
    }

    #[test]
    fn sentences_name_schedule_and_trusted_calls() {
        let reach = Reach {
            schedule_ms: Some(60_000),
            calls: names(&["*"]),
            trusts: names(&["weather"]),
            ..Reach::default()
        };
        assert_eq!(sentence("schedule", &reach, Lang::En), ["Runs by itself every 1 min 0 s."]);
        let calls = sentence("calls", &reach, Lang::En);
        assert!(calls[0].ends_with("all of them") && calls[1].ends_with("weather"), "{calls:?}");
    }
}
