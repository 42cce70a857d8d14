//! What the built-in model says as an agent.

use serde_json::{Value, json};

use super::{By, Said, Scene, Talker};
use crate::{Answered, Decision, Language, Offer, Part, Task, ToolResult, Turn, builtin::tests};

/// One agent, and what it hears.
struct Agent {
    talker: Talker,
    log: Vec<Said>,
    offers: Vec<Offer>,
}

/// What it did.
#[derive(Debug, PartialEq)]
enum Did {
    Said(String),
    Ended(String),
    Called(String),
    Nothing,
}

fn said(text: &str) -> Did {
    Did::Said(text.to_owned())
}

impl Agent {
    fn new(purpose: Option<&str>, is_initiator: bool, may_end: bool) -> Self {
        let purpose = purpose.map(str::to_owned);
        let scene = Scene { name: "Worker".to_owned(), purpose, is_initiator, may_end };
        let end = json!({ "name": "end_conversation", "inputSchema": { "type": "object" } });
        let mut offers = tests::offers();
        offers.push(tests::offer(&end));
        offers.retain(|it| it.is_read_only || &*it.name == "end_conversation");
        Self { talker: Talker::resume(scene, &Value::Null), log: Vec::new(), offers }
    }

    fn hear(&mut self, text: &str) -> &mut Self {
        self.log.push(Said { by: By::Partner, text: text.to_owned() });
        self
    }

    /// What it says now; a new talker each time, because nothing is to be remembered.
    fn turn(&mut self) -> Did {
        self.talker = Talker::resume(self.talker.scene.clone(), &Value::Null);
        self.go(true, &[])
    }

    fn go(&mut self, is_first: bool, answered: &[Answered]) -> Did {
        self.talker.hear(&self.log);
        let purpose = self.talker.scene.purpose.clone();
        let text = purpose.or_else(|| self.log.first().map(|it| it.text.clone()));
        let text = text.unwrap_or_default();
        let task = Task {
            message: vec![Part::text("…")],
            history: Vec::new(),
            language: Language::of(&text),
            now: "2026-11-21T10:00:00+09:00".parse().unwrap(),
        };
        let offers = &self.offers;
        let turn = Turn { task: &task, is_first, offers, answered };
        let did = match self.talker.next(turn) {
            Decision::Conclude(it) if it.text().is_empty() => Did::Nothing,
            Decision::Conclude(it) => Did::Said(it.text()),
            Decision::Call(calls) if calls[0].name == "end_conversation" => {
                Did::Ended(calls[0].arguments["final_message"].as_str().unwrap().to_owned())
            }
            Decision::Call(calls) => {
                Did::Called(format!("{} {}", calls[0].name, json!(calls[0].arguments)))
            }
        };
        if let Did::Said(text) | Did::Ended(text) = &did {
            self.log.push(Said { by: By::Own, text: text.clone() });
        }
        did
    }
}

/// Lets two of them talk until one ends it; what was said.
fn talk(purpose: &str) -> Vec<String> {
    let mut both = [Agent::new(Some(purpose), true, true), Agent::new(Some(purpose), false, true)];
    let mut all = Vec::new();
    for turn in 0..200 {
        let did = both[turn % 2].turn();
        let (Did::Said(text) | Did::Ended(text)) = &did else { panic!("{did:?} after {all:?}") };
        all.push(text.clone());
        if let Did::Ended(_) = did {
            return all;
        }
        both[(turn + 1) % 2].hear(text);
    }
    panic!("it does not end: {all:?}");
}

#[test]
fn both_built_in_play_as_the_specification_does() {
    let played = [
        "しりとりをしましょう。りんご",
        "ごりら",
        "らっぱ",
        "ぱんだ",
        "だちょう",
        "うさぎ",
        "ぎんこう",
        "うま",
        "まくら",
        "らいおん",
        "5ターン完了。終了します",
    ];
    assert_eq!(talk("しりとり"), played, "CONV-100");
}

#[test]
fn a_purpose_may_name_the_rounds_and_a_long_game_repeats_nothing() {
    assert_eq!(talk("しりとりを3往復").len(), 7);
    assert_eq!(talk("２ターンのしりとり").last().unwrap(), "2ターン完了。終了します");
    assert_eq!(talk("しりとり 十回").len(), 21);
    let mut words = talk("しりとりを50ターン");
    assert!(words.len() > 40, "{words:?}");
    words.pop();
    let all = words.len();
    words.sort();
    words.dedup();
    assert_eq!(words.len(), all);
}

#[test]
fn in_english_it_is_a_chain_of_words() {
    let said = talk("a word chain, 4 rounds");
    assert_eq!(said[0], "Let's play a word chain. apple");
    assert_eq!((said.len(), said.last().unwrap().as_str()), (9, "4 rounds done. Ending here."));
    for pair in said[1..said.len() - 1].windows(2) {
        assert_eq!(pair[0].chars().last(), pair[1].chars().next(), "{said:?}");
    }
}

