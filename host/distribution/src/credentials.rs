//! Registry credentials, from the configuration, a credential helper or Docker's `config.json`. They are never taken
//! from a command line and never shown (DIST-4).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use base::{config::RegistryConfig, grants::secret::Secret, source::read_text};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use tokio::io::AsyncReadExt;

use crate::{Error, Result};

/// Bytes that Docker's file, and the answer of a helper, may have.
const BYTES_MAX: u64 = 1 << 20;
/// Time limit of a helper, which may ask a person.
const HELPER_TIME_MAX: Duration = Duration::from_secs(60);
/// User name that marks an identity token.
const TOKEN_USER: &str = "<token>";

/// Credentials of a registry.
#[derive(Clone, Debug)]
pub(crate) enum Credentials {
    /// A name and a password.
    Password(String, Secret),
    /// A refresh token.
    Refresh(Secret),
}

impl Credentials {
    fn from_pair(username: String, secret: String) -> Self {
        match username == TOKEN_USER {
            true => Self::Refresh(Secret::new(secret)),
            false => Self::Password(username, Secret::new(secret)),
        }
    }
}

/// Docker's configuration file.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct DockerConfig {
    auths: BTreeMap<String, Auth>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Auth {
    auth: Option<Secret>,
    identitytoken: Option<Secret>,
}

/// Finds credentials for the registry at `host`.
///
/// # Errors
/// If configured credentials are unavailable. No error repeats a secret.
pub(crate) async fn find(
    host: &str,
    config: &RegistryConfig,
    base: &Path,
) -> Result<Option<Credentials>> {
    let wrong = |what| Error(format!("[registries.{host:?}]: password: {what}"));
    if let Some(secret) = config.secret(base).map_err(wrong)? {
        let username = config.username.clone().unwrap_or_default();
        return Ok(Some(Credentials::from_pair(username, secret.expose().to_owned())));
    }
    if let Some(helper) = &config.credential_helper {
        return ask(helper, host).await;
    }
    let Some(file) = docker_file().filter(|it| it.is_file()) else { return Ok(None) };
    of_docker(&file, host).await
}

/// Path of Docker's configuration file.
fn docker_file() -> Option<PathBuf> {
    let named = std::env::var_os("DOCKER_CONFIG").filter(|it| !it.is_empty()).map(PathBuf::from);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".docker"));
    Some(named.or_else(home)?.join("config.json"))
}

async fn of_docker(file: &Path, host: &str) -> Result<Option<Credentials>> {
    let wrong = |what: &str| Error(format!("{}: {what}", file.display()));
    let text = read_text(file, BYTES_MAX).map_err(Error::file(file))?;
    // Serde's errors may quote secrets.
    let config: DockerConfig =
        serde_json::from_str(&text).map_err(|_| wrong("it is not as Docker writes it"))?;
    if let Some(helper) = config.cred_helpers.get(host) {
        return ask(helper, host).await;
    }
    let is_meant = |key: &&String| {
        let key = key.trim_start_matches("https://").trim_start_matches("http://");
        key.split('/').next() == Some(host)
    };
    let auth = config.auths.keys().find(is_meant).and_then(|it| config.auths.get(it));
    if let Some(token) = auth.and_then(|it| it.identitytoken.clone()) {
        return Ok(Some(Credentials::Refresh(token)));
    }
    if let Some(auth) = auth.and_then(|it| it.auth.as_ref()).filter(|it| !it.expose().is_empty()) {
        let decoded = STANDARD.decode(auth.expose()).ok().and_then(|it| String::from_utf8(it).ok());
        let pair = decoded.as_deref().and_then(|it| it.split_once(':'));
        let (name, secret) = pair.ok_or_else(|| wrong("auth is no name and password"))?;
        return Ok(Some(Credentials::from_pair(name.to_owned(), secret.to_owned())));
    }
    match &config.creds_store {
        Some(helper) => ask(helper, host).await,
        None => Ok(None),
    }
}

/// Asks `docker-credential-HELPER`: the host on its standard input, an object on its standard output.
async fn ask(helper: &str, host: &str) -> Result<Option<Credentials>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Answer {
        username: String,
        secret: String,
    }
    let program = format!("docker-credential-{helper}");
    let wrong = |what: &str| Error(format!("{program}: {what}"));
    if !helper.chars().all(|it| it.is_ascii_alphanumeric() || it == '-' || it == '_') {
        return Err(wrong("no such name"));
    }
    let mut child = tokio::process::Command::new(&program)
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|it| wrong(&it.to_string()))?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let answered = async {
        if let Some(mut stdin) = stdin {
            // A helper may exit before reading its input.
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stdin, host.as_bytes()).await;
        }
        let mut bytes = Vec::new();
        if let Some(stdout) = stdout {
            stdout.take(BYTES_MAX).read_to_end(&mut bytes).await?;
        }
        Ok::<_, std::io::Error>((child.wait().await?, bytes))
    };
    let answered = tokio::time::timeout(HELPER_TIME_MAX, answered).await;
    let (status, bytes) =
        answered.map_err(|_| wrong("it does not answer"))?.map_err(|it| wrong(&it.to_string()))?;
    if !status.success() {
        // By the protocol, a helper without credentials says so and fails.
        let is_none = String::from_utf8_lossy(&bytes).contains("credentials not found");
        return if is_none { Ok(None) } else { Err(wrong("it fails")) };
    }
    let answer: Answer =
        serde_json::from_slice(&bytes).map_err(|_| wrong("its answer cannot be read"))?;
    Ok(Some(Credentials::from_pair(answer.username, answer.secret)))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn found(text: &str, host: &str) -> Result<Option<Credentials>> {
        let folder = std::env::temp_dir().join(format!("madoguchi-docker-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{}.json", store::digest::digest(text.as_bytes())));
        std::fs::write(&file, text).unwrap();
        let found = of_docker(&file, host).await;
        std::fs::remove_file(&file).unwrap();
        found
    }

    #[tokio::test]
    async fn reads_docker_credentials_for_the_exact_host() {
        let auth = STANDARD.encode("ann:s3cret:with-colon");
        let text = format!(
            r#"{{"auths":{{"https://one.example/v1/":{{"auth":"{auth}"}},"two.example:5000":{{"auth":"","identitytoken":"t0ken"}}}}}}"#
        );
        let Ok(Some(Credentials::Password(name, secret))) = found(&text, "one.example").await
        else {
            panic!()
        };
        assert_eq!((&*name, secret.expose()), ("ann", "s3cret:with-colon"));
        let two = found(&text, "two.example:5000").await;
        assert!(matches!(two, Ok(Some(Credentials::Refresh(_)))));
        for other in ["two.example", "one.example.evil", "evil.one.example"] {
            assert!(matches!(found(&text, other).await, Ok(None)), "{other}");
        }
    }

    #[tokio::test]
    async fn names_unreadable_file_without_its_content() {
        let error = found(r#"{"auths":{"one.example":{"auth":47110815}}}"#, "one.example").await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains(".json") && !error.contains("47110815"), "{error}");
        let error = found(r#"{"credHelpers":{"one.example":"../evil"}}"#, "one.example").await;
        assert!(error.is_err());
    }
}
