//! Understands sentences about agents and conversations without a model, and plays scripted agents.

mod lists;
mod meeting;
mod rules;
mod scripted;
mod sentence;

use language::{
    Date, Language,
    chat::{CONTINUED, Chat, Family, FollowUp, Plan},
    context::{FamilyInfo, TurnContext, output},
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
    meeting::{BEGIN, Meeting},
    rules::{AGENTS, CHAIN, CONVERSE, Goal, NOUNS, PHRASES, TALKS},
    scripted::AGENT,
    sentence::Sentence,
};

/// The kind of a conversation's identifiers.
const CONVERSATION: &str = "conversation";
/// Confidence in the text of a scripted agent.
const PLAYED_SURE: f32 = 0.95;
/// Confidence in a message to agents that talk already.
const REMARK_SURE: Percent = 98;

static VOCABULARY: Vocabulary = Vocabulary {
    family: "conversations",
    phrases: PHRASES,
    nouns: NOUNS,
    actions: rules::DEEDS,
    done: "begun|started|stopped|sent|始め|話し|止め|終了|送っ|送信",
    labels: &[(
        CONVERSATION,
        "conversation_id|conversation id|会話id|対話id|会話番号|conversation|会話|対話|chat",
    )],
    ..Vocabulary::NONE
};

static FAMILY_INFO: FamilyInfo = FamilyInfo {
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
        is_featured: true,
    },
    Skill {
        goals: &[Goal::Talks, Goal::Agents, Goal::Halt],
        tools: &["list_conversations"],
        is_one_enough: false,
        name: ("会話の一覧", "listing conversations"),
        example: ("いま続いている会話はある？", "Which conversations are running?"),
        is_featured: false,
    },
];

/// Decides on the next step of a chat with a person, or of a scripted agent.
///
/// # Errors
/// When the context or another JSON document of the turn cannot be parsed.
pub fn next(turn: Turn) -> Result<Reply, String> {
    let request = TurnRequest::read(turn, Some(AGENT))?;
    if let Some(script) = request.context_as::<ScriptedAgent>()?.filter(|_| !request.asks()) {
        return Ok(request.reply(script.next(request.turn()), &Value::Null, PLAYED_SURE));
    }
    Ok(Chat::<Conversations>::reply(&request))
}

/// Returns the vocabulary, for other families.
///
/// # Errors
/// None.
pub fn names() -> Result<Vec<Name>, String> {
    Ok(VOCABULARY.names())
}

/// Returns sample sentences.
pub fn samples(tag: &str) -> Vec<Sample> {
    say::samples(SKILLS, tag)
}

/// The state of this family in a chat.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Conversations {
    /// The conversation begun last.
    begun: Option<String>,
}

