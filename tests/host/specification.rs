//! The cinema's literal specification (`1-cinema.md`): its error codes, and its samples, sent unchanged.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use host::{Server, clock::Clock};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    process::{Process, exported},
    server::Folders,
};

/// 10:00 on Friday, 20 November 2026 at the cinema.
const MORNING: Duration = Duration::from_secs(1_795_136_400);

/// A server whose cinema's clock stands at that morning.
struct Cinema {
    server: Server,
    client: Client,
    _folders: Folders,
}

impl Cinema {
    async fn open() -> Self {
        let folders = Folders::new();
        folders.put("cinema", &component_bytes("cinema"));
        folders.lend_code();
        let clock = Clock::Fixed(Arc::new(Mutex::new(MORNING)));
        let server = Server::start_at(folders.config(), clock).await.expect("it starts");
        let address = server.addr.expect("it listens");
        Self { client: Client::new(&format!("http://{address}")), server, _folders: folders }
    }

    async fn close(self) {
        self.server.stop().await;
    }

    /// The answer of `POST /rpc` to this body.
    async fn rpc(&self, request: &str) -> Value {
        let response = self.client.post("/rpc", &[], request).await;
        assert!(response.status().is_success(), "{}: {request}", response.status());
        response.json().await.expect("the answer is JSON")
    }

    /// The answer of `POST /rpc` to this method and these parameters.
    async fn ask(&self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "method": method, "params": params, "id": 7 });
        self.rpc(&request.to_string()).await
    }
}

// Error codes: numbers on `/rpc` (2.3), refusals through MCP (SYS-8).

const NOON: &str = "st-20261120-mini-1220";

/// Half an hour ago.
const BEGUN: &str = "st-20261120-s1-0930";

fn order(user: &str, showtime: &str, seats: &[&str]) -> Value {
    json!({ "user_id": user, "showtime_id": showtime, "seat_ids": seats })
}

fn keyed(mut arguments: Value) -> Value {
    arguments["idempotency_key"] = json!("k1");
    arguments
}

fn message_of(user: &str, sender: &str) -> Value {
    let message = json!({ "sender": sender, "content": "hi", "timestamp": "2026-11-20T10:00:00" });
    json!({ "conversation_id": "c1", "user_id": user, "message": message })
}

/// A failing call: its code as text and number, its status, and part of its data.
type Wrong = (&'static str, Value, &'static str, i64, u64, Value);

fn wrong_calls() -> Vec<Wrong> {
    let date = json!({ "date": "13.07.2025" });
    let date_data = json!({ "field": "date", "reason": "Invalid date format. Use YYYY-MM-DD." });
    let required =
        json!({ "field": "movie_id", "reason": "is required: a string of 200 characters or less" });
    let invalid = |tool, arguments, data| (tool, arguments, "invalid_params", -32602, 400, data);
    let missing = |tool, arguments, code, data| (tool, arguments, code, -32001, 404, data);
    let conflict = |arguments, code, data| ("reserve_seats", arguments, code, -32009, 409, data);
    let showtime = || json!({ "showtime_id": "x" });
    vec![
        invalid("list_movies", date, date_data),
        invalid("list_showtimes", json!({}), required),
        invalid("reserve_seats", order("u2", NOON, &[]), json!({ "field": "seat_ids" })),
        invalid(
            "record_conversation",
            message_of("u1", "robot"),
            json!({ "field": "message.sender" }),
        ),
        missing(
            "list_showtimes",
            json!({ "movie_id": "x" }),
            "movie_not_found",
            json!({ "movie_id": "x" }),
        ),
        missing("list_available_seats", showtime(), "showtime_not_found", showtime()),
        missing("reserve_seats", order("u2", "x", &["A1"]), "showtime_not_found", showtime()),
        missing(
            "reserve_seats",
            order("u2", NOON, &["Z9"]),
            "seat_not_found",
            json!({ "seat_ids": ["Z9"] }),
        ),
        missing(
            "get_conversation_history",
            json!({ "conversation_id": "x" }),
            "conversation_not_found",
            json!({ "conversation_id": "x" }),
        ),
        conflict(
            order("u2", NOON, &["A1", "A2"]),
            "seat_already_reserved",
            json!({ "seat_ids": ["A2"] }),
        ),
        conflict(order("u2", BEGUN, &["A2"]), "showtime_closed", json!({ "showtime_id": BEGUN })),
        conflict(
            keyed(order("u1", NOON, &["A3"])),
            "idempotency_conflict",
            json!({ "idempotency_key": "k1" }),
        ),
        (
            "record_conversation",
            message_of("u2", "user"),
            "conversation_user_mismatch",
            -32000,
            403,
            json!({ "conversation_id": "c1" }),
        ),
    ]
}

