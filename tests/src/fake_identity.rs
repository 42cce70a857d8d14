//! An identity provider after OpenID Connect, RFC 8414 and RFC 7662, on a port of this machine: metadata,
//! rotating keys, introspection, registration, codes with PKCE, tokens, and a person who always consents. It
//! counts its requests and refuses invalid ones.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard},
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    Json, Router,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use http::{HeaderMap, Method, StatusCode, header};
use ring::{
    digest, hmac,
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RSA_PSS_SHA256,
        RsaKeyPair, RsaPublicKeyComponents,
    },
};
use serde_json::{Value, json};

/// What the host says that it is when it asks about a token.
pub const CLIENT: (&str, &str) = ("the host:é", "s3cr&t:+");

/// Keys of RSA, which cannot be made here; they protect nothing.
const RSA_KEYS: [&[u8]; 2] =
    [include_bytes!("fake_identity/one.der"), include_bytes!("fake_identity/two.der")];

/// How a provider misbehaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// It does not misbehave at all.
    #[default]
    None,
    /// It answers each request with 500.
    Down,
    /// It takes a connection and says nothing.
    Silent,
    /// Its metadata is of another issuer.
    Lying,
    /// Its keys are more than anyone reads.
    Oversized,
    /// It redirects requests for its keys elsewhere.
    Redirecting,
}

/// A key that it signs with.
#[derive(Clone)]
pub struct SigningKey {
    id: Option<String>,
    pair: Arc<Pair>,
}

enum Pair {
    Rsa(RsaKeyPair),
    Ec(EcdsaKeyPair),
}

impl SigningKey {
    /// One of two of RSA.
    ///
    /// # Panics
    /// If there is no such key.
    pub fn rsa(at: usize, id: Option<&str>) -> Self {
        let pair = RsaKeyPair::from_der(RSA_KEYS[at]).expect("the key is right");
        Self { id: id.map(str::to_owned), pair: Arc::new(Pair::Rsa(pair)) }
    }

    /// A new one of the curve P-256.
    ///
    /// # Panics
    /// If the system has no randomness.
    pub fn ec(id: Option<&str>) -> Self {
        let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("there is randomness");
        let pair = EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).expect("it is new");
        Self { id: id.map(str::to_owned), pair: Arc::new(Pair::Ec(pair)) }
    }

    /// As it is published.
    fn published(&self) -> Value {
        let encoded = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let mut key = match &*self.pair {
            Pair::Rsa(pair) => {
                let public = RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({ "kty": "RSA", "use": "sig", "n": encoded(&public.n), "e": encoded(&public.e) })
            }
            Pair::Ec(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": encoded(x), "y": encoded(y) })
            }
        };
        if let Some(id) = &self.id {
            key["kid"] = id.as_str().into();
        }
        key
    }

    /// What a token's header says of it.
    pub fn header(&self) -> Value {
        let alg = if matches!(*self.pair, Pair::Rsa(_)) { "RS256" } else { "ES256" };
        let mut header = json!({ "alg": alg, "typ": "at+jwt" });
        if let Some(id) = &self.id {
            header["kid"] = id.as_str().into();
        }
        header
    }

    /// A token with this header and these claims, signed as the header says.
    ///
    /// # Panics
    /// If the header says something that this key cannot do.
    pub fn signed(&self, header: &Value, claims: &Value) -> String {
        let part = |it: &Value| URL_SAFE_NO_PAD.encode(it.to_string());
        let text = format!("{}.{}", part(header), part(claims));
        let random = SystemRandom::new();
        let signature = match (&*self.pair, header["alg"].as_str().expect("a header has alg")) {
            (_, "none") => Vec::new(),
            // With the public key as the secret, as an attacker would.
            (_, "HS256") => {
                let secret = self.published().to_string();
                let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
                hmac::sign(&key, text.as_bytes()).as_ref().to_vec()
            }
            (Pair::Rsa(pair), alg) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let padding: &dyn ring::signature::RsaEncoding =
                    if alg == "PS256" { &RSA_PSS_SHA256 } else { &RSA_PKCS1_SHA256 };
                pair.sign(padding, &random, text.as_bytes(), &mut signature).expect("it signs");
                signature
            }
            (Pair::Ec(pair), _) => {
                pair.sign(&random, text.as_bytes()).expect("it signs").as_ref().to_vec()
            }
        };
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

