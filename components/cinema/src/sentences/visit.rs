//! A visit to the cinema: from a sentence through film, showtime and seats to a reservation that the person
//! approves, one step a turn.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use jiff::ToSpan;
use language::{
    Date,
    context::{TurnContext, failure, output, submitted},
    coverage::{SUPERLATIVES, Used, is_condition, unused},
    dates::Hours,
    say,
    scan::marks,
    turn::{Answered, Decision, Failure},
    utterance::Utterance,
    words::Word,
};

use super::{
    answers::{adds, named, of_sort, ordinal, place_of, recount, takes_back, undated},
    besides::{asks_length, asks_when, points_back},
    cancel::number,
    fares::Fares,
    films,
    held::Kept,
    rules::{Goal, MOVIE, SHOWTIME},
    showings,
    titles::Sentence,
    wanted::{Pick, Wanted, hours, names_position},
    words,
};

pub(super) const MOVIES: &str = "list_movies";
pub(super) const SHOWTIMES: &str = "list_showtimes";
pub(super) const SEATS: &str = "list_available_seats";
pub(super) const RESERVE: &str = "reserve_seats";
pub(super) const RESERVATION: &str = "get_reservation";
pub(super) const SUGGEST: &str = "suggest_seats";
pub(super) const HOLD: &str = "hold_seats";
pub(super) const HOLDS: &str = "list_holds";
pub(super) const RELEASE: &str = "release_hold";
/// Seats of one reservation.
pub(super) const COUNT_MAX: u32 = 10;
pub(super) const USER_MAX: usize = 100;
/// How often seats are proposed anew after another buyer was faster.
const TRIES_MAX: u8 = 3;

/// How far it is to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Aim {
    #[default]
    Films,
    Showtimes,
    Seats,
    Book,
    Reservation,
}

/// Something to choose: what it is called in a form, how it is shown, and the words for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) words: Vec<String>,
    /// What it is called once it is chosen, where that is not its label.
    #[serde(default)]
    pub(super) name: Option<String>,
}

/// What the person was asked last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Asked {
    Film,
    Showing,
    Seats,
    /// To allow what was decided.
    Leave,
    /// Nothing more, as that was not allowed; it may be decided on otherwise.
    Denied,
}

impl Asked {
    /// Whether the showing is settled, and its seats can still be others.
    fn is_of_seats(self) -> bool {
        matches!(self, Self::Seats | Self::Leave | Self::Denied)
    }
}

/// A film or a showing that is settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Settled {
    pub(super) id: String,
    pub(super) label: String,
}

/// A visit to the cinema, as far as it is settled.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Visit {
    pub(super) aim: Aim,
    /// The sentence, for names that the catalogue knows.
    pub(super) said: String,
    pub(super) date: Option<String>,
    /// A second day that will do as well.
    pub(super) also: Option<String>,
    pub(super) hours: Option<Hours>,
    pub(super) genre: Option<(String, String)>,
    pub(super) title: Option<String>,
    pub(super) count: Option<u32>,
    pub(super) seats: Vec<String>,
    pub(super) user: Option<String>,
    pub(super) film: Option<Settled>,
    pub(super) showing: Option<Settled>,
    pub(super) reservation: Option<String>,
    pub(super) choices: Vec<Choice>,
    pub(super) asked: Option<Asked>,
    /// A note that goes with the next question.
    pub(super) note: Option<String>,
    pub(super) tries: u8,
    pub(super) wanted: Wanted,
    /// Whether the title that was looked for is no film's, so that all films are listed.
    pub(super) is_untitled: bool,
    /// Whether films are looked for at other hours than those that are named; none before they were.
    pub(super) widened: Option<bool>,
    /// Whether no rule matched to show that it is about films.
    pub(super) is_guess: bool,
    /// Whether nothing but a name says that it is about films.
    pub(super) is_looked_for: bool,
    /// Whether it is asked as well how long the film is.
    pub(super) asks_length: bool,
    /// Whether its seats are reserved.
    pub(super) is_made: bool,
    /// Whether it is asked what seats cost.
    pub(super) asks_price: bool,
    /// Whether it is asked when the film is on.
    pub(super) asks_when: bool,
    /// Whether the seats are to be held rather than reserved.
    pub(super) is_hold: bool,
    /// What was held last.
    pub(super) held: Option<Kept>,
    /// The hold that the seats are in, and whether it was looked for.
    pub(super) hold_token: Option<String>,
    pub(super) has_looked: bool,
    /// A second booking of the sentence, which is not made yet, and whether that is said.
    pub(super) later: Option<String>,
    pub(super) later_is_told: bool,
    /// What goes with the next answer, whatever that is.
    pub(super) remark: Option<String>,
    /// The film that the last answer was about.
    pub(super) told: Option<Settled>,
    /// What the seats that may be reserved cost, by their ids.
    pub(super) fares: Fares,
}

