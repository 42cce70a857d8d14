//! First step: the film.

use serde_json::{Value, json};

use language::{
    Language,
    context::TurnContext,
    coverage::is_small,
    name_pieces::is_name_char,
    say,
    scan::{distance, folded, marks},
    turn::{Answered, Decision, ToolCall, ToolResult},
    utterance::clean,
};

use super::{
    titles::Sentence,
    visit::{Aim, Choice, MOVIES, Question, Selection, Visit},
};

/// Maximum films offered at once.
const FILMS_MAX: usize = 12;
/// Maximum characters of a title query (CIN-15).
const QUERY_MAX: usize = 100;
impl Visit {
    pub(super) fn list_films(&mut self, context: &mut TurnContext<'_>) -> Decision {
        if self.date.is_none() && self.hours.is_some() {
            self.date = Some(context.today().to_string());
        }
        let days = [self.date.clone(), self.also.clone()];
        let mut calls = Vec::new();
        for date in days.iter().take(1).chain(days[1..].iter().filter(|it| it.is_some())) {
            self.list_day(context, date.as_deref(), &mut calls);
        }
        Decision::Call(calls)
    }

    /// Calls for the films of a day.
    fn list_day(
        &self,
        context: &mut TurnContext<'_>,
        date: Option<&str>,
        calls: &mut Vec<ToolCall>,
    ) {
        let mut arguments = json!({});
        let mut until = None;
        let today = context.today().to_string();
        if let Some(date) = date {
            let is_list = self.title.is_none() || self.is_untitled || self.aim == Aim::Films;
            let now = (date == today && is_list).then(|| context.minutes());
            let is_limited = self.title.is_none() || self.aim == Aim::Films;
            let hours = self.hours.filter(|_| is_limited && self.widened != Some(true));
            // Started showings and those before the requested hours are left out.
            let from = hours.map_or(0, |it| it.from).max(now.unwrap_or(0));
            arguments["date"] = at(date, from);
            let is_open = self.title.is_some() || self.is_untitled;
            let end = hours.map(|it| it.to).filter(|to| *to < 24 * 60 && !is_open);
            until = end.map(|to| at(date, to + 1));
        }
        if let Some(title) = self.title.as_ref().filter(|_| !self.is_untitled) {
            arguments["title_query"] = title.chars().take(QUERY_MAX).collect::<String>().into();
        }
        let reason = match (&self.title, date) {
            (Some(title), _) => context
                .say(format!("映画「{title}」を探すため"), format!("To find the film {title}")),
            (None, Some(date)) => context.say(
                format!("{date}に上映される映画を確認"),
                format!("To see what is showing on {date}"),
            ),
            (None, None) => context.say("上映中の映画を確認", "To see what is on"),
        };
        calls.push(context.call(MOVIES, arguments, reason));
        if let Some(until) = until {
            let reason =
                context.say("その時間帯を過ぎる上映を除くため", "To leave out what begins later");
            calls.push(context.call(MOVIES, json!({ "date": until }), reason));
        }
    }