/// A cinema in which u1 has seat A2 at noon, and a conversation.
async fn in_use() -> Cinema {
    let cinema = Cinema::open().await;
    cinema.client.output("reserve_seats", keyed(order("u1", NOON, &["A2"]))).await;
    cinema.client.output("record_conversation", message_of("u1", "user")).await;
    cinema
}

fn has(data: &Value, expected: &Value) -> bool {
    expected.as_object().expect("an object").iter().all(|(name, it)| data[name] == *it)
}

#[tokio::test]
async fn rpc_answers_with_the_codes_of_the_table() {
    let cinema = in_use().await;
    for (tool, arguments, code, number, status, data) in wrong_calls() {
        let answer = cinema.ask(tool, &arguments).await;
        let error = &answer["error"];
        assert_eq!(error["code"], number, "2.3: {tool} {arguments}: {answer}");
        assert_eq!(error["data"]["error"], code, "2.3: {tool} {arguments}: {answer}");
        assert_eq!(error["data"]["status"], status, "2.3: {tool} {arguments}: {answer}");
        assert!(has(&error["data"], &data), "2.3: {tool}: {data} in {answer}");
        assert!(error["message"].as_str().is_some_and(|it| !it.is_empty()), "{answer}");
        assert_eq!((answer.get("result"), &answer["id"]), (None, &json!(7)), "CIN-1: {answer}");
    }
    cinema.close().await;
}

#[tokio::test]
async fn mcp_returns_refusals_with_the_same_codes() {
    let cinema = in_use().await;
    for (tool, arguments, code, _, status, data) in wrong_calls() {
        // `failure` holds that it is a tool's error, without structured content (SYS-8).
        let failure = cinema.client.failure(tool, arguments.clone()).await;
        assert_eq!(failure["error"], code, "SYS-8: {tool} {arguments}");
        assert_eq!(failure["status"], status, "SYS-8: {tool} {arguments}");
        assert!(has(&failure["data"], &data), "SYS-8: {tool}: {data} in {failure}");
        let message = cinema.ask(tool, &arguments).await["error"]["message"].clone();
        assert_eq!(failure["message"], message, "the same words on both surfaces");
    }
    cinema.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reserving_or_recording_creates_the_user() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    let process = Process::start(&folders);
    let client = Client::new(&process.url);
    let show = tests::fixtures::showtime_id(&tests::fixtures::showtimes(&client).await[0]);
    let seats = tests::fixtures::free_seats(&client, &show).await;
    for seat in &seats[..2] {
        client.output("reserve_seats", order("花子", &show, &[seat])).await;
    }
    client.output("record_conversation", message_of("太郎", "user")).await;
    let mut users = exported(&folders, "cinema", "users");
    users.sort_by_key(|it| it["user_id"].to_string());
    let user = |id: &str| json!({ "user_id": id, "name": "", "contact_info": "" });
    let mut expected = [user("花子"), user("太郎")];
    expected.sort_by_key(|it| it["user_id"].to_string());
    assert_eq!(users, expected, "CIN-48, CIN-70");
}

// Every sample request, on `/rpc` and through MCP, against the sample response (CIN-1 to CIN-6).

/// The literal specification.
const SPECIFICATION: &str = include_str!("1-cinema.md");

/// A request of the specification, as text, and the response that it shows.
struct Sample {
    request: String,
    response: Value,
}

impl Sample {
    fn request(&self) -> Value {
        serde_json::from_str(&self.request).expect("a request is JSON once its comments are gone")
    }

    /// The request with only ids and dates replaced.
    fn with(&self, replaced: &[(&str, Value)]) -> Value {
        let mut request = self.request();
        for (name, value) in replaced {
            let param = request["params"].get_mut(*name);
            *param.unwrap_or_else(|| panic!("the sample has no {name}")) = value.clone();
        }
        request
    }
}

/// The samples in the order in which they are written.
fn samples() -> Vec<Sample> {
    let uncommented = |block: &str| {
        let lines = block.lines().map(|it| it.split_once("//").map_or(it, |(code, _)| code));
        lines.collect::<Vec<_>>().join("\n")
    };
    let blocks = SPECIFICATION.split("```json\n").skip(1);
    let blocks: Vec<_> =
        blocks.map(|it| uncommented(it.split_once("```").expect("a block ends").0)).collect();
    let pairs = blocks.chunks_exact(2).map(|pair| Sample {
        request: pair[0].clone(),
        response: serde_json::from_str(&pair[1]).expect("a response is JSON"),
    });
    pairs.collect()
}

/// Current ids and dates.
struct Live {
    movie: Value,
    showtime: Value,
    seats: Vec<Value>,
}

