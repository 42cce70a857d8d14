//! A form whose answer is the next message (FORM-5): its values are held against it here, for a message may come from
//! elsewhere than the form's own page (FORM-10).

use output::form::{Form, Language, Today, Values};
use serde_json::{Value, json};

use crate::{ToolResult, clock};

/// Faults of one answer that the model is told.
const FAULTS_MAX: usize = 50;

/// The form's result, with what of the values in `message` does not fit it as `errors`. What is no JSON object is
/// something that the person says instead.
pub(super) fn checked(result: &ToolResult, message: &str, language: Language) -> ToolResult {
    let mut result = result.clone();
    if let ToolResult::Output { structured, .. } = &mut result
        && let Ok(values) = serde_json::from_str::<Values>(message)
        && let Some(errors) = errors(&structured["schema"], &values, language)
        && let Some(members) = structured.as_object_mut()
    {
        members.insert("errors".to_owned(), errors);
    }
    result
}

/// What does not fit, field by field; none where all of it does.
fn errors(schema: &Value, values: &Values, language: Language) -> Option<Value> {
    let now_s = i64::try_from(clock::now_s()).unwrap_or_default();
    let faults = Form::read(schema).ok()?.check(values, Today::anywhere(now_s)).err()?;
    let told =
        |it: &output::form::Fault| json!({ "field": it.field, "message": it.message(language) });
    Some(faults.iter().take(FAULTS_MAX).map(told).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(message: &str) -> Value {
        let schema = json!({ "title": "表", "fields": [
            { "name": "n", "type": "number", "label": "人数", "min": 1, "required": true },
        ] });
        let structured = json!({ "type": "form_request", "schema": schema });
        let result = ToolResult::Output { structured, meta: json!({}), content: Vec::new() };
        match checked(&result, message, Language::Japanese) {
            ToolResult::Output { structured, .. } => structured["errors"].clone(),
            ToolResult::Failed(failure) => panic!("{failure:?}"),
        }
    }

    #[test]
    fn values_that_do_not_fit_the_form_are_told_the_model() {
        let wrong = json!([{ "field": "n", "message": "人数は1以上で入力してください" }]);
        assert_eq!(told(r#"{ "n": 0 }"#), wrong);
        assert_eq!(told("{}"), json!([{ "field": "n", "message": "人数は必須です" }]));
    }

    #[test]
    fn values_that_fit_and_what_is_said_instead_pass() {
        for message in [r#"{ "n": 2 }"#, "フォーム入力をキャンセルしました。", "[1]", "2"]
        {
            assert_eq!(told(message), Value::Null, "{message}");
        }
    }
}
