//! Sentences as ordinary people write them, in both languages, each followed to its end through a house of
//! tools: what they lead to, and what they never lead to.

use language::turn::ToolCall;
use serde_json::{Map, Value, json};

use super::{
    Talk, call,
    house::{Came, follow},
};

/// Each with its text, the calls that it leads to in their order, and words of the answer; `missed` says
/// that it is known not to be understood, and why, and `instead` which calls it leads to meanwhile: none
/// but those that look something up or ask back.
const FRESH: &str = include_str!("../data/fresh.json");
/// Sentences that were written to find what the rules lack, and what they lead to since.
const OWN: &str = include_str!("../data/own.json");
/// A stranger's sentences with the verdicts on them, and what they lead to now, turn by turn.
const STRANGER: &str = include_str!("../data/stranger.json");
/// A second set of the stranger's, with two verdicts that are both blind.
const SECOND: &str = include_str!("../data/stranger_second.json");
/// A third set, by another stranger, with a blind verdict.
const THIRD: &str = include_str!("../data/stranger_third.json");
/// A fourth set, by one more stranger, with a blind verdict.
const FOURTH: &str = include_str!("../data/stranger_fourth.json");
/// A fifth set, by one more stranger, with a blind verdict.
const FIFTH: &str = include_str!("../data/stranger_fifth.json");
/// A sixth set, by one more stranger, with a blind verdict.
const SIXTH: &str = include_str!("../data/stranger_sixth.json");
/// Of a hundred, how many have to be right.
const RIGHT_MIN: usize = 90;

/// How one sentence was followed.
#[derive(Debug, PartialEq)]
enum Verdict {
    Right,
    /// Nothing was done that was not asked for, and not what was.
    Missed,
    /// Something else was done or looked up.
    Wrong,
}

#[test]
fn fresh_sentences_are_right_or_asked_about_and_never_wrong() {
    let sets = [FRESH, OWN].map(|it| serde_json::from_str::<Vec<Value>>(it).unwrap());
    assert!(sets.iter().all(|it| it.len() > 250));
    let all = sets.concat();
    let (mut right, mut missed, mut wrong) = (0, Vec::new(), Vec::new());
    for sentence in &all {
        let text = sentence["text"].as_str().unwrap();
        let came = follow(&mut Talk::new(), text);
        let text = format!("{text}\n    {}", json!(calls(&came)));
        match verdict(&came, sentence) {
            Verdict::Right => right += 1,
            Verdict::Missed => missed.push(text),
            Verdict::Wrong => wrong.push(text),
        }
    }
    assert!(wrong.is_empty(), "wrong:\n{}", wrong.join("\n"));
    assert!(right * 100 >= RIGHT_MIN * all.len(), "missed:\n{}", missed.join("\n"));
}

/// What a stranger wrote leads to what it led to when it was judged.
#[test]
fn a_strangers_sentences_lead_to_the_calls_that_were_judged() {
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

/// What the stranger wrote next adds up to the blind figures, and each conversation comes to an end in
/// which nothing is done that was not allowed.
#[test]
fn strangers_later_sets_end_and_keep_their_blind_figures() {
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
                let came = follow(&mut talk, text);
                assert!(came.waits || !came.text.is_empty(), "{text}");
            }
        }
    }
}

fn verdict(came: &Came, expected: &Value) -> Verdict {
    let found = calls(came);
    let wanted = expected["calls"].as_array().unwrap();
    let fits = found.len() == wanted.len()
        && wanted.iter().zip(&found).all(|(wanted, found)| {
            let arguments = wanted[1].as_object().unwrap();
            wanted[0] == found[0] && arguments.iter().all(|it| found[1].get(it.0) == Some(it.1))
        });
    let text = expected["says"].as_str().unwrap_or_default();
    let form = came.calls.last().filter(|_| came.waits).map(|it| json!(it.arguments).to_string());
    let is_said = came.text.contains(text) || form.is_some_and(|it| it.contains(text));
    let is_missed = match expected["missed"].is_string() {
        true => {
            found == *expected["instead"].as_array().unwrap() && came.calls.iter().all(is_harmless)
        }
        false => found.is_empty(),
    };
    match (fits && is_said, is_missed) {
        (true, _) => Verdict::Right,
        (false, true) => Verdict::Missed,
        (false, false) => Verdict::Wrong,
    }
}

/// Whether a call changes nothing: it looks something up, puts together a picture, or asks back.
fn is_harmless(call: &ToolCall) -> bool {
    const ASKED: [&str; 5] = ["movie_id", "showtime_id", "count", "origin", "theme"];
    let offers = super::offers();
    let is_reading = offers.iter().any(|it| *it.name == *call.name && it.is_read_only);
    let first = &call.arguments.get("form_schema").cloned().unwrap_or_default()["fields"][0];
    is_reading || ASKED.iter().any(|it| first["name"] == *it)
}

/// The calls as they are compared: of a form its title and fields.
pub(super) fn calls(came: &Came) -> Vec<Value> {
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
    came.calls.iter().map(|it| one(&it.name, &it.arguments)).collect()
}

/// What is not understood is asked about, with the unknown words named and other readings offered; what cannot be done
/// is said, with what can be done in its place.
#[test]
fn what_is_not_sure_is_asked_back_with_two_readings() {
    for (text, words, instead) in [
        ("予約を変更したい", "「変更」", "取り消して"),
        ("予約システムのパスワードを教えて", "「パスワード」", "たとえば"),
    ] {
        let came = follow(&mut Talk::new(), text);
        assert!(came.calls.is_empty(), "{text}: {:?}", came.calls);
        assert!(came.text.contains(words) && came.text.contains(instead), "{}", came.text);
    }
}

/// A reservation is looked up before it is cancelled, and the call waits for the person's approval.
#[test]
fn cancelling_shows_the_reservation_and_waits_for_a_word() {
    for text in ["予約番号 rsv-k2x9 を取り消して", "Please cancel reservation rsv-k2x9"] {
        let came = follow(&mut Talk::new(), text);
        let names: Vec<_> = came.calls.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["get_reservation", "cancel_reservation"], "{text}");
        assert!(came.waits && came.calls[1].reason.contains("A5"), "{}", came.calls[1].reason);
        assert_eq!(came.calls[1].arguments["user_id"], "u-1");
    }
    let mut talk = Talk::new();
    let came = follow(&mut talk, "トトロの予約をキャンセルしたい");
    assert!(came.calls.is_empty() && came.text.contains("予約番号"), "{}", came.text);
    let names: Vec<_> = follow(&mut talk, "rsv-k2x9").calls.into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["get_reservation", "cancel_reservation"]);
    for text in ["キャンセルしないで", "全員の予約をキャンセルして", "Cancel everything."]
    {
        assert!(follow(&mut Talk::new(), text).calls.is_empty(), "{text}");
    }
}

/// The title of a picture may come afterwards.
#[test]
fn a_thumbnail_gets_its_title_in_a_second_sentence() {
    let mut talk = Talk::new();
    follow(&mut talk, "ルナとミミでサムネを作って");
    for (text, title) in
        [("タイトルは頂上決戦にして", "頂上決戦"), ("タイトルを「春の陣」に変えて", "春の陣")]
    {
        let came = follow(&mut talk, text);
        let last = came.calls.last().unwrap();
        assert_eq!(
            (last.name.as_str(), &last.arguments["title"]),
            ("compose_thumbnail", &json!(title))
        );
    }
}

/// What has begun is not offered: late in the evening only what begins from then on is listed.
#[test]
fn late_in_the_evening_only_what_is_left_is_listed() {
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
