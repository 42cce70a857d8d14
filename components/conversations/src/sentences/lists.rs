//! Plans that list conversations and agents, and that read, pause, resume or stop a conversation.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use language::{
    context::{TurnContext, failure, output},
    coverage::{OVER, Used, unused},
    order::Order,
    say,
    turn::{Answered, Decision},
    utterance::Utterance,
    words::Word,
};

use super::{CONVERSATION, rules::Goal, sentence::Sentence};

const TALKS: &str = "list_conversations";
const STOP: &str = "stop_conversation";
const PAUSE: &str = "pause_conversation";
const READ: &str = "get_conversation";
/// Phrases that pause a conversation.
const HELD: &str = "一時停止|一旦止|いったん止|保留|ちょっと待ってもら|待ったをかけ|pause|put them on hold|put it on hold|put that on hold|conversation on hold|talk on hold|talks on hold|chat on hold|agents on hold|dialogue on hold|hold the conversation|hold that conversation";
/// Phrases that resume a conversation.
const RESUMED: &str = "会話を再開|対話を再開|一時停止を解除|再開して|再開させ|resume|unpause|let them go on|let them continue|continue the conversation";
/// Phrases for the last conversation.
pub(super) const LATEST: &str =
    "最後に|最後の|最新|一番新しい|いちばん新しい|直近|一番最近|last|latest|newest|most recent";
/// Phrases that ask for messages.
const READING: &str = "中身|内容|読み|読ん|読も|何を話|何て|なんて|発言|read|what was said|what they said|messages|transcript|open|say|said|in full";
const SHOWN_LAST: &str = "最後の会話を|最新の会話を|直近の会話を|the last conversation|the latest conversation|last chat|newest conversation|most recent conversation";
/// Phrases for positions in a list.
const ORDINALS: [&str; 4] = [
    "一番目|一つ目|最初の|the first|first one",
    "二番目|二つ目|the second|second one",
    "三番目|三つ目|the third|third one",
    "四番目|四つ目|the fourth|fourth one",
];
/// Phrases that show one of the list.
const SHOWS: &str = "見せて|みせて|見たい|みたい|見る|表示|開い|詳し|詳細|要約|まとめ|show|see|view|detail|summary|summari|sum up|recap|about|tell";
const PENDING: &str = "来てない|来ていない|参加待ち|開始待ち|相手待ち|相手を待|始まってない|始まっていない|まだ始ま|未参加|参加していない|参加してない|pending|to join|joined|waiting for the other|waiting to start|not started|hasn't started|haven't started|about to begin";
const EXPIRED: &str = "応答なし|返事がない|無応答|expired|timed out|no answer|without an answer";
/// Maximum number of listed entries.
const LISTED_MAX: usize = 10;
/// Maximum position in a list.
const NUMBER_MAX: usize = 99;
/// The kind of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    #[default]
    Talks,
    Agents,
    Halt,
    /// Pause a conversation.
    Pause,
    /// Resume a conversation.
    Resume,
    /// Read the messages of a conversation.
    Read,
}

/// Returns true to pause a conversation, false to resume one, or none.
pub(super) fn pause_request(utterance: &Utterance) -> Option<bool> {
    let text: String = utterance.lower.iter().collect();
    let says = |words: &str| words.split('|').any(|it| text.contains(it));
    if says(RESUMED) { Some(false) } else { says(HELD).then_some(true) }
}

/// Returns the position in a list that `text` names, from 0: `2番目`, `number 12`.
fn list_position(text: &str) -> Option<usize> {
    const BEHIND: [&str; 2] = ["番", "つ目"];
    const BEFORE: [&str; 3] = ["number ", "#", "no. "];
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    let number = |text: &str| text.parse::<usize>().ok().filter(|it| (1..=NUMBER_MAX).contains(it));
    let behind = BEHIND.iter().flat_map(|it| text.match_indices(it)).find_map(|(at, _)| {
        let before = &text[..at];
        let length = before.bytes().rev().take_while(u8::is_ascii_digit).count();
        number(&before[before.len() - length..])
    });
    let before = || {
        let heads = BEFORE.iter().flat_map(|it| text.match_indices(it));
        heads.map(|(at, it)| &text[at + it.len()..]).find_map(|rest| number(&rest[..digits(rest)]))
    };
    let spelled = || ORDINALS.iter().position(|it| it.split('|').any(|it| text.contains(it)));
    behind.or_else(before).map(|it| it - 1).or_else(spelled)
}

