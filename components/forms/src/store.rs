//! Writes forms: the request, drafts, and state changes, each applied once; the settings, among them how long forms are
//! kept; and the scheduled clean-up, which removes expired forms and keeps files that are still used.

use output::form::{Form, Kind, Status, Values};
use serde_json::Value;
use toolkit::{
    Problem, Stop, blobs, caller, events, fresh_id, log,
    settings::{self, Unfit},
    sql::{self, Error, Statement},
};

use crate::{
    clock::{likely_day, now},
    delivery::{draws_forms, is_chat},
    record::{
        self, REOPEN_MS, Record, already_answered, by_handle, draft_conflict, first, not_reopened,
    },
    refusals::{self, language, not_found, requester_is_full},
};

/// Maximum files of one answer or draft.
pub const FILES_MAX: usize = 200;

/// Values with labels.
#[derive(Clone, Debug, Default)]
pub struct Filled {
    /// Values by field.
    pub values: Values,
    /// Labels of looked-up values by field: lists of `{"value": …, "label": …}`.
    pub labels: Values,
}

/// Creates a handle of 130 random bits.
pub fn fresh_handle() -> String {
    let letters = |it: usize| fresh_id("f").chars().skip(2).take(it).collect::<String>();
    letters(16) + &letters(10)
}

/// URI published when a form changes.
pub fn uri(handle: &str) -> String {
    format!("form://{handle}")
}

/// URI of the list, published when a form is added, removed or answered.
pub const LIST: &str = "form://submissions.csv";

/// Stores a requested form.
///
/// # Errors
/// If the caller's limits are reached.
pub fn add(
    handle: &str,
    definition: &Value,
    form: &Form,
    asked_by: Option<&str>,
) -> Result<(), Stop> {
    let definition = definition.to_string();
    let principal = caller::principal();
    let share = share_of(&principal);
    let insert = toolkit::sql!(
        "INSERT INTO forms (handle, definition, title, principal, asked_by, asked_at, status, revision, \
         definition_bytes, in_chat) SELECT $1, $2, $3, $4, $5, $6, $7, 0, $8, $13 \
         WHERE (SELECT COUNT(*) FROM forms WHERE principal = $4 AND status = 'waiting') < $9 \
         AND (SELECT COUNT(*) FROM forms) < $10 \
         AND (SELECT COUNT(*) FROM forms WHERE principal = $4) < $11 \
         AND (SELECT COALESCE(SUM(definition_bytes + filled_bytes), 0) FROM forms \
          WHERE principal = $4) + $8 <= $12",
        handle,
        &definition,
        &form.title,
        &principal,
        asked_by.map(str::to_owned),
        now(),
        sql::name_of(Status::Waiting),
        bytes(&definition),
        WAITING_MAX,
        FORMS_MAX,
        share.forms,
        share.asked_bytes,
        i64::from(is_chat(&caller::client_capabilities())),
    );
    let insert = insert.expect(1);
    let stored = match sql::transact([insert.clone()]) {
        Err(Error::UnexpectedCount(_)) => sql::transact([make_room(&principal), insert]).map(drop),
        stored => stored.map(drop),
    };
    sql::if_expected(stored)?.ok_or_else(full)?;
    changed(handle);
    events::publish(LIST);
    Ok(())
}

/// Merges answers into the draft, which starts with the defaults; null removes a value. Values saved from a page stay
/// unless a question asked for them, and a form that was answered meanwhile is unchanged.
///
/// # Errors
/// If the form no longer exists.
pub fn add_to_draft(handle: &str, form: &Form, filled: Filled) -> Result<(), Stop> {
    let found = record::find(handle)?;
    let at_first = || form.clone().on(likely_day(language())).defaults();
    let mut values = found.draft().unwrap_or_else(at_first);
    values.extend(filled.values);
    values.retain(|_, it| !it.is_null());
    let values = draft_values(form, values);
    let mut labels = found.labels().unwrap_or_default();
    labels.extend(filled.labels);
    match draft(handle, form, &Filled { values, labels }, None) {
        Err(Stop::Refused(it)) if it.code == "already_answered" => Ok(()),
        stored => stored.map(drop),
    }
}

