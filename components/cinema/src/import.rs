//! Imports the operator's catalogue, or else the demo, into the database.

use output::cinema::PriceList;
use serde::Deserialize;
use toolkit::{
    Problem, log, settings, sql,
    sql::{ConstraintKind, Error, Statement},
};

use crate::{
    catalog::{Catalog, PROBLEMS_MAX, Sold},
    clock::{Clock, naive},
    hall::lay_out,
    holds::Minutes,
    programme::{ShowtimeId, first_id_of},
    reservation::seats_per_reservation_max,
    rules,
    ticket::opens_before,
    waiting::offer_minutes,
};

/// Catalogue without an operator's own.
pub const DEMO: &str = include_str!("../demo.json");

/// Version of the stored format; a change re-imports the same file.
const FORMAT: u8 = 2;

/// Query whose result grows with each reservation that is made, moved or given away.
const SALES: &str = "SELECT COUNT(*) + COALESCE(SUM(version), 0) FROM reservations";

/// Maximum values of one INSERT; the host permits 500.
const VALUES_A_STATEMENT: usize = 500;

/// Number of catalogues whose text is kept.
const KEPT_MAX: i64 = 20;

/// Maximum attempts while seats are being sold.
const ATTEMPTS_MAX: u32 = 20;

/// Validates the settings, and imports the catalogue unless it is on sale already.
///
/// # Errors
/// Problems of the settings, or sold seats that the catalogue lacks.
pub fn configure() -> Result<(), Vec<Problem>> {
    let clock = Clock::from_settings().map_err(|unfit| vec![unfit.into()])?;
    seats_per_reservation_max().map_err(|unfit| vec![unfit.into()])?;
    Minutes::set().map_err(|unfit| vec![unfit.into()])?;
    opens_before().map_err(|unfit| vec![unfit.into()])?;
    offer_minutes().map_err(|unfit| vec![unfit.into()])?;
    rules::set().map_err(|unfit| vec![unfit.into()])?;
    let file = settings::raw("catalog");
    let (source, text) = match &file {
        Some(text) => ("operator", text.as_str()),
        None => ("demo", DEMO),
    };
    let print = fingerprint(text);
    let before = on_sale().map_err(failed)?;
    if before.as_ref().is_some_and(|it| it.is_of(&print)) {
        return Ok(());
    }
    let catalog = Catalog::read(text).map_err(|problems| {
        let inside = |it: Problem| Problem::at(format!("/catalog{}", it.pointer), it.message);
        problems.into_iter().map(inside).collect::<Vec<_>>()
    })?;
    let new = New { catalog: &catalog, text, source, based_on: None, after: None };
    replace(&new, &clock).map_err(|it| it.problems())?;
    log::info(&format!("imported the {source}'s catalogue"));
    if let Some(edited) = before.filter(|it| it.source == "staff") {
        log::warning(&format!(
            "the {source}'s catalogue replaces the one that the staff edited; that is kept as number {}, \
             for export_catalogue",
            edited.number
        ));
    }
    Ok(())
}

/// A stored import.
#[derive(Clone, Debug, Deserialize)]
pub struct OnSale {
    /// Number, from 1.
    pub number: u32,
    /// Fingerprint of its text.
    pub fingerprint: String,
    /// `operator`, `demo` or `staff`.
    pub source: String,
    /// When it was imported.
    pub imported_at: String,
    /// Text; only the last 20 imports have it.
    pub catalog: Option<String>,
    /// For a catalogue edited by the staff, the fingerprint of the original file.
    pub based_on: Option<String>,
}

impl OnSale {
    /// Whether it comes from this file, directly or with the staff's edits.
    fn is_of(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint || self.based_on.as_deref() == Some(fingerprint)
    }
}

/// Returns the import on sale.
///
/// # Errors
/// If the database cannot be read.
pub fn on_sale() -> Result<Option<OnSale>, Error> {
    find_import(None)
}

/// Returns an import by its number, or the one on sale.
///
/// # Errors
/// If the database cannot be read.
pub fn find_import(number: Option<u32>) -> Result<Option<OnSale>, Error> {
    let sql = "SELECT number, fingerprint, source, imported_at, catalog, based_on FROM imports \
         WHERE number = COALESCE($1, (SELECT MAX(number) FROM imports))";
    let [rows] = sql::query([sql!(sql, number)])?;
    rows.first()
}

/// A catalogue to import.
#[derive(Clone, Copy, Debug)]
pub struct New<'a> {
    /// The parsed catalogue.
    pub catalog: &'a Catalog,
    /// Its text.
    pub text: &'a str,
    /// `operator`, `demo` or `staff`.
    pub source: &'a str,
    /// For a catalogue edited by the staff, the fingerprint of the original file.
    pub based_on: Option<&'a str>,
    /// Import that has to be still on sale.
    pub after: Option<u32>,
}