/// Converts a full-width digit to ASCII.
fn ascii_digit(sign: char) -> char {
    match sign {
        '０'..='９' => char::from_u32(u32::from(sign) - 0xfee0).unwrap_or(sign),
        sign => sign,
    }
}

/// A plan to list, or to act on one conversation of a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Lists {
    kind: Kind,
    state: Option<String>,
    id: Option<String>,
    /// Members of the conversation.
    agents: Vec<String>,
    /// Whether it is the last conversation.
    is_latest: bool,
    /// Position in the list.
    nth: Option<usize>,
    /// The agents that were listed.
    #[serde(rename = "told")]
    listed_agents: Vec<String>,
}

impl Lists {
    pub(super) fn from_sentence(utterance: &Sentence, goal: Goal) -> Self {
        let kind = match goal {
            Goal::Agents => Kind::Agents,
            Goal::Halt => match pause_request(utterance) {
                Some(true) => Kind::Pause,
                Some(false) => Kind::Resume,
                None if utterance.order() == Some(Order::Resume) => Kind::Resume,
                None => Kind::Halt,
            },
            _ => Kind::Talks,
        };
        let text: String = utterance.lower.iter().collect();
        let says = |words: &str| words.split('|').any(|it| text.contains(it));
        let nth = list_position(&text);
        let is_latest = says(LATEST);
        let shows_last = says(SHOWN_LAST) && !says("conversations");
        let kind = match kind {
            Kind::Talks if (is_latest || nth.is_some()) && says(READING) || shows_last => {
                Kind::Read
            }
            Kind::Talks if nth.is_some() && says(SHOWS) => Kind::Read,
            kind => kind,
        };
        let state = match kind {
            Kind::Halt | Kind::Pause | Kind::Resume => Some("active"),
            Kind::Talks if says(PENDING) => Some("pending"),
            Kind::Talks if says(EXPIRED) => Some("expired"),
            Kind::Talks if utterance.has(&[Word::RUNNING]) && !utterance.has(&[Word::ENDED]) => {
                Some("active")
            }
            Kind::Talks | Kind::Read
                if utterance.has(&[Word::ENDED])
                    && !text.contains("まだ")
                    && !text.contains("yet") =>
            {
                Some("ended")
            }
            _ => None,
        };
        let is_sign = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
        let written = utterance.text();
        let written = written.split(|it| !is_sign(it)).find(|it| it.starts_with("conv_"));
        let id = utterance.numbers.id(CONVERSATION).or(written).map(str::to_owned);
        let agents = utterance.agents().into_iter().map(|it| it.text).collect();
        let state = state.map(str::to_owned);
        Self { kind, state, id, agents, is_latest, nth, ..Self::default() }
    }

    /// Creates the plan to read the conversation `id`.
    pub(super) fn read(id: &str) -> Self {
        Self { kind: Kind::Read, id: Some(id.to_owned()), ..Self::default() }
    }