    pub(super) fn handle_films(
        &mut self,
        context: &mut TurnContext<'_>,
        found: &Value,
    ) -> Decision {
        let movies = found["movies"].as_array().map(Vec::as_slice).unwrap_or_default();
        self.before = self.before.take().filter(|_| movies.is_empty());
        if let Some(wider) = self.widen(context, movies) {
            return wider;
        }
        if movies.is_empty() {
            if self.title.is_some() && !self.is_untitled && self.asks_loosely(found) {
                // The name may be something else; lists all films.
                self.is_untitled = true;
                return self.list_films(context);
            }
            return self.no_film(context, found);
        }
        let fits = |film: &&Value| {
            self.genre.as_ref().is_none_or(|genre| is_genre(film, genre))
                && self.wanted.accepts(film)
        };
        let mut films: Vec<&Value> = movies.iter().filter(fits).collect();
        if films.is_empty() {
            let genre = self.genre.as_ref().map(|it| context.say(&it.0, &it.1));
            self.note = Some(match genre {
                Some(genre) => context.say(
                    format!("「{genre}」で条件に合う映画は見つかりませんでした。"),
                    format!("There is no film of the kind {genre} that fits."),
                ),
                None => context
                    .say("条件に合う映画は見つかりませんでした。", "No film fits all of that."),
            });
            films = movies.iter().collect();
        }
        self.wanted.sort(&mut films);
        let is_open = self.title.is_none() || self.is_untitled;
        if let (true, true, Some(what)) = (
            is_open && self.wanted.is_first,
            self.aim != Aim::Films,
            self.wanted.superlative(context.language),
        ) && let Some(film) = films.first().copied()
        {
            // The best match is the film.
            let label = choice(film, context.language).label;
            self.note =
                Some(context.say(format!("{what}「{label}」です。"), format!("{what} {label}.")));
            films.truncate(1);
        }
        let is_found = |film: &&Value| {
            found["named"].as_array().is_some_and(|ids| ids.contains(&film["movie_id"]))
        };
        let is_whole = |film: &&Value| is_named(&names_of(film), &self.sentence);
        let is_compared = self.wanted.is_compared && self.aim == Aim::Films;
        // A partial name is enough unless two films are named.
        let may_be_part = is_compared && films.iter().filter(|it| is_whole(it)).count() < 2;
        let is_said = |film: &&Value| {
            is_whole(film)
                || may_be_part && (is_found(film) || is_named_in_part(film, movies, &self.sentence))
        };
        // `not Godzilla, something short` names what is not wanted.
        let words = self.wanted.words.iter().filter(|it| it.chars().count() > 1);
        let refused: Vec<String> = words
            .filter(|it| is_refused(std::slice::from_ref(*it), &self.sentence))
            .cloned()
            .collect();
        let is_wanted = |film: &&Value| {
            !is_refused(&names_of(film), &self.sentence)
                && !refused.iter().any(|it| is_of_title(film, it))
        };
        if films.iter().any(is_wanted) {
            films.retain(is_wanted);
            self.wanted.words.retain(|it| !refused.contains(it));
        }
        let named: Vec<&Value> = films.iter().copied().filter(is_said).collect();
        let more = is_compared.then(|| self.search_compared(context, &named));
        if let Some(more) = more.flatten() {
            return more;
        }
        let is_named_one = !named.is_empty();
        let looked = self.wanted.looked.clone().filter(|_| named.len() > 1);
        if !self.wanted.words.is_empty()
            && !is_named_one
            && (self.title.is_none() || self.is_untitled)
        {
            let (known, words) = self.wanted.described_by(&films);
            if !known.is_empty() {
                let list = words.join(context.language.pick("、", ", "));
                let is_title = |film: &Value| words.iter().all(|it| is_of_title(film, it));
                self.note = match known[..] {
                    [film] if is_title(film) && self.aim != Aim::Films => None,
                    _ => Some(context.say(
                        format!("題名か紹介文に「{list}」がある映画です。"),
                        format!("Films whose title or description has \"{list}\":"),
                    )),
                };
                films = known;
                self.title = None;
            }
            self.wanted.explained = words;
        } else {
            let title = self.title.clone().unwrap_or_default().to_lowercase();
            let is_of_film = |word: &String| match named.is_empty() {
                true => {
                    title.contains(&word.to_lowercase())
                        || films.first().is_some_and(|film| is_of_title(film, word))
                }
                false => {
                    word.is_ascii() && title.contains(&word.to_lowercase())
                        || named.iter().any(|film| is_of_title(film, word))
                }
            };
            let words = self.wanted.words.iter().chain(&self.wanted.others);
            self.wanted.explained = words.filter(|it| is_of_film(it)).cloned().collect();
            // A number in the name, too: `seven samurai`.
            self.wanted.explained.extend(title.split_whitespace().map(str::to_owned));
            self.wanted.explained.extend(looked);
        }
        self.wanted.explained.extend(refused);
        if let (true, Some(title), true) = (self.is_untitled, &self.title, !is_named_one) {
            self.note = Some(context.say(
                format!("「{title}」という映画は見つかりませんでした。"),
                format!("There is no film called \"{title}\"."),
            ));
            let folded = title.to_lowercase();
            let words = self.wanted.words.iter().filter(|it| folded.contains(&it.to_lowercase()));
            self.wanted.explained = words.cloned().collect();
            self.aim = Aim::Films;
        }
        if is_named_one {
            if let [film] = named[..] {
                self.ignore_count_in_title(film, context);
            }
            films = named;
        } else if self.title.is_some() && self.aim != Aim::Films {
            // The best match is first; others are offered if it is uncertain.
            films.truncate(3);
        }
        if self.is_guess && self.aim == Aim::Book && self.count.is_none() && self.seats.is_empty() {
            // The number was part of the name (七人の侍).
            self.aim = Aim::Films;
        }
        if let (Aim::Films, [film], true, true) =
            (self.aim, &films[..], is_named_one, self.date.is_some() || self.week.is_some())
        {
            // A film on a day: asks for its times.
            self.film = Some(selection(film, context.language));
            self.aim = Aim::Showtimes;
            return self.proceed(context);
        }
        if self.aim == Aim::Films {
            return self.show_films(context, &films);
        }
        if self.asks_price {
            // Any of them has prices.
            films.truncate(1);
        }
        if let [film] = films[..] {
            let title = self.title.clone().filter(|_| !self.is_untitled && !is_named_one);
            if let Some(title) = title.filter(|it| !is_of_title(film, it)) {
                // An inexact match is mentioned.
                let taken = selection(film, context.language).label;
                self.note = Some(context.say(
                    format!("「{title}」は「{taken}」と受け取りました。"),
                    format!("I took \"{title}\" for {taken}."),
                ));
            }
            self.film = Some(selection(film, context.language));
            return self.proceed(context);
        }
        self.ask_film(context, &films)
    }

