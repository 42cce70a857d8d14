//! Shortens a transcript to fit into one request: the oldest pictures become notes, then the oldest tool results,
//! then the oldest turns go. A call and its result stay together, and signed content stays verbatim.

use serde_json::Value;

use super::wire::WireError;

/// Note in place of a dropped picture.
pub(super) const PICTURE: &str = "[a picture that was shown before, left out to save room]";
/// Note in place of a picture that a model cannot read.
pub(super) const UNSEEN: &str = "[a picture that cannot be shown to you here]";
/// Note in place of a dropped result.
pub(super) const RESULT: &str =
    "[what the tool brought then, left out to save room; call it again if it is needed]";
/// Weight of a picture in bytes of text, if a model's context rather than the request is full.
const PICTURE_WEIGHT: usize = 6_000;

/// Access to a provider's message format.
pub(super) struct Shape {
    /// Returns each picture of a message in order: its JSON pointer and bytes.
    pub(super) pictures: fn(&Value) -> Vec<(String, usize)>,
    /// Replaces the picture at a pointer by a note.
    pub(super) drop_picture: fn(&mut Value, &str, &str),
    /// Replaces tool results by a note.
    pub(super) drop_results: fn(&mut Value),
    /// Makes the message the first of a conversation; returns whether it can be.
    pub(super) begin: fn(&mut Value) -> bool,
    /// Whether the message is a tool result, which belongs to the one after it.
    pub(super) is_result: fn(&Value) -> bool,
}

/// Limits of one request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Bytes of all messages.
    pub(super) bytes: usize,
    pub(super) pictures: usize,
}

/// Size of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Size {
    bytes: usize,
    pictures: usize,
    /// Bytes without pictures, plus [`PICTURE_WEIGHT`] for each picture.
    weight: usize,
}

impl Size {
    fn measure(message: &Value, shape: &Shape) -> Self {
        let pictures = (shape.pictures)(message);
        let bytes = length(message);
        let text = bytes.saturating_sub(pictures.iter().map(|it| it.1).sum());
        let weight = text + pictures.len() * PICTURE_WEIGHT;
        Self { bytes, pictures: pictures.len(), weight }
    }

    fn sum(all: &[Self]) -> Self {
        all.iter().fold(Self::default(), |sum, next| Self {
            bytes: sum.bytes + next.bytes,
            pictures: sum.pictures + next.pictures,
            weight: sum.weight + next.weight,
        })
    }

    fn fits(self, most: Self) -> bool {
        self.bytes <= most.bytes && self.pictures <= most.pictures && self.weight <= most.weight
    }
}

/// Makes `messages` fit into `room`, with some to spare, so that the cached prefix does not change with each request.
/// Returns whether they were too large.
pub(super) fn fit(messages: &mut Vec<Value>, room: Room, shape: &Shape) -> bool {
    let taken: Vec<_> = messages.iter().map(|it| Size::measure(it, shape)).collect();
    let most = Size { bytes: room.bytes, pictures: room.pictures, weight: usize::MAX };
    if Size::sum(&taken).fits(most) {
        return false;
    }
    let goal = Size { bytes: most.bytes / 5 * 4, pictures: most.pictures / 5 * 4, ..most };
    shrink(messages, taken, goal, shape);
    true
}

/// Halves `messages`; returns whether they became smaller.
pub(super) fn halve(messages: &mut Vec<Value>, shape: &Shape) -> bool {
    let taken: Vec<_> = messages.iter().map(|it| Size::measure(it, shape)).collect();
    let all = Size::sum(&taken);
    let goal = Size { bytes: all.bytes / 2, pictures: all.pictures / 2, weight: all.weight / 2 };
    shrink(messages, taken, goal, shape);
    let left: usize = messages.iter().map(length).sum();
    left < all.bytes
}

/// Shortens refused `messages` for a retry: halves them once if they are too large, otherwise drops
/// their pictures. Returns whether they changed.
pub(super) fn shrink_after_error(
    messages: &mut Vec<Value>,
    shape: &Shape,
    error: &WireError,
    is_halved: &mut bool,
) -> bool {
    match error.is_too_large() {
        true => !std::mem::replace(is_halved, true) && halve(messages, shape),
        false => error.may_be_of_pictures() && drop_all_pictures(messages, shape),
    }
}

/// Drops all pictures; returns whether there were any.
pub(super) fn drop_all_pictures(messages: &mut [Value], shape: &Shape) -> bool {
    let mut are_any = false;
    for message in messages {
        // From the last to the first, so that pointers stay valid.
        for (place, _) in (shape.pictures)(message).iter().rev() {
            (shape.drop_picture)(message, place, UNSEEN);
            are_any = true;
        }
    }
    are_any
}

