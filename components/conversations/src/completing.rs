//! What could be filled into the prompt's arguments and the templates of resources: ids that the person who
//! calls may see, and no others.

use toolkit::{
    Stop,
    completions::{Completion, Request},
    sql,
    sql::Statement,
};

use crate::{
    listing::{self, Filter},
    person::{self, Person},
    visibility::{bound, condition},
};

/// Completes one argument; a caller that is not a person here gets nothing.
///
/// # Errors
/// As the database.
pub fn complete(request: &Request) -> Result<Completion, Stop> {
    let is_prompt = request.prompt().is_some();
    match (is_prompt, request.argument.as_str()) {
        (true, "language") => Ok(request.among(["ja", "en"])),
        (_, "project_id") => of_person(request, projects),
        (true, "agent_id") => of_person(request, |it| agents(it, request.filled_in("project_id"))),
        (false, "conversation_id") => of_person(request, conversations),
        _ => Ok(Completion::none()),
    }
}

fn of_person(
    request: &Request,
    ids: impl FnOnce(&Person) -> Result<Vec<String>, Stop>,
) -> Result<Completion, Stop> {
    match person::calling("completions") {
        Ok(person) => Ok(request.among(ids(&person)?)),
        Err(Stop::Refused(_)) => Ok(Completion::none()),
        Err(stop) => Err(stop),
    }
}

fn projects(person: &Person) -> Result<Vec<String>, Stop> {
    let visible = condition("p.id", 1);
    let select =
        format!("SELECT p.id FROM projects p WHERE p.is_gone = 0 AND {visible} ORDER BY p.id");
    ids(bound(Statement::new(select), person))
}

/// Those that come in by themselves, of one project or of all.
fn agents(person: &Person, project_id: Option<&str>) -> Result<Vec<String>, Stop> {
    let select = format!(
        "SELECT DISTINCT a.id FROM assignments w JOIN agents a ON a.id = w.agent_id \
         WHERE a.is_gone = 0 AND a.type = 'ai' AND a.passkey IS NOT NULL \
         AND ($1 IS NULL OR w.project_id = $1) AND {} ORDER BY a.id",
        condition("w.project_id", 2)
    );
    let project_id = project_id.filter(|it| !it.is_empty()).map(str::to_owned);
    ids(bound(toolkit::sql!(select, project_id), person))
}

/// Those that the list begins with.
fn conversations(person: &Person) -> Result<Vec<String>, Stop> {
    let page = listing::page(person, &Filter::default(), None)?;
    Ok(page.conversations.into_iter().map(|it| it.conversation_id).collect())
}

fn ids(select: Statement) -> Result<Vec<String>, Stop> {
    let [rows] = sql::query([select])?;
    Ok(rows.read::<(String,)>()?.into_iter().map(|it| it.0).collect())
}
