//! Scripted agents: their questions are answered by the family that understands them, in the agent's name.

use conversations::sentences::{By, LogEntry, Scene, ScriptedAgent};
use language::{Language, turn::Decision};
use serde_json::json;

use super::{Talk, concluded, output};

/// Returns the chat and the decision of an agent that was asked `question`.
fn asked(question: &str, has_spoken: bool) -> (Talk, Decision) {
    let shown = |by, text: &str| LogEntry { by, text: text.to_owned() };
    let mut log = vec![shown(By::Partner, question)];
    if has_spoken {
        log.insert(0, shown(By::Own, "こんにちは。"));
    }
    let scene = Scene {
        name: "Worker".to_owned(),
        purpose: Some("明日の映画".to_owned()),
        is_initiator: false,
        may_end: true,
    };
    let mut talk = Talk::new();
    talk.context = Some(ScriptedAgent { scene, log }.context(Language::Japanese));
    talk.language = Some(Language::Japanese);
    let decision = talk.say("[worker-a]\n…");
    (talk, decision)
}

#[test]
fn agent_question_goes_to_the_family_that_understands() {
    let question = "内蔵モデルのOtherです。明日の映画について教えてください。";
    let (mut talk, decision) = asked(question, false);
    let Decision::Call(calls) = decision else { panic!("it calls nothing") };
    assert_eq!(calls[0].name, "list_movies");
    assert_eq!(calls[0].arguments["date"], "2026-11-22");
    assert!(!calls[0].arguments.contains_key("title_query"), "who asks is no film");
    let film = json!({ "movie_id": "m", "title": "羅生門", "description": "", "rating": 4.0 });
    let answer = concluded(&talk.back(&[output(json!({ "movies": [film] }))])).text();
    assert!(
        answer.starts_with("内蔵モデルのWorkerです。") && answer.contains("羅生門"),
        "{answer}"
    );
    assert!(!answer.contains("内蔵プランナー"), "{answer}");
}

#[test]
fn agent_introduces_itself_once() {
    let (_, decision) = asked("ありがとう", true);
    assert_eq!(concluded(&decision).text().trim(), "どういたしまして。");
}