#[test]
fn a_partners_word_is_found_in_what_surrounds_it() {
    for (heard, answer) in [
        ("しりとりをしましょう。りんご", "ごりら"),
        ("しりとりをしましょう！最初は「りんご」です。", "ごりら"),
        ("では、りんごです！次はあなたの番です。", "ごりら"),
        ("リンゴ", "ごりら"),
        ("林檎", "ごりら"),
        ("こんにちは。しりとりですね。では、さくらで。", "らっぱ"),
        ("しりとりをお願いします。", "りんご"),
        ("ぱんだ", "だちょう"),
    ] {
        let mut agent = Agent::new(Some("しりとり"), false, true);
        assert_eq!(agent.hear(heard).turn(), said(answer), "{heard}");
    }
}

#[test]
fn mistakes_are_noticed_politely_and_not_for_ever() {
    let mut agent = Agent::new(Some("しりとり"), false, true);
    agent.hear("りんご").turn();
    let Did::Said(text) = agent.hear("まくら").turn() else { panic!() };
    assert!(text.contains("「まくら」は「ら」から始まっていません"), "{text}");
    assert_eq!(agent.hear("らっぱ").turn(), said("ぱんだ"));
    let Did::Said(text) = agent.hear("abc").turn() else { panic!() };
    assert!(text.contains("「だ」") && text.contains("ひらがな"), "{text}");
    assert_eq!(
        agent.hear("だいこん").turn(),
        Did::Ended(
            "「だいこん」は「ん」で終わったので、私の勝ちです。ありがとうございました。終了します"
                .to_owned()
        )
    );

    let mut agent = Agent::new(Some("しりとり"), false, true);
    agent.hear("ごま").turn();
    agent.hear("ごま").turn();
    agent.hear("ごま").turn();
    assert!(matches!(agent.hear("ごま").turn(), Did::Ended(_)));
}

#[test]
fn a_word_that_it_does_not_know_is_taken_and_small_kana_and_long_vowels_are_played_right() {
    let mut agent = Agent::new(Some("しりとり"), false, true);
    assert_eq!(agent.hear("しりとりをしましょう。まほうしょうじょ").turn(), said("よる"));
    assert_eq!(agent.hear("るーれっと").turn(), said("とり"));
    assert_eq!(agent.hear("りこーだー").turn(), said("だちょう"));
}

#[test]
fn a_person_plays_in_a_chat_and_talks_of_other_things_after_it() {
    let mut agent = Agent::new(None, false, false);
    assert_eq!(agent.hear("しりとりをしよう。りんご").turn(), said("ごりら"));
    let Did::Said(text) = agent.hear("らいおん").turn() else { panic!() };
    assert!(text.contains("私の勝ち"), "{text}");
    let Did::Called(call) = agent.hear("明日の映画を教えて").turn() else { panic!() };
    assert!(call.starts_with("list_movies ") && call.contains("2026-11-22"), "{call}");
}

#[test]
fn whoever_steps_in_does_not_disturb_a_game() {
    let mut agent = Agent::new(Some("しりとり"), false, true);
    agent.hear("りんご");
    agent.log.push(Said { by: By::Other("operator".to_owned()), text: "がんばれ".to_owned() });
    assert_eq!(agent.turn(), said("ごりら"));
    agent.log.push(Said { by: By::Other("operator".to_owned()), text: "らっぱ".to_owned() });
    assert_eq!(agent.turn(), Did::Nothing);
}

#[test]
fn whoever_was_sent_to_ask_asks_and_thanks_and_whoever_is_asked_answers_from_the_counter() {
    let mut asks = Agent::new(Some("明日の映画"), true, true);
    let Did::Said(question) = asks.turn() else { panic!() };
    assert_eq!(question, "内蔵モデルのWorkerです。明日の映画について教えてください。");
    assert_eq!(asks.turn(), Did::Nothing);

    let mut answers = Agent::new(Some("明日の映画"), false, true);
    let did = answers.hear(&question).turn();
    let Did::Called(call) = &did else { panic!("{did:?}") };
    assert!(call.starts_with("list_movies ") && call.contains("2026-11-22"), "{call}");
    assert!(!call.contains("title_query"), "who asks is no film: {call}");
    let films = json!({ "movies": [{ "movie_id": "m", "title": "羅生門", "description": "", "rating": 4.0 }] });
    let result = ToolResult::Output { structured: films, meta: json!({}), content: Vec::new() };
    let call = crate::ToolCall {
        id: "call-1".to_owned(),
        name: "list_movies".to_owned(),
        arguments: json!({ "date": "2026-11-22" }).as_object().unwrap().clone(),
        meta: Default::default(),
        reason: String::new(),
    };
    let Did::Said(answer) = answers.go(false, &[Answered { call, result }]) else { panic!() };
    assert!(
        answer.starts_with("内蔵モデルのWorkerです。") && answer.contains("羅生門"),
        "{answer}"
    );
    assert!(!answer.contains("内蔵プランナー"), "{answer}");
    assert!(matches!(asks.hear(&answer).turn(), Did::Ended(_)));
    let Did::Said(second) = answers.hear("ありがとう").turn() else { panic!() };
    assert!(!second.contains("内蔵"), "it says once who it is: {second}");
}
