//! Plans that start a conversation of two agents, or send a message to agents, and what each side is to be or to say:
//! `司会はworker-a、書記はworker-bで`, `worker-a for cats and worker-b for dogs`.

use language::{
    Language,
    chat::CONTINUED,
    context::{TurnContext, failure, output, submitted},
    numbers::whole,
    rules::Percent,
    say,
    scan::marks,
    turn::{Answered, Decision},
    utterance::Piece,
    words::Word,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    REMARK_SURE, rules, scripted,
    sentence::{Sentence, message, message_for_both, stated_topic, topic, without_length},
};

pub(super) const BEGIN: &str = "begin_conversation";
const SEND: &str = "send_chat";
const WRITE: &str = "write_message";
const TALKS: &str = "list_conversations";
const PROJECT: &str = "project_id";
const TARGET: &str = "target_agent_id";
const INITIATOR: &str = "initiator_agent_id";
/// The name of the game as a purpose, in both languages.
const GAMES: [&str; 2] = ["しりとり", "word chain"];
const NAME_MAX: usize = 64;
const PURPOSE_MAX: usize = 200;
/// Maximum number of characters of a message to an agent.
const MESSAGE_MAX: usize = 4_000;
/// The form's field for a message.
const CONTENT: &str = "content";

/// A requested conversation or message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Meeting {
    initiator: Option<String>,
    target: Option<String>,
    purpose: Option<String>,
    max_turns: Option<usize>,
    /// The message for the one named agent.
    message: Option<String>,
    /// The project of that agent.
    project: Option<String>,
    /// The begun conversation.
    begun: Option<String>,
    /// The message for both agents.
    remark: Option<String>,
}

/// Returns the number of turns that a sentence names.
pub(super) fn rounds(utterance: &Sentence) -> Option<usize> {
    let text = utterance.text();
    scripted::rounds(&text).or_else(|| without_length(&text).1)
}

impl Meeting {
    /// Parses the request.
    pub(super) fn from_sentence(utterance: &Sentence, language: Language) -> Self {
        let agents = utterance.agents();
        let name = |it: &Piece| it.text.clone();
        let (initiator, target) = match &agents[..] {
            [] => (None, None),
            [one] => (None, Some(name(one))),
            // "worker-bに聞いて、worker-aから"
            [one, two, ..] if utterance.is_source(two) && !utterance.is_source(one) => {
                (Some(name(two)), Some(name(one)))
            }
            [one, two, ..] => (Some(name(one)), Some(name(two))),
        };
        let rounds = rounds(utterance);
        let mut meeting = Self { initiator, target, ..Self::default() };
        if utterance.has(&[rules::CHAIN]) {
            let is_japanese =
                language == Language::Japanese || utterance.text().contains("しりとり");
            meeting.purpose = Some(GAMES[usize::from(!is_japanese)].to_owned());
            if let Some(rounds) = rounds {
                meeting.set_turns(rounds);
            }
            return meeting;
        }
        meeting.message = message(utterance, &agents);
        meeting.max_turns = rounds;
        let quoted =
            utterance.quoted.iter().find(|it| !agents.iter().any(|name| name.text == it.text));
        let purpose = quoted.map(|it| it.text.clone()).or_else(|| topic(utterance, &agents));
        let purpose = with_sides(purpose, sides(utterance, &agents), language);
        meeting.purpose = purpose.map(|it| it.chars().take(PURPOSE_MAX).collect());
        meeting
    }

