//! Look-ups to try forms with: people, projects, categories, countries, prefectures, cities (FORM-50).
//!
//! What an operator has of their own goes into the settings `users`, `projects` and `categories`:
//! a list of objects with `id` and `name`, and whatever else a form is to show.

pub mod items;
mod search;

use serde_json::Value;
use toolkit::endpoints::{Failure, Request, invalid};

use items::Items;
use search::Query;

/// Entries that one answer has at most.
const LIMIT_MAX: usize = 2_000;
/// People that are found where the request gives no number.
const USERS: usize = 20;

/// Answers `GET /api/demo/PATH`.
///
/// # Errors
/// Where nothing is served, the query is invalid, or the operator's list cannot be read.
pub fn get(request: &Request) -> Result<Value, Failure> {
    let path = request.path.strip_prefix("demo/").unwrap_or(&request.path);
    let query = Query::new(request.value("q").unwrap_or_default());
    let limit = |usual| limit(request, usual);
    match path.trim_end_matches('/') {
        "users/search" => Ok(query.pick(Items::Users.read()?, limit(USERS)?)),
        "projects/search" => Ok(query.pick(Items::Projects.read()?, limit(LIMIT_MAX)?)),
        "categories" => Ok(query.pick(Items::Categories.read()?, limit(LIMIT_MAX)?)),
        "countries" => Ok(query.pick(items::countries(), limit(LIMIT_MAX)?)),
        "prefectures" => {
            let country = request.value("country_code").unwrap_or("JP");
            Ok(query.pick(items::prefectures(country), limit(LIMIT_MAX)?))
        }
        "cities" => {
            let prefecture = request.required("prefecture_code")?;
            Ok(query.pick(items::cities(prefecture), limit(LIMIT_MAX)?))
        }
        _ => Err(Failure::NotFound),
    }
}

fn limit(request: &Request, usual: usize) -> Result<usize, Failure> {
    let wrong = "must be a whole number from 1 on";
    match request.value("limit").filter(|it| !it.is_empty()) {
        None => Ok(usual),
        Some(text) => match text.parse::<usize>() {
            Ok(limit @ 1..) => Ok(limit.min(LIMIT_MAX)),
            _ => Err(invalid("limit", wrong)),
        },
    }
}

#[cfg(test)]
mod tests;
