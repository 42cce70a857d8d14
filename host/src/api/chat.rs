//! `POST /api/chat` (ILL-40): what a person says goes through an assistant, and comes back as text and
//! pictures; as one answer or as a stream of events. `GET /api/chat` says who there is to talk to.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, FromRequest, Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::post,
};
use http::{Extensions, HeaderMap};
use serde_json::{Value, json};

mod answer;
mod going_on;
mod refusal;
mod request;
mod talk;

use refusal::Refusal;
use request::Asked;
use talk::Talk;

use super::{endpoints::Endpoints, stream};
use crate::{
    assistant::{AssistantConfig, Language, Models, Provider, Teller, models, turns::Turns},
    authorization::Gateway,
    authorization::caller_of,
    call::TraceHeaders,
    caller::Caller,
    calls::Calls,
    clock::Clock,
    config::Config,
    metrics::Metrics,
    registry::Registry,
};

/// What whoever talks here can do, as MCP says it: answer questions, open addresses, and fill in forms
/// of which the answer is the next message (FORM-5).
const CAPABILITIES: &str =
    r#"{"elicitation":{"form":{},"url":{}},"extensions":{"madoguchi/forms":{}}}"#;
/// Bytes of a body that are read at once; more are read where nobody waits.
const AT_ONCE_MAX: usize = 64 << 10;

/// What the endpoints work on.
#[derive(Clone)]
pub(crate) struct Chat {
    pub(crate) gateway: Gateway,
    endpoints: Endpoints,
    shared: Arc<Shared>,
}

struct Shared {
    calls: Calls,
    registry: Registry,
    assistants: BTreeMap<String, Arc<AssistantConfig>>,
    default: String,
    models: Models,
    base: PathBuf,
    body_bytes_max: usize,
    turns: Turns,
    clock: Clock,
    metrics: Metrics,
}

pub(crate) fn routes(chat: Chat) -> Router {
    let limit = DefaultBodyLimit::max(chat.shared.body_bytes_max);
    let elsewhere = middleware::from_fn_with_state(chat.clone(), elsewhere);
    let own = post(talk).get(list).layer(limit).layer(elsewhere);
    Router::new().route("/api/chat", own).with_state(chat)
}

