//! Test conversations with one family.

use serde_json::{Map, Value, json};
use toolkit::{
    Datetime,
    dialogue::{self as wit, Name, Reply, Turn},
};

use crate::{
    context::FORM_SCHEMA,
    contract,
    language::Language,
    message::Part,
    turn::{Answered, Choice, Conclusion, Decision, Failure, ToolCall, ToolResult},
};

/// 10:00 on Saturday, 21 November 2026 in Japan.
pub const NOW: u64 = 1_795_222_800;
/// Name of a tool that asks by a form.
pub const FORM: &str = "ask_by_form";

/// Entry point of a family.
pub type Next = fn(Turn) -> Result<Reply, String>;

/// Earlier messages, oldest first, and whether the person wrote each.
pub type Before<'a> = &'a [(&'a str, bool)];

/// A conversation of a person with one family.
#[derive(Debug)]
pub struct Talk {
    /// Tools on offer.
    pub offers: Vec<wit::Tool>,
    /// Names declared by the components.
    pub names: Vec<Name>,
    /// Language of the answers; by default that of the first sentence.
    pub language: Option<Language>,
    /// Context of the turns: an object with a member per kind.
    pub context: Option<Value>,
    /// Calls of the turn before.
    pub last: Vec<ToolCall>,
    /// Confidence in the last reply.
    pub confidence: f32,
    next: Next,
    memory: Option<String>,
}

impl Talk {
    /// Creates one with the tools of a component's `tools.json` and a form tool on offer.
    pub fn new(next: Next, tools: &str) -> Self {
        let mut offers = offers(tools);
        let required = vec![FORM_SCHEMA.to_owned()];
        let arguments = required.clone();
        let form = wit::Tool { name: FORM.to_owned(), arguments, required, is_read_only: false };
        let has_form = offers.iter().any(|it| it.required.iter().any(|it| it == FORM_SCHEMA));
        offers.extend((!has_form).then_some(form));
        Self {
            offers,
            names: Vec::new(),
            language: None,
            context: None,
            last: Vec::new(),
            confidence: 0.0,
            next,
            memory: None,
        }
    }

    /// Removes these tools.
    pub fn without(mut self, tools: &[&str]) -> Self {
        self.offers.retain(|it| !tools.contains(&it.name.as_str()));
        self
    }

    /// Sends `message`.
    pub fn say(&mut self, message: &str) -> Decision {
        self.say_after(&[], message)
    }

    /// Sends `message` after earlier messages.
    pub fn say_after(&mut self, before: Before<'_>, message: &str) -> Decision {
        self.language = self.language.or(Some(Language::detect(message)));
        self.turn(before, message, true, &[])
    }

    /// Sends `message` instead of an answer: a form stays open, other calls are denied.
    pub fn say_instead(&mut self, message: &str) -> Decision {
        let answered: Vec<_> = std::mem::take(&mut self.last)
            .into_iter()
            .map(|call| {
                let result = match call.arguments.contains_key(FORM_SCHEMA) {
                    true => output(json!({ "status": "input_required" })),
                    false => ToolResult::Failed(Failure::new("not_allowed", 403, "Not allowed.")),
                };
                Answered { call, result }
            })
            .collect();
        self.turn(&[], message, true, &answered)
    }

    /// Returns `results` to the last calls, in order.
    pub fn back(&mut self, results: &[ToolResult]) -> Decision {
        let calls = std::mem::take(&mut self.last).into_iter();
        let both = calls.zip(results.iter().cloned());
        let answered: Vec<_> = both.map(|(call, result)| Answered { call, result }).collect();
        self.turn(&[], "…", false, &answered)
    }

    /// Sends `message`, and `results` to its calls one after another.
    pub fn after(mut self, message: &str, results: &[ToolResult]) -> Self {
        self.say(message);
        for result in results {
            self.back(std::slice::from_ref(result));
        }
        self
    }

    fn turn(
        &mut self,
        before: Before<'_>,
        message: &str,
        is_first: bool,
        answered: &[Answered],
    ) -> Decision {
        let text = |it: &str| vec![wit::Piece::Text(it.to_owned())];
        let remark = |it: &(&str, bool)| wit::Remark { is_user: it.1, content: text(it.0) };
        let reply = (self.next)(Turn {
            memory: self.memory.clone(),
            context: self.context.as_ref().map(Value::to_string),
            message: text(message),
            is_first,
            history: before.iter().map(remark).collect(),
            language: tongue(self.language),
            now: Datetime { seconds: NOW, nanoseconds: 0 },
            tools: self.offers.clone(),
            names: self.names.clone(),
            answered: answered.iter().map(answered_to_wit).collect(),
        });
        let reply = reply.expect("the turn can be read");
        self.memory = Some(reply.memory);
        self.confidence = reply.confidence;
        let decision = decided(reply.step);
        if let Decision::Call(calls) = &decision {
            self.last.clone_from(calls);
        }
        decision
    }
}

/// Converts a language for the contract.
pub fn tongue(language: Option<Language>) -> wit::Language {
    language.unwrap_or(Language::Japanese).pick(wit::Language::Ja, wit::Language::En)
}

/// Parses the tools of a `tools.json`.
pub fn offers(tools: &str) -> Vec<wit::Tool> {
    let tools: Value = serde_json::from_str(tools).expect("it is JSON");
    let all = tools.as_array().or(tools["tools"].as_array());
    all.into_iter().flatten().map(offer).collect()
}

fn offer(tool: &Value) -> wit::Tool {
    let schema = &tool["inputSchema"];
    let required = schema["required"].as_array().into_iter().flatten();
    let arguments = schema["properties"].as_object().into_iter().flat_map(Map::keys);
    wit::Tool {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        arguments: arguments.cloned().collect(),
        required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
        is_read_only: tool["annotations"]["readOnlyHint"] == true,
    }
}

/// Converts a finished call for the contract.
pub fn answered_to_wit(answered: &Answered) -> wit::Answered {
    let outcome = match answered.result.clone() {
        ToolResult::Output { structured, meta, content } => Ok(wit::Output {
            structured: structured.to_string(),
            meta: meta.to_string(),
            content: content.into_iter().map(Into::into).collect(),
        }),
        ToolResult::Failed(Failure { error, message, status, data }) => Err(wit::Failure {
            code: error,
            message,
            status,
            details: Value::Object(data).to_string(),
        }),
    };
    wit::Answered { call: contract::call(answered.call.clone()), outcome }
}

/// Converts a step of the contract.
pub fn decided(step: wit::Step) -> Decision {
    let object = |it: &str| serde_json::from_str(it).expect("it is an object");
    let call = |call: wit::Call| ToolCall {
        id: call.id,
        name: call.tool,
        arguments: object(&call.arguments),
        meta: object(&call.meta),
        reason: call.reason,
    };
    match step {
        wit::Step::Calls(calls) => Decision::Call(calls.into_iter().map(call).collect()),
        wit::Step::Answer(answer) => Decision::Conclude(Conclusion {
            parts: answer.content.into_iter().map(Part::from).collect(),
            choice: answer.choice.map(|choice| Choice {
                call: choice.call,
                index: choice.index.and_then(|it| usize::try_from(it).ok()),
                summary: choice.summary,
            }),
        }),
    }
}

/// Creates an output.
pub fn output(structured: Value) -> ToolResult {
    ToolResult::Output { structured, meta: json!({}), content: Vec::new() }
}

/// Returns the only call of `decision`.
///
/// # Panics
/// If there is not exactly one.
#[track_caller]
pub fn call(decision: &Decision) -> (&str, Value) {
    match decision {
        Decision::Call(calls) if calls.len() == 1 => {
            assert!(!calls[0].reason.is_empty());
            (&calls[0].name, Value::Object(calls[0].arguments.clone()))
        }
        other => panic!("not one call: {other:?}"),
    }
}

/// Returns the answer of `decision`.
///
/// # Panics
/// If it makes calls.
#[track_caller]
pub fn concluded(decision: &Decision) -> &Conclusion {
    match decision {
        Decision::Conclude(it) => it,
        Decision::Call(it) => panic!("it calls: {it:?}"),
    }
}