impl Live {
    async fn of(cinema: &Cinema) -> Self {
        let client = &cinema.client;
        let movies = client.output("list_movies", json!({})).await;
        let movie = movies["movies"][0].clone();
        let arguments = json!({ "movie_id": movie["movie_id"] });
        let showtimes = client.output("list_showtimes", arguments).await;
        let showtime =
            showtimes["showtimes"].as_array().expect("a list").last().expect("one").clone();
        let arguments = json!({ "showtime_id": showtime["showtime_id"] });
        let seats = client.output("list_available_seats", arguments).await;
        let seats = seats["seats"].as_array().expect("a list").clone();
        Self { movie, showtime, seats }
    }

    /// The sample with ids and dates of this moment.
    fn request(&self, sample: &Sample) -> Value {
        let date = json!(self.showtime["start_time"].as_str().expect("a time")[..10]);
        let (movie_id, showtime_id) = (&self.movie["movie_id"], &self.showtime["showtime_id"]);
        let seats = json!([self.seats[0]["seat_id"], self.seats[1]["seat_id"]]);
        let title = self.movie["title"].clone();
        match sample.request()["method"].as_str().expect("a method") {
            "list_movies" => sample.with(&[("date", date), ("title_query", title)]),
            "list_showtimes" => sample.with(&[("movie_id", movie_id.clone()), ("date", date)]),
            "list_available_seats" => sample.with(&[("showtime_id", showtime_id.clone())]),
            "reserve_seats" => {
                sample.with(&[("showtime_id", showtime_id.clone()), ("seat_ids", seats)])
            }
            _ => sample.request(),
        }
    }
}

#[test]
fn the_specification_has_six_samples_and_each_method_is_a_tool() {
    let methods: Vec<_> = samples().iter().map(|it| it.request()["method"].clone()).collect();
    let expected = [
        "list_movies",
        "list_showtimes",
        "list_available_seats",
        "reserve_seats",
        "record_conversation",
        "get_conversation_history",
    ];
    assert_eq!(methods, expected, "CIN-2");
}

#[tokio::test]
async fn every_sample_is_answered_on_rpc_in_the_shape_of_its_response() {
    let cinema = Cinema::open().await;
    for sample in samples() {
        let request = Live::of(&cinema).await.request(&sample);
        let answer = cinema.rpc(&request.to_string()).await;
        let lacking = lacks(&sample.response, &answer, "");
        assert!(lacking.is_empty(), "CIN-6: {request}: {lacking:#?}");
        assert_eq!(answer["id"], sample.response["id"], "CIN-1: {request}");
        assert_eq!(answer["jsonrpc"], "2.0", "CIN-1");
    }
    cinema.close().await;
}

#[tokio::test]
async fn answers_every_sample_through_mcp_in_its_results_shape() {
    let cinema = Cinema::open().await;
    for sample in samples() {
        let request = Live::of(&cinema).await.request(&sample);
        let tool = request["method"].as_str().unwrap();
        let result = cinema.client.call(tool, request["params"].clone()).await;
        assert_ne!(result["isError"], true, "CIN-X1: {tool}: {result}");
        let output = &result["structuredContent"];
        let lacking = lacks(&sample.response["result"], output, "");
        assert!(lacking.is_empty(), "CIN-1: {request}: {lacking:#?}");
        let texts = result["content"].as_array().unwrap().iter();
        let same = |part: &Value| {
            let text = part["text"].as_str().unwrap_or_default();
            serde_json::from_str::<Value>(text).is_ok_and(|it| it == *output)
        };
        assert_eq!(texts.filter(|it| same(it)).count(), 1, "SYS-8: the same as text: {result}");
    }
    cinema.close().await;
}

#[tokio::test]
async fn reserved_seats_are_exactly_those_asked_without_is_reserved() {
    let cinema = Cinema::open().await;
    let samples = samples();
    let request = Live::of(&cinema).await.request(&samples[3]);
    let answer = cinema.rpc(&request.to_string()).await;
    let seats = answer["result"]["seats"].as_array().unwrap();
    for (seat, sent) in seats.iter().zip(request["params"]["seat_ids"].as_array().unwrap()) {
        assert_eq!(seat["seat_id"], *sent, "CIN-41");
        assert!(seat["row"].is_string() && seat["number"].is_u64(), "CIN-41: {seat}");
        assert_eq!(seat.as_object().unwrap().len(), 3, "CIN-41: and nothing else: {seat}");
    }
    assert_eq!(seats.len(), 2, "CIN-41");
    cinema.close().await;
}

