//! Failures of providers, and the specified answer to each (ILL-42).

use serde_json::{Value, json};
use tests::fake_models::{
    Course, FakeModel, Reply, Sse,
    claude::{self, Claude},
    openai::{self, OpenAi},
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
    let folders = tests::server::Folders::new();
    folders.put("assistant", &tests::component_bytes("assistant"));
    let lines = super::lines_for("claude", &fake, "");
    // Nothing listens at the port that asks for a place of its own.
    let config = folders.config_with(&lines.replace(&fake.url, "http://127.0.0.1:1"));
    let server = tests::server::TestServer::start(folders, |it| *it = config).await;
    let talking = Talking { server, fake };
    let answer = answer_to(&talking, FAILED, "refused").await;
    assert!(!answer.to_string().contains("127.0.0.1"), "{answer}");
}
