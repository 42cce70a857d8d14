//! What a call of the cinema's tools would do, in words for the person who is to allow it: film, time, seats and name.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{Reservation, ReservedSeat, SeatMap};
use serde_json::{Value, json};

use crate::call::fetch;
use crate::dates;
use crate::families::cinema::hall::{Hall, Picks};
use crate::families::cinema::programme::{name, price};
use crate::families::cinema::seats;
use crate::table::text;
use crate::text::{Key, Lang};

/// Draws the arguments as a reservation. What their ids stand for is looked up; until then, and where that fails, the
/// ids are shown.
#[component]
pub(crate) fn RequestFacts(params: Value) -> impl IntoView {
    let found = RwSignal::new(requested(&params, Reservation::default()));
    spawn_local(async move {
        if let Some(reservation) = looked_up(&params).await {
            let _ = found.try_set(requested(&params, reservation));
        }
    });
    let row = |(key, value): (Key, String)| {
        view! { <div class="call-argument"><dt>{key}</dt><dd>{value}</dd></div> }
    };
    view! {
        <dl class="call-arguments">
            {move || found.with(|it| facts(it, Lang::spoken())).into_iter().map(row).collect_view()}
        </dl>
    }
}

/// The reservation that the call is about, or would make, as far as the cinema knows it.
async fn looked_up(params: &Value) -> Option<Reservation> {
    if let Some(id) = text(params, "reservation_id") {
        return fetch("get_reservation", json!({ "reservation_id": id })).await.ok();
    }
    let id = text(params, "showtime_id")?;
    let arguments = json!({ "showtime_id": id, "include_reserved": true });
    let map: SeatMap = fetch("list_available_seats", arguments).await.ok()?;
    let hall = Hall::new(&map);
    let mut picks = Picks::default();
    picks.take(&hall, &seats(params));
    let showtime = map.showtime?;
    Some(Reservation {
        movie_title: showtime.movie_title,
        movie_title_en: showtime.movie_title_en,
        start_time: Some(showtime.start_time),
        theater_name: showtime.theater_name,
        theater_name_en: showtime.theater_name_en,
        total: hall.total(&picks).filter(|_| !picks.is_empty()),
        timezone: map.timezone,
        ..Reservation::default()
    })
}

/// What was found, with the arguments themselves: they are what is allowed.
fn requested(params: &Value, mut found: Reservation) -> Reservation {
    let own = |name: &str| text(params, name).map(str::to_owned);
    found.user_id = own("user_id").unwrap_or(found.user_id);
    // Beside a reservation, a showing and seats are what it would become.
    if let Some(id) = own("reservation_id") {
        return Reservation { reservation_id: id, showtime_id: String::new(), ..found };
    }
    found.showtime_id = own("showtime_id").unwrap_or_default();
    let seat = |seat_id| ReservedSeat { seat_id, ..ReservedSeat::default() };
    found.seats = seats(params).into_iter().map(seat).collect();
    found
}

/// The rows, without empty ones.
fn facts(found: &Reservation, lang: Lang) -> Vec<(Key, String)> {
    let film = name(found.movie_title.as_deref(), found.movie_title_en.as_deref(), lang);
    let is_unknown = film.is_none();
    let id = |id: &String| Some(id.clone()).filter(|_| is_unknown);
    let screen = name(found.theater_name.as_deref(), found.theater_name_en.as_deref(), lang);
    let start = found.start_time.as_deref();
    let seats: Vec<_> = found.seats.iter().map(|it| it.seat_id.as_str()).collect();
    let rows = [
        (Key::StepFilm, film),
        (Key::StepShowtime, start.map(|it| dates::local(it, found.timezone.as_deref(), lang))),
        (Key::StepShowtime, id(&found.showtime_id)),
        (Key::ReservationNumber, id(&found.reservation_id)),
        (Key::Screen, screen),
        (Key::Seats, Some(seats.join(lang.comma()))),
        (Key::ReservedFor, Some(found.user_id.clone())),
        (Key::TotalPrice, found.total.as_ref().map(|it| price(it, lang))),
    ];
    let rows = rows.into_iter().filter_map(|(key, value)| Some((key, value?)));
    rows.filter(|it| !it.1.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_ids_only_while_their_meaning_is_unknown() {
        let params = json!({ "showtime_id": "st-1", "seat_ids": ["A1", "A2"], "user_id": "花子" });
        let unknown = requested(&params, Reservation::default());
        let row = |key, value: &str| (key, value.to_owned());
        let (seats, user) = (row(Key::Seats, "A1、A2"), row(Key::ReservedFor, "花子"));
        let expected = [row(Key::StepShowtime, "st-1"), seats.clone(), user.clone()];
        assert_eq!(facts(&unknown, Lang::Ja), expected);
        let film = Reservation {
            movie_title: Some("七人の侍".to_owned()),
            theater_name: Some("シアター1".to_owned()),
            user_id: "太郎".to_owned(),
            ..Reservation::default()
        };
        let known = facts(&requested(&params, film), Lang::Ja);
        let film = [row(Key::StepFilm, "七人の侍"), row(Key::Screen, "シアター1")];
        assert_eq!(known, [&film[..], &[seats, user]].concat(), "what is allowed is what is asked");
    }

    #[test]
    fn change_of_reservation_shows_it_as_it_is() {
        let seat = ReservedSeat { seat_id: "B1".to_owned(), ..ReservedSeat::default() };
        let before = Reservation { seats: vec![seat], ..Reservation::default() };
        let params = json!({ "reservation_id": "r1", "showtime_id": "st-2", "seat_ids": ["A1"] });
        let row = |key, value: &str| (key, value.to_owned());
        let expected = [row(Key::ReservationNumber, "r1"), row(Key::Seats, "B1")];
        assert_eq!(facts(&requested(&params, before), Lang::Ja), expected);
    }
}
