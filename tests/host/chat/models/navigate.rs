//! Route choice by a model: its request (NAV-50 to NAV-54) and the use of its answer (NAV-6).

use serde_json::{Value, json};
use tests::{
    fake_models::{
        Course, FakeModel, Reply,
        claude::{Claude, KEY, says, uses},
    },
    server::{Folders, TestServer},
};

struct NavigationChat {
    server: TestServer,
    fake: FakeModel,
}

impl NavigationChat {
    /// The bundled assistant, Claude played by a fake; `lines` are the assistant's own.
    async fn start(lines: &str) -> Self {
        let fake = FakeModel::start(Claude::default()).await;
        let folders = Folders::new();
        for name in ["assistant", "navigation"] {
            folders.put(name, &tests::component_bytes(name));
        }
        let config = folders.config_with(&format!(
            "[models.claude]\nbase_url = '{}'\nkey = {{ value = '{KEY}' }}\nretry_base_ms = 1\n\
             [assistants.navigation]\n{lines}\n",
            fake.url
        ));
        let server = TestServer::start(folders, |it| *it = config).await;
        Self { server, fake }
    }

    /// Health once Claude has this status; it is refreshed at most once a second.
    async fn health(&self, claude: &str) -> Value {
        let mut last = Value::Null;
        tests::until(&format!("NAV-15: never {claude}"), async || {
            let response = self.server.client().get("/api/health").await;
            last = response.json().await.unwrap();
            last["services"]["claude"] == claude
        })
        .await;
        last["status"].clone()
    }

    async fn ask(&self, message: &str, headers: &[(&str, &str)]) -> reqwest::Response {
        let body = json!({
            "origin": "東京駅", "destination": "横浜駅", "message": message,
            "conversationHistory": [
                { "role": "user", "content": "一番早い道" },
                { "role": "assistant", "content": "首都高です。" },
            ],
        });
        self.server.client().post("/api/navigate", headers, body.to_string()).await
    }
}

fn search(id: &str) -> (&str, &str, Value) {
    let route = json!({
        "origin": "東京駅", "destination": "横浜駅", "alternatives": true, "reason": "比べるため",
    });
    (id, "route_search", route)
}

