//! `madoguchi passkey`: generates the passkey of an external agent and its hash.

use std::{
    fs,
    io::{self, IsTerminal, Read, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, bail};
use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordHasher, Version};
use clap::Parser;
use serde_json::json;

/// The component whose agents these are.
const COMPONENT: &str = "conversations";
/// Prefix of generated passkeys, so that people and scanners recognize them.
const PREFIX: &str = "mdp_";
/// Minimum number of characters of a passkey given by the operator.
const CHARS_MIN: usize = 8;
const CHARS_MAX: usize = 200;
/// Maximum number of characters of an agent's identifier.
const ID_CHARS_MAX: usize = 64;
/// Memory for the hash: 19 MiB and two passes are the minimum that OWASP recommends. The component takes up to
/// 46 MiB.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;

/// Makes a passkey.
#[derive(Parser)]
#[command(name = "madoguchi-passkey", bin_name = "madoguchi passkey", version)]
struct Passkey {
    /// Whose it is: the agent's id in the configuration
    agent: String,
    /// Take the passkey from the first line of standard input instead of making one. There is no way
    /// to give it as an argument: others on this machine can read those
    #[arg(long)]
    stdin: bool,
    /// Tell it as one JSON object
    #[arg(long)]
    json: bool,
    /// The server's configuration, which says what is there already
    #[arg(long, env = "MADOGUCHI_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

fn main() -> ExitCode {
    match Passkey::parse().run() {
        Ok(code) => code,
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes a line to standard error.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "madoguchi: {message}");
}

/// Writes a line to standard output.
fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

impl Passkey {
    fn run(&self) -> anyhow::Result<ExitCode> {
        if !is_id(&self.agent) {
            bail!(
                "an agent's id is 1 to {ID_CHARS_MAX} of A-Z, a-z, 0-9, -, _ and ., and begins with a \
                 letter or a digit"
            );
        }
        let passkey = if self.stdin { brought(io::stdin())? } else { fresh()? };
        let hash = hash(&passkey)?;
        let lines = self.lines(&self.settings()?, &hash);
        if self.json {
            let mut object = json!({ "agent": self.agent, "hash": hash, "configuration": lines });
            if !self.stdin {
                object["passkey"] = passkey.into();
            }
            say(&serde_json::to_string_pretty(&object)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        if !self.stdin {
            say("The passkey, shown this once and written nowhere:\n")?;
            say(&format!("  {passkey}\n"))?;
            say("The agent gives it to the tool `authenticate`. Into the configuration:\n")?;
        }
        say(&lines)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Reads the agents of the configuration.
    fn settings(&self) -> anyhow::Result<toml::Table> {
        let Some(file) = &self.config else { return Ok(toml::Table::new()) };
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let config: toml::Table = text.parse().with_context(|| file.display().to_string())?;
        let settings = ["components", COMPONENT, "settings"]
            .iter()
            .try_fold(&config, |table, name| table.get(*name)?.as_table());
        Ok(settings.cloned().unwrap_or_default())
    }

    /// Returns the lines for the configuration: the agent's table, or one line where the table exists.
    fn lines(&self, settings: &toml::Table, hash: &str) -> String {
        let is_there = settings.get("agents").is_some_and(|it| it.get(&self.agent).is_some());
        // A dot would begin a table of its own.
        let id = if self.agent.contains('.') {
            format!("\"{}\"", self.agent)
        } else {
            self.agent.clone()
        };
        let mut lines = format!("[components.{COMPONENT}.settings.agents.{id}]\n");
        if !is_there {
            let projects = settings.get("projects").and_then(toml::Value::as_table);
            let projects: Vec<_> =
                projects.into_iter().flatten().map(|it| format!("\"{}\"", it.0)).collect();
            let projects =
                if projects.is_empty() { "\"PROJECT\"".to_owned() } else { projects.join(", ") };
            lines += &format!("name = \"{}\"\nprojects = [{projects}]\n", self.agent);
        }
        lines + &format!("passkey = \"{hash}\"\n")
    }
}

fn is_id(text: &str) -> bool {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    let begins = text.starts_with(|it: char| it.is_ascii_alphanumeric());
    begins && text.len() <= ID_CHARS_MAX && text.chars().all(fits)
}

/// Generates a passkey of 256 random bits.
fn fresh() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let hex: String = bytes.iter().map(|it| format!("{it:02x}")).collect();
    Ok(format!("{PREFIX}{hex}"))
}

/// Reads the first line of `input`.
fn brought(input: impl Read + IsTerminal) -> anyhow::Result<String> {
    if input.is_terminal() {
        complain("type the passkey and press Enter; it is shown as you type");
    }
    // One character of UTF-8 has four bytes at most; then there is the end of the line.
    let most = 4 * CHARS_MAX as u64 + 2;
    let mut bytes = Vec::new();
    let mut byte = [0];
    let mut input = input.take(most + 1);
    while input.read(&mut byte).context("standard input")? == 1 && byte[0] != b'\n' {
        bytes.push(byte[0]);
    }
    let line = String::from_utf8(bytes).ok().context("the passkey is no UTF-8 text")?;
    let passkey = line.strip_suffix('\r').unwrap_or(&line);
    let is_text = !passkey.chars().any(char::is_control);
    if !is_text || !(CHARS_MIN..=CHARS_MAX).contains(&passkey.chars().count()) {
        bail!("a passkey is one line of {CHARS_MIN} to {CHARS_MAX} characters");
    }
    Ok(passkey.to_owned())
}

/// Returns the hash to store for a passkey (CONV-83).
fn hash(passkey: &str) -> anyhow::Result<String> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(io::Error::other)?;
    let hash: Result<PasswordHash, _> = Params::new(MEMORY_KIB, PASSES, 1, None)
        .map(|it| Argon2::new(Algorithm::Argon2id, Version::V0x13, it))
        .map_err(|error| anyhow::anyhow!("argon2: {error}"))?
        .hash_password_with_salt(passkey.as_bytes(), &salt);
    Ok(hash.map_err(|error| anyhow::anyhow!("argon2: {error}"))?.to_string())
}
