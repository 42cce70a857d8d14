//! Who is the staff of the cinema: whose token says so (CIN-92).
//!
//! A token for the whole component is a customer's, or each page that sells seats could also let people in.

use serde_json::json;
use toolkit::{Stop, caller, refused};

use crate::refusals::say;

/// `_meta` of tools that only pages see, and no model.
pub const FOR_PAGES: &str = r#"{"ui":{"visibility":["app"]}}"#;

/// Scopes whose holder may do everything here.
const ALL: [&str; 2] = ["*", "operator"];

/// Refuses callers who are not of the staff: with tokens, their scopes are `*`, `operator` or this very tool.
///
/// # Errors
/// When the caller is a customer.
pub fn only(tool: &str) -> Result<(), Stop> {
    if is_staff(&caller::principal(), &caller::scopes(), tool) {
        return Ok(());
    }
    Err(refused(
        "staff_only",
        403,
        say(
            format!("スタッフ用です。スコープ tool:{tool} を持つトークンが必要です。"),
            format!("This is for the staff: their tokens have the scope tool:{tool}."),
        ),
    )
    .with(json!({ "tool": tool, "scope": format!("tool:{tool}") })))
}

fn is_staff(principal: &str, scopes: &[String], tool: &str) -> bool {
    let is_alone = matches!(principal, "anonymous" | "stdio");
    let names = |scope: &String| {
        ALL.contains(&scope.as_str()) || scope.strip_prefix("tool:").is_some_and(|it| it == tool)
    };
    is_alone || scopes.iter().any(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_staff_is_named_by_its_scopes() {
        let is = |principal: &str, scopes: &[&str]| {
            let scopes: Vec<_> = scopes.iter().map(|it| (*it).to_owned()).collect();
            is_staff(principal, &scopes, "check_in")
        };
        assert!(is("anonymous", &[]) && is("stdio", &[]), "where no token is needed");
        assert!(is("door", &["tool:check_in"]) && is("boss", &["*"]));
        assert!(is("boss", &["component:cinema", "operator"]));
        assert!(!is("page", &["component:cinema"]) && !is("page", &["tool:list_movies"]));
    }
}
