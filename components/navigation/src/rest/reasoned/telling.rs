//! The reasons in a model's last message, sent while the message is still being written.

/// The field whose text is sent.
const FIELD: &str = "\"reasoning\"";

/// A last message that is being written.
#[derive(Default)]
pub(in crate::rest) struct Telling {
    written: String,
    /// Where the next piece of the field's text begins.
    at: Option<usize>,
    is_over: bool,
    sent: String,
}

impl Telling {
    /// What has been sent so far.
    pub(in crate::rest) fn sent(&self) -> &str {
        &self.sent
    }

    /// What `piece` adds to the reasons.
    pub(in crate::rest) fn take(&mut self, piece: &str) -> Option<String> {
        if self.is_over {
            return None;
        }
        self.written.push_str(piece);
        let at = match self.at {
            Some(at) => at,
            None => *self.at.insert(begin(&self.written)?),
        };
        let rest = &self.written[at..];
        let (end, is_over) = end(rest);
        // An escape that is not whole, half a pair, or no JSON at all: later, or at the end.
        let more: String = serde_json::from_str(&format!("\"{}\"", &rest[..end])).ok()?;
        (self.at, self.is_over) = (Some(at + end), is_over);
        self.sent.push_str(&more);
        (!more.is_empty()).then_some(more)
    }
}

/// Where the field's text begins.
fn begin(written: &str) -> Option<usize> {
    let name = written.find(FIELD)? + FIELD.len();
    let value = written[name..].trim_start().strip_prefix(':')?.trim_start();
    let text = value.strip_prefix('"')?;
    Some(written.len() - text.len())
}

/// How much of `rest` can be read, and whether the text ends there.
fn end(rest: &str) -> (usize, bool) {
    let mut chars = rest.char_indices();
    while let Some((at, it)) = chars.next() {
        match it {
            '"' => return (at, true),
            '\\' => match chars.next() {
                None => return (at, false),
                Some((_, 'u')) if rest.len() < at + 6 => return (at, false),
                Some(_) => {}
            },
            _ => {}
        }
    }
    (rest.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces_of(text: &str, piece: usize) -> (Vec<String>, String) {
        let mut telling = Telling::default();
        let chars: Vec<_> = text.chars().collect();
        let pieces = chars.chunks(piece).map(|it| it.iter().collect::<String>());
        let sent = pieces.filter_map(|it| telling.take(&it)).collect();
        (sent, telling.sent().to_owned())
    }

    #[test]
    fn reasons_are_told_as_they_are_written_whatever_the_pieces() {
        let text = r#"はい。{"selectedRoute": {"index": 1}, "reasoning" : "渋滞が\n少ない\u3042 \"ので\" \ud83d\ude97。", "x": "y"}"#;
        for piece in 1..text.chars().count() {
            let (pieces, whole) = pieces_of(text, piece);
            assert_eq!(whole, "渋滞が\n少ないあ \"ので\" 🚗。", "NAV-9: {piece}");
            assert_eq!(pieces.concat(), whole, "NAV-9: {piece}");
        }
        assert!(pieces_of(text, 3).0.len() > 3, "NAV-9: it does not wait for the end");
    }

    #[test]
    fn prose_is_not_told_before_it_is_known_what_it_is() {
        assert_eq!(pieces_of("経路が見つかりませんでした。", 2).0, Vec::<String>::new());
    }
}
