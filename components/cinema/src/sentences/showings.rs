//! Second step: the showing. Films by the times of their showings: `which ends earlier, Ikiru or Departures?`.

use language::{
    Language,
    context::TurnContext,
    say,
    scan::marks,
    turn::{Answered, Decision, ToolResult},
    utterance::Utterance,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    conditions::{Pick, Sorting},
    films::{self, numbered},
    visit::{Aim, Choice, Question, SHOWTIMES, Selection, Visit},
};

/// Maximum showings offered at once.
const SHOWINGS_MAX: usize = 20;

/// A showing with the properties to choose by.
pub(super) struct Showing<'a> {
    pub(super) value: &'a Value,
    start: &'a str,
    /// Minutes from midnight.
    pub(super) minutes: u16,
    free: u64,
}

impl Visit {
    pub(super) fn list_showings(&mut self, context: &mut TurnContext<'_>) -> Decision {
        let Some(film) = self.film.clone() else { return self.list_films(context) };
        let label = film.label;
        let days = [self.date.clone(), self.also.clone()];
        let calls = days.iter().take(1).chain(days[1..].iter().filter(|it| it.is_some()));
        let calls = calls.map(|date| {
            let mut arguments = json!({ "movie_id": film.id });
            if let Some(date) = date {
                arguments["date"] = date.as_str().into();
            }
            let reason = context
                .say(format!("「{label}」の上映時間を確認"), format!("To see when {label} is on"));
            context.call(SHOWTIMES, arguments, reason)
        });
        Decision::Call(calls.collect())
    }

