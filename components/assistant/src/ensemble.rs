//! Decides without a model: asks all components that understand sentences and follows the most
//! confident one. Splits a sentence with requests for several components, lets the person choose
//! between two that are equally confident, and answers small talk itself.

mod leads;
mod offered;

use std::collections::BTreeMap;

use language::{
    Language,
    consent::{Consent, consent},
    context::signature,
    contract::{TurnRequest, without_signature},
    message::Part,
    normalize::{self, without_joints},
    order::{order, turns_round},
    small_talk::{CLOSED, SmallTalk, answer, is_nothing, takes_back},
    turn::{Conclusion, Decision},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolkit::dialogue::{Answer, Heard, Language as Tongue, Name, Piece, Reply, Step, Turn};

use leads::{
    CLAIMED_MIN, Lead, PART_MIN, PARTS_MAX, apart, dropped, parts, requests, surest, with_condition,
};
use offered::Offered;

/// Maximum number of notes that wait for the next answer; the latest ones are kept.
const NOTES_MAX: usize = 8;
/// Minimum number of wishes of a list.
const WISHES_MIN: usize = 3;
/// Minimum confidence for a thing of a list to be a wish.
const WISH_MIN: f32 = 0.6;
/// Name of the built-in small talk. No component has this name.
const SMALL_TALK: &str = "(small talk)";

/// The components that understand sentences.
pub trait Families {
    /// Returns the components' names for things, and sentences that may be written to them.
    fn names(&self, language: Tongue) -> Vec<Name>;

    /// Asks every component, or only the named one, about `turn`, each with its own memory.
    fn ask(&self, turn: &Turn, memories: &[(String, String)], only: Option<&str>) -> Vec<Heard>;
}

/// Why no component replied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoReply {
    /// No component understands sentences.
    Nothing,
    /// The component of that name failed, and no other one answered.
    Failed(String),
}

/// State of a conversation.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Ensemble {
    /// Memory of each component for the next turn, by its name.
    memories: BTreeMap<String, Value>,
    /// Component that leads the conversation.
    latest: Option<String>,
    /// The same, small talk aside.
    latest_family: Option<String>,
    /// Components that declined the request, and their answers.
    #[serde(rename = "gone")]
    declined: Vec<String>,
    #[serde(rename = "missed")]
    declined_texts: String,
    /// The current request, those that follow, and notes for the next answer.
    request: String,
    rest: Vec<String>,
    #[serde(rename = "told")]
    notes: Vec<Part>,
    /// Whether the current sentence interrupts the queue. It may be a question, so no further request
    /// follows it automatically.
    #[serde(rename = "between")]
    is_interruption: bool,
    /// Two equally confident components, between which the person chooses.
    offered: Option<Offered>,
}

/// One turn and the components to ask.
struct Query<'a, F> {
    families: &'a F,
    turn: Turn,
}

impl Ensemble {
    /// Returns the next step of a turn.
    ///
    /// # Errors
    /// If no component replies.
    pub fn next(&mut self, families: &impl Families, mut turn: Turn) -> Result<Step, NoReply> {
        turn.names = families.names(turn.language);
        let mut query = Query { families, turn };
        // A turn that only continues with pending calls has no sentence.
        let is_said = query.turn.answered.is_empty() || !text_of(&query.turn.message).is_empty();
        query.turn.is_first &= is_said;
        let mut step = match query.turn.is_first {
            true => self.begin(&mut query)?,
            false => self.continue_turn(&mut query)?,
        };
        // Goes on to the next request once this one is answered.
        while let Step::Answer(answer) = &mut step {
            if self.is_interruption {
                let rest = std::mem::take(&mut self.rest);
                self.note_dropped(query.language(), &rest);
            }
            if self.rest.is_empty() {
                let parts = std::mem::take(&mut self.notes).into_iter();
                answer.content.splice(..0, parts.map(Into::into));
                break;
            }
            let content = std::mem::take(&mut answer.content);
            self.notes.extend(content.into_iter().map(|piece| match piece {
                Piece::Text(text) => {
                    Part::text(format!("{}\n\n", without_signature(&text, query.language())))
                }
                picture => picture.into(),
            }));
            let request = self.rest.remove(0);
            query.set_message(&request);
            step = self.consult(&query, request)?;
        }
        Ok(step)
    }

