//! Resources: two pages of books, and some that ask, spin, refuse, or are missing.

use serde_json::json;
use toolkit::bindings::{
    madoguchi::tool::types::ResourceBody,
    resources::{
        exports::madoguchi::tool::resources as wit,
        madoguchi::tool::stops::{InputRequired, Refusal, Stop},
    },
};

use crate::{Library, is_other, names_apps, problem, spin, taste, tasted};

impl wit::Guest for Library {
    fn templates() -> Vec<wit::Template> {
        let template = |text: &str, name: &str| wit::Template {
            uri_template: match is_other("templates") {
                true => format!("other-{text}"),
                false => text.to_owned(),
            },
            name: name.to_owned(),
            title: Some("Title".to_owned()),
            description: None,
            mime_type: Some("text/plain".to_owned()),
            annotations: Some(json!({ "audience": ["user"] }).to_string()),
            meta: None,
        };
        vec![
            template("library://books/{number}", "books"),
            template("library://search{?word}", "search"),
        ]
    }

    fn list(cursor: Option<String>) -> Result<wit::Page, Stop> {
        match cursor.as_deref() {
            None => Ok(wit::Page {
                resources: match names_apps() {
                    true => vec![
                        definition("library://cover", Some(3)),
                        definition("ui://library/plain", None),
                        wit::Definition {
                            mime_type: Some("text/html;profile=mcp-app".to_owned()),
                            ..definition("ui://library/card", None)
                        },
                    ],
                    false => vec![
                        definition("library://cover", Some(3)),
                        definition("library://spin", None),
                    ],
                },
                next_cursor: Some("2".to_owned()),
            }),
            // The last one matches no template, so clients cannot read it.
            Some("2") => Ok(wit::Page {
                resources: vec![
                    definition("library://books/3", None),
                    definition("library://lost/1", None),
                ],
                next_cursor: None,
            }),
            Some(_) => Err(Stop::InvalidArguments(vec![problem("/cursor", "must be one of mine")])),
        }
    }

    fn read(request: wit::Request) -> Result<Vec<wit::Contents>, Stop> {
        let uri = request.uri.as_str();
        let text = |text: &str| Ok(vec![contents(uri, ResourceBody::Text(text.to_owned()))]);
        match uri {
            "library://cover" => Ok(vec![contents(uri, ResourceBody::Blob(vec![1, 2, 3]))]),
            "library://spin" => spin(),
            "library://books/taste" => match tasted(&request.answers) {
                Some(taste) => text(&format!("You like {taste}.")),
                None => {
                    let (questions, state) = (vec![taste()], None);
                    Err(Stop::InputRequired(InputRequired { questions, state }))
                }
            },
            "library://books/banned" => Err(Stop::Refused(Refusal {
                code: "banned".to_owned(),
                message: "This book is not lent.".to_owned(),
                status: 403,
                details: None,
            })),
            "library://books/lie" => {
                Ok(vec![contents("no uri", ResourceBody::Text(String::new()))])
            }
            "library://books/0" => Err(Stop::NotFound),
            _ => text(&format!("The text of {uri}.")),
        }
    }
}

fn definition(uri: &str, size: Option<u64>) -> wit::Definition {
    wit::Definition {
        uri: uri.to_owned(),
        name: "a thing".to_owned(),
        title: None,
        description: Some("To be read.".to_owned()),
        mime_type: None,
        size,
        annotations: Some(json!({ "priority": 0.5 }).to_string()),
        meta: Some(json!({ "library/shelf": 1 }).to_string()),
    }
}

fn contents(uri: &str, body: ResourceBody) -> wit::Contents {
    let mime_type = Some("text/plain".to_owned());
    wit::Contents { uri: uri.to_owned(), mime_type, body, meta: None }
}

#[cfg(target_arch = "wasm32")]
toolkit::bindings::resources::export_resources_world!(
    Library with_types_in toolkit::bindings::resources
);
