//! Everything that the official conformance suite wants of a server, each fixture a few lines of a
//! component: tools, questions, prompts, resources and completions under the names that it asks for.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolkit::{
    Content, English, Stop, Text, Tool, User, caller,
    completions::{Completion, Request},
    events, log, progress,
    prompt::{Messages, Prompt},
    question::{AnswerAction, Ask, Question, together},
    refused,
    resources::{Contents, Page, Resource, Resources, Template, fits},
};

pub(crate) use with_resource::PromptWithResource;

toolkit::export_tools!(
    SimpleText,
    ImageContent,
    AudioContent,
    EmbeddedResource,
    MultipleContentTypes,
    ErrorHandling,
    ToolWithProgress,
    ToolWithLogging,
    Sampling,
    Elicitation,
    ElicitationDefaults,
    ElicitationEnums,
    AskElicitation,
    AskSampling,
    AskRoots,
    AskWithState,
    AskSeveral,
    AskInRounds,
    AskWithSealedState,
    AskForWhatTheClientCan,
    MissingCapability,
    StreamingElicitation,
    LoggingTool,
    TriggerToolChange,
    TriggerPromptChange,
    Reconnection,
    JsonSchema202012,
    CustomHeader,
);
toolkit::export_prompts!(
    SimplePrompt,
    PromptWithArguments,
    PromptWithResource,
    PromptWithImage,
    AskingPrompt,
);
toolkit::export_resources!(TestResources);
toolkit::export_completions!(complete);

/// One red pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\xdac\xf8\xcf\xc0\0\0\x03\x01\x01\0\xf7\x03AC\0\0\0\0IEND\xaeB`\x82";
/// One sample of silence.
const WAV: &[u8] =
    b"RIFF&\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0\x80>\0\0\x02\0\x10\0data\x02\0\0\0\0\0";

