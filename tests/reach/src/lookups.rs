//! Serves `GET /api/reach/…`.

use serde_json::{Value, json};
use toolkit::{
    caller,
    endpoints::{Failure, Refusal, Request},
    sql,
};

/// Answers one request for data.
pub(crate) fn get(request: &Request) -> Result<Value, Failure> {
    match request.path.as_str() {
        "letters" => {
            let q = request.value("q").unwrap_or_default();
            let pattern = format!("%{q}%");
            let [rows] = sql::query([toolkit::sql!(
                "SELECT text FROM letters WHERE text LIKE $1 ESCAPE '!' ORDER BY letter_id",
                pattern
            )])?;
            let letters: Vec<(String,)> = rows.read().map_err(toolkit::Stop::from)?;
            Ok(json!({ "letters": letters.into_iter().map(|it| it.0).collect::<Vec<_>>() }))
        }
        "double" => {
            let number: Option<i64> = request.parse("number", "must be a number")?;
            let number =
                number.ok_or_else(|| toolkit::endpoints::invalid("number", "is missing"))?;
            Ok(json!({ "double": number * 2 }))
        }
        "secret" => Err(Failure::Refused(Refusal {
            code: "forbidden".to_owned(),
            message: "Not for you.".to_owned(),
            status: 403,
            details: Some(r#"{"why":"it is secret"}"#.to_owned()),
        })),
        "closed" => Err(Failure::Unavailable("Back in a minute.".to_owned())),
        "loop" => loop {
            std::hint::black_box(request);
        },
        "who" => Ok(json!({ "locale": caller::locale(), "path": request.path })),
        "page" => Ok(json!({ "page": caller::page() })),
        path if path.starts_with("echo/") => Ok(json!({ "path": path, "query": request.query })),
        _ => Err(Failure::NotFound),
    }
}
