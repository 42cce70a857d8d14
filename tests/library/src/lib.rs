//! A component with resources, prompts and completions, written against the bindings without the toolkit.

use serde_json::{Value, json};
use toolkit::{
    bindings::{
        completions::exports::madoguchi::tool::completions as completion_wit,
        exports::madoguchi::tool::tools as wit,
        madoguchi::tool::{
            caller, events,
            log::{self, Level},
            progress,
            types::{Ask, Content, Problem, Question, ResourceBody, TextContent},
        },
        prompts::exports::madoguchi::tool::prompts as prompt_wit,
        resources::{
            exports::madoguchi::tool::resources as resource_wit,
            madoguchi::tool::stops::{InputRequired, Refusal, Stop},
        },
    },
    dialogue as dialogue_wit,
};

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

// Completions: more topics than the limit, and the numbers of books.

impl completion_wit::Guest for Library {
    fn complete(request: completion_wit::Request) -> Result<completion_wit::Completion, Stop> {
        let values: Vec<String> = match (&request.reference, &*request.argument) {
            (completion_wit::Reference::Prompt(name), "topic") if name == "recommend" => {
                let topics = (0..150).map(|it| format!("topic {it}"));
                topics.filter(|it| it.starts_with(&request.value)).collect()
            }
            (completion_wit::Reference::Prompt(name), "mood") if name == "recommend" => {
                // Uses the arguments filled in already.
                request.arguments.iter().map(|it| format!("{} mood", it.1)).collect()
            }
            (completion_wit::Reference::Template(_), "number") => {
                vec!["1".to_owned(), "2".to_owned()]
            }
            _ => Vec::new(),
        };
        Ok(completion_wit::Completion { total: Some(values.len() as u32), has_more: false, values })
    }
}

#[cfg(target_arch = "wasm32")]
toolkit::bindings::completions::export_completions_world!(
    Library with_types_in toolkit::bindings::completions
);

// The dialogue: a person who names the library learns how often they did so.

