//! Failures of providers, and the specified answer to each (ILL-42).

use std::fs;

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fake_models::{
        Course, FakeModel, Reply, Sse,
        claude::{self, Claude},
        openai::{self, MODEL, OpenAi},
    },
    process::{Process, command},
    server::{Folders, TestServer},
};

use super::Talking;

const KEY: (u16, &str) = (500, "サーバー設定エラー。管理者にお問い合わせください。");

const RATE: (u16, &str) = (429, "リクエストが多すぎます。しばらくしてからお試しください。");

const SLOW: (u16, &str) = (504, "リクエストがタイムアウトしました。再度お試しください。");

const FAILED: (u16, &str) = (500, "応答の生成に失敗しました。しばらくしてからお試しください。");

const MISSING: (u16, &str) =
    (500, "設定されているモデルが見つかりません。管理者にお問い合わせください。");

const TOO_LONG: (u16, &str) =
    (413, "会話が長くなりすぎて、モデルが受け付けません。新しい会話を始めてください。");

const REFUSED: (u16, &str) = (
    500,
    "モデルの提供元がこのリクエストを受け付けませんでした。同じ内容を送り直しても変わりません。内容や画像を変えるか、新しい会話を始めてください。",
);

const BLOCKED: (u16, &str) =
    (400, "コンテンツポリシーにより生成がブロックされました。プロンプトを変更してお試しください。");

async fn claude(lines: &str) -> Talking {
    let fake = FakeModel::start(Claude::default()).await;
    Talking::start("claude", fake, &["echo"], lines).await
}

async fn openai(lines: &str) -> Talking {
    let fake = FakeModel::start(OpenAi::Strict).await;
    Talking::start("openai", fake, &["echo"], lines).await
}

async fn answer_to(talking: &Talking, (status, error): (u16, &str), what: &str) -> Value {
    let (actual, answer) = talking.post(&json!({ "message": "やって" })).await;
    assert_eq!(
        (actual, answer["error"].as_str()),
        (status, Some(error)),
        "ILL-42: {what} {answer}"
    );
    assert!(answer["details"].as_str().is_some_and(|it| !it.is_empty()), "ILL-41: {what}");
    answer
}

fn error(status: u16, retry_after: Option<&'static str>) -> Reply {
    Reply::Error { status, retry_after }
}

/// The provider's error, the expected answer, and the number of requests.
#[tokio::test(flavor = "multi_thread")]
async fn maps_every_status_and_retries_transient_ones() {
    for talking in [claude("").await, openai("").await] {
        let mut before = 0;
        for (reply, times, answer, asked) in [
            (error(401, None), 1, KEY, 1),
            (error(403, None), 1, KEY, 1),
            (error(404, None), 1, MISSING, 1),
            (error(402, None), 1, KEY, 1),
            (Reply::Refusal(429, "insufficient_quota: check your plan"), 1, KEY, 1),
            (error(301, None), 1, MISSING, 1),
            (error(413, None), 1, TOO_LONG, 1),
            (error(400, None), 1, REFUSED, 1),
            (error(429, Some("60")), 1, RATE, 1),
            (error(429, Some("30.5")), 1, RATE, 1),
            (error(503, Some("Fri, 31 Dec 2100 23:59:59 GMT")), 1, FAILED, 1),
            (error(429, Some("0")), 3, RATE, 3),
            (error(429, None), 3, RATE, 3),
            (error(500, None), 3, FAILED, 3),
            (error(529, None), 3, FAILED, 3),
            (Reply::Nonsense, 1, FAILED, 1),
        ] {
            for _ in 0..times {
                talking.fake.then(reply.clone());
            }
            let answer = answer_to(&talking, answer, &format!("{reply:?}")).await;
            assert!(!answer.to_string().contains("10.20"), "an inner address: {answer}");
            let all = talking.fake.received().len();
            assert_eq!((all - before, talking.fake.left()), (asked, 0), "{reply:?}");
            before = all;
        }
    }
}

#[tokio::test]
async fn reports_retry_time_longer_than_a_person_waits() {
    let talking = claude("").await;
    talking.fake.then(error(429, Some("60")));
    let body = json!({ "message": "やって" }).to_string();
    let response = talking.client().post("/api/chat", &[], body).await;
    assert_eq!(response.status(), 429, "ILL-42");
    assert_eq!(response.headers()["retry-after"], "60", "ILL-42");
}

