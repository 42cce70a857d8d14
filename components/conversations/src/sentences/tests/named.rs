//! Names of agents as people write them, talks without names, and talks that none can have.

use language::turn::ToolCall;

use super::*;

#[test]
fn names_need_no_joint() {
    for (sentence, expected) in [
        ("ワーカーAとワーカーBで猫と犬どっちがいいか議論させて", ["worker-a", "worker-b"]),
        ("ワーカーＢからワーカーａに来月の企画を聞いて", ["worker-b", "worker-a"]),
        ("let worker a and worker b debate cats vs dogs", ["worker-a", "worker-b"]),
        ("Worker B and Worker A should talk about tea", ["worker-b", "worker-a"]),
        ("have workerA and workerC discuss lunch", ["worker-a", "worker-c"]),
    ] {
        let next = new_talk().say(sentence);
        let (tool, arguments) = call(&next);
        let members = [&arguments["initiator_agent_id"], &arguments["target_agent_id"]];
        assert_eq!(
            (tool, members.map(|it| it.as_str().unwrap())),
            ("begin_conversation", expected)
        );
    }
}

#[test]
fn article_is_no_part_of_a_name() {
    for sentence in
        ["tell the worker a story", "is every worker i see here busy?", "ワーカー2人を見せて"]
    {
        let next = new_talk().say(sentence);
        let calls = match next {
            Decision::Call(calls) => calls,
            Decision::Conclude(_) => Vec::new(),
        };
        let is_named = |it: &ToolCall| format!("{:?}", it.arguments).contains("worker-");
        assert!(!calls.iter().any(is_named), "{sentence}: {calls:?}");
    }
}

#[test]
fn capitalized_subject_is_no_member() {
    for (sentence, topic) in
        [("worker-aとPythonで話して", "Python"), ("worker-bとExcelを話して", "Excel")]
    {
        let next = new_talk().say(sentence);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["purpose"]), ("begin_conversation", &json!(topic)));
        assert_eq!(arguments["initiator_agent_id"], Value::Null, "{sentence}");
    }
}

#[test]
fn talk_without_agents_asks_for_them() {
    for (sentence, topic) in [
        ("会話始めて。テーマは年末の旅行", json!("年末の旅行")),
        ("議論を始めて、お題はお昼ごはん", json!("お昼ごはん")),
        ("start a convo", Value::Null),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, FORM, "{sentence}");
        let next = talk.say(r#"{"target_agent_id": "worker-b"}"#);
        assert_eq!(call(&next).1["purpose"], topic, "{sentence}");
    }
}

#[test]
fn order_without_a_begun_talk_lists_those_that_run() {
    for sentence in ["ストップ", "再開", "stop now", "continue", "続けて"] {
        let next = new_talk().say(sentence);
        assert_eq!(call(&next), ("list_conversations", json!({ "state": "active" })), "{sentence}");
    }
}

#[test]
fn asks_who_may_talk() {
    for sentence in ["who's available to talk?", "誰が話すの？", "会話できるのは誰？"]
    {
        assert_eq!(call(&new_talk().say(sentence)).0, "list_conversations", "{sentence}");
    }
    for sentence in ["who talks in Akira?", "who will talk at the wedding?"] {
        let next = new_talk().say(sentence);
        assert!(matches!(next, Decision::Conclude(_)), "{sentence}: {next:?}");
    }
}

