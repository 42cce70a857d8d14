//! `request_form`: asks a person to fill in a form (FORM-1 to FORM-8).

use output::{
    form::{Form, FormRequest, Status, Values},
    text::is_blank,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolkit::{
    Content, Definition, English, Hints, Stop, Text, Tool, User, caller,
    question::{AnswerAction, Ask, Question},
    sql,
};

use crate::{
    clock,
    delivery::{self, Delivery, can_open, choose_delivery},
    elicitation::{self, AskResult, Progress},
    guide, lookup,
    record::Record,
    refusals::{self, say},
    store::{self, Filled},
};

/// The specified text with the types of fields; the guide has the rest.
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
    const HINTS: Hints = Hints::ADDITIVE;
    const VIEW: Option<&str> = Some("form_request");
    const APP: Option<&str> = Some(crate::tools::FORM.uri);
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("request/input.json"));
    type Output = FormRequest;

    fn complete(definition: &mut Definition) {
        definition.description = definition.description.replace("{types}", &guide::types(0));
        // Inside a JSON text, so without its quotes.
        let english = Value::from(guide::types(1)).to_string();
        let english = &english[1..english.len() - 1];
        definition.meta = definition.meta.take().map(|it| it.replace("{types}", english));
        let names: Value = guide::names().collect();
        definition.input_schema =
            definition.input_schema.replace("[\"{types}\"]", &names.to_string());
    }

    fn call(self, user: &User) -> Result<FormRequest, Stop> {
        let definition = definition(self.form_schema);
        let form = Form::read(&definition).map_err(|it| refusals::invalid_form_schema(&it))?;
        form.check_answerable(clock::today(None)?)
            .map_err(|it| refusals::invalid_form_schema(&it))?;
        let requested =
            RequestedForm { asked_by: asked_by(user), page: caller::page(), form, definition };
        let capabilities = caller::client_capabilities();
        let has_page = requested.page.is_some();
        match choose_delivery(&requested.form, &capabilities, has_page, requested.fits_questions())
        {
            Delivery::Page => requested.wait(user, false),
            Delivery::Questions => requested.questions(user, can_open(&capabilities, has_page)),
            Delivery::Address => requested.address(user),
            Delivery::Link => requested.wait(user, true),
        }
    }
}

/// A requested form.
struct RequestedForm {
    definition: Value,
    form: Form,
    asked_by: Option<String>,
    page: Option<String>,
}

/// State that the rounds of one call remember. The form is stored before the first question, so that it
/// outlives the call.
#[derive(Default, Serialize, Deserialize)]
struct CallState {
    handle: String,
    progress: Progress,
    /// Whether the person is sent to the form's URL.
    is_sent_on: bool,
}

impl RequestedForm {
    /// Whether questions can ask the form.
    fn fits_questions(&self) -> bool {
        elicitation::fits(&self.form)
    }

    /// Restores the state, or stores the form in the first round and sends the caller its URL.
    fn state(&self, user: &User) -> Result<CallState, Stop> {
        if let Some(state) = user.remembered() {
            return Ok(state);
        }
        let state = CallState { handle: store::fresh_handle(), ..CallState::default() };
        self.store(&state.handle)?;
        user.remember(&state);
        clock::report_progress(user, 0, &self.place(&state.handle));
        Ok(state)
    }

    /// Asks questions; answers are stored as a draft until they are complete.
    fn questions(&self, user: &User, can_open: bool) -> Result<FormRequest, Stop> {
        let CallState { handle, progress, is_sent_on } = self.state(user)?;
        if is_sent_on {
            return self.address(user);
        }
        let found = store::read(&handle)?;
        if found.status != Status::Waiting {
            return Ok(self.answered(user, &found));
        }
        let remember = |progress: &Progress| {
            let (handle, progress) = (handle.clone(), progress.clone());
            user.remember(CallState { handle, progress, is_sent_on: false });
        };
        let keep = |filled| store::add_to_draft(&handle, &self.form, filled);
        let none = Filled::default();
        match elicitation::ask(&self.form, user, progress, lookup::fetch, remember, keep) {
            Ok(AskResult::Filled(filled)) => self.settle(user, &handle, Status::Submitted, &filled),
            Ok(AskResult::Declined) => self.settle(user, &handle, Status::Declined, &none),
            Ok(AskResult::Cancelled) => self.settle(user, &handle, Status::Cancelled, &none),
            // Falls back to other ways if questions cannot complete the form.
            Ok(AskResult::Impossible(_)) if can_open => {
                user.remember(CallState { handle, is_sent_on: true, ..CallState::default() });
                self.address(user)
            }
            Ok(AskResult::Impossible(why)) => Ok(self.waiting(user, &handle, Some(&why))),
            Err(Stop::InputRequired(_)) if user.is_unanswered() => {
                Ok(self.waiting(user, &handle, Some("")))
            }
            Err(stop) => Err(stop),
        }
    }

