//! The built-in model: no key, no network. It understands the sentences of the five specifications in
//! Japanese and English, and says that it is the built-in planner.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::{
    cards::Cards,
    cinema::{Bookings, Cancel, Visit},
    desk::Desk,
    heard::Heard,
    lists::Lists,
    look::{Found, Look},
    meeting::{Meeting, Meets},
    numbers::Id,
    rules::{Goal, goal},
    survey::Survey,
    ways::Way,
};
use super::{Answered, Decision, Language, Part, ToolResult, Turn, text_of};

#[path = "../../illustrations/src/sentences/cards.rs"]
mod cards;
#[path = "../../cinema/src/sentences/visit.rs"]
mod cinema;
mod corrected;
mod coverage;
mod dates;
mod desk;
#[path = "../../forms/src/sentences/fields.rs"]
mod fields;
mod heard;
#[path = "../../conversations/src/sentences/lists.rs"]
mod lists;
#[path = "bare.rs"]
mod look;
#[path = "../../conversations/src/sentences/meeting.rs"]
mod meeting;
#[path = "settled.rs"]
mod mended;
#[path = "../../cinema/src/sentences/names.rs"]
pub(crate) mod names;
mod numbers;
#[path = "../../navigation/src/sentences/places.rs"]
mod places;
#[path = "../../cinema/src/sentences/rules.rs"]
mod rules;
mod say;
pub(crate) use say::confidence;
#[path = "../../forms/src/sentences/survey.rs"]
mod survey;
#[path = "../../conversations/src/sentences/talker.rs"]
pub(crate) mod talker;
#[path = "../../navigation/src/sentences/way.rs"]
mod ways;
mod words;

/// What people send where they close a form (FORM-9).
const CLOSED: &str = "フォーム入力をキャンセルしました。";
const HISTORY: &str = "get_conversation_history";

/// Decides by a grammar that is data: sentences are read into a plan, and the plan goes on from what
/// the tools and the person answer.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Builtin {
    /// How many calls there were, which numbers the next.
    calls: u64,
    plan: Option<Plan>,
    /// Whether the last sentence was answered in English; what a form brings has no language.
    is_english: Option<bool>,
    /// What was reserved in this conversation.
    bookings: Bookings,
    /// Words of the sentence that led to nothing, told with the next answer.
    unused: Vec<String>,
    /// What else the sentence asks for.
    rest: Vec<String>,
    /// What was answered of it already.
    told: Vec<Part>,
}

/// Parts of a sentence that are looked at on their own.
const PARTS_MAX: usize = 6;
/// Wishes of one sentence.
const WISHES_MAX: usize = 3;

/// What is being done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Plan {
    Way(Way),
    Visit(Box<Visit>),
    Cards(Cards),
    Survey(Survey),
    Meeting(Meeting),
    Lists(Lists),
    Look(Look),
    Cancel(Cancel),
    /// A conversation is looked up.
    History(String),
}

impl Builtin {
    /// One that goes on from what it remembered.
    #[must_use]
    pub(crate) fn resume(transcript: &Value) -> Self {
        Self::deserialize(transcript).unwrap_or_default()
    }

