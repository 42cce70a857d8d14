//! The constraints of a route, lasting ones and those of a single sentence. Converts
//! days and times of day to moments in Japan.

use std::collections::BTreeSet;

use jiff::{
    Timestamp, ToSpan,
    civil::{Date, DateTime, Time},
};
use language::{Language, clock::JAPAN, context::today, dates};

use super::grammar::{Means, Topic};

/// The constraints of a route.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::sentences) struct Constraints {
    /// Avoid toll roads.
    pub no_tolls: bool,
    /// Avoid motorways.
    pub no_highways: bool,
    /// Avoid ferries.
    pub no_ferries: bool,
    /// Avoid current congestion.
    pub(super) traffic: bool,
    /// The traffic model.
    pub(super) outlook: Option<Outlook>,
    /// The selection rule.
    pub rule: Option<Rule>,
    /// Walk instead of driving.
    pub walking: bool,
    /// Cycle instead of driving.
    pub cycling: bool,
    /// Stops on the way, in order.
    pub via: Vec<String>,
    /// The arrival time for tools.
    pub arrival: Option<String>,
    /// The arrival time from sentences, which excludes a departure time.
    pub(super) due: Option<Timestamp>,
    /// The departure time; none is now.
    pub departure: Option<Timestamp>,
    /// How often another route was requested.
    pub(super) others: usize,
    /// Constraints of this sentence only.
    pub(super) once: Once,
}

/// Constraints of a single sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Once {
    /// Compare the candidates.
    pub(super) compare: bool,
    /// Topics to compare with and without.
    pub(super) both: BTreeSet<Topic>,
    /// The number of a found route, from 1.
    pub(super) pick: Option<usize>,
    /// Search a faster route than before.
    pub(super) faster: bool,
    /// The rule in this sentence.
    pub(super) ruled: Option<Rule>,
    /// The rule before this sentence.
    pub(super) formerly: Option<Rule>,
    /// Whether the sentence has known phrases.
    pub(super) is_read: bool,
    /// Whether constraints of earlier sentences still apply.
    pub(super) is_inherited: bool,
    /// Asks for the arrival time.
    pub(super) asks_arrival: bool,
    /// Asks for the turns.
    pub(super) asks_steps: bool,
    /// The modes in this sentence; several are compared.
    pub(super) modes: Vec<Mode>,
    /// Known constraints that not every tool supports.
    pub(super) unsupported: BTreeSet<Unsupported>,
}

/// A selection rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sentences) enum Rule {
    /// The least time.
    Fastest,
    /// The least distance.
    Shortest,
    /// The least toll.
    Cheapest,
    /// The fewest turns to the right.
    FewestRightTurns,
}

/// The means of travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Walk,
    Cycle,
    Drive,
}

impl Mode {
    /// Returns the name in both languages.
    pub(super) fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Walk => ("徒歩", "on foot"),
            Self::Cycle => ("自転車", "by bicycle"),
            Self::Drive => ("車", "by car"),
        }
    }
}

/// The traffic model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sentences) enum Outlook {
    Pessimistic,
    Optimistic,
}

/// A constraint that not every tool supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sentences) enum Unsupported {
    Arrival,
    Transit,
    Scenery,
    Stopover,
    /// A round trip.
    RoundTrip,
    /// A named road or bridge, or a kind of roads.
    Road,
    /// A day or part of a day, without a time.
    Vague,
    /// A time in the past.
    Past,
    /// A departure besides an arrival.
    SecondTime,
    /// Motorcycles and lorries.
    Vehicle,
}

impl Constraints {
    /// Returns the departure time for tools.
    pub(in crate::sentences) fn leaving(&self) -> Option<String> {
        self.departure.map(rfc3339)
    }

    /// Whether there is a constraint that distance tables do not support.
    pub(in crate::sentences) fn needs_route(&self) -> bool {
        let is_by = self.walking || self.cycling;
        is_by || self.no_tolls || self.no_highways || self.no_ferries || self.due.is_some()
    }

    /// Whether several routes are needed to choose from.
    pub(super) fn needs_several(&self) -> bool {
        let Once { compare, pick, faster, .. } = self.once;
        let one_of = self.rule.is_some() || self.traffic || self.others > 0;
        one_of || compare || pick.is_some() || faster
    }

    /// Returns the flag that avoids that topic, if there is one.
    pub(super) fn avoided(&mut self, topic: Topic) -> Option<&mut bool> {
        match topic {
            Topic::Highways | Topic::ByHighways => Some(&mut self.no_highways),
            Topic::Tolls => Some(&mut self.no_tolls),
            Topic::Ferries => Some(&mut self.no_ferries),
            Topic::Traffic | Topic::TrafficNews | Topic::RightTurns | Topic::LocalRoads => None,
        }
    }

    /// Returns the constraints for the other side of a contrast; none without a contrast.
    pub(super) fn without(&self) -> Option<Self> {
        let mut without = self.clone();
        for topic in std::mem::take(&mut without.once.both) {
            if let Some(avoided) = without.avoided(topic) {
                *avoided = true;
            }
        }
        (!self.once.both.is_empty()).then_some(without)
    }

    /// Returns the mode.
    pub(super) fn mode(&self) -> Mode {
        match (self.walking, self.cycling) {
            (true, _) => Mode::Walk,
            (false, true) => Mode::Cycle,
            (false, false) => Mode::Drive,
        }
    }

