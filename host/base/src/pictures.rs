//! Pictures of an output. The output names them by URI, and their bytes are separate content. Where a client takes no
//! content, the bytes go into the object that names them.

use serde_json::Value;

/// Meta key with the URI that a picture belongs to.
const URI: &str = "madoguchi/uri";
/// Depth to which an output is looked through.
const DEPTH_MAX: usize = 8;

/// Whether `mime_type` is one of pictures.
pub fn is_picture(mime_type: &str) -> bool {
    let is_right = |it: u8| it.is_ascii_alphanumeric() || b".+-_".contains(&it);
    let essence = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let kind = essence.strip_prefix("image/").unwrap_or_default();
    !kind.is_empty() && kind.bytes().all(is_right)
}

/// Adds base64 bytes of pictures in `content` as `data` beside their `uri` in `output`.
pub fn put_in(output: &mut Value, content: &[Value]) {
    let images = content.iter().filter(|it| it["type"] == "image");
    let pictures = images.filter_map(|it| Some((it["_meta"][URI].as_str()?, it["data"].as_str()?)));
    let pictures: Vec<_> = pictures.collect();
    if !pictures.is_empty() {
        fill(output, &pictures, DEPTH_MAX);
    }
}

fn fill(value: &mut Value, pictures: &[(&str, &str)], depth: usize) {
    match value {
        _ if depth == 0 => {}
        Value::Array(all) => all.iter_mut().for_each(|it| fill(it, pictures, depth - 1)),
        Value::Object(fields) => {
            let named = fields.get("uri").and_then(Value::as_str);
            let found = named.and_then(|uri| pictures.iter().find(|it| it.0 == uri));
            if let Some((_, data)) = found {
                fields.entry("data").or_insert_with(|| (*data).into());
            }
            fields.values_mut().for_each(|it| fill(it, pictures, depth - 1));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn picture(data: &str, uri: Option<&str>) -> Value {
        json!({ "type": "image", "data": data, "_meta": { URI: uri } })
    }

    #[test]
    fn recognizes_types_of_pictures() {
        for right in ["image/png", "IMAGE/svg+xml; charset=utf-8", "image/x-a_b"] {
            assert!(is_picture(right), "{right}");
        }
        for wrong in ["text/html", "image/", "image", "", "image/a b", "ximage/png"] {
            assert!(!is_picture(wrong), "{wrong}");
        }
    }

    #[test]
    fn adds_picture_bytes_to_their_uri() {
        let mut output = json!({ "all": [{ "uri": "a://2" }, { "uri": "a://1" }], "uri": "b://" });
        let content = [
            picture("b25l", Some("a://1")),
            picture("bm9uZQ==", None),
            picture("dHdv", Some("a://2")),
        ];
        put_in(&mut output, &content);
        assert_eq!(
            output,
            json!({
                "all": [{ "uri": "a://2", "data": "dHdv" }, { "uri": "a://1", "data": "b25l" }],
                "uri": "b://",
            })
        );
    }
}