fn shrink(messages: &mut Vec<Value>, mut taken: Vec<Size>, goal: Size, shape: &Shape) {
    let Some(last) = messages.len().checked_sub(1) else { return };
    // The newest results are what the model is asked about.
    let is_older = |at: &usize| *at > 0 && (shape.is_result)(&messages[*at - 1]);
    let newest = std::iter::successors(Some(last), |at| is_older(at).then(|| at - 1)).last();
    let newest = newest.unwrap_or(last);
    for (at, message) in messages.iter_mut().enumerate().take(newest) {
        drop_pictures(message, at, &mut taken, goal, shape);
        if Size::sum(&taken).fits(goal) {
            return;
        }
    }
    for (at, message) in messages.iter_mut().enumerate().take(newest) {
        (shape.drop_results)(message);
        taken[at] = Size::measure(message, shape);
        if Size::sum(&taken).fits(goal) {
            return;
        }
    }
    let mut first = 0;
    for at in 1..messages.len() {
        let mut beginning = messages[at].clone();
        let is_one = (shape.begin)(&mut beginning);
        // The newest message is what the model is asked about.
        if !is_one
            || (shape.is_result)(&messages[at - 1])
            || at == last && beginning != messages[at]
        {
            continue;
        }
        taken[at] = Size::measure(&beginning, shape);
        messages[at] = beginning;
        first = at;
        if Size::sum(&taken[first..]).fits(goal) {
            break;
        }
    }
    messages.drain(..first);
    taken.drain(..first);
    for (at, message) in messages.iter_mut().enumerate() {
        drop_pictures(message, at, &mut taken, goal, shape);
    }
}

/// Drops as many of a message's pictures as necessary, the first ones first.
fn drop_pictures(message: &mut Value, at: usize, taken: &mut [Size], goal: Size, shape: &Shape) {
    let sizes = (shape.pictures)(message);
    let mut all = Size::sum(taken);
    let mut count = 0;
    while count < sizes.len() && !all.fits(goal) {
        all.bytes = all.bytes.saturating_sub(sizes[count].1);
        all.weight = all.weight.saturating_sub(PICTURE_WEIGHT);
        all.pictures -= 1;
        count += 1;
    }
    if count > 0 {
        // From the last to the first, so that pointers stay valid.
        for (place, _) in sizes[..count].iter().rev() {
            (shape.drop_picture)(message, place, PICTURE);
        }
        taken[at] = Size::measure(message, shape);
    }
}

