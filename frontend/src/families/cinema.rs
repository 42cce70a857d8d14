//! Booking: halls, programmes, bookings and tickets.

use leptos::prelude::*;
use output::cinema::{History, Movies, Reservation, SeatMap, Showtimes};
use serde_json::{Value, json};

use crate::dates;
use crate::error::Refusal;
use crate::page::{lasting, page};
use crate::part::{Part, part};
use crate::route::{FamilyRoute, Route};
use crate::table::{
    ActivitySource, Draw, DrawFacts, Drawing, Facts, Family, Found, NONE, Ongoing, Outputs, Place,
    Search, View, all_listed, counted, fits, listed, text,
};
use crate::text::Key;
use crate::views::part::drawn_by;

mod hall;
mod look;
mod place;
mod programme;
mod staff;
mod views;

use place::{At, Booking};
use staff::AdminPermission;
use views::box_office::{BoxOffice, Office, SEATS};
use views::choice::SeatMapView;
use views::history::ConversationView;
use views::movies::{MoviesView, ShowtimesView};
use views::request::RequestFacts;
use views::staff::StaffView;
use views::ticket::{TicketCard, TicketView};

/// The admin stage, and the prefix of a ticket's stage.
const STAFF_STAGE: &str = "staff";
const TICKET_STAGE: &str = "ticket ";

/// The tool that lists the reservations of a name.
const RESERVATIONS: &str = "list_reservations";

/// Maximum number of coming visits that are named.
const VISITS_MAX: usize = 3;

/// Maximum number of seats of one call that are named.
const SEATS_MAX: usize = 100;

pub(super) static FAMILY: Family = Family {
    tools: ("cinema", Key::BoxOffice),
    places: &[Place {
        tool: "list_movies",
        name: Key::BoxOffice,
        reading: "ちけっとまどぐち",
        icon: "M3 5h14v3a2 2 0 0 0 0 4v3H3v-3a2 2 0 0 0 0-4zM12 5v10",
        start: || At::BoxOffice(Booking::default()).route(),
        read: At::canonical,
        stage: |route| match At::from_route(route)? {
            At::BoxOffice(_) | At::Film(_) => Some(String::new()),
            At::Staff(_) => Some(STAFF_STAGE.to_owned()),
            At::Reservation(id) => Some(format!("{TICKET_STAGE}{id}")),
        },
        code: &OFFICE,
        title: |route| {
            match At::from_route(route) {
                Some(At::Reservation(_)) => Key::StepTicket,
                Some(At::Staff(_)) => Key::StaffPlace,
                _ => Key::BoxOffice,
            }
            .say()
            .to_owned()
        },
    }],
    views: &[
        View::new("movies"),
        View::new("showtimes"),
        View::new("seat_map"),
        View::new("reservation"),
        View::new("history"),
    ],
    approval_text: |tool, params, lang| {
        let seats = if tool == "reserve_seats" { seats(params) } else { Vec::new() };
        let names = seats.join(lang.comma());
        match seats.len() {
            0 => None,
            1 => Some((Key::CardAskReserveOne, vec![names])),
            count => Some((Key::CardAskReserve, vec![names, count.to_string()])),
        }
    },
    facts: Some(Facts {
        // Beside a reservation, other arguments are what it would become.
        covered: |params| match ["reservation_id", "showtime_id"].map(|it| params.get(it).is_some())
        {
            [true, _] => &["reservation_id", "user_id"],
            [_, true] => &["showtime_id", "seat_ids", "user_id"],
            _ => &[],
        },
        code: &FACTS,
    }),
    advice: |refusal, lang| {
        let key = match refusal.code.as_str() {
            "movie_not_found" => Key::ErrMovieNotFound,
            "showtime_not_found" => Key::ErrShowtimeNotFound,
            "seat_not_found" => Key::ErrSeatNotFound,
            "showtime_closed" => Key::ErrShowtimeClosed,
            "seat_held" => Key::ErrSeatHeld,
            "hold_expired" | "hold_not_found" => Key::HoldEnded,
            "idempotency_conflict" => Key::ErrIdempotency,
            "reservation_cancelled" => Key::ErrReservationCancelled,
            "reservation_not_found" => Key::ErrReservationNotFound,
            "conversation_not_found" => Key::ErrConversationNotFound,
            "reservation_user_mismatch" => Key::ErrReservationUser,
            "conversation_full" => Key::ErrConversationFull,
            "conversation_user_mismatch" => Key::ErrConversationUser,
            "seat_data_unavailable" => Key::ErrSeatData,
            "staff_only" if !refusal.about("scope").is_empty() => {
                return Some(lang.fill(Key::ErrScope, &[refusal.about("scope")]));
            }
            "seat_already_reserved" => match refused_seats(refusal).join(lang.comma()) {
                none if none.is_empty() => Key::ErrSeatReservedBare,
                seats => return Some(lang.fill(Key::ErrSeatReserved, &[&seats])),
            },
            _ => return None,
        };
        Some(lang.say(key).to_owned())
    },
    note: |tool, value| {
        Zone::learn(text(value, "timezone"));
        if let Some(user) = text(value, "user_id").filter(|_| tool == "reserve_seats") {
            views::box_office::keep_name(user);
        }
    },
    home_link: Some(Key::FrontBook),
    activity: Some(ActivitySource {
        tool: RESERVATIONS,
        arguments: || {
            let names = views::box_office::kept_names(None).into_iter();
            names.map(|name| json!({ "user_id": name })).collect()
        },
        resource: None,
        read: |outputs| visits(outputs, &dates::now()),
    }),
    search: Some(Search {
        tool: "list_movies",
        arguments: |sought| json!({ "title_query": sought }),
        read: |value| {
            let found = |film: &Value| {
                let title = text(film, "title")?.to_owned();
                Some(Found {
                    route: At::Film(title.clone()).route(),
                    title,
                    english: text(film, "title_en").map(str::to_owned),
                    is_found: true,
                })
            };
            listed(value, "movies").iter().filter_map(found).collect()
        },
        kind: Key::StepFilm,
    }),
    example: Some(("list_movies", Key::ChatExBook)),
    provide: || {
        let office = Office::new();
        provide_context(office);
        // The address of a film starts a search for it.
        Effect::new(move |_| {
            if let Some(At::Film(title)) = page().route.with(At::from_route) {
                office.query.set(title);
            }
        });
        provide_context(AdminPermission::new());
    },
    outputs: &OUTPUTS,
    within: &[&SEATS, &TICKET],
    ..NONE
};

