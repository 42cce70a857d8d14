//! A text that is parsed by removing what was understood, first its pages and sections, which become headings:
//! `page 1 name and email`, `1ページ目は氏名`.

use language::{say::capital, scan::marks};

use super::{Field, kinds::SECTION};

/// Original and lowercase text, character by character.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) chars: Vec<char>,
    pub(super) lower: Vec<char>,
}

impl Text {
    pub(super) fn new(text: &str) -> Self {
        let chars: Vec<char> = text.trim().chars().collect();
        let lower = chars.iter().map(|it| it.to_lowercase().next().unwrap_or(*it)).collect();
        Self { chars, lower }
    }

    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    /// Returns the characters from `from` to `to`, as written.
    pub(super) fn piece(&self, from: usize, to: usize) -> String {
        self.chars[from..to.max(from)].iter().collect()
    }

    pub(super) fn text(&self) -> String {
        self.piece(0, self.len()).trim().to_owned()
    }

    /// Whether `phrase` is at `at`; Latin phrases are whole words.
    pub(super) fn is_at(&self, phrase: &str, at: usize) -> bool {
        let length = phrase.chars().count();
        let is_letter = |it: Option<&char>| it.is_some_and(char::is_ascii_alphabetic);
        let fits = at + length <= self.len()
            && phrase.chars().zip(&self.lower[at..]).all(|(one, other)| one == *other);
        let begins = phrase.starts_with(|it: char| it.is_ascii_alphabetic());
        let ends = phrase.ends_with(|it: char| it.is_ascii_alphabetic());
        // `pick-up time` picks nothing.
        let is_compound =
            self.lower.get(at + length) == Some(&'-') && is_letter(self.lower.get(at + length + 1));
        fits && !(begins && is_letter(at.checked_sub(1).and_then(|it| self.lower.get(it))))
            && !(ends && (is_letter(self.lower.get(at + length)) || is_compound))
    }

    /// Span of the first phrase; the longer one at the same position.
    pub(super) fn find(&self, phrases: &'static str, from: usize) -> Option<(usize, usize)> {
        (from..self.len()).find_map(|at| {
            let lengths =
                marks(phrases).filter(|it| self.is_at(it, at)).map(|it| it.chars().count());
            lengths.max().map(|length| (at, at + length))
        })
    }

    pub(super) fn has(&self, phrases: &'static str) -> bool {
        self.find(phrases, 0).is_some()
    }

    /// Removes the first phrase; returns whether there was one.
    pub(super) fn take(&mut self, phrases: &'static str) -> bool {
        let found = self.find(phrases, 0);
        if let Some((from, to)) = found {
            self.cut(from, to);
        }
        found.is_some()
    }

    /// Removes the characters from `from` to `to`.
    pub(super) fn cut(&mut self, from: usize, to: usize) -> String {
        let text = self.piece(from, to);
        let between_words = |text: &Vec<char>| {
            from > 0 && to < text.len() && text[from - 1].is_ascii() && text[to].is_ascii()
        };
        let gap: &[char] = if between_words(&self.chars) { &[' '] } else { &[] };
        self.chars.splice(from..to, gap.iter().copied());
        self.lower.splice(from..to, gap.iter().copied());
        text
    }

    /// Strips leading and trailing phrases repeatedly.
    pub(super) fn strip(&mut self, leads: &'static str, tails: &'static str) {
        const MARKS: &[char] =
            &[' ', '、', ',', ':', ';', '・', '-', '.', '。', '…', '\n', '/', '?', '!'];
        loop {
            let before = self.len();
            while self.chars.first().is_some_and(|it| MARKS.contains(it)) {
                self.cut(0, 1);
            }
            while self.chars.last().is_some_and(|it| MARKS.contains(it)) {
                self.cut(self.len() - 1, self.len());
            }
            let lead =
                marks(leads).filter(|it| self.is_at(it, 0)).map(|it| it.chars().count()).max();
            if let Some(length) = lead {
                self.cut(0, length);
            }
            let ends = |tail: &&str| {
                let length = tail.chars().count();
                length <= self.len() && self.is_at(tail, self.len() - length)
            };
            // `食べられないもの` is a noun.
            let nouns: [&[char]; 3] = [&['も', 'の'], &['こ', 'と'], &['か', 'ど', 'う', 'か']];
            let is_noun = nouns.iter().any(|it| self.chars.ends_with(it));
            let tail = marks(tails).filter(|it| ends(it) && !is_noun);
            let tail = tail.map(|it| it.chars().count()).max();
            if let Some(length) = tail {
                self.cut(self.len() - length, self.len());
            }
            if self.len() == before {
                return;
            }
        }
    }
}

