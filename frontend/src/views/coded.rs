//! Texts of tools, where code stands between backticks.

use leptos::prelude::*;

/// The text, with code that looks like code.
pub(crate) fn coded(text: &str) -> Vec<AnyView> {
    let draw = |(piece, is_code): (&str, bool)| match is_code {
        true => any_view! { <code>{piece.to_owned()}</code> },
        false => piece.to_owned().into_any(),
    };
    pieces(text).into_iter().map(draw).collect()
}

/// What stands before, in and after the backticks, and whether it is code. A backtick alone, or two side by side, mean
/// nothing.
fn pieces(text: &str) -> Vec<(&str, bool)> {
    let mut pieces = Vec::new();
    let (mut begun, mut from) = (0, 0);
    while let Some(open) = text[from..].find('`').map(|it| from + it)
        && let Some(close) = text[open + 1..].find('`').map(|it| open + 1 + it)
    {
        from = close + 1;
        if close > open + 1 {
            pieces.extend([(&text[begun..open], false), (&text[open + 1..close], true)]);
            begun = from;
        }
    }
    pieces.push((&text[begun..], false));
    pieces.retain(|it| !it.0.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_backticks_is_code() {
        let expected = [("列は", false), ("A", true), ("から", false), ("J", true)];
        assert_eq!(pieces("列は`A`から`J`"), expected);
        assert_eq!(pieces("`now`"), [("now", true)]);
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn a_lone_or_empty_pair_of_backticks_stays_as_it_is() {
        assert_eq!(pieces("5` and more"), [("5` and more", false)]);
        assert_eq!(pieces("a `` b `c`"), [("a `` b ", false), ("c", true)]);
        assert_eq!(pieces("`a` `b"), [("a", true), (" `b", false)]);
    }
}
