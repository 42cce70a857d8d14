//! Sentences that the families understand together: each is asked with its own component, and the surest leads.

#![cfg(test)]

mod conditions;
mod fresh;
mod house;
mod paraphrases;
mod played;
mod refusals;
mod sentences;
mod wishes;

use std::{collections::BTreeMap, sync::LazyLock};

use language::{
    Language,
    contract::unsigned,
    leads::{CLAIMED_MIN, Lead, parts, surest, wishes},
    message::Part,
    trial::{self, NOW, Next, call, concluded, decided, output, told, tongue},
    turn::{Answered, Decision, ToolCall, ToolResult},
};
use serde_json::Value;
use toolkit::{
    Datetime,
    dialogue::{self as wit, Name, Reply, Sample, Turn},
};

/// What can be written to a family.
type Samples = fn(&str) -> Vec<Sample>;

/// Those that are asked, by their names as the host has them.
const FAMILIES: [(&str, Next); 6] = [
    ("cinema", cinema::sentences::next),
    ("conversations", conversations::sentences::next),
    ("dialogue", dialogue::next),
    ("forms", forms::sentences::next),
    ("illustrations", illustrations::sentences::next),
    ("navigation", navigation::sentences::next),
];
const SAMPLES: [(&str, Samples); 5] = [
    ("cinema", cinema::sentences::samples),
    ("conversations", conversations::sentences::samples),
    ("forms", forms::sentences::samples),
    ("illustrations", illustrations::sentences::samples),
    ("navigation", navigation::sentences::samples),
];
const TOOLS: [&str; 4] = [
    include_str!("../../../components/cinema/tools.json"),
    include_str!("../../../components/forms/tools.json"),
    include_str!("../../../components/navigation/tools.json"),
    include_str!("../../../components/illustrations/tools.json"),
];
const CONVERSATIONS: &str = include_str!("../../../components/conversations/tools.json");
/// Of the conversations' tools, those that a person has.
const OF_PEOPLE: [&str; 7] = [
    "begin_conversation",
    "list_conversations",
    "stop_conversation",
    "pause_conversation",
    "get_conversation",
    "send_chat",
    "write_message",
];

/// All that is on offer: the components' own declarations. Agents that are not named are asked for.
fn offers() -> Vec<wit::Tool> {
    let mut tools: Vec<_> = TOOLS.iter().flat_map(|it| trial::offers(it)).collect();
    let of_people = trial::offers(CONVERSATIONS).into_iter();
    tools.extend(of_people.filter(|it| OF_PEOPLE.contains(&it.name.as_str())));
    for it in tools.iter_mut().filter(|it| it.name == "begin_conversation") {
        it.required = vec!["target_agent_id".to_owned()];
    }
    tools
}

/// One conversation with all families.
struct Talk {
    offers: Vec<wit::Tool>,
    language: Option<Language>,
    now: u64,
    /// What is known beside what is said.
    context: Option<Value>,
    /// What each wants to be told again.
    memories: BTreeMap<&'static str, String>,
    /// The one that leads.
    latest: Option<&'static str>,
    /// Those that found out that another one is meant.
    gone: Vec<&'static str>,
    said: String,
    /// What those said.
    missed: String,
    /// What else the sentence asks for, and what was answered of it already.
    rest: Vec<String>,
    told: String,
    last: Vec<ToolCall>,
}

impl Talk {
    fn new() -> Self {
        Self {
            offers: offers(),
            language: None,
            now: NOW,
            context: None,
            memories: BTreeMap::new(),
            latest: None,
            gone: Vec::new(),
            said: String::new(),
            missed: String::new(),
            rest: Vec::new(),
            told: String::new(),
            last: Vec::new(),
        }
    }

    fn without(tools: &[&str]) -> Self {
        let mut talk = Self::new();
        talk.offers.retain(|it| !tools.contains(&it.name.as_str()));
        talk
    }

    /// Says `message`; where it has wishes for several families, they are heard one after another.
    fn say(&mut self, message: &str) -> Decision {
        self.language = self.language.or(Some(Language::of(message)));
        (self.rest, self.told) = Default::default();
        let parts = parts(message);
        let mut wishes = match parts.is_empty() {
            true => Vec::new(),
            false => {
                let parts = parts.into_iter().map(|it| {
                    let lead = self.lead(&it);
                    (it, lead)
                });
                let parts = parts.collect();
                wishes(&self.lead(message), parts)
            }
        };
        if wishes.is_empty() {
            wishes.push(message.to_owned());
        }
        self.rest = wishes.split_off(1);
        let decision = self.hear(&wishes[0]);
        self.settled(decision)
    }