/// A tool that shows something: its struct, its name, and what it does. Its arguments, where it has
/// any, are texts.
#[macro_export]
macro_rules! tool {
    (
        $(#[$about:meta])*
        $tool:ident($name:literal $(, $(#[$what:meta])* $argument:ident)*)
        |$this:ident, $user:ident| $run:block
    ) => {
        $(#[$about])*
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $tool {
            $($(#[$what])* $argument: String,)*
        }

        impl toolkit::Tool for $tool {
            const NAME: &'static str = $name;
            const TITLE: toolkit::Text = toolkit::Text { ja: $name, en: $name };
            const ENGLISH: toolkit::English = $crate::english();
            type Output = ();

            fn call($this, $user: &toolkit::User) -> Result<(), toolkit::Stop> {
                $run
                Ok(())
            }
        }
    };
}

/// The suite reads English, and so do the doc comments here.
const fn english() -> English {
    English { description: "A fixture of the conformance suite.", arguments: &[] }
}

// Tools by which the suite provokes what a server does by itself: refusals, lines and notices.

tool! {
    /// Needs a model, which the client has not declared.
    MissingCapability("test_missing_capability") |self, user| {
        user.show(user.sample("prompt", "Is anybody there?", 100)?.text());
    }
}

tool! {
    /// Asks for a name; nothing but the question may come.
    StreamingElicitation("test_streaming_elicitation") |self, user| {
        let Name { .. } = user.ask("user_name", "What is your name?")?;
        user.show("Thank you.");
    }
}

tool! {
    /// Writes to the log, which only a client that asked for it may see.
    LoggingTool("test_logging_tool") |self, user| {
        log::info("A line for those who asked for it");
        user.show("A line was written.");
    }
}

tool! {
    /// Says that the list of tools has changed.
    TriggerToolChange("test_trigger_tool_change") |self, user| {
        events::publish("tools");
        user.show("The list of tools has changed.");
    }
}

tool! {
    /// Says that the prompts have changed.
    TriggerPromptChange("test_trigger_prompt_change") |self, user| {
        events::publish("prompts");
        user.show("The prompts have changed.");
    }
}

tool! {
    /// Does next to nothing, while the client loses its stream.
    Reconnection("test_reconnection") |self, user| {
        user.show("Reconnection test completed.");
    }
}

// Tools that ask, with forms given word for word, and show what came back.

tool! {
    /// Has the client's model answer a prompt.
    Sampling("test_sampling",
        /// What the model is asked.
        prompt
    ) |self, user| {
        let sampled = user.sample("prompt", &self.prompt, 100)?;
        user.show(format!("LLM response: {}", sampled.text()));
    }
}

tool! {
    /// Asks for a name and an address.
    Elicitation("test_elicitation",
        /// What the user is asked.
        message
    ) |self, user| {
        let form = json!({
            "type": "object",
            "properties": {
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            },
            "required": ["username", "email"],
        });
        let answer = put(user, &self.message, &form)?;
        user.show(format!("User response: {answer}"));
    }
}

tool! {
    /// Asks with a default for each kind of value.
    ElicitationDefaults("test_elicitation_sep1034_defaults") |self, user| {
        let states = ["active", "inactive", "pending"];
        let form = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "default": "John Doe" },
                "age": { "type": "integer", "default": 30 },
                "score": { "type": "number", "default": 95.5 },
                "status": { "type": "string", "enum": states, "default": "active" },
                "verified": { "type": "boolean", "default": true },
            },
            "required": [],
        });
        let answer = put(user, "Please check these values.", &form)?;
        user.show(format!("Elicitation completed: {answer}"));
    }
}

tool! {
    /// Asks with each kind of choice.
    ElicitationEnums("test_elicitation_sep1330_enums") |self, user| {
        let options = ["option1", "option2", "option3"];
        let titled = [
            json!({ "const": "value1", "title": "First Option" }),
            json!({ "const": "value2", "title": "Second Option" }),
            json!({ "const": "value3", "title": "Third Option" }),
        ];
        let form = json!({
            "type": "object",
            "properties": {
                "untitledSingle": { "type": "string", "enum": options },
                "titledSingle": { "type": "string", "oneOf": titled },
                "legacyEnum": {
                    "type": "string",
                    "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
                "titledMulti": { "type": "array", "items": { "anyOf": titled } },
            },
            "required": [],
        });
        let answer = put(user, "Please choose.", &form)?;
        user.show(format!("Elicitation completed: {answer}"));
    }
}

/// Puts a form as it is; the answer in the words of the suite, be it a refusal.
fn put(user: &User, message: &str, form: &Value) -> Result<String, Stop> {
    let answer = user.put(Question::new("form", message, Ask::Form(form.to_string())))?;
    let action = match answer.action {
        AnswerAction::Accept => "accept",
        AnswerAction::Decline => "decline",
        AnswerAction::Cancel => "cancel",
    };
    Ok(format!("action={action}, content={}", answer.content.as_deref().unwrap_or("{}")))
}

// Resources: a text, a picture, one that is watched, and one for every number.

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";
const TEMPLATE: &str = "test://template/{id}/data";

pub(crate) struct TestResources;

impl Resources for TestResources {
    fn templates() -> Vec<Template> {
        let about = "A document for each number";
        vec![Template::new(TEMPLATE, "template").description(about).mime_type("application/json")]
    }

    fn list(_: Option<&str>) -> Result<Page, Stop> {
        let resource = |uri, name, about, mime_type| {
            Resource::new(uri, name).description(about).mime_type(mime_type)
        };
        Ok(vec![
            resource(TEXT, "static-text", "A text that stays as it is", "text/plain"),
            resource(BINARY, "static-binary", "A picture of one pixel", "image/png"),
            resource(WATCHED, "watched-resource", "A text to subscribe to", "text/plain"),
        ]
        .into())
    }

    fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
        let contents = match uri {
            TEXT => Contents::text(uri, "This is the content of the static text resource."),
            BINARY => Contents::blob(uri, "image/png", PNG),
            WATCHED => Contents::text(uri, "This is watched."),
            _ => {
                let Some([id]) = fits(TEMPLATE, uri) else { return Ok(None) };
                let text = format!("Data for ID: {id}");
                Contents::json(uri, &json!({ "id": id, "templateTest": true, "data": text }))
            }
        };
        Ok(Some(vec![contents]))
    }
}

// Tools that need more rounds than one: what they ask is in the result, and the call is repeated.

/// A form with a name.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Name {
    name: String,
}

/// A form with a colour.
#[derive(Deserialize, JsonSchema)]
struct Colour {
    color: String,
}

/// A form with a yes or a no.
#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    ok: bool,
}

/// Asks for a name. The suite sends the answer along at once, without the state that comes with the
/// question.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskElicitation {}

impl Tool for AskElicitation {
    const NAME: &'static str = "test_input_required_result_elicitation";
    const TITLE: Text = Text { ja: "名前を尋ねる", en: "Ask for a name" };
    const ENGLISH: English = english();
    const TAKES_UNASKED_ANSWERS: bool = true;
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        let Name { name } = user.ask("user_name", "What is your name?")?;
        user.show(format!("Hello, {name}!"));
        Ok(())
    }
}