    /// Completes the request from the one `before`, where `utterance` refers to it or only names other agents: `now ask
    /// worker-b the same`, `やっぱりworker-aとworker-cで`.
    pub(super) fn continue_from(mut self, before: Option<&Self>, utterance: &Sentence) -> Self {
        const SAME: &str = "the same|the same thing|the same question|same|that|it|同じこと|同じ質問|同じ話題|同じ内容|同じ|それ|too|as well|also|likewise|the same message|同じメッセージ|同じ伝言";
        let Some(before) = before else { return self };
        const ORDERS: &[Word] = &[rules::CONVERSE, rules::CHAIN, Word::MAKE];
        let is_open = before.begun.is_none() && before.message.is_none();
        let is_bare = self.purpose.is_none() && self.message.is_none() && !utterance.has(ORDERS);
        if let Some(begins) = before.begun_by(&self, utterance).filter(|_| is_open) {
            return begins;
        }
        if is_open && is_bare && self.target.is_some() {
            let other = before.initiator.clone().filter(|it| self.target.as_ref() != Some(it));
            self.initiator = self.initiator.or(other);
            self.purpose.clone_from(&before.purpose);
            self.max_turns = self.max_turns.or(before.max_turns);
            return self;
        }
        // `間違えた、worker-bに`: the waiting message goes to that agent.
        let is_unsent = before.message.is_some() && before.project.is_none();
        if is_unsent && is_bare && self.initiator.is_none() && self.target.is_some() {
            self.message.clone_from(&before.message);
            return self;
        }
        let is_same = |text: &Option<String>| {
            // A missing text is asked for.
            let text = text.as_deref().map(str::trim).filter(|it| !it.is_empty());
            let text = text.map(|it| it.trim_end_matches(['を', 'の', '.', '?', '!']));
            let text = text.map(|it| it.strip_prefix('も').unwrap_or(it));
            text.is_some_and(|it| it.is_empty() || marks(SAME).any(|same| same == it))
        };
        let points = is_same(&self.purpose) || is_same(&self.message);
        if points && before.message.is_some() {
            // `and tell worker-b too`, `worker-bにも同じの`.
            self.message.clone_from(&before.message);
            self.purpose = None;
        } else if points && before.purpose.is_some() {
            self.purpose.clone_from(&before.purpose);
            self.max_turns = self.max_turns.or(before.max_turns);
            self.message = None;
        }
        self
    }

    /// The same request where `named` only says which of the two begins: `worker-b should start`, `worker-bから`.
    fn begun_by(&self, named: &Self, utterance: &Sentence) -> Option<Self> {
        const STARTS: &str = "start|begin|go first|speak first|open|start it|begin it|始めて|はじめて|始めさせて|先に話して|最初に話して";
        let [agent] = &utterance.agents()[..] else { return None };
        let purpose = named.purpose.as_deref().map(str::trim);
        let is_start = match purpose {
            Some(it) => marks(STARTS).any(|start| it == start),
            None => utterance.is_source(agent),
        };
        let both = [self.initiator.as_ref()?, self.target.as_ref()?];
        let other = both.into_iter().find(|it| **it != agent.text)?;
        (is_start && both.contains(&&agent.text)).then(|| Self {
            initiator: Some(agent.text.clone()),
            target: Some(other.clone()),
            ..self.clone()
        })
    }

    /// Whether `utterance` only sets the number of turns of the conversation that has begun.
    pub(super) fn is_too_late_for(&self, utterance: &Sentence) -> bool {
        self.begun.is_some()
            && rounds(utterance).is_some()
            && utterance.agents().is_empty()
            && !utterance.asks()
    }

    /// Takes `utterance` as the missing message. Returns how sure that is.
    pub(super) fn take_message(&mut self, utterance: &Sentence) -> Option<Percent> {
        const TAILS: &str = "って送って|と送って|って伝えて|と伝えて|って|と|です";
        if self.message.as_deref() != Some("") || !utterance.agents().is_empty() {
            return None;
        }
        let quoted = utterance.quoted.first().map(|it| it.text.clone());
        let text = utterance.text();
        let ended = marks(TAILS).find_map(|it| text.strip_suffix(it));
        // Anything may be a message, so other families that understand the sentence come first.
        let sure = if quoted.is_some() || ended.is_some() { REMARK_SURE } else { CONTINUED };
        if sure == CONTINUED && text.ends_with(['?', '？']) {
            return None;
        }
        let text = quoted.unwrap_or_else(|| ended.unwrap_or(&text).trim().to_owned());
        if text.is_empty() {
            return None;
        }
        self.message = Some(text.chars().take(MESSAGE_MAX).collect());
        Some(sure)
    }

    /// Sets the number of turns. A game has it in its purpose, which the agents read.
    fn set_turns(&mut self, rounds: usize) {
        let [japanese, english] = GAMES;
        match self.purpose.as_deref() {
            Some(it) if it.starts_with(japanese) => {
                self.purpose = Some(format!("{japanese}（{rounds}ターン）"));
            }
            Some(it) if it.starts_with(english) => {
                self.purpose = Some(format!("{english} ({rounds} rounds)"));
            }
            _ => self.max_turns = Some(rounds),
        }
    }

