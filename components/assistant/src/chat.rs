//! `POST /api/chat` (ILL-40): what a person says goes through an assistant, and comes back as text and
//! pictures; as one answer or as a stream of events. `GET /api/chat` says which assistants there are.

mod answer;
mod going_on;
mod refusal;
mod request;

use serde_json::{Value, json};
use toolkit::{
    Stop,
    assistants::running::Manner,
    caller, log,
    routes::{Answer, Request, Route, Unread},
};

use crate::{
    Assistant, AssistantConfig, Before, Conclusion, Ending, Language, Part, Run, Settings, Task,
    Teller, ToolPicker, Usage,
    decide::now,
    health::Tally,
    models::{self, Chosen},
    turns::{self, Kept},
};
use going_on::{GoingOn, GoneOn};
use refusal::Refusal;
use request::Asked;

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

// One request, from what is asked to its answer: finds the turn it goes on from, takes in what
// became of calls that waited, lets the assistant run, and keeps the new turn.

/// One request in the making.
struct Talk {
    scene: Scene,
    picker: Box<dyn ToolPicker>,
    /// What it goes on from.
    kept: Option<Kept>,
}

/// What is asked, and of which assistant.
struct Scene {
    settings: Settings,
    asked: Asked,
    principal: String,
    /// Of the answer.
    language: Language,
    /// Of errors.
    errors: Language,
    name: String,
    assistant: Assistant,
    chosen: Chosen,
}

/// The new turn in the making.
struct Ended {
    conclusion: Conclusion,
    stop_reason: &'static str,
    notice: Option<String>,
    calls: Vec<Value>,
    /// What can be gone on from, if anything can.
    kept: Option<Kept>,
}

impl Talk {
    fn begin(settings: Settings, mut asked: Asked) -> Result<Self, Refusal> {
        let (principal, errors) = (caller::principal(), errors_language());
        let language = Language::of_caller(caller::locale().as_deref(), &asked.message);
        let found = asked.turn.as_ref().map(|it| turns::find(it, &principal)).transpose();
        let mut kept = found.map_err(|why| Refusal::unread(&why, errors))?.flatten();
        // Another assistant has other tools, and received other messages.
        kept = kept.filter(|it| asked.assistant.as_ref().is_none_or(|name| *name == it.assistant));
        let name = asked.assistant.clone();
        let name = name.or(kept.as_ref().map(|it| it.assistant.clone()));
        let name = name.unwrap_or_else(|| settings.chat.assistant.clone());
        let there = settings.there().find(|it| *it.0 == name).map(|it| it.1.clone());
        let config = there.ok_or_else(|| {
            let names = settings.there().map(|it| it.0.as_str()).collect::<Vec<_>>().join(", ");
            Refusal::no_assistant(&name, &names, errors)
        })?;
        let mut chosen = models::chosen(&config, &settings.models);
        if let Some(it) = &kept {
            // Where no model is named, it is the one that was found before.
            if it.provider == chosen.provider && chosen.model.is_empty() {
                chosen.model = it.model.as_str().into();
            }
            let is_other = it.provider != chosen.provider || it.model != *chosen.model;
            if is_other && can_move(&asked, it) {
                kept = None;
            } else if is_other {
                // It ends with what began it, as long as that is there.
                chosen = Chosen { provider: it.provider, model: it.model.as_str().into() };
                kept = kept.filter(|it| settings.models.is_ready(it.provider));
            }
        }
        if asked.turn.is_some() && kept.is_none() && !can_begin(&asked) {
            return Err(Refusal::gone(errors));
        }
        if let Some(kept) = &kept {
            let is_answered = kept.waiting.iter().any(|it| !it.approval.is_empty());
            if asked.message.is_empty() && !is_answered && asked.selected.is_none() {
                let details = errors.pick("待っている呼び出しはありません", "No call waits");
                return Err(Refusal::no_message(details, errors));
            }
            asked.history.clear();
        } else if let Some(selected) = asked.selected.take() {
            asked.images.extend(selected);
        }
        let transcript = kept.as_ref().map(|it| &it.transcript).filter(|it| !it.is_null());
        let picker = models::picker(&chosen, &config, &settings.models, transcript);
        let makes_pictures = config.makes_pictures;
        let picker = picker.map_err(|it| Refusal::of_model_error(it, makes_pictures, errors))?;
        let manner = Manner {
            language: Some(language.tag().to_owned()),
            capabilities: Some(CAPABILITIES.to_owned()),
        };
        let mut assistant = Assistant::new(&name, config, manner);
        assistant.needs_picture_tool = !makes_pictures || !chosen.provider.makes_pictures();
        assistant.chooses = asked.chooses;
        let scene = Scene { settings, asked, principal, language, errors, name, assistant, chosen };
        Ok(Self { scene, picker, kept })
    }

