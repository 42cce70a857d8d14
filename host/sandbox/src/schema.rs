//! Validates JSON documents against untrusted JSON Schemas.
//!
//! Small schemas can make a general validator run forever (each definition names the one before it twice) or overflow
//! the stack (recursion). This one counts steps and reports only certain errors. Unknown keywords are ignored.

use serde_json::{Map, Value};

/// Steps that any check may take, and those for each byte of the document: an ordinary schema
/// takes about one for every two bytes.
const STEPS: usize = 10_000;
const STEPS_A_BYTE: usize = 20;
/// Maximum combined depth of schema and document.
const DEPTH_MAX: usize = 512;

/// Why a document does not fit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The document does not match.
    #[error("{at}: {what}")]
    Wrong {
        /// A JSON pointer into the document, or `the output` for the whole.
        at: String,
        /// The expected form.
        what: String,
    },
    /// Too expensive to decide.
    #[error("the schema is too entangled to be checked")]
    Entangled,
}

/// Holds `document`, which came as so many `bytes`, against `schema`.
pub fn check(schema: &Map<String, Value>, document: &Value, bytes: usize) -> Result<(), Misfit> {
    let left = STEPS.saturating_add(bytes.saturating_mul(STEPS_A_BYTE));
    let mut check = Check { root: schema, left, depth: 0, at: Vec::new() };
    check.object(schema, document)
}

struct Check<'a> {
    root: &'a Map<String, Value>,
    left: usize,
    depth: usize,
    at: Vec<Step<'a>>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Field(&'a str),
    Item(usize),
}

type Checked = Result<(), Misfit>;

impl<'a> Check<'a> {
    fn value(&mut self, schema: &'a Value, value: &'a Value) -> Checked {
        match schema {
            Value::Bool(false) => Err(self.wrong("must not be there")),
            Value::Object(schema) => self.object(schema, value),
            _ => Ok(()),
        }
    }

    fn object(&mut self, schema: &'a Map<String, Value>, value: &'a Value) -> Checked {
        if self.depth == DEPTH_MAX {
            return Err(Misfit::Entangled);
        }
        self.depth += 1;
        for (keyword, rule) in schema {
            self.step(1)?;
            self.keyword(schema, keyword, rule, value)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn step(&mut self, count: usize) -> Checked {
        self.left = self.left.checked_sub(count).ok_or(Misfit::Entangled)?;
        Ok(())
    }

    fn keyword(
        &mut self,
        schema: &'a Map<String, Value>,
        keyword: &str,
        rule: &'a Value,
        value: &'a Value,
    ) -> Checked {
        match (keyword, rule) {
            ("type", _) => self.kind(rule, value),
            ("const", _) => self.one_of(std::slice::from_ref(rule), value),
            ("enum", Value::Array(choices)) => self.one_of(choices, value),
            ("$ref", Value::String(name)) => match self.referred(name) {
                Some(schema) => self.value(schema, value),
                None => Ok(()),
            },
            ("allOf", Value::Array(all)) => all.iter().try_for_each(|it| self.value(it, value)),
            // `oneOf` needs at least one match; uniqueness cannot be decided here.
            ("anyOf" | "oneOf", Value::Array(any)) => self.any_of(any, value),
            ("required", Value::Array(names)) => self.required(names, value),
            ("properties", Value::Object(fields)) => self.properties(fields, value),
            ("additionalProperties", _) => self.others(schema, rule, value),
            ("prefixItems", Value::Array(first)) => {
                let Value::Array(items) = value else { return Ok(()) };
                let mut pairs = first.iter().zip(items).enumerate();
                pairs.try_for_each(|(at, (it, item))| self.inside(Step::Item(at), it, item))
            }
            ("items", _) => {
                let first = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                let Value::Array(items) = value else { return Ok(()) };
                let mut rest = items.iter().enumerate().skip(first);
                rest.try_for_each(|(at, item)| self.inside(Step::Item(at), rule, item))
            }
            (_, Value::Number(_)) => self.range(keyword, rule, value),
            _ => Ok(()),
        }
    }

    fn kind(&mut self, rule: &Value, value: &Value) -> Checked {
        let kinds = rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice);
        self.step(kinds.len())?;
        if kinds.iter().filter_map(Value::as_str).any(|it| has_type(it, value)) {
            return Ok(());
        }
        Err(self.wrong(&format!("must be of type {rule}")))
    }

    fn one_of(&mut self, choices: &[Value], value: &Value) -> Checked {
        self.step(choices.len())?;
        if choices.iter().any(|it| same(it, value)) {
            return Ok(());
        }
        Err(self.wrong("must be one of the values that the schema lists"))
    }

    /// A schema elsewhere in the same document; of others nothing is known.
    fn referred(&self, name: &str) -> Option<&'a Value> {
        let mut schema: Option<&'a Value> = None;
        for part in name.strip_prefix("#/")?.split('/') {
            let part = part.replace("~1", "/").replace("~0", "~");
            schema = match schema {
                None => self.root.get(&part),
                Some(Value::Array(items)) => items.get(part.parse::<usize>().ok()?),
                Some(it) => it.get(&part),
            };
            schema?;
        }
        schema
    }

