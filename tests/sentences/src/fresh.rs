//! Sentences of ordinary people in both languages, followed to their end with simulated tools.

use language::turn::ToolCall;
use serde_json::{Map, Value, json};

use super::{
    Talk, call,
    house::{Outcome, follow},
};

/// Texts, calls in order, and words of the answer. `missed` says why a sentence is not understood, and `instead` which
/// harmless calls it leads to.
const FRESH: &str = include_str!("../data/fresh.json");
/// Sentences written to find gaps in the rules, with their current calls.
const OWN: &str = include_str!("../data/own.json");
/// Sentences by a person who did not know the project, with verdicts and current calls by turn.
const STRANGER: &str = include_str!("../data/stranger.json");
/// A second set by the same person, with two blind verdicts.
const SECOND: &str = include_str!("../data/stranger_second.json");
/// A third set by another person, with a blind verdict.
const THIRD: &str = include_str!("../data/stranger_third.json");
/// A fourth set by another person, with a blind verdict.
const FOURTH: &str = include_str!("../data/stranger_fourth.json");
/// A fifth set by another person, with a blind verdict.
const FIFTH: &str = include_str!("../data/stranger_fifth.json");
/// A sixth set by another person, with a blind verdict.
const SIXTH: &str = include_str!("../data/stranger_sixth.json");
/// Minimum percentage of right sentences.
const RIGHT_MIN: usize = 90;

/// The verdict on a sentence.
#[derive(Debug, PartialEq)]
enum Verdict {
    Right,
    /// The requested calls are missing, but nothing wrong was done.
    Missed,
    /// An unrequested call was made.
    Wrong,
}

#[test]
fn fresh_sentences_are_never_wrong() {
    let sets = [FRESH, OWN].map(|it| serde_json::from_str::<Vec<Value>>(it).unwrap());
    assert!(sets.iter().all(|it| it.len() > 250));
    let all = sets.concat();
    let (mut right, mut missed, mut wrong) = (0, Vec::new(), Vec::new());
    for sentence in &all {
        let text = sentence["text"].as_str().unwrap();
        let outcome = follow(&mut Talk::new(), text);
        let text = format!("{text}\n    {}", json!(calls(&outcome)));
        match verdict(&outcome, sentence) {
            Verdict::Right => right += 1,
            Verdict::Missed => missed.push(text),
            Verdict::Wrong => wrong.push(text),
        }
    }
    assert!(wrong.is_empty(), "wrong:\n{}", wrong.join("\n"));
    assert!(right * 100 >= RIGHT_MIN * all.len(), "missed:\n{}", missed.join("\n"));
}

/// The calls are those of the verdicts.
#[test]
fn first_set_keeps_judged_calls() {
    let set: Value = serde_json::from_str(STRANGER).unwrap();
    let sentences = set["sentences"].as_array().unwrap();
    for verdicts in ["first", "later"] {
        for verdict in ["right", "missed", "wrong"] {
            let count = sentences.iter().filter(|it| it[verdicts] == verdict).count();
            assert_eq!(set[verdicts][verdict], count, "{verdicts} {verdict}");
        }
    }
    for sentence in sentences {
        let mut talk = Talk::new();
        for (turn, expected) in
            sentence["turns"].as_array().unwrap().iter().zip(sentence["calls"].as_array().unwrap())
        {
            let text = turn.as_str().unwrap();
            assert_eq!(json!(calls(&follow(&mut talk, text))), *expected, "{text}");
        }
    }
}

/// The later sets reach the blind figures, and each chat ends without an action that was not allowed.
#[test]
fn later_sets_end_and_keep_blind_figures() {
    let once = &["first"][..];
    let sets = [(THIRD, once), (FOURTH, once), (FIFTH, once), (SIXTH, once)];
    for (set, verdicts) in sets.into_iter().chain([(SECOND, &["first", "second"][..])]) {
        let set: Value = serde_json::from_str(set).unwrap();
        let sentences = set["sentences"].as_array().unwrap();
        assert!(sentences.len() >= 60);
        for verdicts in verdicts {
            for verdict in ["right", "missed", "wrong"] {
                let count = sentences.iter().filter(|it| it[verdicts] == verdict).count();
                assert_eq!(set[verdicts][verdict], count, "{verdicts} {verdict}");
            }
        }
        for sentence in sentences {
            let mut talk = Talk::new();
            for turn in sentence["turns"].as_array().unwrap() {
                let text = turn.as_str().unwrap();
                let outcome = follow(&mut talk, text);
                assert!(outcome.waits || !outcome.text.is_empty(), "{text}");
            }
        }
    }
}