    /// All that it needs to go on some other day.
    #[must_use]
    pub(crate) fn transcript(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// How well what was said is understood, from 0 to 1, where `decision` is next. A name that may be
    /// anybody's is a guess, and so is a sentence of which a part led to nothing: who knows better leads.
    #[must_use]
    pub(crate) fn confidence(&self, decision: &Decision) -> f32 {
        let most = match &self.plan {
            Some(Plan::Look(_)) => 0.4,
            _ if !self.unused.is_empty() => 0.6,
            _ => 1.0,
        };
        confidence(decision).min(most)
    }

    /// What is next.
    pub(crate) fn next(&mut self, turn: Turn<'_>) -> Decision {
        let task = turn.task;
        let mut calls = self.calls;
        let said = text_of(&task.message);
        let language = self.language(task.language, said.trim());
        let mut desk = Desk { language, now: task.now, offers: turn.offers, calls: &mut calls };
        self.bookings.hear(turn.answered);
        let mut decision = match turn.is_first && !said.trim().is_empty() {
            true => {
                if self.plan.is_none() {
                    self.recall(turn, &desk);
                }
                (self.rest, self.told) = Default::default();
                self.begin(&said, &mut desk, turn.answered)
            }
            false => self.go_on(&mut desk, turn.answered),
        };
        decision = self.noted(decision, &desk);
        while let Decision::Conclude(conclusion) = &mut decision {
            if self.rest.is_empty() {
                let told = std::mem::take(&mut self.told);
                conclusion.parts.splice(0..0, told.into_iter().map(|it| unsigned(it, &desk)));
                break;
            }
            self.told.append(&mut conclusion.parts);
            let next = self.rest.remove(0);
            decision = self.hear(&next, &mut desk, &[]);
            decision = self.noted(decision, &desk);
        }
        self.calls = calls;
        decision
    }

    /// Hears a sentence: what it takes back is left out, and several wishes are heard one after another.
    fn begin(&mut self, said: &str, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        let is_form = said.trim() == CLOSED || said.trim_start().starts_with('{');
        if is_form {
            return self.hear(said, desk, answered);
        }
        let said: String = said.trim().chars().take(heard::CHARS_MAX).collect();
        let mut said = mended::settled(&said);
        if let Some(Plan::Way(way)) = &self.plan {
            said = way.named(&said);
        }
        let wishes = wishes(&said, desk);
        match wishes.split_first() {
            Some((first, rest)) => {
                self.rest = rest.to_vec();
                self.hear(first, desk, answered)
            }
            None => self.hear(&said, desk, answered),
        }
    }

    /// The decision with the words that were not used, told where the person sees it first.
    fn noted(&mut self, mut decision: Decision, desk: &Desk<'_>) -> Decision {
        if self.unused.is_empty() {
            return decision;
        }
        let note = say::unused(desk, &self.unused);
        match &mut decision {
            Decision::Conclude(conclusion) => {
                let text = conclusion.parts.iter_mut().find_map(|it| match &mut it.body {
                    super::Body::Text(text) => Some(text),
                    super::Body::Image(_) => None,
                });
                if let Some(text) = text {
                    *text = format!("{note}\n{text}");
                }
                self.unused.clear();
            }
            Decision::Call(calls) => {
                for call in calls.iter_mut().filter(|it| it.name == desk::FORM) {
                    let Some(form) = call.arguments.get_mut("form_schema") else { continue };
                    let description = form["description"].as_str().unwrap_or_default();
                    form["description"] = format!("{description}\n{note}").trim().into();
                    self.unused.clear();
                }
            }
        }
        decision
    }

    /// The language to answer `said` in.
    fn language(&mut self, callers: Language, said: &str) -> Language {
        let is_sentence = !said.is_empty() && !said.starts_with('{') && said != CLOSED;
        let before = self.is_english.filter(|_| !is_sentence);
        let language = before.map_or(callers, |it| match it {
            true => Language::English,
            false => Language::Japanese,
        });
        self.is_english = Some(language == Language::English);
        language
    }

    /// Takes the way up again that was asked for in a history that came without a transcript.
    fn recall(&mut self, turn: Turn<'_>, desk: &Desk<'_>) {
        for message in turn.task.history.iter().filter(|it| it.is_user) {
            let text = text_of(&message.parts);
            let heard = Heard::of(&text, desk.today());
            match (goal(&heard), &mut self.plan) {
                (Some(goal), _) => {
                    let before = self.plan.take();
                    self.plan = plan(&heard, goal, desk.language, before.as_ref()).or(before);
                }
                (None, Some(Plan::Way(way))) if way.follows(&text, desk) => way.wish(&heard),
                _ => {}
            }
        }
    }

    /// Hears what the person says now.
    fn hear(&mut self, said: &str, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        if said.trim() == CLOSED {
            self.plan = None;
            return desk.conclude(desk.say(
                "中止しました。予約などは何もしていません。",
                "Stopped; nothing was reserved or changed.",
            ));
        }
        if let Ok(values) = serde_json::from_str::<Map<String, Value>>(said) {
            return self.fill(&values, desk);
        }
        let mut heard = Heard::of(said, desk.today());
        let mut goal = goal(&heard);
        self.unused.clear();
        let may_be_world =
            matches!(goal, None | Some(Goal::Cards | Goal::Place | Goal::Distances | Goal::Route));
        if may_be_world && heard.asks_the_world(true) {
            return desk.conclude(say::not_understood(desk));
        }
        if self.plan.is_none() && heard.points_back() {
            return desk.conclude(say::pointless(desk));
        }
        if let Some(decision) = self.answer(&heard, goal, desk) {
            return decision;
        }
        let is_stray = goal.is_some_and(|it| coverage::has_stray_no(&heard, it));
        if (goal == Some(Goal::Nothing) || is_stray)
            && let Some(rest) = behind_no(said, desk)
            && (!is_stray || is_elsewhere(&rest, goal, desk))
        {
            // `Don't show cards, just list the themes`: the rest is what is wished.
            heard = Heard::of(&rest, desk.today());
            goal = rules::goal(&heard);
        }
        let Some(goal) = goal.filter(|it| *it != Goal::Look) else {
            return self.no_goal(&heard, desk, answered);
        };
        match goal {
            Goal::Nothing => return desk.conclude(say::nothing(desk)),
            Goal::Price => return desk.conclude(say::price(desk)),
            Goal::Change => {
                let words = [desk.say("変更", "change")];
                return desk.conclude(say::unsure(desk, &words, &[Goal::Cancel, Goal::Book]));
            }
            Goal::Told => return desk.conclude(say::told(desk)),
            Goal::Elsewhere => return desk.conclude(say::elsewhere(desk)),
            Goal::Help => return desk.conclude(say::examples(desk)),
            Goal::Greeting | Goal::Thanks => {
                // A greeting before a wish is heard by the wish.
                return match Look::of(&heard, &coverage::unused(&heard, goal, &[])) {
                    Some(look) if coverage::unused(&heard, goal, &[]).len() == 1 => {
                        self.plan = Some(Plan::Look(look));
                        self.go_on(desk, &[])
                    }
                    _ => desk.conclude(say::hello(desk, goal)),
                };
            }
            _ => {}
        }
        if let Some(missing) = say::missing(desk, goal) {
            return desk.conclude(missing);
        }
        if goal == Goal::Cancel {
            self.plan = Some(Plan::Cancel(Cancel::of(&heard, &self.bookings)));
            return self.go_on(desk, &[]);
        }
        let cancel = cinema::number(&heard).filter(|_| goal == Goal::Reservation);
        if goal == Goal::Reservation && cancel.is_none() {
            return desk.conclude(say::bookings(desk, self.bookings.lines(desk)));
        }
        let Some(mut plan) = plan(&heard, goal, desk.language, self.plan.as_ref()) else {
            return desk.conclude(say::not_understood(desk));
        };
        let unused = coverage::unused(&heard, goal, &plan.used());
        if plan.covers() {
            if let Plan::Visit(visit) = &mut plan {
                visit.known_by(&unused);
            }
            let is_lost = unused.len() >= coverage::ASKED_FROM && !plan.is_settled();
            let is_no = !plan.obeys()
                && coverage::has_stray_no(&heard, goal)
                && behind_no(said, desk).is_none();
            if is_lost || is_no {
                return desk.conclude(say::unsure(desk, &unused, &readings(&heard, goal)));
            }
            self.unused = unused;
            if heard.when.is_range {
                self.unused.push(desk.say("期間（…から…まで）", "a range of days"));
            }
        }
        if let Plan::Survey(survey) = &plan {
            self.unused = survey.left().to_vec();
        }
        self.plan = Some(plan);
        self.go_on(desk, &[])
    }

    /// An answer in words to what was asked last, where it is one.
    fn answer(
        &mut self,
        heard: &Heard,
        goal: Option<Goal>,
        desk: &mut Desk<'_>,
    ) -> Option<Decision> {
        if let Some(Plan::Cancel(cancel)) = &mut self.plan {
            let is_answer =
                cancel.waits && matches!(goal, None | Some(Goal::Cancel | Goal::Reservation));
            return (is_answer && cancel.worded(heard)).then(|| self.go_on(desk, &[]));
        }
        if let Some(Plan::Lists(lists)) = &mut self.plan
            && matches!(goal, None | Some(Goal::Halt | Goal::Nothing | Goal::Talks))
            && let Some(next) = lists.acts(heard)
        {
            *lists = next;
            return Some(self.go_on(desk, &[]));
        }
        if matches!(self.plan, Some(Plan::Meeting(_))) && heard.ends_it() {
            self.plan = Some(Plan::Lists(Lists::of(heard, Goal::Halt)));
            return Some(self.go_on(desk, &[]));
        }
        if let Some(Plan::Meeting(meeting)) = &mut self.plan
            && !heard.names_agent()
            && meeting.remarks(heard)
        {
            return Some(self.go_on(desk, &[]));
        }
        let is_cards = matches!(self.plan, Some(Plan::Cards(_)));
        let about = matches!(goal, None | Some(Goal::Cards | Goal::Thumbnail | Goal::Elsewhere));
        if about && let Some(refusal) = cards::refusal(heard, is_cards, desk) {
            return Some(desk.conclude(refusal));
        }
        if let Some(Plan::Cards(cards)) = &mut self.plan {
            if cards.amend(heard, goal, desk.language) {
                self.unused = coverage::unused(heard, Goal::Thumbnail, &cards.used());
                return Some(self.go_on(desk, &[]));
            }
            // `and the moth from that same set`: more of the same.
            let next = cards.follow(heard, goal, desk.language)?;
            self.unused = coverage::unused(heard, Goal::Cards, &next.used());
            *cards = next;
            return Some(self.go_on(desk, &[]));
        }
        if let Some(Plan::Survey(survey)) = &mut self.plan {
            let is_new = heard.has(&[words::Word::Make]) && heard.has(&[words::Word::Form]);
            let may_amend = matches!(
                goal,
                None | Some(
                    Goal::Form | Goal::Nothing | Goal::Change | Goal::Elsewhere | Goal::Look
                )
            );
            let is_amended = !is_new && may_amend && survey.amend(heard, desk.language);
            if is_amended {
                self.unused = survey.left().to_vec();
                return Some(self.go_on(desk, &[]));
            }
            return None;
        }
        let Some(Plan::Visit(visit)) = &mut self.plan else { return None };
        if let Some(next) = visit.follow(heard, goal) {
            **visit = next;
            self.unused.clear();
            return Some(self.go_on(desk, &[]));
        }
        let is_stop = matches!(
            goal,
            Some(
                Goal::Nothing
                    | Goal::Elsewhere
                    | Goal::Cancel
                    | Goal::Told
                    | Goal::Help
                    | Goal::Thanks
                    | Goal::Greeting
            )
        );
        let is_about = matches!(goal, None | Some(Goal::Book));
        if !visit.waits() || is_stop || !is_about {
            return None;
        }
        if goal == Some(Goal::Book) {
            visit.book();
            // A new order is read anew, unless it chooses among what was shown.
            return visit.worded(heard).then(|| self.go_on(desk, &[]));
        }
        visit.worded(heard).then(|| self.go_on(desk, &[]))
    }

    /// A sentence in which no rule finds anything: a wish for the way, or nothing that is understood.
    fn no_goal(&mut self, heard: &Heard, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        let said = heard.text();
        if let Some(Plan::Way(way)) = &mut self.plan
            && desk.has("route_search")
        {
            let is_stop = way.stops(heard);
            let moved = if is_stop { None } else { way.moved(heard) };
            let is_wish = is_stop || moved.is_none() && way.follows(&said, desk);
            let is_moved = moved.is_some();
            if let Some(moved) = moved {
                *way = moved;
            } else if is_wish {
                way.wish(heard);
            }
            if is_moved || is_wish {
                self.unused = coverage::unused(heard, Goal::Route, &way.used());
                return self.go_on(desk, &[]);
            }
        }
        // What the person allowed meanwhile has happened, and is told.
        let is_done = |it: &Answered| {
            it.call.name != desk::FORM && matches!(it.result, ToolResult::Output { .. })
        };
        if answered.iter().any(is_done) {
            return self.go_on(desk, answered);
        }
        if heard.asks_the_world(false) {
            self.plan = None;
            return desk.conclude(say::not_understood(desk));
        }
        let unused = coverage::unused(heard, Goal::Look, &[]);
        if let Some(goal) = rules::guess(heard).filter(|_| desk.has(look::MOVIES)) {
            let mut visit = Visit::guessed(heard, goal);
            let left = coverage::unused(heard, goal, &visit.used());
            if left.len() < coverage::ASKED_FROM {
                visit.known_by(&left);
                self.unused = left;
                self.plan = Some(Plan::Visit(Box::new(visit)));
                return self.go_on(desk, &[]);
            }
        }
        if let Some(look) = Look::of(heard, &unused) {
            let name = look.name.to_lowercase();
            self.unused =
                unused.into_iter().filter(|it| !name.contains(&it.to_lowercase())).collect();
            self.plan = Some(match Cards::of_names(&look.name) {
                Some(cards) => Plan::Cards(cards),
                None => Plan::Look(look),
            });
            return self.go_on(desk, &[]);
        }
        let goals = readings(heard, Goal::Look);
        desk.conclude(match goals.len() {
            0 => say::not_understood(desk),
            _ => say::unsure(desk, &unused, &goals),
        })
    }

    /// Takes in what a form brought (FORM-5).
    fn fill(&mut self, values: &Map<String, Value>, desk: &mut Desk<'_>) -> Decision {
        match &mut self.plan {
            Some(Plan::Way(it)) => it.filled(values),
            Some(Plan::Visit(it)) => it.filled(values),
            Some(Plan::Cards(it)) => it.filled(values),
            Some(Plan::Survey(it)) => it.filled(values, desk.language),
            Some(Plan::Meeting(it)) => it.filled(values),
            Some(Plan::History(_) | Plan::Lists(_) | Plan::Look(_) | Plan::Cancel(_)) | None => {
                return desk.conclude(desk.say(
                    "フォームの回答を受け取りましたが、続きの用件が分かりません。",
                    "A form's answers arrived, but I do not know what they are for.",
                ));
            }
        }
        self.go_on(desk, &[])
    }

    /// Goes on with the plan.
    fn go_on(&mut self, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        let found = match &mut self.plan {
            Some(Plan::Way(it)) => return it.next(desk, answered),
            Some(Plan::Visit(it)) => {
                let decision = it.next(desk, answered);
                // What a film was found by was used after all.
                let words = it.explained();
                self.unused.retain(|it| !words.contains(it));
                return decision;
            }
            Some(Plan::Cards(it)) => return it.next(desk, answered),
            Some(Plan::Survey(it)) => return it.next(desk, answered),
            Some(Plan::Meeting(it)) => return it.next(desk, answered),
            Some(Plan::Lists(it)) => return it.next(desk, answered),
            Some(Plan::Cancel(it)) => return it.next(desk, answered),
            Some(Plan::History(id)) => return history(id, desk, answered),
            Some(Plan::Look(it)) => match it.next(desk, answered) {
                Ok(decision) => return decision,
                Err(found) => (it.name.clone(), found),
            },
            None => return desk.conclude(say::not_understood(desk)),
        };
        // A name turned out to be a film's or a card's.
        match found {
            (name, Found::Film) => {
                let heard = Heard::of(&name, desk.today());
                self.plan = Some(Plan::Visit(Box::new(Visit::of_name(&heard, &name))));
                let films: Vec<_> =
                    answered.iter().filter(|it| it.call.name == look::MOVIES).cloned().collect();
                self.go_on(desk, &films)
            }
            (name, Found::Card) => {
                self.plan = Some(Plan::Cards(Cards::of_name(&name)));
                let cards: Vec<_> =
                    answered.iter().filter(|it| it.call.name == look::CARD).cloned().collect();
                self.go_on(desk, &cards)
            }
            (_, Found::Near(name)) => {
                self.plan = Some(Plan::Cards(Cards::of_name(&name)));
                self.go_on(desk, &[])
            }
            (_, Found::Nothing(text)) => {
                self.plan = None;
                desk.conclude(format!("{text}\n{}", say::examples(desk)))
            }
        }
    }
}

impl Plan {
    /// The names that it took from the sentence.
    fn used(&self) -> Vec<String> {
        match self {
            Self::Way(it) => it.used(),
            Self::Visit(it) => it.used(),
            Self::Cards(it) => it.used(),
            Self::Lists(it) => it.used(),
            _ => Vec::new(),
        }
    }

