//! The constraints of a route, and which of them last from sentence to sentence.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::grammar::Topic;

/// The constraints of a route.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::sentences) struct Constraints {
    /// Keep clear of toll roads.
    pub no_tolls: bool,
    /// Keep clear of motorways.
    pub no_highways: bool,
    /// Keep clear of ferries.
    pub no_ferries: bool,
    /// Keep clear of congestion, as it is now.
    pub(super) traffic: bool,
    /// What traffic is taken to be.
    pub(super) outlook: Option<Outlook>,
    /// By which rule one of several is chosen.
    pub rule: Option<Rule>,
    /// On foot rather than by car.
    pub walking: bool,
    /// By bicycle rather than by car.
    pub cycling: bool,
    /// Stops on the way, in order.
    pub via: Vec<String>,
    /// When to be there, as tools read it.
    pub arrival: Option<String>,
    /// When to be there, as sentences say it; then it is not said when to leave.
    pub(super) due: Option<Timestamp>,
    /// When to leave; none is now.
    pub(super) departure: Option<Timestamp>,
    /// How often another one than the best was asked for.
    pub(super) others: usize,
    /// For this sentence only.
    pub(super) once: Once,
}

/// The constraints of the last sentence, and not of those after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Once {
    /// Show how the candidates differ.
    pub(super) compare: bool,
    /// What is compared: routes with these and routes without.
    pub(super) both: BTreeSet<Topic>,
    /// This one of those that were found, from 1.
    pub(super) pick: Option<usize>,
    /// Something faster than before.
    pub(super) faster: bool,
    /// The rule that this sentence names.
    pub(super) ruled: Option<Rule>,
    /// The rule that held before it.
    pub(super) formerly: Option<Rule>,
    /// The sentence was read by its words; else it has none that are known.
    pub(super) is_read: bool,
    /// Something was taken over from earlier sentences.
    pub(super) is_inherited: bool,
    /// It asks when one is there.
    pub(super) asks_arrival: bool,
    /// It asks where one turns.
    pub(super) asks_steps: bool,
    /// How one moves, as far as this sentence says it: in several ways, where these are compared.
    pub(super) modes: Vec<Mode>,
    /// What is known, and not every tool can do.
    pub(super) beyond: BTreeSet<Beyond>,
}

/// How one of several is chosen.
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
    /// What it is called, in both languages.
    pub(super) fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Walk => ("徒歩", "on foot"),
            Self::Cycle => ("自転車", "by bicycle"),
            Self::Drive => ("車", "by car"),
        }
    }
}

/// What traffic is taken to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sentences) enum Outlook {
    Pessimistic,
    Optimistic,
}

/// What people ask for, and not every tool can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sentences) enum Beyond {
    Arrival,
    Transit,
    Scenery,
    Stopover,
    /// There and back at once.
    RoundTrip,
    /// One road or bridge, by its name, or roads of one kind.
    Road,
    /// A day or a part of one, without the time.
    Vague,
    /// A moment that is over.
    Past,
    /// Motorcycles and lorries.
    Vehicle,
}

impl Constraints {
    /// When to leave, as tools read it.
    pub(in crate::sentences) fn leaving(&self) -> Option<String> {
        self.departure.map(super::when::rfc3339)
    }

    /// Whether there is a constraint of the route that a table of distances does not know.
    pub(in crate::sentences) fn is_of_the_way(&self) -> bool {
        let is_by = self.walking || self.cycling;
        is_by || self.no_tolls || self.no_highways || self.no_ferries || self.due.is_some()
    }

    /// Whether more than one route is needed to choose.
    pub(super) fn needs_several(&self) -> bool {
        let Once { compare, pick, faster, .. } = self.once;
        let one_of = self.rule.is_some() || self.traffic || self.others > 0;
        one_of || compare || pick.is_some() || faster
    }

    /// What keeps clear of that topic; none where nothing does.
    pub(super) fn avoided(&mut self, topic: Topic) -> Option<&mut bool> {
        match topic {
            Topic::Highways | Topic::ByHighways => Some(&mut self.no_highways),
            Topic::Tolls => Some(&mut self.no_tolls),
            Topic::Ferries => Some(&mut self.no_ferries),
            Topic::Traffic | Topic::TrafficNews | Topic::RightTurns | Topic::LocalRoads => None,
        }
    }

    /// The same without what is compared with and without; none where nothing is.
    pub(super) fn without(&self) -> Option<Self> {
        let mut without = self.clone();
        for topic in std::mem::take(&mut without.once.both) {
            if let Some(avoided) = without.avoided(topic) {
                *avoided = true;
            }
        }
        (!self.once.both.is_empty()).then_some(without)
    }

    /// How one moves.
    pub(super) fn mode(&self) -> Mode {
        match (self.walking, self.cycling) {
            (true, _) => Mode::Walk,
            (false, true) => Mode::Cycle,
            (false, false) => Mode::Drive,
        }
    }

    /// One moves so.
    pub(super) fn moves(&mut self, mode: Mode) {
        (self.walking, self.cycling) = (mode == Mode::Walk, mode == Mode::Cycle);
    }

    /// The same for each other way of moving that the sentence names.
    pub(super) fn other_modes(&self) -> impl Iterator<Item = Self> {
        self.once.modes.iter().filter(|it| **it != self.mode()).map(|mode| {
            let mut other = self.clone();
            other.moves(*mode);
            other
        })
    }

    /// The same without what was for one sentence only.
    pub(super) fn lasting(&self) -> Self {
        Self { once: Once::default(), ..self.clone() }
    }

    /// Whether there is a constraint that lasts.
    pub(super) fn is_any(&self) -> bool {
        self.lasting() != Self::default()
    }
}