    fn any_of(&mut self, any: &'a [Value], value: &'a Value) -> Checked {
        let (depth, at) = (self.depth, self.at.len());
        for schema in any {
            match self.value(schema, value) {
                Err(Misfit::Wrong { .. }) => {
                    self.depth = depth;
                    self.at.truncate(at);
                }
                other => return other,
            }
        }
        Err(self.wrong("must fit one of the alternatives of the schema"))
    }

    fn required(&mut self, names: &[Value], value: &Value) -> Checked {
        let Value::Object(fields) = value else { return Ok(()) };
        self.step(names.len())?;
        match names.iter().filter_map(Value::as_str).find(|it| !fields.contains_key(*it)) {
            Some(missing) => Err(self.wrong(&format!("must have {missing:?}"))),
            None => Ok(()),
        }
    }

    fn properties(&mut self, properties: &'a Map<String, Value>, value: &'a Value) -> Checked {
        let Value::Object(fields) = value else { return Ok(()) };
        self.step(fields.len().min(properties.len()))?;
        for (name, field) in fields {
            if let Some(schema) = properties.get(name) {
                self.inside(Step::Field(name), schema, field)?;
            }
        }
        Ok(())
    }

    /// Patterns are left alone, and with them every field that one of them may be for.
    fn others(
        &mut self,
        schema: &'a Map<String, Value>,
        rule: &'a Value,
        value: &'a Value,
    ) -> Checked {
        let Value::Object(fields) = value else { return Ok(()) };
        if schema.contains_key("patternProperties") {
            return Ok(());
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, field) in fields {
            self.step(1)?;
            if properties.is_none_or(|it| !it.contains_key(name)) {
                self.inside(Step::Field(name), rule, field)?;
            }
        }
        Ok(())
    }

    fn inside(&mut self, step: Step<'a>, schema: &'a Value, value: &'a Value) -> Checked {
        self.at.push(step);
        self.value(schema, value)?;
        self.at.pop();
        Ok(())
    }

    fn range(&mut self, keyword: &str, rule: &Value, value: &Value) -> Checked {
        let Some(bound) = rule.as_f64() else { return Ok(()) };
        let size = |it: usize| Some(it as f64);
        let (measured, upper) = match (keyword, value) {
            ("minimum", Value::Number(it)) => (it.as_f64(), false),
            ("maximum", Value::Number(it)) => (it.as_f64(), true),
            ("minItems", Value::Array(it)) => (size(it.len()), false),
            ("maxItems", Value::Array(it)) => (size(it.len()), true),
            ("minLength", Value::String(it)) => (size(it.chars().count()), false),
            ("maxLength", Value::String(it)) => (size(it.chars().count()), true),
            _ => return Ok(()),
        };
        let is_beyond = |it: f64| if upper { it > bound } else { it < bound };
        match measured.is_some_and(is_beyond) {
            true => Err(self.wrong(&format!("{keyword} is {rule}"))),
            false => Ok(()),
        }
    }

    fn wrong(&self, what: &str) -> Misfit {
        let mut at = String::new();
        for step in &self.at {
            at.push('/');
            match step {
                Step::Field(name) => at.extend(name.chars().take(64)),
                Step::Item(index) => at += &index.to_string(),
            }
        }
        let at = if at.is_empty() { "the output".to_owned() } else { at };
        Misfit::Wrong { at: at.chars().take(256).collect(), what: what.to_owned() }
    }
}

fn has_type(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

/// In JSON Schema 1 and 1.0 are equal.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        // Numbers deeper inside are rare enough in a list of choices to be let pass.
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => true,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests;
