//! Routes of the cinema family.

use crate::route::{Address, FamilyRoute, decoded, encoded};

/// `#/box-office?date=…&showtime=…`, `#/box-office/film/TITLE`, `#/box-office/staff/…` and `#/reservation/ID`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    BoxOffice(Booking),
    /// The programme, searched for this title.
    Film(String),
    Staff(Tab),
    Reservation(String),
}

/// An admin view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tab {
    /// The showings of the week and their occupancy.
    #[default]
    Week,
    Films,
    Screens,
    /// Moves a reservation to other seats.
    Party,
    /// The catalogue as a file.
    File,
}

impl Tab {
    pub(crate) const ALL: [Self; 5] =
        [Self::Week, Self::Films, Self::Screens, Self::Party, Self::File];

    /// Name in addresses.
    fn name(self) -> &'static str {
        match self {
            Self::Week => "",
            Self::Films => "films",
            Self::Screens => "screens",
            Self::Party => "party",
            Self::File => "file",
        }
    }
}

/// State of a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Booking {
    pub(crate) date: Option<String>,
    pub(crate) showtime: Option<String>,
}

impl FamilyRoute for At {
    fn read(path: &[&str], query: &str) -> Option<Self> {
        match path {
            ["box-office"] => Some(Self::BoxOffice(Booking::of_query(query))),
            ["box-office", "film", title] => Some(Self::Film((*title).to_owned())),
            ["box-office", "staff"] => Some(Self::Staff(Tab::Week)),
            ["box-office", "staff", name] => {
                Tab::ALL.into_iter().find(|it| it.name() == *name).map(Self::Staff)
            }
            ["reservation", id, ..] => Some(Self::Reservation((*id).to_owned())),
            _ => None,
        }
    }

    fn address(&self) -> Address {
        match self {
            Self::Reservation(id) => Address::new(&["reservation", id], String::new()),
            Self::Film(title) => Address::new(&["box-office", "film", title], String::new()),
            Self::Staff(tab) => {
                let path = ["box-office", "staff", tab.name()];
                let length = if tab.name().is_empty() { 2 } else { 3 };
                Address::new(&path[..length], String::new())
            }
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
    fn address_round_trips() {
        crate::families::register();
        let some = |text: &str| Some(text.to_owned());
        let booking = Booking { date: some("2026-11-21"), showtime: some("上映/1&x") };
        let staff = Tab::ALL.map(At::Staff);
        for at in [
            At::BoxOffice(booking),
            At::Film("七人の侍".to_owned()),
            At::Reservation("r-1 %".to_owned()),
        ]
        .into_iter()
        .chain(staff)
        {
            assert_eq!(At::from_route(&Route::parse(&at.hash())), Some(at));
        }
        let nowhere = Route::parse("#/box-office/staff/nowhere");
        assert_eq!(At::from_route(&nowhere), None, "{nowhere:?}");
    }
}
