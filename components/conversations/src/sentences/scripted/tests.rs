//! What the built-in model says as an agent.

use language::{Language, trial::Talk, turn::Decision};
use serde_json::json;

use super::{By, LogEntry, Scene, ScriptedAgent, opening, with_introduction, without_introduction};

const TOOLS: &str = include_str!("../../../tools.json");

/// One agent, and the messages that it receives.
struct Agent {
    script: ScriptedAgent,
}

/// What it did.
#[derive(Debug, PartialEq)]
enum Did {
    LogEntry(String),
    Ended(String),
    Nothing,
}

fn says(text: &str) -> Did {
    Did::LogEntry(text.to_owned())
}

impl Agent {
    fn new(purpose: Option<&str>, is_initiator: bool, may_end: bool) -> Self {
        let (name, purpose) = ("Worker".to_owned(), purpose.map(str::to_owned));
        let scene = Scene { name, purpose, is_initiator, may_end };
        Self { script: ScriptedAgent { scene, log: Vec::new() } }
    }

    fn receive(&mut self, text: &str) -> &mut Self {
        self.received(By::Partner, text)
    }

    fn received(&mut self, by: By, text: &str) -> &mut Self {
        self.script.log.push(LogEntry { by, text: text.to_owned() });
        self
    }

    /// What it answers now; nothing is remembered but the messages.
    fn turn(&mut self) -> Did {
        let first = self.script.log.first().map(|it| it.text.clone());
        let text = self.script.scene.purpose.clone().or(first).unwrap_or_default();
        let language = Language::detect(&text);
        let mut talk = Talk::new(crate::sentences::next, TOOLS);
        (talk.language, talk.context) = (Some(language), Some(self.script.context(language)));
        let did = match talk.say("…") {
            Decision::Conclude(it) if it.text().is_empty() => Did::Nothing,
            Decision::Conclude(it) => Did::LogEntry(it.text()),
            Decision::Call(calls) => {
                assert_eq!(calls[0].name, "end_conversation");
                Did::Ended(calls[0].arguments["final_message"].as_str().unwrap().to_owned())
            }
        };
        assert!(talk.confidence > 0.9, "it speaks for itself");
        if let Did::LogEntry(text) | Did::Ended(text) = &did {
            self.script.log.push(LogEntry { by: By::Own, text: text.clone() });
        }
        did
    }
}

/// Lets two of them talk until one ends it; gives the messages.
fn talk(purpose: &str) -> Vec<String> {
    let mut both = [Agent::new(Some(purpose), true, true), Agent::new(Some(purpose), false, true)];
    let mut all = Vec::new();
    for turn in 0..200 {
        let did = both[turn % 2].turn();
        let (Did::LogEntry(text) | Did::Ended(text)) = &did else {
            panic!("{did:?} after {all:?}")
        };
        all.push(text.clone());
        if let Did::Ended(_) = did {
            return all;
        }
        both[(turn + 1) % 2].receive(text);
    }
    panic!("it does not end: {all:?}");
}

