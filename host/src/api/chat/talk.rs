//! One request, from what is asked to its answer: finds the turn it goes on from, makes what was
//! allowed happen, lets the assistant run, and keeps the new turn.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    Refusal, Shared, answer,
    going_on::{GoingOn, GoneOn, waits},
    request::Asked,
    told_only,
};
use crate::{
    assistant::{
        Asker, Assistant, Before, Conclusion, Decider, Ending, Language, Part, Provider, Run, Task,
        Teller, Undecided, Usage, Why, answered,
        models::{self, Chosen},
        outcome,
        turns::Kept,
    },
    call::TraceHeaders,
    caller::Caller,
};

/// One request in the making.
pub(super) struct Talk {
    scene: Scene,
    decider: Box<dyn Decider>,
    /// What it goes on from.
    kept: Option<Kept>,
}

/// Who talks with whom, about what.
struct Scene {
    shared: Arc<Shared>,
    asked: Asked,
    asker: Asker,
    language: Language,
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
    pub(super) async fn begin(
        shared: &Arc<Shared>,
        mut asked: Asked,
        (caller, trace): (Caller, TraceHeaders),
        language: Language,
    ) -> Result<Self, Refusal> {
        let mut kept = match &asked.turn {
            Some(id) => shared.turns.find(id, &caller.principal).await,
            None => None,
        };
        // Another assistant has other tools, and was told other things.
        kept = kept.filter(|it| asked.assistant.as_ref().is_none_or(|name| *name == it.assistant));
        let name = asked.assistant.clone();
        let name = name.or(kept.as_ref().map(|it| it.assistant.clone()));
        let name = name.unwrap_or_else(|| shared.default.clone());
        let config = shared.assistant(&name, language)?;
        let mut chosen = models::chosen(&config, &shared.models, &shared.base);
        if let Some(it) = &kept {
            // Where no model is named, it is the one that was found before.
            if it.provider == chosen.provider && chosen.model.is_empty() {
                chosen.model = it.model.as_str().into();
            }
            let is_other = it.provider != chosen.provider || it.model != *chosen.model;
            if is_other && can_move(&asked, it) {
                kept = None;
            } else if is_other {
                // It ends with whoever began it, as long as they are there.
                chosen = Chosen { provider: it.provider, model: it.model.as_str().into() };
                kept = kept.filter(|it| shared.is_ready(it.provider));
            }
        }
        if asked.turn.is_some() && kept.is_none() && !can_begin(&asked) {
            return Err(Refusal::gone(language));
        }
        if let Some(kept) = &kept {
            GoingOn::check(&asked, kept, language)?;
            if asked.message.is_empty() && kept.waiting.is_empty() {
                let details = language.pick("待っている呼び出しはありません", "No call waits");
                return Err(Refusal::no_message(details, language));
            }
            asked.history.clear();
        } else if let Some(selected) = asked.selected.take() {
            asked.images.extend(selected);
        }
        let transcript = kept.as_ref().map(|it| &it.transcript).filter(|it| !it.is_null());
        let decider = models::decider(
            &chosen,
            &config,
            &shared.models,
            &shared.base,
            (&shared.registry, transcript),
        );
        let makes_pictures = config.makes_pictures();
        let decider = decider.map_err(|it| Refusal::of_undecided(it, makes_pictures, language))?;
        let of = (name.as_str(), config);
        let mut assistant = Assistant::new(&shared.calls, &shared.registry, of);
        assistant.needs_picture_tool = !makes_pictures || chosen.provider != Provider::Gemini;
        let mut asker = Asker::new(caller, trace);
        asker.trusts = std::mem::take(&mut asked.trusts);
        asker.chooses = asked.chooses;
        let shared = shared.clone();
        let scene = Scene { shared, asked, asker, language, name, assistant, chosen };
        Ok(Self { scene, decider, kept })
    }

    /// The answer; what happens on the way is told to `teller`.
    pub(super) async fn answer(self, teller: &Teller) -> Result<Value, Refusal> {
        let Self { mut scene, mut decider, kept } = self;
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
            let most = scene.assistant.config.bounds().run;
            let Ok(gone) = timeout(most, scene.go_on(kept, teller)).await else {
                let it = Undecided::new(Why::Slow, "a call that was allowed did not end in time");
                return Err(Refusal::of_undecided(it, false, scene.language));
            };
            let gone = gone?;
            if !gone.waiting.is_empty() {
                let ended = scene.still_waits(gone, (transcript, order), message);
                return scene.tell(ended, Usage::default(), teller).await;
            }
            before = Before { answered: gone.answered, ms: gone.ms };
        }
        let (language, now) = (scene.language, scene.shared.now());
        let task = Task { message, history, language, now };
        let mut running = scene.shared.metrics.run(&scene.name, scene.chosen.provider);
        let run = scene.assistant.run(&task, before, &mut *decider, &scene.asker, teller).await;
        let (transcript, usage) = (decider.transcript(), decider.usage());
        if let Some(model) = decider.model() {
            scene.chosen.model = model.into();
        }
        drop(decider);
        running.took(usage);
        running.ended(outcome(&run), answered(&run));
        drop(running);
        let makes_pictures = scene.assistant.config.makes_pictures();
        let run = run.map_err(|it| Refusal::of(it, makes_pictures, language))?;
        let ended = scene.ended(run, transcript, task.message, teller).await?;
        scene.tell(ended, usage, teller).await
    }
}

