//! Parses and validates signed access tokens (RFC 9068, RFC 8725). Their signatures are verified with `ring`, which TLS
//! uses as well.

use std::{collections::BTreeMap, sync::Once};

use base::{
    config::OauthConfig,
    scopes::{Scope, Scopes},
    toolsets::Owner,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{
    Algorithm, DecodingKey, DecodingKeyKind, Validation,
    crypto::{CryptoProvider, JwtVerifier, KeyUtils},
    decode,
    errors::{Error, ErrorKind},
    signature::{self, Verifier},
};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::keys::{KeyQuery, KeySet};
use crate::authorization::Unauthorized;

/// The claims of a token.
pub(super) type Claims = Map<String, Value>;

const BAD_SIGNATURE: Unauthorized = Unauthorized::Invalid("The token's signature is not right");

/// Unverified parts of a token.
pub(super) struct Token<'a> {
    text: &'a str,
    header: Header,
    issuer: Option<String>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<Value>,
    enc: Option<Value>,
    zip: Option<Value>,
}

#[derive(Deserialize)]
struct Issuer {
    iss: Option<String>,
}

/// Why a token is rejected.
pub(super) enum NotTaken {
    /// No newer key would change that.
    Refused(Unauthorized),
    /// Its key is not among these, and may be among newer ones.
    Unknown(KeyQuery),
}

fn part<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

impl<'a> Token<'a> {
    /// Parses a signed token. `None` for opaque ones, which only their issuer understands.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut parts = text.split('.');
        let (header, claims) = (parts.next()?, parts.next()?);
        parts.next()?;
        if parts.next().is_some() {
            return None;
        }
        let issuer: Issuer = part(claims)?;
        Some(Self { text, header: part(header)?, issuer: issuer.iss })
    }

    /// Its claimed issuer.
    pub(super) fn issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    /// Its claims, where it was signed with one of `keys` by the provider of `config` for one of `audience`, and
    /// is valid now.
    pub(super) fn verify(
        &self,
        keys: &KeySet,
        config: &OauthConfig,
        audience: &[String],
    ) -> Result<Claims, NotTaken> {
        let refused = |what| NotTaken::Refused(Unauthorized::Invalid(what));
        let header = &self.header;
        if header.crit.is_some() || header.enc.is_some() || header.zip.is_some() {
            return Err(refused("The token's header asks for what this server does not do"));
        }
        if !header.typ.as_deref().is_none_or(is_access_token) {
            return Err(refused("The token is of another type than an access token"));
        }
        let is_pinned = config.algorithms.iter().any(|it| <&str>::from(it) == header.alg);
        let named = header.alg.parse::<Algorithm>().ok().filter(|_| is_pinned);
        let Some(algorithm) = named else {
            return Err(refused("The token is signed with an algorithm that is not allowed"));
        };
        let wanted = KeyQuery { algorithm, id: header.kid.clone() };
        let Some(key) = keys.find(&wanted) else { return Err(NotTaken::Unknown(wanted)) };
        let mut validation = Validation::new(algorithm);
        validation.leeway = config.clock_skew_s;
        validation.validate_nbf = true;
        validation.set_audience(audience);
        validation.set_issuer(&[&config.issuer]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        let claims = match decode::<Claims>(self.text, key, &validation) {
            Ok(it) => it.claims,
            Err(error) => {
                return Err(match error.kind() {
                    // Without a name the key may have been exchanged.
                    ErrorKind::InvalidSignature if header.kid.is_none() => {
                        NotTaken::Unknown(wanted)
                    }
                    kind => NotTaken::Refused(reason(kind)),
                });
            }
        };
        match is_no_access_token(&claims) {
            true => Err(refused("The token is of another type than an access token")),
            false if claims.contains_key("cnf") => Err(refused(
                "The token is bound to a key of its holder, and this server takes bearer tokens",
            )),
            false => Ok(claims),
        }
    }
}

/// Whether a header's `typ` is an access token's, or that of any token.
fn is_access_token(typ: &str) -> bool {
    let typ = typ.to_ascii_lowercase();
    matches!(typ.strip_prefix("application/").unwrap_or(&typ), "jwt" | "at+jwt")
}

