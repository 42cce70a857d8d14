//! Puts the operator's catalogue, or else the demo, into the database.

use output::cinema::{PriceList, SeatKind};
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

/// What is on when the operator has no cinema of their own yet.
pub const DEMO: &str = include_str!("../demo.json");

/// Changes when the same file would become other rows.
const FORMAT: u8 = 2;

/// What grows with each reservation that is made, moved or given away.
const SALES: &str = "SELECT COUNT(*) + COALESCE(SUM(version), 0) FROM reservations";

/// How many values one INSERT brings: the host takes no statement with more than 500.
const VALUES_A_STATEMENT: usize = 500;

/// How many catalogues are kept as texts.
const KEPT_MAX: i64 = 20;

/// How often an import is tried while seats are being sold.
const ATTEMPTS_MAX: u32 = 20;

/// Checks the settings and imports the catalogue if it is not the one on sale.
///
/// # Errors
/// Everything that is wrong with the settings, or the sold seats that the catalogue does not have.
pub fn configure() -> Result<(), Vec<Problem>> {
    let clock = Clock::here().map_err(|unfit| vec![unfit.into()])?;
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

/// An import that is kept.
#[derive(Clone, Debug, Deserialize)]
pub struct OnSale {
    /// Number of the line, counted from 1.
    pub number: u32,
    /// Tells its text from others.
    pub fingerprint: String,
    /// `operator`, `demo` or `staff`.
    pub source: String,
    /// When it was imported.
    pub imported_at: String,
    /// Its text, of the last 20.
    pub catalog: Option<String>,
    /// Of one that the staff edited, the fingerprint of the file that was on sale before.
    pub based_on: Option<String>,
}

impl OnSale {
    /// Whether it is what this file gives, or what the staff made of that.
    fn is_of(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint || self.based_on.as_deref() == Some(fingerprint)
    }
}

/// The import that is on sale.
///
/// # Errors
/// When the database cannot be read.
pub fn on_sale() -> Result<Option<OnSale>, Error> {
    kept(None)
}

/// An import, or the one on sale.
///
/// # Errors
/// When the database cannot be read.
pub fn kept(number: Option<u32>) -> Result<Option<OnSale>, Error> {
    let sql = "SELECT number, fingerprint, source, imported_at, catalog, based_on FROM imports \
         WHERE number = COALESCE($1, (SELECT MAX(number) FROM imports))";
    let [rows] = sql::query([sql!(sql, number)])?;
    rows.first()
}

/// A catalogue that is to be on sale.
#[derive(Clone, Copy, Debug)]
pub struct New<'a> {
    /// The catalogue as it is read.
    pub catalog: &'a Catalog,
    /// The catalogue as it is written.
    pub text: &'a str,
    /// `operator`, `demo` or `staff`.
    pub source: &'a str,
    /// Of one that the staff edited, the fingerprint of the file that it comes from.
    pub based_on: Option<&'a str>,
    /// Which import has to be on sale still.
    pub after: Option<u32>,
}

/// Why a catalogue is not on sale.
#[derive(Debug)]
pub enum Failed {
    /// It lacks seats that are sold, by showtime.
    Lacking(Vec<String>),
    /// Seats are being sold too fast.
    Busy,
    /// Another one is on sale now.
    Changed,
    /// The database failed.
    Database(Error),
}

impl Failed {
    fn problems(self) -> Vec<Problem> {
        match self {
            Self::Lacking(showtimes) => refusal(&showtimes),
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

/// Replaces the catalogue, unless a seat that is sold would be gone.
///
/// Sales go on meanwhile. The batch holds only if no reservation was made or moved since the sold seats were
/// read; and a sale holds only if the catalogue that it was made from is still on sale.
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

/// What [`SALES`] counts now, if no seat that is sold would suffer.
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
    let lacking = catalog.lacking(&sold);
    if !lacking.is_empty() {
        return Err(Failed::Lacking(lacking));
    }
    Ok(sales.first::<(i64,)>()?.unwrap_or_default().0)
}

/// The showtimes that would lose seats, as problems of the catalogue.
fn refusal(lacking: &[String]) -> Vec<Problem> {
    let first = lacking.iter().take(PROBLEMS_MAX);
    let mut problems: Vec<_> = first
        .map(|it| Problem::at("/catalog", format!("would remove sold seats of {it}")))
        .collect();
    if let Some(more) = lacking.len().checked_sub(PROBLEMS_MAX).filter(|it| *it > 0) {
        problems.push(Problem::at("/catalog", format!("and of {more} more showtimes")));
    }
    problems
}

fn is_to_come(showtime_id: &str, clock: &Clock) -> bool {
    let start = ShowtimeId::read(showtime_id).and_then(|it| it.start());
    start.is_none_or(|it| !clock.has_come(it))
}

/// The catalogue as INSERTs.
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
            let (row, kind) = (seat.row.into(), name(seat.kind).into());
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

/// Rows on their way into a table.
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

fn name(kind: SeatKind) -> &'static str {
    match kind {
        SeatKind::Standard => "standard",
        SeatKind::Premium => "premium",
        SeatKind::Wheelchair => "wheelchair",
        SeatKind::Companion => "companion",
        SeatKind::Pair => "pair",
    }
}

/// A list of prices as one value of a row.
fn prices_json(list: &PriceList) -> String {
    serde_json::to_string(list).expect("prices are texts and numbers")
}

/// Rounded to one decimal (CIN-X6).
fn one_decimal(rating: f64) -> f64 {
    (rating * 10.0).round() / 10.0
}

/// Tells one file from another; the file is the operator's own, so it need not resist forgery.
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
    fn a_catalogue_becomes_as_many_rows_as_it_has_parts() {
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
    fn no_statement_of_a_large_catalogue_is_too_wide() {
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
    fn another_file_has_another_fingerprint() {
        assert_ne!(fingerprint("{}"), fingerprint("{ }"));
        assert_eq!(fingerprint(DEMO), fingerprint(DEMO));
    }

    #[test]
    fn a_rating_has_one_decimal() {
        assert!((one_decimal(4.26) - 4.3).abs() < 1e-9);
    }

    #[test]
    fn a_refused_import_names_the_showtimes_and_counts_the_rest() {
        let lacking: Vec<_> = (0..52).map(|it| format!("st-{it}: A1 (rsv-1)")).collect();
        let problems = refusal(&lacking);
        assert_eq!(problems[0].message, "would remove sold seats of st-0: A1 (rsv-1)");
        assert_eq!(problems.last().unwrap().message, "and of 2 more showtimes");
        assert_eq!(refusal(&lacking[..50]).len(), 50);
    }
}