tool! {
    /// Asks the client's model.
    AskSampling("test_input_required_result_sampling") |self, user| {
        let sampled = user.sample("capital_question", "What is the capital of France?", 100)?;
        user.show(format!("The model says: {}", sampled.text()));
    }
}

tool! {
    /// Asks for the client's folders.
    AskRoots("test_input_required_result_list_roots") |self, user| {
        let roots = user.roots("client_roots")?;
        let roots = roots.iter().map(|it| it.uri.as_str()).collect::<Vec<_>>();
        user.show(format!("The roots are: {}", roots.join(", ")));
    }
}

tool! {
    /// Asks, and knows afterwards what it remembered.
    AskWithState("test_input_required_result_request_state") |self, user| {
        user.remember("asked");
        let Confirmation { ok } = user.ask("confirm", "Please confirm")?;
        let state = user.remembered::<String>();
        if state.as_deref() != Some("asked") {
            return Err(refused("state_lost", 500, "What was remembered is gone."));
        }
        user.show(format!("state-ok, confirmed: {ok}"));
    }
}

tool! {
    /// Asks a person, a model and the client at once.
    AskSeveral("test_input_required_result_multiple_inputs") |self, user| {
        let (Name { name }, greeting, roots) = together((
            user.ask("user_name", "What is your name?"),
            user.sample("greeting", "Generate a greeting", 50),
            user.roots("client_roots"),
        ))?;
        user.show(format!("{} {name}, of {} roots", greeting.text(), roots.len()));
    }
}

tool! {
    /// Asks twice, one after the other.
    AskInRounds("test_input_required_result_multi_round") |self, user| {
        user.remember("round 1");
        let Name { name } = user.ask("step1", "Step 1: What is your name?")?;
        user.remember("round 2");
        let Colour { color } = user.ask("step2", "Step 2: What is your favorite color?")?;
        user.show(format!("{name} likes {color}."));
    }
}

tool! {
    /// Asks with a state that no one else can change: the host seals it.
    AskWithSealedState("test_input_required_result_tampered_state") |self, user| {
        let Confirmation { ok } = user.ask("confirm", "Please confirm")?;
        user.show(format!("confirmed: {ok}"));
    }
}

tool! {
    /// Asks what this client can answer.
    AskForWhatTheClientCan("test_input_required_result_capabilities") |self, user| {
        let can = caller::client_capabilities();
        if can.get("sampling").is_some() {
            let sampled = user.sample("greeting", "Generate a greeting", 50)?;
            user.show(sampled.text());
        }
        if can.get("elicitation").is_some() {
            let Name { name } = user.ask("user_name", "What is your name?")?;
            user.show(format!("Hello, {name}!"));
        }
        if can.get("roots").is_some() {
            user.show(format!("{} roots", user.roots("client_roots")?.len()));
        }
    }
}

// Tools whose schemas must reach the client word for word.

/// A tool with what only JSON Schema 2020-12 can say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonSchema202012 {
    name: Option<String>,
    address: Option<Value>,
    #[serde(rename = "contactMethod")]
    contact_method: Option<String>,
    phone: Option<String>,
    email: Option<String>,
}

impl Tool for JsonSchema202012 {
    const NAME: &'static str = "json_schema_2020_12_tool";
    const TITLE: Text = Text { ja: "JSON Schema 2020-12", en: "JSON Schema 2020-12" };
    const ENGLISH: English = english();
    const INPUT_SCHEMA: Option<&'static str> = Some(include_str!("schema_2020_12.json"));
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        let reached = self.phone.or(self.email);
        let by = self.contact_method.unwrap_or_default();
        user.show(format!("{:?} at {:?} by {by}: {reached:?}", self.name, self.address));
        Ok(())
    }
}

/// A tool with an argument that clients tell in a header too.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CustomHeader {
    /// Goes out as `Mcp-Param-Region` as well.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

impl Tool for CustomHeader {
    const NAME: &'static str = "test_custom_header";
    const TITLE: Text = Text { ja: "見出し", en: "Header" };
    const ENGLISH: English = english();
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        user.show(format!("The region is {}.", self.region));
        Ok(())
    }
}

// Tools that put out each kind of content, and tell how far they are.

