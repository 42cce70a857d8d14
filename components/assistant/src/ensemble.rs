//! Decides without a model: all components that understand sentences are asked, and the surest leads.
//! A sentence with requests for several of them is answered request by request; two that are as sure are offered to the
//! person; and what none of them claims is small talk.

mod leads;
mod offered;

use std::collections::BTreeMap;

use language::{
    Language,
    consent::{Consent, consent},
    context::signature,
    contract::{TurnRequest, unsigned},
    message::Part,
    settled::unjoined,
    small_talk::{CLOSED, SmallTalk, answer, is_nothing},
    turn::{Conclusion, Decision},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolkit::dialogue::{Answer, Heard, Language as Tongue, Name, Piece, Reply, Step, Turn};

use leads::{CLAIMED_MIN, Lead, PART_MIN, apart, dropped, parts, requests, surest};
use offered::Offered;

/// What was answered to earlier requests and is not told yet; the latest count.
const TOLD_MAX: usize = 8;
/// What no component claims. No component is called so.
const SMALL_TALK: &str = "(small talk)";

/// The components that understand sentences.
pub trait Families {
    /// What they call things, and what may be written to them.
    fn names(&self, language: Tongue) -> Vec<Name>;

    /// What each makes of `turn`, with its own of the `memories`; or the one that is named alone.
    fn ask(&self, turn: &Turn, memories: &[(String, String)], only: Option<&str>) -> Vec<Heard>;
}

/// Why nothing comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Silence {
    /// No component understands sentences.
    Nothing,
    /// The component of that name failed, and no other one answered.
    Failed(String),
}

/// What is remembered of a conversation.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Ensemble {
    /// What each component wants back with the next turn, by its name.
    memories: BTreeMap<String, Value>,
    /// The component that leads.
    latest: Option<String>,
    /// Components that found out that another one is meant, and what they answered.
    gone: Vec<String>,
    missed: String,
    /// The request that is answered, those that follow, and what was answered to those before.
    request: String,
    rest: Vec<String>,
    told: Vec<Part>,
    /// Whether what is said now came in between: it may be a question, or a stop, and no request follows it unasked.
    #[serde(default)]
    between: bool,
    /// Two that are as sure, between which the person is to choose.
    offered: Option<Offered>,
}

/// A turn, and who is asked what comes next in it.
struct Asking<'a, F> {
    families: &'a F,
    turn: Turn,
}

impl Ensemble {
    /// What comes next in a turn, whose names are filled in.
    ///
    /// # Errors
    /// Where no component says anything.
    pub fn next(&mut self, families: &impl Families, mut turn: Turn) -> Result<Step, Silence> {
        turn.names = families.names(turn.language);
        let mut asking = Asking { families, turn };
        // Where the turn only goes on with calls that waited, there is no sentence.
        let is_said = asking.turn.answered.is_empty() || !text_of(&asking.turn.message).is_empty();
        asking.turn.is_first &= is_said;
        let mut step = match asking.turn.is_first {
            true => self.begin(&mut asking)?,
            false => self.go_on(&mut asking)?,
        };
        // The next request, where this one is answered.
        while let Step::Answer(answer) = &mut step {
            if self.between {
                let rest = std::mem::take(&mut self.rest);
                self.leave(asking.language(), &rest);
            }
            if self.rest.is_empty() {
                let parts = std::mem::take(&mut self.told).into_iter();
                answer.content.splice(..0, parts.map(Into::into));
                break;
            }
            let content = std::mem::take(&mut answer.content);
            self.told.extend(content.into_iter().map(|piece| match piece {
                Piece::Text(it) => Part::text(format!("{}\n\n", unsigned(&it, asking.language()))),
                picture => picture.into(),
            }));
            let request = self.rest.remove(0);
            asking.say(&request);
            step = self.consult(&asking, request)?;
        }
        Ok(step)
    }

