//! Conditions in sentences: each is applied, or the answer names it.

use serde_json::{Value, json};

use super::{Talk, house::follow};

/// Sentences with a condition: words that the calls or the answer must have (`says`) or must not have (`lacks`), or that
/// no tool is called (`none`).
const CONDITIONS: &str = include_str!("../data/conditions.json");

#[test]
fn applies_or_names_conditions_in_both_languages() {
    let all: Vec<Value> = serde_json::from_str(CONDITIONS).unwrap();
    let mut wrong = Vec::new();
    for sentence in &all {
        let text = sentence["text"].as_str().unwrap();
        let outcome = follow(&mut Talk::new(), text);
        let calls: Vec<_> = outcome.calls.iter().map(|it| json!([it.name, it.arguments])).collect();
        let message = format!("{}\n{}", json!(calls), outcome.text);
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
fn offers_no_showing_that_ends_too_late() {
    for (sentence, expected) in [
        ("明日の東京物語、18時までに終わる回を2枚", 2),
        ("2 seats for Tokyo Story tomorrow, I have to be out by six", 2),
        ("2 seats for Tokyo Story on Monday that ends before 11pm", 3),
    ] {
        let outcome = follow(&mut Talk::new(), sentence);
        let form = &outcome.calls.last().unwrap().arguments["form_schema"]["fields"][0];
        let options = form["options"].as_array().unwrap();
        assert_eq!((&form["name"], options.len()), (&json!("showtime_id"), expected), "{sentence}");
    }
}

/// Rashomon is on at 10:30 in `mini` and at 20:50 in `s3`.
#[test]
fn picks_the_named_screen() {
    let outcome = follow(&mut Talk::new(), "2 seats for Rashomon on Monday in the mini");
    let seats: Vec<_> =
        outcome.calls.iter().filter(|it| it.name == "list_available_seats").collect();
    assert_eq!(seats.len(), 1, "nothing is left to ask");
    let showing = seats[0].arguments["showtime_id"].as_str().unwrap();
    assert!(showing.contains("-mini-"), "{showing}");
}
