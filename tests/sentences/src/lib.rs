//! What the built-in model understands, plans and says.

use serde_json::{Map, Value, json};

use super::Builtin;
use crate::{
    Answered, Conclusion, Decision, Language, Offer, Part, Task, ToolCall, ToolResult, Turn,
};

#[path = "../../../components/cinema/src/sentences/tests.rs"]
mod booking;
#[path = "../../../components/illustrations/src/sentences/tests.rs"]
mod cards;
mod conditions;
#[path = "../../../components/forms/src/sentences/tests.rs"]
mod forms;
mod fresh;
mod house;
#[path = "../../../components/conversations/src/sentences/tests.rs"]
mod meetings;
mod paraphrases;
mod refusals;
mod sentences;
#[path = "../../../components/navigation/src/sentences/tests.rs"]
mod ways;

const CINEMA: &str = include_str!("../../../components/cinema/tools.json");
const FORMS: &str = include_str!("../../../components/forms/tools.json");
const NAVIGATION: &str = include_str!("../../../components/navigation/tools.json");
const ILLUSTRATIONS: &str = include_str!("../../../components/illustrations/tools.json");
const CONVERSATIONS: &str = include_str!("../../../components/conversations/tools.json");

/// All that is on offer: the components' own declarations.
pub(super) fn offers() -> Vec<Offer> {
    let mut offers = Vec::new();
    for tools in [CINEMA, FORMS, NAVIGATION, ILLUSTRATIONS] {
        let tools: Value = serde_json::from_str(tools).unwrap();
        let tools = tools.as_array().or(tools["tools"].as_array()).unwrap();
        offers.extend(tools.iter().map(offer));
    }
    let schema = json!({ "type": "object", "required": ["target_agent_id"] });
    let begin = json!({ "name": "begin_conversation", "inputSchema": schema });
    offers.push(offer(&begin));
    let tools: Value = serde_json::from_str(CONVERSATIONS).unwrap();
    let tools = tools.as_array().or(tools["tools"].as_array()).unwrap();
    let lists = [
        "list_conversations",
        "stop_conversation",
        "pause_conversation",
        "get_conversation",
        "send_chat",
        "write_message",
    ];
    let lists = tools.iter().filter(|it| lists.iter().any(|name| it["name"] == *name));
    offers.extend(lists.map(offer));
    offers
}

pub(super) fn offer(tool: &Value) -> Offer {
    let schema = &tool["inputSchema"];
    let required = schema["required"].as_array().into_iter().flatten();
    Offer {
        name: tool["name"].as_str().unwrap().into(),
        arguments: schema["properties"]
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .cloned()
            .collect(),
        required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
        is_read_only: tool["annotations"]["readOnlyHint"] == true,
    }
}

fn task(message: &str) -> Task {
    Task {
        message: vec![Part::text(message)],
        history: Vec::new(),
        language: Language::of(message),
        // 10:00 on Saturday, 21 November 2026 in Japan.
        now: "2026-11-21T10:00:00+09:00".parse().unwrap(),
    }
}

/// One conversation with the built-in model.
struct Talk {
    model: Builtin,
    offers: Vec<Offer>,
    language: Option<Language>,
    last: Vec<ToolCall>,
}

impl Talk {
    fn new() -> Self {
        Self { model: Builtin::default(), offers: offers(), language: None, last: Vec::new() }
    }

    fn without(tools: &[&str]) -> Self {
        let mut talk = Self::new();
        talk.offers.retain(|it| !tools.contains(&&*it.name));
        talk
    }

    /// Says `message`; the conversation is kept as a transcript in between, as the server keeps it.
    fn say(&mut self, message: &str) -> Decision {
        self.model = Builtin::resume(&serde_json::to_value(&self.model).unwrap());
        let mut task = task(message);
        self.language = self.language.or(Some(task.language));
        task.language = self.language.unwrap();
        self.turn(&task, true, &[])
    }

    /// The last calls come back with `results`, in their order.
    fn back(&mut self, results: &[ToolResult]) -> Decision {
        let mut task = task("…");
        task.language = self.language.unwrap();
        let calls = std::mem::take(&mut self.last).into_iter();
        let answered: Vec<_> = calls
            .zip(results.iter().cloned())
            .map(|(call, result)| Answered { call, result })
            .collect();
        self.turn(&task, false, &answered)
    }

    fn turn(&mut self, task: &Task, is_first: bool, answered: &[Answered]) -> Decision {
        let turn = Turn { task, is_first, offers: &self.offers, answered };
        let decision = self.model.next(turn);
        if let Decision::Call(calls) = &decision {
            self.last.clone_from(calls);
        }
        decision
    }
}

fn output(structured: Value) -> ToolResult {
    ToolResult::Output { structured, meta: json!({}), content: Vec::new() }
}

/// The only call of `decision`.
fn call(decision: &Decision) -> (&str, Value) {
    match decision {
        Decision::Call(calls) if calls.len() == 1 => {
            assert!(!calls[0].reason.is_empty());
            (&calls[0].name, Value::Object(calls[0].arguments.clone()))
        }
        other => panic!("not one call: {other:?}"),
    }
}

fn concluded(decision: &Decision) -> &Conclusion {
    match decision {
        Decision::Conclude(it) => it,
        Decision::Call(it) => panic!("it calls: {it:?}"),
    }
}

/// The names of the bundled catalogue, as its component says them.
pub(super) fn names() -> Vec<toolkit::dialogue::Name> {
    const CARDS: &str = include_str!("../../../components/illustrations/data/cards.json");
    const SAID: &str = include_str!("../../../components/illustrations/data/said.json");
    let (themes, said): (Vec<Value>, Value) =
        (serde_json::from_str(CARDS).unwrap(), serde_json::from_str(SAID).unwrap());
    let list = |it: &Value| -> Vec<String> {
        let all = it.as_array().into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let name = |kind: &str, it: &Value, within: Option<&Value>| {
        let said = &said[format!("{kind}s")][it["name"].as_str().unwrap()];
        toolkit::dialogue::Name {
            kind: kind.to_owned(),
            name: it["name"].as_str().unwrap().to_owned(),
            english: it["name_en"].as_str().map(str::to_owned),
            within: within.and_then(Value::as_str).map(str::to_owned),
            also: list(&said["also"]),
            hints: list(&said["hints"]),
            moods: list(&said["moods"]),
        }
    };
    let mut names = Vec::new();
    for theme in &themes {
        names.push(name("theme", theme, None));
        let cards = theme["cards"].as_array().unwrap().iter();
        names.extend(cards.map(|it| name("card", it, Some(&theme["name"]))));
    }
    names
}
