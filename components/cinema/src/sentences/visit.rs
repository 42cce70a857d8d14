//! A visit: from a sentence through film, showtime and seats to a reservation that the person approves,
//! one step per turn.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use language::{
    Date,
    context::{TurnContext, failure, output, submitted},
    coverage::{LAST, Used, is_condition, unused},
    dates::Hours,
    numbers::whole,
    say,
    turn::{Answered, Decision, Failure},
    utterance::Utterance,
    words::Word,
};

use super::{
    answers::{
        absence, corrected_date, corrected_kind, is_addition, lessens, orders, ordinal, place_of,
        recount, short_name, takes_back, undated,
    },
    cancel::number,
    conditions::{Conditions, Pick, hours, is_vague, names_position},
    fares::Fares,
    films,
    held_seats::KnownHold,
    marks::named_seats,
    questions::{OF_LIST, asks_length, asks_when, refers_to_film},
    rules::{Goal, MOVIE, SHOWTIME},
    showings,
    switches::bare_name,
    titles::Sentence,
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
/// Maximum seats of one reservation.
pub(super) const COUNT_MAX: u32 = 10;
pub(super) const USER_MAX: usize = 100;
/// Maximum new proposals after other buyers were faster.
const PROPOSAL_ROUNDS_MAX: u8 = 3;

/// Goal of a visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Aim {
    #[default]
    Films,
    Showtimes,
    Seats,
    Book,
    Reservation,
}

/// An option: its value in a form, its label, and the words that choose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) words: Vec<String>,
    /// Name once it is chosen, if it differs from the label.
    #[serde(default)]
    pub(super) name: Option<String>,
}

/// The last question to the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Question {
    Film,
    Showing,
    Seats,
    /// Approval of a call.
    #[serde(rename = "Leave")]
    Approval,
    /// None; the call was denied and may be changed.
    Denied,
}

impl Question {
    /// Whether the showing is chosen and the seats may still change.
    pub(super) fn is_of_seats(self) -> bool {
        matches!(self, Self::Seats | Question::Approval | Self::Denied)
    }
}

/// A chosen film or showing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Selection {
    pub(super) id: String,
    pub(super) label: String,
}

/// State of a visit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Visit {
    pub(super) aim: Aim,
    /// The sentence, for matching names of the catalogue.
    #[serde(rename = "said")]
    pub(super) sentence: String,
    pub(super) date: Option<String>,
    /// An alternative date.
    pub(super) also: Option<String>,
    /// Refused days.
    pub(super) not_on: Vec<String>,
    /// The visit before another film was named, to go back to if there is none.
    pub(super) before: Option<Box<Self>>,
    /// First and last day of a week, where no day is named.
    pub(super) week: Option<(String, String)>,
    pub(super) hours: Option<Hours>,
    pub(super) genre: Option<(String, String)>,
    pub(super) title: Option<String>,
    pub(super) count: Option<u32>,
    pub(super) seats: Vec<String>,
    pub(super) user: Option<String>,
    pub(super) film: Option<Selection>,
    pub(super) showing: Option<Selection>,
    pub(super) reservation: Option<String>,
    pub(super) choices: Vec<Choice>,
    #[serde(rename = "asked")]
    pub(super) question: Option<Question>,
    /// A note for the next question.
    pub(super) note: Option<String>,
    pub(super) tries: u8,
    pub(super) wanted: Conditions,
    /// Whether the title matched no film, so that all films are listed.
    pub(super) is_untitled: bool,
    /// Whether films are searched at other hours than requested; `None` before that.
    pub(super) widened: Option<bool>,
    /// Whether no rule matched.
    pub(super) is_guess: bool,
    /// Whether only a name suggests a film.
    pub(super) is_looked_for: bool,
    /// Whether the film's length is asked as well.
    pub(super) asks_length: bool,
    /// Whether the times of several films are looked up.
    pub(super) is_timing: bool,
    /// Whether the seats are reserved.
    pub(super) is_made: bool,
    /// Whether prices are asked.
    pub(super) asks_price: bool,
    /// Whether the times of the film are asked.
    pub(super) asks_when: bool,
    /// Whether the seats are to be held rather than reserved.
    pub(super) is_hold: bool,
    /// The last hold.
    pub(super) held: Option<KnownHold>,
    /// Hold that contains the seats, and whether it was looked up.
    pub(super) hold_token: Option<String>,
    pub(super) has_looked: bool,
    /// A second booking that is not made yet, and whether that was mentioned.
    pub(super) later: Option<String>,
    #[serde(rename = "later_is_told")]
    pub(super) later_is_mentioned: bool,
    /// A remark for the next answer.
    pub(super) remark: Option<String>,
    /// Film of the last answer.
    #[serde(rename = "told")]
    pub(super) film_of_answer: Option<Selection>,
    /// Prices of the seats that may be reserved.
    pub(super) fares: Fares,
    /// Whether the last answer listed films.
    pub(super) has_list: bool,
    /// Whether one of those is to be booked, and nothing says which.
    pub(super) is_listed: bool,
}

