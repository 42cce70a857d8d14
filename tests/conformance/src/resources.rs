//! Resources: a text, a picture, one that is watched, and one for every number.

use serde_json::json;
use toolkit::{
    Stop, User,
    resources::{Contents, Page, Resource, Resources, Template, fits},
};

use crate::PNG;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";
const TEMPLATE: &str = "test://template/{id}/data";

pub(crate) struct TestResources;

impl Resources for TestResources {
    fn templates() -> Vec<Template> {
        let about = "A document for each number";
        vec![Template::new(TEMPLATE, "template").description(about).mime_type("application/json")]
    }

    fn list(_: Option<&str>) -> Result<Page, Stop> {
        let resource = |uri, name, about, mime_type| {
            Resource::new(uri, name).description(about).mime_type(mime_type)
        };
        Ok(vec![
            resource(TEXT, "static-text", "A text that stays as it is", "text/plain"),
            resource(BINARY, "static-binary", "A picture of one pixel", "image/png"),
            resource(WATCHED, "watched-resource", "A text to subscribe to", "text/plain"),
        ]
        .into())
    }

    fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
        let contents = match uri {
            TEXT => Contents::text(uri, "This is the content of the static text resource."),
            BINARY => Contents::blob(uri, "image/png", PNG),
            WATCHED => Contents::text(uri, "This is watched."),
            _ => {
                let Some([id]) = fits(TEMPLATE, uri) else { return Ok(None) };
                let text = format!("Data for ID: {id}");
                Contents::json(uri, &json!({ "id": id, "templateTest": true, "data": text }))
            }
        };
        Ok(Some(vec![contents]))
    }
}
