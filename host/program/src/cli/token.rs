//! The command `madoguchi token` creates tokens and lists the configured ones.

use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::{Args, Subcommand};
use host::{
    Config,
    authorization::{FreshToken, expiry},
    config::tokens::name_problem,
    scopes::Scope,
};
use jiff::Timestamp;
use serde_json::json;

use super::{Json, print_error, print_line};

/// Makes tokens and lists them.
#[derive(Args)]
pub(crate) struct Token {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a token, and show it once with the lines for the configuration
    New(New),
    /// List the tokens of the configuration: whose, for what, until when
    List(Json),
}

#[derive(Args)]
struct New {
    /// Whose it is: the name that components, the audit log and metrics see
    name: String,
    /// What it may do: *, component:NAME, tool:NAME, server:NAME, read-only or operator; may be given several
    /// times; everything but `operator` where none is given
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<Scope>,
    /// When it expires: 90d, 12h, 2w, a date, or a date with a time; never where this is not given
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
    #[command(flatten)]
    json: Json,
}

impl Token {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        match self.command {
            Command::New(new) => new.run(config),
            Command::List(json) => list(json, config),
        }
    }
}

impl New {
    fn run(mut self, config: &Config) -> anyhow::Result<ExitCode> {
        if let Some(what) = name_problem(&self.name) {
            bail!(what);
        }
        if config.tokens.contains_key(&self.name) {
            bail!(
                "the configuration has a [tokens.{}] already; take it out first, or choose another name",
                self.name
            );
        }
        if self.scopes.is_empty() {
            self.scopes.push(Scope::All);
        }
        let now = Timestamp::now();
        let expires = self.expires.as_ref().map(|it| expiry(it, now)).transpose();
        let expires = expires.map_err(|what| anyhow!("--expires: {what}"))?;
        if expires.is_some_and(|it| it <= now) {
            print_error("the token has expired already: nobody will get in with it");
        }
        let fresh = FreshToken::new(&self.name, &self.scopes, expires)?;
        if self.json.is_wanted {
            let object = json!({
                "name": self.name,
                "token": fresh.token,
                "sha256": fresh.sha256,
                "scopes": self.scopes.iter().map(Scope::to_string).collect::<Vec<_>>(),
                "expires": expires.map(|it| it.to_string()),
                "configuration": fresh.configuration,
            });
            print_line(&serde_json::to_string_pretty(&object)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        print_line("The token, shown this once and written nowhere:\n")?;
        print_line(&format!("  {}\n", fresh.token))?;
        print_line("Clients send it as `Authorization: Bearer TOKEN`. Into the configuration:\n")?;
        print_line(&fresh.configuration)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn list(json: Json, config: &Config) -> anyhow::Result<ExitCode> {
    let now = Timestamp::now();
    let is_over = |it: &str| it.parse::<Timestamp>().is_ok_and(|it| it <= now);
    if json.is_wanted {
        let tokens = config.tokens.iter().map(|(name, token)| {
            let has_expired = token.expires.as_deref().is_some_and(is_over);
            let token = json!({
                "scopes": token.scopes,
                "expires": token.expires,
                "expired": has_expired,
                "toolset": token.toolset,
            });
            (name.clone(), token)
        });
        let tokens: serde_json::Map<_, _> = tokens.collect();
        print_line(&serde_json::to_string_pretty(&tokens)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for (name, token) in &config.tokens {
        let until = match token.expires.as_deref() {
            None => "never expires".to_owned(),
            Some(at) if is_over(at) => format!("expired {at}"),
            Some(at) => format!("until {at}"),
        };
        let toolset = token.toolset.as_ref().map(|it| format!(", toolset {it}"));
        let toolset = toolset.unwrap_or_default();
        print_line(&format!("{name}  {}{toolset}  ({until})", token.scopes.join(", ")))?;
    }
    for provider in &config.oauth {
        print_line(&format!("and tokens of {} ([oauth])", provider.issuer))?;
    }
    if !config.requires_authentication() {
        print_line(
            "no tokens: whoever can reach this machine's own addresses may call everything",
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
