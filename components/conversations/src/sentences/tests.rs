//! Conversations between agents, asked for in a sentence.

use language::{
    trial::{self, FORM, call, concluded, output},
    turn::{Decision, Failure, ToolResult},
};
use serde_json::{Value, json};

mod named;

const TOOLS: &str = include_str!("../../tools.json");

/// A conversation in which agents that are not named are asked for.
fn new_talk() -> trial::Talk {
    let mut talk = trial::Talk::new(super::next, TOOLS);
    for offer in talk.offers.iter_mut().filter(|it| it.name == "begin_conversation") {
        offer.required = vec!["target_agent_id".to_owned()];
    }
    talk
}

/// A sentence, and who begins, with whom, about what; `-` is none.
const SENTENCES: &[(&str, &str, &str, &str)] = &[
    ("worker-aとworker-bでしりとりをして", "worker-a", "worker-b", "しりとり"),
    ("worker-aとworker-bにしりとりをさせてください", "worker-a", "worker-b", "しりとり"),
    ("しりとりをworker-bとworker-aでやってみて", "worker-b", "worker-a", "しりとり"),
    ("worker-aとworker-bで3往復のしりとり", "worker-a", "worker-b", "しりとり（3ターン）"),
    ("Let worker-a and worker-b play a word chain", "worker-a", "worker-b", "word chain"),
    (
        "Have worker-a and worker-b play shiritori for 3 rounds",
        "worker-a",
        "worker-b",
        "word chain (3 rounds)",
    ),
    ("worker-bに明日の映画を聞いて", "-", "worker-b", "明日の映画"),
    (
        "worker-bに、明日やっているアニメについて聞いてもらえますか",
        "-",
        "worker-b",
        "明日やっているアニメ",
    ),
    (
        "「worker-b」に東京駅から横浜駅まで何分かかるか聞いて",
        "-",
        "worker-b",
        "東京駅から横浜駅まで何分かかるか",
    ),
    ("worker-aからworker-bに明日の映画を聞いて", "worker-a", "worker-b", "明日の映画"),
    ("worker-bに明日の映画を聞いて、worker-aから", "worker-a", "worker-b", "-"),
    ("worker-aとworker-bを会話させて", "worker-a", "worker-b", "-"),
    ("worker-aとworker-bに「来月の企画」について議論させて", "worker-a", "worker-b", "来月の企画"),
    ("worker-aとworker-bで来月の企画について話し合って", "worker-a", "worker-b", "来月の企画"),
    ("エージェント research-1 に蒼晶竜のカードについて聞いて", "-", "research-1", "蒼晶竜のカード"),
    ("Ask worker-b about tomorrow's films", "-", "worker-b", "tomorrow's films"),
    (
        "Please ask worker-b which films are on tomorrow.",
        "-",
        "worker-b",
        "which films are on tomorrow",
    ),
    ("Have worker-a ask worker-b about the red cards", "worker-a", "worker-b", "the red cards"),
    (
        "Start a conversation between worker-a and worker-b about the budget",
        "worker-a",
        "worker-b",
        "the budget",
    ),
    ("Let worker-a and worker-b talk to each other", "worker-a", "worker-b", "-"),
    ("worker-a と worker-b に相談させて", "worker-a", "worker-b", "-"),
    ("worker-aに映画を予約させて", "-", "worker-a", "映画を予約"),
    ("worker-aに資料を翻訳してもらって", "-", "worker-a", "資料を翻訳"),
    ("worker-aにランチの案を出させて", "-", "worker-a", "ランチの案"),
    ("仕事以外の話をworker-aとworker-bにさせて", "worker-a", "worker-b", "仕事以外の話"),
    (
        "have worker-a and worker-b talk, but not about work",
        "worker-a",
        "worker-b",
        "not about work",
    ),
    ("worker-aとworker-bに羅生門の感想を語らせて", "worker-a", "worker-b", "羅生門の感想"),
    ("start a talk between worker-a and hanako about lunch", "worker-a", "hanako", "lunch"),
    ("Start a conversation between Hanako and worker-a.", "Hanako", "worker-a", "-"),
    ("Start a conversation between Alice and Bob about pricing", "Alice", "Bob", "pricing"),
    ("let worker-a talk with hanako about films", "worker-a", "hanako", "films"),
    ("worker-aとhanakoで昼ごはんについて話して", "worker-a", "hanako", "昼ごはん"),
    ("花子とworker-aに会話させて", "花子", "worker-a", "-"),
    ("worker-aさんと花子さんに旅行の話をさせて", "worker-a", "花子", "旅行"),
    ("worker-aと花子に旅行の話をさせて", "worker-a", "花子", "旅行"),
    ("worker-aとAIについて話して", "-", "worker-a", "AI"),
    ("worker-aとworker-b、AIについて議論させて", "worker-a", "worker-b", "AI"),
    ("worker-aと日本語で話して", "-", "worker-a", "日本語"),
    ("chat with worker-a about cats and dogs", "-", "worker-a", "cats and dogs"),
    ("worker-aと旅行の話をして", "-", "worker-a", "旅行"),
    ("let worker-a talk about how to cook", "-", "worker-a", "how to cook"),
    ("talk to worker-a about films with subtitles", "-", "worker-a", "films with subtitles"),
];