/// The day that `utterance` means with `date`: a day of the week that takes the place of the day `before` is of the
/// same week, from Monday on, and never over.
fn corrected_day(utterance: &Utterance, date: Date, before: Option<&str>) -> Date {
    if utterance.when.is_past_midnight {
        // `24:30の回` of the day that was spoken of.
        let shown = before.and_then(|it| it.parse::<Date>().ok());
        return shown.and_then(|it| it.tomorrow().ok()).unwrap_or(date);
    }
    let is_bare = utterance.when.is_bare_weekday;
    let Some(before) = before.and_then(|it| it.parse::<Date>().ok()).filter(|_| is_bare) else {
        return date;
    };
    let place = |it: Date| i32::from(it.weekday().to_monday_zero_offset());
    let days = place(date) - place(before);
    let moved = before.checked_add(days.days()).ok();
    // What is before the next such day is over.
    moved.filter(|it| *it >= date).unwrap_or(date)
}

impl Visit {
    /// What `utterance` asks for; what it leaves out is taken from `before`.
    pub(super) fn of(utterance: &Sentence, goal: Goal, before: Option<&Self>) -> Self {
        let aim = match goal {
            Goal::Book | Goal::Hold => Aim::Book,
            Goal::Seats | Goal::Price => Aim::Seats,
            Goal::Showtimes => Aim::Showtimes,
            Goal::Reservation => Aim::Reservation,
            _ => Aim::Films,
        };
        let is_first = Wanted::of(utterance).is_first;
        let words = [words::TICKET, words::SEAT, Word::WANT];
        let counts = utterance.numbers.people().is_some() && utterance.has(&words);
        let aim = match aim {
            // Who says how many tickets wants them.
            Aim::Showtimes if counts => Aim::Book,
            Aim::Films if is_first && counts => Aim::Book,
            // `the longest, and when could I see it`: the showings of that one.
            Aim::Films if is_first && asks_when(utterance) => Aim::Showtimes,
            it => it,
        };
        let settled = |id| {
            utterance.numbers.id(id).map(|it| Settled { id: it.to_owned(), label: it.to_owned() })
        };
        let genre = utterance.genre().map(|it| (it.0.to_owned(), it.1.to_owned()));
        let mut visit = Self {
            aim,
            said: utterance.text(),
            date: utterance.when.date.map(|it| it.to_string()),
            also: utterance.when.also.map(|it| it.to_string()),
            hours: hours(utterance, &Wanted::of(utterance)),
            genre,
            title: utterance.title(),
            // `真ん中の2つ` counts seats.
            count: utterance
                .numbers
                .people()
                .or_else(|| utterance.numbers.pieces().filter(|_| names_position(utterance))),
            seats: utterance.numbers.marked.clone(),
            user: utterance.user(),
            film: settled(MOVIE),
            showing: settled(SHOWTIME),
            reservation: number(utterance).filter(|_| aim == Aim::Reservation),
            wanted: utterance.wanted(),
            asks_length: asks_length(utterance),
            asks_when: asks_when(utterance),
            asks_price: goal == Goal::Price,
            is_hold: goal == Goal::Hold,
            later: utterance.later.clone(),
            ..Self::default()
        };
        visit.wanted.without = utterance.refused_genres().or(visit.wanted.without);
        if visit
            .wanted
            .without
            .as_ref()
            .is_some_and(|it| visit.title.as_ref().is_some_and(|title| it.contains(title.as_str())))
        {
            // What is to be left out is not looked for.
            visit.title = None;
        }
        if aim == Aim::Films && (utterance.quoted.len() > 1 || visit.wanted.is_compared) {
            // Of several films each is found by its name.
            visit.title = None;
        }
        if let Some(before) = before {
            visit.inherit(before);
            visit.pick_listed(utterance, before);
        }
        visit
    }

