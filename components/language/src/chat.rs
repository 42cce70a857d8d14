//! Follows a conversation with a person for one family: sentences are read into a plan, and the plan goes on from
//! what the tools and the person answer.

use std::ops::Deref;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use toolkit::dialogue::Reply;

use crate::{
    Date,
    consent::{Consent, consent},
    context::{FORM_SCHEMA, Holder, TurnContext},
    contract::TurnRequest,
    coverage::{self, ASKED_FROM, Used},
    deed::{Deed, PRESS, unpressed},
    language::Language,
    message::{Body, text_of},
    rules::Percent,
    say::{self, Skill},
    scan::marks,
    settled,
    small_talk::{self, CLOSED, Manner, STOPPED, manners},
    turn::{Answered, Conclusion, Decision, Failure, ToolCall, ToolResult, Turn},
    utterance::{CHARS_MAX, Utterance},
    wondering::{asks_done, supposes},
    words::Word,
};

/// How sure a plan is that a sentence goes on with it: less than of what a rule reads, and more than of a guess.
pub const FOLLOWED: Percent = 58;
/// How sure a family is of what brings back what it asked for.
const BROUGHT: Percent = 97;
/// How sure it is of an answer in the turns after the first.
const GOES_ON: Percent = 90;
/// How sure a family is that a sentence passes over what waits for an approval, though it means nothing to it: less
/// than of anything that means something.
const PASSES_OVER: Percent = 10;
/// What part of its sureness is left where so much is not understood that it is asked about.
const UNSURE: f32 = 0.4;
/// How sure it is where single words speak for it.
const NEAR: Percent = 22;
/// Parts of a sentence that are looked at behind a no.
const PARTS_MAX: usize = 6;

/// What a family understands, and what it does about it. What it remembers beside its plan is its own.
pub trait Family: Default + Serialize + DeserializeOwned {
    /// A sentence, with what the family finds in it.
    type Sentence: Deref<Target = Utterance>;
    /// What is asked for.
    type Goal: Copy + PartialEq + 'static;
    /// What the family is doing about it.
    type Plan: Plan<Goal = Self::Goal, Sentence = Self::Sentence>;

    /// The family that answers, as the context names it.
    const HOLDER: &'static Holder;
    /// What it can do.
    const SKILLS: &'static [Skill<Self::Goal>];
    /// Goals that single words speak for, the likeliest first.
    const NEAR: &'static [(Self::Goal, &'static [Word])];

    /// Reads `text`.
    fn parse(text: &str, today: Date) -> Self::Sentence;

    /// What `utterance` asks for, and how surely.
    fn goal(utterance: &Self::Sentence) -> Option<(Self::Goal, Percent)>;

    /// Whether `utterance` is for the family although it is in this manner.
    fn spares(_utterance: &Self::Sentence, _manner: Manner) -> bool {
        false
    }

    /// Whether `goal` is that something is not done.
    fn is_denial(_goal: Self::Goal) -> bool {
        false
    }

    /// Whether `goal` may stand behind a no to something else.
    fn is_request(goal: Self::Goal) -> bool {
        !Self::is_denial(goal)
    }

    /// Whether `goal` takes in what `utterance` says no to.
    fn obeys(_utterance: &Self::Sentence, _goal: Self::Goal) -> bool {
        false
    }

    /// Whether `utterance` does no more than order once more what waits for an approval: `予約して`.
    fn orders_again(_utterance: &Self::Sentence) -> bool {
        false
    }

    /// What `goal` comes to, where it changes something: told to who asks about it rather than orders it.
    fn effect(_goal: Self::Goal) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Whether a question of the world may look like `goal`.
    fn may_be_world(_goal: Self::Goal) -> bool {
        false
    }

    /// Words that make a question one of the family's, and none of the world.
    const OWN: &'static [Word] = &[];

    /// Whether `utterance` points to something from before that it does not name.
    fn points_back(utterance: &Self::Sentence) -> bool {
        utterance.points_back()
    }

    /// Takes in what calls came to.
    fn observe(&mut self, _answered: &[Answered]) {}

    /// The answer to `goal` that needs no calls.
    fn direct_answer(
        &self,
        _utterance: &Self::Sentence,
        _goal: Self::Goal,
        _context: &TurnContext<'_>,
    ) -> Option<String> {
        None
    }

    /// The plan for `goal`; what the sentence leaves out is taken from `before`.
    fn plan(
        &self,
        utterance: &Self::Sentence,
        goal: Self::Goal,
        language: Language,
        before: Option<&Self::Plan>,
    ) -> Option<Self::Plan>;

    /// Whether `utterance` goes on with the plan, which is changed so, or is refused in the middle of it.
    fn follow(
        &self,
        plan: &mut Option<Self::Plan>,
        utterance: &Self::Sentence,
        goal: Option<Self::Goal>,
        manner: Option<Manner>,
        context: &TurnContext<'_>,
    ) -> Option<Followed>;

    /// What a sentence without a goal is likely to ask for, how surely, and the words that are left of it.
    fn guess(
        &self,
        _utterance: &Self::Sentence,
        _context: &TurnContext<'_>,
    ) -> Option<(Self::Plan, Percent, Vec<String>)> {
        None
    }
}