#[tokio::test]
async fn recovered_failure_is_not_reported() {
    let talking = claude("").await;
    talking.fake.then(error(529, None)).then(error(429, Some("0"))).says(claude::says("はい"));
    assert_eq!(talking.say("やって").await["text"], "はい");
    assert_eq!(talking.fake.received().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_stream_is_not_a_complete_answer() {
    let courses = [0, 1, 4, 6].map(|it| [Course::Cut(it), Course::Ended(it), Course::Broken(it)]);
    let courses: Vec<_> = courses.into_iter().flatten().collect();
    let call = json!({ "value": { "text": "xxxxxxxxxxxxxxxx" } });
    for (talking, message) in [
        (claude("").await, claude::uses(&[("t1", "echo", call.clone())])),
        (openai("").await, openai::uses(&[("t1", "echo", call.clone())])),
    ] {
        for course in &courses {
            let before = talking.fake.received().len();
            // A lost answer is retried if nothing was streamed.
            let asked = if matches!(course, Course::Broken(_)) { 1 } else { 3 };
            for _ in 0..asked {
                talking.fake.then(Reply::Message(message.clone(), course.clone()));
            }
            answer_to(&talking, FAILED, &format!("{course:?}")).await;
            let times = talking.fake.received().len() - before;
            assert_eq!((times, talking.fake.left()), (asked, 0), "{course:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn partially_streamed_answer_is_not_retried() {
    let text = "これから長い話をします。";
    // The message's beginning, with Claude its block's and a ping, and a first piece.
    for (talking, message, events) in
        [(claude("").await, claude::says(text), 4), (openai("").await, openai::says(text), 2)]
    {
        talking.fake.then(Reply::Message(message, Course::Ended(events)));
        answer_to(&talking, FAILED, "a half").await;
        assert_eq!(talking.fake.received().len(), 1);
    }
}

#[tokio::test]
async fn error_in_mid_answer_is_reported_like_one_before_it() {
    let talking = claude("").await;
    for (kind, answer) in [
        ("overloaded_error", FAILED),
        ("rate_limit_error", RATE),
        ("authentication_error", KEY),
        ("api_error", FAILED),
    ] {
        let event = claude::error_event(kind, "it says so");
        let course = Course::Instead(4, event);
        talking.fake.then(Reply::Message(claude::says("これから長い話をします。"), course));
        answer_to(&talking, answer, kind).await;
    }
}

#[tokio::test]
async fn error_before_any_text_is_retried() {
    let talking = claude("").await;
    let overloaded = claude::error_event("overloaded_error", "it says so");
    // Before the message, and in it: there it has its beginning, its block's, and a ping.
    for after in [0, 3] {
        let course = Course::Instead(after, overloaded.clone());
        talking.fake.then(Reply::Message(claude::says("いいえ"), course));
    }
    talking.fake.says(claude::says("はい"));
    assert_eq!(talking.say("やって").await["text"], "はい");
    assert_eq!(talking.fake.received().len(), 3);
}

/// The provider would refuse the name when it comes back, in this request and each later one.
#[tokio::test(flavor = "multi_thread")]
async fn call_of_what_is_no_name_does_not_end_the_talk() {
    for name in ["functions.echo", "echo<|channel|>commentary", "席を探す", ""] {
        for (talking, message, end) in [
            (claude("").await, claude::uses(&[("t1", name, json!({}))]), claude::says("はい")),
            (openai("").await, openai::uses(&[("t1", name, json!({}))]), openai::says("はい")),
        ] {
            talking.fake.says(message).says(end.clone()).says(end);
            let answer = talking.say("やって").await;
            assert_eq!(answer["text"], "はい", "{name}");
            let why = &answer["toolCalls"][0]["error"];
            assert_eq!(*why, "この名前のツールは使えません。", "people are told in their language");
            let next = json!({ "message": "次は？", "turn": answer["turn"] });
            assert_eq!(talking.answer(&next).await["text"], "はい", "{name}");
        }
    }
}

#[tokio::test]
async fn ignores_event_without_data() {
    let empty = || Sse { name: None, data: String::new() };
    for (talking, message) in
        [(claude("").await, claude::says("はい")), (openai("").await, openai::says("はい"))]
    {
        let course = Course::Between(1, empty());
        talking.fake.then(Reply::Message(message, course));
        assert_eq!(talking.say("やって").await["text"], "はい");
    }
}

#[tokio::test]
async fn reports_model_refusal_as_refusal() {
    let talking = claude("").await;
    let mut refusal = claude::says("申し訳");
    refusal["stop_reason"] = "refusal".into();
    refusal["stop_details"] = json!({ "type": "refusal", "explanation": "not this" });
    talking.fake.says(refusal);
    let answer = answer_to(&talking, BLOCKED, "refusal").await;
    assert!(answer["details"].as_str().unwrap().contains("not this"), "{answer}");
    let talking = openai("").await;
    talking.fake.says(json!({ "content": "x", "finish_reason": "content_filter" }));
    answer_to(&talking, BLOCKED, "content_filter").await;
    talking.fake.says(json!({ "refusal": "I cannot help with that." }));
    answer_to(&talking, BLOCKED, "refusal").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_timeout_as_slow_provider() {
    let lines = "decision_ms_max = 300";
    // Each is cut before the model's final event.
    for (talking, message, after) in [
        (claude(lines).await, claude::says("これから長い話をします。"), 4),
        (openai(lines).await, openai::says("これから長い話をします。"), 2),
    ] {
        talking.fake.then(Reply::Hang);
        answer_to(&talking, SLOW, "hang").await;
        talking.fake.then(Reply::Message(message, Course::Stalled(after)));
        answer_to(&talking, SLOW, "stall").await;
    }
}

#[tokio::test]
async fn reports_unreachable_provider_without_its_address() {
    let fake = FakeModel::start(Claude::default()).await;
    let folders = Folders::new();
    folders.put("assistant", &component_bytes("assistant"));
    let lines = super::lines_for("claude", &fake, "");
    // Nothing listens at the port that asks for a place of its own.
    let config = folders.config_with(&lines.replace(&fake.url, "http://127.0.0.1:1"));
    let server = TestServer::start(folders, |it| *it = config).await;
    let talking = Talking { server, fake };
    let answer = answer_to(&talking, FAILED, "refused").await;
    assert!(!answer.to_string().contains("127.0.0.1"), "{answer}");
}

// A provider's key appears in no answer, log or file.

/// A key that every provider rejects and repeats.
const REFUSED_KEY: &str = "sk-refused-4711/key+of-mine";

/// The provider repeats the key in its own answer.
#[tokio::test(flavor = "multi_thread")]
async fn leaks_key_in_no_answer_log_or_file_even_if_provider_echoes() {
    let claude = FakeModel::start(Claude::default()).await;
    let openai = FakeModel::start(OpenAi::Strict).await;
    for (provider, fake, right, variable) in
        [("claude", &claude, claude::KEY, "ANTHROPIC"), ("openai", &openai, openai::KEY, "OPENAI")]
    {
        for key in [REFUSED_KEY, right] {
            let folders = Folders::new();
            for name in ["assistant", "echo"] {
                folders.put(name, &component_bytes(name));
            }
            let config = folders.data().with_file_name("madoguchi.toml");
            let lines = format!(
                "bundled = false\n[chat]\nassistant = 'helper'\n[models.{provider}]\nretry_base_ms = 1\n\
                 [assistants.helper]\nprompt = 'You help.'\nprovider = '{provider}'\napproval = 'never'\n"
            );
            fs::write(&config, lines).unwrap();
            let log = config.with_file_name("log");
            let mut command = command(&folders);
            command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
            command.arg("--config").arg(&config).env("MADOGUCHI_LOG", "trace");
            // As an operator gives them.
            command.env(format!("{variable}_API_KEY"), key);
            command.env(format!("{variable}_BASE_URL"), &fake.url);
            command.env(format!("{variable}_MODEL"), model(provider));
            let mut process = Process::logging(command, fs::File::create(&log).unwrap());
            let client = Client::new(&process.url);
            if key == right {
                let event = claude::error_event("api_error", &format!("no, {key}"));
                let turn = claude::says("これから長い話をします。");
                fake.then(Reply::Message(
                    if provider == "claude" { turn } else { openai::says("はい") },
                    if provider == "claude" { Course::Instead(4, event) } else { Course::Whole },
                ));
            }
            let mut sources = Vec::new();
            for accept in ["application/json", "text/event-stream"] {
                let body = json!({ "message": "やって" }).to_string();
                let response = client.post("/api/chat", &[("accept", accept)], body).await;
                sources.push(response.text().await.unwrap());
            }
            for path in ["/api/chat", "/api/health"] {
                sources.push(client.get(path).await.text().await.unwrap());
            }
            if key == REFUSED_KEY {
                let answer: Value = serde_json::from_str(&sources[0]).unwrap();
                assert!(answer["details"].as_str().unwrap().contains("***"), "ILL-42: {answer}");
            }
            process.signal();
            process.wait();
            let log = fs::read_to_string(&log).unwrap();
            assert!(log.len() > 2_000, "the log is a full one");
            sources.push(log);
            let text = |(_, it): (_, Vec<u8>)| String::from_utf8_lossy(&it).into_owned();
            sources.extend(folders.kept().into_iter().map(text));
            let sent = fake.received();
            assert!(sent.iter().any(|it| format!("{it:?}").contains(key)), "it was sent");
            for source in &sources {
                assert!(!source.contains(key), "{provider}: it got out in {source:.300}");
            }
        }
    }
}

fn model(provider: &str) -> &'static str {
    match provider {
        "claude" => "claude-sonnet-5-5",
        _ => MODEL,
    }
}

// Conversations beyond a provider's limits, and fields with other names.

const TOO_LONG_TEXT: &str =
    "会話が長くなりすぎて、モデルが受け付けません。新しい会話を始めてください。";

async fn long_claude() -> Talking {
    Talking::start("claude", FakeModel::start(Claude::default()).await, &[], "").await
}

async fn long_openai(ways: OpenAi) -> Talking {
    Talking::start("openai", FakeModel::start(ways).await, &[], "").await
}

/// A history long enough to be shortened.
fn history() -> Value {
    let entry = |at: usize| {
        let role = if at.is_multiple_of(2) { "user" } else { "model" };
        json!({ "role": role, "parts": [{ "text": format!("#{at}#{}", "長い話".repeat(500)) }] })
    };
    (0..10).map(entry).collect()
}

#[tokio::test]
async fn pictures_beyond_claudes_limit_are_left_out() {
    let talking = long_claude().await;
    let picture = json!({ "mimeType": "image/png", "data": "iVBORw0KGgo=" });
    let pictures = |count| vec![picture.clone(); count];
    talking.fake.says(claude::says("はい")).says(claude::says("はい"));
    let first = talking.answer(&json!({ "message": "一", "images": pictures(60) })).await;
    let next = json!({ "message": "二", "images": pictures(60), "turn": first["turn"] });
    talking.answer(&next).await;
    let body = talking.fake.bodies().pop().unwrap();
    let count = |at: usize| {
        let blocks = body["messages"][at]["content"].as_array().unwrap();
        blocks.iter().filter(|it| it["type"] == "image").count()
    };
    assert!(count(0) < 60 && count(2) == 60, "{} and {}", count(0), count(2));
    let note = body["messages"][0]["content"][1]["text"].as_str().unwrap();
    assert!(note.contains("left out"), "{note}");
}

/// Claude refuses all pictures of such a request, and each request after it.
#[tokio::test]
async fn fewer_pictures_are_sent_where_one_of_many_is_large() {
    let talking = long_claude().await;
    let refusal = "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels";
    let pictures = vec![json!({ "mimeType": "image/png", "data": "iVBORw0KGgo=" }); 24];
    talking.fake.then(Reply::Refusal(400, refusal)).says(claude::says("はい"));
    let first = talking.answer(&json!({ "message": "一", "images": pictures })).await;
    talking.fake.says(claude::says("うん"));
    talking.answer(&json!({ "message": "二", "turn": first["turn"] })).await;
    let counts = talking.fake.bodies().into_iter().map(|body| {
        let blocks = body["messages"][0]["content"].as_array().unwrap();
        blocks.iter().filter(|it| it["type"] == "image").count()
    });
    assert_eq!(counts.collect::<Vec<_>>(), [24, 16, 16]);
}

/// The model sees the others, and reads that one is missing.
#[tokio::test]
async fn picture_that_claude_names_is_left_out_alone() {
    let talking = long_claude().await;
    let refusal = "messages.0.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels";
    let pictures = vec![json!({ "mimeType": "image/png", "data": "iVBORw0KGgo=" }); 3];
    talking.fake.then(Reply::Refusal(400, refusal)).says(claude::says("はい"));
    talking.answer(&json!({ "message": "一", "images": pictures })).await;
    let body = talking.fake.bodies().pop().unwrap();
    let blocks = body["messages"][0]["content"].as_array().unwrap();
    let kinds: Vec<_> = blocks.iter().map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "image", "text", "image"]);
}

/// Four are left out one by one; a fifth refusal leaves out the rest.
#[tokio::test]
async fn pictures_are_left_out_one_by_one_up_to_a_limit() {
    let talking = long_claude().await;
    for refusal in [
        "messages.0.content.1.image: At least one image exceeds 8000 pixels",
        "messages.0.content.2.image: At least one image exceeds 8000 pixels",
        "messages.0.content.3.image: At least one image exceeds 8000 pixels",
        "messages.0.content.4.image: At least one image exceeds 8000 pixels",
        "messages.0.content.5.image: At least one image exceeds 8000 pixels",
    ] {
        talking.fake.then(Reply::Refusal(400, refusal));
    }
    talking.fake.says(claude::says("はい"));
    let pictures = vec![json!({ "mimeType": "image/png", "data": "iVBORw0KGgo=" }); 7];
    talking.answer(&json!({ "message": "一", "images": pictures })).await;
    let counts = talking.fake.bodies().into_iter().map(|body| {
        let blocks = body["messages"][0]["content"].as_array().unwrap();
        blocks.iter().filter(|it| it["type"] == "image").count()
    });
    assert_eq!(counts.collect::<Vec<_>>(), [7, 6, 5, 4, 3, 0]);
}

#[tokio::test]
async fn too_long_request_is_shortened_and_sent_again() {
    for (talking, answer) in [
        (long_claude().await, claude::says("はい")),
        (long_openai(OpenAi::Strict).await, openai::says("はい")),
    ] {
        talking.fake.fails(413).says(answer);
        talking.answer(&json!({ "message": "続き", "history": history() })).await;
        let bodies = talking.fake.bodies();
        assert_eq!(bodies.len(), 2);
        let (before, after) = (bodies[0].to_string(), bodies[1].to_string());
        assert!(after.len() < before.len() * 3 / 4, "{} {}", before.len(), after.len());
        assert!(after.contains("続き") && after.contains("#8#") && !after.contains("#0#"));
        // If shortening fails, the error has a remedy.
        talking.fake.fails(413).fails(413);
        let body = json!({ "message": "続き", "history": history() });
        let (status, answer) = talking.post(&body).await;
        assert_eq!((status, answer["error"].as_str()), (413, Some(TOO_LONG_TEXT)), "{answer}");
        assert_eq!(talking.fake.left(), 0);
    }
}

#[tokio::test]
async fn learns_token_limit_field_from_a_refusal() {
    let talking = long_openai(OpenAi::Current).await;
    talking.fake.says(openai::says("はい")).says(openai::says("うん"));
    for (message, asked) in [("一", 2), ("二", 3)] {
        let (status, answer) = talking.post(&json!({ "message": message })).await;
        assert_eq!((status, talking.fake.received().len()), (200, asked), "{answer}");
    }
    let last = talking.fake.received().pop().unwrap().body;
    assert_eq!((&last["max_completion_tokens"], last.get("max_tokens")), (&json!(4096), None));
}

#[tokio::test]
async fn model_named_by_the_server_is_addressed_by_that_name() {
    let fake = FakeModel::start(OpenAi::Ollama).await;
    let lines = format!(
        "[chat]\nassistant = 'helper'\n[models.openai]\nbase_url = '{}'\n\
         [assistants.helper]\nprompt = 'You help.'\nprovider = 'openai'\n",
        fake.url
    );
    let folders = Folders::new();
    folders.put("assistant", &component_bytes("assistant"));
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let talking = Talking { server, fake };
    talking.fake.says(openai::says("はい")).says(openai::says("うん"));
    let answer = talking.say("やあ").await;
    assert_eq!(answer["model"], MODEL);
    let next = json!({ "message": "それで", "turn": answer["turn"], "history": history() });
    assert_eq!(talking.answer(&next).await["model"], MODEL);
    let last = talking.fake.bodies().pop().unwrap();
    assert!(!last.to_string().contains("#9#"), "it goes on by its turn");
    let listed: Value = talking.client().get("/api/chat").await.json().await.unwrap();
    let helper = listed["assistants"].as_array().unwrap().iter().find(|it| it["name"] == "helper");
    assert_eq!(helper.unwrap()["model"], MODEL);
}