#[derive(Default)]
struct Inner {
    issuer: String,
    fault: Fault,
    keys: Vec<SigningKey>,
    /// What opaque tokens are worth.
    opaque: HashMap<String, Value>,
    /// How often each path was asked for.
    received: HashMap<String, usize>,
    /// Where each client that has registered is sent back to, and the scopes that its person has consented to.
    clients: HashMap<String, (String, BTreeSet<String>)>,
    /// Codes that wait to be redeemed.
    codes: HashMap<String, Code>,
}

/// What a code is for.
struct Code {
    client: String,
    challenge: String,
    resource: String,
}

/// A fake identity provider on a free port.
#[derive(Clone)]
pub struct FakeIdentity(Arc<Mutex<Inner>>);

/// Now, in seconds of Unix time.
///
/// # Panics
/// If the clock stands before 1970.
pub fn now_s() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    i64::try_from(now.as_secs()).expect("it is before the end of time")
}

impl FakeIdentity {
    /// One with a path in its issuer and one key of RSA.
    ///
    /// # Panics
    /// If no port is free.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let addr = listener.local_addr().expect("it listens");
        let issuer = format!("http://{addr}/realms/test");
        let keys = vec![SigningKey::rsa(0, Some("one"))];
        let fake = Self(Arc::new(Mutex::new(Inner { issuer, keys, ..Inner::default() })));
        let router = Router::new().fallback(answer).with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("no test panics while it answers")
    }

    /// The issuer that its tokens name.
    pub fn issuer(&self) -> String {
        self.lock().issuer.clone()
    }

    /// The lines of a configuration that lets its tokens in, with `more` behind.
    pub fn lines(&self, more: &str) -> String {
        format!("[oauth]\nissuer = '{}'\n{more}\n", self.issuer())
    }

    /// The lines by which it is asked about tokens.
    pub fn introspection(&self) -> String {
        let (id, secret) = CLIENT;
        format!(
            "introspection_endpoint = '{}/introspect'\nclient_id = '{id}'\nclient_secret = {{ value = '{secret}' }}\n",
            self.issuer()
        )
    }

    /// Has it misbehave from now on.
    pub fn fail(&self, fault: Fault) {
        self.lock().fault = fault;
    }

    /// Publishes these keys and no other.
    pub fn rotate(&self, keys: &[SigningKey]) {
        self.lock().keys = keys.to_vec();
    }

    /// How often its keys were asked for.
    pub fn key_requests(&self) -> usize {
        self.received("/realms/test/keys")
    }

    /// How often that path was asked for.
    pub fn received(&self, path: &str) -> usize {
        self.lock().received.get(path).copied().unwrap_or_default()
    }

    /// The claims of a token for `audience`, with `more` in place of or beside them; null takes one away.
    ///
    /// # Panics
    /// If `more` is no object.
    pub fn claims(&self, audience: &str, more: &Value) -> Value {
        let now = now_s();
        let mut claims = json!({
            "iss": self.issuer(), "sub": "ann", "aud": audience, "exp": now + 600, "iat": now,
            "jti": now.to_string(), "client_id": "tests",
        });
        let all = claims.as_object_mut().expect("it is one");
        for (name, value) in more.as_object().expect("more claims are an object") {
            match value {
                Value::Null => _ = all.shift_remove(name),
                value => _ = all.insert(name.clone(), value.clone()),
            }
        }
        claims
    }

    /// A token for `audience` with such claims, signed with the first key.
    pub fn token(&self, audience: &str, more: &Value) -> String {
        let key = self.lock().keys[0].clone();
        key.signed(&key.header(), &self.claims(audience, more))
    }

    /// Has `token`, which is opaque, mean this.
    pub fn knows(&self, token: &str, claims: Value) {
        self.lock().opaque.insert(token.to_owned(), claims);
    }

    /// Revokes all tokens that clients were given.
    pub fn revoke_all(&self) {
        self.lock().opaque.clear();
    }

    /// Revokes `token`.
    pub fn revoke(&self, token: &str) {
        self.lock().opaque.remove(token);
    }
}

