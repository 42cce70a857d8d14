//! Tables: a row of heads, a row of dashes, rows of cells.

use super::inline::Inline;
use super::{Block, Reader};

/// Columns and rows of a table.
const COLUMNS_MAX: usize = 20;
const ROWS_MAX: usize = 300;

impl Reader {
    /// A table at the beginning of these lines, and how many of them it takes.
    pub(super) fn table(&mut self, lines: &[&str]) -> Option<(Block, usize)> {
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

/// The cells of a line; a bar that is escaped is none.
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
    // The bar at the end closes the last one.
    if cells.len() > 1 && cells.last().is_some_and(|it| it.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|it| it.trim().to_owned()).collect()
}

fn is_dashes(line: &str) -> bool {
    let is_mark = |it: char| matches!(it, '-' | ':' | '|' | ' ');
    line.contains('-') && line.contains('|') && line.chars().all(is_mark)
}