    /// The answer; `teller` receives what happens on the way.
    fn answer(self, teller: &Teller) -> Result<Value, Refusal> {
        let Self { mut scene, mut picker, kept } = self;
        let (asked, mut message) = (&mut scene.asked, Vec::new());
        if !asked.message.is_empty() {
            message.push(Part::text(asked.message.as_str()));
        }
        message.extend(std::mem::take(&mut asked.images).into_iter().map(Part::image));
        let history = std::mem::take(&mut asked.history);
        let mut before = Before::default();
        if let Some(mut kept) = kept {
            message.splice(..0, std::mem::take(&mut kept.said));
            let (transcript, order) = (kept.transcript.clone(), kept.order.clone());
            let (assistant, asked) = (&scene.assistant, &scene.asked);
            let going_on = GoingOn { assistant, asked, teller, language: scene.language };
            let gone = going_on.go(kept, assistant.config.bounds().run);
            if !gone.waiting.is_empty() {
                let ended = scene.still_waits(gone, (transcript, order), message);
                return scene.tell(ended, Usage::default(), teller);
            }
            before = Before { answered: gone.answered, ms: gone.ms };
        }
        let language = scene.language;
        let task = Task { message, history, language, now: now() };
        let tally = Tally::begin(&scene.name, scene.chosen.provider);
        let run = scene.assistant.run(&task, before, &mut *picker, teller);
        let (transcript, usage) = (picker.transcript(), picker.usage());
        if let Some(model) = picker.model() {
            scene.chosen.model = model.into();
        }
        drop(picker);
        tally.end(&run, usage);
        let makes_pictures = scene.assistant.config.makes_pictures;
        let run = run.map_err(|it| Refusal::of(it, makes_pictures, scene.errors))?;
        let ended = scene.ended(run, transcript, task.message, teller)?;
        scene.tell(ended, usage, teller)
    }
}