    /// Looks once for the film compared with the one `named`, by a word that is not in its name, and keeps
    /// what is compared.
    fn search_compared(
        &mut self,
        context: &mut TurnContext<'_>,
        named: &[&Value],
    ) -> Option<Decision> {
        const CHARS_MIN: usize = 3;
        let lower = self.sentence.to_lowercase();
        let is_other = |name: &&String| {
            name.chars().count() >= CHARS_MIN
                && !named.iter().any(|film| is_of_title(film, name))
                && lower.match_indices(&name.to_lowercase()).any(|at| is_joined(&lower, at))
        };
        let word = self.wanted.words.iter().find(is_other).cloned();
        if let ([_], Some(word), None) = (named, word, &self.wanted.looked) {
            let Decision::Call(mut calls) = self.list_films(context) else { return None };
            let reason = context
                .say(format!("映画「{word}」を探すため"), format!("To find the film {word}"));
            calls.push(context.call(MOVIES, json!({ "title_query": &word }), reason));
            self.wanted.looked = Some(word);
            return Some(Decision::Call(calls));
        }
        if named.len() > 1 {
            let ids = named.iter().filter_map(|it| it["movie_id"].as_str());
            self.wanted.among = ids.map(str::to_owned).collect();
        }
        None
    }

    /// Repeats a search for the whole day if the sentence may name a film that is not on at the requested hours;
    /// without a result, lists the films at those hours. Sentences that ask for films in general name none.
    fn widen(&mut self, context: &mut TurnContext<'_>, movies: &[Value]) -> Option<Decision> {
        let films: Vec<_> = movies.iter().collect();
        let is_open = self.title.is_none() || self.is_untitled;
        let is_hidden = is_open
            && self.aim != Aim::Films
            && !["what", "which", "何", "どれ", "どんな"]
                .iter()
                .any(|it| self.sentence.contains(it))
            && self.hours.is_some()
            && !self.wanted.words.is_empty()
            && !films.iter().any(|it| is_named(&names_of(it), &self.sentence))
            && self.wanted.described_by(&films).0.is_empty();
        self.widened = match self.widened {
            None if is_hidden => Some(true),
            Some(true) if is_hidden => Some(false),
            _ => return None,
        };
        Some(self.list_films(context))
    }

