//! Passkeys: registration and sign-in by WebAuthn, implemented with `webauthn_rp` (AUTH-2).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use url::Url;
use webauthn_rp::{
    AuthenticatedCredential, DiscoverableAuthentication, DiscoverableAuthenticationServerState,
    DiscoverableCredentialRequestOptions, PublicKeyCredentialCreationOptions, Registration,
    RegistrationServerState,
    bin::{Decode as _, Encode as _},
    request::{
        AsciiDomain, PublicKeyCredentialDescriptor, RpId, TimedCeremony,
        auth::AuthenticationVerificationOptions,
        register::{
            CredProtect, PublicKeyCredentialUserEntity, RegistrationVerificationOptions,
            UserHandle, Username,
        },
    },
    response::{
        AuthTransports, CredentialId, SentChallenge,
        register::{CompressedPubKey, DynamicState, StaticState},
    },
};

use crate::state::{Account, Passkey};
use store::{ceremonies::Ceremonies, database::postgres::Server};

/// Kinds of ceremonies.
const MAKES: &str = "makes";
const SHOWS: &str = "shows";
/// Bytes of a user's number.
const USER_BYTES: usize = 16;

type Key = CompressedPubKey<[u8; 32], [u8; 32], [u8; 48], Vec<u8>>;

/// The server as passkeys know it.
pub(crate) struct Passkeys {
    rp_id: RpId,
    origin: String,
    /// Ceremonies in progress, which may be completed on any node.
    open: Ceremonies,
}

/// The result of a sign-in by passkey: its account, and its updated state.
pub(crate) struct SignedIn {
    pub(crate) account: String,
    pub(crate) passkey: Passkey,
}

impl Passkeys {
    /// Passkeys of the server at `issuer`. `None` without a host name, to which passkeys are bound.
    pub(crate) fn for_issuer(issuer: &Url, server: Option<&Server>) -> Option<Self> {
        let domain = issuer.domain()?.to_owned();
        // A browser has passkeys in secure contexts alone.
        if issuer.scheme() != "https" && domain != "localhost" {
            return None;
        }
        Some(Self {
            rp_id: RpId::Domain(AsciiDomain::try_from(domain).ok()?),
            origin: issuer.origin().ascii_serialization(),
            open: Ceremonies::open(server),
        })
    }

    /// Starts a registration of a passkey for `account`: `PublicKeyCredentialCreationOptionsJSON`.
    pub(crate) async fn begin_registration(&self, account: &Account) -> Option<Vec<u8>> {
        let id = user(&account.id)?;
        let name = Username::try_from(account.name.as_str()).ok()?;
        let user = PublicKeyCredentialUserEntity { name, id: &id, display_name: None };
        let credentials = account.passkeys.iter().filter_map(|passkey| {
            let id = CredentialId::decode(BASE64.decode(&passkey.id).ok()?).ok()?;
            let transports = AuthTransports::decode(passkey.transports).ok()?;
            Some(PublicKeyCredentialDescriptor { id, transports })
        });
        let mut options =
            PublicKeyCredentialCreationOptions::passkey(&self.rp_id, user, credentials.collect());
        // Many authenticators know nothing of it; each sign-in wants its user verified anyway.
        options.extensions.cred_protect = CredProtect::None;
        let (server, client) = options.start_ceremony().ok()?;
        let options = serde_json::to_vec(&client).ok()?;
        self.store_ceremony(MAKES, &server.sent_challenge(), &server.encode().ok()?).await?;
        Some(options)
    }