    /// What was settled before holds, as far as there is nothing new about it.
    fn inherit(&mut self, before: &Self) {
        let is_other_film = self.title.is_some() || self.genre.is_some();
        let is_other_day = self.date.is_some() && self.date != before.date;
        let is_other_time = is_other_day || self.hours.is_some() && self.hours != before.hours;
        if self.aim != Aim::Films {
            self.choices.clone_from(&before.choices);
            self.asked = before.asked;
        }
        if self.date.is_none() {
            self.date.clone_from(&before.date);
            self.also.clone_from(&before.also);
        }
        self.hours = self.hours.take().or(before.hours);
        let before_film = before.film.as_ref().or(before.told.as_ref());
        let points = !is_other_film && points_back(&self.said);
        if points && matches!(self.aim, Aim::Films | Aim::Showtimes) {
            // `how long is it?`, `それはいつやってる？` are about the film that was told.
            match self.aim {
                Aim::Films if !self.asks_when => {
                    self.title = before_film.map(|it| it.label.clone());
                    self.said.push(' ');
                    self.said.push_str(self.title.as_deref().unwrap_or_default());
                }
                _ => {
                    self.film = self.film.take().or_else(|| before_film.cloned());
                    self.aim = if self.film.is_some() { Aim::Showtimes } else { self.aim };
                }
            }
        }
        self.wanted.keep(&before.wanted);
        self.count = self.count.or(before.count);
        self.user = self.user.take().or_else(|| before.user.clone());
        if !is_other_film && self.aim != Aim::Films {
            self.film = self.film.take().or_else(|| before.film.clone());
            // `じゃあそれを二人で` is the film that was told.
            let told = || before.told.clone().filter(|_| points);
            self.film = self.film.take().or_else(told);
            if self.film.is_none() {
                self.title.clone_from(&before.title);
                self.genre.clone_from(&before.genre);
            }
            if !is_other_time {
                self.showing = self.showing.take().or_else(|| before.showing.clone());
            }
        }
    }

    /// The same of another film: `and Godzilla?`, `羅生門は？`; none where `utterance` is more than a name.
    pub(super) fn follow(&self, utterance: &Sentence, goal: Option<Goal>) -> Option<Self> {
        const LEADS: &str = "and |what about |how about |and what about |i meant |sorry i meant |sorry, i meant |no i meant |no, i meant |じゃあ|では";
        const TAILS: &str = "はどう|だと|なら|は|って";
        const NAME_MAX: usize = 30;
        // Where nothing was on, another day may do.
        let is_empty = self.aim == Aim::Films && self.asked.is_none() && self.date.is_some();
        let next = self.on_another_day(utterance).filter(|_| is_empty && goal.is_none());
        if next.is_some() {
            return next;
        }
        let asks = matches!(self.aim, Aim::Showtimes | Aim::Seats) && self.film.is_some();
        if !asks || !matches!(goal, None | Some(Goal::Look | Goal::Films)) {
            return None;
        }
        if let Some(next) = self.on_another_day(utterance) {
            return Some(next);
        }
        let text = utterance.text();
        let text = text.trim().trim_end_matches(['?', '？', '。', '!', '.', ' ']);
        let folded = text.to_lowercase();
        let lead = marks(LEADS).filter(|it| folded.starts_with(it)).map(str::len).max();
        let tail = marks(TAILS).filter(|it| text.ends_with(it)).map(str::len).max();
        let name = text.get(lead.unwrap_or(0)..text.len() - tail.unwrap_or(0))?.trim();
        let from = folded.get(..lead.unwrap_or(0))?.chars().count();
        let range = from..from + name.chars().count();
        let is_name = (2..=NAME_MAX).contains(&name.chars().count())
            && utterance.when.spans.is_empty()
            && utterance.numbers.counts.is_empty()
            && Wanted::of(utterance).pick.is_none()
            && utterance
                .tokens
                .iter()
                .all(|it| !range.contains(&it.from) || it.word == Word::FILLER);
        if lead.is_none() && tail.is_none() || !is_name {
            return None;
        }
        let mut next = Self::of_name(utterance, name);
        next.aim = self.aim;
        next.inherit(self);
        (next.choices, next.asked) = (Vec::new(), None);
        Some(next)
    }

