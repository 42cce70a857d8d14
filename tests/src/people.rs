//! A person with a browser without script, and a client that requests tokens, over plain HTTP (AUTH-1 to
//! AUTH-12).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use reqwest::{Method, Response, StatusCode};
use ring::{
    digest::{SHA256, digest},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};

use crate::{
    client,
    server::{Operator, TestServer},
};

/// What a client proves with that it is the one who began: a verifier, and its SHA-256 (RFC 7636, appendix B).
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// What it sends before.
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A password that is long enough.
pub const PASSWORD: &str = "correct horse 窓口";

/// Where clients of tests are sent back to.
pub const CALLBACK: &str = "http://127.0.0.1/callback";

/// A browser that keeps cookies and follows no redirect.
#[derive(Clone)]
pub struct Person {
    http: reqwest::Client,
    url: String,
    cookie: String,
}

/// The link in what a command on accounts answered, without the server's address.
///
/// # Panics
/// Where there is none.
pub fn link_of(answer: &Value) -> String {
    let link = answer["link"].as_str().unwrap_or_else(|| panic!("no link: {answer}"));
    let at = link.find("/account/link/").expect("a link leads to the accounts");
    link[at..].to_owned()
}

/// The value of the field `name` in a page.
///
/// # Panics
/// Where there is none.
pub fn field(page: &str, name: &str) -> String {
    let from = format!("name=\"{name}\" value=\"");
    let at = page.find(&from).unwrap_or_else(|| panic!("no field {name}: {page}")) + from.len();
    let value = &page[at..at + page[at..].find('"').expect("a value ends")];
    value.replace("&quot;", "\"").replace("&#39;", "'").replace("&lt;", "<").replace("&amp;", "&")
}

/// The parameters of the address that an answer leads to.
///
/// # Panics
/// Where it leads nowhere.
pub fn led_to(answer: &Response) -> url::Url {
    let to =
        answer.headers().get("location").unwrap_or_else(|| panic!("leads nowhere: {answer:?}"));
    let to = to.to_str().expect("it is text");
    url::Url::parse(to).unwrap_or_else(|_| panic!("no whole address: {to}"))
}

/// One parameter of an address.
pub fn parameter(url: &url::Url, name: &str) -> Option<String> {
    url.query_pairs().find(|it| it.0 == name).map(|it| it.1.into_owned())
}

impl Person {
    /// A person who is not signed in.
    pub fn new(url: &str) -> Self {
        let http = client::http().redirect(reqwest::redirect::Policy::none()).build();
        let http = http.expect("no options that can fail");
        Self { http, url: url.to_owned(), cookie: String::new() }
    }

    /// The person of a new account with these scopes, signed in by a password.
    pub async fn join(server: &TestServer, name: &str, scopes: &[&str]) -> Self {
        let operator = Operator::of(&server.folders.data());
        let body = json!({ "scopes": scopes }).to_string();
        let (status, answer) = operator.send(Method::POST, &format!("accounts/{name}"), body).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        let mut person = Self::new(&server.url());
        let joined = person.choose(&link_of(&answer), PASSWORD).await;
        assert_eq!(joined.status(), StatusCode::SEE_OTHER, "{joined:?}");
        person
    }

    /// Chooses a password behind a link.
    pub async fn choose(&mut self, link: &str, password: &str) -> Response {
        self.post(link, &[("password", password), ("again", password)]).await
    }

    /// Signs in by a password.
    pub async fn sign_in(&mut self, name: &str, password: &str) -> Response {
        self.post("/account/sign-in", &[("name", name), ("password", password)]).await
    }

    /// The same person with another cookie.
    #[must_use]
    pub fn with_cookie(mut self, cookie: &str) -> Self {
        cookie.clone_into(&mut self.cookie);
        self
    }

    /// The same person at another host of the same server.
    #[must_use]
    pub fn at(mut self, url: &str) -> Self {
        url.clone_into(&mut self.url);
        self
    }