    /// Sets the mode.
    pub(super) fn set_mode(&mut self, mode: Mode) {
        (self.walking, self.cycling) = (mode == Mode::Walk, mode == Mode::Cycle);
    }

    /// Returns the constraints for each other mode in the sentence.
    pub(super) fn other_modes(&self) -> impl Iterator<Item = Self> {
        self.once.modes.iter().filter(|it| **it != self.mode()).map(|mode| {
            let mut other = self.clone();
            other.set_mode(*mode);
            other
        })
    }

    /// Returns the constraints without those of a single sentence.
    pub(super) fn lasting(&self) -> Self {
        Self { once: Once::default(), ..self.clone() }
    }

    /// Whether there is a constraint that lasts.
    pub(super) fn is_any(&self) -> bool {
        self.lasting() != Self::default()
    }
}

/// Parses a date at `at`, or a moment in machine format. Returns it with its number of characters: `2026/12/5`,
/// `12月1日`, `Dec 1st`, `2026-12-05T09:00:00+09:00`.
pub(super) fn day(text: &[char], at: usize, today: Date) -> Option<(Means, usize)> {
    let written = || dates::written(text, at, today).map(|it| (Means::On(it.0), it.1));
    moment(text, at).or_else(written)
}

/// Parses a moment in machine format and lower case; the default zone is Japan.
fn moment(text: &[char], at: usize) -> Option<(Means, usize)> {
    /// Number of characters of a date before its time.
    const DAY: usize = 10;
    /// Maximum number of characters.
    const CHARS_MAX: usize = 40;
    if text.get(at + DAY) != Some(&'t') || at > 0 && text[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    let is_part = |it: &&char| it.is_ascii_digit() || "-:.+tz".contains(**it);
    let part: String = text[at..].iter().take(CHARS_MAX).take_while(is_part).collect();
    let part = part.trim_end_matches(['-', ':', '.', '+']).to_uppercase();
    let here = || JAPAN.to_timestamp(part.parse::<DateTime>().ok()?).ok();
    let moment = part.parse::<Timestamp>().ok().or_else(here)?;
    Some((Means::Moment(moment), part.len()))
}

/// A time as written, possibly without a date.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Written {
    /// Number of days from today.
    pub(super) day: i32,
    /// Number of days to add where it is over; none with an explicit day.
    pub(super) again: Option<i32>,
    /// Whether it is after noon, where given.
    pub(super) is_evening: Option<bool>,
    pub(super) hour: i8,
    pub(super) minute: i8,
}

impl Written {
    /// Creates a time of day without a date.
    pub(super) fn at(hour: i8, minute: i8) -> Self {
        Self { day: 0, again: Some(1), is_evening: None, hour, minute }
    }

    /// Returns the next matching moment in Japan; none where that is over.
    pub(super) fn moment(self, now: Timestamp) -> Option<Timestamp> {
        let (hour, next) = match (self.hour, self.is_evening) {
            (24, _) => (0, 1),
            (12, Some(false)) => (0, 0),
            (hour @ 1..12, Some(true)) => (hour + 12, 0),
            (hour, _) => (hour, 0),
        };
        let time = Time::new(hour, self.minute, 0, 0).ok()?;
        let on = |days: i32| {
            let date = today(now).checked_add(days.days()).ok()?;
            JAPAN.to_timestamp(date.to_datetime(time)).ok().filter(|it| *it > now)
        };
        let day = self.day + next;
        on(day).or_else(|| on(day + self.again?))
    }
}

/// Returns the number of days until a date.
pub(super) fn until(now: Timestamp, date: Date) -> i32 {
    (date - today(now)).get_days()
}

/// Returns the number of days until a day of the week, from Monday: the next one including today, or that of the next
/// week.
pub(super) fn until_weekday(now: Timestamp, weekday: i8, is_next: bool) -> i32 {
    let today = today(now).weekday().to_monday_zero_offset();
    match is_next {
        true => i32::from(7 - today + weekday),
        false => i32::from((weekday - today).rem_euclid(7)),
    }
}

/// Returns the moment `minutes` from now.
pub(super) fn in_minutes(now: Timestamp, minutes: i32) -> Option<Timestamp> {
    now.checked_add(i64::from(minutes).minutes()).ok()
}

/// Formats a moment for tools (RFC 3339), in Japan's zone.
pub(super) fn rfc3339(moment: Timestamp) -> String {
    moment.display_with_offset(JAPAN).to_string()
}

/// Formats a moment for people.
pub(super) fn shown(moment: Timestamp, now: Timestamp, language: Language) -> String {
    let (here, today) = (JAPAN.to_datetime(moment), today(now));
    let time = format!("{}:{:02}", here.hour(), here.minute());
    let days = today.until(here.date()).map_or(-1, |it| it.get_days());
    match (days, language) {
        (0, Language::Japanese) => format!("今日{time}"),
        (1, Language::Japanese) => format!("明日{time}"),
        (_, Language::Japanese) => format!("{}月{}日{time}", here.month(), here.day()),
        (0, Language::English) => format!("today at {time}"),
        (1, Language::English) => format!("tomorrow at {time}"),
        (_, Language::English) => format!("{} at {time}", here.date()),
    }
}