    /// The same on another day: `what about Sunday?`; none where `utterance` says anything else.
    fn on_another_day(&self, utterance: &Sentence) -> Option<Self> {
        const BEGINS: &str = "and |what about |how about |i meant |i mean |no, |じゃあ|では|それじゃ|なら|いや|やっぱ|間違え";
        let text: String = utterance.lower.iter().collect();
        let is_asked = utterance.asks() || marks(BEGINS).any(|it| text.starts_with(it));
        const BESIDE: [Word; 4] = [Word::FILLER, Word::STOP, Word::PAUSE, Word::LIST];
        let used = Used { conditions: vec![SUPERLATIVES], ..Used::default() };
        let is_all = utterance.title().is_none()
            && utterance.numbers.counts.is_empty()
            && utterance.numbers.marked.is_empty()
            && utterance.tokens.iter().all(|it| BESIDE.contains(&it.word))
            && unused(utterance, &used).is_empty();
        let date = utterance.when.date.filter(|_| is_asked && is_all)?;
        let mut next = self.clone();
        (next.date, next.also) = (Some(date.to_string()), None);
        next.hours = utterance.when.hours;
        next.wanted.renew(Wanted::of(utterance));
        (next.showing, next.seats) = (None, Vec::new());
        (next.choices, next.asked) = (Vec::new(), None);
        Some(next)
    }

    /// A visit that is about the film called `name`.
    pub(super) fn of_name(utterance: &Sentence, name: &str) -> Self {
        let mut visit = Self::of(utterance, Goal::Films, None);
        visit.title = Some(name.to_owned());
        visit.genre = None;
        visit
    }

    /// A name that may be a film's, or another family's.
    pub(super) fn looked_for(utterance: &Sentence, name: &str) -> Self {
        Self { is_looked_for: true, ..Self::of_name(utterance, name) }
    }

    /// One that only a name and a time or a number speak for.
    pub(super) fn guessed(utterance: &Sentence, goal: Goal) -> Self {
        let mut visit = Self::of(utterance, goal, None);
        visit.title = visit.title.take().or_else(|| utterance.leftover());
        visit.is_guess = true;
        visit
    }

    /// What of the sentence it uses besides what the tables know.
    pub(super) fn used(&self) -> Vec<String> {
        self.wanted.used(self.aim != Aim::Films)
    }

    /// Whether words beside what it looks up are to be reported.
    pub(super) fn covers(&self) -> bool {
        self.aim != Aim::Reservation
    }

    /// Whether a film is named, as far as that can be told before the catalogue is read.
    pub(super) fn is_titled(&self) -> bool {
        self.title.is_some()
            || self.film.is_some()
            || self.showing.is_some()
            || self.genre.is_some()
    }

