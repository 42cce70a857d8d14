//! Parses the Swift literals of the specification's tool definitions into JSON.

use serde_json::{Map, Value};

/// The literal at the beginning of `text`: `[key: value, …]`, `[value, …]` or a string.
pub(super) fn literal(text: &str) -> Value {
    Reader { rest: text }.value()
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self) -> Value {
        self.space();
        match self.rest.strip_prefix('[') {
            Some(rest) => {
                self.rest = rest;
                self.entries()
            }
            None => Value::String(self.string()),
        }
    }

    /// What stands between brackets: with colons an object, without them a list.
    fn entries(&mut self) -> Value {
        let (mut fields, mut items) = (Map::new(), Vec::new());
        while !self.take(']') {
            let value = self.value();
            if self.take(':') {
                let name = value.as_str().expect("a key is a string").to_owned();
                fields.insert(name, self.value());
            } else {
                items.push(value);
            }
            self.take(',');
        }
        if items.is_empty() { Value::Object(fields) } else { Value::Array(items) }
    }

    /// A string between one quote or three; of three, the lines lose what they are indented by.
    fn string(&mut self) -> String {
        let quotes = if self.rest.starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
        let after = self.rest.strip_prefix(quotes).expect("a string begins");
        let (text, rest) = after.split_once(quotes).expect("a string ends");
        self.rest = rest;
        let lines: Vec<_> = text.trim().lines().map(str::trim).collect();
        lines.join("\n")
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, sign: char) -> bool {
        self.space();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

#[test]
fn literals_are_read_as_json() {
    let text = "[\n \"a\": \"b c\",\n \"d\": \"\"\"\n   one\n   two\n  \"\"\",\n \"e\": [\"x\", \"y\"],\n \"f\": [\"g\": \"h\"]\n] and on";
    let json =
        serde_json::json!({ "a": "b c", "d": "one\ntwo", "e": ["x", "y"], "f": { "g": "h" } });
    assert_eq!(literal(text), json);
}
