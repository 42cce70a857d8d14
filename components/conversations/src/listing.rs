//! The conversations that a person may see, newest first, filtered, page by page.

use output::conversations::{Conversations, State};
use toolkit::{
    Stop, invalid, sql,
    sql::{Statement, Value},
};

use crate::{person::Person, transcripts, visibility};

/// Conversations on one page.
pub const PAGE: usize = 50;
/// Words of a query; what is behind them is left out.
const WORDS_MAX: usize = 8;

/// Which conversations a list has.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Those of this project.
    pub project_id: Option<String>,
    /// Those that have come so far.
    pub state: Option<State>,
    /// Those that this agent takes part in.
    pub agent_id: Option<String>,
    /// Those in whose purpose or messages each of these words stands.
    pub query: Option<String>,
}

/// One page of what `person` may see. A cursor is the last conversation of the page before.
///
/// # Errors
/// When the cursor is none, and as the database.
pub fn page(person: &Person, filter: &Filter, cursor: Option<&str>) -> Result<Conversations, Stop> {
    if let Some(cursor) = cursor {
        let [rows] =
            sql::query([toolkit::sql!("SELECT 1 FROM conversations WHERE id = $1", cursor)])?;
        if rows.is_empty() {
            return Err(invalid("/cursor", "must be a next_cursor of this list"));
        }
    }
    let mut found = transcripts::many(select(person, filter, cursor))?;
    let more = found.len() > PAGE;
    found.truncate(PAGE);
    let next_cursor = found.last().filter(|_| more).map(|it| it.conversation_id.clone());
    Ok(Conversations { conversations: found, next_cursor })
}

fn select(person: &Person, filter: &Filter, cursor: Option<&str>) -> Statement {
    let mut conditions = vec![visibility::condition("c.project_id", 1)];
    let mut values: Vec<Value> = vec![person.is_operator.into(), (&person.agent_id).into()];
    // Each has a `{}` where its parameter goes.
    let mut add = |condition: &str, value: Value| {
        values.push(value);
        conditions.push(condition.replace("{}", &format!("${}", values.len())));
    };
    if let Some(project_id) = &filter.project_id {
        add("c.project_id = {}", project_id.into());
    }
    if let Some(state) = filter.state {
        add("c.state = {}", state.name().into());
    }
    if let Some(agent_id) = &filter.agent_id {
        add(
            "EXISTS (SELECT 1 FROM members w WHERE w.conversation_id = c.id AND w.agent_id = {})",
            agent_id.into(),
        );
    }
    if let Some(cursor) = cursor {
        add(
            "(c.created_at, c.id) < (SELECT b.created_at, b.id FROM conversations b WHERE b.id = {})",
            cursor.into(),
        );
    }
    for word in words(filter.query.as_deref().unwrap_or_default()) {
        let first = values.len() + 1;
        values.extend(patterns(word).map(Value::from));
        let (purpose, content) = (has("c.purpose", first), has("s.content", first));
        conditions.push(format!(
            "({purpose} OR EXISTS (SELECT 1 FROM messages s \
             WHERE s.conversation_id = c.id AND ({content})))"
        ));
    }
    let select = format!(
        "{} WHERE {} ORDER BY c.created_at DESC, c.id DESC LIMIT {}",
        transcripts::select(),
        conditions.join(" AND "),
        PAGE + 1
    );
    Statement::new(select).bind_all(values)
}

fn words(query: &str) -> impl Iterator<Item = &str> {
    query.split_whitespace().take(WORDS_MAX)
}

/// Whether one of the [`patterns`] of a word, whose first is that parameter, fits a column.
fn has(column: &str, first: usize) -> String {
    let (second, third) = (first + 1, first + 2);
    format!(
        "LOWER({column}) LIKE ${first} ESCAPE '!' OR {column} LIKE ${second} ESCAPE '!' \
         OR {column} LIKE ${third} ESCAPE '!'"
    )
}

/// A word in small letters, in capitals, and as it stands: a database may know small letters of ASCII
/// alone.
fn patterns(word: &str) -> [String; 3] {
    [like(&word.to_lowercase()), like(&word.to_uppercase()), like(word)]
}

/// The pattern of whatever has `word` in it; `%` and `_` are letters like others.
fn like(word: &str) -> String {
    let escaped = word.replace('!', "!!").replace('%', "!%").replace('_', "!_");
    format!("%{escaped}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_in_a_pattern_is_looked_for_as_it_stands() {
        assert_eq!(like("50%_off!"), "%50!%!_off!!%");
    }

    #[test]
    fn a_word_is_looked_for_in_small_letters_and_in_capitals() {
        assert_eq!(patterns("École"), ["%école%", "%ÉCOLE%", "%École%"]);
        assert_eq!(patterns("ａｉ会議"), ["%ａｉ会議%", "%ＡＩ会議%", "%ａｉ会議%"]);
    }

    #[test]
    fn a_query_is_its_words_and_not_too_many_of_them() {
        assert_eq!(words(" りんご　ごりら  x ").collect::<Vec<_>>(), ["りんご", "ごりら", "x"]);
        assert_eq!(words(&"a ".repeat(50)).count(), WORDS_MAX);
    }
}