    /// Whether what it leaves of the sentence is to be told: a form and a conversation take all of it.
    fn covers(&self) -> bool {
        match self {
            Self::Visit(it) => it.covers(),
            it => !matches!(it, Self::Survey(_) | Self::Meeting(_) | Self::History(_)),
        }
    }

    /// Whether what it is about is named, so that further words only add to it.
    fn is_settled(&self) -> bool {
        match self {
            Self::Visit(it) => it.is_titled(),
            Self::Lists(_) => true,
            Self::Cards(it) => it.is_named(),
            it => !it.used().is_empty(),
        }
    }

    /// Whether it follows the no of the sentence.
    fn obeys(&self) -> bool {
        matches!(self, Self::Cards(it) if it.obeys())
    }
}

/// A piece of an answer that another one follows: who gives it is said once, at the end.
fn unsigned(mut part: Part, desk: &Desk<'_>) -> Part {
    if let super::Body::Text(text) = &mut part.body {
        let signature = desk.language.pick("\n（内蔵プランナー）", "\n(Built-in planner)");
        let bare = text.strip_suffix(signature).unwrap_or(text);
        *text = format!("{bare}\n\n");
    }
    part
}

/// The wishes of a sentence, where it has several that lead to different families; else none.
fn wishes(said: &str, desk: &Desk<'_>) -> Vec<String> {
    let mut parts = mended::parts(said);
    if parts.len() > 1 {
        // `A card with a cat? Show me that one`: the second says nothing new.
        parts.retain(|it| !is_pointing(it));
    }
    if parts.len() > PARTS_MAX {
        return Vec::new();
    }
    let likely = |it: &String| {
        let heard = Heard::of(it, desk.today());
        let look =
            || Look::of(&heard, &coverage::unused(&heard, Goal::Look, &[])).map(|_| Goal::Look);
        let asks = heard.has(&[words::Word::Show, words::Word::See]);
        goal(&heard).or_else(|| rules::guess(&heard)).or_else(|| look().filter(|_| asks))
    };
    let mut goals: Vec<_> = parts.iter().map(likely).collect();
    // A time beside a way is that of the way.
    if goals.iter().flatten().any(|it| *it == Goal::Route) {
        for (part, likely) in parts.iter().zip(&mut goals) {
            let heard = Heard::of(part, desk.today());
            if goal(&heard).is_none() && !heard.wishes.is_empty() {
                *likely = None;
            }
        }
    }
    // A number beside a picture counts its cards.
    let is_picture = goals.iter().flatten().any(|it| matches!(it, Goal::Thumbnail | Goal::Cards));
    for (part, likely) in parts.iter().zip(&mut goals) {
        let is_guess =
            *likely == Some(Goal::Book) && goal(&Heard::of(part, desk.today())).is_none();
        // So do its title and its background go with it.
        let is_part = is_picture && cards::is_part(part);
        if is_picture && is_guess || is_part {
            *likely = None;
        }
    }
    // What a form asks and what agents talk about is part of it.
    let takes_all = goals.iter().flatten().any(|it| {
        matches!(it, Goal::Form | Goal::Converse | Goal::Cancel | Goal::Nothing | Goal::History)
    });
    let is_polite = |it: &Goal| matches!(it, Goal::Greeting | Goal::Thanks | Goal::Help);
    let mut families: Vec<_> =
        goals.iter().flatten().filter(|it| !is_polite(it)).filter_map(|it| family(*it)).collect();
    families.dedup();
    if takes_all || parts.len() < 2 || families.is_empty() {
        return Vec::new();
    }
    if families.len() < 2 {
        // A greeting beside a wish is no wish.
        let others: Vec<_> =
            parts.iter().zip(&goals).filter(|it| !it.1.as_ref().is_some_and(is_polite)).collect();
        let is_greeted = others.len() < parts.len() && others.len() == 1;
        return if is_greeted {
            others.into_iter().map(|it| it.0.clone()).collect()
        } else {
            Vec::new()
        };
    }
    // What has no goal of its own goes with what is before it.
    let mut wishes: Vec<(Option<u8>, String)> = Vec::new();
    for (part, goal) in parts.into_iter().zip(goals) {
        let family = goal.filter(|it| !is_polite(it)).and_then(family);
        match wishes.last_mut() {
            Some(last) if family.is_none() || last.0 == family || last.0.is_none() => {
                last.1.push(' ');
                last.1.push_str(&part);
                last.0 = last.0.or(family);
            }
            _ => wishes.push((family, part)),
        }
    }
    wishes.truncate(WISHES_MAX);
    wishes.into_iter().map(|it| it.1).collect()
}

/// Which family of tools a goal belongs to.
fn family(goal: Goal) -> Option<u8> {
    Some(match goal {
        Goal::Films | Goal::Showtimes | Goal::Seats | Goal::Book | Goal::Reservation => 0,
        Goal::Cards | Goal::Thumbnail | Goal::Themes => 1,
        Goal::Route | Goal::Distances | Goal::Place => 2,
        Goal::Look => 5,
        Goal::Forms => 3,
        Goal::Talks | Goal::Agents => 4,
        _ => return None,
    })
}

/// Whether a part of a sentence only asks to see what the part before it names.
fn is_pointing(part: &str) -> bool {
    const JAPANESE: &str = "それ|あれ|これ|そのカード|あのカード|その絵|そいつ";
    const SHOWS: &str = "見たい|みたい|見せて|みせて|出して|表示|お願い|ください|ちょうだい|頼む";
    const ENGLISH: &str = "show me that|show me it|show it|show that|show me that one|can i see it|can i see that|i want to see it|let me see it|that one please|i'd like to see it";
    let part = part.trim().trim_end_matches(['。', '.', '!', '?', '！', '？']).to_lowercase();
    let rest = heard::marks(JAPANESE).find_map(|it| part.strip_prefix(it));
    let rest = rest.map(|it| it.trim_start_matches(['を', 'が', 'は', '、']));
    rest.is_some_and(|it| heard::marks(SHOWS).any(|shows| it.starts_with(shows)))
        || heard::marks(ENGLISH).any(|it| part.trim_end_matches(" please") == it)
}

/// Whether `rest` of a sentence leads to another family than `goal`.
fn is_elsewhere(rest: &str, first: Option<Goal>, desk: &Desk<'_>) -> bool {
    let other = goal(&Heard::of(rest, desk.today())).and_then(family);
    other.is_some() && other != first.and_then(family)
}

/// What is wished behind a part that wants something not to be done.
fn behind_no(said: &str, desk: &Desk<'_>) -> Option<String> {
    let is_wish = |it: &Goal| family(*it).is_some() || *it == Goal::Look;
    let ends = said.char_indices().filter(|it| {
        matches!(it.1, '、' | ',' | '。' | '.' | ';' | '–' | '—') || said[it.0..].starts_with("- ")
    });
    let ends = ends.take(PARTS_MAX);
    ends.map(|(at, mark)| said[at + mark.len_utf8()..].trim()).find_map(|rest| {
        let goal = goal(&Heard::of(rest, desk.today()))?;
        (is_wish(&goal) && goal != Goal::Book).then(|| rest.to_owned())
    })
}

/// The nearest readings of a sentence: its goal, and those that its words lead to besides.
fn readings(heard: &Heard, first: Goal) -> Vec<Goal> {
    let mut goals = vec![first];
    for it in rules::goals(heard) {
        let is_other = !goals.contains(&it) && (family(it) != family(first) || goals.len() == 1);
        if is_other {
            goals.push(it);
        }
    }
    goals.retain(|it| *it != Goal::Look);
    goals
}

/// The plan for `goal`; what the sentence leaves out is taken from `before` where it is of the same kind.
fn plan(heard: &Heard, goal: Goal, language: Language, before: Option<&Plan>) -> Option<Plan> {
    Some(match goal {
        Goal::Route | Goal::Distances | Goal::Place => {
            let before = before.and_then(|it| if let Plan::Way(it) = it { Some(it) } else { None });
            Plan::Way(Way::of(heard, goal, before))
        }
        Goal::Films | Goal::Showtimes | Goal::Seats | Goal::Book | Goal::Reservation => {
            let before =
                before.and_then(|it| if let Plan::Visit(it) = it { Some(&**it) } else { None });
            Plan::Visit(Box::new(Visit::of(heard, goal, before)))
        }
        Goal::Cards | Goal::Thumbnail => {
            let before =
                before.and_then(|it| if let Plan::Cards(it) = it { Some(it) } else { None });
            Plan::Cards(Cards::of(heard, goal, language, before))
        }
        Goal::Forms | Goal::Talks | Goal::Agents | Goal::Themes | Goal::Halt => {
            Plan::Lists(Lists::of(heard, goal))
        }
        Goal::Converse => Plan::Meeting(Meeting::of(heard, language)),
        Goal::Form => Plan::Survey(Survey::of(heard, language)),
        Goal::History => {
            let id = heard
                .numbers
                .id(Id::Conversation)
                .or(heard.quoted.first().map(|it| it.text.as_str()));
            Plan::History(id?.to_owned())
        }
        _ => return None,
    })
}

/// What was said in a conversation.
fn history(id: &str, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
    if let Some((_, failure)) = desk::failure(answered) {
        return desk.conclude(say::failed(desk, failure));
    }
    let Some(found) = desk::output(answered, HISTORY) else {
        let reason = desk.say("対話の記録を確認", "To read what was said");
        return desk.only(HISTORY, json!({ "conversation_id": id }), reason);
    };
    let lines = found["history"].as_array().into_iter().flatten().filter_map(|it| {
        Some(format!("- {}: {}", it["sender"].as_str()?, it["content"].as_str()?))
    });
    desk.conclude(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
#[path = "../../../tests/sentences/src/lib.rs"]
mod tests;
