//! Who answered, and what it took: provider, model, tokens, cost where it is known.

use leptos::prelude::*;

use super::provider;
use crate::chat::entry::{Turn, Usage};
use crate::dates::grouped;
use crate::text::{Key, Lang};

/// The line below an answer.
#[component]
pub(super) fn Facts(#[prop(into)] turn: Signal<Turn>) -> impl IntoView {
    let said = Memo::new(move |_| {
        turn.with(|it| {
            let (own, lang) = (&it.answerer, Lang::spoken());
            let who = (!own.provider.is_empty()).then(|| provider(lang, &own.provider, &own.model));
            let parts = who.into_iter().chain(taken(&it.usage, lang));
            parts.collect::<Vec<_>>().join(" · ")
        })
    });
    view! { <span class="chat-facts hint">{said}</span> }
}

/// What it took, as far as it is known.
fn taken(usage: &Usage, lang: Lang) -> Vec<String> {
    let mut parts = Vec::new();
    if usage.input_tokens + usage.output_tokens > 0 {
        let counts = [grouped(usage.input_tokens), grouped(usage.output_tokens)];
        parts.push(lang.fill(Key::ChatTokens, &[&counts[0], &counts[1]]));
    }
    if usage.cached_tokens > 0 {
        parts.push(lang.fill(Key::ChatCached, &[&grouped(usage.cached_tokens)]));
    }
    if let Some(micros) = usage.cost_micros.filter(|it| *it > 0) {
        parts.push(lang.fill(Key::Cost, &[&dollars(micros)]));
    }
    parts
}

/// As many digits as tell something.
fn dollars(micros: u64) -> String {
    let dollars = micros as f64 / 1e6;
    match micros {
        0..10_000 => format!("{dollars:.4}"),
        10_000..1_000_000 => format!("{dollars:.3}"),
        _ => format!("{dollars:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_took_is_said_as_far_as_it_is_known() {
        let usage = Usage {
            input_tokens: 12_345,
            cached_tokens: 0,
            output_tokens: 67,
            cost_micros: Some(1_234),
        };
        assert_eq!(taken(&usage, Lang::En), ["12,345 tokens in, 67 out", "about $0.0012"]);
        assert_eq!(taken(&Usage::default(), Lang::Ja), [""; 0]);
        assert_eq!((grouped(1_000_000), dollars(2_500_000)), ("1,000,000".into(), "2.50".into()));
    }
}
