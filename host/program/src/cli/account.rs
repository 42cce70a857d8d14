//! `madoguchi account`: people's accounts on the server that runs on the same data folder.

use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, Subcommand};
use host::{Config, config::tokens::check::name_problem, scopes::Scope};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    operator::tell,
    running::{Server, text},
};

/// Makes accounts, lists and ends them, with the devices that they have let in.
#[derive(Args)]
pub(crate) struct Account {
    #[command(subcommand)]
    command: Command,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Make an account, and show the link with which its person chooses how to sign in
    New(Scoped),
    /// List the accounts, with the devices of each
    List,
    /// Make a new link for an account: it works once, for a day
    Link(Linked),
    /// Change what an account may do
    Scopes(Scoped),
    /// Remove an account; whatever it has let in is out at once
    Remove(Named),
    /// End what one device of an account may do
    Revoke(Device),
}

#[derive(Args)]
struct Named {
    /// The account's name
    name: String,
}

#[derive(Args)]
struct Linked {
    /// The account's name
    name: String,
    /// Using it takes back every passkey, the password and all that was let in, as after a loss
    #[arg(long)]
    anew: bool,
}

#[derive(Args)]
struct Scoped {
    /// The account's name: a person, as the audit log shows them
    name: String,
    /// What it may do at most: *, component:NAME, tool:NAME, server:NAME, read-only or operator; may be given several
    /// times, or several with commas between; everything but `operator` where none is given
    #[arg(long = "scopes", visible_alias = "scope", value_name = "SCOPE", value_delimiter = ',')]
    scopes: Vec<Scope>,
}

#[derive(Args)]
struct Device {
    /// The account's name
    name: String,
    /// The device, as `madoguchi account list` shows it
    device: String,
}

impl Account {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let scoped = |it: &Scoped| {
            let scopes: Vec<_> = it.scopes.iter().map(Scope::to_string).collect();
            if scopes.is_empty() {
                Vec::new()
            } else {
                json!({ "scopes": scopes }).to_string().into_bytes()
            }
        };
        let (method, name, rest, body) = match &self.command {
            Command::New(it) => (Method::POST, &it.name, String::new(), scoped(it)),
            Command::List => {
                let response =
                    Server::of(config)?.send(Method::GET, "accounts", Vec::new()).await?;
                return tell(&text(response).await?, self.json, lines);
            }
            Command::Link(it) => {
                let body = json!({ "anew": it.anew }).to_string().into_bytes();
                (Method::POST, &it.name, "/link".to_owned(), body)
            }
            Command::Scopes(it) => (Method::POST, &it.name, "/scopes".to_owned(), scoped(it)),
            Command::Remove(it) => (Method::DELETE, &it.name, String::new(), Vec::new()),
            Command::Revoke(it) => {
                if !it.device.bytes().all(|it| it.is_ascii_alphanumeric()) {
                    bail!("{:?} is no device", it.device);
                }
                (Method::DELETE, &it.name, format!("/devices/{}", it.device), Vec::new())
            }
        };
        // It becomes a part of an address.
        if let Some(what) = name_problem(name) {
            bail!(what.replace("of a token", "of an account"));
        }
        let path = format!("accounts/{name}{rest}");
        let answer = text(Server::of(config)?.send(method, &path, body).await?).await?;
        tell(&answer, self.json, |it: &Value| match it["link"].as_str() {
            Some(link) => vec![
                format!("The link for {name}; it works once, within 24 hours:\n"),
                format!("  {link}\n"),
                "There they make a passkey, or choose a password.".to_owned(),
            ],
            None => vec![format!("{name}: done")],
        })
    }
}

/// The accounts as people read them: one line each, and one for each device.
fn lines(listed: &Value) -> Vec<String> {
    let all = |it: &Value, name: &str| it[name].as_array().cloned().unwrap_or_default();
    let word = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    let scopes = |it: &Value| {
        let scopes = all(it, "scopes");
        scopes.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
    };
    let mut lines = Vec::new();
    for account in all(listed, "accounts") {
        let password = if account["password"] == true { ", a password" } else { "" };
        lines.push(format!(
            "{}  {}  passkeys: {}{password}",
            word(&account, "name"),
            scopes(&account),
            account["passkeys"],
        ));
        for device in all(&account, "devices") {
            lines.push(format!(
                "  {}  {}  {}  last used {}",
                word(&device, "id"),
                word(&device, "client"),
                scopes(&device),
                word(&device, "last_used"),
            ));
        }
    }
    if lines.is_empty() {
        lines.push("There is no account; `madoguchi account new NAME` makes one.".to_owned());
    }
    lines
}
