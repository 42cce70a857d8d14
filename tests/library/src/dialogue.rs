//! The dialogue: a person who names the library learns how often they did so.

use serde_json::{Value, json};
use toolkit::dialogue as wit;

use crate::Library;

/// Returns a theme of cards, and names that the host must not pass on.
impl wit::Names for Library {
    fn names() -> Result<Vec<wit::Name>, String> {
        let named = |kind: &str, name: &str| wit::Name {
            kind: kind.to_owned(),
            name: name.to_owned(),
            english: Some("Library shelves".to_owned()),
            within: None,
            also: vec!["棚".repeat(1_000)],
            hints: Vec::new(),
            moods: Vec::new(),
        };
        let long = named("theme", &"長".repeat(1_000));
        Ok(vec![named("theme", "図書館の棚"), named("theme", " "), long, named("ship", "船")])
    }
}

impl wit::Guest for Library {
    fn next(turn: wit::Turn) -> Result<wit::Reply, String> {
        let text: Vec<_> = turn.message.iter().filter_map(text).collect();
        let text = text.join(" ");
        let memory: Value =
            turn.memory.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
        let asked = memory["asked"].as_u64().unwrap_or_default() + u64::from(turn.is_first);
        let reply = |confidence, step| {
            Ok(wit::Reply { confidence, memory: json!({ "asked": asked }).to_string(), step })
        };
        match () {
            () if text.contains("spin") => crate::spin(),
            () if text.contains("broken") => Err("it is closed today".to_owned()),
            () if text.contains("surest") => reply(f32::NAN, answers("always".to_owned())),
            () if !text.contains("library") && !text.contains("図書館") => {
                reply(0.0, answers("no".to_owned()))
            }
            () if turn.is_first => {
                let call = wit::Call {
                    id: format!("lend-{asked}"),
                    tool: "list_movies".to_owned(),
                    arguments: "{}".to_owned(),
                    meta: "{}".to_owned(),
                    reason: "to see what is lent".to_owned(),
                };
                reply(1.0, wit::Step::Calls(vec![call]))
            }
            () => {
                let came = turn.answered.first().is_some_and(|it| it.outcome.is_ok());
                reply(1.0, answers(format!("the library, asked {asked} times, {came}")))
            }
        }
    }
}

fn text(piece: &wit::Piece) -> Option<&str> {
    match piece {
        wit::Piece::Text(text) => Some(text),
        wit::Piece::Picture(_) => None,
    }
}

fn answers(text: String) -> wit::Step {
    wit::Step::Answer(wit::Answer { content: vec![wit::Piece::Text(text)], choice: None })
}

#[cfg(target_arch = "wasm32")]
toolkit::bindings::dialogue::export_dialogue_world!(
    Library with_types_in toolkit::bindings::dialogue
);

#[cfg(target_arch = "wasm32")]
toolkit::bindings::names::export_names_world!(
    Library with_types_in toolkit::bindings::names
);