    /// Words that nothing else uses may say what a film is about.
    pub(super) fn described_by(&mut self, words: &[String], utterance: &Utterance) {
        // A number is no word that a film is known by.
        let is_word = |it: &str| it.chars().any(char::is_alphabetic);
        let words = words.iter().filter(|it| is_word(it)).cloned();
        (self.wanted.others, self.wanted.words) = words.partition(|it| is_condition(utterance, it));
        if self.film.is_some() {
            // The number of a film that was shown is used.
            let numbers = self.wanted.words.iter().filter(|it| ordinal(it).is_some());
            self.wanted.explained = numbers.cloned().collect();
        }
    }

    /// Those of the words that the answer was found by.
    pub(super) fn explained(&self) -> &[String] {
        &self.wanted.explained
    }

    /// It goes as far as a reservation from now on.
    pub(super) fn book(&mut self) {
        self.aim = Aim::Book;
    }

    /// Whether the seats or prices of one showing were told, and nothing is chosen yet.
    pub(super) fn is_looked_at(&self) -> bool {
        self.aim == Aim::Seats && self.showing.is_some() && !self.is_made && self.held.is_none()
    }

    /// Whether it waits for an answer as text.
    pub(super) fn waits(&self) -> bool {
        self.asked.is_some()
    }

    /// Takes in an answer as text; whether it was one.
    pub(super) fn worded(&mut self, utterance: &Sentence) -> bool {
        let before = self.clone();
        let of_seats = self.asked.is_some_and(Asked::is_of_seats);
        let raw = utterance.text().to_lowercase();
        // `H列の7番` is a seat.
        let recounted = recount(&undated(utterance));
        // `no wait, four` takes back the number that was said, and chooses none of the list.
        let is_count = of_seats || self.count.is_some() && takes_back(&raw);
        let listed = if self.asked == Some(Asked::Film) { self.choices.len() } else { 0 };
        let chosen = place_of(utterance, listed)
            .or_else(|| recounted.filter(|_| !is_count).and_then(|it| (it as usize).checked_sub(1)))
            .filter(|_| utterance.numbers.marked.is_empty());
        let chosen = chosen.and_then(|it| self.choices.get(it)).cloned();
        let by_words = self.choices.iter().find(|choice| {
            raw.contains(&choice.label.to_lowercase())
                || choice.words.iter().any(|it| raw.contains(&it.to_lowercase()))
                || self.asked == Some(Asked::Film) && films::is_named(&choice.words, &raw)
        });
        // Where there is but one, a number or a word for it means that one.
        let counts = utterance.numbers.people().is_some();
        let points =
            ["それ", "これ", "that one", "this one", "it "].iter().any(|it| raw.contains(it));
        let mut wanted = Wanted::of(utterance);
        if self.asked == Some(Asked::Film) && chosen.is_some() {
            // `the first one` is a film of the list.
            wanted.pick = None;
        }
        // `the later one` is the last of the first day that was shown.
        let day = |it: &Choice| it.label.split(' ').next().unwrap_or_default().to_owned();
        let first = self.choices.first().map(day);
        let mut shown = self.choices.iter().filter(|it| Some(day(it)) == first);
        let picks = self.asked == Some(Asked::Showing) && utterance.when.date.is_none();
        let picked = match wanted.pick.filter(|_| picks) {
            Some(Pick::Earliest) => self.choices.first().cloned(),
            Some(Pick::Latest) => shown.next_back().cloned(),
            None => None,
        };
        let told = self
            .told
            .as_ref()
            .filter(|_| points && self.asked == Some(Asked::Film) && !utterance.asks());
        let told = told.and_then(|told| self.choices.iter().find(|it| it.value == told.id));
        let is_timed = utterance.when.hours.is_some() || utterance.when.date.is_some();
        // Of the film that was asked for by its name, a day or a time wants the showings.
        let is_day = is_timed && self.asked == Some(Asked::Film) && self.title.is_some();
        let only = match &self.choices[..] {
            // A showing at another time is not that one.
            [_] if self.asked == Some(Asked::Showing) && is_timed => None,
            [only] if counts || points || is_day || !utterance.numbers.marked.is_empty() => {
                Some(only.clone())
            }
            _ => told.cloned(), // `それにする`
        };
        let choice = by_words.cloned().or(picked).or(chosen);
        // Where a film is asked for, most words of a sentence are none: `結婚記念日に2人で`.
        let is_asked = self.asked == Some(Asked::Film);
        let other = if is_asked { utterance.title() } else { utterance.name() };
        let other = other.filter(|it| self.is_other_film(it, utterance));
        match (choice, other) {
            (Some(choice), _) => self.chose(&choice),
            (None, Some(other)) => self.look_for(other, utterance),
            (None, None) => {
                if let Some(choice) = only {
                    self.chose(&choice);
                }
            }
        }
        let is_placed = counts || !utterance.numbers.marked.is_empty();
        if is_placed && matches!(self.aim, Aim::Films | Aim::Showtimes) {
            // Who says how many, or which seats, wants to go.
            self.book();
        }
        if let Some(date) = utterance.when.date {
            self.take_day(utterance, date);
        }
        self.hours = hours(utterance, &wanted).or(self.hours);
        // `no, the earlier one`, where its seats are being chosen.
        let is_other_pick = of_seats && wanted.pick.is_some() && self.seats == before.seats;
        let is_other_time = self.date != before.date || self.hours != before.hours || is_other_pick;
        if is_other_time && self.showing == before.showing && self.showing.is_some() {
            // Another day or time is another showing.
            self.showing = None;
            self.seats.clear();
        }
        let is_seated = wanted.position.is_some() || wanted.row.is_some();
        let is_chosen = self.showing != before.showing && self.showing.is_some();
        if self.aim == Aim::Showtimes && (is_chosen || is_seated) {
            self.book();
        }
        if self.aim == Aim::Films && self.film != before.film && self.film.is_some() {
            // Of a film that is chosen from the list, the times come next.
            self.aim = Aim::Showtimes;
        }
        let is_asked_for = self.wanted.renew(wanted);
        let count = utterance.numbers.people().or(recounted.filter(|_| is_count));
        let had = self.count.filter(|_| adds(utterance)).unwrap_or_default();
        let said = Sentence::plain(&self.said, Date::constant(2000, 1, 1));
        // Of those who were counted by kind, the others stay.
        let sort = of_sort(&said, utterance)
            .filter(|_| had == 0 && self.count.is_some() && self.count == said.numbers.people());
        let count = match (sort, self.count) {
            (Some((had, now)), Some(all)) => Some(all.saturating_sub(had).saturating_add(now)),
            _ => count.map(|it| it.saturating_add(had)),
        };
        self.count = count.or(self.count);
        if !utterance.numbers.marked.is_empty() {
            self.seats.clone_from(&utterance.numbers.marked);
        }
        let is_moved = self.count != before.count || is_asked_for;
        if of_seats && is_moved && self.seats == before.seats {
            // Other seats than those that were chosen are meant.
            self.seats.clear();
        }
        let is_changed = is_moved
            || self.date != before.date
            || self.hours != before.hours
            || self.film != before.film
            || self.title != before.title
            || self.showing != before.showing
            || self.seats != before.seats;
        if let Some(user) = utterance.user() {
            self.user = Some(user);
        } else if !is_changed && self.asked == Some(Asked::Seats) && self.user.is_none() {
            // What says something else is no name.
            self.user = named(utterance);
        }
        is_changed || self.user != before.user
    }