/// Length of `value` as JSON, in bytes.
pub(super) fn length(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::models::{claude, openai};

    /// A conversation with Claude of `turns` turns: a question, a call, its result with a picture, an answer.
    fn talk(turns: usize, picture: usize, text: usize) -> Vec<Value> {
        let turn = |at: usize| {
            let id = format!("t{at}");
            let source =
                json!({ "type": "base64", "media_type": "image/png", "data": "A".repeat(picture) });
            [
                json!({ "role": "user", "content": [{ "type": "text", "text": format!("q{at}") }] }),
                json!({ "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "", "signature": format!("s{at}") },
                    { "type": "tool_use", "id": id, "name": "f", "input": {} },
                ] }),
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id,
                    "content": [{ "type": "text", "text": "x".repeat(text) }, { "type": "image", "source": source }] }] }),
                json!({ "role": "assistant", "content": [{ "type": "text", "text": format!("a{at}") }] }),
            ]
        };
        let mut all: Vec<_> = (0..turns).flat_map(turn).collect();
        all.pop();
        all
    }

    fn ids(messages: &[Value], kind: &str, name: &str) -> Vec<Value> {
        let blocks = messages.iter().flat_map(|it| it["content"].as_array().unwrap());
        blocks.filter(|it| it["type"] == kind).map(|it| it[name].clone()).collect()
    }

    fn check(messages: &[Value]) {
        assert_eq!(messages[0]["role"], "user");
        assert_eq!(messages[0]["content"][0]["type"], "text", "it begins with the person");
        let (calls, results) =
            (ids(messages, "tool_use", "id"), ids(messages, "tool_result", "tool_use_id"));
        assert_eq!(calls, results, "pairs stay whole");
        assert_eq!(ids(messages, "thinking", "signature").len(), calls.len());
    }

    #[test]
    fn drops_oldest_pictures_first() {
        let before = talk(10, 1_000, 500);
        let bytes: usize = before.iter().map(length).sum();
        let mut messages = before.clone();
        assert!(!fit(&mut messages, Room { bytes, pictures: 10 }, &claude::SHAPE));
        assert_eq!(messages, before, "what fits stays as it is");
        assert!(fit(&mut messages, Room { bytes: bytes - 1, pictures: 10 }, &claude::SHAPE));
        check(&messages);
        assert_eq!(
            (messages.len(), length(&messages[2]) < length(&before[2])),
            (before.len(), true)
        );
        assert_eq!(messages[2]["content"][0]["content"][1]["text"], PICTURE);
        assert_eq!(messages.last(), before.last());
        assert!(messages.iter().map(length).sum::<usize>() <= bytes * 4 / 5);
        let mut messages = before;
        fit(&mut messages, Room { bytes, pictures: 9 }, &claude::SHAPE);
        let left: usize = messages.iter().map(|it| (claude::SHAPE.pictures)(it).len()).sum();
        assert!(left <= 9, "by number, too");
        check(&messages);
    }

    #[test]
    fn drops_results_then_turns_keeps_the_question() {
        let before = talk(10, 10, 5_000);
        let mut messages = before.clone();
        fit(&mut messages, Room { bytes: 30_000, pictures: 100 }, &claude::SHAPE);
        check(&messages);
        assert_eq!(messages.len(), before.len(), "results go before turns");
        assert_eq!(messages[2]["content"][0]["content"][0]["text"], RESULT);
        let newest = messages.last().unwrap()["content"][0]["content"][0]["text"].as_str();
        assert_eq!(newest.unwrap().len(), 5_000);
        fit(&mut messages, Room { bytes: 7_000, pictures: 100 }, &claude::SHAPE);
        check(&messages);
        assert!(messages.len() < before.len());
        let mut messages = before;
        fit(&mut messages, Room { bytes: 100, pictures: 0 }, &claude::SHAPE);
        check(&messages);
        assert_eq!(messages.len(), 3, "the question, its call and what it brought stay");
    }

    #[test]
    fn halves_conversation_until_it_cannot_shrink() {
        let mut messages = talk(10, 1_000, 5_000);
        for _ in 0..20 {
            let before: usize = messages.iter().map(length).sum();
            if !halve(&mut messages, &claude::SHAPE) {
                break;
            }
            check(&messages);
            assert!(messages.iter().map(length).sum::<usize>() < before);
        }
        assert!(!halve(&mut messages, &claude::SHAPE), "it ends");
        let mut one = vec![json!({ "role": "user", "content": "x".repeat(10_000) })];
        assert!(!halve(&mut one, &openai::SHAPE));
    }

    #[test]
    fn replaces_unsupported_pictures_by_notes() {
        let before = talk(2, 1_000, 10);
        let mut messages = before.clone();
        assert!(drop_all_pictures(&mut messages, &claude::SHAPE));
        check(&messages);
        assert_eq!(messages.len(), before.len());
        assert_eq!(messages[2]["content"][0]["content"][1]["text"], UNSEEN);
        assert!(!drop_all_pictures(&mut messages, &claude::SHAPE), "there are none left");
    }

    #[test]
    fn keeps_results_with_their_calls() {
        let url = format!("data:image/png;base64,{}", "A".repeat(2_000));
        let turn = |at: usize| {
            let id = format!("c{at}");
            [
                json!({ "role": "user", "content": format!("q{at}") }),
                json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": id }] }),
                json!({ "role": "tool", "tool_call_id": id, "content": "x".repeat(2_000) }),
                json!({ "role": "user", "content": [{ "type": "text", "text": "[Pictures]" },
                    { "type": "image_url", "image_url": { "url": url } }] }),
                json!({ "role": "assistant", "content": "a" }),
            ]
        };
        let mut messages: Vec<_> = (0..5).flat_map(turn).collect();
        messages.pop();
        for bytes in [18_000, 8_000, 3_000, 100] {
            fit(&mut messages, Room { bytes, pictures: 3 }, &openai::SHAPE);
            assert_eq!(messages[0]["role"], "user", "{bytes}");
            let calls = messages.iter().filter(|it| it["tool_calls"].is_array()).count();
            let results = messages.iter().filter(|it| it["role"] == "tool").count();
            assert_eq!(calls, results, "{bytes}");
        }
        assert_eq!(messages.len(), 4, "the newest call and its result stay");
        assert_eq!(messages[2]["content"].as_str().unwrap().len(), 2_000);
        assert_eq!(messages[3]["content"], format!("[Pictures]\n{PICTURE}"));
    }
}