tool! {
    /// Shows a text.
    SimpleText("test_simple_text") |self, user| {
        user.show("This is a simple text response for testing.");
    }
}

tool! {
    /// Shows an image.
    ImageContent("test_image_content") |self, user| {
        user.show_content(Content::image(PNG, "image/png"));
    }
}

tool! {
    /// Shows a sound.
    AudioContent("test_audio_content") |self, user| {
        user.show_content(Content::audio(WAV, "audio/wav"));
    }
}

tool! {
    /// Shows a resource.
    EmbeddedResource("test_embedded_resource") |self, user| {
        let text = "This is an embedded resource content.";
        user.show_content(Content::embedded_text("test://embedded-resource", "text/plain", text));
    }
}

tool! {
    /// Shows a text, an image and a resource.
    MultipleContentTypes("test_multiple_content_types") |self, user| {
        user.show("Multiple content types test:");
        user.show_content(Content::image(PNG, "image/png"));
        let json = r#"{"test":"data","value":123}"#;
        let uri = "test://mixed-content-resource";
        user.show_content(Content::embedded_text(uri, "application/json", json));
    }
}

tool! {
    /// Always refuses.
    ErrorHandling("test_error_handling") |self, _user| {
        let message = "This tool intentionally returns an error for testing";
        Err(refused("intentional", 400, message))?;
    }
}

tool! {
    /// Tells three times how far it is.
    ToolWithProgress("test_tool_with_progress") |self, user| {
        for done in [0, 50, 100] {
            progress::report(done, Some(100.0), None);
        }
        user.show("All of it is done.");
    }
}

tool! {
    /// Writes three lines to the log.
    ToolWithLogging("test_tool_with_logging") |self, user| {
        log::info("Tool execution started");
        log::info("Tool processing data");
        log::info("Tool execution completed");
        user.show("Three lines were written.");
    }
}

// Prompts, and what could be filled into their arguments.

/// A prompt of the suite: its struct with its arguments, its name, and its messages.
macro_rules! prompt {
    (
        $(#[$about:meta])*
        $prompt:ident($name:literal $(, $(#[$what:meta])* $argument:ident)*)
        |$this:ident, $user:ident| $run:block
    ) => {
        $(#[$about])*
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $prompt {
            $($(#[$what])* $argument: String,)*
        }

        impl Prompt for $prompt {
            const NAME: &'static str = $name;
            const TITLE: Text = Text { ja: $name, en: $name };
            const ENGLISH: English = english();

            fn get($this, $user: &User) -> Result<Messages, Stop> {
                Ok($run)
            }
        }
    };
}

prompt! {
    /// A text.
    SimplePrompt("test_simple_prompt") |self, _user| {
        Messages::new().user("This is a simple prompt for testing.")
    }
}

prompt! {
    /// A text with two arguments.
    PromptWithArguments("test_prompt_with_arguments",
        /// First test argument
        arg1,
        /// Second test argument
        arg2
    ) |self, _user| {
        let Self { arg1, arg2 } = self;
        Messages::new().user(format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))
    }
}

#[allow(non_snake_case, reason = "the suite names the argument so")]
mod with_resource {
    use super::*;

    prompt! {
        /// A resource and a text.
        PromptWithResource("test_prompt_with_embedded_resource",
            /// URI of the resource to embed
            resourceUri
        ) |self, _user| {
            let text = "Embedded resource content for testing.";
            Messages::new()
                .user(Content::embedded_text(&self.resourceUri, "text/plain", text))
                .user("Please process the embedded resource above.")
        }
    }
}

prompt! {
    /// An image and a text.
    PromptWithImage("test_prompt_with_image") |self, _user| {
        Messages::new()
            .user(Content::image(PNG, "image/png"))
            .user("Please analyze the image above.")
    }
}

/// What the prompt asks for.
#[derive(Deserialize, JsonSchema)]
struct Context {
    context: String,
}

prompt! {
    /// Asks before it has a message.
    AskingPrompt("test_input_required_result_prompt") |self, user| {
        let asked = "What context should the prompt use?";
        let Context { context } = user.ask("user_context", asked)?;
        Messages::new().user(format!("Use this context: {context}"))
    }
}

/// What could be filled in as the arguments of `test_prompt_with_arguments`.
pub(crate) fn complete(request: &Request) -> Result<Completion, Stop> {
    Ok(match request.prompt() {
        Some(PromptWithArguments::NAME) => request.among(["paris", "park", "party"]),
        _ => Completion::none(),
    })
}