    fn ask_film(&mut self, context: &mut TurnContext<'_>, films: &[&Value]) -> Decision {
        self.choices =
            films.iter().take(FILMS_MAX).map(|it| choice(it, context.language)).collect();
        self.question = Some(Question::Film);
        let options: Vec<_> =
            self.choices.iter().map(|it| json!({ "value": it.value, "label": it.label })).collect();
        let label = context.say("映画", "Film");
        let mut fields = vec![
            json!({ "name": "movie_id", "type": "radio", "label": label, "options": options, "required": true }),
        ];
        fields.extend(self.count_field(context));
        let asks =
            context.say("ご覧になる映画をお選びください。", "Which film would you like to see?");
        let asks = self.noted(asks);
        let form = json!({ "title": context.say("映画の選択", "Choose a film"), "description": asks, "submitLabel": context.say("次へ", "Next"), "fields": fields });
        let reason = context.say("どの映画にするかを尋ねるため", "To ask which film");
        let list = numbered(&self.choices);
        context.ask(form, reason, format!("{asks}\n{list}"))
    }

    /// Asks for one of the films that the answer before listed, without listing them again.
    pub(super) fn ask_of_list(&mut self, context: &mut TurnContext<'_>) -> Decision {
        (self.question, self.has_list) = (Some(Question::Film), true);
        let asks = match self.count {
            Some(_) => context.say(
                "どの映画にしますか？上の一覧の番号か題名で書いてください（例:「3番」）。",
                "Which film shall it be? Please write its number in the list above or its title, such as \"number 3\".",
            ),
            None => context.say(
                "どの映画を何席予約しますか？上の一覧の番号か題名で書いてください（例:「3番を2席」）。",
                "Which film, and how many seats? Please write its number in the list above or its title, such as \"two seats for number 3\".",
            ),
        };
        let asks = self.noted(asks);
        context.conclude(asks)
    }

    fn show_films(&mut self, context: &mut TurnContext<'_>, films: &[&Value]) -> Decision {
        if let [film] = films {
            self.choices = vec![choice(film, context.language)];
            self.film_of_answer = Some(selection(film, context.language));
            self.question = Some(Question::Film);
            let text = self.noted(describe(film, context.language));
            return context.conclude(text);
        }
        if let Some(times) = self.list_times(context, films) {
            return times;
        }
        let count = films.len();
        let day = self.day(context);
        let are =
            format!("{} {}", say::counted(count, "film"), if count == 1 { "is" } else { "are" });
        let head = match day {
            Some(date) => context.say(
                format!("{date}に上映される映画は{count}件です。"),
                format!("{are} showing {date}."),
            ),
            None => {
                context.say(format!("上映中の映画は{count}件です。"), format!("{are} showing."))
            }
        };
        let mut head = self.noted(head);
        if let Some(hours) = self.hours.filter(|_| self.wanted.ends) {
            let end = format!("{}:{:02}", hours.to / 60 % 24, hours.to % 60);
            let note = context.say(
                format!("{end}は始まる時刻として調べています。{end}までに終わる回は、映画ごとに「{end}までに終わる〇〇の回は？」で確かめられます。"),
                format!("What begins by {end} is listed; ask for one film (\"which showing of … ends by {end}?\") to see what ends by then. "),
            );
            head = format!("{note}{head}");
        }
        if let (Some(what), Some(film)) = (self.wanted.superlative(context.language), films.first())
        {
            let first = choice(film, context.language).label;
            self.film_of_answer = Some(selection(film, context.language));
            // The number of compared films is not mentioned.
            let head_of = if self.wanted.among.is_empty() { head.as_str() } else { "" };
            head = context.say(
                format!("{what}「{first}」です。{head_of}"),
                format!("{what} {first}. {head_of}").trim_end(),
            );
        }
        self.choices =
            films.iter().take(FILMS_MAX).map(|it| choice(it, context.language)).collect();
        (self.question, self.has_list) = (Some(Question::Film), films.len() > 1);
        let list = numbered(&self.choices);
        let next = context.say(
            "予約するときは「1番を2席予約して」のように書いてください。",
            "To book, write for example \"book two seats for number 1\".",
        );
        context.conclude(format!("{head}\n{list}\n{next}"))
    }

    /// Whether an unmatched title may be no title: nothing is similar, and it was not quoted.
    fn asks_loosely(&self, found: &Value) -> bool {
        let is_quoted = self.title.as_ref().is_some_and(|title| {
            ["「", "『", "\"", "“"]
                .iter()
                .any(|open| self.sentence.contains(&format!("{open}{title}")))
        });
        let has_near = found["suggestions"].as_array().is_some_and(|it| !it.is_empty());
        !is_quoted
            && !has_near
            && !self.is_looked_for
            && (self.aim == Aim::Films || !self.wanted.words.is_empty())
    }