fn reply(route: Value, reasoning: &str) -> Value {
    let choice = json!({ "selectedRoute": route, "reasoning": reasoning });
    says(&format!("```json\n{choice}\n```"))
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_the_model_as_specified_and_copies_the_route_it_names() {
    let chat = NavigationChat::start("").await;
    let geocode = ("t2", "geocode", json!({ "address": "東京駅" }));
    chat.fake
        .says(uses(&[search("t1"), geocode]))
        .says(reply(json!({ "index": 1 }), "渋滞が少ないため。"));
    let response = chat.ask("渋滞を避けて", &[]).await;
    assert_eq!(response.status(), 200, "{:?}", chat.fake.broken());
    let body: Value = response.json().await.unwrap();
    let bodies = chat.fake.bodies();
    assert_eq!(
        (&bodies[0]["model"], &bodies[0]["max_tokens"]),
        (&json!("claude-sonnet-5-5"), &json!(4096)),
        "NAV-52, NAV-53"
    );
    let system = bodies[0]["system"][0]["text"].as_str().unwrap();
    assert!(system.starts_with("あなたはAIナビゲーションアシスタントです。"), "NAV-50");
    let tools: Vec<_> =
        bodies[0]["tools"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(tools, ["route_search", "distance_compare", "geocode"], "NAV-52");
    let shown = |at: usize| bodies[0]["messages"][at]["content"][0]["text"].clone();
    assert_eq!((shown(0), shown(1)), (json!("一番早い道"), json!("首都高です。")), "NAV-5");
    assert_eq!(shown(2), "出発地: 東京駅、目的地: 横浜駅\n条件: 渋滞を避けて", "NAV-52");
    // The found route and the answer.
    let text = bodies[1]["messages"][4]["content"][0]["content"][0]["text"].as_str().unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(body["route"]["summary"], value["routes"][1]["summary"], "NAV-6");
    assert!(body["route"]["polyline"].as_array().unwrap().len() > 10, "NAV-2, NAV-6");
    assert_eq!(body["reasoning"]["message"], "渋滞が少ないため。", "NAV-1");
    let used = body["reasoning"]["toolsUsed"].as_array().unwrap();
    assert_eq!((&used[0]["reason"], used.len()), (&json!("比べるため"), 2), "NAV-3, NAV-54");
    assert_eq!(used[0]["params"].get("reason"), None, "NAV-54");
    assert_eq!(used[1]["reason"], "geocodeを呼び出します（address: 東京駅）", "NAV-54");
    let history = body["conversationHistory"].as_array().unwrap();
    assert_eq!(history.len(), 4, "NAV-4");
    assert_eq!(history[3]["content"], "渋滞が少ないため。", "NAV-4");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_knows_the_time_and_what_a_tool_takes_in_meta() {
    let chat = NavigationChat::start("").await;
    let ask = async |more: Value| {
        let mut route = json!({ "origin": "東京駅", "destination": "品川駅" });
        route.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let found = reply(json!({ "index": 0 }), "これです。");
        chat.fake.says(uses(&[("t1", "route_search", route)])).says(found);
        let body: Value = chat.ask("歩いて", &[]).await.json().await.unwrap();
        body["route"]["duration"]["value"].as_u64().unwrap_or_else(|| panic!("{body}"))
    };
    assert!(ask(json!({ "travelMode": "walking" })).await > 2 * ask(json!({})).await);
    let body = chat.fake.bodies().remove(0);
    let system = body["system"][0]["text"].as_str().unwrap();
    assert!(system.contains("現在は20") && system.ends_with("（日本時間）です。"), "{system}");
    let declared = &body["tools"][0]["input_schema"]["properties"];
    for (name, kind) in [
        ("travelMode", "string"),
        ("prefer", "string"),
        ("via", "array"),
        ("arrivalTime", "string"),
    ] {
        assert_eq!(declared[name]["type"], kind, "{declared}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_choice_of_the_model_fails_nothing() {
    let chat = NavigationChat::start("").await;
    for (last, has_route, message) in [
        (says("首都高が空いています。"), true, "首都高が空いています。"),
        (reply(Value::Null, "道がありません。"), false, "道がありません。"),
        (reply(json!({ "summary": "no such" }), "これ。"), true, "これ。"),
    ] {
        chat.fake.says(uses(&[search("t1")])).says(last);
        let body: Value = chat.ask("一番早い", &[]).await.json().await.unwrap();
        assert_eq!(body["route"].is_object(), has_route, "NAV-8, NAV-X7: {message}");
        assert_eq!(body["reasoning"]["message"], message, "NAV-X7");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_reasons_without_the_json_around_them() {
    let chat = NavigationChat::start("").await;
    let reasoning = "右折が少なく、分かりやすい道を選びました。";
    chat.fake.says(uses(&[search("t1")])).says(reply(json!({ "index": 0 }), reasoning));
    let response = chat.ask("右折少なめ", &[("accept", "text/event-stream")]).await;
    let text = response.text().await.unwrap();
    let deltas =
        text.split("\n\n").filter_map(|it| it.strip_prefix("event: reasoning_delta\ndata: "));
    let deltas: Vec<Value> = deltas.map(|it| serde_json::from_str(it).unwrap()).collect();
    let message: String = deltas.iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(message, reasoning, "NAV-9");
    assert!(deltas.len() > 1, "NAV-9: as it is written");
    let done = text.split("\n\n").find_map(|it| it.strip_prefix("event: done\ndata: ")).unwrap();
    let done: Value = serde_json::from_str(done).unwrap();
    assert_eq!(done["selected"], json!({ "toolCall": "t1", "index": 0 }), "NAV-6");
}

#[tokio::test(flavor = "multi_thread")]
async fn model_failure_is_the_specified_error() {
    let chat = NavigationChat::start("decision_ms_max = 4000").await;
    let cut = Reply::Message(says("これから長い話をします。"), Course::Cut(4));
    for (reply, details) in [
        (Reply::Error { status: 429, retry_after: Some("60") }, Some("Rate limit exceeded")),
        (Reply::Error { status: 401, retry_after: None }, None),
        (cut, None),
        (Reply::Hang, None),
    ] {
        chat.fake.then(reply.clone());
        let response = chat.ask("一番早い", &[]).await;
        assert_eq!(response.status(), 503, "NAV-10: {reply:?}");
        let comes_back = response.headers().contains_key("retry-after");
        assert_eq!(comes_back, details.is_some(), "{reply:?}");
        let error = response.json::<Value>().await.unwrap()["error"].clone();
        assert_eq!(error["code"], "CLAUDE_API_ERROR", "NAV-10: {reply:?}");
        assert_eq!(error["message"], "Claude APIへの接続に失敗しました", "NAV-10: {reply:?}");
        assert_eq!(error["details"].as_str().filter(|_| details.is_some()), details, "NAV-10");
    }
    assert_eq!(chat.health("error").await, "degraded", "NAV-15");
    chat.fake.says(reply(Value::Null, "道がありません。"));
    assert_eq!(chat.ask("一番早い", &[]).await.status(), 200);
    assert_eq!(chat.health("connected").await, "ok", "NAV-15");
}

#[tokio::test(flavor = "multi_thread")]
async fn route_found_before_the_model_fails_is_returned() {
    let chat = NavigationChat::start("").await;
    chat.fake.says(uses(&[search("t1")])).fails(401);
    let response = chat.ask("一番早い", &[]).await;
    assert_eq!(response.status(), 200);
    let body: Value = response.json().await.unwrap();
    assert!(body["route"]["polyline"].as_array().unwrap().len() > 10, "{body}");
    let message = body["reasoning"]["message"].as_str().unwrap();
    assert!(message.contains("モデルから答えが得られず"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_refusals_are_returned_to_the_model() {
    let chat = NavigationChat::start("").await;
    let nowhere = json!({ "origin": "東京駅", "destination": "zzzz qqqq", "alternatives": true });
    chat.fake
        .says(uses(&[("t1", "route_search", nowhere)]))
        .says(reply(Value::Null, "目的地が見つかりません。"));
    let body: Value = chat.ask("一番早い", &[]).await.json().await.unwrap();
    assert_eq!(body["route"], Value::Null, "NAV-8, NAV-40");
    let messages = chat.fake.bodies()[1]["messages"].clone();
    assert_eq!(messages[4]["content"][0]["is_error"], true, "NAV-55");
}

#[tokio::test]
async fn planner_decides_without_a_key() {
    let chat = NavigationChat::start("provider = 'builtin'").await;
    let body: Value = chat.ask("一番早い", &[]).await.json().await.unwrap();
    assert!(body["route"].is_object(), "{body}");
    assert_eq!(chat.fake.received().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_routes_found_when_model_searches_too_often() {
    let chat = NavigationChat::start("rounds_max = 1").await;
    chat.fake.says(uses(&[search("t1")])).says(uses(&[search("t2")]));
    let response = chat.ask("一番早い", &[]).await;
    assert_eq!(response.status(), 200);
    let body: Value = response.json().await.unwrap();
    assert!(body["route"]["polyline"].as_array().unwrap().len() > 10, "{body}");
    let message = body["reasoning"]["message"].as_str().unwrap();
    assert!(message.contains("上限に達した"), "{message}");
    // A model that answers with no text has found it all the same.
    chat.fake.says(uses(&[search("t1")])).says(json!({ "content": [] }));
    chat.fake.says(json!({ "content": [] }));
    let body: Value = chat.ask("一番早い", &[]).await.json().await.unwrap();
    assert!(body["route"].is_object(), "{body}");
    assert!(!body["reasoning"]["message"].as_str().unwrap().is_empty(), "{body}");
    // Where none was found, there is none.
    chat.fake.says(uses(&[("t1", "geocode", json!({ "address": "東京駅" }))]));
    chat.fake.says(uses(&[search("t2")]));
    assert_eq!(chat.ask("一番早い", &[]).await.status(), 500);
}
