//! Sentences that take something back, go on from an end, or are no request, with all families.

use language::turn::ToolCall;

use super::{Talk, house::follow};

fn tools(calls: &[ToolCall]) -> Vec<&str> {
    calls.iter().map(|it| it.name.as_str()).collect()
}

/// The tools of the last of `sentences`, and its answer.
fn last(sentences: &[&str]) -> (Vec<String>, String) {
    let mut talk = Talk::new();
    let mut outcome = None;
    for sentence in sentences {
        outcome = Some(follow(&mut talk, sentence));
    }
    let outcome = outcome.unwrap();
    (tools(&outcome.calls).into_iter().map(str::to_owned).collect(), outcome.text)
}

#[test]
fn last_change_is_taken_back_after_thanks() {
    for sentences in [
        &["渋谷から新宿まで", "歩いて", "ありがとう", "元に戻して"][..],
        &["from Shibuya to Shinjuku", "on foot", "thanks", "undo"],
        &["from Shibuya to Shinjuku", "on foot", "cheers!", "I liked the previous one better"],
    ] {
        let (tools, text) = last(sentences);
        assert_eq!(tools, ["route_search"], "{sentences:?}: {text}");
    }
    for sentences in [
        &["青いカードを3枚見せて", "元に戻して"][..],
        &["show me 2 blue cards", "thanks", "undo"],
        &["from Shibuya to Shinjuku", "undo"],
    ] {
        let (tools, text) = last(sentences);
        let is_told = text.contains("まだ何もして") || text.contains("Nothing was done");
        assert!(tools.is_empty() && is_told, "{sentences:?}: {text}");
    }
}

#[test]
fn danger_and_other_languages_are_answered_at_once() {
    for (sentence, told) in [
        ("助けて！火事です", "119番"),
        ("the house is on fire, how do I get to the fire station?", "119"),
        ("Someone is bleeding at the cinema", "119"),
        ("你能帮我吗", "日本語と英語"),
        ("¿Hablas español?", "English and Japanese only"),
        ("Bonjour, je voudrais aller de Shibuya à Ueno", "English and Japanese only"),
    ] {
        let (tools, text) = last(&[sentence]);
        assert!(tools.is_empty() && text.contains(told), "{sentence}: {text}");
    }
}

#[test]
fn tolls_of_a_new_route_are_no_films() {
    for sentence in
        ["六本木から横浜、高速代いくら？", "how much are the tolls from Shibuya to Yokohama?"]
    {
        let (tools, text) = last(&[sentence]);
        assert_eq!(tools, ["route_search"], "{sentence}: {text}");
    }
}
