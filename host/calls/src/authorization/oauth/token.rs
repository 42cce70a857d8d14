//! Parses and validates signed access tokens (RFC 9068, RFC 8725). Their signatures are verified with `ring`, which TLS
//! uses as well.

use std::sync::Once;

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
use base::config::OauthConfig;

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
}