    /// Handles a new sentence.
    fn begin<F: Families>(&mut self, query: &mut Query<'_, F>) -> Result<Step, NoReply> {
        let message = text_of(&query.turn.message);
        if let Some(step) = self.fill_form(query, &message)? {
            return Ok(step);
        }
        let (mut rest, notes) = (std::mem::take(&mut self.rest), std::mem::take(&mut self.notes));
        if is_nothing(&message) {
            rest.clear();
        }
        let before = self.latest.clone();
        let step = self.answer_message(query, &message)?;
        let new = std::mem::replace(&mut self.notes, notes);
        // Queued requests stay if the sentence continues with the same component; otherwise they are dropped
        // with a note.
        if self.rest.is_empty() && self.latest == before {
            self.is_interruption = !rest.is_empty() && consent(&message) != Some(Consent::Yes);
            self.rest = rest;
        } else {
            self.is_interruption = false;
            self.note_dropped(query.language(), &rest);
        }
        self.notes.extend(new);
        // Forms that are skipped one after another leave notes that no answer has shown.
        self.notes.drain(..self.notes.len().saturating_sub(NOTES_MAX));
        Ok(step)
    }

    /// Adds a note about requests that are dropped.
    fn note_dropped(&mut self, language: Language, requests: &[String]) {
        if requests.is_empty() {
            return;
        }
        let requests: Vec<_> = requests.iter().map(|it| without_joints(it).trim()).collect();
        let list = requests.join(language.pick("」「", "\", \""));
        let note = language.pick(
            format!("前の「{list}」には進みません。必要なら、もう一度書いてください。"),
            format!(
                "I do not go on with \"{list}\" of before; write it again if you still wish it."
            ),
        );
        self.notes.push(Part::text(format!("{note}\n\n")));
    }

    /// Handles a sentence that is not a form's answer.
    fn answer_message<F: Families>(
        &mut self,
        query: &mut Query<'_, F>,
        message: &str,
    ) -> Result<Step, NoReply> {
        if let Some((request, family)) = self.offered.take().and_then(|it| it.chosen(message)) {
            query.set_message(&request);
            self.request = request;
            let mut replies = self.replies(query, Some(&family))?;
            return Ok(self.accept_reply(replies.remove(0)));
        }
        // Context and call results belong to the whole sentence.
        let is_alone = query.turn.context.is_none() && query.turn.answered.is_empty();
        let requests = if is_alone { self.requests(query, message)? } else { Vec::new() };
        let mut requests = with_condition(requests);
        if requests.is_empty() {
            return self.consult(query, message.to_owned());
        }
        self.rest = requests.split_off(1);
        query.set_message(&requests[0]);
        self.consult(query, requests.remove(0))
    }

    /// Passes a form's answer to the component that asked for it; queued requests follow.
    fn fill_form<F: Families>(
        &mut self,
        query: &Query<'_, F>,
        message: &str,
    ) -> Result<Option<Step>, NoReply> {
        let is_form =
            message == CLOSED || serde_json::from_str::<Map<String, Value>>(message).is_ok();
        let waits = !self.rest.is_empty() || !self.notes.is_empty();
        let latest = self.latest.clone().filter(|it| is_form && waits && it != SMALL_TALK);
        let Some(latest) = latest else { return Ok(None) };
        self.is_interruption = false;
        let replies = self.replies(query, Some(&latest))?;
        let reply = replies.into_iter().find(|it| it.0 == latest && it.1.confidence >= PART_MIN);
        Ok(reply.map(|it| self.accept_reply(it)))
    }