/// The current plan.
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

    const FAMILY_INFO: &'static FamilyInfo = &FAMILY_INFO;
    const SKILLS: &'static [Skill<Goal>] = SKILLS;
    const NEAR: &'static [(Goal, &'static [Word])] =
        &[(Goal::Converse, &[CONVERSE, CHAIN, AGENTS, TALKS])];
    const OWN: &'static [Word] = &[TALKS, AGENTS];

    fn parse(text: &str, today: Date) -> Sentence {
        Sentence::parse(text, today)
    }

    fn goal(utterance: &Sentence) -> Option<(Goal, Percent)> {
        rules::goal(utterance)
    }

    fn effect(goal: Goal) -> Option<(&'static str, &'static str)> {
        match goal {
            Goal::Converse => Some((
                "会話を始めると、2つのエージェントが交互に話し、その様子を会話の画面で見られます。始める前に必ず確認します。",
                "Two agents then speak in turn, and what they say can be watched on the page for conversations. You are always asked before they begin.",
            )),
            Goal::Halt => Some((
                "止めた会話は終わり、一時停止した会話は後で再開できます。話した内容はどちらも後から読めます。その前に必ず確認します。",
                "A conversation that is stopped is over, and one that waits can go on later; what was said can be read either way. You are always asked before that.",
            )),
            _ => None,
        }
    }

    fn handles_manner(utterance: &Sentence, manner: Manner) -> bool {
        matches!(manner, Manner::How | Manner::Price) && utterance.addresses_agent()
    }

    fn is_denial(goal: Goal) -> bool {
        goal == Goal::Nothing
    }

    fn is_request(goal: Goal) -> bool {
        matches!(goal, Goal::Talks | Goal::Agents)
    }

    fn handles_denial(_utterance: &Sentence, goal: Goal) -> bool {
        goal == Goal::Converse
    }

    fn observe(&mut self, answered: &[Answered]) {
        if let Some(begun) = output(answered, BEGIN) {
            self.begun = begun["conversation"]["conversation_id"].as_str().map(str::to_owned);
        }
    }

    fn direct_answer(
        &self,
        utterance: &Sentence,
        goal: Goal,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        let alone = utterance.agent_named_twice().filter(|_| goal == Goal::Converse).map(|agent| {
            context.say(
                format!("会話には別々のエージェントが2つ必要です（{agent} だけが書かれています）。例:「{agent}とworker-bで話して」"),
                format!("A conversation needs two different agents, and only {agent} is named. Write for example \"Let {agent} and worker-b talk\"."),
            )
        });
        let many = utterance.agent_count().filter(|it| *it > 2 && goal == Goal::Converse);
        let many = many.map(|count| {
            context.say(
                format!("会話は2つのエージェントの間だけで、{count}つでは始められません。例:「worker-aとworker-bで話して」"),
                format!("A conversation is between two agents, not {count}. Write for example \"Let worker-a and worker-b talk\"."),
            )
        });
        let alone = alone.or(many);
        alone.or_else(|| (goal == Goal::Nothing).then(|| say::nothing(context)))
    }

    fn plan(
        &self,
        utterance: &Sentence,
        goal: Goal,
        language: Language,
        before: Option<&Doing>,
    ) -> Option<Doing> {
        let before = match before {
            Some(Doing::Meeting(it)) => Some(&**it),
            _ => None,
        };
        match goal {
            Goal::Converse => {
                let meeting =
                    Meeting::from_sentence(utterance, language).continue_from(before, utterance);
                Some(Doing::Meeting(Box::new(meeting)))
            }
            Goal::Talks | Goal::Agents | Goal::Halt => Some(Doing::Lists(
                Lists::from_sentence(utterance, goal).or_conversation(self.begun.as_ref()),
            )),
            Goal::Nothing => None,
        }
    }

    fn follow(
        &self,
        plan: &mut Option<Doing>,
        utterance: &Sentence,
        goal: Option<Goal>,
        manner: Option<Manner>,
        context: &TurnContext<'_>,
    ) -> Option<FollowUp> {
        let is_order = plan.is_some() && matches!(goal, None | Some(Goal::Talks));
        if (goal == Some(Goal::Halt) || is_order && utterance.halts()) && utterance.is_conditional()
        {
            return Some(FollowUp::Answer(context.say(
                "条件つきで止めたり続けたりはできないため、何もしていません。今すぐでよければ、「止めて」のように条件なしで書いてください。",
                "I cannot stop or go on with a conversation on a condition, so nothing was done. If it may be at once, write it without the condition, such as \"stop it\".",
            )));
        }
        // `kill it`, `continue`: for the begun conversation.
        let order = utterance.order().filter(|_| plan.is_some());
        if let (Some(order), Some(id)) = (order, &self.begun) {
            *plan = Some(Doing::Lists(Lists::from_order(order, id)));
            return Some(FollowUp::Continue(REMARK_SURE, Vec::new()));
        }
        let begun = self.begun.as_ref().filter(|_| goal.is_none_or(|it| it == Goal::Talks));
        if let Some(id) = begun {
            if let Some(sure) = utterance.asks_for_progress() {
                *plan = Some(Doing::Lists(Lists::read(id)));
                return Some(FollowUp::Continue(sure, Vec::new()));
            }
            let is_open = goal.is_none() && utterance.agents().is_empty();
            if let Some(remark) = Meeting::with_remark(id, utterance).filter(|_| is_open) {
                *plan = Some(Doing::Meeting(Box::new(remark)));
                return Some(FollowUp::Continue(REMARK_SURE, Vec::new()));
            }
        }
        if plan.is_none() && utterance.asks_for_summary() {
            return Some(FollowUp::Answer(context.say(
                "ここでは要約はできません。このチャットで始まった会話もまだありません。何もしていません。エージェント同士の会話は「worker-aとworker-bで話して」のように始められ、内容は後から読めます。",
                "I cannot sum up what was said here, and no agents have talked in this chat yet, so nothing was done. Have some talk, for example with \"Let worker-a and worker-b talk\"; what they say can be read afterwards.",
            )));
        }
        match plan {
            Some(Doing::Lists(lists)) => {
                let is_about = matches!(manner, None | Some(Manner::Nothing | Manner::Elsewhere))
                    && matches!(goal, None | Some(Goal::Halt | Goal::Nothing | Goal::Talks));
                let next = lists.follow_up(utterance).filter(|_| is_about)?;
                *lists = next.or_conversation(self.begun.as_ref());
                Some(FollowUp::Continue(CONTINUED, Vec::new()))
            }
            Some(Doing::Meeting(_)) if utterance.ends_conversation() => {
                let halt = Lists::from_sentence(utterance, Goal::Halt)
                    .or_conversation(self.begun.as_ref());
                *plan = Some(Doing::Lists(halt));
                Some(FollowUp::Continue(REMARK_SURE, Vec::new()))
            }
            Some(Doing::Meeting(meeting))
                if goal.is_none()
                    && utterance.asks_for_reply()
                    && meeting.messaged_agent().is_some() =>
            {
                let agent = meeting.messaged_agent().unwrap_or_default();
                Some(FollowUp::Answer(context.say(
                    format!("{agent} の返事はここでは読めません。「会話」の「エージェント」の画面にある {agent} とのチャットで見られます。"),
                    format!("What {agent} answers cannot be read here. It is in the chat with {agent}, on the page for agents."),
                )))
            }
            Some(Doing::Meeting(meeting))
                if goal.is_none() && meeting.is_too_late_for(utterance) =>
            {
                Some(FollowUp::Answer(context.say(
                    "会話はもう始まっているため、ターン数は変えていません。変えるには「止めて」で終えてから、あらためて始めてください。",
                    "They talk already, so the number of turns was not changed. To change it, stop them (\"stop\") and begin anew.",
                )))
            }
            Some(Doing::Meeting(meeting)) => {
                let may_change = manner.is_none() && goal.is_none();
                if may_change && let Some(sure) = meeting.take_message(utterance) {
                    return Some(FollowUp::Continue(sure, Vec::new()));
                }
                let is_remark = may_change
                    && (meeting.take_turns(utterance) || meeting.take_topic(utterance))
                    || utterance.agents().is_empty() && meeting.take_remark(utterance);
                is_remark.then_some(FollowUp::Continue(REMARK_SURE, Vec::new()))
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
            Self::Lists(it) => it.keywords(),
            Self::Meeting(_) => Vec::new(),
        };
        Used { names, conditions: vec![OVER], spans: Vec::new() }
    }

    fn covers(&self) -> bool {
        matches!(self, Self::Lists(_))
    }

    fn plain(&self, sentence: String) -> String {
        match self {
            Self::Lists(it) => it.replace_numbers(&sentence),
            Self::Meeting(_) => sentence,
        }
    }

    fn may_repeat(&self) -> bool {
        matches!(self, Self::Lists(it) if it.is_read_only())
    }

    fn filled(&mut self, values: &Map<String, Value>, _language: Language) {
        if let Self::Meeting(meeting) = self {
            meeting.fill(values);
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
