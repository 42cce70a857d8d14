//! Markdown as a tree of plain values: the text of a model, without anything executable.
//!
//! A part of CommonMark: paragraphs, headings, lists, quotes, fenced code, tables, emphasis, code and links. Remote
//! pictures become links: nothing is fetched because a model wrote it. A streamed text may end anywhere; its last line
//! is then parsed as if its marks were closed.

mod inline;
#[cfg(test)]
mod tests;

use inline::Budget;

pub(crate) use inline::Inline;

/// Maximum number of characters parsed; the rest is plain text.
const TEXT_MAX: usize = 100_000;
/// Maximum nesting of blocks.
const DEPTH_MAX: usize = 4;
/// Maximum number of blocks.
const BLOCKS_MAX: usize = 1_500;

/// A block of Markdown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Block {
    Paragraph(Vec<Inline>),
    /// A heading of level 1 to 6.
    Heading(u8, Vec<Inline>),
    /// The language tag and the text.
    Code(String, String),
    /// The first number, if numbered, and the items.
    List(Option<u32>, Vec<Vec<Block>>),
    Quote(Vec<Block>),
    Table(Vec<Vec<Inline>>, Vec<Vec<Vec<Inline>>>),
    Rule,
}

/// Parses a text; `is_open` while more of it may arrive.
pub(crate) fn read(text: &str, is_open: bool) -> Vec<Block> {
    let cut = text.char_indices().nth(TEXT_MAX).map_or(text.len(), |it| it.0);
    let (text, rest) = text.split_at(cut);
    let closed = if is_open { inline::closed(text) } else { text.to_owned() };
    let lines: Vec<&str> = closed.lines().collect();
    let mut reader = Reader { budget: Budget::default(), blocks: 0 };
    let mut blocks = reader.blocks(&lines, 0);
    if !rest.is_empty() {
        blocks.push(Block::Paragraph(vec![Inline::Text(rest.to_owned())]));
    }
    blocks
}

struct Reader {
    budget: Budget,
    blocks: usize,
}

/// The beginning of a list item.
struct Marker {
    number: Option<u32>,
    /// Number of characters before its content.
    width: usize,
}

impl Reader {
    fn blocks(&mut self, lines: &[&str], depth: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut rest = lines;
        while let Some(line) = rest.first() {
            if line.trim().is_empty() {
                rest = &rest[1..];
                continue;
            }
            self.blocks += 1;
            if self.blocks > BLOCKS_MAX || depth > DEPTH_MAX {
                blocks.push(Block::Paragraph(vec![Inline::Text(rest.join("\n"))]));
                break;
            }
            let (block, taken) = self.block(rest, depth);
            blocks.push(block);
            rest = rest.get(taken.max(1)..).unwrap_or_default();
        }
        blocks
    }

    /// Parses the first block of these lines. Returns how many lines it takes.
    fn block(&mut self, lines: &[&str], depth: usize) -> (Block, usize) {
        let line = lines[0];
        if let Some(mark) = fence(line) {
            return code(lines, &mark);
        }
        if let Some((level, text)) = heading(line) {
            return (Block::Heading(level, self.inline(text)), 1);
        }
        if is_rule(line) {
            return (Block::Rule, 1);
        }
        if quoted(line).is_some() {
            let inner: Vec<&str> = lines.iter().map_while(|it| quoted(it)).collect();
            let taken = inner.len();
            return (Block::Quote(self.blocks(&inner, depth + 1)), taken);
        }
        if let Some(first) = marker(line) {
            return self.list(lines, first.number, depth);
        }
        if let Some((table, taken)) = self.table(lines) {
            return (table, taken);
        }
        let taken = 1 + lines[1..].iter().take_while(|it| is_more(it)).count();
        let text: Vec<&str> = lines[..taken].iter().map(|it| it.trim_start()).collect();
        (Block::Paragraph(self.inline(&text.join("\n"))), taken)
    }

    fn list(&mut self, lines: &[&str], number: Option<u32>, depth: usize) -> (Block, usize) {
        let mut items = Vec::new();
        let mut taken = 0;
        let indent = indent(lines[0]);
        let is_item =
            |line: &str| marker(line).is_some_and(|it| it.number.is_some() == number.is_some());
        while let Some(line) = lines.get(taken) {
            let Some(mark) = marker(line).filter(|it| it.number.is_some() == number.is_some())
            else {
                break;
            };
            if self::indent(line) > indent + 1 || self::indent(line) + 1 < indent {
                break;
            }
            let mut item = vec![&line[mark.width..]];
            taken += 1;
            while let Some(line) = lines.get(taken) {
                let is_inner = self::indent(line) >= indent + 2;
                let is_blank = line.trim().is_empty();
                let goes_on = lines.get(taken + 1).is_some_and(|it| self::indent(it) >= indent + 2);
                if !(is_inner || is_blank && goes_on) {
                    // A wrapped item, if another one follows; else text beside the list.
                    let wrapped = lines[taken..].iter().take_while(|it| is_more(it)).count();
                    let is_followed = lines.get(taken + wrapped).is_some_and(|it| is_item(it));
                    if wrapped == 0 || !is_followed {
                        break;
                    }
                    item.extend(&lines[taken..taken + wrapped]);
                    taken += wrapped;
                    continue;
                }
                let cut = self::indent(line).min(mark.width);
                item.push(line.get(cut..).unwrap_or_default());
                taken += 1;
            }
            items.push(self.blocks(&item, depth + 1));
            // A blank line between two items does not end the list.
            if lines.get(taken).is_some_and(|it| it.trim().is_empty())
                && lines.get(taken + 1).is_some_and(|it| is_item(it))
            {
                taken += 1;
            }
        }
        (Block::List(number, items), taken)
    }