    /// Takes the day `date` of `utterance`, and the second one with it.
    fn take_day(&mut self, utterance: &Utterance, date: Date) {
        let day = corrected_day(utterance, date, self.date.as_deref());
        let also = utterance.when.also.and_then(|it| it.checked_add(day - date).ok());
        (self.date, self.also) = (Some(day.to_string()), also.map(|it| it.to_string()));
    }

    /// Whether `title` is another film than the one that is settled: `sorry, Rashomon on Sunday`, `ゴジラを日曜で`.
    fn is_other_film(&self, title: &str, utterance: &Sentence) -> bool {
        if self.asked == Some(Asked::Film) {
            return true;
        }
        let names = [&self.title, &self.film.as_ref().map(|it| it.label.clone())];
        let names: Vec<_> =
            names.into_iter().flatten().cloned().chain([self.said.clone()]).collect();
        let title = title.to_lowercase();
        self.asked.is_some()
            && self.film.is_some()
            && utterance.when.date.is_some()
            && utterance.user().is_none()
            && !names.iter().any(|it| it.to_lowercase().contains(&title))
            && !films::is_named(&names[..names.len() - 1], &title)
    }

    /// Another film than those that were shown is meant.
    fn look_for(&mut self, title: String, utterance: &Sentence) {
        (self.title, self.genre, self.film) = (Some(title), None, None);
        (self.showing, self.seats) = (None, Vec::new());
        (self.said, self.choices) = (utterance.text(), Vec::new());
        (self.wanted.words, self.wanted.without) = (Vec::new(), None);
        self.is_untitled = false;
    }

