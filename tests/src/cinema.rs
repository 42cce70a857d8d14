//! The cinema's catalogue for tests, read through its tools.

use serde_json::{Value, json};

use crate::client::Client;

/// The showtimes to come with the most free seats, most first.
pub async fn showtimes(client: &Client) -> Vec<Value> {
    let movies = client.output("list_movies", json!({})).await;
    let mut showtimes = Vec::new();
    for movie in movies["movies"].as_array().expect("a list") {
        let arguments = json!({ "movie_id": movie["movie_id"] });
        let listed = client.output("list_showtimes", arguments).await;
        showtimes.extend(listed["showtimes"].as_array().expect("a list").iter().cloned());
    }
    // Those of today may begin while the test runs.
    let day = |it: &Value| it["start_time"].as_str().expect("a time")[..10].to_owned();
    let last = showtimes.iter().map(day).max().expect("there are showtimes");
    showtimes.retain(|it| day(it) == last);
    showtimes.sort_by_key(|it| std::cmp::Reverse(it["available_seats_count"].as_u64()));
    showtimes
}

/// The free seats of a showtime.
pub async fn free_seats(client: &Client, showtime_id: &str) -> Vec<String> {
    let map = client.output("list_available_seats", json!({ "showtime_id": showtime_id })).await;
    let seats = map["seats"].as_array().expect("a list").iter();
    seats.map(|it| it["seat_id"].as_str().expect("an id").to_owned()).collect()
}

/// The id of a showtime.
pub fn id(showtime: &Value) -> String {
    showtime["showtime_id"].as_str().expect("an id").to_owned()
}
