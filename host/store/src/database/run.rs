//! Runs a guest's statements on SQLite: checks the text, binds by name, counts rows, and enforces limits.

use std::str::Utf8Error;

use rusqlite::CachedStatement;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

use super::connections::Guarded;
use super::guard::{self, Access};
use super::types::{
    self, Error, Limits, Rows, Statement, UnexpectedCount, Value, explain, too_much_aside,
};

/// A batch while it runs: where, and what its statements may still return.
struct Batch<'a> {
    guarded: &'a Guarded,
    access: Access,
    rows: usize,
    bytes: usize,
}

/// Refuses a batch that is too big, before it waits anywhere. Returns its bytes.
pub(super) fn measure(limits: &Limits, statements: &[Statement]) -> Result<usize, Error> {
    if statements.len() > limits.statements_max {
        let (found, most) = (statements.len(), limits.statements_max);
        return Err(Error::LimitExceeded(format!("{found} statements in a batch; at most {most}")));
    }
    let bytes = statements.iter().map(Statement::bytes).sum();
    if bytes > limits.batch_bytes_max {
        let most = limits.batch_bytes_max;
        return Err(Error::LimitExceeded(format!("a batch of {bytes} bytes; at most {most}")));
    }
    Ok(bytes)
}

/// Runs a batch, one statement after the other, until one fails; reports each, failed or not.
pub(super) fn batch(
    guarded: &Guarded,
    statements: &[Statement],
    access: Access,
    after_each: &mut dyn FnMut(&Statement),
) -> Result<Vec<Rows>, Error> {
    let limits = &guarded.site.limits;
    let (rows, bytes) = (limits.rows_max, limits.result_bytes_max);
    let mut batch = Batch { guarded, access, rows, bytes };
    let mut answers = Vec::with_capacity(statements.len());
    for (index, statement) in (0..).zip(statements) {
        let answer = batch.run_statement(index, statement);
        after_each(statement);
        answers.push(answer.map_err(|error| match guarded.guard.too_much_aside() {
            Some(most) => too_much_aside(most),
            None => error,
        })?);
    }
    Ok(answers)
}

impl Batch<'_> {
    fn run_statement(&mut self, index: u32, statement: &Statement) -> Result<Rows, Error> {
        let Guarded { site, connection, .. } = self.guarded;
        let invalid = |message: String| types::invalid(index, message);
        if statement.sql.len() > site.limits.sql_bytes_max {
            let most = site.limits.sql_bytes_max;
            return Err(Error::LimitExceeded(format!("statement {index}: more than {most} bytes")));
        }
        guard::check(&statement.sql, self.access).map_err(invalid)?;
        let explain = |error| explain(site, index, error);
        let mut prepared = connection.prepare_cached(&statement.sql).map_err(explain)?;
        let reads = prepared.readonly();
        if self.access == Access::Read && !reads {
            return Err(invalid("it changes rows: send it through `transact`".into()));
        }
        bind(&mut prepared, &statement.parameters, invalid, explain)?;
        let mut answer = self.collect(index, &mut prepared)?;
        if !reads {
            answer.changes = connection.changes();
        }
        let found = if reads { answer.rows.len() as u64 } else { answer.changes };
        match statement.expect {
            Some(expected) if found != u64::from(expected) => {
                let found = u32::try_from(found).unwrap_or(u32::MAX);
                Err(Error::UnexpectedCount(UnexpectedCount { statement: index, expected, found }))
            }
            _ => Ok(answer),
        }
    }

    fn collect(&mut self, index: u32, prepared: &mut CachedStatement<'_>) -> Result<Rows, Error> {
        let site = &self.guarded.site;
        let mut answer = Rows { columns: Vec::new(), rows: Vec::new(), changes: 0 };
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next().map_err(|error| explain(site, index, error))? {
            if answer.columns.is_empty() {
                answer.columns = names(row.as_ref());
            }
            let Some(left) = self.rows.checked_sub(1) else {
                let most = site.limits.rows_max;
                return Err(Error::LimitExceeded(format!("more than {most} rows; use LIMIT")));
            };
            self.rows = left;
            let mut values = Vec::with_capacity(answer.columns.len());
            for (column, name) in answer.columns.iter().enumerate() {
                let value = row.get_ref(column).map_err(|error| explain(site, index, error))?;
                let unreadable = |_| format!("column {name} is text that is not UTF-8");
                let value =
                    owned_value(value).map_err(|it| types::invalid(index, unreadable(it)))?;
                let Some(left) = self.bytes.checked_sub(value.bytes()) else {
                    let most = site.limits.result_bytes_max;
                    return Err(Error::LimitExceeded(format!("more than {most} bytes of rows")));
                };
                self.bytes = left;
                values.push(value);
            }
            answer.rows.push(values);
        }
        drop(rows);
        if answer.columns.is_empty() {
            answer.columns = names(prepared);
        }
        Ok(answer)
    }
}

/// Binds by name, because SQLite numbers `$2, $1` in the order of their appearance.
fn bind(
    prepared: &mut CachedStatement<'_>,
    parameters: &[Value],
    invalid: impl Fn(String) -> Error,
    explain: impl Fn(rusqlite::Error) -> Error,
) -> Result<(), Error> {
    let given = parameters.len();
    let names = prepared.parameter_count();
    let mut used = vec![false; given];
    for place in 1..=names {
        let name = prepared.parameter_name(place).unwrap_or("?");
        let number = guard::parameter_number(name).filter(|number| (1..=given).contains(number));
        let Some(number) = number else {
            return Err(invalid(format!("`{name}` has no value: {given} are given")));
        };
        let value = &parameters[number - 1];
        if matches!(value, Value::Real(real) if !real.is_finite()) {
            return Err(invalid(format!("{name} is not a finite number")));
        }
        prepared.raw_bind_parameter(place, value).map_err(&explain)?;
        used[number - 1] = true;
    }
    match used.iter().position(|used| !used) {
        Some(unused) => {
            let name = unused + 1;
            Err(invalid(format!("a value is given for ${name}, which does not occur")))
        }
        None => Ok(()),
    }
}

/// Column names. They must be read after the first step, where SQLite notices changed tables, because `*` may then
/// have more columns.
fn names(prepared: &rusqlite::Statement<'_>) -> Vec<String> {
    prepared.column_names().map(str::to_owned).collect()
}

/// A value of SQLite's as ours.
pub(super) fn owned_value(value: ValueRef<'_>) -> Result<Value, Utf8Error> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => Value::Integer(integer),
        ValueRef::Real(real) => Value::Real(real),
        ValueRef::Text(text) => Value::Text(std::str::from_utf8(text)?.to_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    })
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(integer) => ValueRef::Integer(*integer),
            Self::Real(real) => ValueRef::Real(*real),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}
