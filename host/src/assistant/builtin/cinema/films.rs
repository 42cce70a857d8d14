//! The first step at the cinema: which film.

use serde_json::{Value, json};

use super::{Aim, Asked, Choice, MOVIES, Settled, Visit};
use crate::assistant::{
    Decision, Language,
    builtin::desk::Desk,
    builtin::heard::{self, marks},
};

/// Films that are offered at once.
const FILMS_MAX: usize = 12;
/// The longest part of a title that is looked for, in characters (CIN-15).
const QUERY_MAX: usize = 100;
/// Words that ask for the best rated.
const RATED: &str = "おすすめ|お勧め|人気|評価|面白い|recommend|popular|best|rated|good";

impl Visit {
    pub(super) fn list_films(&mut self, desk: &mut Desk<'_>) -> Decision {
        let mut arguments = json!({});
        if let Some(date) = &self.date {
            let time = self.hours.filter(|it| it.is_exact && it.from > 0 && it.to >= 24 * 60);
            arguments["date"] = match time.filter(|_| self.aim == Aim::Films) {
                Some(it) => format!("{date}T{:02}:{:02}", it.from / 60, it.from % 60).into(),
                None => date.as_str().into(),
            };
        }
        if let Some(title) = &self.title {
            arguments["title_query"] = title.chars().take(QUERY_MAX).collect::<String>().into();
        }
        let when = self.date.clone();
        let reason = match (&self.title, when) {
            (Some(title), _) => {
                desk.say(format!("映画「{title}」を探すため"), format!("To find the film {title}"))
            }
            (None, Some(date)) => desk.say(
                format!("{date}に上映される映画を確認"),
                format!("To see what is on on {date}"),
            ),
            (None, None) => desk.say("上映中の映画を確認", "To see what is on"),
        };
        desk.only(MOVIES, arguments, reason)
    }

    pub(super) fn films_found(&mut self, desk: &mut Desk<'_>, found: &Value) -> Decision {
        let movies = found["movies"].as_array().map(Vec::as_slice).unwrap_or_default();
        if movies.is_empty() {
            return self.no_film(desk, found);
        }
        let fits = |it: &&Value| self.genre.as_ref().is_none_or(|genre| is_genre(it, genre));
        let mut films: Vec<&Value> = movies.iter().filter(fits).collect();
        if films.is_empty() {
            let genre = self.genre.as_ref().map(|it| desk.say(&it.0, &it.1)).unwrap_or_default();
            self.note = Some(desk.say(
                format!("「{genre}」の映画は見つかりませんでした。"),
                format!("There is no film of the kind {genre}."),
            ));
            films = movies.iter().collect();
        }
        let said = self.said.to_lowercase();
        if marks(RATED).any(|it| said.contains(it)) {
            let rating = |it: &Value| it["rating"].as_f64().unwrap_or_default();
            films.sort_by(|a, b| rating(b).total_cmp(&rating(a)));
        }
        if let Some(named) = films.iter().find(|it| is_named(it, &self.said)).copied() {
            self.recount(named, desk);
            films = vec![named];
        } else if self.title.is_some() && self.aim != Aim::Films {
            // The best match is first; others are offered where it is not sure.
            films.truncate(3);
        }
        if self.aim == Aim::Films {
            return self.films_told(desk, &films);
        }
        if let [film] = films[..] {
            self.film = Some(settled(film, desk.language));
            return self.proceed(desk);
        }
        self.ask_film(desk, &films)
    }

    fn ask_film(&mut self, desk: &mut Desk<'_>, films: &[&Value]) -> Decision {
        self.choices = films.iter().take(FILMS_MAX).map(|it| choice(it, desk.language)).collect();
        self.asked = Some(Asked::Film);
        let options: Vec<_> =
            self.choices.iter().map(|it| json!({ "value": it.value, "label": it.label })).collect();
        let label = desk.say("映画", "Film");
        let mut fields = vec![
            json!({ "name": "movie_id", "type": "radio", "label": label, "options": options, "required": true }),
        ];
        fields.extend(self.count_field(desk));
        let asks =
            desk.say("ご覧になる映画をお選びください。", "Which film would you like to see?");
        let asks = self.noted(asks);
        let form = json!({ "title": desk.say("映画の選択", "Choose a film"), "description": asks, "submitLabel": desk.say("次へ", "Next"), "fields": fields });
        let reason = desk.say("どの映画にするかを尋ねるため", "To ask which film");
        let list = numbered(&self.choices);
        desk.ask(form, reason, format!("{asks}\n{list}"))
    }

