//! 100 sentences by a person who had not seen the grammar, with the calls that they lead to.

use language::turn::Decision;
use serde_json::{Map, Value};

use super::Talk;

/// Identifiers, texts and expectations: the right tools, the allowed values of their arguments (`absent` is none), and
/// the types of a form's fields with words of their labels.
const PARAPHRASES: &str = include_str!("../data/paraphrases.json");
/// Minimum number of sentences that lead to the right tool with the right arguments.
const RIGHT_MIN: usize = 85;

/// The verdict on a sentence.
#[derive(Debug, PartialEq)]
enum Verdict {
    Right,
    /// The requested call is missing, but nothing wrong was done.
    Missed(String),
    /// An unrequested tool was called.
    Wrong(String),
}

#[test]
fn at_least_85_of_100_paraphrases_are_right() {
    let all: Vec<Value> = serde_json::from_str(PARAPHRASES).unwrap();
    assert_eq!(all.len(), 100);
    let (mut right, mut missed, mut wrong) = (0, Vec::new(), Vec::new());
    for sentence in &all {
        let text = sentence["text"].as_str().unwrap();
        match verdict(&Talk::new().say(text), &sentence["expect"]) {
            Verdict::Right => right += 1,
            Verdict::Missed(how) => missed.push(format!("{} {text}\n    {how}", sentence["id"])),
            Verdict::Wrong(how) => wrong.push(format!("{} {text}\n    {how}", sentence["id"])),
        }
    }
    let text =
        format!("{right} right\nmissed:\n{}\nwrong:\n{}", missed.join("\n"), wrong.join("\n"));
    println!("{text}");
    assert!(right >= RIGHT_MIN && wrong.is_empty(), "{text}");
}

fn verdict(decided: &Decision, expected: &Value) -> Verdict {
    let tools = names(&expected["tool"]);
    let Decision::Call(calls) = decided else {
        return if tools.is_empty() {
            Verdict::Right
        } else {
            Verdict::Missed("no call".to_owned())
        };
    };
    let found: Vec<_> = calls
        .iter()
        .map(|it| format!("{} {}", it.name, Value::Object(it.arguments.clone())))
        .collect();
    let text = found.join(" + ");
    let barred = names(&expected["wrong_if"]);
    // A form does nothing, unless the expectation excludes forms as well.
    let is_wrong = |tool: &str| {
        barred.contains(&tool)
            || !tools.contains(&tool) && tool != "request_form" && !is_beside(tool, &tools)
    };
    if calls.iter().any(|it| is_wrong(&it.name)) {
        return Verdict::Wrong(text);
    }
    let fits = calls.iter().any(|call| {
        let of = expected["arguments_by_tool"].get(&call.name).unwrap_or(&expected["arguments"]);
        tools.contains(&&*call.name)
            && has_arguments(&call.arguments, of)
            && has_fields(&call.arguments, expected)
    });
    if fits { Verdict::Right } else { Verdict::Missed(text) }
}

/// Whether the tool is the distance table, which may accompany a search (NAV-51).
fn is_beside(tool: &str, tools: &[&str]) -> bool {
    tool == "distance_compare" && tools.contains(&"route_search")
}

fn names(value: &Value) -> Vec<&str> {
    match value {
        Value::String(it) => vec![it],
        it => it.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
    }
}

fn has_arguments(arguments: &Map<String, Value>, expected: &Value) -> bool {
    expected.as_object().into_iter().flatten().all(|(name, allowed)| {
        let found = arguments.get(name);
        match allowed {
            Value::Array(allowed) => {
                allowed.iter().any(|it| found == Some(it) || found.is_none() && it == "absent")
            }
            allowed => found == Some(allowed) || found.is_none() && allowed == "absent",
        }
    })
}

/// Whether each expected type has its own field, and each word is in a label.
fn has_fields(arguments: &Map<String, Value>, expected: &Value) -> bool {
    let fields = arguments.get("form_schema").and_then(|it| it["fields"].as_array());
    let mut fields: Vec<_> = fields.into_iter().flatten().collect();
    let labels: Vec<_> =
        fields.iter().map(|it| format!("{} {}", it["label"], it["name"]).to_lowercase()).collect();
    let has_labels = names(&expected["labels"])
        .iter()
        .all(|word| labels.iter().any(|it| it.contains(&word.to_lowercase())));
    let types = expected["fields"].as_array().into_iter().flatten();
    has_labels
        && types.map(names).all(|allowed| {
            let at = fields
                .iter()
                .position(|it| allowed.contains(&it["type"].as_str().unwrap_or_default()));
            at.map(|at| fields.remove(at)).is_some()
        })
}