    /// Takes the number of turns of a conversation not begun yet, if `utterance` says nothing else.
    pub(super) fn take_turns(&mut self, utterance: &Sentence) -> bool {
        let again = || bare_number(&utterance.text()).filter(|_| self.max_turns.is_some());
        let rounds = rounds(utterance).or_else(again);
        let rounds = rounds.filter(|_| self.begun.is_none() && self.message.is_none());
        let is_short = utterance.agents().is_empty() && utterance.quoted.is_empty();
        let Some(rounds) = rounds.filter(|_| is_short) else { return false };
        self.set_turns(rounds);
        true
    }

    /// Takes a new topic for a conversation not begun yet: `ok, but about films instead`, `やっぱり旅行の話で`.
    pub(super) fn take_topic(&mut self, utterance: &Sentence) -> bool {
        const LEADS: &str =
            "ok|okay|yes|no|but|do it|make it|make that|actually|rather|instead|fine|then|about";
        const LEADS_JAPANESE: &str = "いや、|やっぱり|やはり|やっぱ|じゃあ|では|それより|、";
        const BEHIND: &str = "の話で|の話に|の話を|の話がいい|の話題で|の話題に|についてで|について|に関して|をテーマに|をお題に";
        const CHARS_MAX: usize = 60;
        let text = utterance.text();
        let is_open = self.begun.is_none() && self.message.is_none();
        if !is_open || !utterance.agents().is_empty() || text.chars().count() > CHARS_MAX {
            return false;
        }
        let lower = text.to_ascii_lowercase();
        let game = GAMES.into_iter().find(|it| self.purpose.iter().any(|of| of.starts_with(it)));
        let stated = stated_topic(&text).filter(|it| is_new_topic(utterance, it));
        let stated = stated.map(|it| game.map_or(it.clone(), |game| format!("{game}: {it}")));
        let topic = match text.is_ascii() {
            _ if stated.is_some() => stated.as_deref(),
            true => {
                let first = lower.split([' ', ',']).next().unwrap_or_default();
                let is_led = marks(LEADS).any(|it| it.split(' ').next() == Some(first));
                let is_instead = lower.trim_end_matches(['.', '!']).ends_with(" instead");
                let at = lower.find("about ").filter(|at| *at == 0 || lower[..*at].ends_with(' '));
                let rest = at.map(|at| &text[at + "about ".len()..]);
                let rest = rest.map(|it| it.trim_end_matches(['.', '!', ' ']));
                let rest = [" please", " instead"]
                    .iter()
                    .fold(rest, |it, tail| it.map(|it| it.strip_suffix(tail).unwrap_or(it)));
                rest.filter(|_| is_led || is_instead)
            }
            false => {
                let rest = marks(LEADS_JAPANESE)
                    .fold(text.as_str(), |it, lead| it.strip_prefix(lead).unwrap_or(it));
                let end = marks(BEHIND).filter_map(|it| rest.find(it)).min();
                end.map(|at| &rest[..at]).filter(|_| rest.len() < text.len())
            }
        };
        let topic = topic.map(str::trim).filter(|it| !it.is_empty() && !it.ends_with('?'));
        self.purpose =
            topic.map(|it| it.chars().take(PURPOSE_MAX).collect()).or_else(|| self.purpose.take());
        topic.is_some()
    }

    /// Takes the values of a submitted form.
    pub(super) fn fill(&mut self, values: &Map<String, Value>) {
        let text = |name: &str| {
            let text = values.get(name)?.as_str()?.trim();
            (!text.is_empty()).then(|| text.chars().take(NAME_MAX).collect::<String>())
        };
        if let Some(content) = values.get(CONTENT).and_then(Value::as_str) {
            self.message = Some(content.trim().chars().take(MESSAGE_MAX).collect());
        }
        self.target = text(TARGET).or_else(|| self.target.take());
        self.project = text(PROJECT).or_else(|| self.project.take());
        self.initiator = text(INITIATOR).or_else(|| self.initiator.take());
    }

    /// Creates the plan to send `utterance` as a message to both agents of the conversation `id`.
    pub(super) fn with_remark(id: &str, utterance: &Sentence) -> Option<Self> {
        let mut meeting = Self { begun: Some(id.to_owned()), ..Self::default() };
        meeting.take_remark(utterance).then_some(meeting)
    }

