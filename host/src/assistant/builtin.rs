//! The built-in model: no key, no network. It understands the sentences of the five specifications in
//! Japanese and English, and says that it is the built-in planner.

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::{
    cards::Cards,
    cinema::Visit,
    desk::Desk,
    heard::Heard,
    meeting::Meeting,
    numbers::Id,
    rules::{Goal, goal},
    survey::Survey,
    ways::Way,
};
use super::{
    Answered, Decider, Decision, Language, ToolResult, Turn, Undecided, images_of, text_of,
};

mod cards;
mod cinema;
mod dates;
mod desk;
mod fields;
mod heard;
mod meeting;
mod names;
mod numbers;
mod places;
mod rules;
mod say;
mod survey;
pub(crate) mod talker;
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
}

/// What is being done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Plan {
    Way(Way),
    Visit(Box<Visit>),
    Cards(Cards),
    Survey(Survey),
    Meeting(Meeting),
    /// A conversation is looked up.
    History(String),
}

impl Builtin {
    /// One that goes on from what it remembered.
    pub(crate) fn resume(transcript: &Value) -> Self {
        Self::deserialize(transcript).unwrap_or_default()
    }

    /// What is next.
    fn next(&mut self, turn: Turn<'_>) -> Decision {
        let task = turn.task;
        let mut calls = self.calls;
        let said = text_of(&task.message);
        let language = self.language(task.language, said.trim());
        let mut desk = Desk { language, now: task.now, offers: turn.offers, calls: &mut calls };
        let decision = match turn.is_first && !said.trim().is_empty() {
            true => {
                if self.plan.is_none() {
                    self.recall(turn, &desk);
                }
                self.hear(&said, &mut desk, turn.answered)
            }
            false => self.go_on(&mut desk, turn.answered),
        };
        self.calls = calls;
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
                (None, Some(Plan::Way(way))) if way.follows(&text, desk) => way.wish(text),
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
        let heard = Heard::of(said, desk.today());
        let goal = goal(&heard);
        if let Some(decision) = self.answer(&heard, goal, desk) {
            return decision;
        }
        let Some(goal) = goal else { return self.no_goal(said, desk, answered) };
        match goal {
            Goal::Nothing => return desk.conclude(say::nothing(desk)),
            Goal::Cancel => return desk.conclude(say::cancel(desk)),
            Goal::Told => return desk.conclude(say::told(desk)),
            Goal::Elsewhere => return desk.conclude(say::not_understood(desk)),
            Goal::Help => return desk.conclude(say::examples(desk)),
            Goal::Greeting | Goal::Thanks => return desk.conclude(say::hello(desk, goal)),
            _ => {}
        }
        if let Some(missing) = say::missing(desk, goal) {
            return desk.conclude(missing);
        }
        match plan(&heard, goal, desk.language, self.plan.as_ref()) {
            Some(plan) => self.plan = Some(plan),
            None => return desk.conclude(say::not_understood(desk)),
        }
        self.go_on(desk, &[])
    }

    /// An answer in words to what was asked last, where it is one.
    fn answer(
        &mut self,
        heard: &Heard,
        goal: Option<Goal>,
        desk: &mut Desk<'_>,
    ) -> Option<Decision> {
        let Some(Plan::Visit(visit)) = &mut self.plan else { return None };
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
    fn no_goal(&mut self, said: &str, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        if let Some(Plan::Way(way)) = &mut self.plan
            && way.follows(said, desk)
            && desk.has("route_search")
        {
            way.wish(said.to_owned());
            return self.go_on(desk, &[]);
        }
        // What the person allowed meanwhile has happened, and is told.
        let is_done = |it: &Answered| {
            it.call.name != desk::FORM && matches!(it.result, ToolResult::Output { .. })
        };
        if answered.iter().any(is_done) {
            return self.go_on(desk, answered);
        }
        desk.conclude(say::not_understood(desk))
    }

    /// Takes in what a form brought (FORM-5).
    fn fill(&mut self, values: &Map<String, Value>, desk: &mut Desk<'_>) -> Decision {
        match &mut self.plan {
            Some(Plan::Way(it)) => it.filled(values),
            Some(Plan::Visit(it)) => it.filled(values),
            Some(Plan::Cards(it)) => it.filled(values),
            Some(Plan::Survey(it)) => it.filled(values, desk.language),
            Some(Plan::Meeting(it)) => it.filled(values),
            Some(Plan::History(_)) | None => {
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
        match &mut self.plan {
            Some(Plan::Way(it)) => it.next(desk, answered),
            Some(Plan::Visit(it)) => it.next(desk, answered),
            Some(Plan::Cards(it)) => it.next(desk, answered),
            Some(Plan::Survey(it)) => it.next(desk, answered),
            Some(Plan::Meeting(it)) => it.next(desk, answered),
            Some(Plan::History(id)) => history(id, desk, answered),
            None => desk.conclude(say::not_understood(desk)),
        }
    }
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

impl Decider for Builtin {
    fn decide<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Decision, Undecided>> {
        let decision = self.next(turn);
        Box::pin(async move {
            if let Decision::Conclude(conclusion) = &decision {
                for text in super::planner::sentences(&conclusion.text()) {
                    turn.teller.say(&text).await;
                }
                for image in images_of(&conclusion.parts) {
                    turn.teller.show(image).await;
                }
            }
            Ok(decision)
        })
    }

    fn transcript(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