/// The view that the page opens with is not split off.
static OFFICE: Part<Draw> = Part::always(&Draw(|stage| match stage {
    STAFF_STAGE => drawn_by(&STAFF, |it| (it.0)("")),
    other => match other.strip_prefix(TICKET_STAGE).map(str::to_owned) {
        Some(id) => drawn_by(&TICKET, move |it| (it.0)(&id)),
        None => any_view! { <BoxOffice/> },
    },
}));

/// Admin views; customers never load them.
static STAFF: Part<Draw> = part!(staff: Draw = &Draw(|_| any_view! { <StaffView/> }));

static TICKET: Part<Draw> =
    part!(cinema_cards: Draw = &Draw(|id| any_view! { <TicketView id=id.to_owned()/> }));

static FACTS: Part<DrawFacts> =
    part!(cinema_cards: DrawFacts = &DrawFacts(|params| any_view! { <RequestFacts params/> }));

static OUTPUTS: Part<Outputs> = part!(cinema_cards: Outputs = &Outputs(&[
    Drawing {
        draw: |value, _| {
            let movies = fits::<Movies>(value)?;
            Some(any_view! { <MoviesView movies/> })
        },
        summary: |value| counted(Key::CardFilms, fits::<Movies>(value)?.movies.len()),
    },
    Drawing {
        draw: |value, _| {
            let showtimes = fits::<Showtimes>(value)?;
            Some(any_view! { <ShowtimesView showtimes/> })
        },
        summary: |value| counted(Key::CardShowtimes, fits::<Showtimes>(value)?.showtimes.len()),
    },
    Drawing {
        draw: |value, _| {
            let map = fits::<SeatMap>(value)?;
            Some(any_view! { <SeatMapView map/> })
        },
        summary: |value| {
            let seats = fits::<SeatMap>(value)?.seats;
            counted(Key::CardSeats, seats.iter().filter(|it| it.is_free()).count())
        },
    },
    Drawing {
        draw: |value, _| {
            let reservation = fits::<Reservation>(value)?;
            Some(any_view! { <TicketCard reservation/> })
        },
        summary: |value| {
            Some((Key::CardReservation, vec![fits::<Reservation>(value)?.reservation_id]))
        },
    },
    Drawing {
        draw: |value, _| {
            let history = fits::<History>(value)?;
            Some(any_view! { <ConversationView history/> })
        },
        summary: |value| counted(Key::CardMessages, fits::<History>(value)?.history.len()),
    },
]));

/// The cinema's time zone, once known.
#[derive(Clone, Copy)]
struct Zone(RwSignal<Option<String>>);

impl Zone {
    /// Returns the page's own instance.
    fn shared() -> Self {
        lasting(|| Self(RwSignal::new(None)))
    }