impl Scene {
    async fn go_on(&self, kept: Kept, teller: &Teller) -> Result<GoneOn, Refusal> {
        let going_on = GoingOn {
            assistant: &self.assistant,
            asker: &self.asker,
            asked: &self.asked,
            language: self.language,
            teller,
        };
        going_on.go(kept).await
    }

    /// The next turn, with nothing in it.
    fn fresh(&self, transcript: Value) -> Kept {
        Kept {
            owner: self.asker.caller.principal.to_string(),
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

    /// Something is still to be answered: nobody decides before it is.
    fn still_waits(
        &self,
        gone: GoneOn,
        (transcript, order): (Value, Vec<String>),
        said: Vec<Part>,
    ) -> Ended {
        let offers = self.assistant.offers(&self.asker.caller);
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
    async fn ended(
        &self,
        run: Run,
        transcript: Value,
        message: Vec<Part>,
        teller: &Teller,
    ) -> Result<Ended, Refusal> {
        let offers = self.assistant.offers(&self.asker.caller);
        let (mut kept, mut is_whole) = (self.fresh(transcript), true);
        let Run { mut answered, ms, left, is_heard, ending } = run;
        if !is_heard {
            kept.said = message;
        }
        let (mut conclusion, stop_reason, notice) = match ending {
            Ending::Concluded(it) => {
                let stop_reason = it.cut.unwrap_or("end");
                (it, stop_reason, None)
            }
            Ending::Stopped(it) => {
                // Where nobody knows what was heard, there is nothing to go on from.
                is_whole = !left.is_empty();
                kept.order = left.iter().map(|it| it.call.id.clone()).collect();
                kept.answered = left;
                let (stop_reason, notice) = answer::notice(it, self.language);
                (answer::stopped(&answered, notice), stop_reason, Some(notice.to_owned()))
            }
            Ending::Failed(it) => {
                kept.order = left.iter().map(|it| it.call.id.clone()).collect();
                kept.answered = left;
                let makes_pictures = self.assistant.config.makes_pictures();
                let refusal = Refusal::of_undecided(it, makes_pictures, self.language);
                tracing::warn!("the model failed after calls were made: {}", refusal.details());
                let notice = refusal.error().to_owned();
                let conclusion = answer::failed(&answered, &offers, &notice, self.language);
                (conclusion, "model_failed", Some(notice))
            }
            Ending::Waits { held, order } => {
                kept.waiting = waits(&self.assistant, &self.asker, held, self.language).await?;
                let calls = answer::calls(&answered, &kept.waiting, &ms, &offers);
                let others = order.len().saturating_sub(kept.waiting.len());
                kept.answered = answered.split_off(answered.len().saturating_sub(others));
                kept.order = order;
                return Ok(self.waits(kept, calls));
            }
        };
        if answer::said(&conclusion).1.is_empty() {
            let tool = self.assistant.config.picture_tool();
            for image in answer::made_by(tool, &answered) {
                teller.show(&image).await;
                conclusion.parts.push(Part::image(image));
            }
        }
        let mut notice = notice;
        let mut stop_reason = stop_reason;
        let (text, images) = answer::said(&conclusion);
        if text.trim().is_empty() && images.is_empty() {
            let said = answer::nothing(conclusion.cut.is_some(), self.language);
            conclusion.parts = answer::failed(&answered, &offers, said, self.language).parts;
            stop_reason = if conclusion.cut.is_some() { stop_reason } else { "empty" };
            notice = Some(said.to_owned());
        }
        let calls = answer::calls(&answered, &[], &ms, &offers);
        let kept = Some(kept).filter(|_| is_whole);
        Ok(Ended { conclusion, stop_reason, notice, calls, kept })
    }

    /// Keeps the new turn, and tells what came of it.
    async fn tell(self, ended: Ended, usage: Usage, teller: &Teller) -> Result<Value, Refusal> {
        let Ended { conclusion, stop_reason, notice, calls, kept } = ended;
        let offers = self.assistant.offers(&self.asker.caller);
        let held = kept.as_ref().map_or(&[][..], |it| &it.waiting);
        let waiting: Vec<_> =
            held.iter().map(|it| answer::waiting(it, &offers, self.language)).collect();
        let choices = answer::choices(held);
        let turn = match kept {
            Some(kept) => self.shared.turns.keep(kept).await.map(Some),
            None => Ok(None),
        };
        let turn = match turn {
            Ok(turn) => turn,
            Err(error) if waiting.is_empty() => {
                tracing::warn!("a turn is not kept: {error}");
                None
            }
            Err(error) => return Err(Refusal::unkept(error.to_string(), self.language)),
        };
        for it in &waiting {
            teller.tell("question", || it.clone()).await;
        }
        let usage = answer::usage(&usage);
        teller.tell("usage", || usage.clone()).await;
        let (text, mut images) = answer::said(&conclusion);
        let mut kind = Value::Null;
        if !choices.is_empty() {
            // The page of the specification knows it by that (ILL-45).
            (images, kind) = (choices, json!("mcp_results"));
        }
        Ok(told_only(json!({
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

/// Whether it can be asked without the turn: what was said before is told along, and nothing waits.
fn can_begin(asked: &Asked) -> bool {
    let answers = !asked.approvals.is_empty() || !asked.answers.is_empty();
    !asked.message.is_empty() && !asked.history.is_empty() && !answers
}

/// Whether somebody else may go on with it.
fn can_move(asked: &Asked, kept: &Kept) -> bool {
    kept.waiting.is_empty() && can_begin(asked)
}