    /// Splits a sentence that has requests for several components.
    fn requests<F: Families>(
        &self,
        query: &mut Query<'_, F>,
        message: &str,
    ) -> Result<Vec<String>, NoReply> {
        let wishes = self.listed_wishes(query, message)?;
        if !wishes.is_empty() {
            return Ok(wishes);
        }
        let (mut leads, mut all) = (Vec::new(), Vec::new());
        for actions in parts(message) {
            let mut of_part = Vec::new();
            for action in actions {
                let alone = without_joints(&action).trim().to_owned();
                query.set_message(&alone);
                let lead = self.lead(query)?;
                all.push((alone, lead.clone()));
                of_part.push((action, lead));
            }
            for (part, lead) in apart(of_part) {
                query.set_message(&part);
                let lead = lead.map_or_else(|| self.lead(query), Ok)?;
                leads.push((part, lead));
            }
        }
        if leads.is_empty() {
            return Ok(Vec::new());
        }
        query.set_message(message);
        let whole = self.lead(query)?;
        let alone = dropped(&whole, &all);
        let apart = requests(&whole, leads);
        Ok(if apart.is_empty() { alone } else { apart })
    }

    /// Splits a list of at least three wishes, each for another component: `明日の映画、駅からの道、雪のカード`.
    fn listed_wishes<F: Families>(
        &self,
        query: &mut Query<'_, F>,
        message: &str,
    ) -> Result<Vec<String>, NoReply> {
        let wishes = normalize::listed(message);
        let mut names: Vec<String> = Vec::new();
        if !(WISHES_MIN..=PARTS_MAX).contains(&wishes.len()) {
            return Ok(Vec::new());
        }
        for wish in &wishes {
            query.set_message(wish);
            let lead = self.lead(query)?;
            if lead.confidence < WISH_MIN || names.contains(&lead.name) {
                query.set_message(message);
                return Ok(Vec::new());
            }
            names.push(lead.name);
        }
        Ok(wishes)
    }

    /// Handles one request.
    fn consult<F: Families>(
        &mut self,
        query: &Query<'_, F>,
        request: String,
    ) -> Result<Step, NoReply> {
        (self.declined, self.declined_texts) = Default::default();
        self.request = request;
        self.ask(query)
    }

    /// Asks all components and follows the most confident one.
    fn ask<F: Families>(&mut self, query: &Query<'_, F>) -> Result<Step, NoReply> {
        let mut replies = self.replies(query, None)?;
        // `undo` is about what was done last, not about the form of another component.
        if takes_back(&self.request) {
            let latest = self.latest_family.as_ref().or(self.latest.as_ref());
            let latest = latest.map_or(SMALL_TALK, String::as_str);
            for (_, reply) in
                replies.iter_mut().filter(|it| ![latest, SMALL_TALK].contains(&&*it.0))
            {
                reply.confidence = 0.0;
            }
        }
        // `逆にして` turns round what came last, unless that has no order.
        if turns_round(&self.request)
            && let Some(latest) = self.latest_family.as_ref()
            && replies.iter().any(|it| it.0 == *latest && it.1.confidence >= PART_MIN)
        {
            replies.retain(|it| it.0 == *latest || it.0 == SMALL_TALK);
        }
        // `stop` after a route is no order to a component that would only guess so.
        let latest = self.latest.as_deref().filter(|it| *it != SMALL_TALK);
        if let Some(latest) = latest.filter(|_| order(&self.request).is_some()) {
            let is_guess = |it: &(String, Reply)| it.1.confidence < PART_MIN;
            let others = replies.iter_mut().filter(|it| ![latest, SMALL_TALK].contains(&&*it.0));
            for (_, reply) in others.filter(|it| is_guess(it)) {
                reply.confidence = 0.0;
            }
        }
        if query.turn.context.is_none()
            && let Some((offered, question)) =
                Offered::detect(&self.request, &replies, self.latest.as_deref(), query.language())
        {
            self.offered = Some(offered);
            let content = vec![Piece::Text(question)];
            return Ok(Step::Answer(Answer { content, choice: None }));
        }
        let at = surest(&leads(&replies), self.latest.as_deref()).unwrap_or_default();
        Ok(self.accept_reply(replies.swap_remove(at)))
    }

