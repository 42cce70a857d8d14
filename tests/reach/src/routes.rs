//! Routes of several methods, some of which fail.

use serde_json::json;
use toolkit::{
    Stop, refused,
    routes::{Answer, Request, Route, send},
    sql,
};

use crate::jobs::SendLetter;

/// Returns the routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("letters", post).of_tool::<SendLetter>(),
        Route::of("DELETE", "letters/{text}", delete),
        Route::of("PUT", "echo/{first}/of/{second}", echo).bodies(1_000),
        Route::of("PATCH", "echo/fixed/of/{second}", |_| Ok(Answer::ok(&"fixed"))),
        Route::of("PATCH", "echo/{first}/of/{second}", echo),
        Route::get("numbers/{count}", numbers).streams(),
        Route::get("endless", endless).streams(),
        Route::post("odd/{what}", odd).streams(),
    ]
}

fn post(request: &Request) -> Result<Answer, Stop> {
    Answer::of_tool::<SendLetter>(request, request.object()?)
}

fn delete(request: &Request) -> Result<Answer, Stop> {
    let text = request.parameter("text");
    let [deleted] = sql::transact([toolkit::sql!("DELETE FROM letters WHERE text = $1", text)])?;
    match deleted.changes {
        0 => Err(refused("no_such_letter", 404, "There is no such letter.")),
        count => Ok(Answer::of(202, &json!({ "deleted": count }))),
    }
}

fn echo(request: &Request) -> Result<Answer, Stop> {
    Ok(Answer::ok(&json!({
        "parameters": request.parameters,
        "query": request.query,
        "body": request.object()?,
    })))
}

/// Streams an event for each number, and a last one.
fn numbers(request: &Request) -> Result<Answer, Stop> {
    let count = request.parameter("count").parse::<u32>();
    let count = count.map_err(|_| toolkit::invalid("/count", "must be a number"))?;
    if request.wants_events {
        for number in 1..=count {
            send("number", &json!({ "number": number }));
        }
        send("done", &json!({ "count": count }));
    }
    Ok(Answer::ok(&json!({ "count": count })))
}

fn endless(_: &Request) -> Result<Answer, Stop> {
    let mut number = 0_u32;
    while send("number", &json!({ "number": number })) {
        number += 1;
    }
    Ok(Answer::ok(&json!({ "count": number })))
}

fn odd(request: &Request) -> Result<Answer, Stop> {
    let mut answer = Answer::ok(&json!({}));
    match request.parameter("what") {
        "status" => answer.status = 999,
        "body" => answer.body = "no JSON".to_owned(),
        "scope" => (answer.status, answer.scope) = (403, Some("tool:sing".to_owned())),
        "later" => (answer.status, answer.retry_after_s) = (503, Some(7)),
        "trap" => panic!("as asked"),
        "trap-late" => {
            send("number", &json!({ "number": 1 }));
            panic!("as asked")
        }
        "event" => {
            send("two words", &json!({}));
            send("number", &json!({ "text": "two\nlines" }));
        }
        "spin" => loop {
            std::hint::black_box(request);
        },
        _ => return Err(toolkit::unavailable("Back in a minute.", None)),
    }
    Ok(answer)
}
