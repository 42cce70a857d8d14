//! `POST /api/chat` (ILL-40): passes a person's message to an assistant and returns text and pictures,
//! as one answer or as a stream of events. `GET /api/chat` lists the assistants.

mod answer;
mod refusal;
mod request;
mod resume;

use serde_json::{Value, json};
use toolkit::{
    Stop,
    assistants::running::Manner,
    caller, log,
    routes::{Answer, Request, Route, Unread},
};

use crate::{
    Assistant, AssistantConfig, Conclusion, EarlierResults, Ending, EventSink, Language, Part, Run,
    Settings, Task, ToolPicker, Usage,
    decide::now,
    health::Tally,
    models::{self, Chosen},
    turns::{self, SavedTurn},
};
use refusal::Refusal;
use request::ChatInput;
use resume::{Resumed, Resumption};

/// Capabilities of the person's client in MCP's terms: it answers questions, opens URLs, and fills in forms whose
/// values are the next message (FORM-5). Models read results too, so they carry handles instead of secrets.
const CAPABILITIES: &str = r#"{"elicitation":{"form":{},"url":{}},"extensions":{"madoguchi/forms":{},"madoguchi/handles":{}}}"#;
/// Upper limit of a body in bytes; `body_bytes_max` in the configuration may lower it.
const BODY_BYTES_MAX: u32 = 256 << 20;

pub(crate) fn routes() -> Vec<Route> {
    vec![Route::get("", list), Route::post("", chat).bodies(BODY_BYTES_MAX).streams()]
}

/// Answers `GET /api/chat`: lists the enabled assistants.
fn list(_: &Request) -> Result<Answer, Stop> {
    let settings = Settings::read()?;
    let entry = |(name, assistant): (&String, &std::sync::Arc<AssistantConfig>)| {
        let chosen = models::chosen(assistant, &settings.models);
        // Without a configured model, shows the one that the server reported last.
        let found =
            || models::reported_model(chosen.provider, &settings.models).unwrap_or_default();
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
    let assistants: Vec<_> = settings.enabled_assistants().map(entry).collect();
    let agent_assistants: Vec<_> = settings.agent_assistants().map(entry).collect();
    Ok(Answer::ok(&json!({
        "default": settings.chat.assistant,
        "assistants": assistants,
        "players": agent_assistants,
        "gateway": settings.chat.gateway,
    })))
}

/// Answers `POST /api/chat`: one turn of a conversation.
fn chat(request: &Request) -> Result<Answer, Stop> {
    let settings = Settings::read()?;
    let input = match read_input(request, &settings) {
        Ok(input) => input,
        Err(refusal) => return Ok(refusal.answer()),
    };
    let chat = match ChatTurn::begin(settings, input) {
        Ok(chat) => chat,
        Err(refusal) => return Ok(refusal.answer()),
    };
    let sink = EventSink::new(request.wants_events);
    Ok(match chat.answer(&sink) {
        Ok(body) => {
            sink.send("done", || body.clone());
            Answer::ok(&body)
        }
        Err(refusal) => {
            sink.send("error", || refusal.event());
            refusal.answer()
        }
    })
}

/// Reads the body of a request.
fn read_input(request: &Request, settings: &Settings) -> Result<ChatInput, Refusal> {
    let language = errors_language();
    let most = settings.chat.body_bytes_max;
    match &request.body {
        Ok(body) if body.len() as u64 <= u64::from(most) => ChatInput::read(body, language),
        Ok(_) | Err(Unread::TooLarge) => Err(Refusal::too_large(most, language)),
        Err(Unread::Broken) => Err(Refusal::body_unreadable(language)),
    }
}

/// Language of errors: the caller's locale, otherwise Japanese, whatever the message is in (ILL-42).
fn errors_language() -> Language {
    Language::of_caller(caller::locale().as_deref(), "")
}

/// Removes the members that are null.
fn without_nulls(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, it| !it.is_null());
    }
    value
}

// One request: finds the turn to continue from, collects the results of pending calls, runs the
// assistant, and saves the new turn.

/// One request that is being answered.
struct ChatTurn {
    context: ChatContext,
    picker: Box<dyn ToolPicker>,
    /// The turn to continue from.
    saved: Option<SavedTurn>,
}