    /// The passkey that a browser has made for the account of that number: `RegistrationResponseJSON`.
    pub(crate) async fn register(&self, account: &str, sent: &[u8], now_s: u64) -> Option<Passkey> {
        let sent = Registration::from_json_relaxed(sent).ok()?;
        let stored = self.take_ceremony(MAKES, &sent.challenge_relaxed().ok()?).await?;
        let ceremony = RegistrationServerState::<USER_BYTES>::decode(&stored[..]).ok()?;
        let options = RegistrationVerificationOptions::<&str, &str> {
            allowed_origins: &[&*self.origin],
            error_on_unsolicited_extensions: false,
            ..RegistrationVerificationOptions::default()
        };
        let made = ceremony.verify(&self.rp_id, &sent, &options).ok()?;
        if *made.user_id() != user(account)? {
            return None;
        }
        let Ok(key) = made.static_state().encode();
        let Ok(state) = made.dynamic_state().encode();
        let Ok(transports) = made.transports().encode();
        Some(Passkey {
            id: BASE64.encode(made.id().as_ref()),
            key: BASE64.encode(key),
            state: BASE64.encode(state),
            transports,
            created_s: now_s,
        })
    }

    /// Starts a sign-in with any passkey: `PublicKeyCredentialRequestOptionsJSON`.
    pub(crate) async fn begin_sign_in(&self) -> Option<Vec<u8>> {
        let options = DiscoverableCredentialRequestOptions::passkey(&self.rp_id);
        let (server, client) = options.start_ceremony().ok()?;
        let options = serde_json::to_vec(&client).ok()?;
        self.store_ceremony(SHOWS, &server.sent_challenge(), &server.encode().ok()?).await?;
        Some(options)
    }

    async fn store_ceremony(
        &self,
        kind: &str,
        challenge: &SentChallenge,
        state: &[u8],
    ) -> Option<()> {
        let kept = self.open.put(&name(kind, challenge), state).await;
        kept.inspect_err(|it| tracing::warn!("a passkey is not asked for: {it}")).ok()
    }

    async fn take_ceremony(&self, kind: &str, challenge: &SentChallenge) -> Option<Vec<u8>> {
        let stored = self.open.take(&name(kind, challenge)).await;
        stored.inspect_err(|it| tracing::warn!("a passkey is not looked at: {it}")).ok()?
    }

    /// Verifies a sign-in: `AuthenticationResponseJSON`. `find` returns a passkey by account id and passkey id.
    pub(crate) async fn sign_in(
        &self,
        sent: &[u8],
        find: impl FnOnce(&str, &str) -> Option<Passkey>,
    ) -> Option<SignedIn> {
        let sent = DiscoverableAuthentication::<USER_BYTES>::from_json_relaxed(sent).ok()?;
        let stored = self.take_ceremony(SHOWS, &sent.challenge_relaxed().ok()?).await?;
        let ceremony = DiscoverableAuthenticationServerState::decode(&stored[..]).ok()?;
        let Ok(id) = sent.response().user_handle().encode();
        let account = store::digest::hexadecimal(&id);
        let passkey = find(&account, &BASE64.encode(sent.raw_id().as_ref()))?;
        let key = BASE64.decode(&passkey.key).ok()?;
        let key: StaticState<Key> = StaticState::decode(&key).ok()?;
        let state: [u8; 7] = BASE64.decode(&passkey.state).ok()?.try_into().ok()?;
        let state = DynamicState::decode(state).ok()?;
        let user = sent.response().user_handle();
        let mut credential = AuthenticatedCredential::new(sent.raw_id(), user, key, state).ok()?;
        let options = AuthenticationVerificationOptions::<&str, &str> {
            allowed_origins: &[&*self.origin],
            error_on_unsolicited_extensions: false,
            ..AuthenticationVerificationOptions::default()
        };
        ceremony.verify(&self.rp_id, &sent, &mut credential, &options).ok()?;
        let Ok(state) = credential.dynamic_state().encode();
        Some(SignedIn { account, passkey: Passkey { state: BASE64.encode(state), ..passkey } })
    }
}

/// The storage key of a ceremony, which includes its kind.
fn name(kind: &str, challenge: &SentChallenge) -> String {
    format!("{kind} {:032x}", challenge.0)
}

/// A user's number, of 32 hexadecimal digits.
fn user(id: &str) -> Option<UserHandle<USER_BYTES>> {
    let mut bytes = [0; USER_BYTES];
    for (to, digits) in bytes.iter_mut().zip(id.as_bytes().chunks(2)) {
        *to = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    }
    UserHandle::decode(bytes).ok()
}
