//! Which person calls: the agent of type human to whose token the caller belongs, or the operator.

use serde::Deserialize;
use toolkit::{Stop, caller, sql};

use crate::refusals;

/// The agent that the operator is, unless their token is another person's.
pub const OPERATOR: &str = "operator";

/// A person who calls.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Person {
    /// As which agent they talk.
    pub agent_id: String,
    /// The name that others see.
    pub name: String,
    /// Whether they see every project and may define agents.
    pub is_operator: bool,
}

/// Whether a caller has no name of their own: no token is needed here.
pub fn is_alone(principal: &str) -> bool {
    matches!(principal, "anonymous" | "stdio")
}

/// The person who calls.
///
/// # Errors
/// When there is none: a token that belongs to no person and may not do everything.
pub fn calling(tool: &str) -> Result<Person, Stop> {
    let principal = caller::principal();
    let is_operator = is_alone(&principal) || caller::scopes().iter().any(|it| it == "*");
    let [rows] = sql::query([toolkit::sql!(
        "SELECT id AS agent_id, name, 0 AS is_operator FROM agents \
         WHERE type = 'human' AND is_gone = 0 AND (principal = $1 OR (id = $2 AND $3 <> 0)) \
         ORDER BY CASE WHEN principal = $1 THEN 0 ELSE 1 END LIMIT 1",
        &principal,
        OPERATOR,
        is_operator,
    )])?;
    match rows.first::<Person>()? {
        Some(person) => Ok(Person { is_operator, ..person }),
        None => Err(refusals::tool_not_available(
            tool,
            refusals::say(
                "このツールは人のためのものです。エージェントはauthenticateから始めてください。",
                "This tool is for people; an agent begins with authenticate.",
            ),
        )),
    }
}

/// The person who calls, where that is the operator, who alone says who is there.
///
/// # Errors
/// When it is any other caller.
pub fn must_be_operator(tool: &str) -> Result<Person, Stop> {
    let person = calling(tool)?;
    if person.is_operator {
        return Ok(person);
    }
    Err(refusals::tool_not_available(
        tool,
        refusals::say(
            "このツールは運用者のためのものです。",
            "This tool is for the operator of this counter.",
        ),
    ))
}