    /// Passes call results to the component that made the calls.
    fn continue_turn<F: Families>(&mut self, query: &mut Query<'_, F>) -> Result<Step, NoReply> {
        let mut replies = self.replies(query, self.latest.as_deref())?;
        let at = surest(&leads(&replies), self.latest.as_deref()).unwrap_or_default();
        let (name, reply) = replies.swap_remove(at);
        let is_given_up = reply.confidence == 0.0;
        let step = self.accept_reply((name.clone(), reply));
        let mut answer = match step {
            Step::Answer(it) if is_given_up => it,
            step => return Ok(step),
        };
        // It declined. If every other component declines as well, all their answers are shown.
        let text = text_of(&answer.content);
        self.declined_texts.push_str(without_signature(&text, query.language()));
        self.declined_texts.push('\n');
        self.declined.push(name);
        query.set_message(&self.request.clone());
        match self.lead(query) {
            Ok(lead) if lead.confidence > CLAIMED_MIN => self.ask(query),
            _ => {
                let signature = signature(query.language());
                answer.content =
                    vec![Piece::Text(self.declined_texts.trim_end().to_owned() + signature)];
                Ok(Step::Answer(answer))
            }
        }
    }

    /// Returns the component that would lead.
    fn lead<F: Families>(&self, query: &Query<'_, F>) -> Result<Lead, NoReply> {
        let mut leads = leads(&self.replies(query, None)?);
        let at = surest(&leads, self.latest.as_deref()).unwrap_or_default();
        Ok(leads.swap_remove(at))
    }

    /// Returns the replies of the components asked; at least one.
    fn replies<F: Families>(
        &self,
        query: &Query<'_, F>,
        only: Option<&str>,
    ) -> Result<Vec<(String, Reply)>, NoReply> {
        let memory = |(name, memory): (&String, &Value)| (name.clone(), memory.to_string());
        let memories: Vec<_> = self.memories.iter().map(memory).collect();
        let (mut replies, mut silence) = (Vec::new(), NoReply::Nothing);
        for Heard { component, reply } in query.families.ask(&query.turn, &memories, only) {
            match reply {
                Ok(reply) => replies.push((component, reply)),
                Err(_) => silence = NoReply::Failed(component),
            }
        }
        if replies.is_empty() {
            return Err(silence);
        }
        replies.retain(|it| !self.declined.contains(&it.0));
        if only.is_none() || replies.is_empty() {
            replies.push((SMALL_TALK.to_owned(), small_talk(query.turn.clone())));
        }
        for (_, it) in &mut replies {
            let is_number = it.confidence.is_finite();
            it.confidence = if is_number { it.confidence.clamp(0.0, 1.0) } else { 0.0 };
        }
        Ok(replies)
    }

    /// Accepts the reply of the component that leads.
    fn accept_reply(&mut self, (name, reply): (String, Reply)) -> Step {
        let memory = serde_json::from_str(&reply.memory).unwrap_or_default();
        self.memories.insert(name.clone(), memory);
        if name != SMALL_TALK {
            self.latest_family = Some(name.clone());
        }
        self.latest = Some(name);
        reply.step
    }
}

impl<F> Query<'_, F> {
    fn language(&self) -> Language {
        match self.turn.language {
            Tongue::Ja => Language::Japanese,
            Tongue::En => Language::English,
        }
    }

    /// Replaces the turn's text; its pictures stay, and its call results are dropped.
    fn set_message(&mut self, text: &str) {
        let turn = &mut self.turn;
        (turn.is_first, turn.answered) = (true, Vec::new());
        if text_of(&turn.message) != text {
            turn.message.retain(|it| matches!(it, Piece::Picture(_)));
            turn.message.insert(0, Piece::Text(text.to_owned()));
        }
    }
}

/// Joins the texts of `content`.
fn text_of(content: &[Piece]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(it) => Some(it.clone()),
        Piece::Picture(_) => None,
    };
    content.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

fn leads(replies: &[(String, Reply)]) -> Vec<Lead> {
    let lead = |(name, reply): &(String, Reply)| Lead {
        name: name.clone(),
        confidence: reply.confidence,
        answers: matches!(reply.step, Step::Answer(_)),
    };
    replies.iter().map(lead).collect()
}