    /// Notes the zone that an output names.
    fn learn(zone: Option<&str>) {
        let known = Self::shared().0;
        if zone.is_some() && known.with_untracked(|it| it.as_deref() != zone) {
            known.set(zone.map(str::to_owned));
        }
    }
}

/// The coming visits, the next one first, by the cinema's clock, or by the reader's, `now`, if it gives none. Of
/// many, the last ones are counted.
fn visits(outputs: &[Value], now: &str) -> Vec<Ongoing> {
    let now = outputs.iter().find_map(|it| text(it, "now")).unwrap_or(now);
    let visit = |reservation: &Value| {
        let start = text(reservation, "start_time").filter(|it| *it > now)?;
        let title = text(reservation, "movie_title")
            .filter(|_| text(reservation, "status") == Some("confirmed"))?;
        Some(Ongoing {
            phrase: (Key::FrontVisitToo, vec![title.to_owned()]),
            english: text(reservation, "movie_title_en").map(str::to_owned),
            at: Some((start.to_owned(), text(reservation, "timezone").map(str::to_owned))),
            route: At::Reservation(text(reservation, "reservation_id")?.to_owned()).route(),
            waiting: 0,
        })
    };
    let mut rest: Vec<_> = all_listed(outputs, "reservations").filter_map(visit).collect();
    // A handful at most: sorting would be more code on every visit of the page.
    let next = |_| {
        let next = rest.iter().enumerate().min_by_key(|it| &it.1.at)?.0;
        Some(rest.remove(next))
    };
    let mut visits: Vec<_> = (0..VISITS_MAX).map_while(next).collect();
    if let Some(next) = visits.first_mut() {
        next.phrase.0 = Key::FrontVisit;
    }
    let rest = rest.len();
    visits.extend((rest > 0).then(|| Ongoing {
        phrase: (Key::FrontVisits, vec![rest.to_string()]),
        english: None,
        at: None,
        route: Route::Counter(Some(RESERVATIONS.to_owned())),
        waiting: 0,
    }));
    visits
}

