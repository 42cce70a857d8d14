//! Every sample request, on `/rpc` and through MCP, against the sample response (CIN-1 to CIN-6).

use serde_json::{Value, json};

use super::{Cinema, shape::lacks};

/// The literal specification.
const SPECIFICATION: &str = include_str!("../1-cinema.md");

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