impl Visit {
    /// Creates the visit of `utterance`, completing it from `before`.
    pub(super) fn new(utterance: &Sentence, goal: Goal, before: Option<&Self>) -> Self {
        let aim = match goal {
            Goal::Book | Goal::Hold => Aim::Book,
            Goal::Seats | Goal::Price => Aim::Seats,
            Goal::Showtimes => Aim::Showtimes,
            Goal::Reservation => Aim::Reservation,
            _ => Aim::Films,
        };
        let is_first = Conditions::parse(utterance).is_first;
        let words = [words::TICKET, words::SEAT, Word::WANT];
        let is_ticket = |it: &(usize, usize)| matches!(utterance.lower[it.1 - 1], '枚' | '席');
        let counts = utterance.numbers.people().is_some()
            && (utterance.has(&words) || utterance.numbers.counted.iter().any(is_ticket));
        let aim = match aim {
            // A number of tickets requests a booking.
            Aim::Showtimes if counts => Aim::Book,
            Aim::Films if is_first && counts => Aim::Book,
            // `the longest, and when could I see it`: asks for its showings.
            Aim::Films if is_first && asks_when(utterance) => Aim::Showtimes,
            it => it,
        };
        let settled = |id| {
            utterance.numbers.id(id).map(|it| Selection { id: it.to_owned(), label: it.to_owned() })
        };
        let mut visit = Self {
            aim,
            sentence: utterance.text(),
            date: utterance.when.date.map(|it| it.to_string()),
            also: utterance.when.also.map(|it| it.to_string()),
            week: utterance.when.week.map(|it| (it.0.to_string(), it.1.to_string())),
            hours: hours(utterance, &Conditions::parse(utterance)),
            genre: utterance.genre(),
            title: utterance.title(),
            // `真ん中の2つ` counts seats.
            count: utterance
                .numbers
                .people()
                .or_else(|| utterance.numbers.pieces().filter(|_| names_position(utterance))),
            seats: named_seats(utterance, &[]).0,
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
            // Exclusions are not searched.
            visit.title = None;
        }
        if aim == Aim::Films && (utterance.quoted.len() > 1 || visit.wanted.is_compared) {
            // Each of several films is matched by its name.
            visit.title = None;
        }
        if let Some(before) = before {
            visit.inherit(before);
            visit.add_to(utterance, before);
            visit.pick_from_list(utterance, before);
            visit.is_listed = !visit.wanted.chooses_film() && visit.is_of_list(before);
        }
        visit
    }

    /// Whether it books one of the films that `before` listed, of the same day and kind.
    fn is_of_list(&self, before: &Self) -> bool {
        let day = |it: &Self| (it.date.clone(), it.also.clone(), it.week.clone(), it.hours);
        self.aim == Aim::Book
            && before.has_list
            && before.question == Some(Question::Film)
            // `一番短いのは？`, `2枚予約して`: the first is meant.
            && !before.wanted.is_first
            && self.film.is_none()
            && self.title.is_none()
            && self.genre == before.genre
            && self.wanted.without == before.wanted.without
            && day(self) == day(before)
    }

