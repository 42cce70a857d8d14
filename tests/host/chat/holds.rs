//! Seats held in the chat and on the page: an assistant and its person see each other's holds (CIN-97).

use serde_json::{Value, json};
use tests::{
    cinema::{free_seats, id, showtimes},
    client::Client,
    server::TestServer,
};

use super::{Talk, allow, calls, results, say, says, waiting};

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
        let show = id(&showtimes(&page).await[0]);
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
    let show = id(&showtimes(&page).await[0]);
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