    /// Takes in what a form brought.
    pub(super) fn filled(&mut self, values: &Map<String, Value>) {
        let text = |name: &str| {
            values.get(name).and_then(Value::as_str).map(str::trim).filter(|it| !it.is_empty())
        };
        for name in ["movie_id", "showtime_id", "seat_ids"] {
            let choice = text(name)
                .and_then(|value| self.choices.iter().find(|it| it.value == value).cloned());
            if let Some(choice) = choice {
                self.chose(&choice);
            }
        }
        if let Some(user) = text("user_id") {
            self.user = Some(user.chars().take(USER_MAX).collect());
        }
        let count =
            values.get("count").and_then(Value::as_f64).filter(|it| (1.0..=99.0).contains(it));
        if let Some(count) = count {
            self.count = Some(count as u32);
        }
    }

    fn chose(&mut self, choice: &Choice) {
        let label = choice.name.as_ref().unwrap_or(&choice.label).clone();
        let settled = Settled { id: choice.value.clone(), label };
        match self.asked {
            Some(Asked::Film) => self.film = Some(settled),
            Some(Asked::Showing) => self.showing = Some(settled),
            Some(Asked::Seats | Asked::Leave | Asked::Denied) => {
                self.seats = choice.value.split(',').map(str::to_owned).collect()
            }
            None => {}
        }
    }

