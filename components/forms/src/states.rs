//! Refusals for a form's state, in the caller's language.

use output::form::Status;
use serde_json::json;
use toolkit::{Stop, refused};

use crate::{clock::written, record::Record, refusals::say};

/// The form was answered before.
pub fn already_answered(form: &Record) -> Stop {
    let message = match form.status {
        Status::Submitted => {
            say("このフォームは回答済みです。", "This form has been answered already.")
        }
        Status::Cancelled => {
            say("このフォームはキャンセルされています。", "This form has been cancelled.")
        }
        Status::Declined => {
            say("このフォームへの回答は辞退されています。", "This form has been declined.")
        }
        Status::Waiting => say("このフォームはまだ回答待ちです。", "This form still waits."),
    };
    refused("already_answered", 409, message).with(json!({
        "status": form.status,
        "answered_at": form.answered_at.map(written),
    }))
}

/// It is too late to take a cancelled form up again, or there is nothing to take up.
pub fn not_reopened(form: &Record) -> Stop {
    let message = match (form.status, form.read_at) {
        (Status::Waiting | Status::Submitted, _) => say(
            "キャンセルまたは辞退されたフォームだけを再開できます。",
            "Only a form that was cancelled or declined can be taken up again.",
        ),
        (_, Some(_)) => say(
            "依頼元がすでに結果を読んだため、再開できません。",
            "Whoever asked has read already that it was not answered.",
        ),
        (_, None) => say(
            "10分以上経過したため、再開できません。",
            "It was closed more than ten minutes ago.",
        ),
    };
    refused("not_reopened", 409, message).with(json!({ "status": form.status }))
}

/// Another window was faster (with what it saved).
pub fn draft_conflict(form: &Record) -> Stop {
    let message = say(
        "別の画面で新しい下書きが保存されています。",
        "A newer draft was saved from another window.",
    );
    refused("draft_conflict", 409, message).with(json!({
        "revision": form.revision,
        "draft": form.draft(),
        "labels": form.labels(),
    }))
}