/// Values that a draft may keep: known fields without secrets.
pub fn draft_values(form: &Form, values: Values) -> Values {
    let is_kept = |name: &str| {
        let field = form.field(name).filter(|it| it.is_input() && !it.is_secret());
        field.is_some_and(|it| !matches!(it.kind, Kind::Hidden(_)))
    };
    values.into_iter().filter(|(name, _)| is_kept(name)).collect()
}

/// Answers a waiting form: submitted, cancelled or declined.
///
/// # Errors
/// If it was already answered.
pub fn answer(handle: &str, form: &Form, status: Status, filled: &Filled) -> Result<Record, Stop> {
    let is_submitted = status == Status::Submitted;
    let update = if is_submitted {
        let (values, labels) = (json(&filled.values), labels(&filled.labels));
        let update = toolkit::sql!(
            format!(
                "UPDATE forms SET status = $2, answered_at = $3, answer = $4, labels = $5, \
                 draft = NULL, filled_bytes = $6 \
                 WHERE handle = $1 AND status = 'waiting' AND {}",
                has_room("$6", "$7", "$8")
            ),
            handle,
            sql::name_of(status),
            now(),
            &values,
            labels.clone(),
        );
        within(update, bytes(&values) + labels.as_deref().map_or(0, bytes), handle)?
    } else {
        toolkit::sql!(
            "UPDATE forms SET status = $2, answered_at = $3 \
             WHERE handle = $1 AND status = 'waiting'",
            handle,
            sql::name_of(status),
            now(),
        )
    };
    let mut batch = vec![update.expect(1)];
    if is_submitted {
        batch.extend(files(handle, form, &filled.values));
    }
    let answered = step(handle, batch, |record| match record.status {
        Status::Waiting => requester_is_full(),
        _ => already_answered(record),
    })?;
    events::publish(LIST);
    Ok(answered)
}

/// Reopens a cancelled or declined form, within ten minutes and unless the requester has read it.
///
/// # Errors
/// If it is too late.
pub fn reopen(handle: &str) -> Result<Record, Stop> {
    let update = toolkit::sql!(
        "UPDATE forms SET status = 'waiting', answered_at = NULL \
         WHERE handle = $1 AND status IN ('cancelled', 'declined') \
         AND read_at IS NULL AND answered_at >= $2",
        handle,
        now() - REOPEN_MS,
    );
    let reopened = step(handle, vec![update.expect(1)], not_reopened)?;
    events::publish(LIST);
    Ok(reopened)
}

/// Saves a draft; with a revision, only if that is the latest.
///
/// # Errors
/// If the form is answered, or a newer draft exists.
pub fn draft(
    handle: &str,
    form: &Form,
    filled: &Filled,
    revision: Option<u32>,
) -> Result<Record, Stop> {
    let (values, labels) = (json(&filled.values), labels(&filled.labels));
    let update = toolkit::sql!(
        format!(
            "UPDATE forms SET draft = $2, labels = $3, drafted_at = $4, revision = revision + 1, \
             filled_bytes = $6 WHERE handle = $1 AND status = 'waiting' \
             AND revision = COALESCE($5, revision) AND {}",
            has_room("$6", "$7", "$8")
        ),
        handle,
        &values,
        labels.clone(),
        now(),
        revision,
    );
    let update = within(update, bytes(&values) + labels.as_deref().map_or(0, bytes), handle)?;
    let mut batch = vec![update.expect(1)];
    batch.extend(files(handle, form, &filled.values));
    step(handle, batch, |record| match record.status {
        Status::Waiting if revision.is_none_or(|of| of == record.revision) => requester_is_full(),
        Status::Waiting => draft_conflict(record),
        _ => already_answered(record),
    })
}

