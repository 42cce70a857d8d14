//! The seats of a showing as a resource: a page that draws a hall subscribes to it, and reads again when it changes.

use output::cinema::SeatMap;
use toolkit::{
    Stop, User,
    resources::{Contents, Page, Resources, Template, fits},
};

use crate::{clock::Clock, hall::Hall, notices::SEATS, reservation::seats_per_reservation_max};

/// The halls.
pub struct Halls;

impl Resources for Halls {
    fn templates() -> Vec<Template> {
        vec![
            Template::new(SEATS, "seats")
                .title("上映時間枠の座席 / The seats of a showtime")
                .description(
                    "Every seat of a showtime and whether it is reserved or held, as list_available_seats has it.",
                )
                .mime_type("application/json"),
        ]
    }

    fn list(_: Option<&str>) -> Result<Page, Stop> {
        Ok(Vec::new().into())
    }

    fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
        let Some([showtime_id]) = fits(SEATS, uri) else { return Ok(None) };
        match Hall::of(&showtime_id, None, &Clock::of_call()?) {
            Ok(Hall { showtime, seats }) => {
                let seats_max = u32::try_from(seats_per_reservation_max()?).ok();
                let map = SeatMap { seats, showtime: Some(showtime), seats_max };
                Ok(Some(vec![Contents::json(uri, &map)]))
            }
            Err(Stop::Refused(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}