    /// Completes the visit from an earlier one, unless it says something new.
    pub(super) fn inherit(&mut self, before: &Self) {
        let is_other_film = self.title.is_some() || self.genre.is_some();
        let is_timeless = self.date.is_none() && self.week.is_none() && self.hours.is_none();
        let is_other_day = self.date.is_some() && self.date != before.date;
        let is_other_time = is_other_day || self.hours.is_some() && self.hours != before.hours;
        if self.aim != Aim::Films {
            self.choices.clone_from(&before.choices);
            self.question = before.question;
        }
        if self.date.is_none() && self.week.is_none() {
            self.date.clone_from(&before.date);
            self.also.clone_from(&before.also);
            self.week.clone_from(&before.week);
        }
        self.hours = self.hours.take().or(before.hours);
        let before_film = before.film.as_ref().or(before.film_of_answer.as_ref());
        let points = !is_other_film && refers_to_film(&self.sentence);
        if points && matches!(self.aim, Aim::Films | Aim::Showtimes) {
            // `how long is it?`, `それはいつやってる？` are about the film of the last answer.
            match self.aim {
                Aim::Films if !self.asks_when => {
                    self.title = before_film.map(|it| it.label.clone());
                    self.sentence.push(' ');
                    self.sentence.push_str(self.title.as_deref().unwrap_or_default());
                    if is_timeless {
                        self.forget_day();
                    }
                }
                _ => {
                    self.film = self.film.take().or_else(|| before_film.cloned());
                    self.aim = if self.film.is_some() { Aim::Showtimes } else { self.aim };
                }
            }
        }
        self.wanted.inherit(&before.wanted);
        self.count = self.count.or(before.count);
        self.user = self.user.take().or_else(|| before.user.clone());
        if !is_other_film && self.aim != Aim::Films {
            self.film = self.film.take().or_else(|| before.film.clone());
            // `じゃあそれを二人で` is the film of the last answer.
            let film_of_answer = || before.film_of_answer.clone().filter(|_| points);
            self.film = self.film.take().or_else(film_of_answer);
            if self.film.is_none() {
                self.title.clone_from(&before.title);
                self.genre.clone_from(&before.genre);
            }
            if !is_other_time {
                self.showing = self.showing.take().or_else(|| before.showing.clone());
            }
        }
    }

    /// A visit for the film called `name`.
    pub(super) fn of_name(utterance: &Sentence, name: &str) -> Self {
        let mut visit = Self::new(utterance, Goal::Films, None);
        visit.title = Some(name.to_owned());
        visit.genre = None;
        visit
    }

    /// A visit for a name that may be a film's or another family's.
    pub(super) fn possible_name(utterance: &Sentence, name: &str) -> Self {
        Self { is_looked_for: true, ..Self::of_name(utterance, name) }
    }

    /// A visit guessed from a name with a time or a number.
    pub(super) fn guessed(utterance: &Sentence, goal: Goal) -> Self {
        let mut visit = Self::new(utterance, goal, None);
        let without = visit.wanted.without.clone().unwrap_or_default();
        let name = utterance.leftover().filter(|_| !is_vague(utterance));
        let name = || name.filter(|it| !without.contains(it.as_str()));
        visit.title = visit.title.take().or_else(name);
        visit.is_guess = true;
        visit
    }

    /// Parts of the sentence that it uses besides known words.
    pub(super) fn used(&self) -> Vec<String> {
        self.wanted.used(self.aim != Aim::Films)
    }

    /// Whether unused words are reported.
    pub(super) fn covers(&self) -> bool {
        self.aim != Aim::Reservation
    }

    /// Whether a film is named, as far as known before the catalogue is read.
    pub(super) fn is_titled(&self) -> bool {
        self.title.is_some()
            || self.film.is_some()
            || self.showing.is_some()
            || self.genre.is_some()
    }

    /// Keeps unused words, which may describe a film.
    pub(super) fn described_by(&mut self, words: &[String], utterance: &Utterance) {
        // Numbers describe no film.
        let is_word = |it: &str| it.chars().any(char::is_alphabetic) && whole(it).is_none();
        let words = words.iter().filter(|it| is_word(it)).cloned();
        (self.wanted.others, self.wanted.words) = words.partition(|it| is_condition(utterance, it));
        if self.film.is_some() {
            // The number of a shown film is used.
            let numbers = self.wanted.words.iter().filter(|it| ordinal(it).is_some());
            self.wanted.explained = numbers.cloned().collect();
        }
    }

    /// Unused words that turned out to match.
    pub(super) fn explained(&self) -> &[String] {
        &self.wanted.explained
    }

    /// Continues up to a reservation.
    pub(super) fn book(&mut self) {
        self.aim = Aim::Book;
    }

    /// Whether seats or prices of one showing were shown and nothing is chosen.
    pub(super) fn is_looked_at(&self) -> bool {
        self.aim == Aim::Seats && self.showing.is_some() && !self.is_made && self.held.is_none()
    }

    /// Whether it waits for an answer as text.
    pub(super) fn awaits_text(&self) -> bool {
        self.question.is_some()
    }

