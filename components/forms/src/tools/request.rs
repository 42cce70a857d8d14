//! `request_form`: a form goes out to whoever is to fill it in (FORM-1 to FORM-8).

mod address;

use output::form::{Form, FormRequest, Status, Values};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolkit::{Content, English, Hints, Stop, Text, Tool, User, caller};

use crate::{
    delivery::{Way, way},
    elicitation::{self, Answered},
    lookup, refusals,
    store::{self, Filled},
    words,
};

/// The whole text of the specification, and what a model needs to write a definition.
const DESCRIPTION: &str = include_str!("request/description.ja.txt").trim_ascii_end();
/// The same in English.
const IN_ENGLISH: &str = include_str!("request/description.en.txt").trim_ascii_end();

/// Asks a person to fill in a form.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = DESCRIPTION)]
pub struct RequestForm {
    /// フォーム定義（上記スキーマ参照）
    #[serde(default)]
    form_schema: Option<Value>,
}

impl Tool for RequestForm {
    const NAME: &str = "request_form";
    const TITLE: Text = Text { ja: "フォーム入力要求", en: "Request a form" };
    const ENGLISH: English = English {
        description: IN_ENGLISH,
        arguments: &[
            ("form_schema", "The form's definition, as described above"),
            ("form_schema.title", "The form's title"),
            ("form_schema.description", "What the form is for (optional)"),
            ("form_schema.submitLabel", "On the button that sends it (送信 if absent)"),
            ("form_schema.cancelLabel", "On the button that leaves it (キャンセル if absent)"),
            ("form_schema.fields", "The fields, in the order in which people see them"),
        ],
    };
    const HINTS: Hints = Hints::empty();
    const VIEW: Option<&str> = Some("form_request");
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("request/input.json"));
    type Output = FormRequest;

    fn call(self, user: &User) -> Result<FormRequest, Stop> {
        let definition = definition(self.form_schema);
        let form = Form::read(&definition).map_err(|it| refusals::invalid_form_schema(&it))?;
        let asked = Asked { asked_by: asked_by(user), page: caller::page(), form, definition };
        let capabilities = caller::client_capabilities();
        match way(&asked.form, &capabilities, asked.page.is_some(), asked.fits_questions()) {
            Way::Page => asked.wait(user, false),
            Way::Questions => asked.questions(user),
            Way::Address => asked.address(user),
            Way::Told => asked.wait(user, true),
        }
    }
}

/// A form that was asked for, on its way.
struct Asked {
    definition: Value,
    form: Form,
    asked_by: Option<String>,
    page: Option<String>,
}

impl Asked {
    /// Whether the form can be asked for in questions.
    fn fits_questions(&self) -> bool {
        elicitation::fits(&self.form)
    }

    /// Puts the form in questions; what is answered comes back at once, and is kept as any answer is.
    fn questions(&self, user: &User) -> Result<FormRequest, Stop> {
        let (status, values) = match elicitation::ask(&self.form, user, lookup::fetch) {
            Ok(Answered::Filled(values)) => (Status::Submitted, Some(values)),
            Ok(Answered::Declined) => (Status::Declined, None),
            Ok(Answered::Cancelled) => (Status::Cancelled, None),
            // Where questions do not lead to the end, there are other ways.
            Err(Stop::Refused(it)) if it.code == "cannot_ask" => return self.wait(user, true),
            Err(stop) => return Err(stop),
        };
        let handle = store::fresh_handle();
        let filled = Filled { values: values.clone().unwrap_or_default(), ..Filled::default() };
        self.keep(&handle, Some((status, filled)))?;
        Ok(self.answered(user, &handle, status, values))
    }

    /// Keeps the form, and says that it waits, and where it is.
    fn wait(&self, user: &User, tells_where: bool) -> Result<FormRequest, Stop> {
        let handle = store::fresh_handle();
        self.keep(&handle, None)?;
        Ok(self.waiting(user, &handle, tells_where))
    }

    fn keep(&self, handle: &str, answered: Option<(Status, Filled)>) -> Result<(), Stop> {
        store::add(handle, &self.definition, &self.form, self.asked_by.as_deref(), answered)
    }

    /// The result while the form waits (FORM-1), with its first text (FORM-8).
    fn waiting(&self, user: &User, handle: &str, tells_where: bool) -> FormRequest {
        let first = Content::text(words::requested(&self.form));
        user.show_content(first.annotated(json!({ "priority": 1 })));
        if tells_where {
            let url = self.url(handle);
            user.show(words::place(&self.form, handle, url.as_deref()));
        }
        self.result(user, handle, "waiting_for_input", words::WAITING, None)
    }

    /// The result of a form that was answered while its request lasted.
    fn answered(
        &self,
        user: &User,
        handle: &str,
        status: Status,
        values: Option<Values>,
    ) -> FormRequest {
        let message = words::message(status, values.as_ref()).unwrap_or_default();
        self.result(user, handle, store::name(status), &message, values)
    }

    fn result(
        &self,
        user: &User,
        handle: &str,
        status: &str,
        message: &str,
        values: Option<Values>,
    ) -> FormRequest {
        let mut place = json!({ "handle": handle });
        if let Some(url) = self.url(handle) {
            place["url"] = url.into();
        }
        user.tell("type", "form_request");
        user.tell("schema", &self.definition);
        user.tell("status", status);
        user.tell("forms/form", place);
        FormRequest {
            kind: "form_request".to_owned(),
            schema: self.definition.as_object().cloned().unwrap_or_else(Map::new),
            status: status.to_owned(),
            message: message.to_owned(),
            values,
        }
    }

    /// Where a person fills it in, if there is a page.
    fn url(&self, handle: &str) -> Option<String> {
        self.page.as_ref().map(|it| format!("{it}/f/{handle}"))
    }
}

/// The definition as it was given, or written as a text, as some models do; null where there is none.
pub(super) fn definition(given: Option<Value>) -> Value {
    match given {
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Value::Object(object),
            _ => Value::String(text),
        },
        given => given.unwrap_or_default(),
    }
}

/// What the client calls itself, or else who they are.
fn asked_by(user: &User) -> Option<String> {
    const NAME_CHARS_MAX: usize = 100;
    let meta = user.request_meta();
    let client = &meta["io.modelcontextprotocol/clientInfo"];
    let name = client["title"].as_str().or(client["name"].as_str()).map(str::to_owned);
    let principal = Some(caller::principal()).filter(|it| it != "anonymous" && it != "stdio");
    let name = name.or(principal)?;
    let name: String = name.chars().filter(|it| !it.is_control()).take(NAME_CHARS_MAX).collect();
    Some(name).filter(|it| !it.trim().is_empty())
}
