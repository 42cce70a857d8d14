//! Tests of sentences with all families: each component is asked, and the surest one leads.

#![cfg(test)]

mod conditions;
mod fresh;
mod house;
mod paraphrases;
mod played;
mod refusals;
mod requests;
mod sentences;
mod turned;
mod wishes;

use std::sync::LazyLock;

use assistant::ensemble::{Ensemble, Families};
use language::{
    Language,
    trial::{self, NOW, Next, answered_to_wit, call, concluded, decided, output, tongue},
    turn::{Answered, Decision, ToolCall, ToolResult},
};
use serde_json::Value;
use toolkit::{
    Datetime,
    dialogue::{self as wit, Heard, Name, Sample, Turn},
};

/// The sample sentences of a family.
type Samples = fn(&str) -> Vec<Sample>;

/// The families by their names in the host.
const FAMILIES: [(&str, Next); 5] = [
    ("cinema", cinema::sentences::next),
    ("conversations", conversations::sentences::next),
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
/// The tools of conversations for people.
const OF_PEOPLE: [&str; 7] = [
    "begin_conversation",
    "list_conversations",
    "stop_conversation",
    "pause_conversation",
    "get_conversation",
    "send_chat",
    "write_message",
];

/// Returns all offered tools by the components' declarations; unnamed agents are asked for.
fn offers() -> Vec<wit::Tool> {
    let mut tools: Vec<_> = TOOLS.iter().flat_map(|it| trial::offers(it)).collect();
    let of_people = trial::offers(CONVERSATIONS).into_iter();
    tools.extend(of_people.filter(|it| OF_PEOPLE.contains(&it.name.as_str())));
    for tool in tools.iter_mut().filter(|tool| tool.name == "begin_conversation") {
        tool.required = vec!["target_agent_id".to_owned()];
    }
    tools
}

/// A chat with all families.
struct Talk {
    offers: Vec<wit::Tool>,
    language: Option<Language>,
    now: u64,
    /// The context of the chat.
    context: Option<Value>,
    ensemble: Ensemble,
    last: Vec<ToolCall>,
}

/// Asks the families in process.
struct Here;

impl Families for Here {
    fn names(&self, language: wit::Language) -> Vec<Name> {
        names(language == wit::Language::En)
    }

    fn ask(&self, turn: &Turn, memories: &[(String, String)], only: Option<&str>) -> Vec<Heard> {
        let all = FAMILIES.into_iter().filter(|it| only.is_none_or(|only| only == it.0));
        all.map(|(name, next)| {
            let memory = memories.iter().find(|it| it.0 == name).map(|it| it.1.clone());
            let reply = next(Turn { memory, ..turn.clone() });
            Heard { component: name.to_owned(), reply }
        })
        .collect()
    }
}

impl Talk {
    fn new() -> Self {
        Self {
            offers: offers(),
            language: None,
            now: NOW,
            context: None,
            ensemble: Ensemble::default(),
            last: Vec::new(),
        }
    }

    fn without(tools: &[&str]) -> Self {
        let mut talk = Self::new();
        talk.offers.retain(|it| !tools.contains(&it.name.as_str()));
        talk
    }

    /// Sends the person's next message.
    fn say(&mut self, message: &str) -> Decision {
        self.language = self.language.or(Some(Language::detect(message)));
        self.turn(message, true, &[])
    }

    /// Returns `results` for the last calls, in order.
    fn back(&mut self, results: &[ToolResult]) -> Decision {
        let calls = std::mem::take(&mut self.last).into_iter();
        let both = calls.zip(results.iter().cloned());
        let answered: Vec<_> = both.map(|(call, result)| Answered { call, result }).collect();
        self.turn("…", false, &answered)
    }

    fn turn(&mut self, message: &str, is_first: bool, answered: &[Answered]) -> Decision {
        let step = self.ensemble.next(
            &Here,
            Turn {
                memory: None,
                context: self.context.as_ref().map(Value::to_string),
                message: vec![wit::Piece::Text(message.to_owned())],
                is_first,
                history: Vec::new(),
                language: tongue(self.language),
                now: Datetime { seconds: self.now, nanoseconds: 0 },
                tools: self.offers.clone(),
                names: Vec::new(),
                answered: answered.iter().map(answered_to_wit).collect(),
            },
        );
        let decision = decided(step.expect("somebody understands"));
        if let Decision::Call(calls) = &decision {
            self.last.clone_from(calls);
        }
        decision
    }
}

/// Returns what the families publish to each other: vocabulary, names of the bundled catalogue, and examples in the
/// language of the answer.
fn names(is_english: bool) -> Vec<Name> {
    static NAMES: LazyLock<[Vec<Name>; 2]> = LazyLock::new(|| ["ja", "en"].map(all_names));
    NAMES[usize::from(is_english)].clone()
}

fn all_names(tag: &str) -> Vec<Name> {
    let mut names = illustrations::sentences::words();
    names.extend(illustrations::cards::names());
    for expected in [
        cinema::sentences::names(),
        conversations::sentences::names(),
        forms::sentences::names(),
        navigation::sentences::names(),
    ] {
        names.extend(expected.unwrap());
    }
    let samples = SAMPLES.into_iter().flat_map(|(name, samples)| {
        samples(tag).into_iter().map(move |sample| Name {
            kind: "sample".to_owned(),
            name: sample.text,
            english: None,
            within: Some(name.to_owned()),
            also: sample.tools,
            hints: Vec::new(),
            moods: Vec::new(),
        })
    });
    names.extend(samples);
    names
}
