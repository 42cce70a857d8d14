//! What a server writes of its model's thinking into the text of an answer: local ones do, at its beginning.

const BEGINS: &str = "<think>";
const ENDS: &str = "</think>";

/// Where the text for people begins in an answer that comes piece by piece.
#[derive(Default)]
pub(super) struct Opening {
    /// Bytes that were looked through for the end of a thought.
    searched: usize,
    /// Where the thought ends.
    end: Option<usize>,
    at: Option<usize>,
}

impl Opening {
    /// Its place in `text`, which only grows; none, as long as there may be a thought and nothing after it.
    pub(super) fn at(&mut self, text: &str) -> Option<usize> {
        if self.at.is_none() {
            let start = text.trim_start();
            if !start.starts_with(BEGINS) {
                self.at = (!BEGINS.starts_with(start)).then_some(0);
            } else if let Some(end) = self.end(text) {
                let rest = text[end..].trim_start();
                self.at = (!rest.is_empty()).then(|| text.len() - rest.len());
            }
        }
        self.at
    }

    fn end(&mut self, text: &str) -> Option<usize> {
        if self.end.is_none() {
            let found = text[self.searched..].find(ENDS);
            self.end = found.map(|it| self.searched + it + ENDS.len());
            self.searched = text.floor_char_boundary(text.len().saturating_sub(ENDS.len()));
        }
        self.end
    }
}

/// What of a whole `text` is for people.
pub(super) fn spoken(text: &str) -> &str {
    match Opening::default().at(text) {
        Some(at) => &text[at..],
        None if text.trim_start().starts_with(BEGINS) => "",
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thought_at_the_beginning_is_not_spoken_however_it_comes() {
        for (text, expected) in [
            ("はい", "はい"),
            ("<think>窓</think>はい", "はい"),
            ("\n<think>\n<b></thin</think>\n\nはい <think>x</think>", "はい <think>x</think>"),
            ("a <think>b</think>", "a <think>b</think>"),
            ("<thin", "<thin"),
            ("<think>窓", ""),
            ("<think>窓</think>\n", ""),
        ] {
            assert_eq!(spoken(text), expected, "{text:?}");
            let (mut opening, mut come, mut told) = (Opening::default(), String::new(), 0);
            let mut all = String::new();
            for piece in text.chars() {
                come.push(piece);
                if let Some(at) = opening.at(&come) {
                    all.push_str(&come[at.max(told)..]);
                    told = come.len();
                }
            }
            assert!(all == expected || told == 0 && all.is_empty(), "{text:?}: {all:?}");
        }
    }
}
