//! What a component can touch, in sentences.

use super::data::{Component, Reach};
use super::units::length;
use crate::text::{Key, Lang};

/// What a component does with its grants, and what it was granted and does not use: a sentence each.
pub(crate) fn sentences(component: &Component, lang: Lang) -> (Vec<String>, Vec<String>) {
    let is_used = |grant: &&String| component.grants_needed.contains(grant);
    let (used, unused): (Vec<_>, Vec<_>) = component.grants.iter().partition(is_used);
    let reach = &component.reach;
    let told = |grants: Vec<&String>| -> Vec<String> {
        grants.into_iter().flat_map(|grant| sentence(grant, reach, lang)).collect()
    };
    let (mut used, unused) = (told(used), told(unused));
    if !reach.environment.is_empty() {
        used.push(lang.fill(Key::GrantEnvironment, &[&list(&reach.environment, lang)]));
    }
    (used, unused)
}

/// What one grant means; one that the page does not know is its own name.
fn sentence(grant: &str, reach: &Reach, lang: Lang) -> Vec<String> {
    let of = |names: &[String], some: Key, none: Key| match names {
        [] => lang.say(none).to_owned(),
        names => lang.fill(some, &[&list(names, lang)]),
    };
    let one = match grant {
        "sql" => lang.say(Key::GrantSql).to_owned(),
        "settings" => lang.say(Key::GrantSettings).to_owned(),
        "clock" => lang.say(Key::GrantClock).to_owned(),
        "random" => lang.say(Key::GrantRandom).to_owned(),
        "http" => of(&reach.http, Key::GrantHttp, Key::GrantHttpNone),
        "folders" => of(&reach.folders, Key::GrantFolders, Key::GrantFoldersNone),
        "files" => of(&reach.files, Key::GrantFiles, Key::GrantFilesNone),
        "blobs" => lang.say(Key::GrantBlobs).to_owned(),
        "events" => lang.say(Key::GrantEvents).to_owned(),
        "schedule" => match reach.schedule_ms {
            Some(ms) => lang.fill(Key::GrantSchedule, &[&length(ms as f64 / 1e3, lang)]),
            None => lang.say(Key::GrantScheduleNone).to_owned(),
        },
        "jobs" => lang.say(Key::GrantJobs).to_owned(),
        "endpoints" => lang.say(Key::GrantEndpoints).to_owned(),
        "assistants" => of(&reach.asks, Key::GrantAssistants, Key::GrantAssistantsNone),
        "calls" => {
            let calls = of(&reach.calls, Key::GrantCalls, Key::GrantCallsNone);
            let trusts = (!reach.trusts.is_empty())
                .then(|| lang.fill(Key::GrantTrusts, &[&list(&reach.trusts, lang)]));
            return [calls].into_iter().chain(trusts).collect();
        }
        "runs" => lang.say(Key::GrantRuns).to_owned(),
        unknown => unknown.to_owned(),
    };
    vec![one]
}

/// Names in a sentence; `*` is all there are.
fn list(names: &[String], lang: Lang) -> String {
    let name = |it: &String| {
        if it == "*" { lang.say(Key::GrantAny).to_owned() } else { it.clone() }
    };
    names.iter().map(name).collect::<Vec<_>>().join(lang.comma())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_it_uses_is_said_apart_from_what_it_does_not_use() {
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
    fn every_grant_has_a_sentence_and_a_new_one_has_its_name() {
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
            let said = sentence(grant, &Reach::default(), Lang::En);
            assert!(said[0].ends_with('.'), "{grant}: {said:?}");
        }
        assert_eq!(sentence("dragons", &Reach::default(), Lang::Ja), ["dragons"]);
    }

    #[test]
    fn what_runs_by_itself_or_unasked_is_said() {
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
