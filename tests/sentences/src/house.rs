//! Simulated tools for whole chats, which answer from the components' own data.

use std::sync::LazyLock;

use language::turn::{Decision, Failure, ToolCall, ToolResult};
use serde_json::{Value, json};

use super::{Talk, output};

const CINEMA: &str = include_str!("../../../components/cinema/demo.json");
const CARDS: &str = include_str!("../../../components/illustrations/data/cards.json");
/// Maximum number of turns of a chat.
const TURNS_MAX: usize = 9;

/// The result of a sentence: the calls in order, and the last answer.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) calls: Vec<ToolCall>,
    pub(super) text: String,
    /// Whether it ends with a form or with a call that waits for approval.
    pub(super) waits: bool,
}

/// Follows a sentence to its end, a form, or a call that waits for approval.
pub(super) fn follow(talk: &mut Talk, sentence: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let mut decision = talk.say(sentence);
    for _ in 0..TURNS_MAX {
        let calls = match decision {
            Decision::Conclude(conclusion) => {
                outcome.text = conclusion.text();
                return outcome;
            }
            Decision::Call(calls) => calls,
        };
        outcome.calls.extend(calls.iter().cloned());
        let is_held = |call: &ToolCall| {
            [
                "request_form",
                "reserve_seats",
                "cancel_reservation",
                "stop_conversation",
                "pause_conversation",
                "send_chat",
                "write_message",
                "begin_conversation",
            ]
            .contains(&call.name.as_str())
        };
        if calls.iter().any(is_held) {
            outcome.waits = true;
            return outcome;
        }
        let results: Vec<_> = calls.iter().map(answer).collect();
        decision = talk.back(&results);
    }
    panic!("{sentence} comes to no end");
}

fn answer(call: &ToolCall) -> ToolResult {
    let text = |name: &str| call.arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    match call.name.as_str() {
        "list_movies" => output(movies(text("date"), text("title_query"))),
        "list_showtimes" => output(showtimes(text("movie_id"), text("date"))),
        "list_available_seats" => output(seats(text("showtime_id"))),
        "get_reservation" => match text("reservation_id").starts_with("rsv-none") {
            true => failed("reservation_not_found", &[]),
            false => output(reservation(text("reservation_id"))),
        },
        "get_card_illustration" => match card(text("card_name")) {
            Some(name) => {
                output(json!({ "card_name": name, "mimeType": "image/png", "data": "AA" }))
            }
            None => failed("card_not_found", &["雪兎ユキ"]),
        },
        "get_theme_illustrations" => match theme(text("theme")) {
            Some(theme) => {
                let limit = call.arguments.get("limit").and_then(Value::as_u64).unwrap_or(6);
                let cards = theme["cards"].as_array().unwrap().iter().take(limit as usize);
                let all: Vec<_> = cards.map(|it| json!({ "card_name": it["name"] })).collect();
                output(json!({ "illustrations": all }))
            }
            None => failed("theme_not_found", &["蒼晶竜"]),
        },
        "compose_thumbnail" => output(json!({
            "mimeType": "image/png", "data": "AA", "title": call.arguments.get("title"), "cards": call.arguments["cards"],
        })),
        "list_form_submissions" => output(json!({ "forms": [
            { "handle": "f-1", "title": "参加登録", "status": "submitted", "asked_at": "2026-11-20T10:00:00" },
            { "handle": "f-2", "title": "アンケート", "status": "waiting", "asked_at": "2026-11-20T11:00:00" },
        ] })),
        "list_conversations" => output(json!({ "conversations": [{
            "conversation_id": "conv_1", "project_id": "demo", "state": "active", "purpose": "しりとり",
            "members": [{ "agent_id": "worker-a" }, { "agent_id": "worker-b" }],
        }] })),
        "get_conversation" => output(json!({
            "conversation": { "conversation_id": text("conversation_id"), "state": "ended", "purpose": "しりとり", "members": [] },
            "messages": [{ "senderId": "worker-a", "content": "りんご" }],
        })),
        "geocode" => output(json!({
            "location": { "lat": 35.6, "lng": 139.7 }, "formatted_address": text("address"),
        })),
        "route_search" => output(json!({ "routes": [
            { "summary": "国道1号", "distance": { "text": "", "value": 28_000 }, "duration": { "text": "", "value": 3_000 }, "polyline": "_p~iF", "steps": [], "warnings": [] },
            { "summary": "首都高速", "distance": { "text": "", "value": 31_000 }, "duration": { "text": "", "value": 1_900 }, "polyline": "_p~iF", "steps": [], "warnings": [] },
        ] })),
        "distance_compare" => {
            let list = |name: &str| call.arguments[name].as_array().map_or(0, Vec::len);
            let cell = json!({ "status": "OK", "distance": { "text": "", "value": 9_000 }, "duration": { "text": "", "value": 900 } });
            let row = json!({ "elements": vec![cell; list("destinations")] });
            output(json!({ "rows": vec![row; list("origins")] }))
        }
        other => panic!("no tool {other}"),
    }
}