    fn inline(&mut self, text: &str) -> Vec<Inline> {
        inline::read(text, &mut self.budget)
    }
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(|it| *it == b' ').count()
}

/// Whether a line goes on with the paragraph before it.
fn is_more(line: &str) -> bool {
    !line.trim().is_empty() && !begins(line)
}

/// Whether a line begins a new block.
fn begins(line: &str) -> bool {
    fence(line).is_some()
        || heading(line).is_some()
        || is_rule(line)
        || quoted(line).is_some()
        || marker(line).is_some()
}

/// Returns the fence that opens a code block: three or more of one mark.
fn fence(line: &str) -> Option<String> {
    let text = line.trim_start();
    let mark = text.chars().next().filter(|it| matches!(it, '`' | '~'))?;
    let count = text.chars().take_while(|it| *it == mark).count();
    // A line of code spans is no fence.
    let is_fence = count >= 3 && (mark == '~' || !text[count..].contains('`'));
    is_fence.then(|| mark.to_string().repeat(count))
}

fn code(lines: &[&str], mark: &str) -> (Block, usize) {
    let language = lines[0].trim_start()[mark.len()..].trim();
    let language: String = language.chars().take_while(|it| !it.is_whitespace()).take(30).collect();
    let is_end = |line: &&&str| {
        let text = line.trim();
        text.starts_with(mark) && text.chars().all(|it| mark.starts_with(it))
    };
    let inner = lines[1..].iter().take_while(|it| !is_end(it)).count();
    let cut = indent(lines[0]);
    let text: Vec<&str> = lines[1..=inner]
        .iter()
        .map(|it| it.get(indent(it).min(cut)..).unwrap_or_default())
        .collect();
    (Block::Code(language, text.join("\n")), inner + 2)
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let text = line.trim_start();
    let level = text.bytes().take_while(|it| *it == b'#').count();
    let rest = text.get(level..).filter(|_| (1..=6).contains(&level))?.strip_prefix(' ')?;
    Some((u8::try_from(level).ok()?, rest.trim().trim_end_matches('#').trim_end()))
}

fn is_rule(line: &str) -> bool {
    let text: String = line.chars().filter(|it| !it.is_whitespace()).collect();
    let is_of = |mark: char| text.chars().all(|it| it == mark);
    text.len() >= 3 && (is_of('-') || is_of('*') || is_of('_'))
}

fn quoted(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix('>')?;
    Some(text.strip_prefix(' ').unwrap_or(text))
}

fn marker(line: &str) -> Option<Marker> {
    let indent = indent(line);
    let text = &line[indent..];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, mark) = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => (None, 1),
        b'.' | b')' if (1..=9).contains(&digits) => (text[..digits].parse().ok(), digits + 1),
        _ => return None,
    };
    if is_rule(line) {
        return None;
    }
    let rest = &text[mark..];
    match rest.bytes().take_while(|it| *it == b' ').count() {
        0 if rest.is_empty() => Some(Marker { number, width: indent + mark }),
        0 => None,
        spaces => Some(Marker { number, width: indent + mark + spaces.min(4) }),
    }
}

/// Maximum numbers of columns and rows of a table.
const COLUMNS_MAX: usize = 20;
const ROWS_MAX: usize = 300;

impl Reader {
    /// Parses a table at the beginning of these lines. Returns how many lines it takes.
    fn table(&mut self, lines: &[&str]) -> Option<(Block, usize)> {
        let head = cells(lines[0]);
        let is_table = lines[0].contains('|')
            && lines.get(1).is_some_and(|it| is_dashes(it) && cells(it).len() == head.len())
            && head.len() <= COLUMNS_MAX;
        if !is_table {
            return None;
        }
        let is_row = |it: &&&str| it.contains('|') && !it.trim().is_empty();
        let rows: Vec<&&str> = lines[2..].iter().take_while(is_row).take(ROWS_MAX).collect();
        let taken = 2 + rows.len();
        let count = head.len();
        let mut row = |line: &str| -> Vec<Vec<Inline>> {
            let mut row: Vec<_> = cells(line).iter().map(|it| self.inline(it)).collect();
            row.resize(count, Vec::new());
            row
        };
        let head = row(lines[0]);
        let rows = rows.into_iter().map(|it| row(it)).collect();
        Some((Block::Table(head, rows), taken))
    }
}

/// Splits a line into cells; an escaped bar is text.
fn cells(line: &str) -> Vec<String> {
    let text = line.trim();
    let text = text.strip_prefix('|').unwrap_or(text);
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for letter in text.chars() {
        if letter == '|' && !is_escaped {
            cells.push(String::new());
            continue;
        }
        if let Some(cell) = cells.last_mut() {
            if letter == '|' {
                cell.pop();
            }
            cell.push(letter);
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    // The bar at the end closes the last cell.
    if cells.len() > 1 && cells.last().is_some_and(|it| it.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|it| it.trim().to_owned()).collect()
}

fn is_dashes(line: &str) -> bool {
    let is_mark = |it: char| matches!(it, '-' | ':' | '|' | ' ');
    line.contains('-') && line.contains('|') && line.chars().all(is_mark)
}