/// Lets the component answer that has the chat's address, if one has.
async fn elsewhere(State(chat): State<Chat>, request: Request, next: Next) -> Response {
    if !chat.endpoints.have_chat() {
        return next.run(request).await;
    }
    match chat.caller(request.headers(), request.extensions()) {
        Ok(caller) => chat.endpoints.answered(request, caller).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// `GET /api/chat`.
async fn list(State(chat): State<Chat>, headers: HeaderMap, extensions: Extensions) -> Response {
    if let Err(refusal) = chat.caller(&headers, &extensions) {
        return refusal.into_response();
    }
    let shared = &chat.shared;
    let told = |(name, it): (&String, &Arc<AssistantConfig>)| {
        let chosen = models::chosen(it, &shared.models, &shared.base);
        json!({
            "name": name,
            "title": it.title().unwrap_or(name),
            "titleJa": it.title_ja().or(it.title()).unwrap_or(name),
            "provider": chosen.provider.name(),
            "model": shared.model(&chosen),
            "makesPictures": it.makes_pictures() || it.picture_tool().is_some(),
        })
    };
    let assistants: Vec<_> = shared.there().map(told).collect();
    let players: Vec<_> = shared.players().map(told).collect();
    let gateway = chat.gateway.is_there();
    let said = json!({ "default": shared.default, "assistants": assistants, "players": players,
        "gateway": gateway });
    Json(said).into_response()
}

/// `POST /api/chat`.
async fn talk(State(chat): State<Chat>, request: Request) -> Response {
    let is_stream = stream::is_wanted(request.headers());
    match chat.asked(request).await {
        Err(refusal) => refusal.into_response(),
        Ok(talk) if is_stream => stream::answer("text_delta", |teller| told(talk, teller)),
        Ok(talk) => match talk.answer(&Teller::default()).await {
            Ok(body) => Json(body).into_response(),
            Err(refusal) => refusal.into_response(),
        },
    }
}

/// The same as events.
async fn told(talk: Talk, teller: Teller) {
    match talk.answer(&teller).await {
        Ok(body) => teller.tell("done", || body).await,
        Err(refusal) => teller.tell("error", || refusal.event()).await,
    }
}

impl Chat {
    pub(crate) fn new(
        config: &Config,
        (calls, registry): (&Calls, &Registry),
        turns: Turns,
        (gateway, endpoints): (Gateway, Endpoints),
        (clock, metrics): (&Clock, &Metrics),
    ) -> Self {
        let shared = Shared {
            calls: calls.clone(),
            registry: registry.clone(),
            assistants: config.assistants.clone(),
            default: config.chat.assistant.clone(),
            models: config.models.clone(),
            base: config.base.clone(),
            body_bytes_max: config.chat.body_bytes_max,
            turns,
            clock: clock.clone(),
            metrics: metrics.clone(),
        };
        Self { gateway, endpoints, shared: Arc::new(shared) }
    }

    /// Whoever sends a request: by a token, or by the gateway's cookie where there is a gateway.
    fn caller(&self, headers: &HeaderMap, extensions: &Extensions) -> Result<Caller, Refusal> {
        self.gateway.caller_of(headers, extensions).ok_or_else(|| {
            let caller = caller_of(headers, extensions);
            Refusal::closed(Language::of(caller.locale.as_deref(), ""))
        })
    }

    /// What is asked, by whom, and of which assistant.
    async fn asked(&self, request: Request) -> Result<Talk, Refusal> {
        // First of all: of a stranger nothing more is read.
        let mut caller = self.caller(request.headers(), request.extensions())?;
        let trace = TraceHeaders::of(request.headers());
        let language = Language::of(caller.locale.as_deref(), "");
        let most = self.shared.body_bytes_max;
        let body = Bytes::from_request(request, &()).await;
        let body = body.map_err(|it| Refusal::unread(&it, most, language))?;
        let asked = match body.len() > AT_ONCE_MAX {
            false => Asked::read(&body, language)?,
            true => tokio::task::spawn_blocking(move || Asked::read(&body, language))
                .await
                .map_err(|it| Refusal::invalid(it.to_string(), language))??,
        };
        let language = Language::of(caller.locale.as_deref(), &asked.message);
        // Results are in the language of the answer.
        caller.locale.get_or_insert_with(|| language.tag().into());
        caller.client_capabilities = CAPABILITIES.into();
        Talk::begin(&self.shared, asked, (caller, trace), language).await
    }
}

impl Shared {
    /// Who there is to talk to, by name.
    fn there(&self) -> impl Iterator<Item = (&String, &Arc<AssistantConfig>)> {
        self.assistants.iter().filter(|it| it.1.is_enabled() && !it.1.plays_agents())
    }

    /// Who plays agents, by name: nobody talks to them here.
    fn players(&self) -> impl Iterator<Item = (&String, &Arc<AssistantConfig>)> {
        self.assistants.iter().filter(|it| it.1.is_enabled() && it.1.plays_agents())
    }

    fn assistant(&self, name: &str, language: Language) -> Result<Arc<AssistantConfig>, Refusal> {
        let found = self.there().find(|it| it.0 == name).map(|it| it.1.clone());
        found.ok_or_else(|| {
            let names: Vec<_> = self.there().map(|it| it.0.as_str()).collect();
            let (name, names) = (format!("{name:?}"), names.join(", "));
            let details = language.pick(
                format!("assistant {name} はありません。あるのは: {names}"),
                format!("There is no assistant {name}; there are {names}"),
            );
            Refusal::invalid(details, language)
        })
    }

    /// The model by its name: where none is named, the one that was found when it was last asked.
    fn model(&self, chosen: &models::Chosen) -> String {
        let found = || models::found(chosen.provider, &self.models, &self.base);
        match chosen.model.is_empty() {
            true => found().unwrap_or_default(),
            false => chosen.model.to_string(),
        }
    }

    /// Whether `provider` can be asked.
    fn is_ready(&self, provider: Provider) -> bool {
        let config = self.models.get(provider);
        provider == Provider::Builtin || config.is_some_and(|it| it.is_ready(provider, &self.base))
    }

    fn now(&self) -> jiff::Timestamp {
        let now_s = i64::try_from(self.clock.now().as_secs()).unwrap_or_default();
        jiff::Timestamp::from_second(now_s).unwrap_or_default()
    }
}

/// `value` without what says nothing.
fn told_only(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, it| !it.is_null());
    }
    value
}
