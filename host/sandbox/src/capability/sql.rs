//! `sql`: the component's own database.

use crate::{
    bindings::madoguchi::tool::sql::{self as wit},
    capability::state::CallState,
};
use store::database::{ConstraintKind, Database, Error, Rows, Statement, Value};

impl wit::Host for CallState {
    async fn query(
        &mut self,
        statements: Vec<wit::Statement>,
    ) -> Result<Vec<wit::Rows>, wit::Error> {
        let _span = self.context.round.span.child("sql query");
        let rows = self.database()?.query(read_all(statements), self.context.deadline).await;
        answer(rows)
    }

    async fn transact(
        &mut self,
        statements: Vec<wit::Statement>,
    ) -> Result<Vec<wit::Rows>, wit::Error> {
        let _span = self.context.round.span.child("sql transact");
        let rows = self.database()?.transact(read_all(statements), self.context.deadline).await;
        answer(rows)
    }
}

impl CallState {
    /// Absent only while a component describes itself, which needs no database.
    fn database(&self) -> Result<&Database, wit::Error> {
        let none = || wit::Error::Unavailable("the database is not open yet".to_owned());
        self.context.setup.database.as_ref().ok_or_else(none)
    }
}

fn read_all(statements: Vec<wit::Statement>) -> Vec<Statement> {
    let value = |it| match it {
        wit::Value::Null => Value::Null,
        wit::Value::Integer(it) => Value::Integer(it),
        wit::Value::Real(it) => Value::Real(it),
        wit::Value::Text(it) => Value::Text(it),
        wit::Value::Blob(it) => Value::Blob(it),
    };
    let statement = |it: wit::Statement| Statement {
        sql: it.sql,
        parameters: it.parameters.into_iter().map(value).collect(),
        expect: it.expect,
    };
    statements.into_iter().map(statement).collect()
}

fn answer(rows: Result<Vec<Rows>, Error>) -> Result<Vec<wit::Rows>, wit::Error> {
    let value = |it| match it {
        Value::Null => wit::Value::Null,
        Value::Integer(it) => wit::Value::Integer(it),
        Value::Real(it) => wit::Value::Real(it),
        Value::Text(it) => wit::Value::Text(it),
        Value::Blob(it) => wit::Value::Blob(it),
    };
    let table = |it: Rows| wit::Rows {
        columns: it.columns,
        rows: it.rows.into_iter().map(|row| row.into_iter().map(value).collect()).collect(),
        changes: it.changes,
    };
    Ok(rows.map_err(error)?.into_iter().map(table).collect())
}

fn error(error: Error) -> wit::Error {
    match error {
        Error::Constraint { statement, kind, name } => {
            wit::Error::Constraint(wit::ConstraintFailure { statement, kind: kind_of(kind), name })
        }
        Error::UnexpectedCount { statement, expected, found } => {
            wit::Error::UnexpectedCount(wit::UnexpectedCount { statement, expected, found })
        }
        Error::Invalid { statement, message } => {
            wit::Error::Invalid(wit::InvalidStatement { statement, message })
        }
        Error::LimitExceeded(what) => wit::Error::LimitExceeded(what),
        Error::Unavailable(why) => wit::Error::Unavailable(why),
    }
}

fn kind_of(kind: ConstraintKind) -> wit::ConstraintKind {
    match kind {
        ConstraintKind::Unique => wit::ConstraintKind::Unique,
        ConstraintKind::ForeignKey => wit::ConstraintKind::ForeignKey,
        ConstraintKind::Check => wit::ConstraintKind::Check,
        ConstraintKind::NotNull => wit::ConstraintKind::NotNull,
        ConstraintKind::Other => wit::ConstraintKind::Other,
    }
}
