//! Pictures of an output: it names them by their URIs, and they stand beside it. Where nothing can stand
//! beside it, the bytes go into the object that names them.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde_json::Value;

use crate::component::Content;

/// Where a picture's meta says which URI of the output it belongs to.
const URI: &str = "madoguchi/uri";
/// Depth to which an output is looked through.
const DEPTH_MAX: usize = 8;

/// `output` with the bytes of the pictures among `content` in base64, as `data` beside their `uri`.
pub(crate) fn put_in(output: &mut Value, content: &[Content]) {
    let pictures = content.iter().filter_map(|it| match it {
        Content::Image(it) => Some((uri(it.meta.as_deref()?)?, it.data.as_slice())),
        _ => None,
    });
    let pictures: Vec<_> = pictures.collect();
    if !pictures.is_empty() {
        fill(output, &pictures, DEPTH_MAX);
    }
}

fn uri(meta: &str) -> Option<String> {
    let meta: Value = serde_json::from_str(meta).ok()?;
    meta.get(URI)?.as_str().map(str::to_owned)
}

fn fill(value: &mut Value, pictures: &[(String, &[u8])], depth: usize) {
    match value {
        _ if depth == 0 => {}
        Value::Array(all) => all.iter_mut().for_each(|it| fill(it, pictures, depth - 1)),
        Value::Object(fields) => {
            let named = fields.get("uri").and_then(Value::as_str);
            let found = named.and_then(|uri| pictures.iter().find(|it| it.0 == uri));
            if let Some((_, bytes)) = found {
                fields.entry("data").or_insert_with(|| BASE64.encode(bytes).into());
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
    use crate::bindings::madoguchi::tool::types::MediaContent;

    fn picture(bytes: &[u8], meta: Option<&str>) -> Content {
        Content::Image(MediaContent {
            data: bytes.to_vec(),
            mime_type: "image/png".to_owned(),
            annotations: None,
            meta: meta.map(str::to_owned),
        })
    }

    #[test]
    fn bytes_go_where_their_uri_is() {
        let mut output = json!({ "all": [{ "uri": "a://2" }, { "uri": "a://1" }], "uri": "b://" });
        let content = [
            picture(b"one", Some(r#"{"madoguchi/uri":"a://1"}"#)),
            picture(b"nobody", None),
            picture(b"two", Some(r#"{"madoguchi/uri":"a://2"}"#)),
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