    /// Formats the day and hours.
    fn day(&self, context: &TurnContext<'_>) -> Option<String> {
        let date = self.date.clone()?;
        let both = self
            .also
            .as_ref()
            .map(|also| context.say(format!("{date}と{also}"), format!("{date} and {also}")));
        if let (Some(both), None) = (&both, self.hours) {
            return Some(context.say(both.clone(), format!("on {both}")));
        }
        let date = both.unwrap_or(date);
        let clock = |minutes: u16| format!("{}:{:02}", minutes / 60 % 24, minutes % 60);
        let now = (date == context.today().to_string()).then(|| context.minutes());
        let Some(hours) = self.hours else {
            let from = now.map(clock);
            return Some(match from {
                Some(from) => {
                    context.say(format!("{date}の{from}以降"), format!("on {date} from {from} on"))
                }
                None => context.say(date.clone(), format!("on {date}")),
            });
        };
        let from = clock(hours.from.max(now.unwrap_or(0)));
        Some(match hours.to < 24 * 60 {
            true => {
                let to = clock(hours.to);
                context.say(
                    format!("{date}の{from}から{to}まで"),
                    format!("on {date} from {from} to {to}"),
                )
            }
            false => {
                context.say(format!("{date}の{from}以降"), format!("on {date} from {from} on"))
            }
        })
    }

    fn no_film(&mut self, context: &mut TurnContext<'_>, found: &Value) -> Decision {
        // What is no film may belong to another family.
        context.is_given_up |= self.is_looked_for;
        let title = self.title.clone().unwrap_or_default().to_lowercase();
        let words = self.wanted.words.iter().filter(|it| title.contains(&it.to_lowercase()));
        self.wanted.explained = words.cloned().collect();
        let names = context.language.pick(&found["suggestions"], &found["suggestions_en"]);
        let names: Vec<_> = names
            .as_array()
            .or(found["suggestions"].as_array())
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let what = match (&self.title, &self.date) {
            (Some(title), _) if self.is_looked_for => context.say(
                format!("「{title}」という映画は見つかりませんでした。"),
                format!("There is no film called \"{title}\"."),
            ),
            (Some(title), Some(date)) => context.say(
                format!("{date}に「{title}」の上映は見つかりませんでした。"),
                format!("\"{title}\" is not showing on {date}."),
            ),
            (Some(title), None) => context.say(
                format!("「{title}」は見つかりませんでした。"),
                format!("\"{title}\" was not found."),
            ),
            _ if self.hours.is_some() => context.say(
                "その時間に上映される映画はありません。別の日時をお試しください。",
                "No film is on then. Please try another day or time.",
            ),
            _ => {
                let day = self.day(context).unwrap_or_default();
                context.say(
                    format!("{day}に上映される映画はありません。別の日をお試しください。"),
                    format!(
                        "No film is on {}. Please try another day.",
                        day.trim_start_matches("on ")
                    ),
                )
            }
        };
        let own = found["suggestions"].as_array().into_iter().flatten().filter_map(Value::as_str);
        // `千と千尋` may be `千と千尋の神隠し`.
        let is_itself = |title: &String| {
            let title = folded(title);
            let is_part = |it: &str| folded(it).windows(title.len().max(1)).any(|it| it == title);
            title.len() > 1 && names.iter().copied().chain(own).any(is_part)
        };
        if let (Some(title), Some(date)) = (self.title.clone().filter(is_itself), self.date.clone())
        {
            // The film is on other days, which are listed.
            self.note = Some(context.say(
                format!("{date}の「{title}」の上映は、まだ売り出されていないか、ありません。"),
                format!("{title} is not on sale for {date}, or not on that day."),
            ));
            (self.date, self.also, self.hours) = (None, None, None);
            self.aim = Aim::Showtimes;
            return self.list_films(context);
        }
        let text = match names.is_empty() {
            true => what,
            false => {
                let list = names.join(context.language.pick("、", ", "));
                context
                    .say(format!("{what}近い題名: {list}"), format!("{what} Close titles: {list}"))
            }
        };
        if let Some(before) = self.before.take() {
            // What was chosen stays.
            *self = Self { note: Some(text), ..*before };
            return self.proceed(context);
        }
        context.conclude(text)
    }

