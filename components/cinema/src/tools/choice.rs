//! `keep_choice`: what a person has chosen in an app, which a frame that is loaded again goes on with (APP-6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Hints, Stop, Text, Tool, User, caller, fresh_id, sql};

use super::{NAME_CHARS_MAX, at_most, none_of};
use crate::{clock::Clock, limits::length};

/// Where the result of `list_available_seats` names the view that shows it.
const VIEW: &str = "cinema/view";
/// Views of one caller that are remembered; the oldest are forgotten.
const VIEWS_MAX: u32 = 500;
/// Seats of a choice.
const SEATS_MAX: usize = 100;

/// 画面で選択中の座席などを保持し、保持している内容を返す。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepChoice {
    /// 画面の番号（list_available_seats の結果の _meta にある cinema/view）
    #[schemars(length(min = 1, max = 200))]
    view: String,
    /// 任意。保持する内容。指定がなければ、保持している内容を返すだけ
    choice: Option<Choice>,
}

/// What has been chosen, whom it is for, and what has come of it.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Choice {
    /// Whom the seats are for, as far as it is typed.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    user_id: String,
    /// The seats.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100), inner(length(max = 200)))]
    seat_ids: Vec<String>,
    /// The hold on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    hold_token: Option<String>,
    /// Until when, as the hold says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    held_until: Option<String>,
    /// The key under which they are reserved once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    idempotency_key: Option<String>,
    /// The reservation that was made of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    reservation_id: Option<String>,
}

/// What is kept.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Kept {
    /// The choice; nothing where none is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<Choice>,
}

impl Tool for KeepChoice {
    const NAME: &str = "keep_choice";
    const TITLE: Text = Text { ja: "選択の保持", en: "Keep a choice" };
    const ENGLISH: English = English {
        description: "Keeps what is chosen in a view of the seats, and answers what is kept.",
        arguments: &[
            ("view", "The view: cinema/view in the _meta of the result of list_available_seats"),
            ("choice", "Optional. What to keep; without it, what is kept is answered"),
            ("choice.user_id", "Whom the seats are for, as far as it is typed"),
            ("choice.seat_ids", "The seats"),
            ("choice.hold_token", "The hold on them"),
            ("choice.held_until", "Until when, as the hold says it"),
            ("choice.idempotency_key", "The key under which they are reserved once"),
            ("choice.reservation_id", "The reservation that was made of them"),
        ],
    };
    const HINTS: Hints = Hints::ADDITIVE.union(Hints::IDEMPOTENT);
    const META: Option<&str> = Some(r#"{"ui":{"visibility":["app"]}}"#);
    type Output = Kept;

    fn call(self, _: &User) -> Result<Kept, Stop> {
        none_of([length("/view", &self.view, NAME_CHARS_MAX)])?;
        let Some(choice) = self.choice else { return read(&self.view) };
        let many = toolkit::Problem::at("/choice/seat_ids", format!("must be at most {SEATS_MAX}"));
        let long = choice.seat_ids.iter().find_map(|it| at_most("/choice/seat_ids", it));
        let text = |pointer, it: &Option<String>| it.as_deref().and_then(|it| at_most(pointer, it));
        none_of([
            at_most("/choice/user_id", &choice.user_id),
            (choice.seat_ids.len() > SEATS_MAX).then_some(many),
            long,
            text("/choice/hold_token", &choice.hold_token),
            text("/choice/held_until", &choice.held_until),
            text("/choice/idempotency_key", &choice.idempotency_key),
            text("/choice/reservation_id", &choice.reservation_id),
        ])?;
        let (principal, now) = (caller::principal(), Clock::of_call()?.second());
        sql::transact([
            sql!(
                "INSERT INTO choices (view, principal, choice, kept_at) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (view) DO UPDATE SET choice = $3, kept_at = $4 WHERE choices.principal = $2",
                &self.view,
                &principal,
                toolkit::export::written(&choice),
                now,
            ),
            sql!(
                format!(
                    "DELETE FROM choices WHERE principal = $1 AND view NOT IN (SELECT view FROM choices \
                     WHERE principal = $1 ORDER BY kept_at DESC, view LIMIT {VIEWS_MAX})"
                ),
                &principal,
            ),
        ])?;
        read(&self.view)
    }
}

/// What is kept of a view of this caller's.
fn read(view: &str) -> Result<Kept, Stop> {
    let of_view = "SELECT choice FROM choices WHERE view = $1 AND principal = $2";
    let [found] = sql::query([sql!(of_view, view, caller::principal())])?;
    let choice = found.first::<(String,)>()?.and_then(|(it,)| serde_json::from_str(&it).ok());
    Ok(Kept { choice })
}

/// Names the view that is going to show a result, to a client that shows apps.
pub(super) fn name_view(user: &User) {
    if toolkit::apps::are_shown() {
        user.tell(VIEW, fresh_id("view"));
    }
}