/// Answers greetings, thanks, questions about prices, and sentences that mean nothing here. Never as
/// confident as a component that claims a sentence.
fn small_talk(turn: Turn) -> Reply {
    let memory = turn.memory.clone().unwrap_or_else(|| Value::Null.to_string());
    let nothing = Answer { content: Vec::new(), choice: None };
    let nothing = Reply { confidence: 0.0, memory, step: Step::Answer(nothing) };
    let Ok(request) = TurnRequest::read(turn, None) else { return nothing };
    if request.is_theirs {
        return nothing;
    }
    let (text, turn) = (language::message::text_of(&request.task.message), request.turn());
    let talk = SmallTalk {
        text: &text,
        language: request.task.language,
        now: request.task.now,
        names: &request.names,
        offers: turn.offers,
    };
    let (text, confidence) = answer(&talk);
    let conclusion = Conclusion { parts: vec![Part::text(text)], choice: None };
    request.reply(Decision::Conclude(conclusion), &request.memory, confidence)
}

#[cfg(test)]
mod tests {
    use toolkit::{
        Datetime,
        dialogue::{Answered, Call, Output},
    };

    use super::*;

    /// Components with the words they know and their confidence. A call whose answer is `nothing` declines.
    struct Fixed(&'static [(&'static str, &'static str, f32)]);

    impl Families for Fixed {
        fn names(&self, _: Tongue) -> Vec<Name> {
            Vec::new()
        }

        fn ask(&self, turn: &Turn, _: &[(String, String)], only: Option<&str>) -> Vec<Heard> {
            let all = self.0.iter().filter(|it| only.is_none_or(|only| only == it.0));
            let ask = |&(family, word, sure): &(&str, &str, f32)| {
                let message = text_of(&turn.message);
                let answer = |text: &str| {
                    let content = vec![Piece::Text(text.to_owned())];
                    Step::Answer(Answer { content, choice: None })
                };
                let (confidence, step) = match turn.answered.first().map(|it| &it.outcome) {
                    Some(Ok(_)) if message.contains("nothing") => (0.0, answer("not mine")),
                    Some(_) => (sure, answer(&format!("{family} answers"))),
                    None if message.contains(word) => (sure, Step::Calls(vec![call(family)])),
                    None => (0.0, answer("")),
                };
                let reply = Reply { confidence, memory: "null".to_owned(), step };
                let fails = message.contains("break");
                let reply = if fails { Err("broken".to_owned()) } else { Ok(reply) };
                Heard { component: family.to_owned(), reply }
            };
            all.map(ask).collect()
        }
    }

    fn call(family: &str) -> Call {
        Call {
            id: format!("{family}-1"),
            tool: format!("{family}_look"),
            arguments: "{}".to_owned(),
            meta: "{}".to_owned(),
            reason: format!("{family} looks"),
        }
    }

    fn turn(message: &str, answered: Vec<Answered>) -> Turn {
        Turn {
            memory: None,
            context: None,
            message: vec![Piece::Text(message.to_owned())],
            is_first: answered.is_empty(),
            history: Vec::new(),
            language: Tongue::En,
            now: Datetime { seconds: 1_795_222_800, nanoseconds: 0 },
            tools: Vec::new(),
            names: Vec::new(),
            answered,
        }
    }

    fn results_of(family: &str) -> Vec<Answered> {
        let json = || "{}".to_owned();
        let output = Output { structured: json(), meta: json(), content: Vec::new() };
        vec![Answered { call: call(family), outcome: Ok(output) }]
    }

    fn step_text(step: &Step) -> String {
        match step {
            Step::Calls(calls) => calls[0].tool.clone(),
            Step::Answer(answer) => text_of(&answer.content),
        }
    }

    #[test]
    fn person_chooses_on_equal_confidence() {
        let families = Fixed(&[("books", "snow", 0.7), ("films", "snow", 0.7)]);
        let mut ensemble = Ensemble::default();
        let asked = step_text(&ensemble.next(&families, turn("snow", Vec::new())).unwrap());
        assert!(asked.contains("1. books looks\n2. films looks"), "{asked}");
        let kept = serde_json::to_string(&ensemble).unwrap();
        for (message, called) in
            [("2", "films_look"), ("snow again", "Which of these"), ("1", "books")]
        {
            let mut ensemble: Ensemble = serde_json::from_str(&kept).unwrap();
            let step = ensemble.next(&families, turn(message, Vec::new())).unwrap();
            assert!(step_text(&step).starts_with(called), "{message}: {}", step_text(&step));
        }
    }

    #[test]
    fn declined_request_goes_to_the_next_component() {
        let families = Fixed(&[("books", "snow", 0.9), ("films", "snow", 0.6)]);
        let mut ensemble = Ensemble::default();
        for called in ["books_look", "films_look"] {
            let answered = match called {
                "films_look" => results_of("books"),
                _ => Vec::new(),
            };
            let step = ensemble.next(&families, turn("snow, nothing", answered)).unwrap();
            assert_eq!(step_text(&step), called);
        }
        let step = ensemble.next(&families, turn("snow, nothing", results_of("films"))).unwrap();
        assert_eq!(step_text(&step), "not mine\nnot mine\n\n(Built-in planner)");
    }

    #[test]
    fn form_answer_keeps_queued_requests() {
        let families =
            Fixed(&[("books", "snow", 0.9), ("films", "rain", 0.9), ("books", "{", 0.9)]);
        for form in [r#"{"name": "Ann"}"#, "{}"] {
            let mut ensemble = Ensemble::default();
            let step = ensemble.next(&families, turn("find snow. Then show me rain", Vec::new()));
            assert_eq!(step_text(&step.unwrap()), "books_look");
            let step = ensemble.next(&families, turn(form, Vec::new())).unwrap();
            assert_eq!(step_text(&step), "books_look", "the form's answer");
            let step = ensemble.next(&families, turn("…", results_of("books"))).unwrap();
            assert_eq!(step_text(&step), "films_look", "{form}");
        }
    }

    #[test]
    fn interrupting_sentence_names_dropped_requests() {
        let families =
            Fixed(&[("books", "snow", 0.9), ("films", "rain", 0.9), ("cards", "sun", 0.9)]);
        let begun = || {
            let mut ensemble = Ensemble::default();
            let step = ensemble.next(&families, turn("find snow. Then show me rain", Vec::new()));
            assert_eq!(step_text(&step.unwrap()), "books_look");
            ensemble
        };
        // A question in between does not continue the queue.
        let mut ensemble = begun();
        let step = ensemble.next(&families, turn("more snow", Vec::new())).unwrap();
        assert_eq!(step_text(&step), "books_look");
        let text = step_text(&ensemble.next(&families, turn("…", results_of("books"))).unwrap());
        assert!(text.contains("show me rain\" of before") && text.contains("books"), "{text}");
        // A form that is filled in does.
        let mut ensemble = begun();
        let step = ensemble.next(&families, turn("{\"snow\": 1}", Vec::new())).unwrap();
        assert_eq!(step_text(&step), "books_look");
        let step = ensemble.next(&families, turn("…", results_of("books"))).unwrap();
        assert_eq!(step_text(&step), "films_look");
        // The person withdraws all of it.
        let mut ensemble = begun();
        let text = step_text(&ensemble.next(&families, turn("never mind", Vec::new())).unwrap());
        assert!(!text.contains("rain"), "{text}");
        // Notes have a limit.
        let mut ensemble = begun();
        for _ in 0..20 {
            for said in ["find snow. Then show me rain", "the sun"] {
                let _ = ensemble.next(&families, turn(said, Vec::new()));
            }
        }
        assert_eq!(ensemble.notes.len(), NOTES_MAX);
        // Another subject: the second request is dropped with a note.
        let mut ensemble = begun();
        let step = ensemble.next(&families, turn("the sun", Vec::new())).unwrap();
        assert_eq!(step_text(&step), "cards_look");
        let text = step_text(&ensemble.next(&families, turn("…", results_of("cards"))).unwrap());
        assert!(
            text.contains("show me rain\" of before") && text.contains("cards answers"),
            "{text}"
        );
    }

    #[test]
    fn reports_failed_or_missing_components() {
        let families = Fixed(&[("books", "snow", 0.9)]);
        let next = |families: &Fixed, message| {
            Ensemble::default().next(families, turn(message, Vec::new())).unwrap_err()
        };
        assert_eq!(next(&families, "break"), NoReply::Failed("books".to_owned()));
        assert_eq!(next(&Fixed(&[]), "snow"), NoReply::Nothing);
    }
}