    /// The last calls come back with `results`, in their order.
    fn back(&mut self, results: &[ToolResult]) -> Decision {
        let calls = std::mem::take(&mut self.last).into_iter();
        let answered: Vec<_> = calls
            .zip(results.iter().cloned())
            .map(|(call, result)| Answered { call, result })
            .collect();
        let latest = self.latest.unwrap();
        let (_, next) = FAMILIES.into_iter().find(|it| it.0 == latest).unwrap();
        let reply = next(self.turn(latest, "…", false, &answered)).unwrap();
        let is_given_up = reply.confidence == 0.0;
        let mut decision = self.take(latest, reply);
        if let (true, Decision::Conclude(conclusion)) = (is_given_up, &mut decision) {
            // It found out that another one is meant; where none is, all of them say so.
            self.gone.push(latest);
            self.missed.push_str(unsigned(&conclusion.text(), self.language.unwrap()));
            self.missed.push('\n');
            if self.lead(&self.said).confidence > CLAIMED_MIN {
                decision = self.asked(&self.said.clone());
            } else {
                conclusion.parts = vec![Part::text(self.missed.clone())];
            }
        }
        self.settled(decision)
    }

    /// Hears one wish.
    fn hear(&mut self, message: &str) -> Decision {
        (self.gone, self.missed) = Default::default();
        message.clone_into(&mut self.said);
        self.asked(message)
    }

    /// Asks all, and the surest leads.
    fn asked(&mut self, message: &str) -> Decision {
        let mut replies = self.ask(message);
        let leads: Vec<_> = replies.iter().map(|it| lead(it.0, &it.1)).collect();
        let (name, reply) = replies.swap_remove(surest(&leads, self.latest).unwrap());
        self.take(name, reply)
    }

    /// The one that would lead in `message`.
    fn lead(&self, message: &str) -> Lead {
        let leads: Vec<_> = self.ask(message).iter().map(|it| lead(it.0, &it.1)).collect();
        leads[surest(&leads, self.latest).unwrap()].clone()
    }

    fn ask(&self, message: &str) -> Vec<(&'static str, Reply)> {
        let open = FAMILIES.into_iter().filter(|it| !self.gone.contains(&it.0));
        open.map(|(name, next)| (name, next(self.turn(name, message, true, &[])).unwrap()))
            .collect()
    }

    fn turn(&self, name: &str, message: &str, is_first: bool, answered: &[Answered]) -> Turn {
        Turn {
            memory: self.memories.get(name).cloned(),
            context: self.context.as_ref().map(Value::to_string),
            message: vec![wit::Piece::Text(message.to_owned())],
            is_first,
            history: Vec::new(),
            language: tongue(self.language),
            now: Datetime { seconds: self.now, nanoseconds: 0 },
            tools: self.offers.clone(),
            names: names(self.language == Some(Language::English)),
            answered: answered.iter().map(told).collect(),
        }
    }

    fn take(&mut self, name: &'static str, reply: Reply) -> Decision {
        self.memories.insert(name, reply.memory);
        self.latest = Some(name);
        decided(reply.step)
    }

    /// The decision, with the next wish where this one is answered.
    fn settled(&mut self, mut decision: Decision) -> Decision {
        let language = self.language.unwrap();
        while let Decision::Conclude(conclusion) = &mut decision {
            if self.rest.is_empty() {
                conclusion.parts.insert(0, Part::text(std::mem::take(&mut self.told)));
                break;
            }
            self.told.push_str(unsigned(&conclusion.text(), language));
            self.told.push_str("\n\n");
            let next = self.rest.remove(0);
            decision = self.hear(&next);
        }
        if let Decision::Call(calls) = &decision {
            self.last.clone_from(calls);
        }
        decision
    }
}

fn lead(name: &str, reply: &Reply) -> Lead {
    Lead { name: name.to_owned(), confidence: reply.confidence }
}

/// What the families tell the others: their words, the names of the bundled catalogue, and their examples in the
/// language of the answer.
fn names(is_english: bool) -> Vec<Name> {
    static NAMES: LazyLock<[Vec<Name>; 2]> = LazyLock::new(|| ["ja", "en"].map(all_names));
    NAMES[usize::from(is_english)].clone()
}

fn all_names(tag: &str) -> Vec<Name> {
    let mut names = illustrations::sentences::words();
    names.extend(illustrations::said::names());
    for told in [
        cinema::sentences::names(),
        conversations::sentences::names(),
        forms::sentences::names(),
        navigation::sentences::names(),
    ] {
        names.extend(told.unwrap());
    }
    let samples = SAMPLES.into_iter().flat_map(|(name, samples)| {
        samples(tag).into_iter().map(move |it| Name {
            kind: "sample".to_owned(),
            name: it.text,
            english: None,
            within: Some(name.to_owned()),
            also: it.tools,
            hints: Vec::new(),
            moods: Vec::new(),
        })
    });
    names.extend(samples);
    names
}
