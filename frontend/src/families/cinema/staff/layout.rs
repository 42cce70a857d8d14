//! The seats of a screen being edited: places in rows, with one undo step per stroke.

use super::catalogue::SeatRow;
use crate::families::cinema::hall::Step;

/// Maximum number of rows, and of places in a row, as in the cinema.
pub(crate) const ROWS_MAX: usize = 26;
pub(crate) const PLACES_MAX: usize = 80;
/// Maximum number of undo steps.
const UNDO_MAX: usize = 200;
/// Size of a new screen.
const NEW_ROWS: usize = 6;
const NEW_PLACES: usize = 12;

/// Kind of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sign {
    #[default]
    None,
    Seat,
    Premium,
    Wheelchair,
    Companion,
    Pair,
}

impl Sign {
    pub(crate) const ALL: [Self; 6] =
        [Self::Seat, Self::Premium, Self::Wheelchair, Self::Companion, Self::Pair, Self::None];

    /// Letter in the catalogue, and the key that sets it.
    pub(crate) fn letter(self) -> char {
        match self {
            Self::None => '_',
            Self::Seat => 's',
            Self::Premium => 'p',
            Self::Wheelchair => 'w',
            Self::Companion => 'c',
            Self::Pair => 'd',
        }
    }

    fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.letter() == letter)
    }

    /// The kind set by a key.
    pub(crate) fn of_key(key: &str) -> Option<Self> {
        let mut letters = key.chars();
        match (key, letters.next(), letters.next()) {
            ("Delete" | "Backspace" | "-", ..) => Some(Self::None),
            (_, Some(letter), None) => Self::of_letter(letter.to_ascii_lowercase()),
            _ => None,
        }
    }
}

/// Row and column of a place, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) row: usize,
    pub(crate) column: usize,
}

/// A row being edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) letter: char,
    places: Vec<Sign>,
}

/// A fault or a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A row without seats.
    Empty(char),
    /// An odd number of adjacent pair seats.
    OddPairs(char),
    /// A companion seat without an adjacent wheelchair place: a warning only.
    LoneCompanion(char),
}

impl Fault {
    /// Whether it prevents saving.
    pub(crate) fn is_grave(self) -> bool {
        !matches!(self, Self::LoneCompanion(_))
    }
}

/// A screen being edited.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    lines: Vec<Line>,
    columns: usize,
    undone: Vec<Vec<Line>>,
    done: Vec<Vec<Line>>,
    /// Whether the current stroke has changed anything.
    is_begun: bool,
}

impl Layout {
    /// Parses a screen of the catalogue.
    pub(crate) fn read(rows: &[SeatRow]) -> Self {
        let columns = rows.iter().map(|it| it.seats.chars().count()).max().unwrap_or_default();
        let columns = columns.min(PLACES_MAX);
        let line = |seat_row: &SeatRow| {
            let signs = seat_row.seats.chars().map(|it| Sign::of_letter(it).unwrap_or_default());
            let mut places: Vec<_> = signs.take(columns).collect();
            places.resize(columns, Sign::None);
            Line { letter: seat_row.row.chars().next().unwrap_or('A'), places }
        };
        let lines = rows.iter().take(ROWS_MAX).map(line).collect();
        Self { lines, columns, ..Self::default() }
    }

    /// Creates a new screen: a block of seats.
    pub(crate) fn new() -> Self {
        let line = |at: usize| Line { letter: letter(at), places: vec![Sign::Seat; NEW_PLACES] };
        Self { lines: (0..NEW_ROWS).map(line).collect(), columns: NEW_PLACES, ..Self::default() }
    }