/// Sentences that begin nothing.
const NOTHING: &[&str] = &[
    "worker-aとworker-bにしりとりをさせないで",
    "エージェント同士で会話させないで",
    "Don't let worker-a and worker-b talk to each other",
    "worker-aって誰？",
    "しりとりをしよう",
    "I'd like a blue-themed t-shirt",
    "会話ID c-1",
    "今どのエージェントが会話してる？",
    "どのエージェント同士が議論していますか",
    "Let's talk about the difference between cats and dogs",
    "Make a form to sign up for the debate between Alice and Bob",
];

#[test]
fn reads_agents_and_topic() {
    let mut wrong = Vec::new();
    for (sentence, initiator, target, purpose) in SENTENCES {
        let decided = new_talk().say(sentence);
        let Decision::Call(calls) = &decided else {
            wrong.push(format!("{sentence}: {decided:?}"));
            continue;
        };
        let arguments = &calls[0].arguments;
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or("-");
        let found = (text("initiator_agent_id"), text("target_agent_id"), text("purpose"));
        // What stands before a name is not looked at for a topic.
        let is_right = calls[0].name == "begin_conversation"
            && (found.0, found.1) == (*initiator, *target)
            && (found.2 == *purpose || sentence.ends_with("から"));
        if !is_right {
            wrong.push(format!("{sentence}: {} {found:?}", calls[0].name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn begins_nothing_without_an_order() {
    for sentence in NOTHING {
        if let Decision::Call(calls) = new_talk().say(sentence) {
            assert_ne!(calls[0].name, "begin_conversation", "{sentence}");
        }
    }
}

#[test]
fn answers_with_started_conversation_and_page() {
    let mut talk = new_talk();
    talk.say("worker-aとworker-bでしりとりをして");
    let members = json!([{ "agent_id": "worker-a" }, { "agent_id": "worker-b" }]);
    let conversation = json!({ "conversation": { "members": members, "purpose": "しりとり" } });
    let text = concluded(&talk.back(&[output(conversation)])).text();
    assert!(
        text.contains("worker-aとworker-bの会話「しりとり」") && text.contains("見られ"),
        "{text}"
    );

    let mut talk = new_talk();
    talk.say("Ask worker-z about tomorrow's films");
    let failure = Failure::new("agent_not_found", 404, "There is no such agent.");
    let text = concluded(&talk.back(&[ToolResult::Failed(failure)])).text();
    assert!(text.contains("no such agent"), "{text}");
}

#[test]
fn writes_later_message_into_begun_conversation() {
    let mut talk = new_talk();
    talk.say("start a talk between worker-a and worker-b about the weekend menu");
    let begun = json!({ "conversation": { "conversation_id": "conv_7", "members": [] } });
    talk.back(&[output(begun)]);
    let expected =
        |text: &str| ("write_message", json!({ "conversation_id": "conv_7", "content": text }));
    let decided = talk.say("let both know that one guest is vegan");
    assert_eq!(call(&decided), expected("one guest is vegan"));
    talk.back(&[output(json!({}))]);
    assert_eq!(call(&talk.say("二人に「塩は少なめ」と伝えて")), expected("塩は少なめ"));
}

#[test]
fn waiting_message_goes_to_agent_named_last() {
    for (first, later) in [
        ("worker-aに「明日は休み」と伝えて", "間違えた、worker-bに"),
        ("tell worker-a \"no work tomorrow\"", "sorry, to worker-b"),
    ] {
        let nothing = output(json!({ "conversations": [] }));
        let mut talk = new_talk().after(first, std::slice::from_ref(&nothing));
        let next = talk.say(later);
        assert_eq!(call(&next), ("list_conversations", json!({ "agent_id": "worker-b" })));
        let next = talk.back(&[nothing]);
        assert!(format!("{next:?}").contains("worker-b"), "{later}: {next:?}");
    }
    // What another order begins is no message.
    let mut talk = new_talk();
    talk.say("worker-aに「明日は休み」と伝えて");
    assert_eq!(call(&talk.say("worker-bとworker-cで話して")).0, "begin_conversation");
}

#[test]
fn sends_message_once_project_is_found() {
    let mut talk = new_talk();
    let decided = talk.say("tell worker-z that the meeting moved to 3pm");
    assert_eq!(call(&decided), ("list_conversations", json!({ "agent_id": "worker-z" })));
    let decided = talk.back(&[output(json!({ "conversations": [] }))]);
    assert_eq!(call(&decided).0, FORM);
    let expected = json!({
        "project_id": "demo", "agent_id": "worker-z", "content": "the meeting moved to 3pm",
    });
    assert_eq!(call(&talk.say(r#"{"project_id": "demo"}"#)), ("send_chat", expected));
}

#[test]
fn sets_turns_before_approval() {
    for (first, later, expected) in [
        ("worker-aとworker-bにしりとりをさせて", "やっぱり3往復で", json!("しりとり（3ターン）")),
        (
            "Let worker-a and worker-b play a word chain",
            "make it 3 rounds",
            json!("word chain (3 rounds)"),
        ),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["purpose"]), ("begin_conversation", &expected), "{later}");
    }
    let mut talk = new_talk();
    talk.say("Let worker-a and worker-b discuss the menu");
    let (_, arguments) = call(&talk.say("only 3 rounds please"));
    assert_eq!(arguments["max_turns"], 3);
    let (_, arguments) = call(&talk.say("actually 6"));
    assert_eq!(arguments["max_turns"], 6);
    let (_, arguments) = call(&talk.say("and worker-b should start"));
    let found = (&arguments["initiator_agent_id"], &arguments["target_agent_id"]);
    assert_eq!(found, (&json!("worker-b"), &json!("worker-a")));
    assert_eq!((&arguments["purpose"], &arguments["max_turns"]), (&json!("the menu"), &json!(6)));
}

/// A person for whom worker-a and worker-b have begun to talk.
fn begun(sentence: &str) -> trial::Talk {
    new_talk().after(
        sentence,
        &[output(json!({ "conversation": { "conversation_id": "conv_7", "members": [] } }))],
    )
}

const CHAINS: [&str; 2] =
    ["Let worker-a and worker-b play a word chain", "worker-aとworker-bでしりとりをして"];

#[test]
fn reads_begun_conversation_for_progress_question() {
    for (chain, asked) in [
        (CHAINS[0], "how is it going?"),
        (CHAINS[0], "how's it going?"),
        (CHAINS[0], "What did they say?"),
        (CHAINS[0], "Is it finished?"),
        (CHAINS[0], "show me the conversation"),
        (CHAINS[0], "what was the last word?"),
        (CHAINS[0], "has anyone said anything?"),
        (CHAINS[0], "who is winning?"),
        (CHAINS[1], "最後の発言は？"),
        (CHAINS[1], "誰が勝ってる？"),
        (CHAINS[1], "進んでる？"),
        (CHAINS[1], "何を話した？"),
        (CHAINS[1], "もう終わった？"),
        (CHAINS[1], "進み具合は？"),
        (CHAINS[1], "どんな様子？ どうなってる？"),
    ] {
        let mut talk = begun(chain);
        let expected = ("get_conversation", json!({ "conversation_id": "conv_7" }));
        assert_eq!(call(&talk.say(asked)), expected, "{asked}");
        assert!(talk.confidence > 0.8, "{asked}");
    }
    let mut talk = new_talk();
    talk.say("Is it finished?");
    assert!(talk.confidence < 0.3, "where none was begun");
}

#[test]
fn stops_and_writes_to_paused_conversation_by_id() {
    for (chain, pause, later, tool) in [
        (CHAINS[0], "pause it", "end it", "stop_conversation"),
        (CHAINS[0], "pause it", "tell them to use only animals", "write_message"),
        (CHAINS[1], "一時停止して", "終わらせて", "stop_conversation"),
        (CHAINS[1], "一時停止して", "動物だけを使うように言って", "write_message"),
    ] {
        let mut talk = begun(chain);
        let decided = talk.say(pause);
        let paused = json!({ "conversation_id": "conv_7", "paused": true });
        assert_eq!(call(&decided), ("pause_conversation", paused));
        talk.back(&[output(json!({}))]);
        let decided = talk.say(later);
        let (called, arguments) = call(&decided);
        assert_eq!((called, &arguments["conversation_id"]), (tool, &json!("conv_7")), "{later}");
        let content = match later.is_ascii() {
            true => "use only animals",
            false => "動物だけを使うように",
        };
        assert!(tool != "write_message" || arguments["content"] == content, "{arguments}");
    }
}

#[test]
fn sends_message_named_before_or_after_agent() {
    for (sentence, content) in [
        ("Send worker-a the message \"hello\"", "hello"),
        ("Send \"hello there\" to worker-a", "hello there"),
        ("Send a message to worker-a: lunch is at noon", "lunch is at noon"),
        ("Write worker-a that lunch is at noon", "lunch is at noon"),
        ("worker-aに「こんにちは」と送って", "こんにちは"),
    ] {
        let mut talk = new_talk();
        let decided = talk.say(sentence);
        assert_eq!(call(&decided).0, "list_conversations", "{sentence}");
        let members = json!([{ "agent_id": "worker-a" }]);
        let talks = json!({ "conversations": [{ "project_id": "demo", "members": members }] });
        let decided = talk.back(&[output(talks)]);
        let expected = json!({ "project_id": "demo", "agent_id": "worker-a", "content": content });
        assert_eq!(call(&decided), ("send_chat", expected));
        talk.back(&[output(json!({}))]);
        let asked =
            if content == "こんにちは" { "返事は来た？" } else { "did it answer?" };
        let text = concluded(&talk.say(asked)).text();
        assert!(text.contains("worker-a") && talk.confidence > 0.5, "{text}");
    }
}

#[test]
fn short_order_stops_or_resumes_begun_conversation() {
    for (chain, order, tool, paused) in [
        (CHAINS[0], "kill it", "stop_conversation", json!(null)),
        (CHAINS[0], "ok stop now please", "stop_conversation", json!(null)),
        (CHAINS[0], "continue", "pause_conversation", json!(false)),
        (CHAINS[0], "please carry on", "pause_conversation", json!(false)),
        (CHAINS[1], "ストップ", "stop_conversation", json!(null)),
        (CHAINS[1], "再開", "pause_conversation", json!(false)),
        (CHAINS[1], "じゃあ続けて", "pause_conversation", json!(false)),
    ] {
        let mut talk = begun(chain);
        let next = talk.say(order);
        let (called, arguments) = call(&next);
        assert_eq!((called, &arguments["conversation_id"]), (tool, &json!("conv_7")), "{order}");
        assert_eq!(arguments["paused"], paused, "{order}");
    }
    for order in ["continue", "再開", "stop"] {
        let mut talk = new_talk();
        talk.say(order);
        assert!(talk.confidence < 0.3, "where none was begun: {order}");
    }
}

#[test]
fn changes_topic_before_approval() {
    for (first, later, purpose) in [
        (
            "let worker-a talk to worker-b about cooking",
            "ok do it but about movies instead",
            "movies",
        ),
        (
            "let worker-a talk to worker-b about cooking",
            "actually, about sailing please",
            "sailing",
        ),
        ("let worker-a talk to worker-b about cooking", "no, make it about old maps", "old maps"),
        ("worker-aとworker-bに料理について話させて", "やっぱり映画の話で", "映画"),
        ("worker-aとworker-bに料理について話させて", "じゃあ旅行についてでお願い", "旅行"),
        ("worker-aとworker-bに料理について話させて", "やっぱりworker-aとworker-cで", "料理"),
        ("let worker-a talk to worker-b about cooking", "no, worker-a and worker-c", "cooking"),
        ("let worker-a talk to worker-b about cooking", "with worker-c instead", "cooking"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let denied = Failure::new("not_allowed", 403, "The person did not allow this call.");
        let text = concluded(&talk.back(&[ToolResult::Failed(denied)])).text();
        assert!(!text.contains("this call"), "{text}");
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!(
            (tool, &arguments["purpose"]),
            ("begin_conversation", &json!(purpose)),
            "{later}"
        );
    }
}

#[test]
fn seats_on_hold_pause_no_conversation() {
    for sentence in ["put two seats for Ikiru on hold for me", "keep my call on hold"] {
        let mut talk = new_talk();
        talk.say(sentence);
        assert!(talk.confidence < 0.5, "{sentence}: {}", talk.confidence);
    }
    let mut talk = begun(CHAINS[0]);
    assert_eq!(call(&talk.say("put it on hold")).0, "pause_conversation");
}

#[test]
fn list_marks_paused_conversations() {
    let mut talk = new_talk();
    talk.say("Which conversations are running?");
    let members = json!([{ "agent_id": "a" }, { "agent_id": "b" }]);
    let one = json!({
        "conversation_id": "conv_1", "state": "active", "paused_at": "2026-11-21T10:00:00Z",
        "purpose": "trains", "members": members,
    });
    let other = json!({ "conversation_id": "conv_2", "state": "active", "members": members });
    let text = concluded(&talk.back(&[output(json!({ "conversations": [one, other] }))])).text();
    assert!(text.contains("a and b: \"trains\" (paused) conv_1"), "{text}");
    assert!(text.contains("a and b (running) conv_2"), "{text}");
}

#[test]
fn asks_same_question_of_another_agent() {
    for (first, later, target, purpose) in [
        (
            "ask worker-a what a tram is",
            "thanks! now ask worker-b the same",
            "worker-b",
            "what a tram is",
        ),
        ("ask worker-a about trains", "ask worker-b the same question", "worker-b", "trains"),
    ] {
        let mut talk = new_talk();
        let next = talk.say(first);
        let before = call(&next).1["purpose"].clone();
        assert!(before.as_str().unwrap().contains(purpose), "{before}");
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "begin_conversation", "{later}");
        assert_eq!(
            (&arguments["target_agent_id"], &arguments["purpose"]),
            (&json!(target), &before)
        );
    }
}

/// A person to whom two conversations were listed that have ended.
fn listed(sentence: &str) -> trial::Talk {
    let mut talk = new_talk();
    talk.say(sentence);
    let members = json!([{ "agent_id": "worker-c" }, { "agent_id": "worker-d" }]);
    let talks: Vec<Value> = ["conv_1", "conv_2"]
        .iter()
        .map(|id| json!({ "conversation_id": id, "state": "ended", "members": members }))
        .collect();
    talk.back(&[output(json!({ "conversations": talks }))]);
    talk
}

#[test]
fn reads_listed_conversation_by_number() {
    for (first, later) in [
        ("list conversations", "show number 2"),
        ("list conversations", "a summary of #2 please"),
        ("会話の一覧", "2番を見せて"),
        ("会話の一覧", "２番目の要約"),
        ("会話の一覧", "二つ目の内容を教えて"),
    ] {
        let mut talk = listed(first);
        assert_eq!(call(&talk.say(later)).0, "list_conversations", "{later}");
        let talks = ["conv_1", "conv_2"];
        let talks = talks.map(|id| json!({ "conversation_id": id, "members": [] }));
        let next = talk.back(&[output(json!({ "conversations": talks }))]);
        let expected = ("get_conversation", json!({ "conversation_id": "conv_2" }));
        assert_eq!(call(&next), expected, "{later}");
    }
}

#[test]
fn listed_agents_talk_by_their_numbers() {
    for (first, later) in [
        ("エージェントは誰がいますか？", "1番と2番で雑談させて"),
        ("エージェントは誰がいますか？", "１番と２番に旅行について話し合ってもらって"),
        ("Which agents are there?", "let 1 and 2 chat"),
        ("Which agents are there?", "have number 1 talk to number 2 about trains"),
    ] {
        let next = listed(first).say(later);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "begin_conversation", "{later}");
        let found = (&arguments["initiator_agent_id"], &arguments["target_agent_id"]);
        assert_eq!(found, (&json!("worker-c"), &json!("worker-d")), "{later}");
    }
    // What is counted otherwise is no agent.
    let mut talk = listed("Which agents are there?");
    talk.say("book 1 and 2");
    assert!(talk.confidence < 0.3);
}

#[test]
fn ends_or_sums_up_begun_conversation() {
    for (chain, later, tool) in [
        (CHAINS[0], "end that conversation", "stop_conversation"),
        (CHAINS[0], "finish the conversation please", "stop_conversation"),
        (CHAINS[0], "sum it up", "get_conversation"),
        (CHAINS[1], "要約して", "get_conversation"),
    ] {
        assert_eq!(call(&begun(chain).say(later)).0, tool, "{later}");
    }
    // What the agents are told is a message.
    let told = begun(CHAINS[0]).say("tell them to end the conversation");
    assert_eq!(call(&told).0, "write_message");
    let asked = new_talk().say("please end the conversation");
    assert_eq!(call(&asked).0, "list_conversations");
}

#[test]
fn sends_same_message_to_another_agent() {
    for (first, later, text) in [
        (
            "tell worker-a that the meeting moved to 3pm",
            "and tell worker-b too",
            "the meeting moved to 3pm",
        ),
        (
            "tell worker-a that the meeting moved to 3pm",
            "tell worker-b the same",
            "the meeting moved to 3pm",
        ),
        ("worker-aに会議は3時だと伝えて", "worker-bにも同じの", "会議は3時だ"),
        ("worker-aに会議は3時だと伝えて", "worker-bにも伝えて", "会議は3時だ"),
    ] {
        let mut talk = new_talk();
        let members = json!([{ "agent_id": "worker-a" }, { "agent_id": "worker-b" }]);
        let known =
            output(json!({ "conversations": [{ "project_id": "demo", "members": members }] }));
        for sentence in [first, later] {
            talk.say(sentence);
            talk.back(std::slice::from_ref(&known));
        }
        let sent = &talk.last[0];
        assert_eq!(sent.name, "send_chat", "{later}");
        let found = (&sent.arguments["agent_id"], &sent.arguments["content"]);
        assert_eq!(found, (&json!("worker-b"), &json!(text)), "{later}");
    }
}

#[test]
fn asks_for_missing_message() {
    for (first, later) in [
        ("worker-aにメッセージ送りたい", "「10時集合」って"),
        ("worker-aに連絡したいんだけど", "10時集合と伝えて"),
        ("send worker-a a message", "10時集合"),
        ("write to worker-a", r#"{"content": "10時集合"}"#),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(first)).0, FORM, "{first}");
        talk.say_instead(later);
        let members = json!([{ "agent_id": "worker-a" }]);
        let known = json!({ "conversations": [{ "project_id": "demo", "members": members }] });
        let next = talk.back(&[output(known)]);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["content"]), ("send_chat", &json!("10時集合")), "{first}");
    }
}

#[test]
fn reports_number_beyond_list() {
    for (later, told) in [
        ("１２番の会話を見せて", "12番目の会話はありません"),
        ("show number 12", "no conversation number 12"),
    ] {
        let first = if later.is_ascii() { "list conversations" } else { "会話の一覧" };
        let mut talk = listed(first);
        talk.say(later);
        let talks = ["conv_1", "conv_2"];
        let talks = talks.map(|id| json!({ "conversation_id": id, "members": [] }));
        let text = concluded(&talk.back(&[output(json!({ "conversations": talks }))])).text();
        assert!(text.contains(told) && !text.contains("止めて"), "{later}: {text}");
    }
}

#[test]
fn understands_questions_about_agents() {
    for sentence in ["who are the agents here", "who are my agents?", "which agents are there?"] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_conversations", "{sentence}");
        assert!(talk.confidence > 0.8, "{sentence}");
    }
}

#[test]
fn summary_request_ends_no_conversation() {
    for sentence in ["まとめて", "ここまでまとめて", "sum it up"] {
        let mut talk = new_talk();
        talk.say("worker-aとworker-bでしりとりをして");
        let begun = json!({ "conversation": { "conversation_id": "conv_1", "status": "active" } });
        talk.back(&[output(begun)]);
        assert_eq!(call(&talk.say(sentence)).0, "get_conversation", "{sentence}");
    }
}

#[test]
fn sums_up_nothing_before_a_conversation() {
    for sentence in [
        "sum up our conversation so far please",
        "Summarize the conversation",
        "give me a recap of our chat",
        "これまでの会話を要約して",
        "今までの話をまとめて",
    ] {
        let mut talk = new_talk();
        let text = concluded(&talk.say(sentence)).text();
        assert!(
            text.contains("要約はできません") || text.contains("cannot sum up"),
            "{sentence}: {text}"
        );
    }
}

#[test]
fn question_about_agents_begins_nothing() {
    for sentence in [
        "which agents can talk to each other?",
        "what agents can discuss films?",
        "can the agents talk about lunch?",
        "do agents talk with each other?",
        "how do agents talk to each other?",
        "どのエージェントが話し合えるの？",
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_conversations", "{sentence}");
    }
    for sentence in [
        "what happens if I have worker-a and worker-b talk about lunch?",
        "worker-aとworker-bを会話させるとどうなる？",
        "worker-aに話しかけるとどうなるの？",
        "what happens if I stop the conversation?",
        "会話を終わらせるとどうなる？",
    ] {
        let next = new_talk().say(sentence);
        let text = concluded(&next).text();
        let nothing = ["Nothing was done", "まだ何もしていません"];
        assert!(nothing.iter().any(|it| text.contains(it)), "{sentence}: {text}");
    }
}

#[test]
fn denied_conversation_is_reported_as_not_done() {
    for later in ["did they talk?", "did you start it?", "始めた？", "もう話した？"] {
        let mut talk = new_talk().after(
            "worker-aとworker-bで昼ご飯について話して",
            &[ToolResult::Failed(Failure::new("not_allowed", 403, "Not allowed."))],
        );
        let text = concluded(&talk.say(later)).text();
        assert!(text.contains("not done") || text.contains("行っていません"), "{later}: {text}");
    }
}

#[test]
fn the_topic_of_a_talk_that_waits_is_changed() {
    for (first, later, purpose) in [
        (
            "Begin a talk between worker-a and worker-b on space",
            "change the topic to deep sea",
            "deep sea",
        ),
        ("worker-aとworker-bで宇宙について話させて", "テーマは深海にして", "深海"),
        ("worker-aとworker-bで宇宙について話させて", "テーマは深海に変えて", "深海"),
        ("worker-aとworker-bで宇宙について話させて", "やっぱり深海の話で", "深海"),
        ("worker-aとworker-bでしりとりをして", "お題は動物", "しりとり: 動物"),
        ("worker-aとworker-bでしりとりをして", "やっぱり旅行の話で", "旅行"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let next = talk.say_instead(later);
        let (tool, arguments) = call(&next);
        assert_eq!(
            (tool, &arguments["purpose"]),
            ("begin_conversation", &json!(purpose)),
            "{later}"
        );
    }
    for later in
        ["what is the topic?", "changes of topic are fine", "the topic", "深海魚って何？", "話題"]
    {
        let mut talk = new_talk();
        talk.say("Begin a talk between worker-a and worker-b on space");
        assert!(!matches!(talk.say_instead(later), Decision::Call(_)), "{later}");
    }
}

#[test]
fn a_remark_about_the_topic_is_no_topic() {
    for later in [
        "テーマはそのままで",
        "テーマは何ですか",
        "テーマは何だった",
        "内容は大丈夫です",
        "内容は変えないで",
        "テーマはこれでいいです",
        "テーマはOKです",
        "the topic is fine, go ahead",
        "the topic is good",
        "don't change the topic to cats",
    ] {
        let mut talk = new_talk();
        talk.say("worker-aとworker-bで宇宙について話させて");
        let next = talk.say_instead(later);
        if let Decision::Call(calls) = &next {
            assert_eq!(calls[0].arguments["purpose"], "宇宙", "{later}");
        }
    }
    for later in ["テーマは深海に変更して", "話題は深海に変えてください", "テーマは深海がいい"]
    {
        let mut talk = new_talk();
        talk.say("worker-aとworker-bで宇宙について話させて");
        let next = talk.say_instead(later);
        let (_, arguments) = call(&next);
        let purpose = arguments["purpose"].as_str().unwrap_or_default();
        assert!(purpose.starts_with("深海"), "{later}: {purpose}");
    }
}