    /// Replaces numbers in `text` by the names of listed agents: `1番と2番で話させて`, `let 1 and 2 talk`.
    pub(super) fn replace_numbers(&self, text: &str) -> String {
        const TALK: &str = "話|会話|雑談|しりとり|議論|相談|討論|おしゃべり|chat|talk|speak|discuss|debate|word chain|shiritori";
        let lower = text.to_lowercase();
        let chars: Vec<char> = text.chars().collect();
        if self.listed_agents.is_empty() || !TALK.split('|').any(|it| lower.contains(it)) {
            return text.to_owned();
        }
        let is_alone = |it: Option<&char>| it.is_none_or(|it| !it.is_ascii_alphanumeric());
        let (mut named, mut at) = (String::with_capacity(text.len()), 0);
        let mut count = 0;
        while at < chars.len() {
            let digits =
                chars[at..].iter().map(|it| ascii_digit(*it)).take_while(char::is_ascii_digit);
            let digits: String = digits.collect();
            let end = at + digits.len().max(1);
            let is_number =
                is_alone(at.checked_sub(1).map(|it| &chars[it])) && is_alone(chars.get(end));
            let number = digits.parse::<usize>().ok().filter(|_| is_number);
            let agent = number.and_then(|it| self.listed_agents.get(it.checked_sub(1)?));
            let behind = &chars[end.min(chars.len())..];
            let is_joined = ["番目", "番", " and ", " with ", " to ", "と", " "]
                .iter()
                .find(|it| behind.iter().take(it.chars().count()).copied().eq(it.chars()));
            match agent.zip(is_joined) {
                Some((agent, joint)) => {
                    named.truncate(named.trim_end_matches("number ").trim_end_matches('#').len());
                    named.push_str(agent);
                    count += 1;
                    at = end + if joint.starts_with('番') { joint.chars().count() } else { 0 };
                }
                None => {
                    named.extend(&chars[at..end]);
                    at = end;
                }
            }
        }
        // A single number may count turns or anything else.
        if count > 1 { named } else { text.to_owned() }
    }

    /// Whether it changes nothing.
    pub(super) fn is_read_only(&self) -> bool {
        !matches!(self.kind, Kind::Halt | Kind::Pause | Kind::Resume)
    }

    /// Creates the plan for a short order on the conversation `id`.
    pub(super) fn from_order(order: Order, id: &str) -> Self {
        let kind = match order {
            Order::Stop => Kind::Halt,
            Order::Resume => Kind::Resume,
        };
        Self { kind, ..Self::read(id) }
    }

    /// Takes the conversation `begun` where the plan acts on a conversation without saying which.
    pub(super) fn or_conversation(mut self, begun: Option<&String>) -> Self {
        let is_act = matches!(self.kind, Kind::Halt | Kind::Pause | Kind::Resume | Kind::Read);
        if is_act && self.agents.is_empty() && !self.is_latest && self.nth.is_none() {
            self.id = self.id.or_else(|| begun.cloned());
        }
        self
    }

    /// Returns the words that select conversations.
    pub(super) fn keywords(&self) -> Vec<String> {
        let words = [HELD, RESUMED, LATEST, READING, PENDING, EXPIRED];
        let words = words.into_iter().flat_map(|it| it.split('|')).chain(["side", "other"]);
        let words = words.map(str::to_owned);
        self.agents.iter().cloned().chain(self.id.clone()).chain(words).collect()
    }

