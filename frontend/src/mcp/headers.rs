//! Headers that repeat parts of a call's body, so that intermediaries can route by them.

use serde_json::Value;

use crate::base64::encoded;

/// `Mcp-Name`, and an `Mcp-Param-…` for each argument that the schema marks with `x-mcp-header`.
pub(super) fn of_call(
    name: &str,
    arguments: &Value,
    schema: Option<&Value>,
) -> Vec<(String, String)> {
    let mut headers = vec![("Mcp-Name".to_owned(), visible(name))];
    if let Some(schema) = schema {
        collect(schema, arguments, &mut headers, 0);
    }
    headers
}

/// Maximum depth of a schema.
const DEPTH_MAX: usize = 8;

fn collect(schema: &Value, arguments: &Value, headers: &mut Vec<(String, String)>, depth: usize) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        let Some(argument) = arguments.get(name) else { continue };
        let text = match argument {
            Value::String(text) => Some(text.clone()),
            Value::Number(_) | Value::Bool(_) => serde_json::to_string(argument).ok(),
            _ => None,
        };
        let header = property.get("x-mcp-header").and_then(Value::as_str);
        if let (Some(header), Some(text)) = (header, text) {
            headers.push((format!("Mcp-Param-{header}"), visible(&text)));
        }
        if depth < DEPTH_MAX {
            collect(property, argument, headers, depth + 1);
        }
    }
}

/// A header carries visible ASCII; everything else is encoded as `=?base64?…?=`.
fn visible(value: &str) -> String {
    let is_plain = value.bytes().all(|it| matches!(it, b' '..=b'~'))
        && value.trim() == value
        && !value.starts_with("=?base64?");
    if is_plain { value.to_owned() } else { format!("=?base64?{}?=", encoded(value.as_bytes())) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn encodes_japanese_name_as_base64() {
        let [(_, name)] = &of_call("予約", &json!({}), None)[..] else { panic!("one header") };
        assert_eq!(name, "=?base64?5LqI57SE?=");
    }

    #[test]
    fn sends_marked_arguments_as_headers() {
        let schema = json!({ "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "place": { "properties": { "floor": { "type": "integer", "x-mcp-header": "Floor" } } },
            "secret": { "type": "string" },
        } });
        let arguments = json!({ "region": "kanto", "place": { "floor": 3 }, "secret": "x" });
        let headers = of_call("t", &arguments, Some(&schema));
        let value = |name: &str| headers.iter().find(|it| it.0 == name).map(|it| it.1.as_str());
        assert_eq!(value("Mcp-Param-Region"), Some("kanto"));
        assert_eq!(value("Mcp-Param-Floor"), Some("3"));
        assert_eq!(headers.len(), 3);
    }
}