fn failed(code: &str, near: &[&str]) -> ToolResult {
    let mut failure = Failure::new(code, 404, "There is none.");
    failure.data.insert("suggestions".to_owned(), json!(near));
    ToolResult::Failed(failure)
}

fn demo() -> &'static Value {
    static DEMO: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(CINEMA).unwrap());
    &DEMO
}

fn fold(text: &str) -> String {
    let kana = |sign: char| match sign {
        'ァ'..='ヶ' => char::from_u32(u32::from(sign) - 0x60).unwrap(),
        it => it,
    };
    text.to_lowercase().chars().filter(|it| it.is_alphanumeric() && *it != 'ー').map(kana).collect()
}

/// Returns the showings of a day: film, screen and time.
fn programme(date: &str) -> Vec<(String, String, String)> {
    let day: jiff::civil::Date = date.get(..10).unwrap_or_default().parse().unwrap();
    let name = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        [day.weekday().to_monday_zero_offset() as usize];
    let mut all = Vec::new();
    for slot in demo()["programme"].as_array().unwrap() {
        let days = slot["days"].as_array();
        if days.is_some_and(|it| !it.iter().any(|it| it == name)) {
            continue;
        }
        for time in slot["times"].as_array().unwrap() {
            let text = |it: &Value| it.as_str().unwrap().to_owned();
            all.push((text(&slot["movie_id"]), text(time), text(&slot["screen_id"])));
        }
    }
    all
}

fn movies(date: &str, query: &str) -> Value {
    let demo = demo();
    let films = demo["movies"].as_array().unwrap();
    let on = |film: &&Value| {
        let from = date.get(11..16).unwrap_or("00:00");
        let is_on = |showing: &(String, String, String)| {
            film["movie_id"] == showing.0.as_str() && showing.1.as_str() >= from
        };
        if date.is_empty() { 9 } else { programme(date).iter().filter(|it| is_on(it)).count() }
    };
    let query = fold(query);
    let fits = |film: &&Value| {
        let names =
            ["title", "title_en", "reading"].iter().filter_map(|it| film[*it].as_str()).map(fold);
        let near = |name: &String| {
            name.contains(&query) || query.contains(name.as_str()) || is_near(name, &query)
        };
        query.is_empty() || names.into_iter().any(|it| near(&it))
    };
    let found = films.iter().filter(fits).filter(|it| on(it) > 0).map(|film| {
        let mut film = film.clone();
        film["showtimes_count"] = on(&&film).into();
        film
    });
    json!({ "movies": found.collect::<Vec<_>>(), "suggestions": [] })
}

/// Whether a name matches with up to two typos.
fn is_near(name: &str, query: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (name.chars().collect(), query.chars().collect());
    if a.len() < 5 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same = a.iter().zip(&b).take_while(|it| it.0 == it.1).count();
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|it| it.0 == it.1).count();
    same + back + 2 >= a.len().max(b.len())
}

