//! `POST /api/chat` (ILL-40): what a person says goes through an assistant, and comes back as text and
//! pictures; as one answer or as a stream of events. `GET /api/chat` says which assistants there are.

use serde_json::{Value, json};
use toolkit::{
    Stop, caller,
    routes::{Answer, Request, Route, Unread},
};

mod answer;
mod filled;
mod going_on;
mod refusal;
mod request;
mod talk;

use refusal::Refusal;
use request::Asked;
use talk::Talk;

use crate::{AssistantConfig, Language, Settings, Teller, models};

/// What the person's client can do here, as MCP says it: answer questions, open addresses, and fill in forms
/// of which the answer is the next message (FORM-5). What tools answer is read by models and people, so that it is to
/// have handles rather than secrets.
const CAPABILITIES: &str = r#"{"elicitation":{"form":{},"url":{}},"extensions":{"madoguchi/forms":{},"madoguchi/handles":{}}}"#;
/// Bytes that a body may have at all; `body_bytes_max` of the configuration may say fewer.
const BODY_BYTES_MAX: u32 = 256 << 20;

pub(crate) fn routes() -> Vec<Route> {
    vec![Route::get("", list), Route::post("", talk).bodies(BODY_BYTES_MAX).streams()]
}

/// Answers `GET /api/chat`: the assistants that can be asked.
fn list(_: &Request) -> Result<Answer, Stop> {
    let settings = Settings::read()?;
    let entry = |(name, assistant): (&String, &std::sync::Arc<AssistantConfig>)| {
        let chosen = models::chosen(assistant, &settings.models);
        // Where none is named, it is the one that was found when it was last asked.
        let found = || models::found(chosen.provider, &settings.models).unwrap_or_default();
        let model = if chosen.model.is_empty() { found() } else { chosen.model.to_string() };
        json!({
            "name": name,
            "title": assistant.title.as_ref().unwrap_or(name),
            "titleJa": assistant.title_ja.as_ref().or(assistant.title.as_ref()).unwrap_or(name),
            "provider": chosen.provider.name(),
            "model": model,
            "makesPictures": assistant.makes_pictures || assistant.picture_tool.is_some(),
        })
    };
    let assistants: Vec<_> = settings.there().map(entry).collect();
    let players: Vec<_> = settings.players().map(entry).collect();
    Ok(Answer::ok(&json!({
        "default": settings.chat.assistant,
        "assistants": assistants,
        "players": players,
        "gateway": settings.chat.gateway,
    })))
}

/// Answers `POST /api/chat`: one turn of a conversation.
fn talk(request: &Request) -> Result<Answer, Stop> {
    let settings = Settings::read()?;
    let asked = match asked(request, &settings) {
        Ok(asked) => asked,
        Err(refusal) => return Ok(refusal.answer()),
    };
    let talk = match Talk::begin(settings, asked) {
        Ok(talk) => talk,
        Err(refusal) => return Ok(refusal.answer()),
    };
    let teller = Teller::new(request.wants_events);
    Ok(match talk.answer(&teller) {
        Ok(body) => {
            teller.tell("done", || body.clone());
            Answer::ok(&body)
        }
        Err(refusal) => {
            teller.tell("error", || refusal.event());
            refusal.answer()
        }
    })
}

/// Reads the body of a request.
fn asked(request: &Request, settings: &Settings) -> Result<Asked, Refusal> {
    let language = errors_language();
    let most = settings.chat.body_bytes_max;
    match &request.body {
        Ok(body) if body.len() as u64 <= u64::from(most) => Asked::read(body, language),
        Ok(_) | Err(Unread::TooLarge) => Err(Refusal::too_large(most, language)),
        Err(Unread::Broken) => Err(Refusal::broken(language)),
    }
}

/// The language of errors: the caller's, as far as they say, and else Japanese, whatever the message is in (ILL-42).
fn errors_language() -> Language {
    Language::of_caller(caller::locale().as_deref(), "")
}

/// `value` without what says nothing.
fn without_nulls(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, it| !it.is_null());
    }
    value
}