    pub(super) fn handle_showings(
        &mut self,
        context: &mut TurnContext<'_>,
        found: &Value,
    ) -> Decision {
        if self.is_timing {
            return self.answer_times(context, found);
        }
        let all = found["showtimes"].as_array().map(Vec::as_slice).unwrap_or_default();
        let open: Vec<_> =
            all.iter().filter(|it| it["is_open"] != false).filter_map(read).collect();
        let film = self.film.as_ref().map(|it| it.label.clone()).unwrap_or_default();
        if open.is_empty() {
            let (japanese, english) = match self.date.as_deref() {
                Some(day) => {
                    let on = |language| format_start(day, language);
                    (
                        format!("{}には", on(Language::Japanese)),
                        format!(" on {}", on(Language::English)),
                    )
                }
                None => Default::default(),
            };
            return context.conclude(context.say(
                format!("「{film}」の上映は{japanese}もうありません。別の日か別の映画をお試しください。"),
                format!("There are no more showings of {film}{english}. Please try another day or another film."),
            ));
        }
        let hours = self.hours;
        let is_over = |show: &Showing<'_>, to: u16| {
            minutes(show.value).is_none_or(|long| i64::from(show.minutes) + long <= i64::from(to))
        };
        let week = self.week.clone().filter(|_| self.date.is_none());
        let is_of_week = |showing: &Showing<'_>| {
            let day = showing.start.get(..10).unwrap_or_default();
            week.as_ref().is_none_or(|it| (it.0.as_str()..=it.1.as_str()).contains(&day))
        };
        let is_meant = |showing: &&Showing<'_>| {
            let day = showing.start.get(..10).unwrap_or_default();
            is_of_week(showing)
                && !self.not_on.iter().any(|it| it == day)
                && hours.is_none_or(|hours| {
                    (hours.from..=hours.to).contains(&showing.minutes)
                        && (!self.wanted.ends || is_over(showing, hours.to))
                })
        };
        let mut candidates: Vec<&Showing<'_>> = open.iter().filter(is_meant).collect();
        let mut is_elsewhere = candidates.is_empty();
        if is_elsewhere {
            self.note = Some(context.say(
                "ご希望の時間帯の上映はありません。",
                "Nothing is on at the time you wished.",
            ));
            candidates = open.iter().collect();
        }
        // `ミニシアターのほうで`: the named screen.
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            candidates.iter().copied().partition(|it| screen(it.value, &self.sentence).is_some());
        if !here.is_empty() && !elsewhere.is_empty() {
            self.wanted.explained.extend(screen(here[0].value, &self.sentence));
            candidates = here;
        }
        candidates.sort_by_key(|it| it.start);
        if self.aim == Aim::Showtimes {
            let mut candidates: Vec<_> = match self.wanted.pick {
                Some(Pick::Earliest) => candidates.into_iter().take(1).collect(),
                Some(Pick::Latest) if week.is_some() => {
                    candidates.last().copied().into_iter().collect()
                }
                Some(Pick::Latest) => {
                    // Last showing of each day.
                    let day = |it: &&Showing<'_>| it.start.get(..10).unwrap_or_default().to_owned();
                    let last: Vec<_> = candidates
                        .iter()
                        .enumerate()
                        .filter(|(at, show)| {
                            candidates.get(at + 1).is_none_or(|next| day(next) != day(show))
                        })
                        .map(|it| *it.1)
                        .collect();
                    last
                }
                None => candidates,
            };
            match self.wanted.sorting {
                Some(Sorting::Latest) => candidates.reverse(),
                Some(Sorting::Emptiest) => candidates.sort_by_key(|it| std::cmp::Reverse(it.free)),
                Some(Sorting::Earliest) | None => {}
            }
            return self.show_showings(context, &candidates, &film);
        }
        let count = u64::from(self.count.unwrap_or(1));
        let (mut with_seats, full): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|it| it.free >= count);
        if is_elsewhere || with_seats.is_empty() {
            // The alternative is chosen among the others.
            if let Some(order) = self.wanted.instead.take() {
                self.note = Some(context.say(
                    format!("最初のご希望の回には空きがありません。「{order}」の番です。"),
                    format!("What you wished first is not to be had; now for \"{order}\"."),
                ));
                with_seats = open.iter().filter(|it| it.free >= count).collect();
                with_seats.sort_by_key(|it| it.start);
                is_elsewhere = true;
            }
        }
        if with_seats.is_empty() {
            self.film = None;
            let times: Vec<_> =
                full.iter().map(|it| format_start(it.start, context.language)).collect();
            let times = times.join(context.language.pick("、", "; "));
            return context.conclude(context.say(
                format!("「{film}」（{times}）は満席か、{count}席の空きがありません。予約はしていません。別の日か別の映画をお試しください。"),
                format!("{film} ({times}) is sold out or has fewer than {} left. Nothing was reserved; please try another day or film.", say::counted(count, "seat")),
            ));
        }
        // The exact match, or the only one.
        let exact = hours.filter(|it| it.is_exact).and_then(|hours| {
            let sought = if hours.from == 0 { hours.to } else { hours.from + 60 };
            let mut exact =
                with_seats.iter().filter(|it| it.minutes == sought && hours.to < 24 * 60);
            exact.next().filter(|_| exact.next().is_none())
        });
        // The earliest or latest, if the day is unambiguous.
        let picked = match self.wanted.pick {
            Some(Pick::Earliest) => with_seats.first(),
            Some(Pick::Latest) if week.is_some() => with_seats.last(),
            Some(Pick::Latest) => {
                with_seats.iter().rfind(|it| it.start.get(..10) == with_seats[0].start.get(..10))
            }
            None => None,
        };
        let picked = picked.filter(|_| !is_elsewhere);
        let only = if let [one] = &with_seats[..] { Some(one) } else { None };
        let any = with_seats.first().filter(|_| self.asks_price);
        if let Some(one) = any.or(picked).or(exact).or(only.filter(|_| !is_elsewhere)) {
            let choice = choice(one, &film, context.language);
            let label = choice.name.unwrap_or(choice.label);
            self.showing = Some(Selection { id: choice.value, label });
            return self.proceed(context);
        }
        self.ask_showing(context, &with_seats, &film)
    }

    /// Remembers the first of `showings` as choices for the next sentence.
    fn offer(&mut self, showings: &[&Showing<'_>], film: &str, language: Language) {
        let first = showings.iter().take(SHOWINGS_MAX);
        self.choices = first.map(|it| choice(it, film, language)).collect();
        self.question = Some(Question::Showing);
    }

    fn ask_showing(
        &mut self,
        context: &mut TurnContext<'_>,
        showings: &[&Showing<'_>],
        film: &str,
    ) -> Decision {
        self.offer(showings, film, context.language);
        let options: Vec<_> =
            self.choices.iter().map(|it| json!({ "value": it.value, "label": it.label })).collect();
        let label = context.say("上映時間", "Showtime");
        let mut fields = vec![
            json!({ "name": "showtime_id", "type": "radio", "label": label, "options": options, "required": true }),
        ];
        fields.extend(self.count_field(context));
        let asks = context.say(
            format!("「{film}」の上映時間をお選びください。"),
            format!("When would you like to see {film}?"),
        );
        let asks = self.noted(asks);
        let form = json!({ "title": context.say("上映時間の選択", "Choose a showtime"), "description": asks, "submitLabel": context.say("次へ", "Next"), "fields": fields });
        let reason = context.say("どの回にするかを尋ねるため", "To ask which showing");
        let list = numbered(&self.choices);
        context.ask(form, reason, format!("{asks}\n{list}"))
    }

    fn show_showings(
        &mut self,
        context: &TurnContext<'_>,
        showings: &[&Showing<'_>],
        film: &str,
    ) -> Decision {
        self.offer(showings, film, context.language);
        let head =
            context.say(format!("「{film}」の上映時間です。"), format!("Showtimes of {film}:"));
        let mut head = self.noted(head);
        let minutes =
            showings.first().and_then(|it| minutes(it.value)).filter(|_| self.asks_length);
        if let Some(minutes) = minutes {
            let length = context.say(
                format!("「{film}」は{minutes}分です。"),
                format!("{film} takes {minutes} minutes."),
            );
            head = format!("{length}\n{head}");
        }
        let list = numbered(&self.choices);
        let next = context.say(
            "予約するときは「1番を2席予約して」のように書いてください。",
            "To book, write for example \"book two seats for number 1\".",
        );
        context.conclude(format!("{head}\n{list}\n{next}"))
    }
}

/// Showings of all requested days.
pub(super) fn merge(answered: &[Answered]) -> Value {
    let lists = answered.iter().filter_map(|done| match &done.result {
        ToolResult::Output { structured, .. } if done.call.name == SHOWTIMES => {
            structured["showtimes"].as_array()
        }
        _ => None,
    });
    json!({ "showtimes": lists.flatten().collect::<Vec<_>>() })
}

pub(super) fn read(value: &Value) -> Option<Showing<'_>> {
    let start = value["start_time"].as_str()?;
    let hour: u16 = start.get(11..13)?.parse().ok()?;
    let minute: u16 = start.get(14..16)?.parse().ok()?;
    let free = value["available_seats_count"].as_u64().unwrap_or_default();
    Some(Showing { value, start, minutes: hour * 60 + minute, free })
}

/// Name of the screen, if `text` contains it.
fn screen(showing: &Value, text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let names = ["theater_name", "theater_name_en"].into_iter();
    let mut names = names.filter_map(|it| showing[it].as_str());
    let name = names.find(|it| !it.is_empty() && text.contains(&it.to_lowercase()))?;
    Some(name.to_owned())
}

/// Duration of a showing, in minutes.
fn minutes(showing: &Value) -> Option<i64> {
    let at = |name: &str| showing[name].as_str()?.get(..19)?.parse::<jiff::civil::DateTime>().ok();
    let span = at("start_time")?.until(at("end_time")?).ok()?;
    span.total(jiff::Unit::Minute).ok().map(|it| it.round() as i64)
}

/// `11月23日 19:00`, `Mon 23 Nov, 19:00`; without a time, the day alone.
pub(super) fn format_start(start: &str, language: Language) -> String {
    let part = |from, to| start.get(from..to).unwrap_or_default();
    let Ok(date) = part(0, 10).parse::<jiff::civil::Date>() else { return start.to_owned() };
    let time = part(11, 16);
    let (month, day) = (date.month(), date.day());
    let (japanese, english) = (format!("{month}月{day}日"), date.strftime("%a %-d %b").to_string());
    match time.is_empty() {
        true => language.pick(japanese, english),
        false => language.pick(format!("{japanese} {time}"), format!("{english}, {time}")),
    }
}

/// Formats a showing: `「AKIRA」11月23日 19:00`, `AKIRA – Mon 23 Nov, 19:00`.
pub(super) fn titled(film: Option<&str>, start: &str, language: Language) -> String {
    let when = format_start(start, language);
    match film.filter(|it| !it.is_empty()) {
        Some(film) => language.pick(format!("「{film}」{when}"), format!("{film} – {when}")),
        None => when,
    }
}

fn choice(showing: &Showing<'_>, film: &str, language: Language) -> Choice {
    let value = showing.value;
    let screen = language
        .pick(&value["theater_name"], &value["theater_name_en"])
        .as_str()
        .or(value["theater_name"].as_str());
    let screen = screen.map(|it| format!(" {it}")).unwrap_or_default();
    let when = format_start(showing.start, language);
    let free = showing.free;
    let label = language.pick(
        format!("{when}{screen}（空き{free}席）"),
        format!("{when}{screen} ({} left)", say::counted(free, "seat")),
    );
    let id = value["showtime_id"].as_str().unwrap_or_default().to_owned();
    let time = showing.start.get(11..16).unwrap_or_default().to_owned();
    let hour = showing.minutes / 60;
    let mut words = vec![time];
    if showing.minutes.is_multiple_of(60) {
        words.push(format!("{hour}時"));
    }
    let name = Some(titled(Some(film), showing.start, language));
    Choice { value: id, label, words, name }
}

/// By what time films are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Timed {
    /// By the end rather than the start.
    is_end: bool,
    /// The latest rather than the earliest.
    is_last: bool,
}

