//! A text that is parsed by removing what was understood.

use language::scan::marks;

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
