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
    for it in &all {
        let text = it["text"].as_str().unwrap();
        let came = follow(&mut Talk::new(), text);
        let calls: Vec<_> = came.calls.iter().map(|it| json!([it.name, it.arguments])).collect();
        let told = format!("{}\n{}", json!(calls), came.text);
        let has = |word: &Value| told.contains(word.as_str().unwrap());
        let words = |name: &str| it[name].as_array().cloned().unwrap_or_default();
        let is_kept = words("says").iter().all(has) && !words("lacks").iter().any(has);
        if !is_kept || it["none"] == true && !calls.is_empty() {
            wrong.push(format!("{text}\n    {told}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}