/// Returns the form. Reading it from anywhere but a page counts as read by the requester.
///
/// # Errors
/// If it does not exist.
pub fn load_for_caller(handle: &str) -> Result<Record, Stop> {
    if draws_forms(&caller::client_capabilities()) {
        return record::find(handle);
    }
    read(handle)
}

/// Returns the form and marks its answer as read, so that it can no longer be reopened.
///
/// # Errors
/// If it does not exist.
pub fn read(handle: &str) -> Result<Record, Stop> {
    let form = record::find(handle)?;
    if form.status == Status::Waiting || form.read_at.is_some() {
        return Ok(form);
    }
    let mark = toolkit::sql!(
        "UPDATE forms SET read_at = $2 \
         WHERE handle = $1 AND status <> 'waiting' AND read_at IS NULL",
        handle,
        now(),
    );
    let [_, rows] = sql::transact([mark, by_handle(handle)])?;
    first(rows)
}

/// Applies one change of state, or explains why it is not possible.
fn step(
    handle: &str,
    mut batch: Vec<Statement>,
    refuse: impl FnOnce(&Record) -> Stop,
) -> Result<Record, Stop> {
    batch.push(by_handle(handle));
    let Some(mut results) = sql::if_expected(sql::transact_all(&batch))? else {
        return Err(refuse(&record::find(handle)?));
    };
    changed(handle);
    first(results.pop().ok_or_else(not_found)?)
}

/// Notifies callers that wait for the form or subscribe to it.
fn changed(handle: &str) {
    events::publish(&uri(handle));
}

/// Condition that the requester's share has room for these bytes.
fn has_room(bytes: &str, principal: &str, most: &str) -> String {
    format!(
        "(SELECT COALESCE(SUM(s.definition_bytes + s.filled_bytes), 0) FROM forms s \
         WHERE s.principal = {principal} AND s.handle <> $1) + definition_bytes + {bytes} <= {most}"
    )
}

/// Binds the parameters of [`has_room`]: the bytes, the requester, and the limit.
fn within(update: Statement, bytes: i64, handle: &str) -> Result<Statement, Stop> {
    let principal = record::find(handle)?.principal;
    let most = share_of(&principal).filled_bytes;
    Ok(update.bind(bytes).bind(principal).bind(most))
}

fn bytes(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

/// Replaces the files that the form refers to.
fn files(handle: &str, form: &Form, values: &Values) -> Vec<Statement> {
    let forget = toolkit::sql!("DELETE FROM files WHERE handle = $1", handle);
    let mut ids: Vec<_> = crate::files::named(form, values).map(|it| it.id).collect();
    ids.sort();
    ids.dedup();
    let keep =
        |id| toolkit::sql!("INSERT INTO files (handle, file_id) VALUES ($1, $2)", handle, id);
    std::iter::once(forget).chain(ids.into_iter().take(FILES_MAX).map(keep)).collect()
}

fn labels(labels: &Values) -> Option<String> {
    (!labels.is_empty()).then(|| json(labels))
}

fn json(values: &Values) -> String {
    Value::Object(values.clone()).to_string()
}

// Limits per caller.

/// Maximum unanswered forms of one caller.
const WAITING_MAX: u32 = 1_000;
/// Maximum forms of all callers.
pub const FORMS_MAX: u32 = 20_000;

/// Limits of one caller.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Maximum forms, including answered ones.
    pub forms: u32,
    /// Bytes of definitions and values above which no form can be requested.
    pub asked_bytes: i64,
    /// Bytes above which nothing can be filled in; higher, because the person who fills in did not request the form.
    pub filled_bytes: i64,
}

/// Share of a caller with a token, out of the database's 256 MiB.
const OF_ONE: Share = Share { forms: 5_000, asked_bytes: 32 << 20, filled_bytes: 48 << 20 };
/// Share of all callers together, without tokens.
const OF_ALL: Share = Share { forms: FORMS_MAX, asked_bytes: 128 << 20, filled_bytes: 192 << 20 };