    /// Returns the agent to which a message was sent.
    pub(super) fn messaged_agent(&self) -> Option<&str> {
        self.target.as_deref().filter(|_| self.message.is_some() && self.project.is_some())
    }

    /// Takes `utterance` as a message for both agents of the begun conversation, if it is one.
    pub(super) fn take_remark(&mut self, utterance: &Sentence) -> bool {
        self.remark = message_for_both(utterance).filter(|_| self.begun.is_some());
        self.remark.is_some()
    }

    /// Decides on the next step for sending the message to the named agent.
    fn send(
        &mut self,
        text: &str,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Decision {
        let agent = self.target.clone().unwrap_or_default();
        if text.is_empty() {
            let form = json!({
                "title": context.say(format!("{agent} に何と送りますか？"), format!("What shall {agent} be told?")),
                "fields": [{ "name": CONTENT, "type": "textarea", "required": true, "maxLength": MESSAGE_MAX,
                    "label": context.say("メッセージ", "Message") }],
            });
            let reason =
                context.say("メッセージの内容が分からないため", "The message is not known");
            let text =
                context.say("メッセージの内容を教えてください。", "Please write the message.");
            return context.ask(form, reason, text);
        }
        if output(answered, SEND).is_some() {
            return context.conclude(context.say(
                format!("{agent} に「{text}」と送りました。"),
                format!("\"{text}\" was sent to {agent}."),
            ));
        }
        if self.project.is_none() {
            let Some(found) = output(answered, TALKS) else {
                let reason = context.say(
                    format!("{agent} がどのプロジェクトにいるかを確認"),
                    format!("To see which project {agent} is in"),
                );
                return context.only(TALKS, json!({ "agent_id": agent }), reason);
            };
            let talks = found["conversations"].as_array().into_iter().flatten();
            let is_member = |entry: &&Value| {
                let members = entry["members"].as_array().into_iter().flatten();
                members.into_iter().any(|it| it["agent_id"] == agent.as_str())
            };
            let project = talks.filter(is_member).find_map(|it| it[PROJECT].as_str());
            self.project = project.map(str::to_owned);
        }
        let Some(project) = &self.project else {
            let form = json!({
                "title": context.say("どのプロジェクトのエージェントですか？", "Which project is the agent in?"),
                "description": context.say(
                    format!("{agent} に「{text}」と送ります。"),
                    format!("\"{text}\" is to be sent to {agent}."),
                ),
                "fields": [{ "name": PROJECT, "type": "text", "required": true, "maxLength": NAME_MAX,
                    "label": context.say("プロジェクトID", "Project ID") }],
            });
            let reason = context.say("プロジェクトが分からないため", "The project is not known");
            let text = context.say("プロジェクトIDを教えてください。", "Please name the project.");
            return context.ask(form, reason, text);
        };
        let arguments = json!({ PROJECT: project, "agent_id": agent, "content": text });
        let reason = context.say(format!("{agent} に伝えるため"), format!("To tell {agent}"));
        context.only(SEND, arguments, reason)
    }

    /// Decides on the next step.
    pub(super) fn next(
        &mut self,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Decision {
        if let Some((_, failure)) = failure(answered) {
            return context.conclude(say::failed(context, failure));
        }
        if let Some(values) = submitted(answered) {
            self.fill(values);
        }
        if let (Some(text), true) = (self.message.clone(), context.has(SEND) && context.has(TALKS))
        {
            return self.send(&text, context, answered);
        }
        if let (Some(text), Some(id), true) = (&self.remark, &self.begun, context.has(WRITE)) {
            if output(answered, WRITE).is_some() {
                return context.conclude(context.say(
                    format!("会話に「{text}」と書き込みました。"),
                    format!("\"{text}\" was written into the conversation."),
                ));
            }
            let reason = context.say("両方のエージェントに伝えるため", "To tell both agents");
            return context.only(WRITE, json!({ "conversation_id": id, "content": text }), reason);
        }
        if let Some(begun) = output(answered, BEGIN) {
            self.begun = begun["conversation"]["conversation_id"].as_str().map(str::to_owned);
            return context.conclude(started_text(context, &begun["conversation"]));
        }
        if self.target.is_none() && context.needs(BEGIN, TARGET) {
            return self.ask(context);
        }
        let mut arguments = json!({});
        let texts =
            [(TARGET, &self.target), (INITIATOR, &self.initiator), ("purpose", &self.purpose)];
        for (name, value) in texts {
            if let Some(value) = value {
                arguments[name] = value.as_str().into();
            }
        }
        if let Some(turns) = self.max_turns {
            arguments["max_turns"] = turns.into();
        }
        let reason = context.say("エージェント同士の会話を始めるため", "To have the agents talk");
        context.only(BEGIN, arguments, reason)
    }

    fn ask(&self, context: &mut TurnContext<'_>) -> Decision {
        let form = json!({
            "title": context.say("どのエージェントが話しますか？", "Which agents shall talk?"),
            "fields": [
                { "name": TARGET, "type": "text", "required": true, "maxLength": NAME_MAX,
                  "label": context.say("相手のエージェントID", "The agent to talk with") },
                { "name": INITIATOR, "type": "text", "maxLength": NAME_MAX,
                  "label": context.say("話しかけるエージェントID（任意）", "The agent that begins (optional)") },
            ],
        });
        let reason = context.say("エージェントの名前がないため", "No agent is named");
        let text = context.say(
            "エージェントのIDを教えてください。例:「worker-aとworker-bでしりとりをして」",
            "Please name the agents, such as \"Let worker-a and worker-b play a word chain\".",
        );
        context.ask(form, reason, text)
    }
}

/// Adds what each agent is to be, which the agents read in their purpose.
fn with_sides(purpose: Option<String>, sides: Option<Sides>, language: Language) -> Option<String> {
    let Some(Sides { text, is_whole }) = sides else { return purpose };
    // The topic may be a part of the sides, or have them.
    match purpose.filter(|it| !is_whole && !text.contains(it.as_str())) {
        Some(it) => Some(language.pick(format!("{it}（{text}）"), format!("{it} ({text})"))),
        None => Some(text),
    }
}

/// Returns the number that is all of `text`: `actually 6`, `やっぱり6で`.
fn bare_number(text: &str) -> Option<usize> {
    const AROUND: &str = "actually|no|make it|wait|sorry|just|please|rather|いや|やっぱり|やっぱ|でお願いします|でお願い|にして|で";
    let mut rest = text.trim();
    for word in marks(AROUND).chain(marks(AROUND)) {
        rest = rest.strip_prefix(word).or(rest.strip_suffix(word)).unwrap_or(rest);
        rest = rest.trim_matches([' ', ',', '.', '、', '。', '!']);
    }
    whole(&rest.to_lowercase()).map(|it| it as usize).filter(|it| *it > 0)
}

/// Whether `utterance` states `topic` as a new one. `テーマはそのままで` and `the topic is fine` do not.
fn is_new_topic(utterance: &Sentence, topic: &str) -> bool {
    const CHANGED: &str = "change the topic to |change the subject to ";
    const KEPT: &str = "n't change|not change|そのまま|このまま|大丈夫|でいい|でok|変えな|変えず|変更しな|変更なし|変更せず|問題ない|問題なし|問題あり";
    const BEGINS: &str = "何|なに|いい|良い|変え|変更";
    const REMARKS: &str = "ok|fine|good";
    let lower = utterance.text().to_lowercase();
    let is_japanese = lower.chars().any(|it| matches!(it, '\u{3041}'..='\u{30fa}'));
    let topic = topic.to_lowercase();
    (is_japanese || marks(CHANGED).any(|it| lower.contains(it)))
        && !utterance.asks()
        && !marks(KEPT).any(|it| lower.contains(it))
        && !marks(BEGINS).any(|it| topic.starts_with(it))
        && !marks(REMARKS).any(|it| topic == it)
}

/// Says which conversation has begun, and where to watch it.
fn started_text(context: &TurnContext<'_>, conversation: &Value) -> String {
    let members = conversation["members"].as_array().into_iter().flatten();
    let names = members.filter_map(|it| it["agent_id"].as_str()).collect::<Vec<_>>();
    let names = names.join(context.language.pick("と", " and "));
    let purpose = conversation["purpose"].as_str();
    let purpose = |open: &str, close: &str| {
        purpose.map(|it| format!("{open}{it}{close}")).unwrap_or_default()
    };
    context.say(
        format!(
            "{names}の会話{}を始めました。様子はここの表示か「会話」の画面で見られ、一時停止や終了もできます。",
            purpose("「", "」")
        ),
        format!(
            "{names} have begun to talk{}. Watch them below or on the page for conversations, where you can pause and end it.",
            purpose(" about \"", "\"")
        ),
    )
}

/// What each agent is to be, as written.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) text: String,
    /// Whether the words for the topic are among them.
    pub(super) is_whole: bool,
}

/// Returns the sides of both `agents` in `utterance`.
pub(super) fn sides(utterance: &Sentence, agents: &[Piece]) -> Option<Sides> {
    let [one, other] = agents else { return None };
    let text = utterance.text();
    match text.is_ascii() {
        true => english(utterance, one, other),
        false => japanese(&text, one, other),
    }
}

/// Sides in the clauses of the sentence, where the second one follows a break: `worker-a should argue for cats and worker-b
/// for dogs`.
fn english(utterance: &Sentence, one: &Piece, other: &Piece) -> Option<Sides> {
    const BREAKS: &str = " and | while | but |, |; ";
    const WITH: &str = " with| to| against| from";
    let between: String = utterance.lower[one.to..other.from].iter().collect();
    let is_apart = marks(BREAKS).any(|it| between.ends_with(it) && between.len() > it.len() + 2)
        && !marks(WITH).any(|it| between.trim_end().ends_with(it));
    let behind: String = utterance.chars[one.from..].iter().collect();
    let said = without_length(&behind).0;
    let said = said.trim().trim_end_matches(['.', '!', '?']).trim_end_matches(" please");
    let rest = said.split_once(&other.text).map(|it| it.1.trim());
    // `worker-a, the planner, and worker-b talk` says nothing of the second.
    let is_said = rest.is_some_and(|it| it.contains(' ') || ["against", "for"].contains(&it));
    (is_apart && is_said).then(|| Sides { text: said.to_owned(), is_whole: true })
}

/// Sides in clauses of their own, by the agents' names or the ends of these: `aは賛成、bは反対`, `司会はworker-a`.
fn japanese(text: &str, one: &Piece, other: &Piece) -> Option<Sides> {
    let of = |agent: &Piece| {
        let short = agent.text.rsplit(['-', '_']).next().unwrap_or_default();
        [agent.text.as_str(), short].into_iter().find_map(|name| side(text, name))
    };
    let (first, second) = (of(one)?, of(other)?);
    Some(Sides { text: format!("{first}、{second}"), is_whole: false })
}

/// The clause that is about `name`.
fn side(text: &str, name: &str) -> Option<String> {
    const ENDS: &str = "です|でお願いします|でお願い|ということで|として|にして|で";
    text.split(['、', '。', '\n', '，']).find_map(|clause| {
        let clause = clause.trim();
        let at =
            clause.match_indices(name).map(|it| it.0).find(|at| is_apart(clause, *at, name))?;
        let (before, behind) = (&clause[..at], &clause[at + name.len()..]);
        // `司会はworker-aで始めて`: the name ends the side.
        let role =
            before.strip_suffix('は').or(before.strip_suffix("が")).filter(|it| !it.is_empty());
        if role.is_some_and(|it| it.chars().count() <= ROLE_MAX) {
            return Some(format!("{before}{name}"));
        }
        let said = behind.strip_prefix('は').or(behind.strip_prefix('が'))?;
        // `worker-bは犬派で議論させて`: the order ends the side.
        let said =
            marks(ORDERS).filter_map(|it| said.find(it)).min().map_or(said, |at| &said[..at]);
        let said = marks(ENDS).find_map(|it| said.strip_suffix(it)).unwrap_or(said).trim();
        (before.is_empty() && !said.is_empty()).then(|| format!("{name}は{said}"))
    })
}

/// What begins the order behind a side.
const ORDERS: &str =
    "で議論|で討論|で話|で会話|で対話|で会議|で相談|でやって|でしり|になって|として";
/// Longest role before a name, in characters.
const ROLE_MAX: usize = 12;

/// Whether `name` at `at` is a word of its own.
fn is_apart(clause: &str, at: usize, name: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    !clause[..at].ends_with(is_part) && !clause[at + name.len()..].starts_with(is_part)
}