    /// Decides on the next step.
    pub(super) fn next(
        &mut self,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Decision {
        if let Some((tool, failure)) = failure(answered) {
            return self.failed(context, tool, failure);
        }
        if let Some(values) = submitted(answered).cloned() {
            self.filled(&values);
            return self.proceed(context);
        }
        type Step = fn(&mut Visit, &mut TurnContext<'_>, &Value) -> Decision;
        let steps: [(&str, Step); 8] = [
            (RESERVE, Self::reserved),
            (HOLD, Self::was_held),
            (HOLDS, Self::holds_found),
            (SUGGEST, Self::suggested),
            (RESERVATION, Self::shown),
            (SEATS, Self::seats_found),
            (SHOWTIMES, Self::showings_found),
            (MOVIES, Self::films_found),
        ];
        for (tool, step) in steps {
            if let Some(found) = output(answered, tool) {
                if tool == MOVIES {
                    return self.films_found(context, &films::within(answered));
                }
                if tool == SHOWTIMES {
                    return self.showings_found(context, &showings::all(answered));
                }
                return step(self, context, found);
            }
        }
        self.proceed(context)
    }

    /// Looks up, asks for or does the first thing that is not settled.
    pub(super) fn proceed(&mut self, context: &mut TurnContext<'_>) -> Decision {
        self.asked = None;
        if let Some(later) = self.later.as_ref().filter(|_| !self.later_is_told) {
            self.remark = Some(context.say(
                format!("予約は1件ずつ進めます。「{later}」はまだ進めていません。"),
                format!("One booking is made at a time; \"{later}\" is not begun yet."),
            ));
            self.later_is_told = true;
        }
        if self.aim == Aim::Reservation {
            return self.look_up(context);
        }
        if self.aim == Aim::Films || self.film.is_none() && self.showing.is_none() {
            return self.list_films(context);
        }
        if self.aim == Aim::Showtimes || self.showing.is_none() {
            return self.list_showings(context);
        }
        let is_whole = self.aim == Aim::Book && !self.seats.is_empty() && self.user.is_some();
        match (is_whole, self.is_hold) {
            (true, true) => self.hold(context),
            (true, false) => self.reserve(context),
            (false, _) => self.list_seats(context),
        }
    }

    /// A refusal: what can be corrected is tried again, the rest is reported.
    fn failed(&mut self, context: &mut TurnContext<'_>, tool: &str, failure: &Failure) -> Decision {
        let is_seat = matches!(
            failure.error.as_str(),
            "seat_already_reserved" | "seat_held" | "seat_not_found" | "seats_against_rules"
        );
        let takes = tool == RESERVE || tool == HOLD;
        if tool == RESERVE && failure.error == "seat_held" && self.looks_for_hold(context) {
            return self.list_holds(context);
        }
        if takes && is_seat && self.tries < TRIES_MAX {
            self.tries += 1;
            self.count = self.count.or(u32::try_from(self.seats.len()).ok());
            self.seats.clear();
            let why = &failure.message;
            self.note = Some(match tool == HOLD {
                true => context.say(
                    format!("仮押さえはできませんでした（{why}）。ほかの席をお選びください。"),
                    format!("That was not held ({why}). Please choose other seats."),
                ),
                false => context.say(
                    format!("予約はできませんでした（{why}）。ほかの席をお選びください。"),
                    format!("That was not reserved ({why}). Please choose other seats."),
                ),
            });
            return self.list_seats(context);
        }
        if failure.error == "not_allowed" {
            // `じゃあ取って`, `make it Monday instead` go on from here.
            self.asked = (tool == RESERVE).then_some(Asked::Denied);
            return context.conclude(context.say(
                "承認されなかったため、予約はしていません。",
                "As you did not allow it, nothing was reserved.",
            ));
        }
        let message = say::failed(context, failure);
        if tool == SUGGEST {
            // Other seats of it may do, and so may another showing.
            self.showing = None;
        }
        if takes {
            self.seats.clear();
            return context.conclude(context.say(
                format!("予約はしていません。{message}"),
                format!("Nothing was reserved. {message}"),
            ));
        }
        if failure.error == "showtime_not_found" {
            self.showing = None;
        }
        context.conclude(message)
    }

    /// A field that asks how many, where that is not known.
    pub(super) fn count_field(&self, context: &TurnContext<'_>) -> Option<Value> {
        if self.count.is_some() || self.aim != Aim::Book {
            return None;
        }
        let label = context.say("席数", "Seats");
        Some(
            json!({ "name": "count", "type": "number", "label": label, "min": 1, "max": COUNT_MAX, "step": 1, "default": 2, "required": true }),
        )
    }

    /// The note for the next question, with what else there is to say.
    pub(super) fn noted(&mut self, text: String) -> String {
        let notes = [self.remark.take(), self.note.take()];
        notes.into_iter().flatten().chain([text]).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_hour_past_midnight_is_of_the_day_that_was_spoken_of() {
        let today = super::Date::constant(2026, 11, 21);
        let utterance = super::Utterance::of("24:30の回で", today, &super::super::VOCABULARY);
        let date = utterance.when.date.unwrap();
        let day = |before| super::corrected_day(&utterance, date, before).to_string();
        assert_eq!([day(None), day(Some("2026-11-23"))], ["2026-11-22", "2026-11-24"]);
    }
}
