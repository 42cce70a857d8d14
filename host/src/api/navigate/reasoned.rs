//! A model's last word on a way, read as it is meant: which of the routes that tools found, and why
//! (NAV-50, NAV-6). Models wrap it in fences, prose and comments; none of that fails a request (NAV-X7).

use futures::future::BoxFuture;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::assistant::{
    Answered, Choice, Conclusion, Decider, Decision, Part, Teller, ToolResult, Turn, Undecided,
    Usage,
};

mod telling;

use telling::Telling;

/// Pieces of text that wait to be told.
const WAITING_MAX: usize = 32;
/// Places in a text at which a JSON object is looked for.
const TRIES_MAX: usize = 32;

/// Decides as a model does, and reads its last word.
pub(super) struct Reasoned {
    model: Box<dyn Decider>,
    /// What the searches so far found: the call, and the summaries of its routes.
    found: Vec<(String, Vec<String>)>,
}

/// A last word.
#[derive(Debug, Default, PartialEq)]
struct Word {
    /// None, where it says that there is no route.
    route: Option<Named>,
    reasoning: String,
}

/// A route as it is named.
#[derive(Debug, Default, PartialEq)]
struct Named {
    index: Option<usize>,
    summary: Option<String>,
}

impl Reasoned {
    pub(super) fn new(model: Box<dyn Decider>) -> Self {
        Self { model, found: Vec::new() }
    }

    async fn decided(&mut self, turn: Turn<'_>) -> Result<Decision, Undecided> {
        self.found.extend(turn.answered.iter().filter_map(found));
        let (sender, mut pieces) = mpsc::channel(WAITING_MAX);
        let heard = Teller::new(sender, "text");
        let mut telling = Telling::default();
        let mut deciding = self.model.decide(Turn { teller: &heard, ..turn });
        let decision = loop {
            tokio::select! {
                biased;
                Some(piece) = pieces.recv() => telling.tell(&piece.data, turn.teller).await,
                decision = &mut deciding => break decision,
            }
        };
        drop(deciding);
        while let Ok(piece) = pieces.try_recv() {
            telling.tell(&piece.data, turn.teller).await;
        }
        let conclusion = match decision? {
            Decision::Conclude(conclusion) => conclusion,
            calls => return Ok(calls),
        };
        let word = read(&conclusion.text());
        // What was not told on the way: all of it, where it was no JSON.
        if let Some(rest) = word.reasoning.strip_prefix(telling.told())
            && !rest.is_empty()
        {
            turn.teller.say(rest).await;
        }
        let choice = word.route.map(|it| self.choice(it));
        let parts = vec![Part::text(word.reasoning)];
        Ok(Decision::Conclude(Conclusion { parts, choice, ..conclusion }))
    }

    /// Which route is meant: the one at that place whose summary it is; else the one with that summary;
    /// else the one at that place of the last search. The last search comes first.
    fn choice(&self, named: Named) -> Choice {
        let Named { index, summary } = named;
        let searches = self.found.iter().rev();
        let both = searches.clone().find_map(|(call, summaries)| {
            let is_it = summaries.get(index?) == summary.as_ref() && summary.is_some();
            is_it.then(|| (call.clone(), index))
        });
        let by_summary = || {
            searches.clone().find_map(|(call, summaries)| {
                let at = summaries.iter().position(|it| Some(it) == summary.as_ref())?;
                Some((call.clone(), Some(at)))
            })
        };
        match both.or_else(by_summary) {
            Some((call, index)) => Choice { call: Some(call), index, summary },
            None => Choice { call: None, index, summary },
        }
    }
}

impl Decider for Reasoned {
    fn decide<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Decision, Undecided>> {
        Box::pin(self.decided(turn))
    }

    fn transcript(&self) -> Value {
        self.model.transcript()
    }

    fn usage(&self) -> Usage {
        self.model.usage()
    }
}

fn found(answered: &Answered) -> Option<(String, Vec<String>)> {
    let ToolResult::Output { structured, .. } = &answered.result else { return None };
    let routes = structured["routes"].as_array().filter(|it| !it.is_empty())?;
    let summary = |it: &Value| it["summary"].as_str().unwrap_or_default().to_owned();
    Some((answered.call.id.clone(), routes.iter().map(summary).collect()))
}

/// What `text` says. Where it has no JSON, all of it are reasons, and the first route is meant.
fn read(text: &str) -> Word {
    let starts = text.char_indices().filter(|it| it.1 == '{').take(TRIES_MAX);
    let found = starts.into_iter().find_map(|(at, _)| object(&text[at..]).map(|it| (at, it)));
    let Some((at, word)) = found else {
        return Word { route: Some(Named::default()), reasoning: text.trim().to_owned() };
    };
    let said = word["reasoning"].as_str().map(str::trim).filter(|it| !it.is_empty());
    let before = text[..at].trim().trim_end_matches("json").trim_end_matches('`').trim();
    let route = match &word["selectedRoute"] {
        // That there is none is said by null; a word that does not speak of it says nothing.
        Value::Null if word.get("selectedRoute").is_some() => None,
        Value::String(summary) => Some(Named { index: None, summary: Some(summary.clone()) }),
        Value::Number(_) => Some(Named { index: index(&word["selectedRoute"]), summary: None }),
        route => {
            let summary = route["summary"].as_str().map(str::to_owned);
            Some(Named { index: index(&route["index"]), summary })
        }
    };
    Word { route, reasoning: said.unwrap_or(before).to_owned() }
}

fn index(value: &Value) -> Option<usize> {
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    number.and_then(|it| usize::try_from(it).ok())
}

/// The object that `text` begins with, if it is one of ours.
fn object(text: &str) -> Option<Value> {
    let first = |text: &str| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        values.next()?.ok()
    };
    let word = first(text).or_else(|| first(&without_comments(text)))?;
    let is_ours = word.get("selectedRoute").is_some() || word.get("reasoning").is_some();
    is_ours.then_some(word)
}

/// The prompt's own sample has comments in it, and so have some answers.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (mut is_text, mut is_escaped, mut end) = (false, false, line.len());
        for (at, it) in line.char_indices() {
            match it {
                _ if is_escaped => is_escaped = false,
                '\\' if is_text => is_escaped = true,
                '"' => is_text = !is_text,
                '/' if !is_text && line[at..].starts_with("//") => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        plain.push_str(&line[..end]);
        plain.push('\n');
    }
    plain
}

#[cfg(test)]
mod tests;