fn verdict(outcome: &Outcome, expected: &Value) -> Verdict {
    let found = calls(outcome);
    let wanted = expected["calls"].as_array().unwrap();
    let fits = found.len() == wanted.len()
        && wanted.iter().zip(&found).all(|(wanted, found)| {
            let arguments = wanted[1].as_object().unwrap();
            wanted[0] == found[0] && arguments.iter().all(|it| found[1].get(it.0) == Some(it.1))
        });
    let text = expected["says"].as_str().unwrap_or_default();
    let form =
        outcome.calls.last().filter(|_| outcome.waits).map(|it| json!(it.arguments).to_string());
    let is_said = outcome.text.contains(text) || form.is_some_and(|it| it.contains(text));
    let is_missed = match expected["missed"].is_string() {
        true => {
            found == *expected["instead"].as_array().unwrap()
                && outcome.calls.iter().all(is_harmless)
        }
        false => found.is_empty(),
    };
    match (fits && is_said, is_missed) {
        (true, _) => Verdict::Right,
        (false, true) => Verdict::Missed,
        (false, false) => Verdict::Wrong,
    }
}

/// Whether a call changes nothing: it reads, composes a picture, or asks back.
fn is_harmless(call: &ToolCall) -> bool {
    const ASKED: [&str; 5] = ["movie_id", "showtime_id", "count", "origin", "theme"];
    let offers = super::offers();
    let is_reading = offers.iter().any(|it| *it.name == *call.name && it.is_read_only);
    let first = &call.arguments.get("form_schema").cloned().unwrap_or_default()["fields"][0];
    is_reading || ASKED.iter().any(|it| first["name"] == *it)
}

/// Returns the calls for comparison; of forms only title and fields.
pub(super) fn calls(outcome: &Outcome) -> Vec<Value> {
    let one = |name: &str, arguments: &Map<String, Value>| {
        let form = &arguments.get("form_schema").cloned().unwrap_or_default();
        let fields = form["fields"].as_array().into_iter().flatten();
        match name {
            "request_form" => {
                let names: Vec<_> = fields.map(|it| it["name"].clone()).collect();
                json!([name, { "title": form["title"], "fields": names }])
            }
            _ => json!([name, arguments]),
        }
    };
    outcome.calls.iter().map(|it| one(&it.name, &it.arguments)).collect()
}

/// Unknown words are named with other readings, and unsupported requests with alternatives.
#[test]
fn asks_back_with_two_readings() {
    for (text, words, instead) in [
        ("予約を変更したい", "「変更」", "取り消して"),
        ("予約システムのパスワードを教えて", "「パスワード」", "たとえば"),
    ] {
        let outcome = follow(&mut Talk::new(), text);
        assert!(outcome.calls.is_empty(), "{text}: {:?}", outcome.calls);
        assert!(outcome.text.contains(words) && outcome.text.contains(instead), "{}", outcome.text);
    }
}

/// A reservation is read before it is cancelled, and the call waits for approval.
#[test]
fn cancelling_reads_reservation_and_waits_for_approval() {
    for text in ["予約番号 rsv-k2x9 を取り消して", "Please cancel reservation rsv-k2x9"] {
        let outcome = follow(&mut Talk::new(), text);
        let names: Vec<_> = outcome.calls.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["get_reservation", "cancel_reservation"], "{text}");
        assert!(
            outcome.waits && outcome.calls[1].reason.contains("A5"),
            "{}",
            outcome.calls[1].reason
        );
        assert_eq!(outcome.calls[1].arguments["user_id"], "u-1");
    }
    let mut talk = Talk::new();
    let outcome = follow(&mut talk, "トトロの予約をキャンセルしたい");
    assert!(outcome.calls.is_empty() && outcome.text.contains("予約番号"), "{}", outcome.text);
    let names: Vec<_> = follow(&mut talk, "rsv-k2x9").calls.into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["get_reservation", "cancel_reservation"]);
    for text in ["キャンセルしないで", "全員の予約をキャンセルして", "Cancel everything."]
    {
        assert!(follow(&mut Talk::new(), text).calls.is_empty(), "{text}");
    }
}

/// The title of a picture may come in a later sentence.
#[test]
fn adds_title_to_thumbnail_in_second_sentence() {
    let mut talk = Talk::new();
    follow(&mut talk, "ルナとミミでサムネを作って");
    for (text, title) in
        [("タイトルは頂上決戦にして", "頂上決戦"), ("タイトルを「春の陣」に変えて", "春の陣")]
    {
        let outcome = follow(&mut talk, text);
        let last = outcome.calls.last().unwrap();
        assert_eq!(
            (last.name.as_str(), &last.arguments["title"]),
            ("compose_thumbnail", &json!(title))
        );
    }
}

/// Late in the evening only showings that have not begun are listed.
#[test]
fn lists_only_remaining_showings_in_the_evening() {
    for text in ["What's on this evening?", "今夜これから観られる映画は？", "今日の映画を教えて"]
    {
        let mut talk = Talk::new();
        // 21:40 in Japan.
        talk.now += (11 * 60 + 40) * 60;
        let decided = talk.say(text);
        let expected = json!({ "date": "2026-11-21T21:40" });
        assert_eq!(call(&decided), ("list_movies", expected), "{text}");
    }
}