    /// Takes in a sentence.
    fn begin<F: Families>(&mut self, asking: &mut Asking<'_, F>) -> Result<Step, Silence> {
        let message = text_of(&asking.turn.message);
        if let Some(step) = self.fill(asking, &message)? {
            return Ok(step);
        }
        let (mut rest, told) = (std::mem::take(&mut self.rest), std::mem::take(&mut self.told));
        if is_nothing(&message) {
            rest.clear();
        }
        let before = self.latest.clone();
        let step = self.hear(asking, &message)?;
        let new = std::mem::replace(&mut self.told, told);
        // The requests of an earlier sentence stay where this one goes on with who led, and are named where it does not.
        if self.rest.is_empty() && self.latest == before {
            self.between = !rest.is_empty() && consent(&message) != Some(Consent::Yes);
            self.rest = rest;
        } else {
            self.between = false;
            self.leave(asking.language(), &rest);
        }
        self.told.extend(new);
        // Forms that are passed over one after another leave notes behind that no answer has told.
        self.told.drain(..self.told.len().saturating_sub(TOLD_MAX));
        Ok(step)
    }

    /// Names requests that are not gone on with.
    fn leave(&mut self, language: Language, requests: &[String]) {
        if requests.is_empty() {
            return;
        }
        let requests: Vec<_> = requests.iter().map(|it| unjoined(it).trim()).collect();
        let list = requests.join(language.pick("」「", "\", \""));
        let note = language.pick(
            format!("前の「{list}」には進みません。必要なら、もう一度書いてください。"),
            format!(
                "I do not go on with \"{list}\" of before; write it again if you still wish it."
            ),
        );
        self.told.push(Part::text(format!("{note}\n\n")));
    }

    /// Takes in a sentence that is nothing a form brought.
    fn hear<F: Families>(
        &mut self,
        asking: &mut Asking<'_, F>,
        message: &str,
    ) -> Result<Step, Silence> {
        if let Some((request, family)) = self.offered.take().and_then(|it| it.chosen(message)) {
            asking.say(&request);
            self.request = request;
            let mut replies = self.replies(asking, Some(&family))?;
            return Ok(self.take(replies.remove(0)));
        }
        // Other context, and what calls came to, is for the whole sentence.
        let is_alone = asking.turn.context.is_none() && asking.turn.answered.is_empty();
        let mut requests = if is_alone { self.requests(asking, message)? } else { Vec::new() };
        if requests.is_empty() {
            return self.consult(asking, message.to_owned());
        }
        self.rest = requests.split_off(1);
        asking.say(&requests[0]);
        self.consult(asking, requests.remove(0))
    }

    /// Takes in what the form brought that the component that leads asked for; further requests are answered after it.
    fn fill<F: Families>(
        &mut self,
        asking: &Asking<'_, F>,
        message: &str,
    ) -> Result<Option<Step>, Silence> {
        let is_form =
            message == CLOSED || serde_json::from_str::<Map<String, Value>>(message).is_ok();
        let waits = !self.rest.is_empty() || !self.told.is_empty();
        let latest = self.latest.clone().filter(|it| is_form && waits && it != SMALL_TALK);
        let Some(latest) = latest else { return Ok(None) };
        self.between = false;
        let replies = self.replies(asking, Some(&latest))?;
        let reply = replies.into_iter().find(|it| it.0 == latest && it.1.confidence >= PART_MIN);
        Ok(reply.map(|it| self.take(it)))
    }

    /// The requests of a sentence that has some for several components.
    fn requests<F: Families>(
        &self,
        asking: &mut Asking<'_, F>,
        message: &str,
    ) -> Result<Vec<String>, Silence> {
        let (mut leads, mut all) = (Vec::new(), Vec::new());
        for deeds in parts(message) {
            let mut of_part = Vec::new();
            for deed in deeds {
                let alone = unjoined(&deed).trim().to_owned();
                asking.say(&alone);
                let lead = self.lead(asking)?;
                all.push((alone, lead.clone()));
                of_part.push((deed, lead));
            }
            for (part, lead) in apart(of_part) {
                asking.say(&part);
                let lead = lead.map_or_else(|| self.lead(asking), Ok)?;
                leads.push((part, lead));
            }
        }
        if leads.is_empty() {
            return Ok(Vec::new());
        }
        asking.say(message);
        let whole = self.lead(asking)?;
        let alone = dropped(&whole, &all);
        let apart = requests(&whole, leads);
        Ok(if apart.is_empty() { alone } else { apart })
    }

    /// Takes in one request.
    fn consult<F: Families>(
        &mut self,
        asking: &Asking<'_, F>,
        request: String,
    ) -> Result<Step, Silence> {
        (self.gone, self.missed) = Default::default();
        self.request = request;
        self.ask(asking)
    }

