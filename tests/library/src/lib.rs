//! A component with resources, prompts and completions, written against the bindings without the toolkit.

use serde_json::{Value, json};
use toolkit::bindings::{
    exports::madoguchi::tool::tools as wit,
    madoguchi::tool::{
        caller, events,
        log::{self, Level},
        progress,
        types::{Ask, Content, Problem, Question, TextContent},
    },
};

mod completions;
mod dialogue;
mod prompts;
mod resources;

/// The marker and the letter that tests change to get other components, which differ by their tools (`t`), also by
/// their prompts (`p`), also by their templates (`r`), or whose tools name apps (`a`).
static MARKER: [u8; 15] = *b"library shelf:-";

/// Whether its tools name apps: its own, none, and another's.
pub(crate) fn names_apps() -> bool {
    std::hint::black_box(&MARKER)[14] == b'a'
}

/// Whether this kind of thing has other names in this component.
pub(crate) fn is_other(what: &str) -> bool {
    let letter = std::hint::black_box(&MARKER)[14];
    match what {
        "tools" => b"tpr".contains(&letter),
        "prompts" => b"pr".contains(&letter),
        _ => letter == b'r',
    }
}

/// The component of this package.
pub struct Library;

impl wit::Guest for Library {
    fn definitions() -> Vec<wit::Definition> {
        let app = |name: &str, meta: Value| wit::Definition {
            meta: Some(meta.to_string()),
            ..tool(name, r#"{"type":"object"}"#)
        };
        let named = |uri: &str| json!({ "ui": { "resourceUri": uri }, "shop/x": 1 });
        if names_apps() {
            return vec![
                app("own", named("ui://library/card")),
                app("older", json!({ "ui/resourceUri": "ui://library/card" })),
                app("none", named("ui://library/none")),
                app("others", named("ui://cinema/seats")),
                app("no_app", named("library://cover")),
                app("plain_type", named("ui://library/plain")),
                app("hidden", json!({ "ui": { "resourceUri": "ui://x", "visibility": ["app"] } })),
            ];
        }
        vec![
            tool("ring", r#"{"type":"object","properties":{"uri":{"type":"string"}}}"#),
            tool("chat", r#"{"type":"object"}"#),
            tool("spin", r#"{"type":"object"}"#),
            tool("doze", r#"{"type":"object"}"#),
            tool("sample", r#"{"type":"object"}"#),
            tool("capabilities", r#"{"type":"object"}"#),
            tool("by_header", BY_HEADER),
            tool("odd_schema", ODD_SCHEMA),
        ]
    }

    fn call(invocation: wit::Invocation) -> Result<wit::Output, wit::Stop> {
        let arguments: Value = serde_json::from_str(&invocation.arguments).unwrap_or_default();
        match invocation.name.as_str() {
            "ring" => {
                let many = arguments["uris"].as_array().into_iter().flatten();
                for uri in many.chain([&arguments["uri"]]).filter_map(Value::as_str) {
                    events::publish(uri);
                }
                Ok(output(json!({})))
            }
            "chat" => {
                chat();
                Ok(output(json!({})))
            }
            "spin" => spin(),
            "doze" => Err(wit::Stop::Wait(wit::Wait { events: Vec::new(), until: never() })),
            "sample" if invocation.answers.is_empty() => {
                Err(wit::Stop::InputRequired(wit::InputRequired {
                    questions: vec![question(Ask::Sampling(SAMPLING.to_owned()))],
                    state: None,
                }))
            }
            "capabilities" => {
                Ok(output(serde_json::from_str(&caller::client_capabilities()).unwrap_or_default()))
            }
            _ => Ok(output(arguments)),
        }
    }
}

/// A schema with arguments that are also sent in headers.
const BY_HEADER: &str = r#"{"type":"object","properties":{"hall":{"type":"string","x-mcp-header":"Hall"}},"required":["hall"]}"#;
/// A schema with parts that programs might normalize, in an unusual order.
const ODD_SCHEMA: &str = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"z":{"type":"string"},"a":{"type":"integer"}},"properties":{"z":{"$ref":"#/$defs/z"},"a":{"oneOf":[{"$ref":"#/$defs/a"},{"type":"null"}]},"m":{"anyOf":[{"const":1},{"enum":[2,3]}]}},"if":{"required":["z"]},"then":{"required":["a"]},"additionalProperties":false,"x-extra":{"b":1,"a":2}}"##;
/// A sampling request.
const SAMPLING: &str =
    r#"{"messages":[{"role":"user","content":{"type":"text","text":"Well?"}}],"maxTokens":8}"#;

fn tool(name: &str, input_schema: &str) -> wit::Definition {
    wit::Definition {
        name: if is_other("tools") { format!("other_{name}") } else { name.to_owned() },
        title: None,
        description: format!("Does what {name} says."),
        input_schema: input_schema.to_owned(),
        output_schema: None,
        annotations: wit::Annotations::empty(),
        view: None,
        meta: None,
    }
}

fn output(structured: Value) -> wit::Output {
    wit::Output { structured: Some(structured.to_string()), content: Vec::new(), meta: None }
}

/// Logs a line at each level and reports progress.
fn chat() {
    log::write(Level::Debug, "a detail", None);
    log::write(Level::Info, "a fact", Some(r#"{"books":3}"#));
    log::write(Level::Warning, "a worry", None);
    log::write(Level::Error, "a fault", None);
    progress::report(1.0, Some(1.0), Some("said"));
}

pub(crate) fn spin() -> ! {
    loop {
        std::hint::black_box(());
    }
}

fn never() -> toolkit::bindings::madoguchi::tool::types::Datetime {
    toolkit::bindings::madoguchi::tool::types::Datetime { seconds: u64::MAX, nanoseconds: 0 }
}

pub(crate) fn question(ask: Ask) -> Question {
    Question { key: "taste".to_owned(), message: "What do you like?".to_owned(), ask, meta: None }
}

/// A form with one field.
pub(crate) fn taste() -> Question {
    let form = json!({
        "type": "object",
        "properties": { "taste": { "type": "string" } },
        "required": ["taste"],
    });
    question(Ask::Form(form.to_string()))
}

/// Returns the user's answer, if there is one.
pub(crate) fn tasted(
    answers: &[toolkit::bindings::madoguchi::tool::types::Answer],
) -> Option<String> {
    let content = answers.iter().find(|it| it.key == "taste")?.content.as_deref()?;
    let content: Value = serde_json::from_str(content).ok()?;
    content["taste"].as_str().map(str::to_owned)
}

pub(crate) fn text(text: &str) -> Content {
    Content::Text(TextContent { text: text.to_owned(), annotations: None, meta: None })
}

pub(crate) fn problem(pointer: &str, message: &str) -> Problem {
    Problem { pointer: pointer.to_owned(), message: message.to_owned() }
}

#[cfg(target_arch = "wasm32")]
toolkit::bindings::export_tools_world!(Library with_types_in toolkit::bindings);
