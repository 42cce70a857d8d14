//! How long the texts are that fit a pattern, as far as that is easy to see.

use std::{iter::Peekable, str::Chars};

/// Characters at least, and at most, where there is such a limit.
type Length = (usize, Option<usize>);

const NONE: Length = (0, Some(0));
const ONE: Length = (1, Some(1));

/// How long a text is that fits a pattern which the engine takes; none where the pattern has in it what is not
/// looked into.
pub(in super::super) fn lengths(pattern: &str) -> Option<Length> {
    let mut rest = pattern.chars().peekable();
    let length = either(&mut rest)?;
    rest.next().is_none().then_some(length)
}

/// `a|b`.
fn either(rest: &mut Peekable<Chars<'_>>) -> Option<Length> {
    let mut length = chain(rest)?;
    while rest.next_if_eq(&'|').is_some() {
        let other = chain(rest)?;
        length = (length.0.min(other.0), length.1.zip(other.1).map(|(one, two)| one.max(two)));
    }
    Some(length)
}

/// `ab`.
fn chain(rest: &mut Peekable<Chars<'_>>) -> Option<Length> {
    let mut sum = NONE;
    while rest.peek().is_some_and(|it| !matches!(it, '|' | ')')) {
        let part = atom(rest)?;
        let (least, most) = repeated(part, rest)?;
        let most = sum.1.zip(most).map(|(one, two)| one.saturating_add(two));
        sum = (sum.0.saturating_add(least), most);
    }
    Some(sum)
}

fn atom(rest: &mut Peekable<Chars<'_>>) -> Option<Length> {
    match rest.next()? {
        '^' | '$' => Some(NONE),
        '[' => class(rest),
        '(' => group(rest),
        '\\' => match rest.next()? {
            'A' | 'B' | 'b' | 'z' => Some(NONE),
            // Numbers of characters, which go on.
            'U' | 'u' | 'x' => None,
            _ => Some(ONE),
        },
        _ => Some(ONE),
    }
}

/// `[a-z]`, behind its bracket.
fn class(rest: &mut Peekable<Chars<'_>>) -> Option<Length> {
    rest.next_if_eq(&'^');
    // Right at the beginning it is one of what is listed.
    rest.next_if_eq(&']');
    loop {
        match rest.next()? {
            ']' => return Some(ONE),
            '[' => return None,
            '\\' => {
                rest.next()?;
            }
            _ => {}
        }
    }
}

/// `(a)`, behind its bracket.
fn group(rest: &mut Peekable<Chars<'_>>) -> Option<Length> {
    if rest.next_if_eq(&'?').is_some() {
        match rest.next()? {
            ':' => {}
            'P' | '<' => {
                rest.find(|it| *it == '>')?;
            }
            // Flags change what follows.
            _ => return None,
        }
    }
    let length = either(rest)?;
    rest.next_if_eq(&')').map(|_| length)
}

/// What is so long, as often as what follows says.
fn repeated(mut length: Length, rest: &mut Peekable<Chars<'_>>) -> Option<Length> {
    loop {
        let (least, most) = match rest.next_if(|it| "?*+{".contains(*it)) {
            None => return Some(length),
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some(_) => times(rest)?,
        };
        // As few as there can be, first.
        rest.next_if_eq(&'?');
        let longest = match (length.1, most) {
            (Some(0), _) => Some(0),
            (Some(length), Some(most)) => Some(length.saturating_mul(most)),
            _ => None,
        };
        length = (length.0.saturating_mul(least), longest);
    }
}

/// `{2}`, `{2,}` or `{2,3}`, behind its bracket.
fn times(rest: &mut Peekable<Chars<'_>>) -> Option<Length> {
    let text: String = rest.by_ref().take_while(|it| *it != '}').collect();
    let number = |it: &str| it.trim().parse::<usize>().ok();
    match text.split_once(',') {
        None => number(&text).map(|it| (it, Some(it))),
        Some((least, most)) if most.trim().is_empty() => number(least).map(|it| (it, None)),
        Some((least, most)) => Some((number(least)?, Some(number(most)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_says_how_long_its_texts_are() {
        for (pattern, length) in [
            ("", (0, Some(0))),
            ("abc", (3, Some(3))),
            ("^[a-z0-9-]+$", (1, None)),
            (r"\d{3}-\d{4}", (8, Some(8))),
            ("[]a]{2,}?", (2, None)),
            ("(ab|c)?d{1,3}", (1, Some(5))),
            ("(?:(?<year>[0-9]{4})|x)*", (0, None)),
            (r"東京\.{2}\b", (4, Some(4))),
            ("^*a", (1, Some(1))),
        ] {
            assert_eq!(lengths(pattern), Some(length), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_is_not_looked_into_says_nothing() {
        for pattern in [r"\x41", "(?i)a", "[[:alpha:]]", r"\u{3042}"] {
            assert_eq!(lengths(pattern), None, "{pattern}");
        }
    }
}
