//! Understands sentences in Japanese and English that list, borrow or return books.

use serde_json::{Value, json};
use toolkit::dialogue::{Answer, Answered, Call, Language, Piece, Reply, Step, Turn};

/// Phrases for each tool.
const LEND: [&str; 5] = ["借り", "貸して", "borrow", "lend", "check out"];
const RETURN: [&str; 4] = ["返し", "返却", "bring back", "return"];
const LIST: [&str; 6] = ["本は", "蔵書", "図書館", "books", "library", "to read"];

/// Decides on the next step.
pub(crate) fn next(turn: Turn) -> Result<Reply, String> {
    let reply = |confidence, step| Ok(Reply { confidence, memory: "null".to_owned(), step });
    if !turn.answered.is_empty() {
        let lines: Vec<_> = turn.answered.iter().map(|it| result_text(it, turn.language)).collect();
        return reply(1.0, says(lines.join("\n")));
    }
    let text: Vec<_> = turn.message.iter().filter_map(text).collect();
    let text = text.join(" ").to_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|it| text.contains(it));
    let book = turn.names.iter().filter(|it| it.kind == "book").find(|name| {
        let english = name.english.as_deref().unwrap_or_default().to_lowercase();
        text.contains(&name.name) || !english.is_empty() && text.contains(&english)
    });
    let call = |tool: &str, arguments: Value, reason: &str| {
        Step::Calls(vec![Call {
            id: "lending-1".to_owned(),
            tool: tool.to_owned(),
            arguments: arguments.to_string(),
            meta: "{}".to_owned(),
            reason: reason.to_owned(),
        }])
    };
    match book {
        Some(book) if has(&RETURN) => {
            let reason = pick(turn.language, "本を返すため", "to bring the book back");
            reply(1.0, call("return_book", json!({ "title": book.name }), reason))
        }
        Some(book) if has(&LEND) => {
            let arguments = json!({ "title": book.name, "member": "you" });
            let reason = pick(turn.language, "本を借りるため", "to take the book");
            reply(1.0, call("lend_book", arguments, reason))
        }
        None if has(&LIST) || has(&LEND) => {
            let reason =
                pick(turn.language, "どの本があるか見るため", "to see which books there are");
            reply(0.9, call("list_books", json!({}), reason))
        }
        _ => reply(0.0, says(String::new())),
    }
}

fn text(piece: &Piece) -> Option<&str> {
    match piece {
        Piece::Text(text) => Some(text),
        Piece::Picture(_) => None,
    }
}

fn says(text: String) -> Step {
    Step::Answer(Answer { content: vec![Piece::Text(text)], choice: None })
}

fn pick(language: Language, japanese: &'static str, english: &'static str) -> &'static str {
    if language == Language::En { english } else { japanese }
}

/// Formats the result of a call.
fn result_text(answered: &Answered, language: Language) -> String {
    let output = match &answered.outcome {
        Ok(output) => serde_json::from_str::<Value>(&output.structured).unwrap_or_default(),
        Err(failure) => return failure.message.clone(),
    };
    let books = output["books"].as_array().cloned().unwrap_or_default();
    let title = |entry: &Value| {
        let name = pick(language, "title", "english");
        entry[name].as_str().unwrap_or_default().to_owned()
    };
    let titles: Vec<_> = books.iter().map(title).collect();
    let (japanese, english) = match answered.call.tool.as_str() {
        "lend_book" => ("お貸ししました: ", "It is yours: "),
        "return_book" => ("お返しいただきました: ", "It is back: "),
        _ => ("あるのは: ", "There are: "),
    };
    format!("{}{}", pick(language, japanese, english), titles.join(pick(language, "、", ", ")))
}