/// For each character, whether it is outside brackets and quotations.
pub(super) fn outside(chars: &[char]) -> Vec<bool> {
    let (mut depth, mut close) = (0_u32, None);
    let is_letter = |it: Option<&char>| it.is_some_and(|it| it.is_alphanumeric());
    chars
        .iter()
        .enumerate()
        .map(|(at, sign)| {
            let was_outside = depth == 0 && close.is_none();
            match (close, sign) {
                (Some(end), it) if end == *it => close = None,
                (Some(_), _) => {}
                (None, '(' | '[') => depth += 1,
                (None, ')' | ']') => depth = depth.saturating_sub(1),
                (None, '「') => close = Some('」'),
                (None, '『') => close = Some('』'),
                (None, '"') => close = Some('"'),
                (None, '“') => close = Some('”'),
                (None, '\'') if !is_letter(at.checked_sub(1).and_then(|it| chars.get(it))) => {
                    let ends = |end: &usize| chars[*end] == '\'' && !is_letter(chars.get(end + 1));
                    close = (at + 1..chars.len()).find(ends).map(|_| '\'');
                }
                _ => {}
            }
            was_outside && depth == 0 && close.is_none()
        })
        .collect()
}

/// Type of a heading.
pub(super) const HEADING: &str = "heading";
/// Names of sections, before their numbers and behind them.
const NAMES: &str = "page|section|part|ページ|セクション|パート";
const BEHIND: &str = "ページ目|枚目のページ|ページ|セクション目|番目のセクション";

/// Span of the section's name at the beginning of `text`.
fn named(text: &Text) -> Option<usize> {
    let digits =
        |from: usize| text.chars[from..].iter().take_while(|it| it.is_ascii_digit()).count();
    if let Some((_, to)) = text.find(NAMES, 0).filter(|it| it.0 == 0) {
        let from = to + usize::from(text.chars.get(to) == Some(&' '));
        let count = digits(from.min(text.len()));
        return (count > 0).then_some(from + count);
    }
    let count = digits(0);
    let (from, to) = text.find(BEHIND, count)?;
    // `3ページ以内の原稿`, `1ページあたりの単価`.
    const MEASURES: &str = "以内|以上|以下|未満|まで|程度|あたり|当たり|ごと|分|数";
    let is_measure = marks(MEASURES).any(|it| text.is_at(it, to));
    (count > 0 && from == count && !is_measure).then_some(to)
}

/// Separates the names of sections from the fields behind them, except where those are alike: `part 1 score and part 2
/// score`.
pub(super) fn apart(list: &[String]) -> Vec<String> {
    let parts: Vec<_> = list.iter().map(|it| parts(it)).collect();
    let field = |parts: &[String]| parts.get(1).map(|it| it.to_lowercase());
    let is_alike = |at: usize| {
        let own = field(&parts[at]);
        own.is_some() && (0..parts.len()).any(|it| it != at && field(&parts[it]) == own)
    };
    let all = (0..parts.len()).map(|at| match is_alike(at) {
        true => vec![list[at].clone()],
        false => parts[at].clone(),
    });
    all.flatten().collect()
}

/// The section's name at the beginning of `item`, and the field behind it.
fn parts(item: &str) -> Vec<String> {
    const LEADS: &str =
        "asks for|asking for|ask for|asks|with|has|is for|is|contains|for|は|に|で|が|の";
    let mut text = Text::new(item);
    text.strip("and|on|then|the", "");
    let Some(end) = named(&text) else { return vec![item.to_owned()] };
    let mut rest = Text::new(&text.piece(end, text.len()));
    rest.strip(LEADS, "");
    match rest.len() {
        0 => vec![text.text()],
        _ => vec![text.piece(0, end), rest.text()],
    }
}

/// Heading of the section that `text` names.
pub(super) fn heading(text: &Text) -> Option<Field> {
    let is_all = named(text)? == text.len();
    is_all.then(|| Field { label: Some(capital(&text.text())), ..Field::new(SECTION) })
}

/// Removes the colons behind names of sections, which begin no list: `page 1: name`.
pub(super) fn plain(text: &str) -> String {
    let is_colon = |it: char| matches!(it, ':' | '：');
    let mut pieces = text.split(is_colon);
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let word = plain.rsplit([',', '、', '。', '\n', '.', ';']).next().unwrap_or_default();
        let text = Text::new(word);
        let ends = |from: usize| {
            let rest = Text::new(&text.piece(from, text.len()));
            named(&rest) == Some(rest.len())
        };
        // `form with page 1: name`.
        let is_section =
            (0..text.len()).any(|it| (it == 0 || text.chars[it - 1] == ' ') && ends(it));
        plain.push(if is_section { ' ' } else { ':' });
        plain.push_str(piece.trim_start_matches(if is_section { ' ' } else { '\0' }));
    }
    plain
}
