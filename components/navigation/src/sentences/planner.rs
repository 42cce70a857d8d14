//! The built-in planner: parses constraints by tables and chooses routes by rules. It needs no model, key or network,
//! is deterministic, and says that it is the planner.

mod constraints;
mod explain;
mod found;
mod grammar;
mod parse;
mod plan;

use jiff::Timestamp;
use language::{
    Date, Language,
    scan::normal,
    turn::{Answered, Decision},
};
use serde::Deserialize;

pub(super) use self::{
    constraints::{Constraints, Rule},
    grammar::spans,
    plan::{COMPARE, SEARCH},
};

/// A requested route.
#[derive(Clone, Debug)]
pub(super) struct RouteRequest {
    /// Where the route begins.
    pub origin: String,
    /// Where the route ends.
    pub destination: String,
    /// The constraints, as a sentence.
    pub message: String,
    /// Earlier messages, oldest first.
    pub history: Vec<Remark>,
    /// The caller's language.
    pub language: Language,
    /// The time of the request.
    pub now: Timestamp,
    /// Whether a distance table is available.
    pub has_table: bool,
    /// Stops, in order.
    pub via: Vec<String>,
}

/// One entry of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Remark {
    /// Whether it is from the person, rather than the assistant.
    pub is_user: bool,
    /// The text of the message.
    pub content: String,
}

/// Plans by constraints: of a sentence with earlier messages, or of a kind of route.
pub(super) struct Planner {
    request: RouteRequest,
    constraints: Option<Constraints>,
    /// Whether stops that are no place are left out, which the explanation says.
    leaves_out: bool,
}

impl Planner {
    /// Creates a planner for the request's sentence.
    pub(super) fn from_sentence(request: RouteRequest) -> Self {
        Self { request, constraints: None, leaves_out: true }
    }

    /// Creates a planner for the request's sentence as an order for a route, which needs no other constraints.
    pub(super) fn from_order(request: RouteRequest) -> Self {
        let mut constraints = parse::conversation(&request);
        constraints.once.is_read = true;
        Self { request, constraints: Some(constraints), leaves_out: true }
    }

    /// Creates a planner with given constraints. A stop that is no place ends its search: the answer has no explanation.
    pub(super) fn from_constraints(request: RouteRequest, mut constraints: Constraints) -> Self {
        constraints.once.is_read = true;
        Self { request, constraints: Some(constraints), leaves_out: false }
    }

    /// Decides on the next step after `answered`, the calls of the turn before.
    pub(super) fn next(&mut self, answered: &[Answered]) -> Decision {
        let constraints =
            self.constraints.get_or_insert_with(|| parse::conversation(&self.request));
        if answered.is_empty() {
            return Decision::Call(plan::calls(&self.request, constraints));
        }
        // A stop that is no place does not end the search.
        let known = if self.leaves_out { plan::known_stops(answered) } else { None };
        if let Some(stops) = known {
            let (request, constraints) = with_stops(&self.request, constraints, stops);
            return Decision::Call(plan::calls(&request, &constraints));
        }
        Decision::Conclude(explain::conclusion(&self.request, constraints, answered))
    }
}

/// The request with these stops.
fn with_stops(
    request: &RouteRequest,
    constraints: &Constraints,
    via: Vec<String>,
) -> (RouteRequest, Constraints) {
    let constraints = Constraints { via: Vec::new(), ..constraints.clone() };
    (RouteRequest { via, ..request.clone() }, constraints)
}

/// Whether `sentence` has a constraint that the planner knows, on top of the earlier ones `constraint_texts`.
pub(super) fn has_constraint(constraint_texts: &[String], sentence: &str, now: Timestamp) -> bool {
    let before = constraint_texts
        .iter()
        .fold(Constraints::default(), |before, text| parse::sentence(text, &before.lasting(), now));
    parse::sentence(sentence, &before.lasting(), now).once.is_read
}

/// Whether `sentence` asks for the arrival time.
pub(super) fn asks_arrival(sentence: &str) -> bool {
    parse::asks_arrival(&normal(sentence))
}

/// Whether `sentence` only asks for trains, buses or planes, which searches do not support.
pub(super) fn is_by_transit(sentence: &str, now: Timestamp) -> bool {
    parse::is_by_transit(sentence, now)
}

/// Whether `sentence` takes back all constraints.
pub(super) fn is_anything(sentence: &str, today: Date) -> bool {
    parse::is_anything(&grammar::tokens(&normal(sentence), today))
}

/// Formats the constraints that hold for the return route: the mode, unless `rest` has one, and what to avoid.
pub(super) fn return_constraints(
    constraint_texts: &[String],
    rest: &str,
    is_english: bool,
) -> String {
    let read = |held: Constraints, text: &str| {
        parse::sentence(text, &held.lasting(), Timestamp::UNIX_EPOCH)
    };
    let held = constraint_texts.iter().fold(Constraints::default(), |held, text| read(held, text));
    let held = read(held, rest);
    let is_new_mode = !held.once.modes.is_empty();
    let words = [
        (held.walking && !is_new_mode, "徒歩で", "on foot"),
        (held.cycling && !is_new_mode, "自転車で", "by bicycle"),
        (held.no_highways, "高速を使わず", "no motorways"),
        (held.no_tolls, "有料道路を使わず", "no toll roads"),
        (held.no_ferries, "フェリーを使わず", "no ferries"),
    ];
    let words = words.into_iter().filter(|it| it.0);
    let words: Vec<_> = words.map(|it| if is_english { it.2 } else { it.1 }).collect();
    words.join(if is_english { ", " } else { "、" })
}

/// Parses the constraints of `sentence`.
pub(super) fn constraints(sentence: &str, now: Timestamp) -> Constraints {
    parse::sentence(sentence, &Constraints::default(), now)
}

#[cfg(test)]
mod tests;
