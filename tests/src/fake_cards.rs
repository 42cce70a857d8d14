//! Catalogues of cards, played by this process: the public card API by its guide, and one in our own format.
//! They refuse what the real ones refuse, and record their requests.
//!
//! A name with a mark in it makes them misbehave: `#hang`, `#broken`, `#types`, `#large`, `#500`, `#429`;
//! and so do the pictures of the cards that have it: `#html`, `#cut`, `#big`, `#gone`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use url::Url;

/// What the public API says where nothing matches.
const NO_MATCH: &str = "No card matching your query was found in the database. Please see https://db.ygoprodeck.com/api-guide/ for syntax usage.";
/// Parameters of `cardinfo.php` that its guide lists, as far as they are needed here.
/// <https://ygoprodeck.com/api-guide/>
const PARAMETERS: [&str; 7] = ["name", "fname", "archetype", "language", "num", "offset", "misc"];
/// Cards of the public API: the names in both languages, and the archetype.
const CARDS: [(&str, &str, Option<&str>); 4] = [
    ("青眼の白龍", "Blue-Eyes White Dragon", Some("Blue-Eyes")),
    ("青眼の究極竜", "Blue-Eyes Ultimate Dragon", Some("Blue-Eyes")),
    ("ブラック・マジシャン", "Dark Magician", Some("Dark Magician")),
    ("青眼の祈り", "Prayer of Eyes of Blue", None),
];

/// Both under one address.
pub struct FakeCards {
    /// The base URL, `http://127.0.0.1:PORT`.
    pub url: String,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
}

/// One request, as it came.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// Decoded, without the query.
    pub path: String,
    /// In its order, decoded.
    pub query: Vec<(String, String)>,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
}

impl ReceivedRequest {
    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    fn mark(&self) -> Option<String> {
        let query = self.query.iter().map(|it| it.1.as_str()).collect::<Vec<_>>().join(" ");
        let text = format!("{} {query}", self.path);
        let behind = text.split_once('#')?.1;
        Some(behind.chars().take_while(char::is_ascii_alphanumeric).collect())
    }
}

impl FakeCards {
    /// Opens them on a free port.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it listens"));
        let received = Arc::<Mutex<Vec<ReceivedRequest>>>::default();
        let service = Router::new().fallback(serve).with_state(received.clone());
        tokio::spawn(async move { axum::serve(listener, service).await });
        Self { url, received }
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        Url::parse(&self.url).ok().and_then(|it| it.port()).expect("it has one")
    }

    /// Each request so far.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().expect("no test panics while it serves").clone()
    }

    /// The paths of all requests so far.
    pub fn paths(&self) -> Vec<String> {
        self.received().into_iter().map(|it| it.path).collect()
    }
}

async fn serve(
    State(all): State<Arc<Mutex<Vec<ReceivedRequest>>>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let url = Url::parse(&format!("http://fake{uri}")).expect("it is a path");
    let header = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let received = ReceivedRequest {
        path: decoded(url.path()),
        query: url.query_pairs().into_owned().collect(),
        headers: headers.iter().map(|(name, it)| (name.to_string(), header(it))).collect(),
    };
    all.lock().expect("no test panics while it serves").push(received.clone());
    let host = headers.get(header::HOST).map(header).unwrap_or_default();
    let mark = received.mark().unwrap_or_default();
    if received.path.starts_with("/images/") {
        return picture(&mark);
    }
    match mark.as_str() {
        "hang" => std::future::pending().await,
        "broken" => json_text(200, "{\"cards\": [".to_owned()),
        "types" => json_text(200, json!({ "cards": 7, "data": "?" }).to_string()),
        "large" => json_text(200, format!("\"{}\"", "a".repeat(5 << 20))),
        "500" => (StatusCode::INTERNAL_SERVER_ERROR, "<html>").into_response(),
        "429" => {
            let wait = [(header::RETRY_AFTER, "17")];
            (StatusCode::TOO_MANY_REQUESTS, wait, "").into_response()
        }
        _ if received.path == "/api/v7/cardinfo.php" => public(&received, &host),
        _ => own(&received),
    }
}