#[test]
fn purpose_keeps_what_each_agent_is_to_be() {
    for (sentence, expected) in [
        ("司会はworker-a、書記はworker-bで会議させて", "司会はworker-a、書記はworker-b"),
        (
            "worker-aとworker-bに「制服は必要か」を討論させて。aは賛成、bは反対",
            "制服は必要か（aは賛成、bは反対）",
        ),
        (
            "worker-aとworker-bで来月の企画について話し合って。worker-aは先生、worker-bは生徒として",
            "来月の企画（worker-aは先生、worker-bは生徒）",
        ),
        (
            "worker-a should argue for cats and worker-b for dogs, 8 turns",
            "worker-a should argue for cats and worker-b for dogs",
        ),
        ("worker-aは猫派、worker-bは犬派で議論させて", "worker-aは猫派、worker-bは犬派"),
        ("worker-a should interview worker-b about tea", "tea"),
        ("worker-aとworker-bで来月の企画について話し合って", "来月の企画"),
        ("worker-aとworker-bで会議を短くする方法を話して", "会議を短くする方法"),
        ("worker-aとworker-bで会議をする意味を議論して", "会議をする意味"),
        ("worker-aとworker-bで予算会議をして", "予算"),
    ] {
        let next = new_talk().say(sentence);
        let (tool, arguments) = call(&next);
        let purpose = arguments["purpose"].as_str().unwrap_or_default();
        assert_eq!((tool, purpose), ("begin_conversation", expected), "{sentence}");
    }
}

#[test]
fn asks_for_agents_that_the_tool_needs() {
    let mut talk = new_talk();
    let decided = talk.say("エージェント同士でしりとりをさせて");
    assert_eq!(call(&decided).0, FORM);
    let decided = talk.say(r#"{"target_agent_id": "worker-b", "initiator_agent_id": ""}"#);
    let expected = json!({ "target_agent_id": "worker-b", "purpose": "しりとり" });
    assert_eq!(call(&decided), ("begin_conversation", expected));

    let mut talk = new_talk();
    for offer in talk.offers.iter_mut().filter(|it| it.name == "begin_conversation") {
        offer.arguments.clear();
        offer.required.clear();
    }
    let decided = talk.say("Let the agents play a word chain");
    assert_eq!(call(&decided), ("begin_conversation", json!({ "purpose": "word chain" })));
}

#[test]
fn refuses_agent_talking_to_itself() {
    for sentence in ["worker-aとworker-aで話して", "Let worker-a and worker-a talk"] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("別々") || text.contains("two different"), "{text}");
    }
}

#[test]
fn game_without_agents_asks_for_them() {
    for sentence in
        ["しりとりを始めて", "しりとりしようよ", "start a word chain", "let's play shiritori"]
    {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, FORM, "{sentence}");
    }
}

#[test]
fn ignores_fillers_as_topic() {
    for sentence in [
        "worker-a and worker-b then",
        "let worker-a and worker-b talk please",
        "worker-aとworker-bで話して、お願いします",
        "エージェント2人で会話させて",
    ] {
        let mut talk = new_talk();
        let decided = talk.say(sentence);
        let Decision::Call(calls) = &decided else { panic!("{sentence}: {decided:?}") };
        assert_eq!(calls[0].arguments.get("purpose"), None, "{sentence}");
    }
    let next = new_talk().say("let worker-a talk to worker-b for 12 turns about the weather");
    let arguments = call(&next).1;
    let found = (&arguments["purpose"], &arguments["max_turns"]);
    assert_eq!(found, (&json!("the weather"), &json!(12)));
}

#[test]
fn refuses_more_than_two_agents() {
    for sentence in [
        "エージェント１２人で会話させて",
        "12人のエージェントで議論させて",
        "have three agents talk about trains",
        "let worker-a, worker-b and worker-c talk",
        "エージェントを3人集めて会議させて",
        "get worker-a, worker-b and hanako chatting about the menu",
    ] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(
            text.contains("2つのエージェント") || text.contains("between two agents"),
            "{text}"
        );
    }
    assert_eq!(call(&new_talk().say("エージェント2人でしりとり")).0, FORM);
    // Who is talked about, or counted there, does not talk.
    for sentence in [
        "Let worker-a and worker-b talk about worker-c",
        "let worker-a and worker-b discuss how three agents share work",
        "worker-aとworker-bで、worker-cについて話して",
    ] {
        assert_eq!(call(&new_talk().say(sentence)).0, "begin_conversation", "{sentence}");
    }
}

#[test]
fn an_agent_does_not_talk_to_itself() {
    for sentence in
        ["have worker-a talk to worker-a about the budget", "worker-aとworker-aで話して"]
    {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("worker-a") && text.contains("worker-b"), "{sentence}: {text}");
    }
}