/// Whether the claims are those of an ID token, refresh token or security event, which the same issuer signs.
fn is_no_access_token(claims: &Claims) -> bool {
    let is = |name: &str, values: &[&str]| {
        let value = claims.get(name).and_then(Value::as_str);
        value.is_some_and(|it| values.iter().any(|value| it.eq_ignore_ascii_case(value)))
    };
    // Keycloak and Cognito declare the kind of each token.
    let is_said = is("typ", &["id", "refresh", "offline"]) || is("token_use", &["id"]);
    is_said || ["at_hash", "c_hash", "s_hash", "events"].iter().any(|it| claims.contains_key(*it))
}

fn reason(kind: &ErrorKind) -> Unauthorized {
    Unauthorized::Invalid(match kind {
        ErrorKind::InvalidSignature => return BAD_SIGNATURE,
        ErrorKind::ExpiredSignature => return Unauthorized::Expired,
        ErrorKind::ImmatureSignature => "The token is not valid yet",
        ErrorKind::InvalidAudience => "The token is for another audience than this server",
        ErrorKind::InvalidIssuer => "The token is of another issuer",
        ErrorKind::MissingRequiredClaim(name) => match name.as_str() {
            "aud" => "The token does not say for which audience it is (aud)",
            "exp" => "The token does not say when it expires (exp)",
            _ => "The token does not say who has issued it (iss)",
        },
        _ => "The token cannot be read",
    })
}

/// Verifies asymmetric signatures only.
static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::UnsupportedAlgorithm.into()),
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Has tokens checked so, before the first of them is; any number of times.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // An error says that it was done already.
        let _ = PROVIDER.install_default();
    });
}

struct Checker {
    algorithm: Algorithm,
    key: DecodingKey,
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    if algorithm.family() != key.family() {
        return Err(ErrorKind::InvalidAlgorithm.into());
    }
    Ok(Box::new(Checker { algorithm: *algorithm, key: key.clone() }))
}

impl JwtVerifier for Checker {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for Checker {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let is_right = match self.key.kind() {
            DecodingKeyKind::RsaModulusExponent { n, e } => {
                let parameters = rsa(self.algorithm).ok_or_else(signature::Error::new)?;
                // Some providers write a number with zeros before it.
                let n = &n[n.iter().take_while(|it| **it == 0).count()..];
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            DecodingKeyKind::SecretOrDer(key) => {
                let algorithm = curve(self.algorithm).ok_or_else(signature::Error::new)?;
                UnparsedPublicKey::new(algorithm, key).verify(message, signature)
            }
        };
        is_right.map_err(|_| signature::Error::new())
    }
}

fn rsa(algorithm: Algorithm) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        Algorithm::RS256 => &RSA_PKCS1_2048_8192_SHA256,
        Algorithm::RS384 => &RSA_PKCS1_2048_8192_SHA384,
        Algorithm::RS512 => &RSA_PKCS1_2048_8192_SHA512,
        Algorithm::PS256 => &RSA_PSS_2048_8192_SHA256,
        Algorithm::PS384 => &RSA_PSS_2048_8192_SHA384,
        Algorithm::PS512 => &RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}

fn curve(algorithm: Algorithm) -> Option<&'static dyn VerificationAlgorithm> {
    Some(match algorithm {
        Algorithm::ES256 => &ECDSA_P256_SHA256_FIXED,
        Algorithm::ES384 => &ECDSA_P384_SHA384_FIXED,
        Algorithm::EdDSA => &ED25519,
        _ => return None,
    })
}

// Maps claims of a token to scopes, by the configuration only.

/// Values of one claim that are looked at.
const VALUES_MAX: usize = 512;

/// Scopes by claim value.
type Values = BTreeMap<String, Vec<Scope>>;

/// Claims and their scopes.
pub(super) struct Mapping {
    scope_claim: Option<String>,
    own_scopes: bool,
    scopes: Values,
    claims: Vec<(String, Values)>,
    default: Vec<Scope>,
}

