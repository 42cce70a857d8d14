//! A name without a word for what it is: the families are asked whose it is, and the one that has it answers.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    cards::near,
    desk::{Desk, output},
    heard::{Heard, Piece},
    meeting::Meets,
    names::Names,
    say,
    words::Word,
};
use crate::{Answered, Decision, ToolResult};

pub(super) const MOVIES: &str = "list_movies";
pub(super) const CARD: &str = "get_card_illustration";
const NAME_MAX: usize = 60;
/// Words of a sentence that is nothing but a name.
const BARE_WORDS_MAX: usize = 6;
const BARE_CHARS_MAX: usize = 16;

/// A name that is looked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Look {
    pub(super) name: String,
}

/// Whose a name is.
pub(super) enum Found {
    Film,
    Card,
    /// A card by a name that is near it.
    Near(String),
    Nothing(String),
}

/// What is nothing but a name, with the words around it that ask to see it.
fn bare(heard: &Heard) -> Option<String> {
    const ENDS: &[&str] = &[
        "。",
        ".",
        "?",
        "!",
        " ",
        "は",
        "って",
        "とは",
        "見せて",
        "みせて",
        "見たい",
        "みたい",
        "ある",
        "please",
        "pls",
        "を",
        "が",
        "の",
        "ちょうだい",
        "ください",
        "お願い",
    ];
    let text = heard.text();
    let mut name = text.as_str();
    loop {
        let before = name.len();
        for it in ENDS {
            name = name.trim_end_matches(it);
        }
        if name.len() == before {
            break;
        }
    }
    let length = name.chars().count();
    let is_word = heard.tokens.iter().any(|it| it.from < length && !text.is_ascii());
    let is_time = heard.when.spans.iter().chain(&heard.numbers.spans).any(|it| it.0 < length);
    let is_written = !name.contains('を')
        && !name.ends_with('て')
        && name.chars().all(|it| !matches!(it, '<' | '>' | '=' | '+' | ';' | '{' | '}' | '/'));
    let is_new = (0..length).any(|it| !heard.is_known(it) && heard.chars[it].is_alphabetic());
    (length > 1 && !is_word && !is_time && is_written && is_new).then(|| name.to_owned())
}

/// A name in small letters and nothing else: `dark magician pls`.
fn few(heard: &Heard, unused: &[String]) -> Option<String> {
    const LEADS: &[&str] = &["the ", "a ", "and ", "um ", "uh ", "hey "];
    const TAILS: &[&str] = &[" please", " pls", " plz", " thanks", " card", "?", ".", "!"];
    let text = heard.text().to_ascii_lowercase();
    let name = LEADS.iter().fold(text.as_str(), |it, lead| it.strip_prefix(lead).unwrap_or(it));
    let name = TAILS.iter().rev().fold(name, |it, tail| it.strip_suffix(tail).unwrap_or(it));
    let words: Vec<_> = name.split(' ').collect();
    let is_new = |it: &&&str| unused.iter().any(|word| word.eq_ignore_ascii_case(it));
    let new = words.iter().filter(is_new).count();
    let is_written = name.chars().all(|it| it.is_ascii_alphabetic() || matches!(it, ' ' | '-'));
    let is_few = (1..=3).contains(&words.len()) && new > 0 && new + 1 >= words.len();
    let is_asked = heard.tokens.iter().all(|it| it.word == Word::Filler || it.word == Word::Card);
    // Without a word of asking it may be anything.
    let is_wished = name.len() < text.trim_end_matches(['.', '!']).len();
    (is_wished && text.is_ascii() && is_written && is_few && is_asked && words.len() > 1)
        .then(|| name.to_owned())
}