    /// Formats it for `edit_screen`: a line per row.
    pub(crate) fn text(&self) -> String {
        let line = |line: &Line| {
            let signs = line.places.iter().map(|it| it.letter()).collect::<String>();
            format!("{} {signs}", line.letter)
        };
        self.lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn rows(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// The letter of a row.
    pub(crate) fn letter(&self, row: usize) -> char {
        self.lines.get(row).map_or('?', |it| it.letter)
    }

    pub(crate) fn at(&self, spot: Spot) -> Sign {
        let line = self.lines.get(spot.row);
        line.and_then(|it| it.places.get(spot.column)).copied().unwrap_or_default()
    }

    /// The number of a seat; none for other places. Columns without seats in any row are aisles and not counted.
    pub(crate) fn number(&self, spot: Spot) -> Option<usize> {
        if self.at(spot) == Sign::None {
            return None;
        }
        Some((0..=spot.column).filter(|it| !self.is_aisle(*it)).count())
    }

    /// Whether no row has a seat in this column.
    pub(crate) fn is_aisle(&self, column: usize) -> bool {
        self.lines.iter().all(|it| it.places.get(column).is_none_or(|it| *it == Sign::None))
    }

    /// Number of places by kind, without kinds that do not occur.
    pub(crate) fn counts(&self) -> Vec<(Sign, usize)> {
        let count = |sign: Sign| {
            self.lines.iter().flat_map(|it| &it.places).filter(|it| **it == sign).count()
        };
        let seats = Sign::ALL.into_iter().filter(|it| *it != Sign::None);
        seats.map(|it| (it, count(it))).filter(|it| it.1 > 0).collect()
    }

    /// The faults, most severe of each row first.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for line in &self.lines {
            let runs = line.places.split(|it| *it != Sign::Pair);
            let is_odd = runs.into_iter().any(|it| it.len() % 2 == 1);
            let is_lone = |at: usize| {
                let neighbours = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
                line.places[at] == Sign::Companion
                    && !neighbours
                        .into_iter()
                        .any(|it| line.places.get(it) == Some(&Sign::Wheelchair))
            };
            if line.places.iter().all(|it| *it == Sign::None) {
                faults.push(Fault::Empty(line.letter));
            }
            if is_odd {
                faults.push(Fault::OddPairs(line.letter));
            }
            if (0..line.places.len()).any(is_lone) {
                faults.push(Fault::LoneCompanion(line.letter));
            }
        }
        faults
    }

    /// Begins a stroke: all changes up to the next one are one undo step.
    pub(crate) fn begin(&mut self) {
        self.is_begun = false;
    }

    /// Sets a place within the current stroke. Returns whether it changed.
    pub(crate) fn paint(&mut self, spot: Spot, sign: Sign) -> bool {
        if self.at(spot) == sign || spot.row >= self.rows() || spot.column >= self.columns {
            return false;
        }
        if !self.is_begun {
            self.keep();
            self.is_begun = true;
        }
        self.lines[spot.row].places[spot.column] = sign;
        true
    }

    /// Adds a row at the back. Returns false if no letter is left.
    pub(crate) fn add_row(&mut self) -> bool {
        let next = self.lines.last().map_or('A', |it| char::from(it.letter as u8 + 1));
        if next > 'Z' || self.rows() >= ROWS_MAX {
            return false;
        }
        self.keep();
        self.columns = self.columns.max(1);
        // Copies the row before it, so that seats stand behind seats.
        let like = self.lines.last().map(|it| it.places.clone());
        let places = like.unwrap_or_else(|| vec![Sign::Seat; self.columns]);
        self.lines.push(Line { letter: next, places });
        true
    }

    /// Removes a row; the others keep their letters.
    pub(crate) fn remove_row(&mut self, row: usize) -> bool {
        if row >= self.rows() {
            return false;
        }
        self.keep();
        self.lines.remove(row);
        true
    }

    /// Adds a column before `at`: an aisle without seats, or a copy of its neighbour.
    pub(crate) fn add_column(&mut self, at: usize, is_aisle: bool) -> bool {
        if self.columns >= PLACES_MAX || at > self.columns {
            return false;
        }
        self.keep();
        for line in &mut self.lines {
            let neighbours = line.places.get(at.min(self.columns.saturating_sub(1)));
            let sign = neighbours.copied().filter(|_| !is_aisle).unwrap_or_default();
            line.places.insert(at, sign);
        }
        self.columns += 1;
        true
    }

