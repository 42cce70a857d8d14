//! Conditions in a sentence: each is kept, or the answer names it; none is dropped in silence.

use serde_json::{Value, json};

use super::{Talk, house::follow};

/// Sentences with a condition: words that the calls or the answer have (`says`) and have not (`lacks`), or
/// that no tool is called (`none`).
const CONDITIONS: &str = include_str!("../data/conditions.json");

#[test]
fn conditions_are_kept_or_named_in_both_languages() {
    let all: Vec<Value> = serde_json::from_str(CONDITIONS).unwrap();
    let mut wrong = Vec::new();
    for sentence in &all {
        let text = sentence["text"].as_str().unwrap();
        let came = follow(&mut Talk::new(), text);
        let calls: Vec<_> = came.calls.iter().map(|it| json!([it.name, it.arguments])).collect();
        let message = format!("{}\n{}", json!(calls), came.text);
        let has = |word: &Value| message.contains(word.as_str().unwrap());
        let words = |name: &str| sentence[name].as_array().cloned().unwrap_or_default();
        let is_kept = words("says").iter().all(has) && !words("lacks").iter().any(has);
        if !is_kept || sentence["none"] == true && !calls.is_empty() {
            wrong.push(format!("{text}\n    {message}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// Tokyo Story takes 136 minutes and begins at 12:20, 15:20 and 19:00.
#[test]
fn a_showing_that_ends_too_late_is_not_offered() {
    for (sentence, expected) in [
        ("明日の東京物語、18時までに終わる回を2枚", 2),
        ("2 seats for Tokyo Story tomorrow, I have to be out by six", 2),
        ("2 seats for Tokyo Story on Monday that ends before 11pm", 3),
    ] {
        let came = follow(&mut Talk::new(), sentence);
        let form = &came.calls.last().unwrap().arguments["form_schema"]["fields"][0];
        let options = form["options"].as_array().unwrap();
        assert_eq!((&form["name"], options.len()), (&json!("showtime_id"), expected), "{sentence}");
    }
}

/// Rashomon is on at 10:30 in `mini` and at 20:50 in `s3`.
#[test]
fn the_screen_that_is_named_is_the_one() {
    let came = follow(&mut Talk::new(), "2 seats for Rashomon on Monday in the mini");
    let seats: Vec<_> = came.calls.iter().filter(|it| it.name == "list_available_seats").collect();
    assert_eq!(seats.len(), 1, "nothing is left to ask");
    let showing = seats[0].arguments["showtime_id"].as_str().unwrap();
    assert!(showing.contains("-mini-"), "{showing}");
}