impl Look {
    /// The name in `heard`, where it asks to see it or is nothing else.
    pub(super) fn of(heard: &Heard, unused: &[String]) -> Option<Self> {
        let asks = heard.has(&[
            Word::Show,
            Word::See,
            Word::List,
            Word::About,
            Word::Want,
            Word::Exists,
            Word::Playing,
            Word::Who,
        ]);
        // A question in English names what it asks about by a capital.
        let asks = asks || heard.chars.last() == Some(&'?') && heard.text().is_ascii();
        let is_tell = heard.find("tell me", 0).is_some() || heard.find("教えて", 0).is_some();
        let others = [
            Word::Form,
            Word::Route,
            Word::Go,
            Word::Elsewhere,
            Word::Make,
            Word::Greeting,
            Word::Thanks,
            Word::Help,
            Word::Not,
            Word::Price,
            Word::Agents,
            Word::Talks,
            Word::Cancel,
            Word::Inquire,
        ];
        if heard.has(&others) || heard.names_agent() {
            return None;
        }
        let text = heard.text();
        let is_bare = match text.is_ascii() {
            true => {
                let run = heard.capitals().into_iter().map(|it| it.to - it.from).max().unwrap_or(0);
                text.split_whitespace().count() <= BARE_WORDS_MAX && run * 10 >= text.len() * 6
            }
            false => {
                text.chars().count() <= BARE_CHARS_MAX && text.chars().any(char::is_alphanumeric)
            }
        };
        let quoted = heard.quoted.first().map(|it| it.text.clone());
        // `show me the shadow cat`.
        let shown = || {
            const LEADS: [&str; 5] =
                ["show me ", "show ", "can i see ", "let me see ", "i want to see "];
            let lower = text.to_ascii_lowercase();
            let polite = ["please ", "pls ", "plz ", "hey ", "ok ", "can you ", "could you "];
            let lower =
                polite.iter().fold(lower.as_str(), |it, word| it.strip_prefix(word).unwrap_or(it));
            let rest = LEADS.iter().find_map(|it| lower.strip_prefix(it))?;
            let the = ["the ", "a ", "an "].iter().find_map(|it| rest.strip_prefix(it));
            let rest = the.unwrap_or(rest).trim_end_matches(['.', '!', '?']);
            let rest = rest.trim_end_matches(" please");
            let is_name = (1..=4).contains(&rest.split_whitespace().count()) && !unused.is_empty();
            let is_all = unused.iter().all(|it| rest.contains(&it.to_lowercase()));
            (text.is_ascii() && is_name && is_all).then(|| rest.to_owned())
        };
        let longest =
            |it: Vec<Piece>| it.into_iter().max_by_key(|it| it.to - it.from).map(|it| it.text);
        let name = match (quoted, asks) {
            (Some(quoted), _) => Some(quoted),
            // What was not asked for is looked up only where it is all that is said.
            (None, false) if text.is_ascii() => {
                longest(heard.capitals()).filter(|_| is_bare).or_else(|| few(heard, unused))
            }
            (None, false) => is_bare.then(|| bare(heard)).flatten(),
            (None, true) => {
                let known = longest(heard.capitals()).or_else(|| heard.title());
                let single = || match unused {
                    [only] if !is_tell => Some(only.clone()),
                    _ => None,
                };
                known
                    .or_else(|| if is_tell { None } else { longest(heard.unknown_names()) })
                    .or_else(single)
                    .or_else(shown)
                    .or_else(|| if is_tell || text.is_ascii() { None } else { bare(heard) })
            }
        }?;
        let is_name = name.chars().filter(|it| it.is_alphabetic()).count() > 1;
        // Much that is not understood beside it is no wish for it.
        let beside = unused.iter().filter(|it| !name.contains(it.as_str())).count();
        // `What's the capital of France` asks for something else of it.
        let is_other = text.is_ascii() && beside > 0 && heard.find(" of ", 0).is_some();
        let is_bare = is_bare || few(heard, unused).is_some();
        ((asks || is_bare) && is_name && beside <= 2 && !is_other)
            .then(|| Self { name: name.chars().take(NAME_MAX).collect() })
    }

    /// Asks those that may know it, or says whose it is.
    pub(super) fn next(
        &self,
        desk: &mut Desk<'_>,
        answered: &[Answered],
    ) -> Result<Decision, Found> {
        let name = &self.name;
        let is_asked = answered.iter().any(|it| [MOVIES, CARD].contains(&it.call.name.as_str()));
        if !is_asked {
            let mut calls = Vec::new();
            let reason =
                desk.say(format!("「{name}」が何かを調べるため"), format!("To see what {name} is"));
            if desk.has(MOVIES) {
                calls.push(desk.call(MOVIES, json!({ "title_query": name }), reason.clone()));
            }
            if desk.has(CARD) {
                calls.push(desk.call(CARD, json!({ "card_name": name }), reason));
            }
            return match calls.is_empty() {
                true => Ok(desk.conclude(say::not_understood(desk))),
                false => Ok(Decision::Call(calls)),
            };
        }
        let has_card = answered
            .iter()
            .any(|it| it.call.name == CARD && matches!(it.result, ToolResult::Output { .. }));
        let movies = output(answered, MOVIES);
        let has_film =
            movies.is_some_and(|it| it["movies"].as_array().is_some_and(|it| !it.is_empty()));
        let is_title = movies.is_some_and(|it| {
            let titles =
                ["title", "title_en"].iter().filter_map(|key| it["movies"][0][*key].as_str());
            let fold = |it: &str| {
                it.to_lowercase().chars().filter(|it| it.is_alphanumeric()).collect::<String>()
            };
            titles
                .into_iter()
                .any(|it| fold(it).contains(&fold(name)) || fold(name).contains(&fold(it)))
        });
        // A slip or two leave a card known.
        let failed =
            answered.iter().filter(|it| it.call.name == CARD).find_map(|it| match &it.result {
                ToolResult::Failed(failure) => failure.data.get("suggestions"),
                ToolResult::Output { .. } => None,
            });
        if let Some(near) = near(name, failed).filter(|_| !has_film && !has_card) {
            return Err(Found::Near(near));
        }
        Err(match (has_film, has_card) {
            (true, true) if is_title => Found::Film,
            (_, true) => Found::Card,
            (true, false) => Found::Film,
            _ => {
                let near = movies.and_then(|it| it["suggestions"].as_array()).into_iter().flatten();
                let near = near.filter_map(|it| it.as_str().map(str::to_owned));
                let cards = answered.iter().filter_map(|it| match &it.result {
                    ToolResult::Failed(failure) => failure.data.get("suggestions")?.as_array(),
                    ToolResult::Output { .. } => None,
                });
                let cards = cards.flatten().filter_map(|it| it.as_str().map(str::to_owned));
                let near: Vec<_> = near.chain(cards).take(5).collect();
                let list = near.join(desk.language.pick("、", ", "));
                let close = match near.is_empty() {
                    true => String::new(),
                    false => {
                        desk.say(format!("近い名前: {list}。"), format!(" Close names: {list}."))
                    }
                };
                Found::Nothing(desk.say(
                    format!("「{name}」という映画もカードも見つかりませんでした。{close}"),
                    format!("There is neither a film nor a card called \"{name}\".{close}"),
                ))
            }
        })
    }
}
