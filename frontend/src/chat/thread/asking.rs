//! Requests to `POST /api/chat` (ILL-40, ILL-41, ILL-45), and the replies sent to the host before.

use serde_json::{Map, Value, json};

use super::{MESSAGE_MAX, Thread};
use crate::cards::picture::{Picture, Shared};
use crate::chat::entry::{Body, Entry, Pending, Phase, Reply, Turn, UserMessage, Waiting};

/// Maximum number of history entries sent (ILL-46).
pub(crate) const HISTORY_MAX: usize = 20;
/// Maximum number of characters of pictures in the history; the latest have priority.
const HISTORY_DATA_MAX: usize = 6 << 20;
/// The specified text for a cancelled form.
const CANCELLED: &str = "フォーム入力をキャンセルしました。";
/// Placeholder for a picture in a model's entry; its bytes are stored separately.
pub(crate) const PICTURE_MARK: &str = "madoguchiPicture";

/// A chat request, and the replies that the host itself receives: an assistant allows nothing by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Request {
    pub(crate) body: Value,
    /// The person's decisions by approval, in the form of `POST /api/approvals/ID`.
    pub(crate) decisions: Map<String, Value>,
    /// Tools that the person trusts.
    pub(crate) trusts: Vec<String>,
}

impl Thread {
    /// The request for the answer of the last entry.
    pub(crate) fn request(&self) -> Option<Request> {
        let (last, before) = self.entries.split_last()?;
        let turn = last.turn()?;
        let (mut request, mut decisions) = (Map::new(), Map::new());
        let before = if turn.has_news() {
            let sentences = turn.pending.iter().filter(|it| it.is_news()).filter_map(sentence);
            let message = sentences.collect::<Vec<_>>().join("\n");
            request.insert("message".to_owned(), json!(message));
            put_answers(&mut request, &mut decisions, turn);
            before
        } else {
            let (user_message, before) = before.split_last()?;
            let user_message = user_message.message()?;
            let mut message = user_message.text.clone();
            // Pending items of the continued turn are refused by this message.
            if let Some((turn, since)) = self.latest(before) {
                put_answers(&mut request, &mut decisions, turn);
                if !turn.answerer.is_planner() {
                    message = with_unanswered(since, message);
                }
            }
            request.insert("message".to_owned(), json!(message));
            if !user_message.pictures.is_empty() {
                request.insert("images".to_owned(), images(user_message));
            }
            before
        };
        request.insert("history".to_owned(), history(before));
        if let Some(assistant) = &self.assistant {
            request.insert("assistant".to_owned(), json!(assistant));
        }
        if self.chooses && !turn.has_news() {
            request.insert("choose".to_owned(), json!(true));
        }
        Some(Request { body: Value::Object(request), decisions, trusts: self.trusts.clone() })
    }

    /// The last turn that the server may still know, from which it continues with all its context, and the entries
    /// after it. Another assistant begins with the history.
    fn latest<'a>(&self, entries: &'a [Shared<Entry>]) -> Option<(&'a Turn, &'a [Shared<Entry>])> {
        let known_turn = |it: &'a Shared<Entry>| it.turn().filter(|it| it.turn.is_some());
        let at = entries.iter().rposition(|it| known_turn(it).is_some())?;
        let turn = known_turn(&entries[at])?;
        let is_same = |it: &String| *it == turn.answerer.assistant;
        self.assistant.as_ref().is_none_or(is_same).then_some((turn, &entries[at + 1..]))
    }
}

/// The message, preceded by the questions stopped or failed since the continued turn, which the server does not know.
/// The latest have priority, as far as they fit.
fn with_unanswered(since: &[Shared<Entry>], mut message: String) -> String {
    let mut left = MESSAGE_MAX.saturating_sub(message.chars().count());
    for pair in since.windows(2).rev() {
        let (Some(user_message), Some(turn)) = (pair[0].message(), pair[1].turn()) else {
            continue;
        };
        let is_unanswered = matches!(turn.phase, Phase::Stopped | Phase::Failed(_));
        if user_message.is_out || user_message.text.is_empty() || !is_unanswered {
            continue;
        }
        let Some(rest) = left.checked_sub(user_message.text.chars().count() + 2) else { break };
        left = rest;
        message = format!("{}\n\n{message}", user_message.text);
    }
    message
}

