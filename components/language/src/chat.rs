//! Conducts a conversation for one family: turns sentences into a plan, and advances it by results of
//! tools and answers of the person.

use std::ops::Deref;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use toolkit::dialogue::Reply;

use crate::{
    Date,
    action::{APPROVAL_HINT, Action, without_hint},
    consent::{Consent, consent},
    context::{FORM_SCHEMA, FamilyInfo, TurnContext},
    contract::TurnRequest,
    coverage::{self, ASKED_FROM, Used},
    inquiry::{asks_again, asks_whether_done, is_hypothetical},
    language::Language,
    message::{Body, text_of},
    normalize,
    rules::Percent,
    say::{self, Skill},
    small_talk::{self, CLOSED, Manner, STOPPED, manners},
    turn::{Answered, Conclusion, Decision, Failure, ToolCall, ToolResult, Turn},
    utterance::{CHARS_MAX, Utterance},
    words::Word,
};

/// Confidence that a sentence continues the plan: below a matching rule, above a guess.
pub const CONTINUED: Percent = 58;
/// Confidence in the answer to one's own form.
const FORM_ANSWER: Percent = 97;
/// Confidence in answers after the first turn.
const CONTINUATION: Percent = 90;
/// Confidence that a sentence without meaning for the family skips its pending approval: below anything with a meaning.
const SKIPS_APPROVAL: Percent = 10;
/// Factor on the confidence if too much of the sentence is unknown.
const UNSURE_FACTOR: f32 = 0.4;
/// Confidence by single words.
const NEAR_WORDS: Percent = 22;
/// Maximum parts of a sentence examined after a denial.
const PARTS_MAX: usize = 6;

/// A family: what it understands and does. Its fields are remembered next to its plan.
pub trait Family: Default + Serialize + DeserializeOwned {
    /// A sentence with the family's findings.
    type Sentence: Deref<Target = Utterance>;
    /// A kind of request.
    type Goal: Copy + PartialEq + 'static;
    /// State of a request.
    type Plan: Plan<Goal = Self::Goal, Sentence = Self::Sentence>;

    /// Identifies the family in answers.
    const FAMILY_INFO: &'static FamilyInfo;
    /// What it can do.
    const SKILLS: &'static [Skill<Self::Goal>];
    /// Goals suggested by single words, most likely first.
    const NEAR: &'static [(Self::Goal, &'static [Word])];

    /// Parses `text`.
    fn parse(text: &str, today: Date) -> Self::Sentence;

    /// Returns the goal of `utterance` and the confidence in it.
    fn goal(utterance: &Self::Sentence) -> Option<(Self::Goal, Percent)>;

    /// Whether the family handles `utterance` in spite of this manner.
    fn handles_manner(_utterance: &Self::Sentence, _manner: Manner) -> bool {
        false
    }

    /// Whether `goal` is to leave something undone.
    fn is_denial(_goal: Self::Goal) -> bool {
        false
    }

    /// Whether `goal` may follow the denial of something else.
    fn is_request(goal: Self::Goal) -> bool {
        !Self::is_denial(goal)
    }

    /// Whether `goal` accounts for the denial in `utterance`.
    fn handles_denial(_utterance: &Self::Sentence, _goal: Self::Goal) -> bool {
        false
    }

    /// Whether `utterance` only repeats the order that waits for an approval: `予約して`.
    fn repeats_order(_utterance: &Self::Sentence) -> bool {
        false
    }

    /// Consequences of `goal`, for questions about it that do not order it; `None` if it changes nothing.
    fn effect(_goal: Self::Goal) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Whether a general-knowledge question may look like `goal`.
    fn may_be_general_question(_goal: Self::Goal) -> bool {
        false
    }

    /// Words that make a question the family's own.
    const OWN: &'static [Word] = &[];

    /// Whether `utterance` refers to an earlier subject without naming it.
    fn points_back(utterance: &Self::Sentence) -> bool {
        utterance.points_back()
    }

    /// Records results of calls.
    fn observe(&mut self, _answered: &[Answered]) {}

    /// Answers `goal`, if that needs no calls.
    fn direct_answer(
        &self,
        _utterance: &Self::Sentence,
        _goal: Self::Goal,
        _context: &TurnContext<'_>,
    ) -> Option<String> {
        None
    }

    /// Creates the plan for `goal`, completing it from `before`.
    fn plan(
        &self,
        utterance: &Self::Sentence,
        goal: Self::Goal,
        language: Language,
        before: Option<&Self::Plan>,
    ) -> Option<Self::Plan>;

    /// Updates the plan if `utterance` continues it, or answers without a change.
    fn follow(
        &self,
        plan: &mut Option<Self::Plan>,
        utterance: &Self::Sentence,
        goal: Option<Self::Goal>,
        manner: Option<Manner>,
        context: &TurnContext<'_>,
    ) -> Option<FollowUp>;

    /// Guesses the plan of a sentence without a goal, with the confidence and the unused words.
    fn guess(
        &self,
        _utterance: &Self::Sentence,
        _context: &TurnContext<'_>,
    ) -> Option<(Self::Plan, Percent, Vec<String>)> {
        None
    }
}