/// What is being done.
pub trait Plan: Serialize + DeserializeOwned {
    /// What is asked for.
    type Goal;
    /// A sentence of the family.
    type Sentence;

    /// What it uses of the sentence for `goal`, besides what is known.
    fn used(&self, utterance: &Self::Sentence, goal: Self::Goal) -> Used;

    /// Whether what it leaves of the sentence is to be reported: some plans take all of it.
    fn covers(&self) -> bool {
        true
    }

    /// Whether what it is about is named, so that further words only add to it.
    fn is_settled(&self) -> bool {
        true
    }

    /// Whether it follows the no of the sentence.
    fn obeys(&self) -> bool {
        false
    }

    /// Words that nothing else uses, which may say what it is about.
    fn learn(&mut self, _words: &[String], _utterance: &Self::Sentence) {}

    /// Those of the words that it has learned that the answer was found by.
    fn explained(&self) -> &[String] {
        &[]
    }

    /// What of the sentence it did not understand itself.
    fn left(&self) -> &[String] {
        &[]
    }

    /// Whether it may be told or asked once more as it is.
    fn may_repeat(&self) -> bool {
        true
    }

    /// The sentence with what takes the place of something of the plan made plain, as long as it still says what
    /// that is: what is taken back is left out later.
    fn put_right(&self, _sentence: &str) -> Option<String> {
        None
    }

    /// The sentence with what it says of the plan made plain.
    fn plain(&self, sentence: String) -> String {
        sentence
    }

    /// Takes in a sentence of a history that goes on with it.
    fn recall(&mut self, _text: &str, _utterance: &Self::Sentence, _context: &TurnContext<'_>) {}

    /// Takes in what a form brought.
    fn filled(&mut self, _values: &Map<String, Value>, _language: Language) {}

    /// Decides on the next step.
    fn next(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision;
}

/// How a sentence went on with a plan.
#[derive(Clone, Debug)]
pub enum Followed {
    /// The plan goes on, this sure that it was meant; these words led to nothing.
    On(Percent, Vec<String>),
    /// This is answered, and the plan is as it was.
    Say(String),
}

/// One conversation of a family with a person.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default, bound = "")]
pub struct Chat<F: Family> {
    /// How many calls there were, which numbers the next.
    calls: u64,
    plan: Option<F::Plan>,
    /// Whether the last sentence was answered in English; what a form brings has no language.
    is_english: Option<bool>,
    /// Words of the sentence that led to nothing, reported with the next answer.
    unused: Vec<String>,
    /// The fields of the form that was asked for last.
    asked: Vec<String>,
    /// What waited for an approval and was not made, as the person said something else instead.
    passed_over: Option<PassedOver>,
    /// What was to be changed last.
    deed: Option<Deed>,
    #[serde(flatten)]
    family: F,
}

impl<F: Family> Default for Chat<F> {
    fn default() -> Self {
        Self {
            calls: 0,
            plan: None,
            is_english: None,
            unused: Vec::new(),
            asked: Vec::new(),
            passed_over: None,
            deed: None,
            family: F::default(),
        }
    }
}

/// A call that waited for an approval, and was not made.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PassedOver {
    tool: String,
    reason: String,
}

/// What a sentence leads to, and how surely it was for the family, from 0 to 1.
type Led = (Decision, f32);

impl<F: Family> Chat<F> {
    /// What is next, going on from what it remembered.
    pub fn reply(request: &TurnRequest) -> Reply {
        if request.is_theirs {
            return request.reply(Decision::Conclude(Conclusion::default()), &request.memory, 0.0);
        }
        let mut chat = Self::deserialize(&request.memory).unwrap_or_default();
        let (decision, sure) = chat.next(request.turn());
        request.reply(decision, &serde_json::to_value(chat).unwrap_or_default(), sure)
    }