    /// Ignores a count that is part of the film's name (七人の侍).
    fn ignore_count_in_title(&mut self, film: &Value, context: &TurnContext<'_>) {
        let sentence: String = clean(&self.sentence).into_iter().collect();
        let rest = without_names(&sentence, &names_of(film));
        // A count of before stays.
        let own = Sentence::parse(&self.sentence, context.today()).numbers.people();
        if rest != self.sentence && self.count == own {
            self.count = Sentence::parse(&rest, context.today()).numbers.people();
        }
    }
}

/// Films within the hours: on each day those with more showings from the start than from the end;
/// merged over several days.
pub(super) fn merge_days(answered: &[Answered]) -> Value {
    let lists = answered.iter().filter(|it| it.call.name == MOVIES).filter_map(|answered| {
        let day =
            answered.call.arguments.get("date").and_then(Value::as_str).and_then(|it| it.get(..10));
        match &answered.result {
            ToolResult::Output { structured, .. } => {
                let is_named = answered.call.arguments.contains_key("title_query");
                Some((day.unwrap_or_default(), structured, is_named))
            }
            ToolResult::Failed(_) => None,
        }
    });
    let lists: Vec<_> = lists.collect();
    // A film found by its name next to a list belongs to no day.
    let is_list = lists.iter().any(|it| !it.2);
    let (named, lists): (Vec<_>, Vec<_>) = lists.into_iter().partition(|it| is_list && it.2);
    let lists: Vec<_> = lists.into_iter().map(|it| (it.0, it.1)).collect();
    let mut all = json!({ "movies": [], "suggestions": [] });
    let named: Vec<_> = named.iter().map(|it| it.1["movies"][0]["movie_id"].clone()).collect();
    all["named"] = named.into();
    let mut films: Vec<Value> = Vec::new();
    for of_day in lists.chunk_by(|a, b| a.0 == b.0) {
        let count = |it: &Value| it["showtimes_count"].as_u64();
        let later = |id: &Value| {
            let films = of_day.get(1).and_then(|film| film.1["movies"].as_array());
            let film = films.into_iter().flatten().find(|it| it["movie_id"] == *id);
            film.and_then(count).unwrap_or(0)
        };
        for name in ["suggestions", "suggestions_en"] {
            all[name] = of_day[0].1[name].clone();
        }
        let on = of_day[0].1["movies"].as_array().into_iter().flatten();
        for film in on.filter(|film| {
            count(film)
                .is_none_or(|it_count| of_day.len() == 1 || it_count > later(&film["movie_id"]))
        }) {
            if !films.iter().any(|it| it["movie_id"] == film["movie_id"]) {
                films.push(film.clone());
            }
        }
    }
    all["movies"] = films.into();
    all
}

/// `2026-11-22T17:00`; without the time at midnight.
fn at(date: &str, minutes: u16) -> Value {
    match minutes {
        0 => date.into(),
        minutes if minutes >= 24 * 60 => format!("{date}T23:59").into(),
        minutes => format!("{date}T{:02}:{:02}", minutes / 60, minutes % 60).into(),
    }
}

/// Describes a film.
fn describe(film: &Value, language: Language) -> String {
    let label = choice(film, language).label;
    let text = language.pick(&film["description"], &film["description_en"]);
    let text = text.as_str().or(film["description"].as_str()).unwrap_or_default();
    let year = film["release_date"].as_str().and_then(|it| it.get(..4));
    let year = year
        .map(|it| language.pick(format!("{it}年公開。"), format!(" Released in {it}.")))
        .unwrap_or_default();
    language.pick(
        format!("「{label}」: {text}{year}\n上映時間や空席は「上映時間は？」「明日2席予約して」のように続けて書いてください。"),
        format!("{label}: {text}{year}\nGo on with, for example, \"showtimes\" or \"book two seats for tomorrow\"."),
    )
}