fn showtimes(film: &str, date: &str) -> Value {
    let days = match date {
        "" => vec!["2026-11-21", "2026-11-22", "2026-11-23", "2026-11-24"],
        date => vec![date.get(..10).unwrap_or_default()],
    };
    let mut all = Vec::new();
    for day in days {
        for (id, time, screen) in programme(day).into_iter().filter(|it| it.0 == film) {
            let start: jiff::civil::DateTime = format!("{day}T{time}:00").parse().unwrap();
            let long =
                demo()["movies"].as_array().unwrap().iter().find(|it| it["movie_id"] == *film);
            let long = long.and_then(|it| it["duration"].as_i64()).unwrap();
            let end = start + jiff::SignedDuration::from_mins(long);
            all.push(json!({
                "end_time": end.to_string(),
                "showtime_id": format!("st-{day}-{screen}-{time}"), "movie_id": id, "start_time": format!("{day}T{time}:00"),
                "theater_name": screen, "available_seats_count": 50, "is_open": format!("{day}T{time}").as_str() > "2026-11-21T10:00",
            }));
        }
    }
    json!({ "showtimes": all })
}

fn seats(showing: &str) -> Value {
    let seat = |row: char, number: i64, kind: &str| {
        json!({
            "seat_id": format!("{row}{number}"), "row": row.to_string(), "number": number, "column": number, "kind": kind, "is_reserved": false,
        })
    };
    let mut all: Vec<_> = ('A'..='H')
        .flat_map(|row| (1..=10).map(move |it| (row, it)))
        .map(|it| seat(it.0, it.1, "standard"))
        .collect();
    all.push(seat('H', 11, "wheelchair"));
    json!({ "showtime": { "showtime_id": showing, "start_time": "", "movie_title": "" }, "seats": all })
}

fn reservation(id: &str) -> Value {
    json!({
        "reservation_id": id, "user_id": "u-1", "showtime_id": "st-1", "status": "confirmed", "movie_title": "ゴジラ",
        "start_time": "2026-11-22T16:20:00", "theater_name": "スクリーン1",
        "seats": [{ "seat_id": "A5", "row": "A", "number": 5 }], "reserved_at": "2026-11-20T10:00:00",
    })
}

fn themes() -> &'static [Value] {
    static THEMES: LazyLock<Vec<Value>> = LazyLock::new(|| serde_json::from_str(CARDS).unwrap());
    &THEMES
}

fn card(query: &str) -> Option<String> {
    let query = fold(query.trim_end_matches("ちゃん").trim_end_matches("のカード"));
    let pairs = [
        ("アズール", "蒼晶竜アジュール"),
        ("ソレーユ", "黄金王ソレイユ"),
        ("1000年桜", "千年桜"),
        ("千年さくら", "千年桜"),
        ("sennenzakura", "千年桜"),
        ("thousand year cherry", "千年桜"),
    ];
    if let Some(pair) = pairs.iter().find(|pair| fold(pair.0) == query) {
        return Some(pair.1.to_owned());
    }
    let is = |card: &Value| {
        let names = ["name", "name_en", "reading"].iter().filter_map(|it| card[*it].as_str());
        let message = card["name_en"]
            .as_str()
            .unwrap_or_default()
            .split([' ', ','])
            .map(fold)
            .filter(|it| it.len() > 2 && it != "the");
        names.map(fold).any(|name| {
            name == query
                || !query.is_ascii() && name.ends_with(&query)
                || !query.is_ascii() && query.chars().count() == 1 && name.contains(&query)
        }) || message.into_iter().any(|it| it == query)
    };
    let themes = themes();
    let cards: Vec<_> = themes
        .iter()
        .flat_map(|it| it["cards"].as_array().unwrap())
        .filter(|it| !query.is_empty() && is(it))
        .collect();
    if let [only] = cards[..] { Some(only["name"].as_str().unwrap().to_owned()) } else { None }
}

fn theme(query: &str) -> Option<Value> {
    let query = fold(query);
    let is = |theme: &Value| {
        let names =
            ["name", "name_en", "reading"].iter().filter_map(|it| theme[*it].as_str()).map(fold);
        let colours =
            theme["colours"].as_array().unwrap().iter().filter_map(Value::as_str).map(fold);
        names.chain(colours).any(|it| it == query)
    };
    themes().iter().find(|it| is(it)).cloned()
}