/// State of a request.
pub trait Plan: Serialize + DeserializeOwned {
    /// A kind of request.
    type Goal;
    /// A sentence of the family.
    type Sentence;

    /// Parts of the sentence that the plan uses for `goal`, besides known words.
    fn used(&self, utterance: &Self::Sentence, goal: Self::Goal) -> Used;

    /// Whether unused words are reported; some plans use the whole sentence.
    fn covers(&self) -> bool {
        true
    }

    /// Whether its subject is named, so that unknown words are no reason to ask back.
    fn is_settled(&self) -> bool {
        true
    }

    /// Whether it accounts for the denial in the sentence.
    fn handles_denial(&self) -> bool {
        false
    }

    /// Receives the unused words, which may describe its subject.
    fn learn(&mut self, _words: &[String], _utterance: &Self::Sentence) {}

    /// Unused words that turned out to match the result.
    fn explained(&self) -> &[String] {
        &[]
    }

    /// Words that the plan itself did not understand.
    fn unused_words(&self) -> &[String] {
        &[]
    }

    /// Whether it may be repeated unchanged.
    fn may_repeat(&self) -> bool {
        true
    }

    /// Rewrites a correction of the plan while the sentence still contains the corrected part, which is removed later.
    fn normalize_correction(&self, _sentence: &str) -> Option<String> {
        None
    }

    /// Rewrites the family's expressions.
    fn plain(&self, sentence: String) -> String {
        sentence
    }

    /// Applies a sentence of the history that continues the plan.
    fn recall(&mut self, _text: &str, _utterance: &Self::Sentence, _context: &TurnContext<'_>) {}

    /// Applies the values of a form.
    fn filled(&mut self, _values: &Map<String, Value>, _language: Language) {}

    /// Decides on the next step.
    fn next(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision;
}

/// How a sentence continues a plan.
#[derive(Clone, Debug)]
pub enum FollowUp {
    /// The plan continues with this confidence; the words were not used.
    Continue(Percent, Vec<String>),
    /// This is the answer; the plan is unchanged.
    Answer(String),
}

/// A conversation of a family with a person.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default, bound = "")]
pub struct Chat<F: Family> {
    /// Number of calls so far, for the next id.
    calls: u64,
    plan: Option<F::Plan>,
    /// Whether the last sentence was answered in English; form values have no language.
    is_english: Option<bool>,
    /// Unused words to report with the next answer.
    unused: Vec<String>,
    /// Fields of the last form.
    #[serde(rename = "asked")]
    asked_fields: Vec<String>,
    /// A call that was not approved because the person wrote something else.
    #[serde(rename = "passed_over")]
    skipped_call: Option<SkippedCall>,
    /// The last action that changes something.
    #[serde(rename = "deed")]
    action: Option<Action>,
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
            asked_fields: Vec::new(),
            skipped_call: None,
            action: None,
            family: F::default(),
        }
    }
}

