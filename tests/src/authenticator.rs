//! A minimal WebAuthn authenticator: one passkey on the curve P-256 (AUTH-2).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    digest::{SHA256, digest},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};

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
