//! Films by the times of their showings: `which ends earlier, Ikiru or Departures?`, `一番早く始まるのは？`.

use language::{context::TurnContext, scan::marks, turn::Decision, utterance::Utterance};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    films::{choice, numbered},
    showings::{format_start, read},
    visit::{Question, SHOWTIMES, Selection, Visit},
};

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
        self.choices = films.iter().map(|it| choice(it, context.language)).collect();
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
            self.choices.push(super::visit::Choice { label, ..film.clone() });
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
