//! Reads a file of lines in batches of one call each, and reports lines that are not text.

use std::io::{self, BufRead, BufReader, Read};

use super::Problem;

/// Lines of one batch.
const LINES_MAX: usize = 200;
/// Bytes of one batch, the last line included.
const BATCH_BYTES_MAX: usize = 1 << 20;
/// Bytes of one line: ten times the longest message, however its letters are escaped.
const LINE_BYTES_MAX: usize = 512 << 10;

/// Remaining input.
pub(super) struct Lines<R: Read> {
    file: BufReader<R>,
    number: u64,
}

/// Lines for one call.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) lines: Vec<String>,
    /// The number of each in the file, from 1.
    pub(super) numbers: Vec<u64>,
    /// Lines that cannot be sent.
    pub(super) problems: Vec<Problem>,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(file: BufReader<R>) -> Self {
        Self { file, number: 0 }
    }

    /// The next ones; nothing at all at the end of the file. Lines without anything on them are passed
    /// over.
    pub(super) fn batch(&mut self) -> io::Result<Batch> {
        let (mut batch, mut bytes) = (Batch::default(), 0);
        while batch.lines.len() + batch.problems.len() < LINES_MAX && bytes < BATCH_BYTES_MAX {
            let Some(line) = self.next()? else { break };
            let line = line.and_then(|bytes| {
                String::from_utf8(bytes).map_err(|_| "the line is not UTF-8".to_owned())
            });
            match line {
                // Some programs begin their files with a byte order mark.
                Ok(line) if line.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() => {}
                Ok(line) => {
                    bytes += line.len();
                    batch.lines.push(line.trim_start_matches('\u{feff}').trim_end().to_owned());
                    batch.numbers.push(self.number);
                }
                Err(message) => batch.problems.push(Problem { line: self.number, message }),
            }
        }
        Ok(batch)
    }

    /// The bytes of the next line; why not, where there are too many of them.
    fn next(&mut self) -> io::Result<Option<Result<Vec<u8>, String>>> {
        let mut line = Vec::new();
        let most = LINE_BYTES_MAX as u64 + 1;
        if (&mut self.file).take(most).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if line.len() <= LINE_BYTES_MAX || line.ends_with(b"\n") {
            return Ok(Some(Ok(line)));
        }
        self.file.skip_until(b'\n')?;
        Ok(Some(Err(format!("the line has more than {LINE_BYTES_MAX} bytes"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lines_and_names_invalid_utf8() {
        let mut file = "\u{feff}a\r\n\n \nb\n".as_bytes().to_vec();
        file.extend(b"\xff\n");
        file.extend(vec![b'x'; LINE_BYTES_MAX + 9]);
        file.extend(b"\nlast");
        let mut lines = Lines::new(BufReader::new(file.as_slice()));
        let batch = lines.batch().unwrap();
        assert_eq!(batch.lines, ["a", "b", "last"]);
        assert_eq!(batch.numbers, [1, 4, 7]);
        let problems: Vec<_> = batch.problems.iter().map(|it| it.line).collect();
        assert_eq!(problems, [5, 6]);
        assert!(batch.problems[0].message.contains("UTF-8"));
        let rest = lines.batch().unwrap();
        assert!(rest.lines.is_empty() && rest.problems.is_empty());
    }

    #[test]
    fn batch_holds_what_one_call_accepts() {
        let file = "line\n".repeat(LINES_MAX + 1);
        let mut lines = Lines::new(BufReader::new(file.as_bytes()));
        assert_eq!(lines.batch().unwrap().lines.len(), LINES_MAX);
        assert_eq!(lines.batch().unwrap().numbers, [201]);
        let long = format!("{}\n", "x".repeat(LINE_BYTES_MAX - 1)).repeat(3);
        let mut lines = Lines::new(BufReader::new(long.as_bytes()));
        assert_eq!(lines.batch().unwrap().lines.len(), 2);
    }
}