    fn films_told(&mut self, desk: &Desk<'_>, films: &[&Value]) -> Decision {
        let count = films.len();
        let day = self.date.clone();
        let head = match day {
            Some(date) => desk.say(
                format!("{date}に上映される映画は{count}件です。"),
                format!("{count} films are on on {date}."),
            ),
            None => {
                desk.say(format!("上映中の映画は{count}件です。"), format!("{count} films are on."))
            }
        };
        let head = self.noted(head);
        self.choices = films.iter().take(FILMS_MAX).map(|it| choice(it, desk.language)).collect();
        self.asked = Some(Asked::Film);
        let list = numbered(&self.choices);
        let next = desk.say(
            "予約するときは「1番を2席予約して」のように書いてください。",
            "To book, write for example \"book two seats for number 1\".",
        );
        desk.conclude(format!("{head}\n{list}\n{next}"))
    }

    fn no_film(&mut self, desk: &mut Desk<'_>, found: &Value) -> Decision {
        let names: Vec<_> = found["suggestions"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let what = match (&self.title, &self.date) {
            (Some(title), Some(date)) => desk.say(
                format!("{date}に「{title}」の上映は見つかりませんでした。"),
                format!("\"{title}\" is not on on {date}."),
            ),
            (Some(title), None) => desk.say(
                format!("「{title}」は見つかりませんでした。"),
                format!("\"{title}\" was not found."),
            ),
            _ => desk.say(
                "その日に上映される映画はありません。別の日をお試しください。",
                "No film is on then. Please try another day.",
            ),
        };
        let text = match names.is_empty() {
            true => what,
            false => {
                let list = names.join(desk.language.pick("、", ", "));
                desk.say(format!("{what}近い題名: {list}"), format!("{what} Close titles: {list}"))
            }
        };
        desk.conclude(text)
    }

    /// A number within the film's name is no number of seats (七人の侍).
    fn recount(&mut self, film: &Value, desk: &Desk<'_>) {
        let mut rest: String = heard::clean(&self.said).into_iter().collect();
        for name in ["title", "title_en"] {
            if let Some(title) = film[name].as_str().filter(|it| !it.is_empty()) {
                rest = rest.replace(title, " ").replace(&title.to_lowercase(), " ");
            }
        }
        if rest != self.said {
            let heard = heard::Heard::of(&rest, desk.today());
            self.count = heard.numbers.people();
        }
    }
}

/// The choices, each on a line with its number.
pub(super) fn numbered(choices: &[Choice]) -> String {
    let lines = choices.iter().enumerate().map(|(at, it)| format!("{}. {}", at + 1, it.label));
    lines.collect::<Vec<_>>().join("\n")
}

fn title(film: &Value, language: Language) -> String {
    let japanese = film["title"].as_str().unwrap_or_default();
    language.pick(japanese, film["title_en"].as_str().unwrap_or(japanese)).to_owned()
}

fn settled(film: &Value, language: Language) -> Settled {
    let id = film["movie_id"].as_str().unwrap_or_default().to_owned();
    Settled { id, label: title(film, language) }
}

fn choice(film: &Value, language: Language) -> Choice {
    let Settled { id, label } = settled(film, language);
    let genre = language.pick(&film["genre"], &film["genre_en"]).as_str();
    let minutes =
        film["duration"].as_u64().map(|it| language.pick(format!("{it}分"), format!("{it} min")));
    let rating = film["rating"].as_f64().map(|it| format!("★{it:.1}"));
    let more: Vec<_> = genre.map(str::to_owned).into_iter().chain(minutes).chain(rating).collect();
    let words = ["title", "title_en"]
        .iter()
        .filter_map(|it| film[*it].as_str())
        .filter(|it| !it.is_empty());
    let words = words.map(str::to_owned).collect();
    let shown = match more.is_empty() {
        true => label,
        false => language.pick(
            format!("{label}（{}）", more.join("、")),
            format!("{label} ({})", more.join(", ")),
        ),
    };
    Choice { value: id, label: shown, words }
}

/// Whether the sentence has the film's name in it.
fn is_named(film: &Value, said: &str) -> bool {
    let fold =
        |it: &str| it.to_lowercase().chars().filter(|it| it.is_alphanumeric()).collect::<String>();
    let said = fold(said);
    ["title", "title_en"]
        .iter()
        .filter_map(|it| film[*it].as_str())
        .map(fold)
        .any(|it| it.chars().count() >= 2 && said.contains(&it))
}

fn is_genre(film: &Value, genre: &(String, String)) -> bool {
    let has = |name: &str, of: &str| {
        film[name].as_str().is_some_and(|it| it.to_lowercase().contains(&of.to_lowercase()))
    };
    has("genre", &genre.0) || has("genre_en", &genre.1)
}