/// A call that was skipped instead of approved.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SkippedCall {
    tool: String,
    reason: String,
}

/// A decision, and from 0 to 1 the confidence that the sentence is for the family.
type ScoredDecision = (Decision, f32);

impl<F: Family> Chat<F> {
    /// Returns the reply to a turn, restoring and storing the conversation.
    pub fn reply(request: &TurnRequest) -> Reply {
        if request.is_theirs {
            return request.reply(Decision::Conclude(Conclusion::default()), &request.memory, 0.0);
        }
        let mut chat = Self::deserialize(&request.memory).unwrap_or_default();
        let (decision, confidence) = chat.next(request.turn());
        request.reply(decision, &serde_json::to_value(chat).unwrap_or_default(), confidence)
    }

    /// Returns the next decision and the confidence.
    fn next(&mut self, turn: Turn<'_>) -> (Decision, f32) {
        let task = turn.task;
        let mut calls = self.calls;
        let sentence = text_of(&task.message);
        let sentence = sentence.trim();
        let language = self.language(task.language, sentence);
        let mut context = TurnContext {
            holder: F::FAMILY_INFO,
            language,
            now: task.now,
            offers: turn.offers,
            calls: &mut calls,
            is_given_up: false,
        };
        self.family.observe(turn.answered);
        self.action = Action::last_of(turn, F::FAMILY_INFO.family).or(self.action.take());
        let (decision, confidence) = match turn.is_first && !sentence.is_empty() {
            true => {
                if self.plan.is_none() {
                    self.recall(turn, &context);
                }
                self.handle_message(sentence, &mut context, turn.answered)
            }
            false => (self.continue_plan(&mut context, turn.answered), fraction(CONTINUATION)),
        };
        let decision = self.with_notes(decision, &context);
        let confidence = if context.is_given_up { 0.0 } else { confidence };
        self.calls = calls;
        (decision, confidence)
    }