/// Formats choices as a numbered list.
pub(super) fn numbered(choices: &[Choice]) -> String {
    let lines = choices.iter().enumerate().map(|(at, it)| format!("{}. {}", at + 1, it.label));
    lines.collect::<Vec<_>>().join("\n")
}

fn title(film: &Value, language: Language) -> String {
    let japanese = film["title"].as_str().unwrap_or_default();
    language.pick(japanese, film["title_en"].as_str().unwrap_or(japanese)).to_owned()
}

fn selection(film: &Value, language: Language) -> Selection {
    let id = film["movie_id"].as_str().unwrap_or_default().to_owned();
    Selection { id, label: title(film, language) }
}

pub(super) fn choice(film: &Value, language: Language) -> Choice {
    let Selection { id, label } = selection(film, language);
    let genre = language.pick(&film["genre"], &film["genre_en"]).as_str();
    let minutes =
        film["duration"].as_u64().map(|it| language.pick(format!("{it}分"), format!("{it} min")));
    let rating = film["rating"].as_f64().map(|it| format!("★{it:.1}"));
    let more: Vec<_> = genre.map(str::to_owned).into_iter().chain(minutes).chain(rating).collect();
    let words = names_of(film);
    let name = Some(label.clone());
    let shown = match more.is_empty() {
        true => label,
        false => language.pick(
            format!("{label}（{}）", more.join("、")),
            format!("{label} ({})", more.join(", ")),
        ),
    };
    Choice { value: id, label: shown, words, name }
}

/// Names of the film.
fn names_of(film: &Value) -> Vec<String> {
    let names = ["title", "title_en"].into_iter().filter_map(|it| film[it].as_str());
    names.filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// `text` without the names of a film.
pub(super) fn without_names(text: &str, names: &[String]) -> String {
    let names = names.iter().filter(|it| !it.is_empty());
    names.fold(text.to_owned(), |text, name| {
        text.replace(name, " ").replace(&name.to_lowercase(), " ")
    })
}

/// Whether one of a film's names has `word`: in Latin letters, as a word of its own.
pub(super) fn is_part(names: &[String], word: &str) -> bool {
    let part = folded(word);
    names.iter().any(|name| match word.is_ascii() {
        true => name.split_whitespace().any(|it| folded(it) == part),
        false => !part.is_empty() && folded(name).windows(part.len()).any(|it| it == part),
    })
}

/// Whether the sentence contains one of a film's names; long names may have a typo.
pub(super) fn is_named(names: &[String], text: &str) -> bool {
    let text = folded(text);
    names.iter().map(|it| folded(it)).filter(|it| it.len() >= 2).any(|name| {
        let most = typos_max(name.len());
        let sizes = name.len().saturating_sub(most)..=name.len() + most;
        sizes.into_iter().filter(|it| *it > 0).any(|size| {
            text.windows(size).any(|it| it == name || most > 0 && distance(it, &name) <= most)
        })
    })
}

/// Whether each mention of one of a film's names refuses it: `not Godzilla, not Akira, …`, `ゴジラでもAKIRAでもなく`.
fn is_refused(names: &[String], sentence: &str) -> bool {
    const BEFORE: &str =
        "not |not the |no |nor |nothing like |anything but |skip |without |neither ";
    const BEHIND: &str = "じゃなく|ではなく|でなく|でもなく|でもない|じゃない映画|以外|はもう見た|は見たので|は見たから|は観たので|は観たから|はパス|はいやな|はいやだ|はいやで|はいや、|は嫌|抜き";
    const JOINTS: &str = " or |, or | nor |と|や|でも|、";
    let text = sentence.to_lowercase();
    let mut names: Vec<_> = names.iter().map(|it| it.to_lowercase()).collect();
    names.retain(|it| it.chars().count() > 1 && text.contains(it.as_str()));
    // The longest name includes the others.
    let Some(name) = names.iter().max_by_key(|it| it.len()) else { return false };
    let mut mentions = text.match_indices(name.as_str());
    let refuses = |at: usize| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let behind = behind.trim_start_matches(['」', '"', '.']);
        let is_begun = marks(BEFORE).any(|lead| {
            before.strip_suffix(lead).is_some_and(|rest| {
                !rest.ends_with(char::is_alphanumeric) && !rest.ends_with("why ")
            })
        });
        // `not Godzilla or Akira`, `ゴジラでもAKIRAでもなく`
        let clause = before.rsplit([',', '.', '。']).next().unwrap_or_default();
        let is_joined = marks(JOINTS).any(|it| it.is_ascii() && before.ends_with(it))
            && marks("not |no |neither ").any(|it| clause.contains(it));
        let listed = behind.strip_prefix("でも").is_some_and(|it| it.contains("でもな"));
        is_begun || is_joined || listed || marks(BEHIND).any(|it| behind.starts_with(it))
    };
    mentions.all(|it| refuses(it.0))
}

