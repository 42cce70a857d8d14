//! The interface `sql`: the component's own database.

use serde_json::json;

use crate::capability::state::CallState;
use store::database::{Database, Error, Rows, Statement, sql};

impl sql::Host for CallState {
    async fn query(&mut self, statements: Vec<Statement>) -> Result<Vec<Rows>, Error> {
        let taped = self.taped("sql.query", || json!(statements));
        if let Some(given) = taped.given().await {
            return given;
        }
        let _span = self.context.round.span.child("sql query");
        let answer = match self.database() {
            Ok(it) => it.query(statements, self.context.deadline).await,
            Err(error) => Err(error),
        };
        taped.keep(answer)
    }

    async fn transact(&mut self, statements: Vec<Statement>) -> Result<Vec<Rows>, Error> {
        let taped = self.taped("sql.transact", || json!(statements));
        if let Some(given) = taped.given().await {
            return given;
        }
        let _span = self.context.round.span.child("sql transact");
        let answer = match self.database() {
            Ok(database) => match &self.context.round.fence {
                Some(fence) => {
                    database.transact_under(fence, statements, self.context.deadline).await
                }
                None => database.transact(statements, self.context.deadline).await,
            },
            Err(error) => Err(error),
        };
        taped.keep(answer)
    }
}

impl CallState {
    /// Absent only while a component describes itself, which needs no database.
    fn database(&self) -> Result<&Database, Error> {
        let none = || Error::Unavailable("the database is not open yet".to_owned());
        self.context.setup.database.as_ref().ok_or_else(none)
    }
}