    /// Handles a message: a form's answer, or a sentence, whose retracted parts are removed.
    fn handle_message(
        &mut self,
        sentence: &str,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> ScoredDecision {
        if sentence == CLOSED {
            if self.asked_fields.is_empty() {
                return self.decline(context);
            }
            (self.plan, self.asked_fields) = (None, Vec::new());
            return (context.conclude(context.say(STOPPED.0, STOPPED.1)), fraction(FORM_ANSWER));
        }
        if let Ok(values) = serde_json::from_str::<Map<String, Value>>(sentence) {
            return self.handle_form(&values, context);
        }
        if let Some(scored) = self.handle_consent(sentence, context, answered) {
            return scored;
        }
        let sentence: String = sentence.chars().take(CHARS_MAX).collect();
        let right = self.plan.as_ref().and_then(|it| it.normalize_correction(&sentence));
        let mut sentence = normalize::without_retractions(right.as_ref().unwrap_or(&sentence));
        if let Some(plan) = &self.plan {
            sentence = plan.plain(sentence);
        }
        if sentence.contains(|it: char| it.is_ascii_alphabetic()) {
            let utterance = F::parse(&sentence, context.today());
            sentence = coverage::without_typos(&utterance).unwrap_or(sentence);
        }
        if let Some(scored) = self.after_thanks(&sentence, context, answered) {
            return scored;
        }
        // A greeting is not a request of its own.
        let parts = normalize::request_parts(&sentence);
        let is_polite = |piece: &&String| {
            let utterance = F::parse(piece, context.today());
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

    /// Handles a request after thanks or a greeting: `ありがとう、1番を2枚お願い`.
    fn after_thanks(
        &mut self,
        sentence: &str,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Option<ScoredDecision> {
        let rest = small_talk::after_thanks(sentence).filter(|_| self.plan.is_some())?;
        let before = serde_json::to_value(&self.plan).ok()?;
        let scored = self.parse(rest, context, answered);
        if scored.1 >= fraction(CONTINUED) {
            return Some(scored);
        }
        self.plan = Option::deserialize(before).ok().flatten();
        None
    }

    /// Handles a bare yes or no to a pending form or approval. A yes only repeats the question for the approval,
    /// since no word can give it; so do a repeated order and a question about the state. A no cancels.
    fn handle_consent(
        &mut self,
        sentence: &str,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Option<ScoredDecision> {
        let own: Vec<_> =
            answered.iter().filter(|it| it.call.id.starts_with(F::FAMILY_INFO.family)).collect();
        let is_pending = |it: &&&Answered| matches!(&it.result, ToolResult::Failed(Failure { error, .. }) if error == "not_allowed");
        let pending: Vec<&ToolCall> = own.iter().filter(is_pending).map(|it| &it.call).collect();
        let has_form = own.iter().any(|it| it.call.arguments.contains_key(FORM_SCHEMA));
        let again = || {
            let utterance = F::parse(sentence, context.today());
            let is_again = F::repeats_order(&utterance);
            let is_own = !utterance.has(&[Word::THEIRS, Word::THEIR_ACTION, Word::ELSEWHERE])
                && (F::goal(&utterance).is_some() || count_unknown(&utterance) == 0);
            let asks = is_own && asks_whether_done(&utterance);
            is_again.then_some(Consent::Yes).or(asks.then_some(Consent::Asks))
        };
        let answer = consent(sentence).or_else(|| if pending.is_empty() { None } else { again() });
        match answer {
            Some(Consent::No) if has_form || !pending.is_empty() => {
                (self.plan, self.asked_fields) = (None, Vec::new());
                Some((context.conclude(say::nothing(context)), fraction(FORM_ANSWER)))
            }
            Some(Consent::Yes | Consent::Asks) if !pending.is_empty() => {
                let press = context.say(APPROVAL_HINT.0, APPROVAL_HINT.1);
                let again = pending.into_iter().map(|call| {
                    let reason = without_hint(&call.reason);
                    let arguments = Value::Object(call.arguments.clone());
                    let call = context.call(&call.name, arguments, format!("{press}{reason}"));
                    ToolCall { meta: call.meta.clone(), ..call }
                });
                Some((Decision::Call(again.collect()), fraction(FORM_ANSWER)))
            }
            _ => {
                self.skipped_call = pending
                    .first()
                    .map(|it| SkippedCall { tool: it.name.clone(), reason: it.reason.clone() });
                None
            }
        }
    }

    /// Handles a sentence.
    fn parse(
        &mut self,
        sentence: &str,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> ScoredDecision {
        let mut utterance = F::parse(sentence, context.today());
        let (mut own, manner) = intent::<F>(&utterance);
        self.unused.clear();
        let may_be_general_question = own.is_none_or(|it| F::may_be_general_question(it.0));
        let is_world = may_be_general_question
            && manner.is_none()
            && utterance.is_general_question(true, F::OWN);
        if is_world || self.plan.is_none() && F::points_back(&utterance) {
            return self.decline(context);
        }
        let is_claimed = own.is_some() || self.plan.is_some() && manner.is_none();
        if let Some(text) = no_such_day(&utterance, context).filter(|_| is_claimed) {
            return (context.conclude(text), fraction(own.map_or(CONTINUED, |it| it.1)));
        }
        let goal = own.map(|it| it.0);
        let effect = goal.and_then(F::effect);
        if let Some(effect) = effect.filter(|_| is_hypothetical(&utterance)) {
            let nothing = context.say("まだ何もしていません。", " Nothing was done.");
            let text = context.say(effect.0, effect.1) + &nothing;
            return (context.conclude(text), fraction(own.map_or(CONTINUED, |it| it.1)));
        }
        if let Some(text) = self.action_status(&utterance, context).filter(|_| effect.is_some()) {
            return (context.conclude(text), fraction(own.map_or(CONTINUED, |it| it.1)));
        }
        let repeats = goal.is_none() && manner.is_none() && asks_again(&utterance);
        if repeats && self.plan.as_ref().is_some_and(Plan::may_repeat) {
            return (self.continue_plan(context, &[]), fraction(CONTINUED));
        }
        match self.family.follow(&mut self.plan, &utterance, goal, manner, context) {
            Some(FollowUp::Answer(text)) => {
                return (context.conclude(text), fraction(own.map_or(CONTINUED, |it| it.1)));
            }
            Some(FollowUp::Continue(confidence, unused)) => {
                self.unused = unused;
                let confidence = fraction(own.map_or(confidence, |it| it.1.max(confidence)));
                // Among equals the one that uses more of the sentence wins.
                let confidence = confidence - 0.001 * self.unused.len() as f32;
                return (self.continue_plan(context, &[]), confidence);
            }
            None => {}
        }
        // Calls that were approved meanwhile are reported as a whole.
        let is_new = answered.iter().any(|it| matches!(it.result, ToolResult::Output { .. }));
        let is_open = own.is_none() && manner.is_none() && self.action.is_some() && !is_new;
        if is_open
            && count_unknown(&utterance) <= 1
            && let Some(text) = self.action_status(&utterance, context)
        {
            return (context.conclude(text), fraction(CONTINUED));
        }
        let is_denial = goal.is_some_and(F::is_denial);
        let has_no =
            || utterance.has(&[Word::NOT]) || utterance.tokens.iter().any(|it| it.is_denied);
        if is_denial || manner == Some(Manner::Nothing) || goal.is_none() && has_no() {
            // `Don't show any, just list them`: the request is the rest.
            let before = || request_before_no::<F>(sentence, context).filter(|_| is_denial);
            match request_after_no::<F>(sentence, context).or_else(before) {
                Some(rest) => {
                    utterance = F::parse(&rest, context.today());
                    own = F::goal(&utterance);
                }
                None if is_denial && names_other_family::<F>(sentence, context) => {
                    return self.decline(context);
                }
                None => {}
            }
        } else if manner.is_some() {
            own = None;
        }
        let Some((goal, confidence)) = own else {
            return self.no_goal(&utterance, manner, context, answered);
        };
        if let Some(mut text) = self.family.direct_answer(&utterance, goal, context) {
            if let Some(action) = self
                .action
                .as_ref()
                .filter(|it| it.is_done != Some(true) && asks_whether_done(&utterance))
            {
                text = format!("{}\n{text}", action.status_text(context));
            }
            return (context.conclude(text), fraction(confidence));
        }
        if let Some(missing) = say::missing(context, F::SKILLS, &goal) {
            return (context.conclude(missing), fraction(confidence));
        }
        let plan = self.family.plan(&utterance, goal, context.language, self.plan.as_ref());
        let Some(mut plan) = plan else { return self.decline(context) };
        let mut confidence = fraction(confidence);
        if plan.covers() {
            let unused = coverage::unused(&utterance, &plan.used(&utterance, goal));
            plan.learn(&unused, &utterance);
            let is_lost = unused.len() >= ASKED_FROM && !plan.is_settled();
            let is_no = !plan.handles_denial()
                && !F::handles_denial(&utterance, goal)
                && coverage::has_stray_no(&utterance)
                && request_after_no::<F>(sentence, context).is_none();
            if is_lost || is_no {
                let goals = readings::<F>(&utterance, Some(goal));
                let text = say::unsure(context, F::SKILLS, &unused, &goals);
                return (context.conclude(text), confidence * UNSURE_FACTOR);
            }
            // Among equals the one that uses more of the sentence wins.
            confidence -= 0.001 * unused.len() as f32;
            self.unused = unused;
            if utterance.when.is_range {
                self.unused.push(context.say("期間（…から…まで）", "a range of days"));
            }
        } else {
            self.unused = plan.unused_words().to_vec();
        }
        self.plan = Some(plan);
        (self.continue_plan(context, &[]), confidence)
    }

    /// State of the last action, if `utterance` asks whether it was done: `did you do it?`.
    fn action_status(&self, utterance: &F::Sentence, context: &TurnContext<'_>) -> Option<String> {
        let none = || {
            context.say(
                "この会話では、まだ何もしていません。",
                "Nothing was done in this conversation yet.",
            )
        };
        let status = || self.action.as_ref().map_or_else(none, |it| it.status_text(context));
        let is_asked =
            asks_whether_done(utterance) || consent(&utterance.text()) == Some(Consent::Asks);
        is_asked.then(status)
    }

    /// Handles a sentence that matches no rule.
    fn no_goal(
        &mut self,
        utterance: &F::Sentence,
        manner: Option<Manner>,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> ScoredDecision {
        // A call that was approved meanwhile is reported.
        let is_done = |answered: &Answered| {
            let is_own = answered.call.id.starts_with(F::FAMILY_INFO.family);
            let is_form = answered.call.arguments.contains_key(FORM_SCHEMA);
            is_own && !is_form && matches!(answered.result, ToolResult::Output { .. })
        };
        if answered.iter().any(is_done) {
            return (self.continue_plan(context, answered), fraction(CONTINUATION));
        }
        let is_own =
            || utterance.tokens.iter().any(|it| utterance.vocabulary.nouns.contains(&it.word));
        let answer = match manner {
            Some(Manner::How) if is_own() => Some(say::examples(context, F::SKILLS)),
            Some(Manner::Nothing) if self.plan.take().is_some() => Some(say::nothing(context)),
            Some(_) => return self.decline(context),
            None => None,
        };
        if let Some(text) = answer {
            return (context.conclude(text), fraction(NEAR_WORDS));
        }
        if utterance.is_general_question(false, F::OWN) {
            self.plan = None;
            return self.decline(context);
        }
        if let Some((plan, confidence, unused)) = self.family.guess(utterance, context) {
            if let Some(text) = no_such_day(utterance, context) {
                return (context.conclude(text), fraction(confidence));
            }
            (self.plan, self.unused) = (Some(plan), unused);
            return (self.continue_plan(context, &[]), fraction(confidence));
        }
        let goals = readings::<F>(utterance, None);
        if goals.is_empty() {
            return self.decline(context);
        }
        let unused = coverage::unused(utterance, &Used::default());
        (context.conclude(say::unsure(context, F::SKILLS, &unused, &goals)), fraction(NEAR_WORDS))
    }

    /// Answers a sentence that is not for the family.
    fn decline(&self, context: &TurnContext<'_>) -> ScoredDecision {
        let confidence = self.skipped_call.as_ref().map_or(0.0, |_| fraction(SKIPS_APPROVAL));
        (context.conclude(say::not_understood(context, F::SKILLS)), confidence)
    }

    /// Applies the values of the family's own form (FORM-5).
    fn handle_form(
        &mut self,
        values: &Map<String, Value>,
        context: &mut TurnContext<'_>,
    ) -> ScoredDecision {
        // A form with only optional fields may be empty.
        let is_empty = values.is_empty() && !self.asked_fields.is_empty();
        let is_asked = is_empty || self.asked_fields.iter().any(|it| values.contains_key(it));
        match &mut self.plan {
            Some(plan) if is_asked => plan.filled(values, context.language),
            _ => return self.decline(context),
        }
        self.asked_fields.clear();
        (self.continue_plan(context, &[]), fraction(FORM_ANSWER))
    }

    /// Continues the plan.
    fn continue_plan(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        let Some(plan) = &mut self.plan else { return self.decline(context).0 };
        let decision = plan.next(context, answered);
        // Words that matched the result count as used.
        let words = plan.explained();
        self.unused.retain(|it| !words.contains(it));
        decision
    }

    /// Adds notes to the decision where the person sees them first, and remembers the fields of its form.
    fn with_notes(&mut self, mut decision: Decision, context: &TurnContext<'_>) -> Decision {
        if let Decision::Call(calls) = &decision {
            let forms = calls.iter().filter_map(|it| it.arguments.get(FORM_SCHEMA));
            let fields = forms.filter_map(|it| it["fields"].as_array()).flatten();
            let fields: Vec<_> =
                fields.filter_map(|it| it["name"].as_str().map(str::to_owned)).collect();
            if !fields.is_empty() {
                self.asked_fields = fields;
            }
        }
        if let Some(passed) = self.skipped_call.take() {
            let text = context.say(
                format!("承認を待っていた操作（{}）は行っていません。", passed.reason),
                format!("What waited for your approval was not done ({}).", passed.reason),
            );
            match &mut decision {
                Decision::Conclude(conclusion) => prepend(conclusion, &text),
                Decision::Call(calls) if calls.iter().any(|it| it.name == passed.tool) => {}
                Decision::Call(_) => self.skipped_call = Some(passed),
            }
        }
        if self.unused.is_empty() {
            return decision;
        }
        let note = say::unused(context, &self.unused);
        match &mut decision {
            Decision::Conclude(conclusion) => {
                prepend(conclusion, &note);
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

    /// Language of the answer to `sentence`.
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

    /// Rebuilds the plan from a history without a memory.
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

/// Answer to a date that does not exist.
fn no_such_day(utterance: &Utterance, context: &TurnContext<'_>) -> Option<String> {
    let (from, to) = utterance.when.missing?;
    Some(say::no_such_day(context, &utterance.piece(from, to).text))
}

/// Number of unknown words in `utterance`.
fn count_unknown(utterance: &Utterance) -> usize {
    coverage::unused(utterance, &Used::default()).len()
}

/// Puts `note` before the first text of `conclusion`.
fn prepend(conclusion: &mut Conclusion, note: &str) {
    let text = conclusion.parts.iter_mut().find_map(|piece| match &mut piece.body {
        Body::Text(text) => Some(text),
        Body::Image(_) => None,
    });
    if let Some(text) = text {
        *text = format!("{note}\n{text}");
    }
}

fn fraction(confidence: Percent) -> f32 {
    f32::from(confidence) / 100.0
}

/// Goal of `utterance`, or its manner if that has more confidence.
fn intent<F: Family>(utterance: &F::Sentence) -> (Option<(F::Goal, Percent)>, Option<Manner>) {
    let own = F::goal(utterance);
    let is_first = |reading: &(Manner, Percent)| {
        !F::handles_manner(utterance, reading.0) && own.is_none_or(|own| reading.1 > own.1)
    };
    match manners(utterance).find(is_first) {
        Some((manner, _)) => (None, Some(manner)),
        None => (own, None),
    }
}

/// Remainders of `sentence` after each of its parts.
fn remainders(sentence: &str) -> impl Iterator<Item = &str> {
    let ends = sentence.char_indices().filter(|end| {
        matches!(end.1, '、' | ',' | '。' | '.' | ';' | '–' | '—')
            || sentence[end.0..].starts_with("- ")
    });
    ends.take(PARTS_MAX).map(|(at, mark)| sentence[at + mark.len_utf8()..].trim())
}

/// Finds the request after a denied part.
fn request_after_no<F: Family>(sentence: &str, context: &TurnContext<'_>) -> Option<String> {
    let is_request = |piece: &&str| {
        let goal = intent::<F>(&F::parse(piece, context.today())).0;
        goal.is_some_and(|it| F::is_request(it.0))
    };
    remainders(sentence).find(is_request).map(str::to_owned)
}

/// Finds the request before a denied action: `is Emma there? I don't reserve it yet`.
fn request_before_no<F: Family>(sentence: &str, context: &TurnContext<'_>) -> Option<String> {
    normalize::request_parts(sentence).into_iter().find(|piece| {
        let utterance = F::parse(piece, context.today());
        let goal = intent::<F>(&utterance).0;
        goal.is_some_and(|it| F::is_request(it.0)) && !utterance.has(&[Word::NOT])
    })
}

/// Whether another family's thing is named after a denial.
fn names_other_family<F: Family>(sentence: &str, context: &TurnContext<'_>) -> bool {
    remainders(sentence).any(|it| F::parse(it, context.today()).has(&[Word::THEIRS]))
}

/// Nearest readings of a sentence: its goal, and those suggested by its words.
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
