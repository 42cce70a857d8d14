//! `POST /api/navigate` (NAV-1): a sentence becomes calls of tools, and their results a route with the
//! reasons; as one answer or as a stream of events (NAV-9).

use std::{path::Path, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State, rejection::BytesRejection},
    response::{IntoResponse, Response},
    routing::post,
};
use http::{Extensions, HeaderMap};
use serde_json::{Value, json};

mod chosen;
mod reasoned;
mod refusal;
mod request;

pub(super) use refusal::Refusal;
pub(super) use request::Fields;

use super::{
    chat::{answered, outcome},
    stream,
};
use crate::{
    assistant::{
        Asker, Assistant, Choice, Conclusion, Decider, Ending, Language, Message, Models, Part,
        Provider, Run, Stopped, Task, Teller, Trouble, Undecided, Understanding, models,
    },
    call_state::Clock,
    caller::Caller,
    calls::Calls,
    config::Config,
    metrics::{Metrics, Running},
    registry::Registry,
    telemetry::TraceHeaders,
};
use reasoned::Reasoned;
use request::{Asked, Remark};

/// What the endpoints work on.
#[derive(Clone)]
pub(crate) struct Navigate {
    assistant: Assistant,
    models: Arc<Models>,
    /// From where the models' files count.
    base: Arc<Path>,
    clock: Clock,
    metrics: Metrics,
}

/// `/api/navigate`, and `/api/route` beside it.
pub(crate) fn routes(navigate: Navigate, limit: DefaultBodyLimit) -> Router {
    Router::new()
        .route("/api/navigate", post(answer))
        .route("/api/route", post(super::route::answer))
        .layer(limit)
        .with_state(navigate)
}

type Body = Result<Bytes, BytesRejection>;

async fn answer(
    State(navigate): State<Navigate>,
    headers: HeaderMap,
    extensions: Extensions,
    body: Body,
) -> Response {
    let caller = Caller::of(&headers, &extensions);
    let fields = Fields::read(body, Language::of(caller.locale.as_deref(), ""));
    let asked = match fields.and_then(|it| Asked::read(&it)) {
        Ok(asked) => asked,
        Err(refusal) => return refusal.into_response(),
    };
    let shape = Shape::Reasoned { said: asked.said(), message: asked.message.clone() };
    let ends = (asked.origin, asked.destination);
    let trip = navigate.trip(&caller, ends, &asked.message, asked.history);
    let (task, language) = (navigate.task(&trip), trip.language);
    let (decider, running) = match navigate.decider(trip) {
        Ok(it) => it,
        Err(it) => return Refusal::of(Trouble::Undecided(it), language).into_response(),
    };
    let job = navigate.job(&headers, caller, task, decider, shape);
    Job { running, ..job }.answer(&headers).await
}

/// A route that is asked for.
pub(super) struct Trip {
    origin: String,
    destination: String,
    /// What is wished of it, in a sentence.
    message: String,
    /// What was said before, oldest first.
    history: Vec<Remark>,
    language: Language,
    now: jiff::Timestamp,
}

impl Trip {
    /// The same for what understands sentences.
    pub(super) fn route(&self) -> Value {
        json!({
            "origin": self.origin,
            "destination": self.destination,
            "message": self.message,
            "history": self.history,
        })
    }
}

/// What an answer looks like.
pub(super) enum Shape {
    /// NAV-1.
    Reasoned {
        /// The history as it was given, with the question at its end (NAV-4, NAV-5).
        said: Vec<Value>,
        message: String,
    },
    /// NAV-18.
    Plain,
}

/// One request in the making.
pub(super) struct Job {
    assistant: Assistant,
    asker: Asker,
    task: Task,
    decider: Box<dyn Decider>,
    shape: Shape,
    running: Option<Running>,
}

/// The body of an answer, and which of the results was chosen.
type Answer = (Value, Value);

impl Navigate {
    pub(crate) fn new(
        (calls, registry): (&Calls, &Registry),
        (clock, metrics): (&Clock, &Metrics),
        config: &Config,
    ) -> Self {
        let assistant = Assistant::new(calls, registry, config.assistant("navigation"));
        let (models, base) = (Arc::new(config.models.clone()), config.base.as_path().into());
        Self { assistant, models, base, clock: clock.clone(), metrics: metrics.clone() }
    }

    /// Whoever decides on a sentence: the model of the assistant, whose runs are counted, or the
    /// planner.
    fn decider(&self, trip: Trip) -> Result<(Box<dyn Decider>, Option<Running>), Undecided> {
        let assistant = &self.assistant.config;
        let chosen = models::chosen(assistant, &self.models, &self.base);
        if matches!(chosen.provider, Provider::Builtin | Provider::Auto) {
            return Ok((
                Box::new(Understanding::of_route(&self.assistant.registry, &trip.route())),
                None,
            ));
        }
        let given = (&self.assistant.registry, None);
        let model = models::decider(&chosen, assistant, &self.models, &self.base, given)?;
        let running = self.metrics.run("navigation", chosen.provider);
        Ok((Box::new(Reasoned::new(model)), Some(running)))
    }