/// Whether by the end, whether the latest, and the words for it.
const TIMES: [(bool, bool, &str); 4] = [
    (
        true,
        false,
        "先に終わ|早く終わ|早めに終わ|早く帰れ|ends earlier|ends earliest|ends first|ends sooner|end earlier|end first|finishes earlier|finishes first|finish earlier|finish first|over earlier|over first|out earlier",
    ),
    (
        true,
        true,
        "後に終わ|あとに終わ|遅く終わ|遅くに終わ|ends later|ends latest|ends last|end later|finishes later|finishes last|finish later",
    ),
    (
        false,
        false,
        "先に始ま|早く始ま|starts earlier|starts earliest|starts first|starts sooner|start earlier|start first|begins earlier|begins first|starts soonest",
    ),
    (
        false,
        true,
        "後に始ま|あとに始ま|遅く始ま|starts later|starts latest|starts last|start later|begins later|begins last",
    ),
];

/// By what time `utterance` orders films.
pub(super) fn timed(utterance: &Utterance) -> Option<Timed> {
    let found = TIMES.iter().find(|it| utterance.says(it.2));
    found.map(|it| Timed { is_end: it.0, is_last: it.1 })
}

/// Words of such orders.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    TIMES.iter().flat_map(|it| marks(it.2)).chain(marks("一番|いちばん|earliest|latest"))
}