    /// Asks all, and the surest leads.
    fn ask<F: Families>(&mut self, asking: &Asking<'_, F>) -> Result<Step, Silence> {
        let mut replies = self.replies(asking, None)?;
        if asking.turn.context.is_none()
            && let Some((offered, question)) =
                Offered::of(&self.request, &replies, self.latest.as_deref(), asking.language())
        {
            self.offered = Some(offered);
            let content = vec![Piece::Text(question)];
            return Ok(Step::Answer(Answer { content, choice: None }));
        }
        let at = surest(&leads(&replies), self.latest.as_deref()).unwrap_or_default();
        Ok(self.take(replies.swap_remove(at)))
    }

    /// What calls came to goes to the component that wanted them.
    fn go_on<F: Families>(&mut self, asking: &mut Asking<'_, F>) -> Result<Step, Silence> {
        let mut replies = self.replies(asking, self.latest.as_deref())?;
        let at = surest(&leads(&replies), self.latest.as_deref()).unwrap_or_default();
        let (name, reply) = replies.swap_remove(at);
        let is_given_up = reply.confidence == 0.0;
        let step = self.take((name.clone(), reply));
        let mut answer = match step {
            Step::Answer(it) if is_given_up => it,
            step => return Ok(step),
        };
        // It found out that another one is meant; where none is, all of them say so.
        let text = text_of(&answer.content);
        self.missed.push_str(unsigned(&text, asking.language()));
        self.missed.push('\n');
        self.gone.push(name);
        asking.say(&self.request.clone());
        match self.lead(asking) {
            Ok(lead) if lead.confidence > CLAIMED_MIN => self.ask(asking),
            _ => {
                let signature = signature(asking.language());
                answer.content = vec![Piece::Text(self.missed.trim_end().to_owned() + signature)];
                Ok(Step::Answer(answer))
            }
        }
    }

    /// The component that would lead.
    fn lead<F: Families>(&self, asking: &Asking<'_, F>) -> Result<Lead, Silence> {
        let mut leads = leads(&self.replies(asking, None)?);
        let at = surest(&leads, self.latest.as_deref()).unwrap_or_default();
        Ok(leads.swap_remove(at))
    }

    /// What those say that are asked; one at least.
    fn replies<F: Families>(
        &self,
        asking: &Asking<'_, F>,
        only: Option<&str>,
    ) -> Result<Vec<(String, Reply)>, Silence> {
        let memory = |(name, memory): (&String, &Value)| (name.clone(), memory.to_string());
        let memories: Vec<_> = self.memories.iter().map(memory).collect();
        let (mut replies, mut silence) = (Vec::new(), Silence::Nothing);
        for Heard { component, reply } in asking.families.ask(&asking.turn, &memories, only) {
            match reply {
                Ok(reply) => replies.push((component, reply)),
                Err(_) => silence = Silence::Failed(component),
            }
        }
        if replies.is_empty() {
            return Err(silence);
        }
        replies.retain(|it| !self.gone.contains(&it.0));
        if only.is_none() || replies.is_empty() {
            replies.push((SMALL_TALK.to_owned(), small_talk(asking.turn.clone())));
        }
        for (_, it) in &mut replies {
            let is_number = it.confidence.is_finite();
            it.confidence = if is_number { it.confidence.clamp(0.0, 1.0) } else { 0.0 };
        }
        Ok(replies)
    }

    /// Takes the reply of the component that leads.
    fn take(&mut self, (name, reply): (String, Reply)) -> Step {
        let memory = serde_json::from_str(&reply.memory).unwrap_or_default();
        self.memories.insert(name.clone(), memory);
        self.latest = Some(name);
        reply.step
    }
}

impl<F> Asking<'_, F> {
    fn language(&self) -> Language {
        match self.turn.language {
            Tongue::Ja => Language::Japanese,
            Tongue::En => Language::English,
        }
    }

    /// The person says this, with the pictures of the turn, and nothing was called for it.
    fn say(&mut self, text: &str) {
        let turn = &mut self.turn;
        (turn.is_first, turn.answered) = (true, Vec::new());
        if text_of(&turn.message) != text {
            turn.message.retain(|it| matches!(it, Piece::Picture(_)));
            turn.message.insert(0, Piece::Text(text.to_owned()));
        }
    }
}

/// The text of `content`, without its other pieces.
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