    /// Where the components are.
    pub(super) fn registry(&self) -> &Registry {
        &self.assistant.registry
    }

    /// The route that is asked for.
    pub(super) fn trip(
        &self,
        caller: &Caller,
        (origin, destination): (String, String),
        message: &str,
        history: Vec<Remark>,
    ) -> Trip {
        let now = i64::try_from(self.clock.now().as_secs()).unwrap_or_default();
        Trip {
            origin,
            destination,
            message: message.to_owned(),
            history,
            language: Language::of(caller.locale.as_deref(), message),
            now: jiff::Timestamp::from_second(now).unwrap_or_default(),
        }
    }

    /// The same as it is told to whoever decides (NAV-52).
    pub(super) fn task(&self, trip: &Trip) -> Task {
        let message = format!(
            "出発地: {}、目的地: {}\n条件: {}",
            trip.origin, trip.destination, trip.message
        );
        let said = trip.history.iter().map(|it| Message {
            is_user: it.is_user,
            parts: vec![Part::text(it.content.as_str())],
        });
        Task {
            message: vec![Part::text(message)],
            history: said.collect(),
            language: trip.language,
            now: trip.now,
        }
    }

    pub(super) fn job(
        &self,
        headers: &HeaderMap,
        mut caller: Caller,
        task: Task,
        decider: Box<dyn Decider>,
        shape: Shape,
    ) -> Job {
        // Results are in the language of the explanation.
        caller.locale.get_or_insert_with(|| task.language.tag().into());
        let asker = Asker::new(caller, TraceHeaders::of(headers));
        Job { assistant: self.assistant.clone(), asker, task, decider, shape, running: None }
    }
}

/// Why the model chose no route.
fn unfinished(ending: &Ending, language: Language) -> &'static str {
    match ending {
        Ending::Stopped(Stopped::Time) => {
            language.pick("時間内に選び終わりませんでした。", "There was no time left to choose.")
        }
        _ => language.pick(
            "調べる回数の上限に達したため、比較の途中で止めました。",
            "The comparison was stopped, because tools were called as often as they may be.",
        ),
    }
}

impl Job {
    /// The answer in the way that the request wants it.
    pub(super) async fn answer(self, headers: &HeaderMap) -> Response {
        if stream::is_wanted(headers) {
            return stream::answer("reasoning_delta", |teller| self.told(teller));
        }
        match self.run(&Teller::default()).await {
            Ok((body, _)) => Json(body).into_response(),
            Err(refusal) => refusal.into_response(),
        }
    }

    /// The same as events.
    async fn told(self, teller: Teller) {
        match self.run(&teller).await {
            Ok((mut body, selected)) => {
                body["selected"] = selected;
                teller.tell("done", || body).await;
            }
            Err(refusal) => teller.tell("error", || refusal.event()).await,
        }
    }

    async fn run(mut self, teller: &Teller) -> Result<Answer, Refusal> {
        let (task, before) = (&self.task, Default::default());
        let run = self.assistant.run(task, before, &mut *self.decider, &self.asker, teller).await;
        if let Some(running) = &mut self.running {
            running.took(self.decider.usage());
            running.ended(outcome(&run), answered(&run));
        }
        let run = run.and_then(Run::unless_failed);
        let run = run.map_err(|it| Refusal::of(it, self.task.language))?;
        self.body(run)
    }

    fn body(self, run: Run) -> Result<Answer, Refusal> {
        let language = self.task.language;
        let found = Conclusion { choice: Some(Choice::default()), ..Conclusion::default() };
        let (conclusion, notice) = match &run.ending {
            Ending::Concluded(conclusion) => (
                conclusion,
                language.pick("モデルから説明がありませんでした。", "The model gave no reasons."),
            ),
            // What was found so far is an answer, too.
            ending if chosen::route(&run.answered, &found).0.is_object() => {
                (&found, unfinished(ending, language))
            }
            ending => return Err(Refusal::unfinished(ending, language)),
        };
        let (route, selected) = chosen::route(&run.answered, conclusion);
        let mut message = conclusion.text();
        if message.trim().is_empty() {
            message = match route.is_object() {
                true => format!(
                    "{notice}{}",
                    language
                        .pick("見つかったルートを表示します。", " This is a route that was found.")
                ),
                false => notice.to_owned(),
            };
        }
        let Shape::Reasoned { mut said, message: asked } = self.shape else {
            let mut body = json!({ "mode": "normal", "route": route });
            if body["route"].is_null() {
                body["message"] = message.into();
            }
            return Ok((body, selected));
        };
        let used = run.answered.into_iter().map(|it| it.call);
        let used =
            used.map(|it| json!({ "name": it.name, "params": it.arguments, "reason": it.reason }));
        let used: Vec<_> = used.collect();
        let is_last = |it: &Value| it["role"] == "user" && it["content"] == asked;
        if !said.last().is_some_and(is_last) {
            said.push(json!({ "role": "user", "content": asked }));
        }
        said.push(json!({ "role": "assistant", "content": message }));
        let reasoning = json!({ "message": message, "toolsUsed": used });
        let body = json!({ "route": route, "reasoning": reasoning, "conversationHistory": said });
        Ok((body, selected))
    }
}