    /// Whether `utterance` only chooses among the shown times: `夜の回でお願いします`.
    pub(super) fn chooses_showing(&self, utterance: &Sentence) -> bool {
        let wanted = Conditions::parse(utterance);
        let is_timed = utterance.when.hours.is_some() || wanted.pick.is_some();
        let used = Used { names: wanted.used(true), conditions: vec![LAST], spans: Vec::new() };
        self.question == Some(Question::Showing)
            && is_timed
            && utterance.title().is_none()
            && !utterance.asks()
            && !utterance.has(&[Word::LIST, Word::SHOW, Word::EXISTS, Word::NOT])
            && unused(utterance, &used).is_empty()
    }

    /// Applies an answer as text; returns whether it was one.
    pub(super) fn answer_in_text(&mut self, utterance: &Sentence) -> bool {
        if self.leaves_day(utterance) {
            return true;
        }
        let before = self.clone();
        let of_seats = self.question.is_some_and(Question::is_of_seats);
        let raw = utterance.text().to_lowercase();
        // `H列の7番` is a seat.
        let with_new_count = recount(&undated(utterance));
        // `no wait, four` corrects the count instead of choosing from the list, and nothing chooses a second from a list
        // of one.
        let is_count = of_seats
            || self.count.is_some() && takes_back(&raw)
            || self.choices.len() == 1 && with_new_count.is_some_and(|it| it > 1);
        let listed = if self.question == Some(Question::Film) { self.choices.len() } else { 0 };
        let chosen = place_of(utterance, listed)
            .or_else(|| {
                with_new_count.filter(|_| !is_count).and_then(|it| (it as usize).checked_sub(1))
            })
            .filter(|_| utterance.numbers.marked.is_empty());
        let chosen = chosen.and_then(|it| self.choices.get(it)).cloned();
        let by_words = self.choices.iter().find(|choice| {
            raw.contains(&choice.label.to_lowercase())
                || choice.words.iter().any(|it| raw.contains(&it.to_lowercase()))
                || self.question == Some(Question::Film) && films::is_named(&choice.words, &raw)
        });
        let by_words = by_words.or_else(|| self.choice_in_part(utterance));
        // The number in `七人の侍` counts no people.
        let named = by_words.filter(|_| self.question == Some(Question::Film));
        let untitled = named.map(|it| films::without_names(&utterance.text(), &it.words));
        let untitled = untitled.map(|it| Sentence::plain(&it, Date::constant(2000, 1, 1)));
        let people =
            untitled.as_ref().map_or_else(|| utterance.numbers.people(), |it| it.numbers.people());
        let people = people.or(with_new_count.filter(|_| is_count));
        // A single option is chosen by a number or a word for it.
        let counts = people.is_some();
        let points = ["それ", "これ", "that one", "this one", "that for", "it "]
            .iter()
            .any(|it| raw.contains(it));
        let mut wanted = Conditions::parse(utterance);
        if self.question == Some(Question::Film) && chosen.is_some() && utterance.says(OF_LIST) {
            // `the first one` is a film of the list.
            wanted.pick = None;
        }
        // `the later one` is the last of the first shown day.
        let day = |it: &Choice| it.label.split(' ').next().unwrap_or_default().to_owned();
        let first = self.choices.first().map(day);
        let mut shown = self.choices.iter().filter(|it| Some(day(it)) == first);
        let is_timeless = utterance.when.date.is_none() && utterance.when.week.is_none();
        let picks = self.question == Some(Question::Showing) && is_timeless;
        let picked = match wanted.pick.filter(|_| picks) {
            Some(Pick::Earliest) => self.choices.first().cloned(),
            Some(Pick::Latest) => shown.next_back().cloned(),
            None => None,
        };
        let film_of_answer = self
            .film_of_answer
            .as_ref()
            .filter(|_| points && self.question == Some(Question::Film) && !utterance.asks());
        let film_of_answer = film_of_answer.and_then(|film_of_answer| {
            self.choices.iter().find(|it| it.value == film_of_answer.id)
        });
        let is_timed = utterance.when.hours.is_some() || utterance.when.date.is_some();
        // For a named film, a day or a time asks for showings.
        let is_day = is_timed && self.question == Some(Question::Film) && self.title.is_some();
        let size = |choice: &Choice| choice.value.split(',').count() as u32;
        let only = match &self.choices[..] {
            // Another time is another showing.
            [_] if self.question == Some(Question::Showing) && is_timed => None,
            // Another number takes other seats.
            [only] if of_seats && people.is_some_and(|it| it != size(only)) => None,
            [only] if counts || points || is_day || !utterance.numbers.marked.is_empty() => {
                Some(only.clone())
            }
            _ => film_of_answer.cloned(), // `それにする`
        };
        let choice = by_words.cloned().or(picked).or(chosen);
        // While a film is asked for, most words are not its name: `結婚記念日に2人で`.
        let is_asked = self.question == Some(Question::Film);
        let other = match is_asked {
            true => utterance.title().or_else(|| bare_name(utterance)),
            false => utterance.name(),
        };
        let other = other.filter(|it| self.is_other_film(it, utterance));
        match (choice, other) {
            (Some(choice), _) => self.chose(&choice),
            (None, Some(other)) => self.search_title(other, utterance),
            (None, None) => {
                if let Some(choice) = only {
                    self.chose(&choice);
                }
            }
        }
        let is_placed = counts || !utterance.numbers.marked.is_empty();
        if is_placed && matches!(self.aim, Aim::Films | Aim::Showtimes) {
            // A count or seats request a booking.
            self.book();
        }
        self.take_day(utterance);
        self.hours = hours(utterance, &wanted).or(self.hours);
        // `no, the earlier one` while its seats are chosen.
        let is_other_pick = of_seats && wanted.pick.is_some() && self.seats == before.seats;
        let day = |it: &Self| (it.date.clone(), it.also.clone(), it.week.clone());
        let is_other_day = day(self) != day(&before);
        let is_other_time = is_other_day || self.hours != before.hours || is_other_pick;
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
            // For a film chosen from the list, the times come next.
            self.aim = Aim::Showtimes;
        }
        let is_asked_for = self.wanted.update(wanted);
        let count = people;
        let owned_count = self.count.filter(|_| is_addition(utterance)).unwrap_or_default();
        let earlier = Sentence::plain(&self.sentence, Date::constant(2000, 1, 1));
        // Other kinds of people keep their counts.
        let sort = corrected_kind(&earlier, utterance).filter(|_| {
            owned_count == 0 && self.count.is_some() && self.count == earlier.numbers.people()
        });
        let count = match (sort, self.count) {
            _ if absence(utterance) == Some(false) => None,
            (_, Some(all)) if lessens(utterance) => count.map(|it| all.saturating_sub(it).max(1)),
            (Some((owned_count, now)), Some(all)) => {
                Some(all.saturating_sub(owned_count).saturating_add(now))
            }
            _ => count.map(|it| it.saturating_add(owned_count)),
        };
        self.count = count.or(self.count);
        self.take_seats(utterance);
        let is_moved = self.count != before.count || is_asked_for;
        if of_seats && is_moved && self.seats == before.seats {
            // Other seats than those chosen.
            self.seats.clear();
        }
        let is_changed = is_moved
            || is_other_day
            || self.hours != before.hours
            || self.film != before.film
            || self.title != before.title
            || self.showing != before.showing
            || self.seats != before.seats;
        if let Some(user) = utterance.user() {
            self.user = Some(user);
        } else if !is_changed && self.user.is_none() {
            // A sentence with another meaning is no name.
            self.user = match self.question {
                Some(Question::Seats) => short_name(utterance),
                // `花子で予約して`
                Some(Question::Showing) if orders(utterance) => short_name(utterance),
                _ => None,
            };
        }
        let is_named = self.user != before.user;
        if is_named && orders(utterance) {
            self.book();
            // `羅生門で予約して` may mean a film, `花子の名前で` does not.
            if !is_changed && utterance.user().is_some() {
                self.take_recommended();
            }
        }
        self.is_listed = !Conditions::parse(utterance).chooses_film() && self.is_of_list(&before);
        is_changed || is_named
    }

    /// Chooses the seats that are recommended, where seats are asked for; the approval shows them.
    pub(super) fn take_recommended(&mut self) {
        let first =
            self.choices.first().filter(|_| self.question == Some(Question::Seats)).cloned();
        if let Some(first) = first.filter(|_| self.seats.is_empty()) {
            self.chose(&first);
        }
    }

    /// Applies the date of `utterance` and its alternative, or its week.
    fn take_day(&mut self, utterance: &Sentence) {
        let week = utterance.when.week.map(|it| (it.0.to_string(), it.1.to_string()));
        if week.is_some() {
            (self.date, self.also, self.week) = (None, None, week);
        }
        let Some(date) = utterance.when.date else { return };
        let week = self.week.as_ref().map(|it| it.1.as_str());
        let day = corrected_date(utterance, date, self.date.as_deref().or(week));
        let also = utterance.when.also.and_then(|it| it.checked_add(day - date).ok());
        let before = self.clone();
        (self.date, self.also) = (Some(day.to_string()), also.map(|it| it.to_string()));
        self.week = None;
        self.not_on.retain(|it| Some(it) != self.date.as_ref());
        self.add_day(utterance, &before);
    }

    /// Searches for another film than those shown.
    fn search_title(&mut self, title: String, utterance: &Sentence) {
        self.before = self.to_return();
        (self.title, self.genre, self.film) = (Some(title), None, None);
        (self.showing, self.seats) = (None, Vec::new());
        (self.sentence, self.choices) = (utterance.text(), Vec::new());
        (self.wanted.words, self.wanted.without) = (Vec::new(), None);
        self.is_untitled = false;
    }

    /// Applies the values of a form.
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

    pub(super) fn chose(&mut self, choice: &Choice) {
        let label = choice.name.as_ref().unwrap_or(&choice.label).clone();
        let settled = Selection { id: choice.value.clone(), label };
        match self.question {
            Some(Question::Film) => self.film = Some(settled),
            Some(Question::Showing) => self.showing = Some(settled),
            Some(Question::Seats | Question::Approval | Question::Denied) => {
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
            (HOLD, Self::handle_hold),
            (HOLDS, Self::handle_holds),
            (SUGGEST, Self::suggested),
            (RESERVATION, Self::handle_shown),
            (SEATS, Self::handle_seats),
            (SHOWTIMES, Self::handle_showings),
            (MOVIES, Self::handle_films),
        ];
        for (tool, step) in steps {
            if let Some(found) = output(answered, tool) {
                if tool == MOVIES {
                    return self.handle_films(context, &films::merge_days(answered));
                }
                if tool == SHOWTIMES {
                    return self.handle_showings(context, &showings::merge(answered));
                }
                return step(self, context, found);
            }
        }
        self.proceed(context)
    }

    /// Looks up, asks for or does the first open step.
    pub(super) fn proceed(&mut self, context: &mut TurnContext<'_>) -> Decision {
        (self.question, self.has_list) = (None, false);
        if let Some(later) = self.later.as_ref().filter(|_| !self.later_is_mentioned) {
            self.remark = Some(context.say(
                format!("予約は1件ずつ進めます。「{later}」はまだ進めていません。"),
                format!("One booking is made at a time; \"{later}\" is not begun yet."),
            ));
            self.later_is_mentioned = true;
        }
        if self.aim == Aim::Reservation {
            return self.look_up(context);
        }
        let is_listed = std::mem::take(&mut self.is_listed) && self.wanted.words.is_empty();
        if self.aim == Aim::Films || self.film.is_none() && self.showing.is_none() {
            return if is_listed { self.ask_of_list(context) } else { self.list_films(context) };
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

    /// Handles an error: retries what can be corrected, reports the rest.
    fn failed(&mut self, context: &mut TurnContext<'_>, tool: &str, failure: &Failure) -> Decision {
        let is_seat = matches!(
            failure.error.as_str(),
            "seat_already_reserved" | "seat_held" | "seat_not_found" | "seats_against_rules"
        );
        let takes = tool == RESERVE || tool == HOLD;
        if tool == RESERVE && failure.error == "seat_held" && self.looks_for_hold(context) {
            return self.list_holds(context);
        }
        if takes && is_seat && self.tries < PROPOSAL_ROUNDS_MAX {
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
            // `じゃあ取って`, `make it Monday instead` continue from here.
            self.question = (tool == RESERVE).then_some(Question::Denied);
            return context.conclude(context.say(
                "承認されなかったため、予約はしていません。",
                "As you did not allow it, nothing was reserved.",
            ));
        }
        let message = say::failed(context, failure);
        if tool == SUGGEST {
            // Other seats or another showing may be chosen.
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

    /// Field for the number of seats, if unknown.
    pub(super) fn count_field(&self, context: &TurnContext<'_>) -> Option<Value> {
        // Named seats are counted.
        if self.count.is_some() || !self.seats.is_empty() || self.aim != Aim::Book {
            return None;
        }
        let label = context.say("席数", "Seats");
        Some(
            json!({ "name": "count", "type": "number", "label": label, "min": 1, "max": COUNT_MAX, "step": 1, "default": 2, "required": true }),
        )
    }

    /// Takes the note for the next question, followed by `text`.
    pub(super) fn noted(&mut self, text: String) -> String {
        let notes = [self.remark.take(), self.note.take()];
        notes.into_iter().flatten().chain([text]).collect::<Vec<_>>().join(" ")
    }
}