/// The public API. 400 where a parameter is unknown, where `num` comes without `offset`, and where
/// nothing matches; a name is looked for in the language that is asked for.
fn public(received: &ReceivedRequest, host: &str) -> Response {
    let refused = |error: &str| json_text(400, json!({ "error": error }).to_string());
    if received.query.iter().any(|it| !PARAMETERS.contains(&it.0.as_str())) {
        return refused("You are using an unknown parameter.");
    }
    if received.parameter("num").is_some() != received.parameter("offset").is_some() {
        return refused("You must use num and offset together.");
    }
    let is_japanese = match received.parameter("language") {
        None => false,
        Some("ja") => true,
        Some(_) => {
            return refused(
                "This API accepts the following language values: 'fr', 'de', 'it' or 'pt'",
            );
        }
    };
    let count = received.parameter("num").and_then(|it| it.parse().ok()).unwrap_or(usize::MAX);
    let found = CARDS.iter().enumerate().filter(|(_, (ja, en, archetype))| {
        let shown = if is_japanese { ja } else { en };
        received.parameter("name").is_none_or(|it| shown == &it)
            && received.parameter("fname").is_none_or(|it| shown.contains(it))
            && received.parameter("archetype").is_none_or(|it| *archetype == Some(it))
    });
    let data: Vec<Value> = found
        .take(count)
        .map(|(at, (ja, en, archetype))| {
            let image = format!("http://{host}/images/cards_cropped/{at}.png");
            json!({
                "id": at, "name": if is_japanese { ja } else { en }, "name_en": en,
                "archetype": archetype,
                "card_images": [{ "id": at, "image_url": image, "image_url_cropped": image }],
            })
        })
        .collect();
    if data.is_empty() {
        refused(NO_MATCH)
    } else {
        json_text(200, json!({ "data": data }).to_string())
    }
}

/// Our own format. A card's picture misbehaves as its name says; `elsewhere` is an address that is not granted.
fn own(received: &ReceivedRequest) -> Response {
    let card = |name: &str| {
        let image = match name {
            "elsewhere" => "http://127.0.0.2:1/secret.png".to_owned(),
            name => format!("/images/{}.png", name.replace('#', "%23")),
        };
        json!({ "name": name, "image": image })
    };
    if received.path == "/v1/cards" {
        let name = received.parameter("name").unwrap_or_default();
        if name == "nobody" {
            return json_text(404, json!({ "cards": [], "suggestions": ["somebody"] }).to_string());
        }
        return json_text(200, json!({ "cards": [card(name)] }).to_string());
    }
    match received.path.strip_prefix("/v1/themes/") {
        Some("mixed") => {
            let cards = ["one", "two#html", "three#gone", "four"].map(card);
            json_text(200, json!({ "cards": cards }).to_string())
        }
        _ => (StatusCode::NOT_FOUND, "").into_response(),
    }
}

fn picture(mark: &str) -> Response {
    let typed = |kind: &'static str, bytes: Vec<u8>| {
        ([(header::CONTENT_TYPE, kind)], Bytes::from(bytes)).into_response()
    };
    match mark {
        "gone" => (StatusCode::NOT_FOUND, "").into_response(),
        "html" => typed("image/png", b"<!doctype html><p>no".to_vec()),
        "cut" => typed("image/png", png()[..12].to_vec()),
        "big" => typed("image/png", [png(), vec![0; 5 << 20]].concat()),
        _ => typed("image/png", png()),
    }
}

/// A red PNG of one pixel.
pub fn png() -> Vec<u8> {
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82".to_vec()
}

fn decoded(path: &str) -> String {
    let as_query = path.replace('+', "%2B");
    let pairs = url::form_urlencoded::parse(as_query.as_bytes());
    pairs.map(|it| it.0.into_owned()).collect()
}

fn json_text(status: u16, body: String) -> Response {
    let status = StatusCode::from_u16(status).expect("it is a status");
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