/// The seats named by a refusal.
fn refused_seats(refusal: &Refusal) -> Vec<String> {
    listed(&refusal.data, "seat_ids").iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The seats of a call.
fn seats(params: &Value) -> Vec<String> {
    let list = params.get("seat_ids").or_else(|| params.get("seats")).and_then(Value::as_array);
    let seats = list.into_iter().flatten().filter_map(Value::as_str);
    seats.take(SEATS_MAX).map(|it| it.chars().take(12).collect()).collect()
}

#[cfg(test)]
mod tests {
    use output::cinema::{ReservationStatus, Reservations};
    use serde_json::json;

    use super::*;
    use crate::families;
    use crate::mcp::wire::Tool;
    use crate::table::{advice, approval_text, summary};
    use crate::text::Lang;

    #[test]
    fn summarises_output_that_matches_its_view() {
        families::register();
        let map = json!({ "seats": [
            { "seat_id": "A1", "row": "A", "number": 1, "is_reserved": false },
            { "seat_id": "A2", "row": "A", "number": 2, "is_reserved": true },
        ] });
        assert_eq!(summary(Some("seat_map"), &map), Some((Key::CardSeats, vec!["1".to_owned()])));
        assert_eq!(summary(Some("seat_map"), &json!([])), None);
        let strange = Some((Key::Answer, Vec::new()));
        assert_eq!(summary(Some("strange"), &map), strange, "drawn as data");
        assert_eq!(summary(None, &map), None);
    }

    #[test]
    fn explains_refusal_in_readers_language() {
        families::register();
        let refusal = json!({ "error": "seat_already_reserved", "status": 409,
            "message": "Seat A2 is already occupied.", "data": { "seat_ids": ["A2", "A3"] } });
        let refusal = Refusal::new(Some(&refusal), None);
        let texts = [Lang::Ja, Lang::En].map(|it| advice(&refusal, it).unwrap());
        let right = [
            "A2、A3 はすでに予約されています。別の座席をお選びください。",
            "Already taken: A2, A3. Please pick another seat.",
        ];
        assert_eq!(texts, right);
        let staff = |data: Value| {
            let refusal = json!({ "error": "staff_only", "message": "…", "data": data });
            advice(&Refusal::new(Some(&refusal), None), Lang::En)
        };
        assert!(staff(json!({ "scope": "cinema:staff" })).unwrap().contains("cinema:staff"));
        assert_eq!(staff(json!({})), None, "its own text says it");
    }

    #[test]
    fn names_coming_visits_and_counts_the_rest() {
        let reservation = |id: &str, start: &str, status| Reservation {
            reservation_id: id.to_owned(),
            movie_title: Some("七人の侍".to_owned()),
            movie_title_en: Some("Seven Samurai".to_owned()),
            start_time: Some(start.to_owned()),
            status,
            timezone: Some("Asia/Tokyo".to_owned()),
            ..Reservation::default()
        };
        let (confirmed, cancelled) = (ReservationStatus::Confirmed, ReservationStatus::Cancelled);
        let mut reservations = vec![
            reservation("late", "2026-11-30T09:00:00", confirmed),
            reservation("past", "2026-11-26T09:00:00", confirmed),
            reservation("off", "2026-11-27T09:00:00", cancelled),
            reservation("next", "2026-11-28T18:30:00", confirmed),
        ];
        let value = |reservations: &[Reservation]| {
            let (reservations, reservations_count) = (reservations.to_vec(), 4);
            let all = Reservations { reservations, reservations_count, now: None };
            serde_json::to_value(all).unwrap()
        };
        let mut few = value(&reservations);
        let found = visits(std::slice::from_ref(&few), "2026-11-26T10:00:00");
        let at = |id: &str| At::Reservation(id.to_owned()).route();
        let routes = |all: &[Ongoing]| all.iter().map(|it| it.route.clone()).collect::<Vec<_>>();
        assert_eq!(routes(&found), [at("next"), at("late")]);
        assert_eq!(found[0].phrase, (Key::FrontVisit, vec!["七人の侍".to_owned()]));
        assert_eq!(found[0].english.as_deref(), Some("Seven Samurai"));
        let zone = Some("Asia/Tokyo".to_owned());
        assert_eq!(found[0].at, Some(("2026-11-28T18:30:00".to_owned(), zone)));
        assert_eq!(found[1].phrase.0, Key::FrontVisitToo);
        assert!(visits(std::slice::from_ref(&few), "2026-12-01T00:00:00").is_empty());
        few["now"] = json!("2026-11-28T20:00:00");
        assert_eq!(
            routes(&visits(std::slice::from_ref(&few), "2026-11-26T10:00:00")),
            [at("late")],
            "by its own clock"
        );

        let (first, second) = (value(&reservations[3..]), value(&reservations[..1]));
        let found = visits(&[second, first], "2026-11-26T10:00:00");
        assert_eq!(routes(&found), [at("next"), at("late")], "of all names");

        let later = |day| reservation("later", &format!("2026-12-{day}T09:00:00"), confirmed);
        reservations.extend((10..13).map(later));
        let found = visits(&[value(&reservations)], "2026-11-26T10:00:00");
        assert_eq!(found.len(), VISITS_MAX + 1);
        assert_eq!(found[VISITS_MAX].phrase, (Key::FrontVisits, vec!["2".to_owned()]));
    }

    #[test]
    fn names_reservation_by_its_seats() {
        families::register();
        let params = json!({ "seat_ids": ["A5", "A6"] });
        let tool = |name: &str, owner: &str| {
            let meta = serde_json::Map::from_iter([(owner.to_owned(), json!("cinema"))]);
            Tool { name: name.to_owned(), meta, ..Tool::default() }
        };
        let own = "madoguchi/component";
        let reserve = tool("reserve_seats", own);
        let text = approval_text(&reserve, &params, Lang::Ja);
        assert_eq!(text, Some((Key::CardAskReserve, vec!["A5、A6".to_owned(), "2".to_owned()])));
        assert_eq!(approval_text(&reserve, &json!({}), Lang::Ja), None);
        assert_eq!(approval_text(&tool("show_seats", own), &params, Lang::Ja), None);
        let foreign = tool("reserve_seats", "madoguchi/server");
        assert_eq!(approval_text(&foreign, &params, Lang::Ja), None);

        let many: Vec<_> = (1..=40).map(|it| format!("A{it}")).collect();
        let text = approval_text(&reserve, &json!({ "seat_ids": many }), Lang::En).unwrap();
        assert_eq!(text.1[1], "40");
    }

    #[test]
    fn change_of_reservation_keeps_its_new_values() {
        let covered = FAMILY.facts.as_ref().unwrap().covered;
        let order = json!({ "showtime_id": "st-1", "seat_ids": ["A1"], "hold_token": "h" });
        assert_eq!(covered(&order), ["showtime_id", "seat_ids", "user_id"]);
        let change = json!({ "reservation_id": "r", "showtime_id": "st-1", "seat_ids": ["A1"] });
        assert_eq!(covered(&change), ["reservation_id", "user_id"]);
        assert!(covered(&json!({ "title_query": "a" })).is_empty());
    }
}