/// Not one letter replaced: no film is named `string`, and 2025 is over.
#[tokio::test]
async fn every_sample_is_accepted_with_its_placeholders() {
    let cinema = Cinema::open().await;
    let mut answers = Vec::new();
    for sample in samples() {
        answers.push(cinema.rpc(&sample.request).await);
    }
    assert_eq!(answers[0]["result"]["movies"], json!([]), "CIN-14: {}", answers[0]);
    for (index, code) in [(1, "movie_not_found"), (2, "showtime_not_found")] {
        assert_eq!(answers[index]["error"]["code"], -32001, "2.3: {}", answers[index]);
        assert_eq!(answers[index]["error"]["data"]["error"], code);
    }
    // The sample names one seat twice.
    assert_eq!(answers[3]["error"]["code"], -32602, "CIN-44: {}", answers[3]);
    assert_eq!(answers[3]["error"]["data"]["field"], "seat_ids.1", "CIN-44");
    assert_eq!(answers[4]["result"], json!({ "success": true }), "CIN-50");
    let mut message = answers[5]["result"]["history"][0].clone();
    message["message_id"] = json!("string");
    let shown = &samples()[5].response["result"]["history"][0];
    assert_eq!(message, *shown, "CIN-60: what sample (a) recorded is what sample (b) shows");
    for (answer, id) in answers.iter().zip(1..) {
        assert_eq!(answer["id"], id, "CIN-1");
    }
    cinema.close().await;
}

// Compares an answer with a sample: every field of the sample, with the same type; more fields are allowed.

/// Lists what `answer` lacks of `sample`; extra fields are allowed (CIN-4).
///
/// A list in the answer must have entries, or they could not be checked.
pub(super) fn lacks(sample: &Value, answer: &Value, at: &str) -> Vec<String> {
    let wanted = |what: &str| vec![format!("{at} must be {what}: {answer}")];
    match (sample, answer) {
        (Value::Object(fields), Value::Object(found)) => {
            let lacks_field = |(name, sample): (&String, &Value)| match found.get(name) {
                Some(found) => lacks(sample, found, &format!("{at}/{name}")),
                None => vec![format!("{at}/{name} is missing")],
            };
            fields.iter().flat_map(lacks_field).collect()
        }
        (Value::Array(samples), Value::Array(found)) => match samples.first() {
            Some(_) if found.is_empty() => wanted("a list with entries"),
            Some(sample) => {
                let entries = found.iter().enumerate();
                entries
                    .flat_map(|(index, it)| lacks(sample, it, &format!("{at}/{index}")))
                    .collect()
            }
            None => Vec::new(),
        },
        (Value::String(sample), Value::String(found)) if is_time(sample) => {
            if is_time(found) {
                Vec::new()
            } else {
                wanted("a time, YYYY-MM-DDTHH:MM:SS")
            }
        }
        (Value::Number(sample), Value::Number(found)) if sample.is_u64() => {
            if found.is_u64() {
                Vec::new()
            } else {
                wanted("a whole number")
            }
        }
        (Value::String(_), Value::String(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Null, Value::Null) => Vec::new(),
        (sample, _) => wanted(&format!("of the type of {sample}")),
    }
}

/// Whether a text is `YYYY-MM-DDTHH:MM:SS`, without an offset (CIN-21).
fn is_time(text: &str) -> bool {
    let shape = b"dddd-dd-ddTdd:dd:dd";
    let fits = |(byte, shape): (u8, &u8)| {
        if *shape == b'd' { byte.is_ascii_digit() } else { byte == *shape }
    };
    text.len() == shape.len() && text.bytes().zip(shape).all(fits)
}

#[test]
fn finds_missing_mistyped_and_empty_fields() {
    use serde_json::json;
    let sample =
        json!({ "list": [{ "at": "2025-07-13T14:00:00", "count": 3, "rate": 4.5, "on": true }] });
    let entry =
        json!({ "at": "2026-01-01T00:00:00", "count": 0, "rate": 4, "on": false, "more": 1 });
    let with = |field: &str, value: Value| {
        let mut entry = entry.clone();
        entry[field] = value;
        lacks(&sample, &json!({ "list": [entry] }), "")
    };
    assert_eq!(lacks(&sample, &json!({ "list": [entry], "more": [] }), ""), Vec::<String>::new());
    assert_eq!(lacks(&sample, &json!({}), ""), ["/list is missing"]);
    assert_eq!(
        lacks(&sample, &json!({ "list": [] }), ""),
        ["/list must be a list with entries: []"]
    );
    for (field, value) in [
        ("at", json!("2026-01-01T00:00:00Z")),
        ("at", json!("2026-01-01")),
        ("count", json!(3.5)),
        ("count", json!("3")),
        ("rate", json!("4.5")),
        ("on", json!(null)),
    ] {
        assert_eq!(with(field, value).len(), 1, "{field}");
    }
}
