//! What there is: forms, conversations, agents, themes. These are told, and nothing is begun.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    desk::{self, Desk, failure},
    heard::Heard,
    meeting::Agents,
    names::theme_names,
    numbers::Id,
    rules::Goal,
    say,
    words::Word,
};
use crate::assistant::{Answered, Decision};

const FORMS: &str = "list_form_submissions";
const TALKS: &str = "list_conversations";
const STOP: &str = "stop_conversation";
/// Entries that are told.
const TOLD_MAX: usize = 10;
const TEXT_MAX: usize = 60;
/// What says that forms wait for an answer, and that they have one.
const WAITS: &str = "未回答|まだ|てない|ていない|てません|ていません|回答待ち|返事待ち|受付中|募集中|開いて|空いて|オープン|unanswered|not answered|pending|waiting|not been answered|open|haven't|hasn't|outstanding|still have to|still need to|have to fill|need to fill|left to fill";
const ANSWERED: &str = "回答|返答|返事|返信|答え|届い|送信済|送られて|送られ|提出|answer|submitted|submission|response|filled|repl|fill in|fill out|fill it";

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Forms,
    Talks,
    Agents,
    Themes,
    Halt,
}

/// A list that is asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Lists {
    kind: Kind,
    state: Option<String>,
    id: Option<String>,
    /// Agents of the conversation that is meant.
    #[serde(default)]
    agents: Vec<String>,
    /// Whether what was answered is asked for.
    #[serde(default)]
    has_values: bool,
}

impl Lists {
    pub(super) fn of(heard: &Heard, goal: Goal) -> Self {
        let kind = match goal {
            Goal::Forms => Kind::Forms,
            Goal::Agents => Kind::Agents,
            Goal::Themes => Kind::Themes,
            Goal::Halt => Kind::Halt,
            _ => Kind::Talks,
        };
        let text: String = heard.lower.iter().collect();
        let says = |words: &str| words.split('|').any(|it| text.contains(it));
        let state = match kind {
            Kind::Forms if says(WAITS) => Some("waiting"),
            Kind::Forms if says(ANSWERED) => Some("submitted"),
            Kind::Halt => Some("active"),
            Kind::Talks if heard.has(&[Word::Running]) && !heard.has(&[Word::Ended]) => {
                Some("active")
            }
            Kind::Talks
                if heard.has(&[Word::Ended]) && !text.contains("まだ") && !text.contains("yet") =>
            {
                Some("ended")
            }
            _ => None,
        };
        let is_sign = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
        let written = heard.text();
        let written = written.split(|it| !is_sign(it)).find(|it| it.starts_with("conv_"));
        let id = heard.numbers.id(Id::Conversation).or(written).map(str::to_owned);
        let agents = heard.agents().into_iter().map(|it| it.text).collect();
        // Whether there is an answer is one question, what it says another.
        let has_values = kind == Kind::Forms
            && state == Some("submitted")
            && says("何て|なんて|何と|なんと|内容|回答を|答えを|what|show|read|tell");
        Self { kind, state: state.map(str::to_owned), id, agents, has_values }
    }

    /// The words that say which forms are meant.
    pub(super) fn used(&self) -> Vec<String> {
        match self.kind {
            Kind::Forms => WAITS.split('|').chain(ANSWERED.split('|')).map(str::to_owned).collect(),
            _ => self.agents.iter().cloned().chain(self.id.clone()).collect(),
        }
    }

    pub(super) fn next(&mut self, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        if let Some((_, failure)) = failure(answered) {
            return desk.conclude(say::failed(desk, failure));
        }
        match self.kind {
            Kind::Forms => self.forms(desk, answered),
            Kind::Themes => themes(desk),
            Kind::Talks | Kind::Agents | Kind::Halt => self.talks(desk, answered),
        }
    }

    fn arguments(&self, name: &str) -> Value {
        self.state.as_ref().map_or_else(|| json!({}), |it| json!({ name: it }))
    }

    fn forms(&self, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        let Some(found) = desk::output(answered, FORMS) else {
            let reason = desk.say("どんなフォームがあるかを確認", "To see which forms there are");
            return desk.only(FORMS, self.arguments("status"), reason);
        };
        let forms: Vec<_> = found["forms"].as_array().into_iter().flatten().collect();
        let state = |it: &Value| match it["status"].as_str().unwrap_or_default() {
            "waiting" => desk.say("未回答", "not answered yet"),
            "submitted" => desk.say("回答済み", "answered"),
            "declined" => desk.say("辞退", "declined"),
            _ => desk.say("取り消し", "cancelled"),
        };
        let line = |it: &&Value| {
            let head = desk.say(
                format!("- {}（{}）", short(&it["title"]), state(it)),
                format!("- {} ({})", short(&it["title"]), state(it)),
            );
            let values = it["values"].as_object().filter(|_| self.has_values);
            let values = values.into_iter().flatten().take(TOLD_MAX);
            let values = values.map(|it| format!("\n  - {}: {}", it.0, value(it.1)));
            head + &values.collect::<String>()
        };
        let lines: Vec<_> = forms.iter().take(TOLD_MAX).map(line).collect();
        let what = match self.state.as_deref() {
            Some("waiting") => desk.say("未回答のフォーム", "Forms that wait for an answer"),
            Some(_) => desk.say("回答済みのフォーム", "Forms that were answered"),
            None => desk.say("フォーム", "Forms"),
        };
        told(desk, &what, forms.len(), &found["next_cursor"], &lines)
    }