    /// Removes a column.
    pub(crate) fn remove_column(&mut self, at: usize) -> bool {
        if at >= self.columns || self.columns == 1 {
            return false;
        }
        self.keep();
        for line in &mut self.lines {
            line.places.remove(at);
        }
        self.columns -= 1;
        true
    }

    fn keep(&mut self) {
        self.undone.clear();
        self.done.push(self.lines.clone());
        if self.done.len() > UNDO_MAX {
            self.done.remove(0);
        }
        self.is_begun = false;
    }

    pub(crate) fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    pub(crate) fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Undoes the last step.
    pub(crate) fn undo(&mut self) -> bool {
        let Some(before) = self.done.pop() else { return false };
        let now = self.replace(before);
        self.undone.push(now);
        true
    }

    /// Redoes an undone step.
    pub(crate) fn redo(&mut self) -> bool {
        let Some(after) = self.undone.pop() else { return false };
        let now = self.replace(after);
        self.done.push(now);
        true
    }

    fn replace(&mut self, lines: Vec<Line>) -> Vec<Line> {
        // Without rows, the width stays.
        self.columns = lines.first().map_or(self.columns, |it| it.places.len());
        self.is_begun = false;
        std::mem::replace(&mut self.lines, lines)
    }

    /// The place a keyboard move leads to.
    pub(crate) fn step(&self, from: Spot, step: Step) -> Spot {
        let (bottom, right) = (self.rows().saturating_sub(1), self.columns.saturating_sub(1));
        let Spot { row, column } = self.within(from);
        let (row, column) = match step {
            Step::Left => (row, column.saturating_sub(1)),
            Step::Right => (row, column + 1),
            Step::Up => (row.saturating_sub(1), column),
            Step::Down => (row + 1, column),
            Step::RowStart => (row, 0),
            Step::RowEnd => (row, right),
            Step::Top => (0, column),
            Step::Bottom => (bottom, column),
            Step::First => (0, 0),
            Step::Last => (bottom, right),
        };
        self.within(Spot { row, column })
    }

    /// The nearest existing place.
    pub(crate) fn within(&self, spot: Spot) -> Spot {
        Spot {
            row: spot.row.min(self.rows().saturating_sub(1)),
            column: spot.column.min(self.columns.saturating_sub(1)),
        }
    }
}

