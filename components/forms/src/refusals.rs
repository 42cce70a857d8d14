//! Errors in the caller's language.

use output::form::{Fault, Language, SchemaFault};
use serde_json::json;
use toolkit::{Problem, Stop, caller, refused};

/// Language of the caller; Japanese by default.
pub fn language() -> Language {
    if caller::reads_japanese(true) { Language::Japanese } else { Language::English }
}

/// Picks the text for the caller.
pub fn say<'a>(japanese: &'a str, english: &'a str) -> &'a str {
    match language() {
        Language::Japanese => japanese,
        Language::English => english,
    }
}

/// The definition is invalid (FORM-60), with the specified text.
pub fn invalid_form_schema(fault: &SchemaFault) -> Stop {
    let details = json!({
        "pointer": format!("/form_schema{}", fault.pointer),
        "english": fault.message(Language::English),
    });
    refused("invalid_form_schema", 400, fault.to_string()).with(details)
}

/// The form does not exist, or no longer; the error does not distinguish.
pub fn not_found() -> Stop {
    refused("not_found", 404, "このフォームは見つかりません。 / There is no such form.")
}

/// The form's answer has no such file.
pub fn no_such_file() -> Stop {
    let message = say(
        "このフォームの回答に、そのファイルはありません。",
        "The form is there, but its answer has no such file.",
    );
    refused("not_found", 404, message)
}

/// The caller has too many unanswered forms.
pub fn too_many_waiting(waiting: u32, most: u32) -> Stop {
    let message = say(
        "回答待ちのフォームが多すぎます。古いフォームに回答するか、閉じてから（close_form）やり直してください。",
        "Too many forms wait for an answer; answer or close some of them (close_form) first.",
    );
    refused("too_many_forms", 429, message).with(json!({ "waiting": waiting, "most": most }))
}

/// The caller's forms take too much space.
pub fn too_much_kept(kept: (u32, i64), most: (u32, i64), keep_days: u32) -> Stop {
    let japanese = format!(
        "保存中のフォームが上限に達しています。不要なフォームを閉じてください（close_form。10分後に場所が空きます）。回答済みのフォームは{keep_days}日後に削除されます。"
    );
    let english = format!(
        "Your forms take as much room as they may. Close those that are not needed (close_form): they make room after ten minutes. Answered ones go after {keep_days} days."
    );
    refused("too_many_forms", 429, say(&japanese, &english)).with(json!({
        "kept": kept.0,
        "bytes": kept.1,
        "most": most.0,
        "bytes_max": most.1,
    }))
}

/// The requester's share is used up, so that nothing can be stored.
pub fn requester_is_full() -> Stop {
    let message = say(
        "依頼元のフォームが保存の上限に達しているため、保存できません。依頼元がほかのフォームを閉じると保存できます。",
        "Whoever asked keeps as much as they may; this can be saved once they close other forms.",
    );
    refused("too_many_forms", 429, message)
}

/// Validation errors of a submission, by field.
pub fn faults(faults: &[Fault]) -> Stop {
    let language = language();
    let problem = |fault: &Fault| {
        let name = fault.field.replace('~', "~0").replace('/', "~1");
        Problem::at(format!("/values/{name}"), fault.message(language))
    };
    Stop::InvalidArguments(faults.iter().map(problem).collect())
}