    fn talks(&self, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        if let Some(stopped) = desk::output(answered, STOP) {
            let line = talk(desk, &stopped["conversation"]);
            return desk.conclude(desk.say(
                format!("会話を終了しました。\n{line}"),
                format!("The conversation was stopped.\n{line}"),
            ));
        }
        if let (Kind::Halt, Some(id)) = (self.kind, &self.id) {
            let reason =
                desk.say(format!("会話 {id} を終了"), format!("To stop the conversation {id}"));
            return desk.only(STOP, json!({ "conversation_id": id }), reason);
        }
        let Some(found) = desk::output(answered, TALKS) else {
            let reason =
                desk.say("どんな会話があるかを確認", "To see which conversations there are");
            return desk.only(TALKS, self.arguments("state"), reason);
        };
        let is_member = |it: &Value, agent: &String| {
            let members = it["members"].as_array().into_iter().flatten();
            members.into_iter().any(|it| it["agent_id"] == agent.as_str())
        };
        let talks = found["conversations"].as_array().into_iter().flatten();
        let talks: Vec<_> =
            talks.filter(|it| self.agents.iter().all(|agent| is_member(it, agent))).collect();
        if self.kind == Kind::Agents {
            return agents(desk, &talks);
        }
        if let (Kind::Halt, [only]) = (self.kind, &talks[..])
            && let Some(id) = only["conversation_id"].as_str()
        {
            let line = talk(desk, only);
            let reason = desk
                .say(format!("会話を終了: {line}"), format!("To stop the conversation: {line}"));
            return desk.only(STOP, json!({ "conversation_id": id }), reason);
        }
        let lines: Vec<_> = talks.iter().take(TOLD_MAX).map(|it| talk(desk, it)).collect();
        let what = match self.state.as_deref() {
            Some("active") => desk.say("いま続いている会話", "Conversations that are running"),
            Some(_) => desk.say("終わった会話", "Conversations that have ended"),
            None => desk.say("会話", "Conversations"),
        };
        let mut decision_lines = lines;
        if self.kind == Kind::Halt && !talks.is_empty() {
            decision_lines.push(desk.say(
                "どれを終了するかを「会話ID conv_… を止めて」のように書いてください。",
                "Which one shall be stopped? Write for example \"stop the conversation conv_…\".",
            ));
        }
        told(desk, &what, talks.len(), &found["next_cursor"], &decision_lines)
    }
}

fn told(desk: &Desk<'_>, what: &str, count: usize, more: &Value, lines: &[String]) -> Decision {
    let more = if more.is_string() { desk.say("以上", " or more") } else { String::new() };
    let head = match count {
        0 => desk.say(format!("{what}はありません。"), format!("{what}: none.")),
        count => {
            desk.say(format!("{what}は{count}件{more}です。"), format!("{what}: {count}{more}."))
        }
    };
    desk.conclude(format!("{head}\n{}", lines.join("\n")).trim_end().to_owned())
}

/// One conversation on a line.
fn talk(desk: &Desk<'_>, it: &Value) -> String {
    let state = match it["state"].as_str().unwrap_or_default() {
        "pending" => desk.say("開始待ち", "about to begin"),
        "active" => desk.say("進行中", "running"),
        "terminating" => desk.say("終了処理中", "ending"),
        "expired" => desk.say("応答なし", "no answer"),
        _ => desk.say("終了", "ended"),
    };
    let members = it["members"].as_array().into_iter().flatten();
    let members: Vec<_> = members.filter_map(|it| it["agent_id"].as_str()).collect();
    let purpose =
        it["purpose"].as_str().map(|_| format!(" {}", short(&it["purpose"]))).unwrap_or_default();
    let id = it["conversation_id"].as_str().unwrap_or_default();
    format!("- {}{purpose}（{state}） {id}", members.join(desk.language.pick("と", " and ")))
}

/// The agents that took part in conversations, which is all that may be read without being one.
fn agents(desk: &Desk<'_>, talks: &[&Value]) -> Decision {
    let mut names = Vec::<String>::new();
    for it in talks.iter().flat_map(|it| it["members"].as_array().into_iter().flatten()) {
        let Some(id) = it["agent_id"].as_str() else { continue };
        if !names.iter().any(|it| it == id) && names.len() < TOLD_MAX {
            names.push(id.to_owned());
        }
    }
    let page = desk.say(
        "登録されているエージェントの全員は「エージェント」の画面で見られます。",
        "All agents that are defined are on the page for agents.",
    );
    let list = names.join(desk.language.pick("、", ", "));
    let head = match names.is_empty() {
        true => desk.say(
            "まだ会話したエージェントはいません。",
            "No agent has taken part in a conversation yet.",
        ),
        false => desk.say(
            format!("会話に参加したエージェント: {list}。"),
            format!("Agents that took part in conversations: {list}."),
        ),
    };
    desk.conclude(format!("{head}\n{page}"))
}

fn themes(desk: &Desk<'_>) -> Decision {
    let names = theme_names(desk.language);
    let list: Vec<_> = names.iter().map(|it| format!("- {it}")).collect();
    let (count, list) = (names.len(), list.join("\n"));
    desk.conclude(desk.say(
        format!("内蔵のテーマは次の{count}つで、それぞれに6枚のカードがあります。\n{list}\nカードを見るときは「雪月花のカードを見せて」のように書いてください。"),
        format!("There are {count} bundled themes of six cards each.\n{list}\nTo see cards, write for example \"show me the cards of Golden Dynasty\"."),
    ))
}

/// What was answered in a field, on one line.
fn value(value: &Value) -> String {
    match value {
        Value::String(_) => short(value),
        value => short(&value.to_string().into()),
    }
}

fn short(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    let mut short: String = text.chars().take(TEXT_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