fn parsed(scopes: &[String]) -> Vec<Scope> {
    scopes.iter().filter_map(|it| it.parse().ok()).collect()
}

fn values(written: &BTreeMap<String, Vec<String>>) -> Values {
    written.iter().map(|(value, scopes)| (value.clone(), parsed(scopes))).collect()
}

impl Mapping {
    pub(super) fn new(config: &OauthConfig) -> Self {
        Self {
            scope_claim: config.scope_claim.clone(),
            own_scopes: config.own_scopes,
            scopes: values(&config.scopes),
            claims: config.claims.iter().map(|(name, it)| (name.clone(), values(it))).collect(),
            default: parsed(&config.default_scopes),
        }
    }

    /// Scopes of a token with these claims.
    pub(super) fn scopes(&self, claims: &Claims) -> Vec<Scope> {
        let mut found = self.default.clone();
        let scope = match &self.scope_claim {
            Some(name) => claim(claims, name),
            None => claims.get("scope").or_else(|| claims.get("scp")),
        };
        for value in texts(scope).flat_map(str::split_ascii_whitespace).take(VALUES_MAX) {
            found.extend(self.scopes.get(value).into_iter().flatten().cloned());
            found.extend(value.parse().ok().filter(|_| self.own_scopes));
        }
        for (name, values) in &self.claims {
            let mapped = texts(claim(claims, name)).filter_map(|it| values.get(it));
            found.extend(mapped.flatten().cloned());
        }
        let mut all = Vec::with_capacity(found.len());
        for scope in found {
            if !all.contains(&scope) {
                all.push(scope);
            }
        }
        all
    }

    /// The claim value to request for `needed` with the fewest other scopes.
    pub(super) fn asked_for<'a>(
        &'a self,
        needed: &'a str,
        tool: Option<(Owner<'_>, &str, bool)>,
    ) -> Option<&'a str> {
        let scope = needed.parse::<Scope>().ok()?;
        let suffices = |mapped: &[Scope]| {
            let all: Scopes = mapped.iter().cloned().collect();
            match (&scope, tool) {
                (Scope::Operator, _) => all.operator,
                (_, Some((owner, tool, is_read_only))) => all.may_call(owner, tool, is_read_only),
                (Scope::Component(name), _) => all.may_use(Owner::Component(name)),
                (Scope::Server(name), _) => all.may_use(Owner::Server(name)),
                _ => mapped.contains(&scope),
            }
        };
        let breadth = |mapped: &[Scope]| {
            let reach = |scope: &Scope| match scope {
                Scope::Tool(_) => 1,
                Scope::Component(_) | Scope::Server(_) => 100,
                Scope::All | Scope::Operator => 10_000,
                // Read-only would narrow the holder's existing scopes.
                Scope::ReadOnly => 1_000_000,
            };
            mapped.iter().map(reach).sum::<usize>()
        };
        let enough = self.scopes.iter().filter(|(_, mapped)| suffices(mapped));
        let least =
            enough.min_by_key(|(_, mapped)| breadth(mapped)).map(|(value, _)| value.as_str());
        let own = Some(needed).filter(|_| self.own_scopes);
        if scope == Scope::Operator { least.or(own) } else { own.or(least) }
    }
}

/// The claim of that name, or else what its dots lead to: `realm_access.roles`.
pub(super) fn claim<'a>(claims: &'a Claims, name: &str) -> Option<&'a Value> {
    if let Some(claim) = claims.get(name) {
        return Some(claim);
    }
    let mut steps = name.split('.');
    let first = claims.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))
}