/// Returns the limits of `principal`.
pub fn share_of(principal: &str) -> Share {
    if record::is_anonymous(principal) { OF_ALL } else { OF_ONE }
}

/// Deletes the caller's forms that were closed and cannot be reopened.
fn make_room(principal: &str) -> Statement {
    toolkit::sql!(
        "DELETE FROM forms WHERE principal = $1 AND status IN ('cancelled', 'declined') \
         AND answered_at < $2",
        principal,
        now() - REOPEN_MS,
    )
}

/// Explains which limit of the caller is reached.
pub fn full() -> Stop {
    let principal = caller::principal();
    match usage(&principal) {
        Ok((waiting, _, _)) if waiting >= WAITING_MAX => {
            refusals::too_many_waiting(waiting, WAITING_MAX)
        }
        Ok((_, stored, bytes)) => {
            let share = share_of(&principal);
            let most = (share.forms, share.asked_bytes);
            let days = keep_days().unwrap_or_default();
            refusals::too_much_kept((stored, bytes), most, days)
        }
        Err(stop) => stop,
    }
}

/// Counts unanswered forms, all forms, and their bytes.
fn usage(principal: &str) -> Result<(u32, u32, i64), Stop> {
    let [waiting, stored] = sql::query([
        toolkit::sql!(
            "SELECT COUNT(*) FROM forms WHERE principal = $1 AND status = 'waiting'",
            principal
        ),
        toolkit::sql!(
            "SELECT COUNT(*), COALESCE(SUM(definition_bytes + filled_bytes), 0) FROM forms \
             WHERE principal = $1",
            principal
        ),
    ])?;
    let (waiting,) = waiting.first::<(u32,)>()?.unwrap_or_default();
    let (stored, bytes) = stored.first::<(u32, i64)>()?.unwrap_or_default();
    Ok((waiting, stored, bytes))
}

/// Default days for which an answered form is kept.
const KEEP_DAYS: u32 = 90;
/// Default days for which a form waits.
const WAIT_DAYS: u32 = 30;
/// Default seconds for which a call waits for a person on the form's page: less than the 30 or 60
/// seconds after which common clients give up, so that the caller always receives the handle.
const WAIT_S: u32 = 25;
/// Upper limit of that; the host's `wait_ms_max` has to permit it.
const WAIT_S_MAX: u32 = 600;
/// Upper limit of days: ten years.
const DAYS_MAX: u32 = 3_650;

/// Days for which an answered form is kept: `keep_days`.
///
/// # Errors
/// If the setting is out of range.
pub fn keep_days() -> Result<u32, Unfit> {
    settings::number("keep_days", KEEP_DAYS, 1..=DAYS_MAX)
}

/// Days for which a form waits: `wait_days`.
///
/// # Errors
/// If the setting is out of range.
pub fn wait_days() -> Result<u32, Unfit> {
    settings::number("wait_days", WAIT_DAYS, 1..=DAYS_MAX)
}

/// Seconds for which `request_form` waits for a person on the form's page: `wait_seconds`.
///
/// # Errors
/// If the setting is out of range.
pub fn wait_s() -> Result<u32, Unfit> {
    settings::number("wait_seconds", WAIT_S, 0..=WAIT_S_MAX)
}

/// Validates all settings.
///
/// # Errors
/// Every problem.
pub fn configure() -> Result<(), Vec<Problem>> {
    let problems = [keep_days(), wait_days(), wait_s()];
    let problems = problems.into_iter().filter_map(Result::err).map(Problem::from);
    let lists = crate::lookup::problems().into_iter().chain(crate::demo::problems());
    let problems: Vec<_> = problems.chain(lists).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

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
    let keep = keep_days().map_err(|it| text(it.into()))?;
    let wait = wait_days().map_err(|it| text(it.into()))?;
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
        handles.iter().for_each(|it| events::publish(&uri(it)));
        events::publish(LIST);
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
