//! `sql`: the component's own database.

use crate::capability::state::CallState;
use store::database::{Database, Error, Rows, Statement, sql};

impl sql::Host for CallState {
    async fn query(&mut self, statements: Vec<Statement>) -> Result<Vec<Rows>, Error> {
        let _span = self.context.round.span.child("sql query");
        self.database()?.query(statements, self.context.deadline).await
    }

    async fn transact(&mut self, statements: Vec<Statement>) -> Result<Vec<Rows>, Error> {
        let _span = self.context.round.span.child("sql transact");
        self.database()?.transact(statements, self.context.deadline).await
    }
}

impl CallState {
    /// Absent only while a component describes itself, which needs no database.
    fn database(&self) -> Result<&Database, Error> {
        let none = || Error::Unavailable("the database is not open yet".to_owned());
        self.context.setup.database.as_ref().ok_or_else(none)
    }
}
