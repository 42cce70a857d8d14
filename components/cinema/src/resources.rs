//! Resources: the seats of a showing, with subscriptions, and a reservation as a QR code and as a calendar file.

use toolkit::{
    Stop, User,
    resources::{Contents, Page, Resources, Template, fits},
};

use crate::{
    clock::Clock,
    hall::{Hall, SEATS, WAITING},
    reservation::find,
    ticket::{calendar, code},
    tools::{SEATS as SEATS_APP, waits_for},
};

/// QR code of a reservation's number, scanned at the entrance.
const CODE: &str = "cinema://reservations/{reservation_id}/code";
/// Calendar file of a reservation.
const CALENDAR: &str = "cinema://reservations/{reservation_id}/calendar";

/// Resources of seats and tickets.
pub struct CinemaResources;

impl Resources for CinemaResources {
    fn templates() -> Vec<Template> {
        vec![
            Template::new(SEATS, "seats")
                .title("上映時間枠の座席 / The seats of a showtime")
                .description(
                    "Every seat of a showtime and whether it is reserved or held, as list_available_seats has it.",
                )
                .mime_type("application/json"),
            Template::new(WAITING, "waiting")
                .title("利用者のキャンセル待ち / What a user waits for")
                .description("The waiting lists that a user is on, and the seats offered to them, as list_waiting has it.")
                .mime_type("application/json"),
            Template::new(CODE, "code")
                .title("予約のQRコード / The QR code of a reservation")
                .description("The reservation's number as a QR code, to be scanned at the door.")
                .mime_type("image/svg+xml"),
            Template::new(CALENDAR, "calendar")
                .title("予約のカレンダーファイル / A reservation for a calendar")
                .description("The showing of a reservation as an iCalendar file.")
                .mime_type("text/calendar"),
        ]
    }

    fn list(_: Option<&str>) -> Result<Page, Stop> {
        Ok(vec![SEATS_APP.resource(&[])].into())
    }

    fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
        let found = if uri == SEATS_APP.uri {
            Some(SEATS_APP.contents(&[]))
        } else if let Some([showtime_id]) = fits(SEATS, uri) {
            seats(uri, &showtime_id)?
        } else if let Some([user_id]) = fits(WAITING, uri) {
            Some(Contents::json(uri, &waits_for(&user_id, &Clock::for_call()?)?))
        } else if let Some([id]) = fits(CODE, uri) {
            let svg = find(&id)?.map(|it| code(&it.reservation_id));
            svg.map(|it| Contents::text(uri, it).mime_type("image/svg+xml"))
        } else if let Some([id]) = fits(CALENDAR, uri) {
            let entry = find(&id)?.map(|it| calendar(&it)).transpose()?;
            entry.map(|it| Contents::text(uri, it).mime_type("text/calendar"))
        } else {
            None
        };
        Ok(found.map(|it| vec![it]))
    }
}

/// Returns `None` without such a showing.
fn seats(uri: &str, showtime_id: &str) -> Result<Option<Contents>, Stop> {
    match Hall::load(showtime_id, None, &Clock::for_call()?) {
        Err(Stop::Refused(_)) => Ok(None),
        hall => Ok(Some(Contents::json(uri, &hall?.map()?))),
    }
}