fn letter(at: usize) -> char {
    char::from(b'A' + u8::try_from(at.min(ROWS_MAX - 1)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(rows: &[(&str, &str)]) -> Layout {
        let row = |it: &(&str, &str)| SeatRow { row: it.0.into(), seats: it.1.into() };
        Layout::read(&rows.iter().map(row).collect::<Vec<_>>())
    }

    fn spot(row: usize, column: usize) -> Spot {
        Spot { row, column }
    }

    #[test]
    fn screen_round_trips() {
        let text = "A _ww_ssss\nB ss_pp_dd\nD cw_sssss";
        let rows: Vec<_> = text.lines().map(|it| (&it[..1], &it[2..])).collect();
        assert_eq!(layout(&rows).text(), text);
        assert_eq!(layout(&[("A", "ss"), ("B", "ssss")]).text(), "A ss__\nB ssss");
        assert_eq!(layout(&[]).text(), "");
    }

    #[test]
    fn numbers_seats_as_the_cinema_does() {
        let layout = layout(&[("A", "_s_p"), ("B", "ws_s")]);
        let numbers = |row| (0..4).map(|it| layout.number(spot(row, it))).collect::<Vec<_>>();
        assert_eq!(numbers(0), [None, Some(2), None, Some(3)]);
        assert_eq!(numbers(1), [Some(1), Some(2), None, Some(3)]);
        assert!(layout.is_aisle(2) && !layout.is_aisle(0));
    }

    #[test]
    fn undoes_stroke_in_one_step() {
        let mut layout = layout(&[("A", "ssss")]);
        let before = layout.text();
        layout.begin();
        for column in [0, 1, 1, 2] {
            layout.paint(spot(0, column), Sign::Wheelchair);
        }
        layout.begin();
        assert!(!layout.paint(spot(0, 0), Sign::Wheelchair), "it is one already");
        assert!(layout.paint(spot(0, 3), Sign::Companion));
        assert_eq!(layout.text(), "A wwwc");
        assert!(layout.undo());
        assert_eq!(layout.text(), "A wwws");
        assert!(layout.undo() && !layout.undo());
        assert_eq!(layout.text(), before);
        assert!(layout.redo() && layout.redo() && !layout.redo());
        assert_eq!(layout.text(), "A wwwc");
        layout.undo();
        layout.paint(spot(0, 3), Sign::None);
        assert!(!layout.can_redo(), "another way was taken");
    }

    #[test]
    fn adds_removes_and_restores_rows_and_columns() {
        let mut layout = layout(&[("A", "sp"), ("C", "s_")]);
        assert!(layout.add_row() && layout.letter(2) == 'D');
        assert!(layout.add_column(1, true));
        assert_eq!(layout.text(), "A s_p\nC s__\nD s__");
        assert!(layout.add_column(3, false));
        assert_eq!(layout.text(), "A s_pp\nC s___\nD s___");
        assert!(layout.remove_row(1) && layout.remove_column(0));
        assert_eq!(layout.text(), "A _pp\nD ___");
        while layout.undo() {}
        assert_eq!((layout.text().as_str(), layout.columns()), ("A sp\nC s_", 2));
    }

    #[test]
    fn limits_screen_size() {
        let mut layout = Layout::new();
        while layout.add_row() {}
        while layout.add_column(0, false) {}
        assert_eq!((layout.rows(), layout.columns()), (ROWS_MAX, PLACES_MAX));
        assert_eq!(layout.letter(25), 'Z');
        assert!(!layout.paint(spot(0, PLACES_MAX), Sign::Seat), "there is no such place");
        let mut narrow = Layout::read(&[SeatRow { row: "A".into(), seats: "s".into() }]);
        assert!(!narrow.remove_column(0), "one is left");
        assert!(narrow.remove_row(0) && narrow.add_row());
        assert_eq!(narrow.text(), "A s");
    }

    #[test]
    fn reports_fault_at_its_row() {
        let faults = layout(&[("A", "dd_d"), ("B", "____"), ("C", "c_ws"), ("D", "sdds")]).faults();
        let found = [Fault::OddPairs('A'), Fault::Empty('B'), Fault::LoneCompanion('C')];
        assert_eq!(faults, found);
        assert_eq!(faults.iter().filter(|it| it.is_grave()).count(), 2);
        assert_eq!(layout(&[("A", "wcsdd")]).faults(), []);
    }

    #[test]
    fn counts_places_by_kind() {
        let counts = layout(&[("A", "ssp_"), ("B", "dd_w")]).counts();
        let right = [(Sign::Seat, 2), (Sign::Premium, 1), (Sign::Wheelchair, 1), (Sign::Pair, 2)];
        assert_eq!(counts, right);
    }

    #[test]
    fn keys_move_to_places_and_set_kinds() {
        let layout = layout(&[("A", "sss"), ("B", "sss")]);
        let step = |row, column, step| {
            let to = layout.step(spot(row, column), step);
            (to.row, to.column)
        };
        assert_eq!(step(0, 2, Step::Right), (0, 2));
        assert_eq!(step(0, 2, Step::Down), (1, 2));
        assert_eq!(step(1, 1, Step::Down), (1, 1));
        assert_eq!(step(1, 1, Step::First), (0, 0));
        assert_eq!(step(0, 0, Step::Last), (1, 2));
        assert_eq!(step(9, 9, Step::Left), (1, 1), "a place that is gone");
        assert_eq!(Sign::of_key("W"), Some(Sign::Wheelchair));
        assert_eq!(Sign::of_key("Delete"), Some(Sign::None));
        assert_eq!((Sign::of_key("x"), Sign::of_key("Shift")), (None, None));
    }
}