    /// What the browser shows that is signed in.
    pub fn cookie(&self) -> &str {
        &self.cookie
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url)).header("cookie", &self.cookie)
    }

    /// Opens a page.
    pub async fn get(&self, path: &str) -> Response {
        self.get_with(path, &[]).await
    }

    /// The same with these headers.
    pub async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        let request = self.request(Method::GET, path);
        let request = headers.iter().fold(request, |it, (name, value)| it.header(*name, *value));
        request.send().await.expect("the server answers")
    }

    /// Sends a form; a cookie that comes is kept.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Response {
        self.post_with(path, fields, &[]).await
    }

    /// The same with these headers.
    pub async fn post_with(
        &mut self,
        path: &str,
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Response {
        let body = form(fields);
        let request = self.request(Method::POST, path).body(body);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let request = headers.iter().fold(request, |it, (name, value)| it.header(*name, *value));
        let answer = request.send().await.expect("the server answers");
        if let Some(cookie) = answer.headers().get("set-cookie") {
            let cookie = cookie.to_str().expect("it is text");
            self.cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        }
        answer
    }

    /// Allows what a client asks for with `query`, all of it that is offered.
    pub async fn allow(&mut self, query: &str) -> Response {
        let page = self.get(&format!("/oauth/authorize?{query}")).await;
        let status = page.status();
        let page = page.text().await.expect("a page");
        assert_eq!(status, StatusCode::OK, "{page}");
        let (request, tag) = (field(&page, "request"), field(&page, "tag"));
        let offered = offered(&page);
        let mut fields = vec![("request", &*request), ("tag", &*tag), ("decision", "allow")];
        fields.extend(offered.iter().map(|it| ("scope", it.as_str())));
        self.post("/oauth/authorize", &fields).await
    }
}

/// The scopes that a page of consent offers.
pub fn offered(page: &str) -> Vec<String> {
    let marks = page.match_indices("name=\"scope\" value=\"").map(|it| it.0 + it.1.len());
    marks.map(|at| page[at..at + page[at..].find('"').unwrap_or(0)].to_owned()).collect()
}

/// Fields as the body of a form.
pub fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// A client that gets tokens.
#[derive(Clone)]
pub struct App {
    http: reqwest::Client,
    url: String,
    /// Its name to the server.
    pub id: String,
}

impl App {
    /// One that has registered itself and returns to [`CALLBACK`].
    pub async fn register(url: &str) -> Self {
        let http = client::http().redirect(reqwest::redirect::Policy::none()).build();
        let http = http.expect("no options that can fail");
        let mut app = Self { http, url: url.to_owned(), id: String::new() };
        let arguments = json!({ "client_name": "Test <client>", "redirect_uris": [CALLBACK] });
        let (status, answer) = app.registration(&arguments).await;
        assert_eq!(status, StatusCode::CREATED, "{answer}");
        answer["client_id"].as_str().expect("a name").clone_into(&mut app.id);
        app
    }

    /// The same at another host of the same server.
    #[must_use]
    pub fn at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// One whose name is `id`.
    #[must_use]
    pub fn named(&self, id: &str) -> Self {
        Self { id: id.to_owned(), ..self.clone() }
    }

