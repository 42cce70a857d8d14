//! Where in the box office the reader is.

use crate::route::{Address, Spot, decoded, encoded};

/// `#/box-office?date=…&showtime=…` and `#/reservation/ID`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    BoxOffice(Booking),
    Reservation(String),
}

/// How far a booking has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Booking {
    pub(crate) date: Option<String>,
    pub(crate) showtime: Option<String>,
}

impl Spot for At {
    fn read(path: &[&str], query: &str) -> Option<Self> {
        match path {
            ["box-office"] => Some(Self::BoxOffice(Booking::of_query(query))),
            ["reservation", id, ..] => Some(Self::Reservation((*id).to_owned())),
            _ => None,
        }
    }

    fn address(&self) -> Address {
        match self {
            Self::Reservation(id) => Address::new(&["reservation", id], String::new()),
            Self::BoxOffice(booking) => {
                let parts = [("date", &booking.date), ("showtime", &booking.showtime)];
                let parts = parts.iter().filter_map(|(name, value)| {
                    value.as_ref().map(|value| format!("{name}={}", encoded(value)))
                });
                Address::new(&["box-office"], parts.collect::<Vec<_>>().join("&"))
            }
        }
    }
}

impl Booking {
    fn of_query(query: &str) -> Self {
        let mut booking = Self::default();
        for (name, value) in query.split('&').filter_map(|it| it.split_once('=')) {
            let value = Some(decoded(value)).filter(|it| !it.is_empty());
            match name {
                "date" => booking.date = value,
                "showtime" => booking.showtime = value,
                _ => {}
            }
        }
        booking
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::Route;

    #[test]
    fn an_address_leads_back_to_itself() {
        crate::families::register();
        let some = |text: &str| Some(text.to_owned());
        let booking = Booking { date: some("2026-11-21"), showtime: some("上映/1&x") };
        for at in [At::BoxOffice(booking), At::Reservation("r-1 %".to_owned())] {
            assert_eq!(At::of(&Route::parse(&at.hash())), Some(at));
        }
    }
}