/// The answer to what no component claims: greetings, thanks, prices, and sentences that mean nothing here. It is
/// never as sure as a component that claims a sentence.
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

    /// Components, each sure of the words that it knows; a call of one whose answer is `nothing` comes to nothing.
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

    fn came(family: &str) -> Vec<Answered> {
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
    fn on_equal_confidence_the_person_chooses_and_the_turn_keeps_it() {
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
    fn family_yields_to_the_one_meant_and_says_so_if_there_is_none() {
        let families = Fixed(&[("books", "snow", 0.9), ("films", "snow", 0.6)]);
        let mut ensemble = Ensemble::default();
        for called in ["books_look", "films_look"] {
            let answered = match called {
                "films_look" => came("books"),
                _ => Vec::new(),
            };
            let step = ensemble.next(&families, turn("snow, nothing", answered)).unwrap();
            assert_eq!(step_text(&step), called);
        }
        let step = ensemble.next(&families, turn("snow, nothing", came("films"))).unwrap();
        assert_eq!(step_text(&step), "not mine\nnot mine\n(Built-in planner)");
    }

    #[test]
    fn what_a_form_brings_leaves_the_next_request_to_come() {
        let families =
            Fixed(&[("books", "snow", 0.9), ("films", "rain", 0.9), ("books", "{", 0.9)]);
        for form in [r#"{"name": "Ann"}"#, "{}"] {
            let mut ensemble = Ensemble::default();
            let step = ensemble.next(&families, turn("find snow. Then show me rain", Vec::new()));
            assert_eq!(step_text(&step.unwrap()), "books_look");
            let step = ensemble.next(&families, turn(form, Vec::new())).unwrap();
            assert_eq!(step_text(&step), "books_look", "the form's answer");
            let step = ensemble.next(&families, turn("…", came("books"))).unwrap();
            assert_eq!(step_text(&step), "films_look", "{form}");
        }
    }

    #[test]
    fn a_sentence_in_between_drops_no_request_in_silence() {
        let families =
            Fixed(&[("books", "snow", 0.9), ("films", "rain", 0.9), ("cards", "sun", 0.9)]);
        let begun = || {
            let mut ensemble = Ensemble::default();
            let step = ensemble.next(&families, turn("find snow. Then show me rain", Vec::new()));
            assert_eq!(step_text(&step.unwrap()), "books_look");
            ensemble
        };
        // What is asked in between is no order to go on with the second.
        let mut ensemble = begun();
        let step = ensemble.next(&families, turn("more snow", Vec::new())).unwrap();
        assert_eq!(step_text(&step), "books_look");
        let text = step_text(&ensemble.next(&families, turn("…", came("books"))).unwrap());
        assert!(text.contains("show me rain\" of before") && text.contains("books"), "{text}");
        // A form that is filled in is.
        let mut ensemble = begun();
        let step = ensemble.next(&families, turn("{\"snow\": 1}", Vec::new())).unwrap();
        assert_eq!(step_text(&step), "books_look");
        let step = ensemble.next(&families, turn("…", came("books"))).unwrap();
        assert_eq!(step_text(&step), "films_look");
        // Nothing of it is wished any more.
        let mut ensemble = begun();
        let text = step_text(&ensemble.next(&families, turn("never mind", Vec::new())).unwrap());
        assert!(!text.contains("rain"), "{text}");
        // What stays untold has a limit.
        let mut ensemble = begun();
        for _ in 0..20 {
            for said in ["find snow. Then show me rain", "the sun"] {
                let _ = ensemble.next(&families, turn(said, Vec::new()));
            }
        }
        assert_eq!(ensemble.told.len(), TOLD_MAX);
        // It is about something else: the second is named.
        let mut ensemble = begun();
        let step = ensemble.next(&families, turn("the sun", Vec::new())).unwrap();
        assert_eq!(step_text(&step), "cards_look");
        let text = step_text(&ensemble.next(&families, turn("…", came("cards"))).unwrap());
        assert!(
            text.contains("show me rain\" of before") && text.contains("cards answers"),
            "{text}"
        );
    }

    #[test]
    fn names_the_last_where_all_fail_and_reports_where_none_is() {
        let families = Fixed(&[("books", "snow", 0.9)]);
        let next = |families: &Fixed, message| {
            Ensemble::default().next(families, turn(message, Vec::new())).unwrap_err()
        };
        assert_eq!(next(&families, "break"), Silence::Failed("books".to_owned()));
        assert_eq!(next(&Fixed(&[]), "snow"), Silence::Nothing);
    }
}