/// Returns a theme of cards, and names that the host must not pass on.
impl dialogue_wit::Names for Library {
    fn names() -> Result<Vec<dialogue_wit::Name>, String> {
        let named = |kind: &str, name: &str| dialogue_wit::Name {
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

impl dialogue_wit::Guest for Library {
    fn next(turn: dialogue_wit::Turn) -> Result<dialogue_wit::Reply, String> {
        let text: Vec<_> = turn.message.iter().filter_map(dialogue_text).collect();
        let text = text.join(" ");
        let memory: Value =
            turn.memory.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
        let asked = memory["asked"].as_u64().unwrap_or_default() + u64::from(turn.is_first);
        let reply = |confidence, step| {
            Ok(dialogue_wit::Reply {
                confidence,
                memory: json!({ "asked": asked }).to_string(),
                step,
            })
        };
        match () {
            () if text.contains("spin") => spin(),
            () if text.contains("broken") => Err("it is closed today".to_owned()),
            () if text.contains("surest") => reply(f32::NAN, answers("always".to_owned())),
            () if !text.contains("library") && !text.contains("図書館") => {
                reply(0.0, answers("no".to_owned()))
            }
            () if turn.is_first => {
                let call = dialogue_wit::Call {
                    id: format!("lend-{asked}"),
                    tool: "list_movies".to_owned(),
                    arguments: "{}".to_owned(),
                    meta: "{}".to_owned(),
                    reason: "to see what is lent".to_owned(),
                };
                reply(1.0, dialogue_wit::Step::Calls(vec![call]))
            }
            () => {
                let came = turn.answered.first().is_some_and(|it| it.outcome.is_ok());
                reply(1.0, answers(format!("the library, asked {asked} times, {came}")))
            }
        }
    }
}

fn dialogue_text(piece: &dialogue_wit::Piece) -> Option<&str> {
    match piece {
        dialogue_wit::Piece::Text(text) => Some(text),
        dialogue_wit::Piece::Picture(_) => None,
    }
}

fn answers(text: String) -> dialogue_wit::Step {
    dialogue_wit::Step::Answer(dialogue_wit::Answer {
        content: vec![dialogue_wit::Piece::Text(text)],
        choice: None,
    })
}

#[cfg(target_arch = "wasm32")]
toolkit::bindings::dialogue::export_dialogue_world!(
    Library with_types_in toolkit::bindings::dialogue
);

#[cfg(target_arch = "wasm32")]
toolkit::bindings::names::export_names_world!(
    Library with_types_in toolkit::bindings::names
);

// Prompts: one with arguments, one that asks first, one that never returns.

/// The prompt's text about the library.
const INSTRUCTIONS: &str = "Books are found by their subject.";

impl prompt_wit::Guest for Library {
    fn definitions() -> Vec<prompt_wit::Definition> {
        let prompt = |name: &str, arguments| prompt_wit::Definition {
            name: if is_other("prompts") { format!("other_{name}") } else { name.to_owned() },
            title: Some("A title".to_owned()),
            description: Some("Begins a conversation.".to_owned()),
            arguments,
            meta: None,
        };
        let argument = |name: &str, required| prompt_wit::Argument {
            name: name.to_owned(),
            title: None,
            description: None,
            required,
        };
        let all = prompt_wit::Definition {
            meta: Some(format!(r#"{{"madoguchi/instructions":"{INSTRUCTIONS}"}}"#)),
            ..prompt("by_taste", Vec::new())
        };
        vec![
            prompt("recommend", vec![argument("topic", true), argument("mood", false)]),
            all,
            prompt("spin_prompt", Vec::new()),
        ]
    }

    fn get(invocation: prompt_wit::Invocation) -> Result<prompt_wit::Output, Stop> {
        let words = match invocation.name.as_str() {
            "recommend" => {
                let of =
                    |name| invocation.arguments.iter().find(|it| it.0 == name).map(|it| &*it.1);
                let mood = of("mood").unwrap_or("any");
                format!("A book on {} for {mood} mood, please.", of("topic").unwrap_or_default())
            }
            "by_taste" => match tasted(&invocation.answers) {
                Some(taste) => format!("A book on {taste}, please."),
                None => {
                    let (questions, state) = (vec![taste()], None);
                    return Err(Stop::InputRequired(InputRequired { questions, state }));
                }
            },
            "spin_prompt" => spin(),
            _ => return Err(Stop::NotFound),
        };
        let message = |role, content: &str| prompt_wit::Message { role, content: text(content) };
        Ok(prompt_wit::Output {
            description: Some("About books".to_owned()),
            messages: vec![
                message(prompt_wit::Role::User, &words),
                message(prompt_wit::Role::Assistant, "Gladly."),
            ],
            meta: None,
        })
    }
}

#[cfg(target_arch = "wasm32")]
toolkit::bindings::prompts::export_prompts_world!(
    Library with_types_in toolkit::bindings::prompts
);

// Resources: two pages of books, and some that ask, spin, refuse, or are missing.

impl resource_wit::Guest for Library {
    fn templates() -> Vec<resource_wit::Template> {
        let template = |text: &str, name: &str| resource_wit::Template {
            uri_template: match is_other("templates") {
                true => format!("other-{text}"),
                false => text.to_owned(),
            },
            name: name.to_owned(),
            title: Some("Title".to_owned()),
            description: None,
            mime_type: Some("text/plain".to_owned()),
            annotations: Some(json!({ "audience": ["user"] }).to_string()),
            meta: None,
        };
        vec![
            template("library://books/{number}", "books"),
            template("library://search{?word}", "search"),
        ]
    }

    fn list(cursor: Option<String>) -> Result<resource_wit::Page, Stop> {
        match cursor.as_deref() {
            None => Ok(resource_wit::Page {
                resources: match names_apps() {
                    true => vec![
                        definition("library://cover", Some(3)),
                        definition("ui://library/plain", None),
                        resource_wit::Definition {
                            mime_type: Some("text/html;profile=mcp-app".to_owned()),
                            ..definition("ui://library/card", None)
                        },
                    ],
                    false => vec![
                        definition("library://cover", Some(3)),
                        definition("library://spin", None),
                    ],
                },
                next_cursor: Some("2".to_owned()),
            }),
            // The last one matches no template, so clients cannot read it.
            Some("2") => Ok(resource_wit::Page {
                resources: vec![
                    definition("library://books/3", None),
                    definition("library://lost/1", None),
                ],
                next_cursor: None,
            }),
            Some(_) => Err(Stop::InvalidArguments(vec![problem("/cursor", "must be one of mine")])),
        }
    }

    fn read(request: resource_wit::Request) -> Result<Vec<resource_wit::Contents>, Stop> {
        let uri = request.uri.as_str();
        let text = |text: &str| Ok(vec![contents(uri, ResourceBody::Text(text.to_owned()))]);
        match uri {
            "library://cover" => Ok(vec![contents(uri, ResourceBody::Blob(vec![1, 2, 3]))]),
            "library://spin" => spin(),
            "library://books/taste" => match tasted(&request.answers) {
                Some(taste) => text(&format!("You like {taste}.")),
                None => {
                    let (questions, state) = (vec![taste()], None);
                    Err(Stop::InputRequired(InputRequired { questions, state }))
                }
            },
            "library://books/banned" => Err(Stop::Refused(Refusal {
                code: "banned".to_owned(),
                message: "This book is not lent.".to_owned(),
                status: 403,
                details: None,
            })),
            "library://books/lie" => {
                Ok(vec![contents("no uri", ResourceBody::Text(String::new()))])
            }
            "library://books/0" => Err(Stop::NotFound),
            _ => text(&format!("The text of {uri}.")),
        }
    }
}

fn definition(uri: &str, size: Option<u64>) -> resource_wit::Definition {
    resource_wit::Definition {
        uri: uri.to_owned(),
        name: "a thing".to_owned(),
        title: None,
        description: Some("To be read.".to_owned()),
        mime_type: None,
        size,
        annotations: Some(json!({ "priority": 0.5 }).to_string()),
        meta: Some(json!({ "library/shelf": 1 }).to_string()),
    }
}

fn contents(uri: &str, body: ResourceBody) -> resource_wit::Contents {
    let mime_type = Some("text/plain".to_owned());
    resource_wit::Contents { uri: uri.to_owned(), mime_type, body, meta: None }
}

#[cfg(target_arch = "wasm32")]
toolkit::bindings::resources::export_resources_world!(
    Library with_types_in toolkit::bindings::resources
);
