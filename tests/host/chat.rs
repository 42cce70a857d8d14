//! `/api/chat` (ILL-40 to ILL-46), with a person, an assistant, and a model that plays a test's script.

mod approval;
mod config;
mod gemini;
mod models;
mod specification;

use host::Server;
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fake_models::{
        FakeModel,
        gemini::{self as fake, Gemini},
    },
    fixtures::{free_seats, showtime_id, showtimes},
    server::{Folders, TestServer},
};

/// A server, and the model behind its assistant `counter`.
struct Talk {
    server: TestServer,
    model: FakeModel,
}

impl Talk {
    /// One of these components, with these lines more.
    async fn with(components: &[&str], lines: &str) -> Self {
        let folders = Folders::new();
        for name in components.iter().chain(&["assistant"]) {
            folders.put(name, &component_bytes(name));
        }
        let model = FakeModel::start(Gemini::default()).await;
        let lines = format!(
            "{lines}\n[models.gemini]\nkey = {{ value = '{}' }}\nbase_url = '{}'\nretry_base_ms = 1\n",
            fake::KEY,
            model.url
        );
        let config = folders.config_with(&lines);
        let server = TestServer::start(folders, |it| *it = config).await;
        Self { server, model }
    }

    async fn say(&self, body: &Value) -> (u16, Value) {
        say(&self.server.client(), body).await
    }

    /// An answer that must come.
    async fn answer(&self, body: &Value) -> Value {
        let (status, answer) = self.say(body).await;
        assert_eq!(status, 200, "{answer}\n{:?}", self.model.broken());
        answer
    }

    /// The messages of the last request to the model.
    fn last(&self) -> Vec<Value> {
        let last = self.model.bodies().pop().expect("it was asked");
        last["contents"].as_array().expect("a list").clone()
    }

    fn server(&self) -> &Server {
        self.server.server()
    }
}

/// Decisions in a body made by [`allow`], which clients send to the host first.
const DECISIONS: &str = "words";

/// The tools that a person trusts, which a client names in a header.
const TRUSTS: &str = "trusts";

/// `POST /api/chat` as the assistant `counter`, unless the body names another.
pub(crate) async fn say(client: &Client, body: &Value) -> (u16, Value) {
    let response = send(client, body, "application/json").await;
    let status = response.status().as_u16();
    (status, response.json().await.expect("the answer is JSON"))
}

/// The same, with the person's decisions sent to the host first.
async fn send(client: &Client, body: &Value, accept: &str) -> reqwest::Response {
    let mut body = body.clone();
    if body.get("assistant").is_none() {
        body["assistant"] = "counter".into();
    }
    let fields = body.as_object_mut().expect("an object");
    let decisions = fields.remove(DECISIONS).unwrap_or_default();
    for (approval, decision) in decisions.as_object().into_iter().flatten() {
        let address = format!("/api/approvals/{approval}");
        // One that was answered before stands as it is.
        client.post(&address, &[], decision.to_string()).await;
    }
    let trusts = fields.remove(TRUSTS).unwrap_or_default();
    let trusts: Vec<_> =
        trusts.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let headers = [("accept", accept), ("madoguchi-trusts", &trusts.join(", "))];
    client.post("/api/chat", &headers, body.to_string()).await
}

async fn post(client: &Client, body: &str) -> (u16, Value) {
    let response = client.post("/api/chat", &[], body).await;
    let status = response.status().as_u16();
    (status, response.json().await.expect("the answer is JSON"))
}

/// All events of a stream, by name and data.
async fn events(client: &Client, body: &Value) -> Vec<(String, Value)> {
    let response = send(client, body, "text/event-stream").await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.expect("the stream ends by itself");
    let read = |event: &str| {
        let field =
            |name: &str| event.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
        Some((field("event")?.to_owned(), serde_json::from_str(field("data")?).unwrap()))
    };
    text.split("\n\n").filter_map(read).collect()
}

/// A message of the model that calls these tools.
fn calls(calls: &[(&str, Value)]) -> Value {
    let parts: Vec<_> = calls.iter().map(|(name, it)| fake::call(name, it.clone())).collect();
    fake::message(&parts)
}

/// A message of the model with this text.
fn says(text: &str) -> Value {
    fake::message(&[fake::text(text)])
}

