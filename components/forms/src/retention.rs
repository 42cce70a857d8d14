//! Scheduled clean-up: removes expired forms, and keeps files that are still used.

use toolkit::{Stop, blobs, events, log, sql};

use crate::{clock::now, settings, store};

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// Forms per batch, and batches per run.
const BATCH: usize = 200;
const BATCHES_MAX: usize = 100;
/// Files per batch, and batches per run.
const FILES: usize = 500;
const FILE_BATCHES_MAX: usize = 60;

/// Removes expired forms, and refreshes used files in the store.
///
/// # Errors
/// Text for the operator's log.
pub fn run() -> Result<(), String> {
    let text = |it: Stop| format!("{it:?}");
    let keep = settings::keep_days().map_err(|it| text(it.into()))?;
    let wait = settings::wait_days().map_err(|it| text(it.into()))?;
    let before = |days: u32| now() - i64::from(days) * DAY_MS;
    forget("status = 'waiting' AND asked_at < $1", before(wait)).map_err(text)?;
    forget("status <> 'waiting' AND answered_at < $1", before(keep)).map_err(text)?;
    crate::lookup::sweep().map_err(|it| text(it.into()))?;
    touch().map_err(text)
}

/// Removes the forms that match `condition`, with their rows.
fn forget(condition: &str, before: i64) -> Result<(), Stop> {
    for _ in 0..BATCHES_MAX {
        let find = format!("SELECT handle FROM forms WHERE {condition} LIMIT {BATCH}");
        let [rows] = sql::query([toolkit::sql!(find, before)])?;
        let handles: Vec<_> = rows.read::<(String,)>()?.into_iter().map(|it| it.0).collect();
        if handles.is_empty() {
            return Ok(());
        }
        // Checks the condition again, because the form may have been answered or reopened.
        let among = sql::placeholders(2, handles.len());
        let forms = format!("DELETE FROM forms WHERE {condition} AND handle IN ({among})");
        let files = "DELETE FROM files WHERE handle NOT IN (SELECT handle FROM forms)";
        sql::transact([toolkit::sql!(forms, before).bind_all(&handles), toolkit::sql!(files)])?;
        handles.iter().for_each(|it| events::publish(&store::uri(it)));
        events::publish(store::LIST);
    }
    Ok(())
}

/// Touches each used file, which keeps it in the store.
fn touch() -> Result<(), Stop> {
    let mut last = String::new();
    for _ in 0..FILE_BATCHES_MAX {
        let find = format!(
            "SELECT DISTINCT file_id FROM files WHERE file_id > $1 ORDER BY file_id LIMIT {FILES}"
        );
        let [rows] = sql::query([toolkit::sql!(find, &last)])?;
        let ids = rows.read::<(String,)>()?;
        let Some((end,)) = ids.last().cloned() else { return Ok(()) };
        for (id,) in ids {
            match blobs::stat(&id) {
                Ok(_) | Err(blobs::Error::Unknown) => {}
                Err(error) => return Err(error.into()),
            }
        }
        last = end;
    }
    log::warning("more files are named by forms than one run looks at; the others may expire");
    Ok(())
}