    /// What is next, and how well the message is understood, from 0 to 1.
    fn next(&mut self, turn: Turn<'_>) -> (Decision, f32) {
        let task = turn.task;
        let mut calls = self.calls;
        let sentence = text_of(&task.message);
        let sentence = sentence.trim();
        let language = self.language(task.language, sentence);
        let mut context = TurnContext {
            holder: F::HOLDER,
            language,
            now: task.now,
            offers: turn.offers,
            calls: &mut calls,
            is_given_up: false,
        };
        self.family.observe(turn.answered);
        self.deed = Deed::of(turn, F::HOLDER.family).or(self.deed.take());
        let (decision, sure) = match turn.is_first && !sentence.is_empty() {
            true => {
                if self.plan.is_none() {
                    self.recall(turn, &context);
                }
                self.begin(sentence, &mut context, turn.answered)
            }
            false => (self.go_on(&mut context, turn.answered), part(GOES_ON)),
        };
        let decision = self.noted(decision, &context);
        let sure = if context.is_given_up { 0.0 } else { sure };
        self.calls = calls;
        (decision, sure)
    }

    /// Takes in the message: an answer to a form, or a sentence without what it takes back.
    fn begin(
        &mut self,
        sentence: &str,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Led {
        if sentence == CLOSED {
            if self.asked.is_empty() {
                return self.not_mine(context);
            }
            (self.plan, self.asked) = (None, Vec::new());
            return (context.conclude(context.say(STOPPED.0, STOPPED.1)), part(BROUGHT));
        }
        if let Ok(values) = serde_json::from_str::<Map<String, Value>>(sentence) {
            return self.fill(&values, context);
        }
        if let Some(led) = self.consent(sentence, context, answered) {
            return led;
        }
        let sentence: String = sentence.chars().take(CHARS_MAX).collect();
        let right = self.plan.as_ref().and_then(|it| it.put_right(&sentence));
        let mut sentence = settled::settled(right.as_ref().unwrap_or(&sentence));
        if let Some(plan) = &self.plan {
            sentence = plan.plain(sentence);
        }
        if let Some(led) = self.thanked(&sentence, context, answered) {
            return led;
        }
        // A greeting beside a request is no request.
        let parts = settled::parts(&sentence);
        let is_polite = |part: &&String| {
            let utterance = F::parse(part, context.today());
            let manner = manners(&utterance).next();
            F::goal(&utterance).is_none() && manner.is_some_and(|it| it.0.is_polite())
        };
        let requests: Vec<_> = parts.iter().filter(|it| !is_polite(it)).collect();
        match requests[..] {
            [only] if parts.len() > 1 && F::goal(&F::parse(only, context.today())).is_some() => {
                self.parse(only, context, answered)
            }
            _ => self.parse(&sentence, context, answered),
        }
    }

    /// Takes in what stands behind thanks or a greeting, where that is for the family: `ありがとう、1番を2枚お願い`.
    fn thanked(
        &mut self,
        sentence: &str,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Option<Led> {
        let rest = small_talk::unthanked(sentence).filter(|_| self.plan.is_some())?;
        let before = serde_json::to_value(&self.plan).ok()?;
        let led = self.parse(rest, context, answered);
        if led.1 >= part(FOLLOWED) {
            return Some(led);
        }
        self.plan = Option::deserialize(before).ok().flatten();
        None
    }

    /// The answer to a bare yes or no to what waits: a call that waits for an approval is asked for again, since no
    /// word allows it, and so where its order is repeated or what became of it is asked; with a no it is left.
    fn consent(
        &mut self,
        sentence: &str,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Option<Led> {
        let own: Vec<_> =
            answered.iter().filter(|it| it.call.id.starts_with(F::HOLDER.family)).collect();
        let waits = |it: &&&Answered| matches!(&it.result, ToolResult::Failed(Failure { error, .. }) if error == "not_allowed");
        let waiting: Vec<&ToolCall> = own.iter().filter(waits).map(|it| &it.call).collect();
        let has_form = own.iter().any(|it| it.call.arguments.contains_key(FORM_SCHEMA));
        let again = || {
            let utterance = F::parse(sentence, context.today());
            let is_again = F::orders_again(&utterance);
            let is_own = !utterance.has(&[Word::THEIRS, Word::THEIR_DEED, Word::ELSEWHERE])
                && (F::goal(&utterance).is_some() || unknown(&utterance) == 0);
            let asks = is_own && asks_done(&utterance);
            is_again.then_some(Consent::Yes).or(asks.then_some(Consent::Asks))
        };
        let said = consent(sentence).or_else(|| if waiting.is_empty() { None } else { again() });
        match said {
            Some(Consent::No) if has_form || !waiting.is_empty() => {
                (self.plan, self.asked) = (None, Vec::new());
                Some((context.conclude(say::nothing(context)), part(BROUGHT)))
            }
            Some(Consent::Yes | Consent::Asks) if !waiting.is_empty() => {
                let press = context.say(PRESS.0, PRESS.1);
                let again = waiting.into_iter().map(|it| {
                    let reason = unpressed(&it.reason);
                    let arguments = Value::Object(it.arguments.clone());
                    let call = context.call(&it.name, arguments, format!("{press}{reason}"));
                    ToolCall { meta: it.meta.clone(), ..call }
                });
                Some((Decision::Call(again.collect()), part(BROUGHT)))
            }
            _ => {
                self.passed_over = waiting
                    .first()
                    .map(|it| PassedOver { tool: it.name.clone(), reason: it.reason.clone() });
                None
            }
        }
    }

    /// Takes in a sentence.
    fn parse(
        &mut self,
        sentence: &str,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Led {
        let mut utterance = F::parse(sentence, context.today());
        let (mut own, manner) = intent::<F>(&utterance);
        self.unused.clear();
        let may_be_world = own.is_none_or(|it| F::may_be_world(it.0));
        let is_world = may_be_world && manner.is_none() && utterance.asks_the_world(true, F::OWN);
        let is_pointless = self.plan.is_none() && F::points_back(&utterance);
        if is_world || is_pointless {
            return self.not_mine(context);
        }
        let is_claimed = own.is_some() || self.plan.is_some() && manner.is_none();
        if let Some(text) = no_such_day(&utterance, context).filter(|_| is_claimed) {
            return (context.conclude(text), part(own.map_or(FOLLOWED, |it| it.1)));
        }
        let goal = own.map(|it| it.0);
        let effect = goal.and_then(F::effect);
        if let Some(effect) = effect.filter(|_| supposes(&utterance)) {
            let nothing = context.say("まだ何もしていません。", " Nothing was done.");
            let text = context.say(effect.0, effect.1) + &nothing;
            return (context.conclude(text), part(own.map_or(FOLLOWED, |it| it.1)));
        }
        if let Some(text) = self.became(&utterance, context).filter(|_| effect.is_some()) {
            return (context.conclude(text), part(own.map_or(FOLLOWED, |it| it.1)));
        }
        let repeats = goal.is_none() && manner.is_none() && asks_again(&utterance);
        if repeats && self.plan.as_ref().is_some_and(Plan::may_repeat) {
            return (self.go_on(context, &[]), part(FOLLOWED));
        }
        match self.family.follow(&mut self.plan, &utterance, goal, manner, context) {
            Some(Followed::Say(text)) => {
                return (context.conclude(text), part(own.map_or(FOLLOWED, |it| it.1)));
            }
            Some(Followed::On(sure, unused)) => {
                self.unused = unused;
                let sure = part(own.map_or(sure, |it| it.1.max(sure)));
                // Of two that are as sure, the one that uses more of the sentence leads.
                let sure = sure - 0.001 * self.unused.len() as f32;
                return (self.go_on(context, &[]), sure);
            }
            None => {}
        }
        // What was allowed meanwhile is reported as a whole.
        let is_new = answered.iter().any(|it| matches!(it.result, ToolResult::Output { .. }));
        let is_open = own.is_none() && manner.is_none() && self.deed.is_some() && !is_new;
        if is_open
            && unknown(&utterance) <= 1
            && let Some(text) = self.became(&utterance, context)
        {
            return (context.conclude(text), part(FOLLOWED));
        }
        let is_denial = goal.is_some_and(F::is_denial);
        let has_no =
            || utterance.has(&[Word::NOT]) || utterance.tokens.iter().any(|it| it.is_denied);
        if is_denial || manner == Some(Manner::Nothing) || goal.is_none() && has_no() {
            // `Don't show any, just list them`: the rest is what is asked for.
            match behind_no::<F>(sentence, context) {
                Some(rest) => {
                    utterance = F::parse(&rest, context.today());
                    own = F::goal(&utterance);
                }
                None if is_denial && is_theirs::<F>(sentence, context) => {
                    return self.not_mine(context);
                }
                None => {}
            }
        } else if manner.is_some() {
            own = None;
        }
        let Some((goal, sure)) = own else {
            return self.no_goal(&utterance, manner, context, answered);
        };
        if let Some(mut text) = self.family.direct_answer(&utterance, goal, context) {
            if let Some(deed) =
                self.deed.as_ref().filter(|it| it.is_done != Some(true) && asks_done(&utterance))
            {
                text = format!("{}\n{text}", deed.told(context));
            }
            return (context.conclude(text), part(sure));
        }
        if let Some(missing) = say::missing(context, F::SKILLS, &goal) {
            return (context.conclude(missing), part(sure));
        }
        let plan = self.family.plan(&utterance, goal, context.language, self.plan.as_ref());
        let Some(mut plan) = plan else { return self.not_mine(context) };
        let mut sure = part(sure);
        if plan.covers() {
            let unused = coverage::unused(&utterance, &plan.used(&utterance, goal));
            plan.learn(&unused, &utterance);
            let is_lost = unused.len() >= ASKED_FROM && !plan.is_settled();
            let is_no = !plan.obeys()
                && !F::obeys(&utterance, goal)
                && coverage::has_stray_no(&utterance)
                && behind_no::<F>(sentence, context).is_none();
            if is_lost || is_no {
                let goals = readings::<F>(&utterance, Some(goal));
                let text = say::unsure(context, F::SKILLS, &unused, &goals);
                return (context.conclude(text), sure * UNSURE);
            }
            // Of two that are as sure, the one that uses more of the sentence leads.
            sure -= 0.001 * unused.len() as f32;
            self.unused = unused;
            if utterance.when.is_range {
                self.unused.push(context.say("期間（…から…まで）", "a range of days"));
            }
        } else {
            self.unused = plan.left().to_vec();
        }
        self.plan = Some(plan);
        (self.go_on(context, &[]), sure)
    }

    /// What became of the last deed, where `utterance` asks whether one was done, and orders none: `did you do it?`.
    fn became(&self, utterance: &F::Sentence, context: &TurnContext<'_>) -> Option<String> {
        let none = || {
            context.say(
                "この会話では、まだ何もしていません。",
                "Nothing was done in this conversation yet.",
            )
        };
        let told = || self.deed.as_ref().map_or_else(none, |it| it.told(context));
        let is_asked = asks_done(utterance) || consent(&utterance.text()) == Some(Consent::Asks);
        is_asked.then(told)
    }

    /// A sentence in which no rule finds anything.
    fn no_goal(
        &mut self,
        utterance: &F::Sentence,
        manner: Option<Manner>,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Led {
        // What the person allowed meanwhile has happened, and is reported.
        let is_done = |answered: &Answered| {
            let is_own = answered.call.id.starts_with(F::HOLDER.family);
            let is_form = answered.call.arguments.contains_key(FORM_SCHEMA);
            is_own && !is_form && matches!(answered.result, ToolResult::Output { .. })
        };
        if answered.iter().any(is_done) {
            return (self.go_on(context, answered), part(GOES_ON));
        }
        let is_own =
            || utterance.tokens.iter().any(|it| utterance.vocabulary.nouns.contains(&it.word));
        match manner {
            Some(Manner::How) if is_own() => {
                return (context.conclude(say::examples(context, F::SKILLS)), part(NEAR));
            }
            Some(_) => return self.not_mine(context),
            None => {}
        }
        if utterance.asks_the_world(false, F::OWN) {
            self.plan = None;
            return self.not_mine(context);
        }
        if let Some((plan, sure, unused)) = self.family.guess(utterance, context) {
            if let Some(text) = no_such_day(utterance, context) {
                return (context.conclude(text), part(sure));
            }
            (self.plan, self.unused) = (Some(plan), unused);
            return (self.go_on(context, &[]), part(sure));
        }
        let goals = readings::<F>(utterance, None);
        if goals.is_empty() {
            return self.not_mine(context);
        }
        let unused = coverage::unused(utterance, &Used::default());
        (context.conclude(say::unsure(context, F::SKILLS, &unused, &goals)), part(NEAR))
    }

    /// The answer to a sentence that is not for the family.
    fn not_mine(&self, context: &TurnContext<'_>) -> Led {
        let sure = self.passed_over.as_ref().map_or(0.0, |_| part(PASSES_OVER));
        (context.conclude(say::not_understood(context, F::SKILLS)), sure)
    }

    /// Takes in what a form brought (FORM-5), where it is the one that was asked for.
    fn fill(&mut self, values: &Map<String, Value>, context: &mut TurnContext<'_>) -> Led {
        // What may all be left empty brings nothing.
        let is_empty = values.is_empty() && !self.asked.is_empty();
        let is_asked = is_empty || self.asked.iter().any(|it| values.contains_key(it));
        match &mut self.plan {
            Some(plan) if is_asked => plan.filled(values, context.language),
            _ => return self.not_mine(context),
        }
        self.asked.clear();
        (self.go_on(context, &[]), part(BROUGHT))
    }

    /// Goes on with the plan.
    fn go_on(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        let Some(plan) = &mut self.plan else { return self.not_mine(context).0 };
        let decision = plan.next(context, answered);
        // What the answer was found by was used after all.
        let words = plan.explained();
        self.unused.retain(|it| !words.contains(it));
        decision
    }

    /// The decision with the words that were not used, reported where the person sees it first; the fields of a form
    /// are those that are waited for.
    fn noted(&mut self, mut decision: Decision, context: &TurnContext<'_>) -> Decision {
        if let Decision::Call(calls) = &decision {
            let forms = calls.iter().filter_map(|it| it.arguments.get(FORM_SCHEMA));
            let fields = forms.filter_map(|it| it["fields"].as_array()).flatten();
            let fields: Vec<_> =
                fields.filter_map(|it| it["name"].as_str().map(str::to_owned)).collect();
            if !fields.is_empty() {
                self.asked = fields;
            }
        }
        if let Some(passed) = self.passed_over.take() {
            let text = context.say(
                format!("承認を待っていた操作（{}）は行っていません。", passed.reason),
                format!("What waited for your approval was not done ({}).", passed.reason),
            );
            match &mut decision {
                Decision::Conclude(conclusion) => lead_in(conclusion, &text),
                Decision::Call(calls) if calls.iter().any(|it| it.name == passed.tool) => {}
                Decision::Call(_) => self.passed_over = Some(passed),
            }
        }
        if self.unused.is_empty() {
            return decision;
        }
        let note = say::unused(context, &self.unused);
        match &mut decision {
            Decision::Conclude(conclusion) => {
                lead_in(conclusion, &note);
                self.unused.clear();
            }
            Decision::Call(calls) => {
                for form in calls.iter_mut().filter_map(|it| it.arguments.get_mut(FORM_SCHEMA)) {
                    let description = form["description"].as_str().unwrap_or_default();
                    form["description"] = format!("{description}\n{note}").trim().into();
                    self.unused.clear();
                }
            }
        }
        decision
    }

    /// The language to answer `sentence` in.
    fn language(&mut self, callers: Language, sentence: &str) -> Language {
        let is_sentence = !sentence.is_empty() && !sentence.starts_with('{') && sentence != CLOSED;
        let before = self.is_english.filter(|_| !is_sentence);
        let language = before.map_or(callers, |english| match english {
            true => Language::English,
            false => Language::Japanese,
        });
        self.is_english = Some(language == Language::English);
        language
    }

    /// Takes up what was asked for in a history that came without a memory.
    fn recall(&mut self, turn: Turn<'_>, context: &TurnContext<'_>) {
        for message in turn.task.history.iter().filter(|it| it.is_user) {
            let text = text_of(&message.parts);
            let utterance = F::parse(&text, context.today());
            match (intent::<F>(&utterance).0, &mut self.plan) {
                (Some((goal, _)), _) => {
                    let before = self.plan.take();
                    let plan =
                        self.family.plan(&utterance, goal, context.language, before.as_ref());
                    self.plan = plan.or(before);
                }
                (None, Some(plan)) => plan.recall(&text, &utterance, context),
                (None, None) => {}
            }
        }
    }
}

/// The answer where a day is named that no month has.
fn no_such_day(utterance: &Utterance, context: &TurnContext<'_>) -> Option<String> {
    let (from, to) = utterance.when.missing?;
    Some(say::no_such_day(context, &utterance.piece(from, to).text))
}

/// How many words of `utterance` are not known.
fn unknown(utterance: &Utterance) -> usize {
    coverage::unused(utterance, &Used::default()).len()
}

/// Puts `note` before the first text of `conclusion`.
fn lead_in(conclusion: &mut Conclusion, note: &str) {
    let text = conclusion.parts.iter_mut().find_map(|part| match &mut part.body {
        Body::Text(text) => Some(text),
        Body::Image(_) => None,
    });
    if let Some(text) = text {
        *text = format!("{note}\n{text}");
    }
}

fn part(sure: Percent) -> f32 {
    f32::from(sure) / 100.0
}

/// What `utterance` asks the family for, and the manner of it where that comes first.
fn intent<F: Family>(utterance: &F::Sentence) -> (Option<(F::Goal, Percent)>, Option<Manner>) {
    let own = F::goal(utterance);
    let is_first =
        |it: &(Manner, Percent)| !F::spares(utterance, it.0) && own.is_none_or(|own| it.1 > own.1);
    match manners(utterance).find(is_first) {
        Some((manner, _)) => (None, Some(manner)),
        None => (own, None),
    }
}

/// Whether `utterance` wants to see once more what was shown last, and names nothing: `もう一度見せて`, `show it again`.
fn asks_again(utterance: &Utterance) -> bool {
    const AGAIN: &str = "もう一度|もういちど|もう1度|もう一回|もういっかい|もう1回|もっかい|再度|再表示|again|once more|one more time";
    const SHOWS: &str = "見せ|みせ|見たい|みたい|出し|表示|お願い|show|see|display|list|please";
    let text = utterance.text().to_lowercase();
    let text = text.trim().trim_end_matches(['。', '.', '!', '?']);
    let again = marks(AGAIN).filter(|it| text.contains(it)).max_by_key(|it| it.len());
    let Some(again) = again else { return false };
    let rest = text.replacen(again, "", 1);
    let is_shown = rest.trim().is_empty() || marks(SHOWS).any(|it| rest.contains(it));
    let used = Used { names: vec![again.to_owned()], ..Used::default() };
    is_shown
        && !utterance.has(&[Word::MAKE, Word::NOT, Word::CANCEL, Word::THEIRS])
        && utterance.numbers.counts.is_empty()
        && utterance.when.spans.is_empty()
        && coverage::unused(utterance, &used).iter().all(|it| again.contains(it.as_str()))
}

/// The rest of `sentence` behind each part of it.
fn rests(sentence: &str) -> impl Iterator<Item = &str> {
    let ends = sentence.char_indices().filter(|end| {
        matches!(end.1, '、' | ',' | '。' | '.' | ';' | '–' | '—')
            || sentence[end.0..].starts_with("- ")
    });
    ends.take(PARTS_MAX).map(|(at, mark)| sentence[at + mark.len_utf8()..].trim())
}

/// What is asked for behind a part that wants something not to be done.
fn behind_no<F: Family>(sentence: &str, context: &TurnContext<'_>) -> Option<String> {
    let is_request = |part: &&str| {
        let goal = intent::<F>(&F::parse(part, context.today())).0;
        goal.is_some_and(|it| F::is_request(it.0))
    };
    rests(sentence).find(is_request).map(str::to_owned)
}

/// Whether something of another family is named behind a no.
fn is_theirs<F: Family>(sentence: &str, context: &TurnContext<'_>) -> bool {
    rests(sentence).any(|it| F::parse(it, context.today()).has(&[Word::THEIRS]))
}

/// The nearest readings of a sentence: its goal, and those that its words lead to besides.
fn readings<F: Family>(utterance: &F::Sentence, first: Option<F::Goal>) -> Vec<F::Goal> {
    let mut goals: Vec<_> = first.into_iter().collect();
    for (goal, words) in F::NEAR {
        let is_there = utterance.tokens.iter().any(|it| words.contains(&it.word));
        if is_there && !goals.contains(goal) {
            goals.push(*goal);
        }
    }
    goals
}
