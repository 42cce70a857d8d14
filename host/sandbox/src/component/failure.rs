//! The error object of a failed component call.

use serde_json::json;

use super::{CallError, Problem, Stop};
use base::failure::{Failure, shortened};

/// Bytes that one of several problems may have, and the place where it is; and how many are reported.
const PROBLEM_BYTES_MAX: usize = 1 << 10;
const POINTER_BYTES_MAX: usize = 256;
const PROBLEMS_MAX: usize = 1_000;

impl From<CallError> for Failure {
    /// Faults of the component are logged in full; callers get the call number only.
    fn from(error: CallError) -> Self {
        let log = error.to_string();
        match error {
            CallError::Stopped(stop) => stopped(stop),
            CallError::UnknownTool { tool, similar } => {
                let hint = match similar.as_slice() {
                    [] => "see tools/list".to_owned(),
                    names => format!("did you mean {}?", names.join(", ")),
                };
                Self::new("unknown_tool", 404, format!("Unknown tool {tool:?}; {hint}")).protocol()
            }
            CallError::UnknownPrompt { name } => {
                let message = format!("Unknown prompt {name:?}; see prompts/list");
                Self::new("unknown_prompt", 404, message).with("name", name).protocol()
            }
            CallError::UnknownResource { uri } => {
                let message = format!(
                    "Unknown resource {uri:?}; see resources/list and resources/templates/list"
                );
                Self::new("unknown_resource", 404, message).with("uri", uri).protocol()
            }
            CallError::Forbidden { scope } => {
                // Beside `read-only` that scope alone would not do.
                let narrow = match scope.starts_with("tool:") {
                    true => ", without `read-only` where the tool changes something",
                    false => "",
                };
                let message = format!(
                    "This needs the scope {scope}, which the token does not have; ask the operator for one that has it{narrow}."
                );
                Self::new("insufficient_scope", 403, message).with("scope", scope).protocol()
            }
            CallError::State(error) => {
                Self::new("invalid_request_state", 400, error.to_string()).protocol()
            }
            CallError::Busy { component, retry_after_ms } => {
                let message =
                    format!("The component {component} is busy; try again in {retry_after_ms} ms.");
                Self::new("busy", 503, message).with("retry_after_ms", retry_after_ms)
            }
            CallError::SettingsRefused { component } => {
                let message = format!(
                    "The component {component} serves nothing: its settings are refused. Tell the operator, who finds the reason in the log, in /api/health and with `madoguchi check-config`."
                );
                Self::new("settings_refused", 503, message).with("component", &*component)
            }
            CallError::LimitExceeded { component, call_id, limit } => {
                tracing::warn!(target: "guest", component = &*component, call = call_id, limit, "{log}");
                // Errors between rounds have no call number.
                let call = match call_id {
                    0 => String::new(),
                    id => format!(" (call {id})"),
                };
                let message = format!(
                    "The component {component} exceeded its limit {limit} and was stopped{call}. {}",
                    limit_owner(limit, &component)
                );
                let failure = Self::new("limit_exceeded", 500, message).with("limit", limit);
                if call_id > 0 { failure.with("call", call_id) } else { failure }
            }
            CallError::Trapped { ref component, call_id, .. }
            | CallError::Broken { ref component, call_id, .. } => {
                tracing::error!(target: "guest", component = &**component, call = call_id, "{log}");
                let message = match error {
                    CallError::Trapped { .. } => format!(
                        "The component {component} broke down in call {call_id}; the log has the reason."
                    ),
                    _ => format!(
                        "The component {component} gave an answer that cannot be used (call {call_id})."
                    ),
                };
                Self::new("internal_error", 500, message).with("call", call_id)
            }
        }
    }
}

fn limit_owner(limit: &str, component: &str) -> String {
    match limit {
        "stack_bytes_max" => "The operator can raise it under [sandbox]; the stack that a component brings along is its author's to raise.".to_owned(),
        "state_bytes_max" | "rounds_max" | "questions_max" | "memories_max" | "tables_max"
        | "core_instances_max" => "It is the same for every component.".to_owned(),
        _ => format!("The operator can raise it under [components.{component}.limits]."),
    }
}

fn stopped(stop: Stop) -> Failure {
    match stop {
        Stop::InvalidArguments(problems) => invalid(&problems).tools(),
        Stop::Refused(refusal) => {
            let status = if (400..600).contains(&refusal.status) { refusal.status } else { 400 };
            let mut failure = Failure::new(&refusal.code, status, refusal.message).tools();
            if let Some(Ok(details)) = refusal.details.map(|it| serde_json::from_str(&it)) {
                failure.data = Box::new(details);
            }
            failure
        }
        Stop::Unavailable(unavailable) => {
            let failure = Failure::new("unavailable", 503, unavailable.message).tools();
            match unavailable.retry_after_ms {
                Some(ms) => failure.with("retry_after_ms", ms),
                None => failure,
            }
        }
        // `Calls` answers both; they come here only from where there is no user to ask.
        Stop::InputRequired(_) | Stop::Wait(_) => Failure::new(
            "input_required",
            400,
            "This tool has to ask the user; call it through an MCP client that can answer (elicitation).",
        ),
    }
}

