//! Lists existing forms and their answers.

use language::{
    context::{TurnContext, failure, output},
    coverage::{Used, unused},
    say,
    turn::{Answered, Decision},
    utterance::Utterance,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolkit::Tool as _;

use crate::tools::ListFormSubmissions;

/// Maximum listed entries.
const LISTED_MAX: usize = 10;
/// Words for unanswered and for answered forms.
const WAITS: &str = "未回答|まだ|てない|ていない|てません|ていません|回答待ち|返事待ち|受付中|募集中|開いて|空いて|オープン|unanswered|not answered|pending|waiting|not been answered|open|haven't|hasn't|outstanding|still have to|still need to|have to fill|need to fill|left to fill";
const ANSWERED: &str = "答えた|もう答え|回答|返答|返事|返信|答え|届い|送信済|送られて|送られ|提出|answer|submitted|submission|response|filled|repl|fill in|fill out|fill it";

/// A requested list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Lists {
    state: Option<String>,
    /// Whether the answers are requested.
    has_values: bool,
}

impl Lists {
    pub(super) fn new(utterance: &Utterance) -> Self {
        let text: String = utterance.lower.iter().collect();
        let says = |words: &str| words.split('|').any(|it| text.contains(it));
        let state = match () {
            () if says(WAITS) => Some("waiting"),
            () if says(ANSWERED) => Some("submitted"),
            () => None,
        };
        // Whether there is an answer is another question than its content.
        let has_values = state == Some("submitted")
            && says("何て|なんて|何と|なんと|内容|回答を|答えを|what|show|read|tell");
        Self { state: state.map(str::to_owned), has_values }
    }

    /// The list for a question about the other forms: `答えたやつは？`, `and the open ones?`.
    pub(super) fn of_other_state(&self, utterance: &Utterance) -> Option<Self> {
        let next = Self::new(utterance);
        let used = Used { names: Self::used(), ..Used::default() };
        let is_asked = utterance.asks() && unused(utterance, &used).is_empty();
        (is_asked && next.state.is_some() && next.state != self.state).then_some(next)
    }

    /// Words that select forms.
    pub(super) fn used() -> Vec<String> {
        WAITS.split('|').chain(ANSWERED.split('|')).map(str::to_owned).collect()
    }

    pub(super) fn next(&self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        if let Some((_, failure)) = failure(answered) {
            return context.conclude(say::failed(context, failure));
        }
        let Some(found) = output(answered, ListFormSubmissions::NAME) else {
            let arguments = self.state.as_ref().map_or(json!({}), |it| json!({ "status": it }));
            let reason =
                context.say("どんなフォームがあるかを確認", "To see which forms there are");
            return context.only(ListFormSubmissions::NAME, arguments, reason);
        };
        let forms: Vec<_> = found["forms"].as_array().into_iter().flatten().collect();
        let state = |form: &Value| match form["status"].as_str().unwrap_or_default() {
            "waiting" => context.say("未回答", "not answered yet"),
            "submitted" => context.say("回答済み", "answered"),
            "declined" => context.say("辞退", "declined"),
            _ => context.say("取り消し", "cancelled"),
        };
        let title = |form: &Value| say::short(form["title"].as_str().unwrap_or_default());
        let line = |form: &&Value| {
            let head = context.say(
                format!("- {}（{}）", title(form), state(form)),
                format!("- {} ({})", title(form), state(form)),
            );
            let values = form["values"].as_object().filter(|_| self.has_values);
            let values = values.into_iter().flatten().take(LISTED_MAX);
            let values = values.map(|it| format!("\n  - {}: {}", it.0, value(it.1)));
            head + &values.collect::<String>()
        };
        let lines: Vec<_> = forms.iter().take(LISTED_MAX).map(line).collect();
        let what = match self.state.as_deref() {
            Some("waiting") => context.say("未回答のフォーム", "Forms that wait for an answer"),
            Some(_) => context.say("回答済みのフォーム", "Forms that were answered"),
            None => context.say("フォーム", "Forms"),
        };
        context.list(&what, forms.len(), &found["next_cursor"], &lines)
    }
}

/// Formats an answered value in one line.
fn value(value: &Value) -> String {
    match value {
        Value::String(text) => say::short(text),
        value => say::short(&value.to_string()),
    }
}