impl Scene {
    /// The next turn, with nothing in it.
    fn fresh(&self, transcript: Value) -> Kept {
        Kept {
            assistant: self.name.clone(),
            provider: self.chosen.provider,
            model: self.chosen.model.to_string(),
            transcript,
            said: Vec::new(),
            waiting: Vec::new(),
            answered: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Something is still to be answered: the model is not asked before it is.
    fn still_waits(
        &self,
        gone: GoneOn,
        (transcript, order): (Value, Vec<String>),
        said: Vec<Part>,
    ) -> Ended {
        let offers = self.assistant.offers();
        let made = gone.answered.iter().filter(|it| gone.ms.contains_key(&it.call.id));
        let calls =
            made.map(|it| answer::call(&it.call, &it.result, gone.ms.get(&it.call.id), &offers));
        let calls = calls.collect();
        let (waiting, answered) = (gone.waiting, gone.answered);
        let kept = Kept { said, waiting, answered, order, ..self.fresh(transcript) };
        self.waits(kept, calls)
    }

    fn waits(&self, kept: Kept, calls: Vec<Value>) -> Ended {
        let count = kept.waiting.len();
        let mut notice = self.language.pick(
            format!("{count}件の確認・入力を待っています。"),
            format!("Waiting for {count} answer(s) of yours."),
        );
        if let Some(changed) = answer::changed(&kept.waiting, self.language) {
            notice = format!("{changed}{}{notice}", self.language.pick("", " "));
        }
        let conclusion = Conclusion::default();
        let (notice, kept) = (Some(notice), Some(kept));
        Ended { conclusion, stop_reason: "waiting", notice, calls, kept }
    }

    /// What a run came to.
    fn ended(
        &self,
        run: Run,
        transcript: Value,
        message: Vec<Part>,
        teller: &Teller,
    ) -> Result<Ended, Refusal> {
        let offers = self.assistant.offers();
        let (mut kept, mut is_whole) = (self.fresh(transcript), true);
        let Run { mut answered, ms, left, is_delivered, ending } = run;
        if !is_delivered {
            kept.said = message;
        }
        let (mut conclusion, stop_reason, notice) = match ending {
            Ending::Concluded(it) => {
                let stop_reason = it.cut.unwrap_or("end");
                (it, stop_reason, None)
            }
            Ending::Stopped(it) => {
                // Where it is not known what the model received, there is nothing to go on from.
                is_whole = !left.is_empty();
                kept.order = left.iter().map(|it| it.call.id.clone()).collect();
                kept.answered = left;
                let (stop_reason, notice) = answer::notice(it, self.language);
                (answer::stopped(&answered, notice), stop_reason, Some(notice.to_owned()))
            }
            Ending::Failed(it) => {
                kept.order = left.iter().map(|it| it.call.id.clone()).collect();
                kept.answered = left;
                let makes_pictures = self.assistant.config.makes_pictures;
                let refusal = Refusal::of_model_error(it, makes_pictures, self.language);
                log::warning(&format!(
                    "the model failed after calls were made: {}",
                    refusal.details()
                ));
                let notice = refusal.error().to_owned();
                let conclusion = answer::failed(&answered, &offers, &notice, self.language);
                (conclusion, "model_failed", Some(notice))
            }
            Ending::Waits { held, order } => {
                kept.waiting = held;
                let calls = answer::calls(&answered, &kept.waiting, &ms, &offers);
                let others = order.len().saturating_sub(kept.waiting.len());
                kept.answered = answered.split_off(answered.len().saturating_sub(others));
                kept.order = order;
                return Ok(self.waits(kept, calls));
            }
        };
        if answer::text_and_images(&conclusion).1.is_empty() {
            let tool = self.assistant.config.picture_tool.as_deref();
            for image in answer::made_by(tool, &answered) {
                teller.show(&image);
                conclusion.parts.push(Part::image(image));
            }
        }
        let mut notice = notice;
        let mut stop_reason = stop_reason;
        let (text, images) = answer::text_and_images(&conclusion);
        if text.trim().is_empty() && images.is_empty() {
            let text = answer::nothing(conclusion.cut.is_some(), self.language);
            conclusion.parts = answer::failed(&answered, &offers, text, self.language).parts;
            stop_reason = if conclusion.cut.is_some() { stop_reason } else { "empty" };
            notice = Some(text.to_owned());
        }
        let calls = answer::calls(&answered, &[], &ms, &offers);
        let kept = Some(kept).filter(|_| is_whole);
        Ok(Ended { conclusion, stop_reason, notice, calls, kept })
    }

    /// Keeps the new turn, and returns what came of it.
    fn tell(self, ended: Ended, usage: Usage, teller: &Teller) -> Result<Value, Refusal> {
        let Ended { conclusion, stop_reason, notice, calls, kept } = ended;
        let offers = self.assistant.offers();
        let held: Vec<_> = kept.iter().flat_map(|it| it.waiting.clone()).collect();
        let waiting: Vec<_> =
            held.iter().map(|it| answer::waiting(it, &offers, self.language)).collect();
        let choices = answer::choices(&held);
        let turn = match kept {
            Some(kept) => turns::keep(&self.principal, &kept, &self.settings.chat).map(Some),
            None => Ok(None),
        };
        let turn = match turn {
            Ok(turn) => turn,
            Err(error) if waiting.is_empty() => {
                log::warning(&format!("a turn is not kept: {error}"));
                None
            }
            Err(error) => return Err(Refusal::unkept(error, self.errors)),
        };
        for it in &waiting {
            teller.tell("question", || it.clone());
        }
        let usage = answer::usage(&usage);
        teller.tell("usage", || usage.clone());
        let (text, mut images) = answer::text_and_images(&conclusion);
        let mut kind = Value::Null;
        if !choices.is_empty() {
            // The page of the specification knows it by that (ILL-45).
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

/// Whether it can be asked without the turn: the request has the earlier messages, and nothing waits.
fn can_begin(asked: &Asked) -> bool {
    !asked.message.is_empty() && !asked.history.is_empty()
}

/// Whether another model may go on with it.
fn can_move(asked: &Asked, kept: &Kept) -> bool {
    kept.waiting.is_empty() && can_begin(asked)
}