fn invalid(problems: &[Problem]) -> Failure {
    let shorten = |problem: &Problem| Problem {
        pointer: shortened(problem.pointer.clone(), POINTER_BYTES_MAX),
        message: shortened(problem.message.clone(), PROBLEM_BYTES_MAX),
    };
    let problems: Vec<_> = problems.iter().take(PROBLEMS_MAX).map(shorten).collect();
    let field = |pointer: &str| pointer.trim_start_matches('/').replace('/', ".");
    // A sentence stands by itself; a predicate (`must be …`) follows the name of its field.
    let each = problems.iter().map(|problem| match field(&problem.pointer).as_str() {
        "" => problem.message.clone(),
        _ if problem.message.starts_with(char::is_uppercase) => problem.message.clone(),
        field => format!("{field} {}", problem.message),
    });
    let message = each.collect::<Vec<_>>().join("; ");
    let list: Vec<_> =
        problems.iter().map(|it| json!({ "pointer": it.pointer, "message": it.message })).collect();
    let failure = Failure::invalid(message);
    match problems.first() {
        Some(first) => failure
            .with("field", field(&first.pointer))
            .with("reason", first.message.as_str())
            .with("problems", list),
        None => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{component::Refusal, lines::Place};

    #[test]
    fn refusal_keeps_code_status_and_details() {
        let refusal = Refusal {
            code: "seat_already_reserved".to_owned(),
            message: "Seat A2 is already occupied.".to_owned(),
            status: 409,
            details: Some(r#"{"seat_ids":["A2"]}"#.to_owned()),
        };
        let failure = Failure::from(CallError::Stopped(Stop::Refused(refusal)));
        assert_eq!(
            failure.object(),
            json!({
                "error": "seat_already_reserved",
                "message": "Seat A2 is already occupied.",
                "status": 409,
                "data": { "seat_ids": ["A2"] },
            })
        );
    }

    #[test]
    fn adds_facts_without_replacing_the_message() {
        let failure =
            Failure::new("taken", 409, "Taken.").with("by", "ann").with("seats", json!(["A2"]));
        let object = failure.with("status", 7).with("error", "other").with("data", 1).object();
        assert_eq!(
            object,
            json!({
                "error": "taken",
                "message": "Taken.",
                "status": 409,
                "by": "ann",
                "data": { "by": "ann", "seats": ["A2"], "status": 7, "error": "other", "data": 1 },
            })
        );
    }

    #[test]
    fn wrong_arguments_name_field_and_correct_value() {
        let problem = Problem {
            pointer: "/message/sender".to_owned(),
            message: "must be one of user, agent".to_owned(),
        };
        let object =
            Failure::from(CallError::Stopped(Stop::InvalidArguments(vec![problem]))).object();
        assert_eq!(object["error"], "invalid_params");
        assert_eq!(object["message"], "message.sender must be one of user, agent");
        assert_eq!(object["data"]["field"], "message.sender");
    }

    #[test]
    fn missing_scope_is_named_with_narrower_scope() {
        let message =
            |scope: &str| Failure::from(CallError::Forbidden { scope: scope.to_owned() }).message;
        assert!(
            message("tool:echo").contains("tool:echo")
                && message("tool:echo").contains("read-only")
        );
        assert!(!message("component:shop").contains("read-only"));
    }

    #[test]
    fn cuts_quoted_text() {
        let problem =
            || Problem { pointer: format!("/{}", "窓".repeat(9_000)), message: "x".repeat(9_000) };
        let problems = (0..5_000).map(|_| problem()).collect();
        let failure = Failure::from(CallError::Stopped(Stop::InvalidArguments(problems)));
        assert!(failure.message.len() < 5_000 && failure.message.ends_with('…'));
        assert!(failure.object().to_string().len() < 1_500_000);
        assert_eq!(failure.data["problems"].as_array().map(Vec::len), Some(PROBLEMS_MAX));
    }

    #[test]
    fn trap_reports_call_number_but_no_reason() {
        let source = wasmtime::Error::msg("secret of the component");
        let (file, function) = ("src/lib.rs".to_owned(), Some("greet".to_owned()));
        let places = vec![Place { file, line: 3, function }];
        let error = CallError::Trapped { component: "shop".into(), call_id: 7, source, places };
        assert!(error.to_string().contains(" at src/lib.rs:3 (greet): secret"), "{error}");
        let text = Failure::from(error).object().to_string();
        assert!(text.contains("call 7"), "{text}");
        assert!(!text.contains("secret") && !text.contains("lib.rs"), "{text}");
    }
}