    /// What is answered to a client that says this of itself.
    pub async fn registration(&self, answer: &Value) -> (StatusCode, Value) {
        let request = self.http.post(format!("{}/oauth/register", self.url)).json(answer);
        let answer = request.send().await.expect("the server answers");
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    /// A right request for consent, with `more` beside it or in place of what it would have.
    pub fn query(&self, more: &[(&str, &str)]) -> String {
        let usual = [
            ("client_id", &*self.id),
            ("redirect_uri", CALLBACK),
            ("response_type", "code"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("state", "st&te"),
        ];
        let kept = usual.iter().filter(|it| !more.iter().any(|other| other.0 == it.0));
        let all: Vec<_> = kept.chain(more).copied().filter(|it| it.1 != "-").collect();
        form(&all)
    }

    /// What an endpoint of the server's answers to a form.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> (StatusCode, Value) {
        let request = self.http.post(format!("{}{path}", self.url)).body(form(fields));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let answer = request.send().await.expect("the server answers");
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    /// Tokens for a code, with `more` beside or in place of what is right.
    pub async fn redeem(&self, code: &str, more: &[(&str, &str)]) -> (StatusCode, Value) {
        let usual = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("client_id", &*self.id),
            ("redirect_uri", CALLBACK),
            ("code_verifier", VERIFIER),
        ];
        let kept = usual.iter().filter(|it| !more.iter().any(|other| other.0 == it.0));
        let all: Vec<_> = kept.chain(more).copied().filter(|it| it.1 != "-").collect();
        self.post("/oauth/token", &all).await
    }

    /// Tokens for a refresh token.
    pub async fn refresh(&self, token: &str, more: &[(&str, &str)]) -> (StatusCode, Value) {
        let mut all = vec![("grant_type", "refresh_token"), ("refresh_token", token)];
        all.push(("client_id", &*self.id));
        all.extend(more);
        self.post("/oauth/token", &all).await
    }

    /// A code that `person` gives for what is asked with `more`.
    pub async fn code(&self, person: &mut Person, more: &[(&str, &str)]) -> String {
        let back = led_to(&person.allow(&self.query(more)).await);
        parameter(&back, "code").unwrap_or_else(|| panic!("no code: {back}"))
    }

    /// Tokens that `person` gives for what is asked with `more`.
    pub async fn tokens(&self, person: &mut Person, more: &[(&str, &str)]) -> Value {
        let code = self.code(person, more).await;
        let (status, tokens) = self.redeem(&code, &[]).await;
        assert_eq!(status, StatusCode::OK, "{tokens}");
        tokens
    }
}

/// The access token in what a client was answered.
///
/// # Panics
/// Where there is none.
pub fn access(tokens: &Value) -> &str {
    tokens["access_token"].as_str().unwrap_or_else(|| panic!("no token: {tokens}"))
}

/// The refresh token.
///
/// # Panics
/// Where there is none.
pub fn refresh(tokens: &Value) -> &str {
    tokens["refresh_token"].as_str().unwrap_or_else(|| panic!("no token: {tokens}"))
}

// A minimal WebAuthn authenticator: one passkey on the curve P-256 (AUTH-2).

/// Flags of authenticator data: user present, user verified, attested credential data.
const VERIFIED: u8 = 0b101;

const ATTESTED: u8 = 0b100_0000;

/// An authenticator with one passkey for the server at `origin`.
pub struct Authenticator {
    /// The credential id of its passkey.
    id: Vec<u8>,
    key: EcdsaKeyPair,
    origin: String,
    domain: String,
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Authenticator {
    /// An authenticator for the server at `origin`, whose host is `domain`.
    ///
    /// # Panics
    /// Where there are no random numbers.
    pub fn new(origin: &str, domain: &str) -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random);
        let made = made.expect("there are random numbers");
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let key = EcdsaKeyPair::from_pkcs8(algorithm, made.as_ref(), &random);
        let key = key.expect("it was just made");
        Self {
            id: digest(&SHA256, key.public_key().as_ref()).as_ref().to_vec(),
            key,
            origin: origin.to_owned(),
            domain: domain.to_owned(),
        }
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let challenge = &options["challenge"];
        let data = json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false });
        data.to_string().into_bytes()
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        let mut data = digest(&SHA256, self.domain.as_bytes()).as_ref().to_vec();
        data.push(flags);
        data.extend([0; 4]);
        data
    }

    /// `RegistrationResponseJSON` for these options.
    pub fn make(&self, options: &Value) -> Value {
        let mut data = self.data(VERIFIED | ATTESTED);
        data.extend([0; 16]);
        data.extend([0, 32]);
        data.extend(&self.id);
        // A map in CBOR: an elliptic curve's key, for ES256, on P-256, and both coordinates.
        let point = self.key.public_key().as_ref();
        data.extend([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
        data.extend(&point[1..33]);
        data.extend([0x22, 0x58, 0x20]);
        data.extend(&point[33..]);
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        attestation.push(u8::try_from(data.len()).expect("it is short"));
        attestation.extend(&data);
        json!({
            "id": encoded(&self.id), "rawId": encoded(&self.id), "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": { "credProps": { "rk": true } },
            "response": {
                "clientDataJSON": encoded(&self.client_data("webauthn.create", options)),
                "attestationObject": encoded(&attestation),
                "transports": ["internal"],
            },
        })
    }

    /// `AuthenticationResponseJSON` for these options, of the user of that number in base64url.
    ///
    /// # Panics
    /// Where there are no random numbers.
    pub fn show(&self, options: &Value, user: &Value) -> Value {
        let (client, data) = (self.client_data("webauthn.get", options), self.data(VERIFIED));
        let signed = [&data[..], digest(&SHA256, &client).as_ref()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).expect("it signs");
        json!({
            "id": encoded(&self.id), "rawId": encoded(&self.id), "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encoded(&client),
                "authenticatorData": encoded(&data),
                "signature": encoded(signature.as_ref()),
                "userHandle": user,
            },
        })
    }
}