/// The request and the assistant that answers it.
struct ChatContext {
    settings: Settings,
    input: ChatInput,
    principal: String,
    /// Language of the answer.
    language: Language,
    /// Language of errors.
    errors: Language,
    name: String,
    assistant: Assistant,
    chosen: Chosen,
}

/// The result of a turn.
struct TurnOutcome {
    conclusion: Conclusion,
    stop_reason: &'static str,
    notice: Option<String>,
    calls: Vec<Value>,
    /// The turn to save, if the conversation can continue from it.
    saved: Option<SavedTurn>,
}

impl ChatTurn {
    fn begin(settings: Settings, mut input: ChatInput) -> Result<Self, Refusal> {
        let (principal, errors) = (caller::principal(), errors_language());
        let language = Language::of_caller(caller::locale().as_deref(), &input.message);
        let found = input.turn.as_ref().map(|it| turns::find(it, &principal)).transpose();
        let mut saved = found.map_err(|why| Refusal::turn_unreadable(&why, errors))?.flatten();
        // Another assistant has other tools, and received other messages.
        saved =
            saved.filter(|it| input.assistant.as_ref().is_none_or(|name| *name == it.assistant));
        let name = input.assistant.clone();
        let name = name.or(saved.as_ref().map(|it| it.assistant.clone()));
        let name = name.unwrap_or_else(|| settings.chat.assistant.clone());
        let enabled_assistants =
            settings.enabled_assistants().find(|it| *it.0 == name).map(|it| it.1.clone());
        let config = enabled_assistants.ok_or_else(|| {
            let names = settings
                .enabled_assistants()
                .map(|it| it.0.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            Refusal::no_assistant(&name, &names, errors)
        })?;
        let mut chosen = models::chosen(&config, &settings.models);
        if let Some(earlier) = &saved {
            // Without a configured model, keeps the one that was found before.
            if earlier.provider == chosen.provider && chosen.model.is_empty() {
                chosen.model = earlier.model.as_str().into();
            }
            let is_other = earlier.provider != chosen.provider || earlier.model != *chosen.model;
            if is_other && can_change_model(&input, earlier) {
                saved = None;
            } else if is_other {
                // The conversation stays with the model that started it, as long as that is available.
                chosen =
                    Chosen { provider: earlier.provider, model: earlier.model.as_str().into() };
                saved = saved.filter(|it| settings.models.is_ready(it.provider));
            }
        }
        if input.turn.is_some() && saved.is_none() && !can_start(&input) {
            return Err(Refusal::turn_not_found(errors));
        }
        if let Some(saved) = &saved {
            let is_answered = saved.waiting.iter().any(|it| !it.approval.is_empty());
            if input.message.is_empty() && !is_answered && input.selected.is_none() {
                let details = errors.pick("待っている呼び出しはありません", "No call waits");
                return Err(Refusal::no_message(details, errors));
            }
            input.history.clear();
        } else if let Some(selected) = input.selected.take() {
            input.images.extend(selected);
        }
        let transcript = saved.as_ref().map(|it| &it.transcript).filter(|it| !it.is_null());
        let picker = models::picker(&chosen, &config, &settings.models, transcript);
        let makes_pictures = config.makes_pictures;
        let picker = picker.map_err(|it| Refusal::of_model_error(it, makes_pictures, errors))?;
        let manner = Manner {
            language: Some(language.tag().to_owned()),
            capabilities: Some(CAPABILITIES.to_owned()),
        };
        let mut assistant = Assistant::new(&name, config, manner);
        assistant.needs_picture_tool = !makes_pictures || !chosen.provider.makes_pictures();
        assistant.chooses = input.chooses;
        let context =
            ChatContext { settings, input, principal, language, errors, name, assistant, chosen };
        Ok(Self { context, picker, saved })
    }

    /// Runs the turn; `sink` receives its events.
    fn answer(self, sink: &EventSink) -> Result<Value, Refusal> {
        let Self { mut context, mut picker, saved } = self;
        let (input, mut message) = (&mut context.input, Vec::new());
        if !input.message.is_empty() {
            message.push(Part::text(input.message.as_str()));
        }
        message.extend(std::mem::take(&mut input.images).into_iter().map(Part::image));
        let history = std::mem::take(&mut input.history);
        let mut before = EarlierResults::default();
        if let Some(mut saved) = saved {
            message.splice(..0, std::mem::take(&mut saved.undelivered));
            let (transcript, order) = (saved.transcript.clone(), saved.order.clone());
            let (assistant, input) = (&context.assistant, &context.input);
            let resume = Resumption { assistant, input, sink, language: context.language };
            let resumed = resume.run(saved, assistant.config.bounds().run);
            if !resumed.waiting.is_empty() {
                let outcome = context.still_waiting(resumed, (transcript, order), message);
                return context.save_and_respond(outcome, Usage::default(), sink);
            }
            before = EarlierResults { answered: resumed.answered, ms: resumed.ms };
        }
        let language = context.language;
        let task = Task { message, history, language, now: now() };
        let tally = Tally::begin(&context.name, context.chosen.provider);
        let run = context.assistant.run(&task, before, &mut *picker, sink);
        let (transcript, usage) = (picker.transcript(), picker.usage());
        if let Some(model) = picker.model() {
            context.chosen.model = model.into();
        }
        drop(picker);
        tally.end(&run, usage);
        let makes_pictures = context.assistant.config.makes_pictures;
        let run = run.map_err(|it| Refusal::from_run_error(it, makes_pictures, context.errors))?;
        let outcome = context.outcome(run, transcript, task.message, sink)?;
        context.save_and_respond(outcome, usage, sink)
    }
}

impl ChatContext {
    /// Returns an empty turn to save.
    fn fresh(&self, transcript: Value) -> SavedTurn {
        SavedTurn {
            assistant: self.name.clone(),
            provider: self.chosen.provider,
            model: self.chosen.model.to_string(),
            transcript,
            undelivered: Vec::new(),
            waiting: Vec::new(),
            answered: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Returns the outcome of a turn in which calls still wait; the model is not asked yet.
    fn still_waiting(
        &self,
        resumed: Resumed,
        (transcript, order): (Value, Vec<String>),
        undelivered: Vec<Part>,
    ) -> TurnOutcome {
        let offers = self.assistant.offers();
        let made = resumed.answered.iter().filter(|it| resumed.ms.contains_key(&it.call.id));
        let calls = made.map(|answered| {
            let ms = resumed.ms.get(&answered.call.id);
            answer::call(&answered.call, &answered.result, ms, &offers, self.language)
        });
        let calls = calls.collect();
        let (waiting, answered) = (resumed.waiting, resumed.answered);
        let saved = SavedTurn { undelivered, waiting, answered, order, ..self.fresh(transcript) };
        self.waiting_outcome(saved, calls)
    }

    fn waiting_outcome(&self, saved: SavedTurn, calls: Vec<Value>) -> TurnOutcome {
        let count = saved.waiting.len();
        let mut notice = self.language.pick(
            format!("{count}件の確認・入力を待っています。"),
            format!("Waiting for {count} answer(s) of yours."),
        );
        if let Some(changed) = answer::changed(&saved.waiting, self.language) {
            notice = format!("{changed}{}{notice}", self.language.pick("", " "));
        }
        let conclusion = Conclusion::default();
        let (notice, saved) = (Some(notice), Some(saved));
        TurnOutcome { conclusion, stop_reason: "waiting", notice, calls, saved }
    }

    /// Converts a finished run.
    fn outcome(
        &self,
        run: Run,
        transcript: Value,
        message: Vec<Part>,
        sink: &EventSink,
    ) -> Result<TurnOutcome, Refusal> {
        let offers = self.assistant.offers();
        let (mut saved, mut is_whole) = (self.fresh(transcript), true);
        let Run { mut answered, ms, left, is_delivered, ending } = run;
        if !is_delivered {
            saved.undelivered = message;
        }
        let (mut conclusion, stop_reason, notice) = match ending {
            Ending::Concluded(conclusion) => {
                let stop_reason = conclusion.cut.unwrap_or("end");
                (conclusion, stop_reason, None)
            }
            Ending::Stopped(stopped) => {
                // Unless it is known what the model received, the conversation cannot continue from here.
                is_whole = !left.is_empty();
                saved.order = left.iter().map(|it| it.call.id.clone()).collect();
                let (stop_reason, notice) = answer::notice(stopped, self.language);
                let calls = (answered.as_slice(), left.as_slice());
                let conclusion = answer::stopped(calls, &offers, notice, self.language);
                saved.answered = left;
                (conclusion, stop_reason, Some(notice.to_owned()))
            }
            Ending::Failed(error) => {
                saved.order = left.iter().map(|it| it.call.id.clone()).collect();
                saved.answered = left;
                let makes_pictures = self.assistant.config.makes_pictures;
                let is_passing = error.kind.passes();
                let refusal = Refusal::of_model_error(error, makes_pictures, self.language);
                log::warning(&format!(
                    "the model failed after calls were made: {}",
                    refusal.details()
                ));
                let notice = match is_passing && answer::has_changed(&answered, &offers) {
                    true => answer::silent_after_changes(self.language).to_owned(),
                    false => refusal.error().to_owned(),
                };
                let conclusion = answer::failed(&answered, &offers, &notice, self.language);
                (conclusion, "model_failed", Some(notice))
            }
            Ending::Waits { held, order } => {
                saved.waiting = held;
                let calls = answer::calls(&answered, &saved.waiting, &ms, &offers, self.language);
                let others = order.len().saturating_sub(saved.waiting.len());
                saved.answered = answered.split_off(answered.len().saturating_sub(others));
                saved.order = order;
                return Ok(self.waiting_outcome(saved, calls));
            }
        };
        if answer::text_and_images(&conclusion).1.is_empty() {
            let tool = self.assistant.config.picture_tool.as_deref();
            for image in answer::made_by(tool, &answered) {
                sink.send_image(&image);
                conclusion.parts.push(Part::image(image));
            }
        }
        let mut notice = notice;
        let mut stop_reason = stop_reason;
        let (text, images) = answer::text_and_images(&conclusion);
        if text.trim().is_empty() && images.is_empty() {
            let has_changed = answer::has_changed(&answered, &offers);
            let text = answer::nothing(conclusion.cut.is_some(), has_changed, self.language);
            conclusion.parts = answer::failed(&answered, &offers, text, self.language).parts;
            stop_reason = if conclusion.cut.is_some() { stop_reason } else { "empty" };
            notice = Some(text.to_owned());
        }
        let calls = answer::calls(&answered, &[], &ms, &offers, self.language);
        let saved = Some(saved).filter(|_| is_whole);
        Ok(TurnOutcome { conclusion, stop_reason, notice, calls, saved })
    }

    /// Saves the new turn and returns the response.
    fn save_and_respond(
        self,
        outcome: TurnOutcome,
        usage: Usage,
        sink: &EventSink,
    ) -> Result<Value, Refusal> {
        let TurnOutcome { conclusion, stop_reason, notice, calls, saved } = outcome;
        let offers = self.assistant.offers();
        let held: Vec<_> = saved.iter().flat_map(|it| it.waiting.clone()).collect();
        let waiting: Vec<_> =
            held.iter().map(|it| answer::waiting(it, &offers, self.language)).collect();
        let choices = answer::choices(&held);
        let turn = match saved {
            Some(saved) => turns::save(&self.principal, &saved, &self.settings.chat).map(Some),
            None => Ok(None),
        };
        let turn = match turn {
            Ok(turn) => turn,
            Err(error) if waiting.is_empty() => {
                log::warning(&format!("a turn is not kept: {error}"));
                None
            }
            Err(error) => return Err(Refusal::turn_not_saved(error, self.errors)),
        };
        for entry in &waiting {
            sink.send("question", || entry.clone());
        }
        let usage = answer::usage(&usage);
        sink.send("usage", || usage.clone());
        let (text, mut images) = answer::text_and_images(&conclusion);
        let mut kind = Value::Null;
        if !choices.is_empty() {
            // The specified page expects this type (ILL-45).
            (images, kind) = (choices, json!("mcp_results"));
        }
        Ok(without_nulls(json!({
            "type": kind,
            "text": text,
            "images": images,
            "turn": turn,
            "assistant": self.name,
            "provider": self.chosen.provider.name(),
            "model": &*self.chosen.model,
            "stopReason": stop_reason,
            "parts": answer::parts(&conclusion.parts),
            "toolCalls": calls,
            "waiting": waiting,
            "usage": usage,
            "notice": notice,
        })))
    }
}

/// Whether the request can start over without the turn: it has a message and the history.
fn can_start(input: &ChatInput) -> bool {
    !input.message.is_empty() && !input.history.is_empty()
}

/// Whether another model may continue the conversation.
fn can_change_model(input: &ChatInput, saved: &SavedTurn) -> bool {
    saved.waiting.is_empty() && can_start(input)
}
