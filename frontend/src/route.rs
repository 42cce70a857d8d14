//! Where in the page the reader is: the address after `#`, read and written.

use crate::families::{Filter, Wish};

/// A place of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// `#/box-office?date=…&showtime=…`
    BoxOffice(Booking),
    /// `#/reservation/ID`
    Reservation(String),
    /// `#/counter` and `#/counter/TOOL`
    Counter(Option<String>),
    /// `#/form/HANDLE`: a form to fill in, or to look at once it is answered.
    Form(String),
    /// `#/forms`
    Forms,
    /// `#/navigation?from=…&to=…&condition=…&mode=…&route=…`
    Navigation(Wish),
    /// `#/chat`
    Chat,
    /// `#/conversations?project=…&state=…&agent=…&q=…`
    Conversations(Filter),
    /// `#/conversations/ID`
    Conversation(String),
    /// `#/approvals`: what waits for the reader's word.
    Approvals,
    /// `#/agents`, and `#/agents/PROJECT/AGENT`: the reader's chat with an agent.
    Agents(Option<Seat>),
}

/// An agent's seat in a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seat {
    pub(crate) project: String,
    pub(crate) agent: String,
}

/// How far a booking has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Booking {
    pub(crate) date: Option<String>,
    pub(crate) showtime: Option<String>,
}

impl Default for Route {
    fn default() -> Self {
        Self::BoxOffice(Booking::default())
    }
}

impl Route {
    /// Reads a hash; whatever it does not know is the box office.
    pub(crate) fn parse(hash: &str) -> Self {
        let path = hash.trim_start_matches('#').trim_start_matches('/');
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut parts = path.split('/').map(decoded);
        let (place, name) = (parts.next().unwrap_or_default(), parts.next());
        let name = name.filter(|it| !it.is_empty());
        let next = parts.next().filter(|it| !it.is_empty());
        match (place.as_str(), name) {
            ("counter", name) => Self::Counter(name),
            ("reservation", Some(name)) => Self::Reservation(name),
            ("form", Some(handle)) => Self::Form(handle),
            ("forms", None) => Self::Forms,
            ("chat", None) => Self::Chat,
            ("approvals", None) => Self::Approvals,
            ("agents", project) => {
                let seat = project.zip(next).map(|(project, agent)| Seat { project, agent });
                Self::Agents(seat)
            }
            ("conversations", None) => Self::Conversations(Filter::of_query(query)),
            ("conversations", Some(id)) => Self::Conversation(id),
            ("navigation", None) => Self::Navigation(Wish::of_query(query)),
            _ => Self::BoxOffice(Booking::of_query(query)),
        }
    }

    /// The hash that leads here.
    pub(crate) fn hash(&self) -> String {
        match self {
            Self::Counter(None) => "#/counter".to_owned(),
            Self::Counter(Some(tool)) => format!("#/counter/{}", encoded(tool)),
            Self::Reservation(id) => format!("#/reservation/{}", encoded(id)),
            Self::Form(handle) => format!("#/form/{}", encoded(handle)),
            Self::Forms => "#/forms".to_owned(),
            Self::Chat => "#/chat".to_owned(),
            Self::Approvals => "#/approvals".to_owned(),
            Self::Agents(None) => "#/agents".to_owned(),
            Self::Agents(Some(it)) => {
                format!("#/agents/{}/{}", encoded(&it.project), encoded(&it.agent))
            }
            Self::Conversation(id) => format!("#/conversations/{}", encoded(id)),
            Self::Conversations(filter) => with_query("#/conversations", &filter.query_string()),
            Self::Navigation(wish) => with_query("#/navigation", &wish.query()),
            Self::BoxOffice(booking) => {
                let parts = [("date", &booking.date), ("showtime", &booking.showtime)];
                let parts = parts.iter().filter_map(|(name, value)| {
                    value.as_ref().map(|value| format!("{name}={}", encoded(value)))
                });
                with_query("#/box-office", &parts.collect::<Vec<_>>().join("&"))
            }
        }
    }
}

fn with_query(place: &str, query: &str) -> String {
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{place}{mark}{query}")
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

/// Percent-encodes everything but what is plain in a path.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Undoes `encoded`; what is no encoding stays as it is.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let pair = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_leads_back_to_itself() {
        let some = |text: &str| Some(text.to_owned());
        let booking = Booking { date: some("2026-11-21"), showtime: some("上映/1&x") };
        for route in [
            Route::BoxOffice(booking),
            Route::default(),
            Route::Counter(None),
            Route::Counter(some("reserve_seats")),
            Route::Reservation("r-1 %".to_owned()),
            Route::Form("01JD".to_owned()),
            Route::Conversations(Filter::default()),
            Route::Conversations(Filter { query: "り ん".to_owned(), ..Filter::default() }),
            Route::Conversation("conv_0".to_owned()),
            Route::Forms,
            Route::Chat,
            Route::Agents(None),
            Route::Agents(Some(Seat { project: "demo".to_owned(), agent: "a/b".to_owned() })),
            Route::Navigation(Wish::default()),
            Route::Navigation(Wish {
                from: "東京駅".to_owned(),
                chosen: Some(2),
                ..Wish::default()
            }),
        ] {
            assert_eq!(Route::parse(&route.hash()), route);
        }
    }

    #[test]
    fn an_unknown_or_broken_address_is_the_box_office() {
        for hash in ["", "#", "#/nowhere", "#/reservation", "#/form", "#/%", "#//"] {
            assert_eq!(Route::parse(hash), Route::default(), "{hash}");
        }
        assert_eq!(Route::parse("#/agents/demo"), Route::Agents(None));
        assert_eq!(Route::parse("#/counter/%e"), Route::Counter(Some("%e".to_owned())));
    }
}
