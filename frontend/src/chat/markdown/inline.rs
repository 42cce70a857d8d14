//! Inline Markdown: emphasis, code, links.

use crate::browser::is_link;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Inline {
    Text(String),
    Strong(Vec<Inline>),
    Emphasis(Vec<Inline>),
    Struck(Vec<Inline>),
    Code(String),
    /// An http or https address, and the link text.
    Link(String, Vec<Inline>),
    Break,
}

/// Maximum nesting.
const DEPTH_MAX: usize = 6;
/// Maximum distance in bytes between a mark and its closing mark.
const REACH_MAX: usize = 4_000;
/// Maximum size of an address in bytes.
const URL_MAX: usize = 2_000;

/// Remaining parsing work: a text consisting of marks must not take long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(1_500_000)
    }
}

impl Budget {
    fn take(&mut self, steps: usize) -> bool {
        self.0 = self.0.saturating_sub(steps);
        self.0 > 0
    }
}

/// Parses the content of a block.
pub(super) fn read(text: &str, budget: &mut Budget) -> Vec<Inline> {
    let mut pieces = Vec::new();
    spans(text, 0, budget, &mut pieces);
    pieces
}

fn spans(text: &str, depth: usize, budget: &mut Budget, pieces: &mut Vec<Inline>) {
    let mut plain = String::new();
    let mut rest = text;
    let mut before = None;
    while let Some(letter) = rest.chars().next() {
        let found = match letter {
            '\\' => escaped(rest),
            '`' => code(rest, budget),
            '*' | '_' | '~' if depth < DEPTH_MAX => marked(rest, before, depth, budget),
            '[' | '!' if depth < DEPTH_MAX => link(rest, depth, budget),
            '<' => angled(rest),
            'h' => bare(rest, before, budget),
            '\n' => Some((Inline::Break, 1)),
            _ => None,
        };
        let taken = match found {
            Some((Inline::Text(text), taken)) => {
                plain.push_str(&text);
                taken
            }
            Some((piece, taken)) => {
                if piece == Inline::Break {
                    plain.truncate(plain.trim_end_matches([' ', '\\']).len());
                }
                flush(&mut plain, pieces);
                pieces.push(piece);
                taken
            }
            // A run of marks that opens nothing is text as a whole.
            None => {
                let run = match letter {
                    '*' | '_' | '~' | '`' => rest.chars().take_while(|it| *it == letter).count(),
                    _ => letter.len_utf8(),
                };
                plain.push_str(&rest[..run]);
                run
            }
        };
        before = rest[..taken].chars().next_back();
        rest = &rest[taken..];
    }
    flush(&mut plain, pieces);
}

fn flush(plain: &mut String, pieces: &mut Vec<Inline>) {
    if !plain.is_empty() {
        pieces.push(Inline::Text(std::mem::take(plain)));
    }
}

fn escaped(rest: &str) -> Option<(Inline, usize)> {
    let letter = rest[1..].chars().next().filter(char::is_ascii_punctuation)?;
    Some((Inline::Text(letter.to_string()), 2))
}

fn code(rest: &str, budget: &mut Budget) -> Option<(Inline, usize)> {
    let run = rest.bytes().take_while(|it| *it == b'`').count();
    let mark = &rest[..run];
    let mut at = run;
    while let Some(next) = within(rest, at).find('`') {
        if !budget.take(next + 1) {
            return None;
        }
        at += next;
        let count = rest[at..].bytes().take_while(|it| *it == b'`').count();
        if count == mark.len() {
            let text = rest[run..at].replace('\n', " ");
            let is_padded = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
            let text = if is_padded { text[1..text.len() - 1].to_owned() } else { text };
            return Some((Inline::Code(text), at + count));
        }
        at += count;
    }
    budget.take(REACH_MAX.min(rest.len()));
    None
}

/// The part of the text from here that is searched.
fn within(rest: &str, from: usize) -> &str {
    let mut end = rest.len().min(from + REACH_MAX);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    rest.get(from..end).unwrap_or_default()
}

/// Parses strong, emphasised or struck text.
fn marked(
    rest: &str,
    before: Option<char>,
    depth: usize,
    budget: &mut Budget,
) -> Option<(Inline, usize)> {
    let letter = rest.chars().next()?;
    let run = rest.chars().take_while(|it| *it == letter).count();
    let is_word = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric());
    if letter == '_' && is_word(before) {
        return None;
    }
    let counts: &[usize] = if letter == '~' { &[2] } else { &[2, 1] };
    for &count in counts.iter().filter(|it| **it <= run) {
        let mark = &rest[..count];
        if rest[count..].starts_with(char::is_whitespace) {
            return None;
        }
        let Some(end) = closing(rest, mark, letter, budget) else { continue };
        if letter == '_' && is_word(rest[end + count..].chars().next()) {
            continue;
        }
        let mut inner = Vec::new();
        spans(&rest[count..end], depth + 1, budget, &mut inner);
        let piece = match (letter, count) {
            ('~', _) => Inline::Struck(inner),
            (_, 2) => Inline::Strong(inner),
            _ => Inline::Emphasis(inner),
        };
        return Some((piece, end + count));
    }
    None
}