    /// Stores the form and returns that it waits, and where it is.
    fn wait(&self, user: &User, tells_where: bool) -> Result<FormRequest, Stop> {
        let handle = store::fresh_handle();
        self.store(&handle)?;
        Ok(self.waiting(user, &handle, tells_where.then_some("")))
    }

    fn store(&self, handle: &str) -> Result<(), Stop> {
        store::add(handle, &self.definition, &self.form, self.asked_by.as_deref())
    }

    /// Answers the form by the questions' result, unless it was answered on its page.
    fn settle(
        &self,
        user: &User,
        handle: &str,
        status: Status,
        filled: &Filled,
    ) -> Result<FormRequest, Stop> {
        let closed = store::answer(handle, &self.form, status, filled);
        if let Err(stop) = closed
            && !matches!(&stop, Stop::Refused(it) if it.code == "already_answered")
        {
            return Err(stop);
        }
        Ok(self.answered(user, &store::read(handle)?))
    }

    /// Result while the form waits (FORM-1), with its first text (FORM-8); with `why`, also where the form
    /// is and why it has to be filled in there.
    fn waiting(&self, user: &User, handle: &str, why: Option<&str>) -> FormRequest {
        let first = Content::text(delivery::requested(&self.form));
        user.show_content(first.annotated(json!({ "priority": 1 })));
        if let Some(why) = why {
            let place = delivery::place(&self.form, handle, self.url(handle).as_deref());
            user.show(if why.is_empty() { place } else { format!("{why}\n{place}") });
        }
        self.result(user, handle, "waiting_for_input", delivery::WAITING, None)
    }

    /// Result of a form answered during the request.
    fn answered(&self, user: &User, found: &Record) -> FormRequest {
        let values = found.values();
        let message = delivery::message(found.status, values.as_ref()).unwrap_or_default();
        self.result(user, &found.handle, &sql::name_of(found.status), &message, values)
    }

    /// Where the form is, in one line, for progress notifications.
    fn place(&self, handle: &str) -> String {
        delivery::in_one_line(&self.form.title, handle, self.url(handle).as_deref())
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

    /// URL of the form, if there is a page.
    fn url(&self, handle: &str) -> Option<String> {
        self.page.as_ref().map(|it| format!("{it}/f/{handle}"))
    }
}

/// Definition as given, parsed if it is a text, as some models send it; null if missing.
pub(super) fn definition(given: Option<Value>) -> Value {
    match given {
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Value::Object(object),
            _ => Value::String(text),
        },
        given => given.unwrap_or_default(),
    }
}

/// Name of the client, otherwise of the caller.
fn asked_by(user: &User) -> Option<String> {
    const NAME_CHARS_MAX: usize = 100;
    let meta = user.request_meta();
    let client = &meta["io.modelcontextprotocol/clientInfo"];
    let name = client["title"].as_str().or(client["name"].as_str()).map(str::to_owned);
    let principal = Some(caller::principal()).filter(|it| it != "anonymous" && it != "stdio");
    let name = name.or(principal)?;
    let name: String = name.chars().filter(|it| !it.is_control()).take(NAME_CHARS_MAX).collect();
    Some(name).filter(|it| !is_blank(it))
}

// A form at a URL that the client opens: stored before the question, then awaited.

/// Key of the question.
const KEY: &str = "form";

impl RequestedForm {
    /// Sends the person to the form's page, and waits for the answer.
    fn address(&self, user: &User) -> Result<FormRequest, Stop> {
        let handle = self.state(user)?.handle;
        let url = self.url(&handle).unwrap_or_default();
        let please = say("フォームに入力してください", "Please fill in the form");
        let message = format!("{please}: {}", self.form.title);
        let question = Question::new(KEY, &message, Ask::Url(url)).for_later();
        let answer = match user.put(question) {
            Err(Stop::InputRequired(_)) if user.is_unanswered() => {
                return Ok(self.waiting(user, &handle, Some("")));
            }
            answer => answer?,
        };
        let none = Filled::default();
        match answer.action {
            AnswerAction::Accept => self.await_answer(user, &handle),
            AnswerAction::Decline => self.settle(user, &handle, Status::Declined, &none),
            AnswerAction::Cancel => self.settle(user, &handle, Status::Cancelled, &none),
        }
    }

    /// Returns the answer, or after a while that it is missing.
    fn await_answer(&self, user: &User, handle: &str) -> Result<FormRequest, Stop> {
        let form = store::read(handle)?;
        if form.status != Status::Waiting {
            return Ok(self.answered(user, &form));
        }
        let place = self.place(handle);
        match clock::wait(user, store::uri(handle), store::wait_s()?, &place) {
            Some(wait) => Err(wait),
            None => Ok(self.waiting(user, handle, Some(""))),
        }
    }
}