/// The text sent for a submitted or cancelled form.
fn sentence(pending: &Pending) -> Option<&str> {
    match &pending.reply {
        Some(Reply::Submitted(sentence)) => Some(sentence),
        Some(Reply::Cancelled) if matches!(pending.waiting, Waiting::Form { .. }) => {
            Some(CANCELLED)
        }
        _ => None,
    }
}

/// Adds the continued turn and the person's replies to its pending items.
fn put_answers(request: &mut Map<String, Value>, decisions: &mut Map<String, Value>, turn: &Turn) {
    let mut selected = None;
    for pending in turn.pending.iter().filter(|it| it.is_news()) {
        if let (Some(Reply::Chosen(ids)), Waiting::Choice { pictures, .. }) =
            (&pending.reply, &pending.waiting)
        {
            let chosen = pictures.iter().filter(|it| ids.contains(&it.id));
            selected.get_or_insert_with(Vec::new).extend(chosen.filter_map(|it| image(it)));
        }
        decisions.extend(decision(pending));
    }
    request.insert("turn".to_owned(), json!(turn.turn));
    if let Some(selected) = selected {
        request.insert("selectedImages".to_owned(), Value::Array(selected));
    }
}

/// The approval that the person answered, and the decision.
fn decision(pending: &Pending) -> Option<(String, Value)> {
    let decision = match (pending.reply.as_ref()?, &pending.waiting) {
        (Reply::Allow | Reply::Trust, _) => json!({ "allow": true }),
        (Reply::Deny, _) | (Reply::Cancelled, Waiting::Approval { .. }) => {
            json!({ "allow": false })
        }
        (Reply::Answers(value), _) => json!({ "answers": value }),
        (Reply::Cancelled, Waiting::Questions { questions, .. }) => {
            let cancel = questions.iter().map(|it| (it.key.clone(), json!({ "action": "cancel" })));
            json!({ "answers": cancel.collect::<Map<_, _>>() })
        }
        _ => return None,
    };
    let approval = pending.waiting.approval().filter(|it| !it.is_empty())?;
    Some((approval.to_owned(), decision))
}

/// The earlier messages, for a server that has forgotten them.
fn history(entries: &[Shared<Entry>]) -> Value {
    let mut left = HISTORY_DATA_MAX;
    let mut history = Vec::new();
    for entry in entries.iter().rev() {
        if history.len() == HISTORY_MAX {
            break;
        }
        let (role, parts) = match &entry.body {
            Body::Asked(user_message) if user_message.is_out => continue,
            Body::Asked(user_message) => ("user", message_parts(user_message, &mut left)),
            Body::Answered(turn) => ("model", turn_parts(turn, &mut left)),
        };
        if !parts.is_empty() {
            history.push(json!({ "role": role, "parts": parts }));
        }
    }
    history.reverse();
    Value::Array(history)
}

fn message_parts(user_message: &UserMessage, left: &mut usize) -> Vec<Value> {
    let text = (!user_message.text.is_empty()).then(|| json!({ "text": user_message.text }));
    let pictures = user_message.pictures.iter().filter_map(|it| inline(it, left));
    text.into_iter().chain(pictures).collect()
}

fn turn_parts(turn: &Turn, left: &mut usize) -> Vec<Value> {
    let pictures = turn.pictures();
    if turn.parts.is_empty() {
        let text = turn.text();
        let text = (!text.is_empty()).then(|| json!({ "text": text }));
        return text.into_iter().chain(pictures.iter().filter_map(|it| inline(it, left))).collect();
    }
    let part = |part: &Value| {
        let Some(mark) = part.get(PICTURE_MARK).and_then(Value::as_str) else {
            return Some(part.clone());
        };
        let mut inlined = inline(pictures.iter().find(|it| it.id == mark)?, left)?;
        if let (Some(signature), Some(map)) =
            (part.get("thoughtSignature"), inlined.as_object_mut())
        {
            map.insert("thoughtSignature".to_owned(), signature.clone());
        }
        Some(inlined)
    };
    turn.parts.iter().filter_map(part).collect()
}

fn inline(picture: &Picture, left: &mut usize) -> Option<Value> {
    let data = picture.data.as_ref()?;
    *left = left.checked_sub(data.len())?;
    Some(json!({ "inlineData": { "mimeType": picture.mime, "data": &**data } }))
}

fn images(user_message: &UserMessage) -> Value {
    Value::Array(user_message.pictures.iter().filter_map(|it| image(it)).collect())
}

fn image(picture: &Picture) -> Option<Value> {
    Some(json!({ "mimeType": picture.mime, "data": &**picture.data.as_ref()? }))
}