/// A text, or those of a list.
fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let one = value.and_then(Value::as_str);
    let several = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(several.take(VALUES_MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn distinguishes_signed_from_opaque_tokens() {
        let encoded = |it: Value| URL_SAFE_NO_PAD.encode(it.to_string());
        let header = encoded(json!({ "alg": "none" }));
        let claims = encoded(json!({ "iss": "https://id.example" }));
        let text = format!("{header}.{claims}.");
        assert_eq!(Token::read(&text).unwrap().issuer(), Some("https://id.example"));
        for opaque in
            ["", "mdg_x", "a.b.c", &format!("{header}.{claims}"), &format!("{text}.{text}")]
        {
            assert!(Token::read(opaque).is_none(), "{opaque}");
        }
    }

    #[test]
    fn distinguishes_access_tokens_from_id_tokens() {
        for typ in ["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt"] {
            assert!(is_access_token(typ), "{typ}");
        }
        for typ in ["id_token+jwt", "dpop+jwt", "secevent+jwt", "", "application/json"] {
            assert!(!is_access_token(typ), "{typ}");
        }
        let is_other = |claims: Value| is_no_access_token(claims.as_object().unwrap());
        assert!(!is_other(json!({ "sub": "a", "typ": "Bearer", "nonce": "x" })));
        for claims in [
            json!({ "at_hash": "x" }),
            json!({ "typ": "ID" }),
            json!({ "typ": "Refresh" }),
            json!({ "token_use": "id" }),
            json!({ "events": {} }),
        ] {
            assert!(is_other(claims.clone()), "{claims}");
        }
    }

    fn mapping(more: Value) -> Mapping {
        let mut config = json!({ "issuer": "https://id.example" });
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Mapping::new(&serde_json::from_value(config).unwrap())
    }

    fn scopes_of(mapping: &Mapping, claims: Value) -> Vec<String> {
        let scopes = mapping.scopes(claims.as_object().unwrap());
        scopes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn nothing_maps_by_default() {
        let none = mapping(json!({}));
        let claims = json!({ "scope": "* operator component:shop", "roles": ["*"], "groups": "*" });
        assert!(scopes_of(&none, claims).is_empty());
    }

    #[test]
    fn maps_scopes_roles_and_groups() {
        let all = mapping(json!({
            "scopes": { "shop": ["component:shop"], "admin": ["operator", "*"] },
            "claims": {
                "realm_access.roles": { "staff": ["tool:book"] },
                "https://a.example/groups": { "all staff": ["read-only"] },
            },
        }));
        assert_eq!(scopes_of(&all, json!({ "scope": "openid shop shop" })), ["component:shop"]);
        assert_eq!(scopes_of(&all, json!({ "scp": ["admin"] })), ["operator", "*"]);
        assert!(scopes_of(&all, json!({ "scope": "component:shop *" })).is_empty());
        assert_eq!(
            scopes_of(&all, json!({ "realm_access": { "roles": ["x", "staff"] } })),
            ["tool:book"]
        );
        assert_eq!(
            scopes_of(&all, json!({ "https://a.example/groups": "all staff" })),
            ["read-only"]
        );
        assert!(
            scopes_of(&all, json!({ "scope": 7, "realm_access": "staff", "sub": null })).is_empty()
        );
        let named = mapping(json!({ "scope_claim": "perms.x", "own_scopes": true }));
        assert_eq!(
            scopes_of(&named, json!({ "perms": { "x": "tool:a nonsense" }, "scope": "*" })),
            ["tool:a"]
        );
        let default = mapping(json!({ "default_scopes": ["read-only"] }));
        assert_eq!(scopes_of(&default, json!({})), ["read-only"]);
    }

    #[test]
    fn requests_the_least_privileged_value() {
        let all = mapping(json!({ "scopes": {
            "everything": ["*"], "admin": ["operator"], "shop": ["component:shop"],
            "book": ["tool:book", "tool:cancel"], "read": ["read-only"],
        } }));
        let tool = |name, is_read_only| Some((Owner::Component("shop"), name, is_read_only));
        assert_eq!(all.asked_for("tool:book", tool("book", false)), Some("book"));
        assert_eq!(all.asked_for("tool:sell", tool("sell", false)), Some("shop"));
        let other = Some((Owner::Component("other"), "x", false));
        assert_eq!(all.asked_for("tool:x", other), Some("everything"));
        assert_eq!(all.asked_for("component:shop", None), Some("shop"));
        assert_eq!(all.asked_for("operator", None), Some("admin"));
        let own = mapping(json!({ "own_scopes": true }));
        assert_eq!(own.asked_for("tool:x", other), Some("tool:x"));
        assert_eq!(mapping(json!({})).asked_for("tool:x", other), None);
    }
}
