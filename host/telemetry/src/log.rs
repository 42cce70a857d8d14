//! Writes log events to standard error, one line each.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use base::clean;

/// Writes each event as one line and escapes characters that could start a line, move the cursor or change direction,
/// so that no text can forge lines.
pub struct Lines<W> {
    to: W,
    /// Whether the formatter colours its lines, which it keeps others from doing.
    has_colours: bool,
}

impl<W: Write> Lines<W> {
    /// Writes to `to`.
    pub fn new(to: W, has_colours: bool) -> Self {
        Self { to, has_colours }
    }
}

impl<W: Write> Write for Lines<W> {
    /// Takes one whole event.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let mut line = one_line(text, self.has_colours);
        line.push('\n');
        self.to.write_all(line.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// `text` in one line.
fn one_line(text: &str, has_colours: bool) -> String {
    let mut line = String::with_capacity(text.len() + 1);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let colour = if has_colours { colour(rest) } else { 0 };
        let bytes = if colour > 0 { colour } else { c.len_utf8() };
        let (first, after) = rest.split_at(bytes);
        rest = after;
        match c {
            _ if colour > 0 => line.push_str(first),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            // Writing into memory cannot fail.
            _ if clean::is_misleading(c) => _ = write!(line, "\\u{{{:x}}}", u32::from(c)),
            _ => line.push(c),
        }
    }
    line
}

/// Length of the colour code at the start of `text`; 0 without one.
fn colour(text: &str) -> usize {
    let Some(codes) = text.strip_prefix("\u{1b}[") else { return 0 };
    let end = codes.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(codes.len());
    if codes[end..].starts_with('m') { end + "\u{1b}[m".len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Log output of events with `text` in their message, a text field and a displayed field.
    fn logged(text: &str, has_colours: bool) -> String {
        let sink = Sink::default();
        let to = sink.clone();
        let log = tracing_subscriber::fmt()
            .with_ansi(has_colours)
            .with_writer(move || Lines::new(to.clone(), has_colours))
            .finish();
        tracing::subscriber::with_default(log, || {
            tracing::warn!("{text}");
            tracing::warn!(field = text, "a field");
            tracing::warn!(field = %text, "a field");
            tracing::warn_span!("span", field = %text).in_scope(|| tracing::warn!("in a span"));
        });
        let bytes = sink.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn text_cannot_start_a_new_line() {
        let forged = "\n2026-11-22T00:00:00Z ERROR host::operator: forged\r\0\u{1b}[2J\u{1b}]0;t\u{7}\t\u{7f}\u{85}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{2028}\u{2029}\u{feff}";
        for has_colours in [false, true] {
            let log = logged(forged, has_colours);
            assert_eq!(log.matches('\n').count(), 4, "an event is a line: {log:?}");
            assert!(log.ends_with('\n'));
            let shown = match has_colours {
                true => log.replace("\u{1b}[", "").replace('\n', ""),
                false => log.replace('\n', ""),
            };
            let nasty: Vec<_> = shown.chars().filter(|it| clean::is_misleading(*it)).collect();
            assert!(nasty.is_empty(), "{nasty:?} in {log:?}");
            assert!(!log.contains("\u{1b}[2J") && !log.contains("\u{1b}]"), "{log:?}");
        }
        assert!(logged(forged, false).contains("\\n2026-11-22"), "it is there to be read");
    }

    #[test]
    fn keeps_ordinary_text_unchanged() {
        let words = "座席 A-1 を予約しました 👩\u{200d}💻 café";
        assert!(logged(words, false).contains(words));
        assert_eq!(one_line("\u{1b}[2mdim\u{1b}[0m", true), "\u{1b}[2mdim\u{1b}[0m");
        assert_eq!(one_line("\u{1b}[2mdim", false), "\\u{1b}[2mdim");
        assert_eq!(one_line("\u{1b}[2Kgone\u{1b}[", true), "\\u{1b}[2Kgone\\u{1b}[");
    }
}
