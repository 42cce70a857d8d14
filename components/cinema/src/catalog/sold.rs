//! Seats that were sold, and whether they are still there under another catalogue.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Catalog;
use crate::{programme::ShowtimeId, seats::lay_out};

/// A seat that was sold for a showtime.
#[derive(Clone, Debug, Deserialize)]
pub struct Sold {
    /// Identifier of its showtime.
    pub showtime_id: String,
    /// Identifier of its seat.
    pub seat_id: String,
    /// The film that the buyer wants to see.
    pub movie_id: String,
    /// The reservation that has the seat.
    pub reservation_id: String,
}

impl Catalog {
    /// Those of the sold seats that this catalogue does not have, a line a showtime.
    pub fn lacking(&self, sold: &[Sold]) -> Vec<String> {
        let mut lacking: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for sold in sold.iter().filter(|it| !self.has(it)) {
            let seat = format!("{} ({})", sold.seat_id, sold.reservation_id);
            lacking.entry(&sold.showtime_id).or_default().push(seat);
        }
        lacking
            .into_iter()
            .map(|(showtime, seats)| format!("{showtime}: {}", seats.join(", ")))
            .collect()
    }

    fn has(&self, sold: &Sold) -> bool {
        let Some(id) = ShowtimeId::read(&sold.showtime_id) else { return false };
        let shown = self
            .programme
            .iter()
            .any(|it| it.movie_id == sold.movie_id && it.runs(&id.screen_id, id.date, &id.starts));
        let screen = self.screens.iter().find(|it| it.screen_id == id.screen_id);
        shown
            && screen
                .is_some_and(|it| lay_out(it.plan()).iter().any(|it| it.seat_id == sold.seat_id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{
        "screens": [{ "screen_id": "s1", "name": "一", "rows": [{ "row": "A", "seats": "ss" }] }],
        "movies": [{
            "movie_id": "kimi", "title": "君の名は。", "description": "夢。", "duration": 107, "rating": 4.5
        }],
        "programme": [{ "screen_id": "s1", "movie_id": "kimi", "times": ["10:00"], "days": ["fri"] }]
    }"#;

    fn lacking(showtime_id: &str, seat_id: &str, movie_id: &str) -> Vec<String> {
        let sold = Sold {
            showtime_id: showtime_id.into(),
            seat_id: seat_id.into(),
            movie_id: movie_id.into(),
            reservation_id: "rsv-1".into(),
        };
        Catalog::read(FILE).unwrap().lacking(&[sold])
    }

    #[test]
    fn a_sold_seat_that_is_still_there_is_not_lacking() {
        assert!(lacking("st-20261120-s1-1000", "A2", "kimi").is_empty());
    }

    #[test]
    fn a_lost_seat_day_time_or_film_is_named() {
        let line = "st-20261120-s1-1000: A3 (rsv-1)";
        assert_eq!(lacking("st-20261120-s1-1000", "A3", "kimi"), [line]);
        assert_eq!(lacking("st-20261121-s1-1000", "A2", "kimi").len(), 1);
        assert_eq!(lacking("st-20261120-s1-1030", "A2", "kimi").len(), 1);
        assert_eq!(lacking("st-20261120-s1-1000", "A2", "shichinin").len(), 1);
    }
}