#[test]
fn two_built_in_agents_play_the_specified_game() {
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
fn end_after_a_losing_word_has_its_reason() {
    let mut agent = Agent::new(Some("しりとりを1ターン"), true, true);
    agent.turn();
    agent.receive("ごはん");
    let reasons = |word: &str| {
        let log = vec![
            LogEntry { by: By::Own, text: "しりとりをしましょう。りんご".to_owned() },
            LogEntry { by: By::Partner, text: word.to_owned() },
        ];
        let script = ScriptedAgent { log, ..agent.script.clone() };
        let mut talk = Talk::new(crate::sentences::next, TOOLS);
        (talk.language, talk.context) =
            (Some(Language::Japanese), Some(script.context(Language::Japanese)));
        let Decision::Call(calls) = talk.say("…") else { panic!("it ends") };
        assert_eq!(calls[0].arguments["final_message"], "1ターン完了。終了します");
        calls[0].arguments.get("reason_text").cloned()
    };
    let reason = "「ごはん」は「ん」で終わり、続く言葉がありません（言ったほうの負け）";
    assert_eq!(reasons("ごはん"), Some(json!(reason)));
    assert_eq!(reasons("ごりら"), None);
}

#[test]
fn long_game_keeps_named_rounds_and_repeats_no_word() {
    assert_eq!(talk("しりとりを3往復").len(), 7);
    assert_eq!(talk("２ターンのしりとり").last().unwrap(), "2ターン完了。終了します");
    assert_eq!(talk("しりとり 十回").len(), 21);
    let mut messages = talk("しりとりを50ターン");
    assert!(messages.len() > 40, "{messages:?}");
    messages.pop();
    let all = messages.len();
    messages.sort();
    messages.dedup();
    assert_eq!(messages.len(), all);
}

#[test]
fn plays_word_chain_in_english() {
    let all = talk("a word chain, 4 rounds");
    assert_eq!(all[0], "Let's play a word chain. apple");
    assert_eq!((all.len(), all.last().unwrap().as_str()), (9, "4 rounds done. Ending here."));
    for pair in all[1..all.len() - 1].windows(2) {
        assert_eq!(pair[0].chars().last(), pair[1].chars().next(), "{all:?}");
    }
}

#[test]
fn finds_partner_word_within_message() {
    for (received, answer) in [
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
        assert_eq!(agent.receive(received).turn(), says(answer), "{received}");
    }
}

#[test]
fn reports_mistakes_and_gives_up_after_three() {
    let mut agent = Agent::new(Some("しりとり"), false, true);
    agent.receive("りんご").turn();
    let Did::LogEntry(text) = agent.receive("まくら").turn() else { panic!() };
    assert!(text.contains("「まくら」は「ら」から始まっていません"), "{text}");
    assert_eq!(agent.receive("らっぱ").turn(), says("ぱんだ"));
    let Did::LogEntry(text) = agent.receive("abc").turn() else { panic!() };
    assert!(text.contains("「だ」") && text.contains("ひらがな"), "{text}");
    assert_eq!(
        agent.receive("だいこん").turn(),
        Did::Ended(
            "「だいこん」は「ん」で終わったので、私の勝ちです。ありがとうございました。終了します"
                .to_owned()
        )
    );

    let mut agent = Agent::new(Some("しりとり"), false, true);
    agent.receive("ごま").turn();
    agent.receive("ごま").turn();
    agent.receive("ごま").turn();
    assert!(matches!(agent.receive("ごま").turn(), Did::Ended(_)));
}

#[test]
fn accepts_unknown_words_and_special_kana() {
    let mut agent = Agent::new(Some("しりとり"), false, true);
    assert_eq!(agent.receive("しりとりをしましょう。まほうしょうじょ").turn(), says("よる"));
    assert_eq!(agent.receive("るーれっと").turn(), says("とり"));
    assert_eq!(agent.receive("りこーだー").turn(), says("だちょう"));
}

#[test]
fn person_plays_in_chat_and_goes_on_after_game() {
    let mut agent = Agent::new(None, false, false);
    assert_eq!(agent.receive("しりとりをしよう。りんご").turn(), says("ごりら"));
    let Did::LogEntry(text) = agent.receive("らいおん").turn() else { panic!() };
    assert!(text.contains("私の勝ち"), "{text}");
    // What is asked then is for all that understand sentences.
    let context = agent.receive("明日の映画を教えて").script.context(Language::Japanese);
    assert_eq!(context["sentence"], json!({ "said": "明日の映画を教えて", "lead": "" }));
}

#[test]
fn ignores_third_party_message_in_game() {
    let mut agent = Agent::new(Some("しりとり"), false, true);
    agent.receive("りんご");
    agent.received(By::Other("operator".to_owned()), "がんばれ");
    assert_eq!(agent.turn(), says("ごりら"));
    agent.received(By::Other("operator".to_owned()), "らっぱ");
    assert_eq!(agent.turn(), Did::Nothing);
}

#[test]
fn initiator_asks_and_thanks() {
    let mut asks = Agent::new(Some("明日の映画"), true, true);
    let Did::LogEntry(question) = asks.turn() else { panic!() };
    assert_eq!(question, "内蔵モデルのWorkerです。明日の映画について教えてください。");
    assert_eq!(asks.turn(), Did::Nothing);
    let mut answers = Agent::new(Some("明日の映画"), false, true);
    let context = answers.receive(&question).script.context(Language::Japanese);
    let expected =
        json!({ "said": "明日の映画について教えてください。", "lead": "内蔵モデルのWorkerです。" });
    assert_eq!(context["sentence"], expected);
    assert!(matches!(asks.receive("羅生門です。").turn(), Did::Ended(_)));
}

#[test]
fn turns_purpose_into_question() {
    for (purpose, expected) in [
        ("明日の映画", "明日の映画について教えてください。"),
        ("明日の映画を聞く", "明日の映画について教えてください。"),
        ("東京駅から横浜駅まで何分ですか", "東京駅から横浜駅まで何分ですか"),
        ("明日の映画を教えてください", "明日の映画を教えてください"),
    ] {
        assert_eq!(opening(Some(purpose), Language::Japanese), expected);
    }
    let english = |it| opening(Some(it), Language::English);
    assert_eq!(english("tomorrow's films"), "Please tell me about tomorrow's films.");
    assert_eq!(english("Which films are on tomorrow"), "Which films are on tomorrow?");
    assert!(opening(None, Language::English).ends_with('?'));
    for language in [Language::Japanese, Language::English] {
        assert_eq!(
            without_introduction(&with_introduction("Worker", "やあ。です。", language)),
            "やあ。です。"
        );
    }
    assert_eq!(without_introduction("明日の映画は？"), "明日の映画は？");
}