/// The ids of pending calls.
pub(crate) fn waiting(answer: &Value) -> Vec<String> {
    let waiting = answer["waiting"].as_array().expect("a list").iter();
    waiting.map(|it| it["callId"].as_str().expect("an id").to_owned()).collect()
}

/// The results in a message to the model.
fn results(message: &Value) -> Vec<&Value> {
    let parts = message["parts"].as_array().expect("a list").iter();
    parts.filter_map(|it| it.get("functionResponse")).collect()
}

/// The same decision on each of these pending calls.
fn decisions(answer: &Value, ids: &[String], one: &Value) -> Value {
    let waiting = answer["waiting"].as_array().expect("a list").iter();
    let named = waiting.filter(|it| ids.iter().any(|id| it["callId"] == **id));
    let all = named.map(|it| (it["approval"].as_str().expect("an id").to_owned(), one.clone()));
    json!({ "turn": answer["turn"], DECISIONS: all.collect::<serde_json::Map<_, _>>() })
}

/// A body that allows these calls.
pub(crate) fn allow(answer: &Value, ids: &[String]) -> Value {
    decisions(answer, ids, &json!({ "allow": true }))
}

// Questions of tools in the chat, and forms that end a turn (FORM-3).

#[tokio::test(flavor = "multi_thread")]
async fn form_ends_the_turn_and_its_values_are_the_next_message() {
    let talk = Talk::with(&["forms"], "").await;
    let form = tests::forms::example(1);
    talk.model.says(calls(&[("request_form", json!({ "form_schema": form }))]));
    let first = talk.answer(&json!({ "message": "プロジェクトを作りたい" })).await;
    assert_eq!(talk.model.bodies().len(), 1, "FORM-3: the model is not asked again");
    let asked = &first["waiting"][0];
    assert_eq!((&asked["type"], &asked["schema"]), (&json!("form"), &form), "FORM-1: {first}");
    assert!(asked["handle"].is_string(), "{asked}");
    assert_eq!(first["toolCalls"][0]["name"], "request_form", "its result is there: {first}");
    talk.model.says(says("作りました"));
    let values = serde_json::to_string_pretty(&json!({ "project_name": "my-web-app" })).unwrap();
    let second = talk.answer(&json!({ "message": values, "turn": first["turn"] })).await;
    assert_eq!(second["text"], "作りました");
    let last = talk.last();
    let parts = last.last().unwrap()["parts"].as_array().unwrap();
    assert_eq!(parts[0]["functionResponse"]["name"], "request_form", "FORM-7: {parts:?}");
    assert_eq!(parts[1]["text"], values, "FORM-5, FORM-7: in the same turn");
    // Values sent without the form's page are validated as well.
    talk.model.says(says("直してください"));
    let wrong = json!({ "message": r#"{ "project_name": "My App" }"#, "turn": first["turn"] });
    talk.answer(&wrong).await;
    let last = talk.last();
    let parts = last.last().unwrap()["parts"].as_array().unwrap();
    assert!(parts[0].to_string().contains("errors"), "FORM-10: {parts:?}");
    // Another window cancels the same form: a turn never changes.
    talk.model.says(says("やめました"));
    let cancel = "フォーム入力をキャンセルしました。";
    let other = talk.answer(&json!({ "message": cancel, "turn": first["turn"] })).await;
    assert_eq!(other["text"], "やめました", "FORM-9");
    assert_eq!(talk.model.broken(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_form_needs_a_message_and_no_approval() {
    let talk = Talk::with(&["forms"], "").await;
    let form = tests::forms::example(1);
    talk.model.says(calls(&[("request_form", json!({ "form_schema": form }))]));
    let first = talk.answer(&json!({ "message": "作りたい" })).await;
    assert_eq!(waiting(&first).len(), 1);
    assert_eq!(talk.say(&json!({ "turn": first["turn"] })).await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn puts_a_tools_questions_to_the_person_and_returns_the_answers() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.says(calls(&[("greet_twice", json!({}))]));
    let first = talk.answer(&json!({ "message": "挨拶して" })).await;
    let item = &first["waiting"][0];
    let question = &item["questions"][0];
    assert_eq!((&item["type"], &question["key"]), (&json!("questions"), &json!("name")), "{first}");
    assert_eq!(question["message"], "What is your name?");
    assert_eq!(question["schema"]["required"], json!(["name"]), "{question}");
    let answer = |first: &Value, key: &str, content: Value| {
        let decision = json!({ "answers": { key: { "action": "accept", "content": content } } });
        decisions(first, &waiting(first), &decision)
    };
    let second = talk.answer(&answer(&first, "name", json!({ "name": "太郎" }))).await;
    let key =
        second["waiting"][0]["questions"][0]["key"].as_str().expect("it asks again").to_owned();
    assert_eq!(talk.model.bodies().len(), 1, "nobody decides meanwhile");
    talk.model.says(says("しました"));
    let schema = &second["waiting"][0]["questions"][0]["schema"];
    let field = schema["properties"].as_object().and_then(|it| it.keys().next().cloned());
    let content = field.map_or(json!({}), |it| json!({ it: true }));
    let third = talk.answer(&answer(&second, &key, content)).await;
    assert_eq!(third["text"], "しました", "{third}");
    let last = talk.last();
    assert!(results(last.last().unwrap())[0].to_string().contains("Hello, 太郎!"), "{last:?}");
    // A second time, the same answers bring the same result.
    talk.model.says(says("もうしました"));
    let again = answer(&second, &key, json!({}));
    assert_eq!(talk.answer(&again).await["text"], "もうしました");
    assert!(results(talk.last().last().unwrap())[0].to_string().contains("Hello, 太郎!"));
}

#[tokio::test(flavor = "multi_thread")]
async fn person_chooses_among_pictures_of_a_tool() {
    let talk = Talk::with(
        &["conformance"],
        "[components.conformance]\ngrants = ['events']\n[assistants.counter]\napproval = 'never'",
    )
    .await;
    talk.model.says(calls(&[("test_image_content", json!({}))]));
    let first = talk.answer(&json!({ "message": "描いて", "choose": true })).await;
    assert_eq!((&first["type"], &first["stopReason"]), (&json!("mcp_results"), &json!("waiting")));
    let images = first["images"].as_array().unwrap();
    assert!(images.len() == 1 && images[0]["mimeType"] == "image/png", "ILL-45: {first}");
    assert_eq!((&first["waiting"][0]["type"], talk.model.bodies().len()), (&json!("choice"), 1));
    talk.model.says(says("描きました")).says(says("参照なしで描きました"));
    let chosen = json!({ "turn": first["turn"], "selectedImages": images });
    assert_eq!(talk.answer(&chosen).await["text"], "描きました", "ILL-45");
    let data = images[0]["data"].as_str().unwrap();
    let has_picture = || talk.last().last().unwrap().to_string().contains(data);
    assert!(has_picture(), "the model sees what was chosen");
    let none = json!({ "turn": first["turn"], "selectedImages": [] });
    assert_eq!(talk.answer(&none).await["text"], "参照なしで描きました");
    assert!(!has_picture(), "and nothing else");
}

// Seats held in the chat and on the page: an assistant and its person see each other's holds (CIN-97).

/// A chat without a model and a page of the same person.
struct Both {
    server: TestServer,
    page: Client,
    show: String,
    seats: Vec<String>,
    turn: Value,
}

impl Both {
    async fn start() -> Self {
        let server = TestServer::with(&["cinema", "assistant", "forms"]).await;
        let page = server.client();
        let show = showtime_id(&showtimes(&page).await[0]);
        let seats = free_seats(&page, &show).await;
        Self { server, page, show, seats, turn: Value::Null }
    }

    /// The answer to a sentence, with approvals; it contains no token.
    async fn say(&mut self, sentence: &str) -> Value {
        let mut body = json!({ "message": sentence });
        if self.turn.is_string() {
            body["turn"] = self.turn.clone();
        }
        self.post(&body).await
    }

    async fn allow(&mut self, answer: &Value) -> Value {
        self.post(&allow(answer, &waiting(answer))).await
    }

    async fn post(&mut self, body: &Value) -> Value {
        let (status, answer) = say(&self.server.client(), body).await;
        assert_eq!(status, 200, "{answer}");
        assert!(!answer.to_string().contains("hold-"), "a token: {answer}");
        self.turn = answer["turn"].clone();
        answer
    }

    /// Seats held in the chat for Hanako.
    async fn hold(&mut self, seats: [usize; 2]) -> Value {
        let [one, two] = seats.map(|it| self.seats[it].clone());
        let show = self.show.clone();
        let sentence =
            format!("上映回 {show} の {one} と {two} を仮押さえして。ユーザーIDは hanako");
        let asked = self.say(&sentence).await;
        assert_eq!(asked["waiting"][0]["name"], "hold_seats", "{asked}");
        self.allow(&asked).await
    }

    /// Hanako's holds on the page: handles, seats and seconds.
    async fn held(&self) -> Vec<(String, Vec<String>, u64)> {
        let arguments = json!({ "user_id": "hanako", "showtime_id": self.show });
        let found = self.page.output("list_holds", arguments).await;
        let one = |hold: &Value| {
            assert_eq!(hold.get("hold_token"), None, "{hold}");
            let handle = hold["hold_id"].as_str().unwrap().to_owned();
            (handle, ids(&hold["seats"]), hold["seconds_left"].as_u64().unwrap())
        };
        found["holds"].as_array().unwrap().iter().map(one).collect()
    }
}

fn ids(seats: &Value) -> Vec<String> {
    let seats = seats.as_array().unwrap().iter();
    seats.map(|it| it["seat_id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_holds_are_the_persons_own_on_the_page() {
    let mut both = Both::start().await;
    let answer = both.hold([0, 1]).await;
    assert!(answer["text"].as_str().unwrap().contains("仮押さえしました"), "{answer}");
    let held = both.held().await;
    let [(handle, seats, left)] = &held[..] else { panic!("{held:?}") };
    assert_eq!(seats, &both.seats[..2]);
    assert!((1..=600).contains(left), "{left}");
    let every = json!({ "showtime_id": both.show, "include_reserved": true, "hold_token": handle });
    let map = both.page.output("list_available_seats", every).await;
    let mine = map["seats"].as_array().unwrap().iter().filter(|it| it["is_mine"] == true);
    assert_eq!(ids(&mine.cloned().collect()), both.seats[..2]);

    // Another user finds nothing, and the handle is no other user's.
    let other = json!({ "user_id": "rival" });
    assert_eq!(both.page.output("list_holds", other).await["holds"], json!([]));
    let order = json!({ "user_id": "rival", "showtime_id": both.show, "seat_ids": seats, "hold_token": handle });
    assert_eq!(both.page.failure("reserve_seats", order).await["error"], "hold_not_found");

    // The page extends it, and the chat reserves it.
    let extend = json!({ "hold_token": handle, "minutes": 20 });
    let extended = both.page.output("extend_hold", extend).await;
    assert!(extended["seconds_left"].as_u64().unwrap() > 600, "{extended}");
    let asked = both.say("予約して").await;
    assert_eq!(asked["waiting"][0]["params"]["seat_ids"], json!(both.seats[..2]), "{asked}");
    both.allow(&asked).await;
    assert_eq!(both.held().await, []);
    let made = both.page.output("list_reservations", json!({ "user_id": "hanako" })).await;
    assert_eq!(ids(&made["reservations"][0]["seats"]), both.seats[..2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn next_turn_of_the_chat_sees_changes_of_the_person() {
    let mut both = Both::start().await;
    both.hold([0, 1]).await;
    // On the page other seats are taken in their place.
    let (handle, ..) = both.held().await.remove(0);
    both.page.output("release_hold", json!({ "hold_token": handle })).await;
    let moved = both.seats[4..6].to_vec();
    let order = json!({ "user_id": "hanako", "showtime_id": both.show, "seat_ids": moved });
    both.page.output("hold_seats", order).await;
    let asked = both.say("それを予約して").await;
    let waits = &asked["waiting"][0];
    assert_eq!(waits["params"]["seat_ids"], json!(moved), "{asked}");
    assert!(waits["reason"].as_str().unwrap().contains("変わっています"), "{asked}");
    both.allow(&asked).await;
    let made = both.page.output("list_reservations", json!({ "user_id": "hanako" })).await;
    assert_eq!(ids(&made["reservations"][0]["seats"]), moved);

    // Seats released there are not reserved here.
    both.hold([0, 1]).await;
    let (handle, ..) = both.held().await.remove(0);
    both.page.output("release_hold", json!({ "hold_token": handle })).await;
    let answer = both.say("予約して").await;
    assert_eq!(answer["waiting"], json!([]), "{answer}");
    assert!(answer["text"].as_str().unwrap().contains("手放されたか期限が切れ"), "{answer}");
    assert_eq!(free_seats(&both.page, &both.show).await[..2], both.seats[..2]);
}

/// The chat reserves holds of the page, and the model sees only handles.
#[tokio::test(flavor = "multi_thread")]
async fn models_get_handles_of_what_page_and_chat_hold() {
    let talk = Talk::with(&["cinema"], "").await;
    let page = talk.server.client();
    let show = showtime_id(&showtimes(&page).await[0]);
    let seats = free_seats(&page, &show).await;
    let order =
        |seat: &str| json!({ "user_id": "hanako", "showtime_id": show, "seat_ids": [seat] });
    let own = page.output("hold_seats", order(&seats[0])).await;
    let token = own["hold_token"].as_str().expect("a client keeps it itself").to_owned();

    talk.model.says(calls(&[("hold_seats", order(&seats[2]))]));
    let asked = talk.answer(&json!({ "message": "1席押さえて" })).await;
    let look = json!({ "user_id": "hanako" });
    talk.model.says(calls(&[("list_holds", look)])).says(says("押さえました"));
    let answer = talk.answer(&allow(&asked, &waiting(&asked))).await;
    let last = talk.last();
    let found = results(last.last().unwrap())[0].to_string();
    for part in [&seats[0], &seats[2], own["hold_id"].as_str().unwrap()] {
        assert!(found.contains(part), "{part}: {found}");
    }
    let text = format!("{answer} {last:?}");
    assert!(!text.contains("hold-") && !text.contains(&token), "a token: {text}");
    assert_eq!(talk.model.broken(), [""; 0]);
}

// Turns: a conversation continues from a stored turn with the provider's own messages.

#[tokio::test(flavor = "multi_thread")]
async fn next_message_continues_providers_messages_even_after_restart() {
    let mut talk = Talk::with(&["echo"], "").await;
    talk.model.says(calls(&[("echo", json!({ "value": { "a": 1 } }))])).says(says("1です"));
    let first = talk.answer(&json!({ "message": "値は？" })).await;
    let before = talk.last();
    talk.server.restart().await;
    talk.model.says(says("どういたしまして"));
    let body = json!({ "message": "ありがとう", "turn": first["turn"], "history": [
        { "role": "user", "parts": [{ "text": "not this" }] },
    ] });
    let second = talk.answer(&body).await;
    assert_eq!(second["text"], "どういたしまして");
    let after = talk.last();
    assert_eq!(after[..before.len()], before[..], "ILL-27: verbatim, signatures too");
    assert!(after[1]["parts"][0]["thoughtSignature"].is_string(), "ILL-27: {after:?}");
    let text = |it: &Value| it["parts"][0]["text"].clone();
    assert_eq!(text(&after[before.len()]), "1です");
    assert_eq!(text(after.last().unwrap()), "ありがとう");
    assert!(!format!("{after:?}").contains("not this"), "the turn is there, the history not used");
    assert_eq!(talk.model.broken(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn conversation_can_continue_from_an_earlier_turn() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.says(says("一")).says(says("二")).says(says("三"));
    let first = talk.answer(&json!({ "message": "最初" })).await;
    let one = talk.answer(&json!({ "message": "続き", "turn": first["turn"] })).await;
    let other = talk.answer(&json!({ "message": "やり直し", "turn": first["turn"] })).await;
    assert_ne!(one["turn"], other["turn"]);
    let last = format!("{:?}", talk.last());
    assert!(last.contains("やり直し") && last.contains("一") && !last.contains("続き"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn replaces_a_missing_turn_by_history_or_reports_it_gone() {
    let talk = Talk::with(&["echo"], "").await;
    let gone = "0".repeat(32);
    for turn in [gone.as_str(), "../../seal.key", "x", &"A".repeat(32)] {
        let (status, answer) = talk.say(&json!({ "message": "続き", "turn": turn })).await;
        assert_eq!(status, 404, "{turn}: {answer}");
        assert!(answer["details"].as_str().unwrap().contains("history"), "{answer}");
    }
    talk.model.says(says("はい"));
    let history = json!([
        { "role": "user", "parts": [{ "text": "前の話" }] },
        { "role": "model", "parts": [{ "text": "どうも" }] },
    ]);
    talk.answer(&json!({ "message": "続き", "turn": gone, "history": history })).await;
    let last = talk.last();
    assert_eq!((last.len(), &last[0]["parts"][0]["text"]), (3, &json!("前の話")));
}

#[tokio::test]
async fn the_last_20_entries_of_a_history_are_used() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.says(says("はい"));
    let entry = |at: usize| {
        let role = if at.is_multiple_of(2) { "user" } else { "model" };
        json!({ "role": role, "parts": [{ "text": format!("#{at}#") }] })
    };
    let history: Vec<_> = (0..40).map(entry).collect();
    talk.answer(&json!({ "message": "今", "history": history })).await;
    let last = format!("{:?}", talk.last());
    assert!(last.contains("#20#") && last.contains("#39#") && !last.contains("#19#"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_of_another_caller_is_not_found() {
    let token = |name: &str| {
        let digest = host::digest::digest(name.as_bytes());
        format!("[tokens.{}]\nsha256 = '{digest}'\nscopes = ['*']\n", &name[4..])
    };
    let lines = token("mdg_ann") + &token("mdg_ben");
    let talk = Talk::with(&["echo"], &lines).await;
    talk.model.says(says("秘密です"));
    let (ann, ben) = (talk.server.client_with("mdg_ann"), talk.server.client_with("mdg_ben"));
    let (_, first) = say(&ann, &json!({ "message": "内緒の話" })).await;
    let next = json!({ "message": "何の話？", "turn": first["turn"] });
    let (status, answer) = say(&ben, &next).await;
    let nobodys = json!({ "message": "何の話？", "turn": "0".repeat(32) });
    assert_eq!((status, answer), say(&ben, &nobodys).await, "nothing tells that it exists");
    assert_eq!(status, 404);
    talk.model.says(says("内緒です"));
    assert_eq!(say(&ann, &next).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn drops_oldest_turns_when_too_many_or_too_large() {
    let folders = Folders::new();
    for name in ["assistant", "cinema"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with("[chat]\nturns_max = 10\nturn_bytes_max = 2000");
    let mut server = TestServer::start(folders, |it| *it = config).await;
    let mut turns = Vec::new();
    for _ in 0..30 {
        let (status, answer) = post(&server.client(), "{\"message\": \"やあ\"}").await;
        assert_eq!(status, 200, "{answer}");
        turns.push(answer["turn"].as_str().unwrap().to_owned());
    }
    server.restart().await;
    let mut there = Vec::new();
    for turn in &turns {
        let body = json!({ "message": "続き", "turn": turn });
        // Each that is gone on from makes one more, which pushes out the oldest.
        there.push(post(&server.client(), &body.to_string()).await.0 == 200);
    }
    assert_eq!(there[..20], [false; 20], "the oldest went");
    assert!(there[20], "the others are there");
}

#[tokio::test(flavor = "multi_thread")]
async fn resumes_a_stopped_run_and_leaves_no_call_without_a_result() {
    let talk = Talk::with(&["echo"], "[assistants.counter]\nrounds_max = 1").await;
    let echo = |at: usize| calls(&[("echo", json!({ "value": { "at": at } }))]);
    talk.model.says(echo(1)).says(echo(2)).says(says("ここまでです"));
    let first = talk.answer(&json!({ "message": "ずっと" })).await;
    assert_eq!(first["stopReason"], "max_tool_rounds", "ILL-25");
    let second = talk.answer(&json!({ "message": "どう？", "turn": first["turn"] })).await;
    assert_eq!(second["text"], "ここまでです");
    let last = talk.last();
    let parts = last.last().unwrap()["parts"].as_array().unwrap();
    assert!(parts[0]["functionResponse"].to_string().contains("not made"), "{parts:?}");
    assert_eq!(parts[1]["text"], "どう？");
    assert_eq!(talk.model.broken(), [""; 0]);
}
