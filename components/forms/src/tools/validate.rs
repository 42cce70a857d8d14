//! `validate_form_submission`: whether values would be taken, without sending them (FORM-10).

use output::form::{Form, Outcome, Values, Wrongness};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use toolkit::{English, Hints, Problem, Stop, Text, Tool, User};

use super::{bounded, request::definition, submit::check};
use crate::{clock, record, refusals};

/// 入力値がフォームの条件を満たすかを検証する。送信はしない。form_schema と handle のどちらか一方を指定する。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidateFormSubmission {
    /// フォーム定義（request_form と同じ）
    form_schema: Option<Value>,
    /// フォームのハンドル
    #[schemars(length(max = 200))]
    handle: Option<String>,
    /// 入力値。キーはフィールドの name
    values: Values,
    /// 任意。入力者の今日の日付（YYYY-MM-DD）
    #[schemars(length(max = 10))]
    today: Option<String>,
}

impl Tool for ValidateFormSubmission {
    const NAME: &str = "validate_form_submission";
    const TITLE: Text = Text { ja: "フォーム入力検証", en: "Check what is filled in" };
    const ENGLISH: English = English {
        description: "Says whether values would be taken by a form, without sending them. The form \
                      is given by its definition or by its handle.",
        arguments: &[
            ("form_schema", "The form's definition, as for request_form"),
            ("handle", "The form's handle"),
            ("values", "What is filled in, by the fields' names"),
            ("today", "Optional. What day it is for whoever fills in: YYYY-MM-DD"),
        ],
    };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    type Output = Outcome;

    fn call(self, _: &User) -> Result<Outcome, Stop> {
        let today = clock::today(self.today.as_deref())?;
        bounded("/values", &self.values)?;
        let form = match (self.form_schema, self.handle) {
            (Some(schema), None) => Form::read(&definition(Some(schema)))
                .map_err(|it| refusals::invalid_form_schema(&it))?,
            (None, Some(handle)) => record::find(&handle)?.form()?,
            _ => {
                let message = "must be given, or else handle; not both";
                return Err(Stop::InvalidArguments(vec![Problem::at("/form_schema", message)]));
            }
        };
        let language = refusals::language();
        Ok(match check(&form, &self.values, today)? {
            Ok(values) => Outcome { valid: true, errors: Vec::new(), values: Some(values) },
            Err(faults) => {
                let wrong = |fault: &output::form::Fault| Wrongness {
                    field: fault.field.clone(),
                    message: fault.message(language),
                };
                Outcome { valid: false, errors: faults.iter().map(wrong).collect(), values: None }
            }
        })
    }
}