/// Whether the text at `at` is joined to or compared with a name: `samurai or …`, `トトロと…`.
fn is_joined(text: &str, (at, part): (usize, &str)) -> bool {
    const BEFORE: &str = " or| than|と|「|より";
    const BEHIND: &str = "or |than |と|より";
    let before = text[..at].trim_end();
    let behind = text[at + part.len()..].trim_start_matches([' ', '」']);
    let is_subject = (text.contains(" than ") || text.contains("より"))
        && (before == "is" || before.ends_with(" is") || behind.starts_with('は'));
    is_subject
        || marks(BEFORE).any(|it| before.ends_with(it))
        || marks(BEHIND).any(|it| behind.starts_with(it))
}

/// Whether `text` has a part of the film's name that no other film has, joined to another name: `千と千尋と…`.
fn is_named_in_part(film: &Value, films: &[Value], text: &str) -> bool {
    const SIGNS: usize = 3;
    const LETTERS_MIN: usize = 4;
    let text = text.to_lowercase();
    let others = films.iter().filter(|it| it["movie_id"] != film["movie_id"]).flat_map(names_of);
    let others: Vec<_> = others.map(|it| it.to_lowercase()).collect();
    let is_word = |it: &&str| it.len() >= LETTERS_MIN && it.is_ascii() && !is_small(it);
    names_of(film).iter().map(|it| it.to_lowercase()).any(|name| {
        // Latin words, otherwise the longest common runs.
        let is_letter = |it: char| it.is_ascii_alphanumeric();
        let words = name.split(|it: char| !it.is_alphanumeric()).filter(is_word);
        let words = words.flat_map(|it| text.match_indices(it)).filter(|found| {
            !text[..found.0].ends_with(is_letter)
                && !text[found.0 + found.1.len()..].starts_with(is_letter)
        });
        let runs = text.char_indices().filter_map(|(at, _)| {
            let ends = text[at..].char_indices().map(|(from, it)| from + it.len_utf8());
            let length = ends.take_while(|it| name.contains(&text[at..at + it])).last()?;
            let run = &text[at..at + length];
            let is_name = run.chars().any(|it| !it.is_ascii() && is_name_char(it));
            (is_name && run.chars().count() >= SIGNS).then_some((at, run))
        });
        words
            .chain(runs)
            .any(|it| is_joined(&text, it) && !others.iter().any(|other| other.contains(it.1)))
    })
}

/// Whether a word belongs to the film's name.
fn is_of_title(film: &Value, word: &str) -> bool {
    let word: Vec<char> = folded(word.trim_end_matches(|it| matches!(it, '\u{3041}'..='\u{3096}')));
    names_of(film).iter().map(|it| folded(it)).any(|name| {
        let most = typos_max(name.len());
        name.windows(word.len().max(1)).any(|it| it == word)
            || most > 0 && distance(&name, &word) <= most
            || word.len() > 4 && name.windows(word.len()).any(|it| distance(it, &word) <= 1)
    })
}

/// Permitted typos by length.
fn typos_max(length: usize) -> usize {
    match length {
        0..5 => 0,
        5..10 => 1,
        _ => 2,
    }
}

fn is_genre(film: &Value, genre: &(String, String)) -> bool {
    let has = |name: &str, of: &str| {
        film[name].as_str().is_some_and(|it| it.to_lowercase().contains(&of.to_lowercase()))
    };
    genre.0.split('・').any(|it| has("genre", it))
        || genre.1.split(" or ").any(|it| has("genre_en", it))
}