    pub(super) fn next(
        &mut self,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Decision {
        if let Some((_, failure)) = failure(answered) {
            return context.conclude(say::failed(context, failure));
        }
        self.list(context, answered)
    }

    /// Returns the plan for a sentence that acts on a conversation of the previous list.
    pub(super) fn follow_up(&self, utterance: &Sentence) -> Option<Self> {
        if !matches!(self.kind, Kind::Talks | Kind::Read | Kind::Halt | Kind::Pause | Kind::Resume)
        {
            return None;
        }
        let is_halt = utterance.has(&[Word::HALT])
            || utterance.ends_conversation()
            || pause_request(utterance).is_some();
        let next = Self::from_sentence(utterance, if is_halt { Goal::Halt } else { Goal::Talks });
        // `終わったやつは？`, but not `宿題は終わった？`.
        let used = Used { names: next.keywords(), conditions: vec![OVER], ..Used::default() };
        let is_other_state = [self.kind, next.kind] == [Kind::Talks; 2]
            && utterance.asks()
            && next.state.is_some()
            && next.state != self.state
            && unused(utterance, &used).is_empty();
        let is_act = is_halt || next.kind == Kind::Read || is_other_state;
        let agents = if next.agents.is_empty() { self.agents.clone() } else { next.agents.clone() };
        // Positions refer to the previous list.
        let state = if next.nth.is_some() { self.state.clone() } else { next.state.clone() };
        is_act.then_some(Self { agents, state, ..next })
    }

    /// Calls the tool for the conversation `id`.
    fn call_for(&self, id: &str, line: &str, context: &mut TurnContext<'_>) -> Decision {
        let (tool, ja, en) = match self.kind {
            Kind::Pause => (PAUSE, "会話を一時停止", "To pause the conversation"),
            Kind::Resume => (PAUSE, "会話を再開", "To resume the conversation"),
            Kind::Read => (READ, "会話の中身を確認", "To read the conversation"),
            _ => (STOP, "会話を終了", "To stop the conversation"),
        };
        if !context.has(tool) {
            return context.conclude(context.say(
                format!("{ja}するには {tool} が必要ですが、いまは利用できません。\n{line}"),
                format!("For that, {tool} is needed, which is not on offer now.\n{line}"),
            ));
        }
        let mut arguments = json!({ "conversation_id": id });
        if tool == PAUSE {
            arguments["paused"] = (self.kind == Kind::Pause).into();
        }
        let reason = context.say(format!("{ja}: {line}"), format!("{en}: {line}"));
        context.only(tool, arguments, reason)
    }

    fn arguments(&self, name: &str) -> Value {
        self.state.as_ref().map_or_else(|| json!({}), |it| json!({ name: it }))
    }

    fn list(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        if let Some(stopped) = output(answered, STOP) {
            let line = conversation_line(context, &stopped["conversation"]);
            return context.conclude(context.say(
                format!("会話を終了しました。\n{line}"),
                format!("The conversation was stopped.\n{line}"),
            ));
        }
        if let Some(held) = output(answered, PAUSE) {
            let line = conversation_line(context, &held["conversation"]);
            let is_held = self.kind == Kind::Pause;
            return context.conclude(match is_held {
                true => context.say(
                    format!("会話を一時停止しました。\n{line}"),
                    format!("The conversation was paused.\n{line}"),
                ),
                false => context.say(
                    format!("会話を再開しました。\n{line}"),
                    format!("The conversation goes on.\n{line}"),
                ),
            });
        }
        if let Some(read) = output(answered, READ) {
            return context.conclude(messages_text(context, read));
        }
        let is_act = matches!(self.kind, Kind::Halt | Kind::Pause | Kind::Resume | Kind::Read);
        if let (true, Some(id)) = (is_act, self.id.clone()) {
            return self.call_for(&id, &id, context);
        }
        let Some(found) = output(answered, TALKS) else {
            let reason =
                context.say("どんな会話があるかを確認", "To see which conversations there are");
            return context.only(TALKS, self.arguments("state"), reason);
        };
        let is_member = |entry: &Value, agent: &String| {
            let members = entry["members"].as_array().into_iter().flatten();
            members.into_iter().any(|it| it["agent_id"] == agent.as_str())
        };
        let talks = found["conversations"].as_array().into_iter().flatten();
        let talks: Vec<_> =
            talks.filter(|it| self.agents.iter().all(|agent| is_member(it, agent))).collect();
        if self.kind == Kind::Agents {
            self.listed_agents = member_ids(&talks);
            return agents_answer(context, &self.listed_agents);
        }
        // The newest come first.
        let meant = match &talks[..] {
            [only] if self.nth.unwrap_or_default() == 0 => Some(*only),
            talks if self.nth.is_some() => self.nth.and_then(|it| talks.get(it)).copied(),
            [newest, ..] if self.is_latest => Some(*newest),
            _ => None,
        };
        if let Some(meant) = meant.filter(|_| is_act)
            && let Some(id) = meant["conversation_id"].as_str()
        {
            let line = conversation_line(context, meant);
            return self.call_for(id, &line, context);
        }
        let lines: Vec<_> =
            talks.iter().take(LISTED_MAX).map(|it| conversation_line(context, it)).collect();
        let what = match self.state.as_deref() {
            Some("active") => context.say("いま続いている会話", "Conversations that are running"),
            Some("pending") => context
                .say("相手の参加を待っている会話", "Conversations that wait for the other side"),
            Some("expired") => {
                context.say("応答のないまま終わった会話", "Conversations that got no answer")
            }
            Some(_) => context.say("終わった会話", "Conversations that have ended"),
            None => context.say("会話", "Conversations"),
        };
        let mut decision_lines = lines;
        if let Some(nth) = self.nth.filter(|it| is_act && *it >= talks.len() && !talks.is_empty()) {
            let number = nth + 1;
            decision_lines.push(context.say(
                format!("{number}番目の会話はありません。"),
                format!("There is no conversation number {number}."),
            ));
        }
        if is_act && !talks.is_empty() {
            let (ja, en) = match self.kind {
                Kind::Pause => ("一時停止して", "pause"),
                Kind::Resume => ("再開して", "resume"),
                Kind::Read => ("見せて", "show"),
                _ => ("止めて", "stop"),
            };
            decision_lines.push(context.say(
                format!("どの会話かを「会話ID conv_… を{ja}」のように書いてください。"),
                format!(
                    "Which one do you mean? Write for example \"{en} the conversation conv_…\"."
                ),
            ));
        }
        context.list(&what, talks.len(), &found["next_cursor"], &decision_lines)
    }
}

/// Formats a page of messages.
fn messages_text(context: &TurnContext<'_>, read: &Value) -> String {
    let head = conversation_line(context, &read["conversation"]);
    let sender = |message: &Value| {
        let keys = ["senderId", "sender_id", "sender"];
        keys.iter().find_map(|key| message[*key].as_str().map(str::to_owned)).unwrap_or_default()
    };
    let messages = read["messages"].as_array().into_iter().flatten();
    let lines: Vec<_> = messages
        .map(|message| {
            format!(
                "- {}: {}",
                sender(message),
                say::short(message["content"].as_str().unwrap_or_default())
            )
        })
        .collect();
    match lines.is_empty() {
        true => context.say(
            format!("{head}\n発言はまだありません。"),
            format!("{head}\nNothing was said in it yet."),
        ),
        false => format!("{head}\n{}", lines.join("\n")),
    }
}

/// Formats a conversation on one line.
fn conversation_line(context: &TurnContext<'_>, conversation: &Value) -> String {
    let state = match conversation["state"].as_str().unwrap_or_default() {
        "active" if conversation["paused_at"].is_string() => context.say("一時停止中", "paused"),
        "pending" => context.say("開始待ち", "about to begin"),
        "active" => context.say("進行中", "running"),
        "terminating" => context.say("終了処理中", "ending"),
        "expired" => context.say("応答なし", "no answer"),
        _ => context.say("終了", "ended"),
    };
    let members = conversation["members"].as_array().into_iter().flatten();
    let members: Vec<_> = members.filter_map(|it| it["agent_id"].as_str()).collect();
    let purpose = say::short(conversation["purpose"].as_str().unwrap_or_default());
    let purpose = match purpose.is_empty() {
        true => purpose,
        false => context.say(format!("「{purpose}」"), format!(": \"{purpose}\"")),
    };
    let id = conversation["conversation_id"].as_str().unwrap_or_default();
    let members = members.join(context.language.pick("と", " and "));
    context.say(
        format!("- {members}{purpose}（{state}） {id}"),
        format!("- {members}{purpose} ({state}) {id}"),
    )
}

/// Returns the agents that took part in conversations: only agents may list the others.
fn member_ids(talks: &[&Value]) -> Vec<String> {
    let mut names = Vec::<String>::new();
    for member in talks.iter().flat_map(|member| member["members"].as_array().into_iter().flatten())
    {
        let Some(id) = member["agent_id"].as_str() else { continue };
        if !names.iter().any(|it| it == id) && names.len() < LISTED_MAX {
            names.push(id.to_owned());
        }
    }
    names
}

fn agents_answer(context: &TurnContext<'_>, names: &[String]) -> Decision {
    let page = context.say(
        "登録されているエージェントの全員は「エージェント」の画面で見られます。",
        "All agents that are defined are on the page for agents.",
    );
    let list = names.join(context.language.pick("、", ", "));
    let head = match names.is_empty() {
        true => context.say(
            "まだ会話したエージェントはいません。",
            "No agent has taken part in a conversation yet.",
        ),
        false => context.say(
            format!("会話に参加したエージェント: {list}。"),
            format!("Agents that took part in conversations: {list}."),
        ),
    };
    context.conclude(format!("{head}\n{page}"))
}