/// Why an import failed.
#[derive(Debug)]
pub enum Failed {
    /// It lacks sold seats, by showtime.
    MissingSeats(Vec<String>),
    /// Seats are sold too fast.
    Busy,
    /// Another import is on sale meanwhile.
    Changed,
    /// The database failed.
    Database(Error),
}

impl Failed {
    fn problems(self) -> Vec<Problem> {
        match self {
            Self::MissingSeats(showtimes) => refusal(&showtimes),
            Self::Busy | Self::Changed => {
                vec![Problem::at("/catalog", "seats are being sold too fast; try again")]
            }
            Self::Database(error) => failed(error),
        }
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

/// Replaces the catalogue, unless it lacks a sold seat.
///
/// Sales continue meanwhile. The batch is rejected if a reservation was made or moved since the sold
/// seats were read; a sale is rejected if its catalogue is no longer on sale.
///
/// # Errors
/// See [`Failed`].
pub fn replace(new: &New<'_>, clock: &Clock) -> Result<(), Failed> {
    let rows = rows_of(new.catalog);
    for _ in 0..ATTEMPTS_MAX {
        let sales = check_sold(new.catalog, clock)?;
        let before = on_sale()?.map_or(0, |it| it.number);
        if new.after.is_some_and(|it| it != before) {
            return Err(Failed::Changed);
        }
        let first = sql!(
            format!(
                "INSERT INTO imports \
                 (number, fingerprint, imported_at, source, catalog, based_on) \
                 SELECT $1, $2, $3, $4, $5, $6 WHERE ({SALES}) = $7"
            ),
            before + 1,
            fingerprint(new.text),
            naive(clock.now()),
            new.source,
            new.text,
            new.based_on.map(str::to_owned),
            sales,
        );
        let forget = sql!(
            "UPDATE imports SET catalog = NULL WHERE number <= $1",
            i64::from(before + 1) - KEPT_MAX
        );
        let mut batch = vec![first.expect(1), forget];
        batch.extend(
            ["movies", "screens", "seats", "programme"].map(|it| sql!(format!("DELETE FROM {it}"))),
        );
        batch.extend(rows.iter().cloned());
        match sql::transact_all(&batch) {
            Err(Error::UnexpectedCount(it)) if it.statement == 0 => {}
            Err(Error::Constraint(it)) if it.kind == ConstraintKind::Unique => {}
            other => return other.map(|_| ()).map_err(Failed::Database),
        }
    }
    Err(Failed::Busy)
}

/// Returns the current result of [`SALES`] if the catalogue has all sold seats.
///
/// # Errors
/// See [`Failed`].
pub fn check_sold(catalog: &Catalog, clock: &Clock) -> Result<i64, Failed> {
    let sold = sql!(
        "SELECT s.showtime_id, s.seat_id, r.movie_id, r.reservation_id \
         FROM reserved_seats s JOIN reservations r ON r.reservation_id = s.reservation_id \
         WHERE s.showtime_id >= $1",
        first_id_of(clock.today()),
    );
    let [sold, sales] = sql::query([sold, sql!(SALES)])?;
    let mut sold = sold.read::<Sold>()?;
    sold.retain(|it| is_to_come(&it.showtime_id, clock));
    let missing_seats = catalog.missing_seats(&sold);
    if !missing_seats.is_empty() {
        return Err(Failed::MissingSeats(missing_seats));
    }
    Ok(sales.first::<(i64,)>()?.unwrap_or_default().0)
}

/// Converts showtimes with missing seats to problems of the catalogue.
fn refusal(missing_seats: &[String]) -> Vec<Problem> {
    let first = missing_seats.iter().take(PROBLEMS_MAX);
    let mut problems: Vec<_> = first
        .map(|it| Problem::at("/catalog", format!("would remove sold seats of {it}")))
        .collect();
    if let Some(more) = missing_seats.len().checked_sub(PROBLEMS_MAX).filter(|it| *it > 0) {
        problems.push(Problem::at("/catalog", format!("and of {more} more showtimes")));
    }
    problems
}

fn is_to_come(showtime_id: &str, clock: &Clock) -> bool {
    let start = ShowtimeId::read(showtime_id).and_then(|it| it.start());
    start.is_none_or(|it| !clock.has_passed(it))
}

/// INSERTs of the catalogue.
fn rows_of(catalog: &Catalog) -> Vec<Statement> {
    let mut movies = Table::new(
        "movies (movie_id, position, title, title_en, reading, description, description_en, genre, \
         genre_en, duration, release_date, rating)",
    );
    for (position, film) in (0_u32..).zip(&catalog.movies) {
        let film = film.clone();
        movies.add([
            film.movie_id.into(),
            position.into(),
            film.title.into(),
            film.title_en.into(),
            film.reading.into(),
            film.description.into(),
            film.description_en.into(),
            film.genre.into(),
            film.genre_en.into(),
            film.duration.into(),
            film.release_date.into(),
            one_decimal(film.rating).into(),
        ]);
    }
    let mut screens = Table::new("screens (screen_id, name, name_en, seats_count)");
    let mut seats = Table::new("seats (screen_id, seat_id, row_label, number, position, kind)");
    for screen in &catalog.screens {
        let plan = lay_out(screen.plan());
        let count = i64::try_from(plan.len()).unwrap_or(i64::MAX);
        let id = &screen.screen_id;
        screens.add([
            id.into(),
            (&screen.name).into(),
            screen.name_en.clone().into(),
            count.into(),
        ]);
        for seat in plan {
            let (row, kind) = (seat.row.into(), sql::name_of(seat.kind).into());
            seats.add([
                id.into(),
                seat.seat_id.into(),
                row,
                seat.number.into(),
                seat.column.into(),
                kind,
            ]);
        }
    }
    let mut programme = Table::new(
        "programme (screen_id, movie_id, weekdays, valid_from, valid_until, prices, starts)",
    );
    for entry in &catalog.programme {
        let prices = catalog.prices(entry).map(prices_json);
        for time in &entry.times {
            programme.add([
                (&entry.screen_id).into(),
                (&entry.movie_id).into(),
                entry.weekdays().into(),
                entry.from.clone().into(),
                entry.until.clone().into(),
                prices.clone().into(),
                time.into(),
            ]);
        }
    }
    [movies, screens, seats, programme].into_iter().flat_map(Table::inserts).collect()
}

/// Rows to insert into a table.
struct Table {
    into: &'static str,
    rows: Vec<Vec<sql::Value>>,
}

impl Table {
    fn new(into: &'static str) -> Self {
        Self { into, rows: Vec::new() }
    }

    fn add<const N: usize>(&mut self, row: [sql::Value; N]) {
        self.rows.push(row.into());
    }

    fn inserts(self) -> Vec<Statement> {
        let width = self.rows.first().map_or(1, Vec::len);
        let insert = |rows: &[Vec<sql::Value>]| {
            let row = |it| format!("({})", sql::placeholders(it * width + 1, width));
            let values = (0..rows.len()).map(row).collect::<Vec<_>>().join(", ");
            sql!(format!("INSERT INTO {} VALUES {values}", self.into))
                .bind_all(rows.iter().flatten().cloned())
        };
        self.rows.chunks(VALUES_A_STATEMENT / width).map(insert).collect()
    }
}

/// Serializes a price list for a column.
fn prices_json(list: &PriceList) -> String {
    serde_json::to_string(list).expect("prices are texts and numbers")
}

/// Rounds to one decimal (CIN-X6).
fn one_decimal(rating: f64) -> f64 {
    (rating * 10.0).round() / 10.0
}

/// Fingerprint of a file. The operator's own file needs no protection against forgery.
fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{FORMAT}-{}-{hash:016x}", text.len())
}

fn failed(error: Error) -> Vec<Problem> {
    vec![Problem::at("", format!("the database failed: {error:?}"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_writes_one_row_per_part() {
        let catalog = Catalog::read(DEMO).unwrap();
        let statements = rows_of(&catalog);
        let seats: usize = catalog.screens.iter().map(|it| lay_out(it.plan()).len()).sum();
        let inserted: usize = statements
            .iter()
            .filter(|it| it.sql.starts_with("INSERT INTO seats"))
            .map(|it| it.parameters.len() / 6)
            .sum();
        assert_eq!(inserted, seats);
    }

    #[test]
    fn large_import_respects_the_value_limit() {
        let mut catalog = Catalog::read(DEMO).unwrap();
        let (film, entry) = (catalog.movies[0].clone(), catalog.programme[0].clone());
        catalog.movies = vec![film; 1_000];
        catalog.programme = vec![entry; 1_000];
        let statements = rows_of(&catalog);
        assert!(statements.iter().all(|it| it.parameters.len() <= VALUES_A_STATEMENT));
        let films = statements.iter().filter(|it| it.sql.starts_with("INSERT INTO movies"));
        assert_eq!(films.map(|it| it.parameters.len() / 12).sum::<usize>(), 1_000);
    }

    #[test]
    fn different_files_have_different_fingerprints() {
        assert_ne!(fingerprint("{}"), fingerprint("{ }"));
        assert_eq!(fingerprint(DEMO), fingerprint(DEMO));
    }

    #[test]
    fn rounds_rating_to_one_decimal() {
        assert!((one_decimal(4.26) - 4.3).abs() < 1e-9);
    }

    #[test]
    fn rejected_import_lists_showtimes_and_counts_rest() {
        let missing_seats: Vec<_> = (0..52).map(|it| format!("st-{it}: A1 (rsv-1)")).collect();
        let problems = refusal(&missing_seats);
        assert_eq!(problems[0].message, "would remove sold seats of st-0: A1 (rsv-1)");
        assert_eq!(problems.last().unwrap().message, "and of 2 more showtimes");
        assert_eq!(refusal(&missing_seats[..50]).len(), 50);
    }
}
