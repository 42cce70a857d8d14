//! Sentences about agents and their conversations, which are understood without a model; and agents that are played.

mod lists;
mod meeting;
mod rules;
mod scripted;
mod sentence;
mod words;

use language::{
    Date, Language,
    chat::{Chat, FOLLOWED, Family, Followed, Plan},
    context::{Holder, TurnContext},
    contract::TurnRequest,
    coverage::{OVER, Used},
    rules::Percent,
    say::{self, Skill},
    small_talk::Manner,
    turn::{Answered, Decision},
    vocabulary::Vocabulary,
    words::Word,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolkit::dialogue::{Name, Reply, Sample, Turn};

pub use self::scripted::{By, LogEntry, Scene, ScriptedAgent};
use self::{
    lists::Lists,
    meeting::Meeting,
    rules::Goal,
    scripted::AGENT,
    sentence::Sentence,
    words::{AGENTS, CHAIN, CONVERSE, NOUNS, PHRASES, TALKS},
};

/// The kind of a conversation's identifiers.
const CONVERSATION: &str = "conversation";
/// How sure it is of the text of an agent that it plays.
const PLAYED: f32 = 0.95;
/// How sure it is of a message to agents that talk already.
const REMARKED: Percent = 98;

static VOCABULARY: Vocabulary = Vocabulary {
    family: "conversations",
    phrases: PHRASES,
    nouns: NOUNS,
    deeds: words::DEEDS,
    labels: &[(
        CONVERSATION,
        "conversation_id|conversation id|会話id|対話id|会話番号|conversation|会話|対話|chat",
    )],
    ..Vocabulary::NONE
};

static HOLDER: Holder = Holder {
    family: "conversations",
    codes: &[("conversation_not_found", "その会話は見つかりませんでした。")],
    subjects: &[],
};

static SKILLS: &[Skill<Goal>] = &[
    Skill {
        goals: &[Goal::Converse],
        tools: &["begin_conversation"],
        is_one_enough: false,
        name: ("エージェント同士の会話", "having agents talk"),
        example: (
            "worker-aとworker-bでしりとりをして",
            "Let worker-a and worker-b play a word chain",
        ),
        is_told: true,
    },
    Skill {
        goals: &[Goal::Talks, Goal::Agents, Goal::Halt],
        tools: &["list_conversations"],
        is_one_enough: false,
        name: ("会話の一覧", "listing conversations"),
        example: ("いま続いている会話はある？", "Which conversations are running?"),
        is_told: false,
    },
];

/// What comes next: in a conversation with a person, or for an agent that is played.
///
/// # Errors
/// Where the context or another JSON document of the turn cannot be read.
pub fn next(turn: Turn) -> Result<Reply, String> {
    let request = TurnRequest::read(turn, Some(AGENT))?;
    if request.is_theirs {
        return Ok(request.nothing());
    }
    if let Some(script) = request.context_as::<ScriptedAgent>()?.filter(|_| !request.asks()) {
        return Ok(request.reply(script.next(request.turn()), &Value::Null, PLAYED));
    }
    let mut chat = Chat::<Conversations>::resume(&request.memory);
    let (decision, confidence) = chat.next(request.turn());
    Ok(request.reply(decision, &chat.memory(), confidence))
}

/// The words of the conversations, for the other families.
///
/// # Errors
/// None.
pub fn names() -> Result<Vec<Name>, String> {
    Ok(VOCABULARY.names())
}

/// What can be written about agents.
#[must_use]
pub fn samples(tag: &str) -> Vec<Sample> {
    say::samples(SKILLS, tag)
}

/// The family; it remembers nothing beside its plan.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Conversations {}

/// What is being done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Doing {
    Meeting(Box<Meeting>),
    Lists(Lists),
}

impl Family for Conversations {
    type Sentence = Sentence;
    type Goal = Goal;
    type Plan = Doing;

    const HOLDER: &'static Holder = &HOLDER;
    const SKILLS: &'static [Skill<Goal>] = SKILLS;
    const NEAR: &'static [(Goal, &'static [Word])] =
        &[(Goal::Converse, &[CONVERSE, CHAIN, AGENTS, TALKS])];
    const OWN: &'static [Word] = &[TALKS, AGENTS];

    fn parse(text: &str, today: Date) -> Sentence {
        Sentence::of(text, today)
    }

    fn goal(utterance: &Sentence) -> Option<(Goal, Percent)> {
        rules::goal(utterance)
    }

    fn spares(utterance: &Sentence, manner: Manner) -> bool {
        matches!(manner, Manner::How | Manner::Price) && utterance.addresses_agent()
    }

    fn is_denial(goal: Goal) -> bool {
        goal == Goal::Nothing
    }

    fn is_request(goal: Goal) -> bool {
        matches!(goal, Goal::Talks | Goal::Agents)
    }

    fn obeys(_utterance: &Sentence, goal: Goal) -> bool {
        goal == Goal::Converse
    }

    fn direct_answer(
        &self,
        _utterance: &Sentence,
        goal: Goal,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        (goal == Goal::Nothing).then(|| say::nothing(context))
    }

    fn plan(
        &self,
        utterance: &Sentence,
        goal: Goal,
        language: Language,
        _before: Option<&Doing>,
    ) -> Option<Doing> {
        match goal {
            Goal::Converse => Some(Doing::Meeting(Box::new(Meeting::of(utterance, language)))),
            Goal::Talks | Goal::Agents | Goal::Halt => {
                Some(Doing::Lists(Lists::of(utterance, goal)))
            }
            Goal::Nothing => None,
        }
    }

    fn follow(
        &self,
        plan: &mut Option<Doing>,
        utterance: &Sentence,
        goal: Option<Goal>,
        manner: Option<Manner>,
        _context: &TurnContext<'_>,
    ) -> Option<Followed> {
        match plan {
            Some(Doing::Lists(lists)) => {
                let is_about = matches!(manner, None | Some(Manner::Nothing))
                    && matches!(goal, None | Some(Goal::Halt | Goal::Nothing | Goal::Talks));
                *lists = lists.acts(utterance).filter(|_| is_about)?;
                Some(Followed::On(FOLLOWED, Vec::new()))
            }
            Some(Doing::Meeting(_)) if utterance.ends_it() => {
                *plan = Some(Doing::Lists(Lists::of(utterance, Goal::Halt)));
                Some(Followed::On(REMARKED, Vec::new()))
            }
            Some(Doing::Meeting(meeting)) => {
                let may_lengthen = manner.is_none() && goal.is_none();
                let is_remark = may_lengthen && meeting.is_lengthened(utterance)
                    || utterance.agents().is_empty() && meeting.remarks(utterance);
                is_remark.then_some(Followed::On(REMARKED, Vec::new()))
            }
            None => None,
        }
    }
}

impl Plan for Doing {
    type Goal = Goal;
    type Sentence = Sentence;

    fn used(&self, _utterance: &Sentence, _goal: Goal) -> Used {
        let names = match self {
            Self::Lists(it) => it.used(),
            Self::Meeting(_) => Vec::new(),
        };
        Used { names, conditions: vec![OVER], spans: Vec::new() }
    }

    fn covers(&self) -> bool {
        matches!(self, Self::Lists(_))
    }

    fn is_settled(&self) -> bool {
        true
    }

    fn filled(&mut self, values: &Map<String, Value>, _language: Language) {
        if let Self::Meeting(it) = self {
            it.filled(values);
        }
    }

    fn next(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        match self {
            Self::Meeting(it) => it.next(context, answered),
            Self::Lists(it) => it.next(context, answered),
        }
    }
}

#[cfg(test)]
mod tests;
