//! The staff edits the catalogue on sale: it is read, changed, checked whole, and imported like the operator's file
//! (CIN-96).

use output::cinema::CatalogueImport;
use serde_json::json;
use toolkit::{Problem, Stop, refused};

use crate::{
    catalog::Catalog,
    clock::Clock,
    import::{Failed, New, OnSale, check_sold, on_sale, replace},
    programme::days_listed,
    programme_edit::forget_before,
    refusals::{not_saved, say},
};

/// How often an edit is tried while the catalogue changes under it.
const ATTEMPTS_MAX: u32 = 5;
/// How many lines of changes are reported.
const CHANGES_MAX: usize = 200;

/// Edits the catalogue on sale, or says what that would change; `tell` says a problem of the catalogue as one of the
/// call's arguments. What is over and listed no more goes with the edit, unless it `keeps_past`.
///
/// # Errors
/// When the edit does not fit the catalogue, or seats that are sold would be gone.
pub fn apply(
    edit: impl Fn(&mut Catalog) -> Result<(), Stop>,
    tell: impl Fn(Problem) -> Problem,
    dry_run: bool,
    keeps_past: bool,
    clock: &Clock,
) -> Result<CatalogueImport, Stop> {
    for _ in 0..ATTEMPTS_MAX {
        let before = on_sale()?.ok_or_else(not_saved)?;
        let mut old = read(&before)?;
        if !keeps_past {
            forget_before(&mut old, *days_listed(clock.today()).start());
        }
        let mut new = old.clone();
        edit(&mut new)?;
        new.check().map_err(|problems| {
            Stop::InvalidArguments(problems.into_iter().map(&tell).collect())
        })?;
        let mut changes = old.changes(&new);
        let changes_count = u32::try_from(changes.len()).unwrap_or(u32::MAX);
        let is_trial = dry_run || changes.is_empty();
        if is_trial {
            check_sold(&new, clock).map_err(stop)?;
        } else {
            let text = serde_json::to_string(&new).expect("a catalogue is JSON");
            let based_on = before.based_on.clone().unwrap_or(before.fingerprint.clone());
            let staff = New {
                catalog: &new,
                text: &text,
                source: "staff",
                based_on: Some(&based_on),
                after: Some(before.number),
            };
            match replace(&staff, clock) {
                Err(Failed::Changed) => continue,
                done => done.map_err(stop)?,
            }
        }
        changes.truncate(CHANGES_MAX);
        let before = Some(before.number);
        return Ok(CatalogueImport { imported: !is_trial, changes, changes_count, before });
    }
    Err(not_saved())
}

fn read(on_sale: &OnSale) -> Result<Catalog, Stop> {
    let text = on_sale.catalog.as_deref().unwrap_or_default();
    Catalog::read(text).map_err(|_| not_saved())
}

fn stop(failed: Failed) -> Stop {
    match failed {
        Failed::Lacking(showtimes) => {
            let message = format!(
                "Seats that are sold would be gone or show another film: {}. Move or cancel these \
                 reservations first.",
                showtimes.join("; ")
            );
            let japanese = format!(
                "販売済みの座席が無くなるか、別の映画になります: {}。先にその予約を移すか取り消してください。",
                showtimes.join("、")
            );
            refused("sold_seats_would_be_lost", 409, say(japanese, message))
                .with(json!({ "showtimes": showtimes }))
        }
        Failed::Database(error) => error.into(),
        Failed::Busy | Failed::Changed => not_saved(),
    }
}