impl Visit {
    /// Looks up the showings of `films`, if the sentence orders them by their times on a day.
    pub(super) fn list_times(
        &mut self,
        context: &mut TurnContext<'_>,
        films: &[&Value],
    ) -> Option<Decision> {
        let date = self.date.clone().filter(|_| films.len() > 1 && self.also.is_none())?;
        self.wanted.timed?;
        self.choices = films.iter().map(|it| films::choice(it, context.language)).collect();
        self.is_timing = true;
        let calls = self.choices.iter().map(|film| {
            let name = film.name.as_ref().unwrap_or(&film.label);
            let reason = context
                .say(format!("「{name}」の上映時間を確認"), format!("To see when {name} is on"));
            context.call(SHOWTIMES, json!({ "movie_id": film.value, "date": date }), reason)
        });
        Some(Decision::Call(calls.collect()))
    }

    /// Answers which of the films is first, and when each of them is.
    pub(super) fn answer_times(&mut self, context: &TurnContext<'_>, found: &Value) -> Decision {
        self.is_timing = false;
        let timed = self.wanted.timed.unwrap_or(Timed { is_end: false, is_last: false });
        let hours = self.hours;
        let all = found["showtimes"].as_array().into_iter().flatten();
        let open = all.filter(|it| it["is_open"] != false).filter_map(read);
        let open = open
            .filter(|it| hours.is_none_or(|hours| (hours.from..=hours.to).contains(&it.minutes)));
        let end = |it: &Value| it["end_time"].as_str().unwrap_or_default().to_owned();
        let time = |it: &Value| match timed.is_end {
            true => end(it),
            false => it["start_time"].as_str().unwrap_or_default().to_owned(),
        };
        let mut shown: Vec<_> = open.map(|it| (time(it.value), it.value.clone())).collect();
        shown.sort_by(|one, other| match timed.is_last {
            true => other.0.cmp(&one.0),
            false => one.0.cmp(&other.0),
        });
        let films = std::mem::take(&mut self.choices);
        for (_, showing) in shown {
            let film = films.iter().find(|it| showing["movie_id"] == it.value.as_str());
            let Some(film) = film.filter(|it| !self.choices.iter().any(|of| of.value == it.value))
            else {
                continue;
            };
            let start =
                format_start(showing["start_time"].as_str().unwrap_or_default(), context.language);
            let end = end(&showing);
            let end = end.get(11..16).unwrap_or_default();
            let name = film.name.as_ref().unwrap_or(&film.label);
            let label = context
                .say(format!("{name}（{start}〜{end}）"), format!("{name} ({start} to {end})"));
            self.choices.push(Choice { label, ..film.clone() });
        }
        let Some(first) = self.choices.first().cloned() else {
            return context.conclude(context.say(
                "その時間帯の上映はありません。別の日時をお試しください。",
                "None of them is on then. Please try another day or time.",
            ));
        };
        let name = first.name.clone().unwrap_or_else(|| first.label.clone());
        self.film_of_answer = Some(Selection { id: first.value, label: name });
        self.question = Some(Question::Film);
        let (japanese, english) = match (timed.is_end, timed.is_last) {
            (true, false) => ("一番早く終わるのは", "The first to end is"),
            (true, true) => ("一番遅く終わるのは", "The last to end is"),
            (false, false) => ("一番早く始まるのは", "The first to start is"),
            (false, true) => ("一番遅く始まるのは", "The last to start is"),
        };
        let head = context.say(
            format!("{japanese}「{}」です。", first.label),
            format!("{english} {}.", first.label),
        );
        let head = self.noted(head);
        let list = numbered(&self.choices);
        let next = context.say(
            "予約するときは「1番を2席予約して」のように書いてください。",
            "To book, write for example \"book two seats for number 1\".",
        );
        context.conclude(format!("{head}\n{list}\n{next}"))
    }
}