/// Finds the mark that closes the one opened here.
fn closing(rest: &str, mark: &str, letter: char, budget: &mut Budget) -> Option<usize> {
    let inner = within(rest, mark.len());
    let mut at = 0;
    while at < inner.len() {
        if !budget.take(1) {
            return None;
        }
        let next = inner[at..].chars().next()?;
        let step = match next {
            '\\' => 1 + inner[at + 1..].chars().next().map_or(0, char::len_utf8),
            '`' => code(&inner[at..], budget).map_or(1, |it| it.1),
            _ if next == letter => {
                let run = inner[at..].chars().take_while(|it| *it == letter).count();
                let is_after_text = at > 0 && !inner[..at].ends_with(char::is_whitespace);
                // A single mark is not closed by the double one of strong text inside.
                let fits = if mark.len() == 1 { run != 2 } else { run >= 2 };
                if is_after_text && fits {
                    // Of three marks, the outer one is the last.
                    let skip = if mark.len() == 2 { run - 2 } else { 0 };
                    return Some(mark.len() + at + skip);
                }
                run
            }
            _ => next.len_utf8(),
        };
        at += step;
    }
    None
}

/// Parses `[text](address)`; a remote picture becomes a link to it.
fn link(rest: &str, depth: usize, budget: &mut Budget) -> Option<(Inline, usize)> {
    let begin = if rest.starts_with("![") { 2 } else { 1 };
    if !rest[begin - 1..].starts_with('[') {
        return None;
    }
    let inner = within(rest, begin);
    let found = inner.find("](");
    if !budget.take(found.unwrap_or(inner.len()) + 1) {
        return None;
    }
    let middle = begin + found?;
    if rest[begin..middle].contains('\n') || middle - begin > 1_000 {
        return None;
    }
    let address = within(rest, middle + 2);
    let end = address.find(')')?;
    let url = address[..end].split_whitespace().next().unwrap_or_default();
    let taken = middle + 2 + end + 1;
    let words = &rest[begin..middle];
    let Some(url) = safe(url) else {
        // A link with an unsafe address is shown as written.
        return Some((Inline::Text(rest[..taken].to_owned()), taken));
    };
    let mut label = Vec::new();
    spans(words, DEPTH_MAX.max(depth), budget, &mut label);
    let is_other = |it: &Inline| match it {
        Inline::Link(to, _) => *to != url,
        Inline::Code(text) => safe(text).is_some_and(|it| it != url),
        _ => false,
    };
    // Text that looks like another address would hide the target.
    if label.is_empty() || label.iter().any(is_other) {
        label = vec![Inline::Text(url.clone())];
    }
    let words = label.into_iter().flat_map(|it| match it {
        // Links do not nest.
        Inline::Link(_, words) => words,
        it => vec![it],
    });
    Some((Inline::Link(url, words.collect()), taken))
}

/// `<https://…>`
fn angled(rest: &str) -> Option<(Inline, usize)> {
    let end = within(rest, 1).find(['>', ' ', '\n', '<'])? + 1;
    let url = safe(&rest[1..end]).filter(|_| rest[end..].starts_with('>'))?;
    Some((Inline::Link(url.clone(), vec![Inline::Text(url)]), end + 1))
}

/// Parses a bare `https://…`.
fn bare(rest: &str, before: Option<char>, budget: &mut Budget) -> Option<(Inline, usize)> {
    if before.is_some_and(|it| it.is_ascii_alphanumeric())
        || !(rest.starts_with("https://") || rest.starts_with("http://"))
    {
        return None;
    }
    let is_part =
        |it: char| it.is_ascii_graphic() && !matches!(it, '<' | '>' | '"' | '`' | '|' | '*');
    let begin = within(rest, 0);
    if !budget.take(begin.len()) {
        return None;
    }
    let end = begin.find(|it| !is_part(it)).unwrap_or(begin.len());
    let text =
        begin[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', ']', '_', '~']);
    let url = safe(text)?;
    Some((Inline::Link(url, vec![Inline::Text(text.to_owned())]), text.len()))
}

/// Returns an address that cannot execute anything.
fn safe(url: &str) -> Option<String> {
    // The host must not be empty.
    let has_host = url.split('/').nth(2)?.starts_with(|it: char| it.is_alphanumeric() || it == '[');
    (is_link(url) && has_host && url.len() <= URL_MAX).then(|| url.to_owned())
}

/// Closes the marks of the last line of an unfinished text.
pub(super) fn closed(text: &str) -> String {
    let begin = text.rfind('\n').map_or(0, |it| it + 1);
    let line = &text[begin..];
    let is_in_code = text.lines().filter(|it| super::fence(it).is_some()).count() % 2 == 1;
    if is_in_code || line.len() > REACH_MAX {
        return text.to_owned();
    }
    // An unfinished link is not shown as brackets.
    let half = line.rfind('[').filter(|start| {
        let rest = &line[*start..];
        !rest.contains(')') && (rest.contains("](") || !rest.contains(']'))
    });
    let mut closed = match half {
        Some(at) => {
            let words = line[at + 1..].split("](").next().unwrap_or_default();
            format!("{}{}{words}", &text[..begin], line[..at].trim_end_matches('!'))
        }
        None => text.to_owned(),
    };
    let line = closed[begin..].trim_end().len();
    closed.truncate(begin + line);
    for mark in ["`", "**"] {
        let line = &closed[begin..];
        // A mark followed by nothing yet is not shown.
        if line.ends_with(mark) && line.matches(mark).count() % 2 == 1 {
            closed.truncate(closed.len() - mark.len());
        } else if line.matches(mark).count() % 2 == 1 {
            closed.push_str(mark);
        }
    }
    closed
}
