//! The properties of an entry of `fields`, each read as what it must be; null is as if it were absent.

use serde_json::{Map, Value};

use super::{Day, LABEL_CHARS_MAX, SchemaFault, links};
use crate::text::is_blank;

/// An entry of `fields`, being read.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// Which one it is.
    pub(super) index: usize,
    /// Its `type`, as the definition has it.
    pub(super) kind: &'a str,
    /// All members that the definition has.
    pub(super) given: &'a Map<String, Value>,
}

impl<'a> Entry<'a> {
    /// What is wrong with a property; both texts go on from what names the field.
    pub(super) fn fault(&self, property: &str, japanese: &str, english: &str) -> SchemaFault {
        links::fault(self.index, self.kind, property, japanese, english)
    }

    /// A property that must be there is not.
    pub(super) fn missing(&self, property: &str) -> SchemaFault {
        let japanese = format!("に{property}が指定されていません。");
        self.fault(property, &japanese, &format!("has no {property}."))
    }

    /// A property is not what it must be.
    pub(super) fn wrong(&self, property: &str, japanese: &str, english: &str) -> SchemaFault {
        let japanese = format!("の{property}は{japanese}");
        self.fault(property, &japanese, &format!("has a {property} that {english}"))
    }

    pub(super) fn get(&self, property: &str) -> Option<&'a Value> {
        self.given.get(property).filter(|it| !it.is_null())
    }

    /// A text; an empty one is as if it were absent.
    pub(super) fn text(&self, property: &str, max: usize) -> Result<Option<String>, SchemaFault> {
        let Some(value) = self.get(property) else { return Ok(None) };
        let wrong = || self.wrong(property, "文字列で指定してください。", "is no text.");
        let text = value.as_str().ok_or_else(wrong)?;
        if text.chars().count() > max {
            let (japanese, english) =
                (format!("{max}文字までです。"), format!("has more than {max} characters."));
            return Err(self.wrong(property, &japanese, &english));
        }
        Ok(Some(text.to_owned()).filter(|it| !it.is_empty()))
    }

    /// A text that must be there, and say something.
    pub(super) fn needed(&self, property: &str, max: usize) -> Result<String, SchemaFault> {
        let text = self.text(property, max)?.filter(|it| !is_blank(it));
        text.ok_or_else(|| self.missing(property))
    }

    pub(super) fn flag(&self, property: &str, default: bool) -> Result<bool, SchemaFault> {
        let Some(value) = self.get(property) else { return Ok(default) };
        let (japanese, english) =
            ("trueまたはfalseで指定してください。", "is neither true nor false.");
        value.as_bool().ok_or_else(|| self.wrong(property, japanese, english))
    }

    pub(super) fn number(&self, property: &str) -> Result<Option<f64>, SchemaFault> {
        let Some(value) = self.get(property) else { return Ok(None) };
        let number = value.as_f64().filter(|it| it.is_finite());
        number
            .map(Some)
            .ok_or_else(|| self.wrong(property, "数値で指定してください。", "is no number."))
    }

    /// A whole number from 0.
    pub(super) fn whole(&self, property: &str) -> Result<Option<u64>, SchemaFault> {
        let Some(number) = self.number(property)? else { return Ok(None) };
        if number < 0.0 || number.fract() != 0.0 || number > 9e15 {
            let (japanese, english) =
                ("0以上の整数で指定してください。", "is no whole number from 0.");
            return Err(self.wrong(property, japanese, english));
        }
        Ok(Some(number as u64))
    }

    pub(super) fn crossed(&self, least: &str, most: &str) -> SchemaFault {
        let japanese = format!("の{least}が{most}より大きくなっています。");
        self.fault(least, &japanese, &format!("has a {least} above its {most}."))
    }

    /// A limit for days under one of two names.
    pub(super) fn day(&self, names: [&str; 2]) -> Result<Option<Day>, SchemaFault> {
        let Some(name) = names.into_iter().find(|it| self.get(it).is_some()) else {
            return Ok(None);
        };
        let Some(text) = self.text(name, LABEL_CHARS_MAX)? else { return Ok(None) };
        Day::read(&text).map(Some).ok_or_else(|| {
            self.wrong(
                name,
                "\"today\"、\"+30days\"、\"-1week\"、またはYYYY-MM-DDで指定してください。",
                "is none of \"today\", \"+30days\", \"-1week\" or YYYY-MM-DD.",
            )
        })
    }

    /// A list of texts.
    pub(super) fn texts(&self, property: &str, max: usize) -> Result<Vec<String>, SchemaFault> {
        let Some(value) = self.get(property) else { return Ok(Vec::new()) };
        let wrong =
            || self.wrong(property, "文字列の配列で指定してください。", "is no list of texts.");
        let values = value.as_array().ok_or_else(wrong)?;
        if values.len() > max {
            let (japanese, english) =
                (format!("{max}個までです。"), format!("has more than {max} entries."));
            return Err(self.wrong(property, &japanese, &english));
        }
        let is_short = |it: &&str| it.chars().count() <= LABEL_CHARS_MAX;
        if !values.iter().filter_map(Value::as_str).all(|it| is_short(&it)) {
            let japanese = format!("1つにつき{LABEL_CHARS_MAX}文字までです。");
            let english = format!("has an entry of more than {LABEL_CHARS_MAX} characters.");
            return Err(self.wrong(property, &japanese, &english));
        }
        values.iter().map(|it| it.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
    }
}