async fn answer(State(fake): State<FakeIdentity>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let fault = {
        let mut inner = fake.lock();
        *inner.received.entry(path.clone()).or_default() += 1;
        inner.fault
    };
    match fault {
        Fault::Down => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Fault::Silent => std::future::pending().await,
        _ => {}
    }
    let issuer = fake.issuer();
    let (parts, body) = request.into_parts();
    match (&parts.method, path.as_str()) {
        // Where OpenID Connect has it, behind the path, and nowhere else.
        (&Method::GET, "/realms/test/.well-known/openid-configuration") => {
            let value = if fault == Fault::Lying { "https://id.example" } else { &issuer };
            let document = json!({
                "issuer": value,
                "jwks_uri": format!("{issuer}/keys"),
                "introspection_endpoint": format!("{issuer}/introspect"),
                "authorization_endpoint": format!("{issuer}/authorize"),
                "token_endpoint": format!("{issuer}/token"),
                "registration_endpoint": format!("{issuer}/register"),
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "grant_types_supported": ["authorization_code"],
                "token_endpoint_auth_methods_supported": ["none"],
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": true,
            });
            Json(document).into_response()
        }
        (&Method::GET, "/realms/test/keys") => match fault {
            Fault::Redirecting => {
                let to = [(header::LOCATION, format!("{issuer}/inward"))];
                (StatusCode::FOUND, to).into_response()
            }
            Fault::Oversized => {
                Json(json!({ "keys": [], "x": "a".repeat(1 << 20) })).into_response()
            }
            _ => {
                let keys: Vec<_> = fake.lock().keys.iter().map(SigningKey::published).collect();
                Json(json!({ "keys": keys })).into_response()
            }
        },
        (&Method::POST, "/realms/test/introspect") => {
            introspected(&fake, &parts.headers, body).await
        }
        (&Method::POST, "/realms/test/register") => registered(&fake, body).await,
        (&Method::GET, "/realms/test/authorize") => {
            authorized(&fake, parts.uri.query().unwrap_or_default())
        }
        (&Method::POST, "/realms/test/token") => redeemed(&fake, body).await,
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// RFC 7662, 2: to those alone who say who they are, and of no token but what it is worth.
async fn introspected(fake: &FakeIdentity, headers: &HeaderMap, body: Body) -> Response {
    let text = |name| headers.get(name).and_then(|it| it.to_str().ok());
    // Both are encoded as in a form before they are put together (RFC 6749, 2.3.1).
    let encoded =
        |it: &str| url::form_urlencoded::byte_serialize(it.as_bytes()).collect::<String>();
    let pair = format!("{}:{}", encoded(CLIENT.0), encoded(CLIENT.1));
    let header = format!("Basic {}", STANDARD.encode(pair));
    if text(header::AUTHORIZATION) != Some(&header) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if text(header::CONTENT_TYPE) != Some("application/x-www-form-urlencoded") {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let Ok(body) = axum::body::to_bytes(body, 64 << 10).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let mut fields = url::form_urlencoded::parse(&body);
    let Some(token) = fields.find(|it| it.0 == "token").map(|it| it.1.into_owned()) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let found = fake.lock().opaque.get(&token).cloned();
    Json(match found {
        Some(mut claims) => {
            claims["active"] = true.into();
            claims
        }
        None => json!({ "active": false }),
    })
    .into_response()
}

/// A name that cannot be guessed.
fn fresh() -> String {
    let mut bytes = [0; 18];
    let random = SystemRandom::new();
    ring::rand::SecureRandom::fill(&random, &mut bytes).expect("there is randomness");
    URL_SAFE_NO_PAD.encode(bytes)
}

fn wrong(error: &str) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response()
}

/// RFC 7591: a public client with one address to be sent back to.
async fn registered(fake: &FakeIdentity, body: Body) -> Response {
    let body = axum::body::to_bytes(body, 64 << 10).await.unwrap_or_default();
    let Ok(mut client) = serde_json::from_slice::<Value>(&body) else {
        return wrong("invalid_client_metadata");
    };
    let Some([Value::String(redirect)]) = client["redirect_uris"].as_array().map(Vec::as_slice)
    else {
        return wrong("invalid_redirect_uri");
    };
    if client["token_endpoint_auth_method"] != "none" {
        return wrong("invalid_client_metadata");
    }
    let (id, redirect) = (fresh(), redirect.clone());
    fake.lock().clients.insert(id.clone(), (redirect, BTreeSet::new()));
    client["client_id"] = id.into();
    (StatusCode::CREATED, Json(client)).into_response()
}

fn fields(text: &[u8]) -> HashMap<String, String> {
    url::form_urlencoded::parse(text).into_owned().collect()
}

/// RFC 6749, 4.1.1, with RFC 7636 and RFC 8707. The person consents, to what they consented to before as well.
fn authorized(fake: &FakeIdentity, query: &str) -> Response {
    let received = fields(query.as_bytes());
    let field = |name: &str| received.get(name).map(String::as_str).unwrap_or_default();
    let issuer = fake.issuer();
    let mut inner = fake.lock();
    let Some((redirect, consented)) = inner.clients.get_mut(field("client_id")) else {
        return wrong("invalid_client");
    };
    if field("redirect_uri") != redirect {
        return wrong("invalid_request");
    }
    let is_right = field("response_type") == "code"
        && field("code_challenge_method") == "S256"
        && field("code_challenge").len() == 43
        && !field("resource").is_empty();
    if !is_right {
        return wrong("invalid_request");
    }
    consented.extend(field("scope").split(' ').map(str::to_owned));
    let mut back = url::Url::parse(redirect).expect("it was registered");
    let code = fresh();
    back.query_pairs_mut()
        .append_pair("code", &code)
        .append_pair("state", field("state"))
        .append_pair("iss", &issuer);
    let code_for = Code {
        client: field("client_id").to_owned(),
        challenge: field("code_challenge").to_owned(),
        resource: field("resource").to_owned(),
    };
    inner.codes.insert(code, code_for);
    (StatusCode::FOUND, [(header::LOCATION, back.to_string())]).into_response()
}

/// RFC 6749, 4.1.3: a code for a token, once, to those who have the verifier.
async fn redeemed(fake: &FakeIdentity, body: Body) -> Response {
    let body = axum::body::to_bytes(body, 64 << 10).await.unwrap_or_default();
    let sent = fields(&body);
    let field = |name: &str| sent.get(name).map(String::as_str).unwrap_or_default();
    if field("grant_type") != "authorization_code" {
        return wrong("unsupported_grant_type");
    }
    let (code, scope) = {
        let mut inner = fake.lock();
        let Some(code) = inner.codes.remove(field("code")) else { return wrong("invalid_grant") };
        let (redirect, consented) = &inner.clients[&code.client];
        let digest = digest::digest(&digest::SHA256, field("code_verifier").as_bytes());
        let is_right = field("client_id") == code.client
            && field("redirect_uri") == redirect
            && field("resource") == code.resource
            && URL_SAFE_NO_PAD.encode(digest.as_ref()) == code.challenge;
        if !is_right {
            return wrong("invalid_grant");
        }
        let scope = consented.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        (code, scope)
    };
    let more = json!({ "scope": scope, "client_id": code.client, "jti": fresh() });
    let token = fake.token(&code.resource, &more);
    fake.knows(&token, fake.claims(&code.resource, &more));
    let answer = json!({
        "access_token": token, "token_type": "Bearer", "expires_in": 600, "scope": scope,
    });
    ([(header::CACHE_CONTROL, "no-store")], Json(answer)).into_response()
}
