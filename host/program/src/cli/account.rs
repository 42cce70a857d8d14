//! The command `madoguchi account` manages user accounts on the running server.

use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, Subcommand};
use host::{Config, config::tokens::name_problem, scopes::Scope};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Json,
    operator::{list, print_answer},
    running::Server,
};

/// Makes accounts, lists and ends them, with the devices that they have let in.
#[derive(Args)]
pub(crate) struct Account {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    json: Json,
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
    /// times, or several with commas between; a new account may do everything but `operator` where none is given
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
        let scoped = |scoped: &Scoped| {
            let scopes: Vec<_> = scoped.scopes.iter().map(Scope::to_string).collect();
            (!scopes.is_empty()).then(|| json!({ "scopes": scopes }))
        };
        let (method, name, rest, body) = match &self.command {
            Command::New(it) => (Method::POST, &it.name, String::new(), scoped(it)),
            Command::List => {
                return list(config, ("accounts", "accounts"), self.json, lines).await;
            }
            Command::Link(link) => {
                let body = Some(json!({ "anew": link.anew }));
                (Method::POST, &link.name, "/link".to_owned(), body)
            }
            Command::Scopes(it) => (Method::POST, &it.name, "/scopes".to_owned(), scoped(it)),
            Command::Remove(it) => (Method::DELETE, &it.name, String::new(), None),
            Command::Revoke(revoke) => {
                if !revoke.device.bytes().all(|it| it.is_ascii_alphanumeric()) {
                    bail!("{:?} is no device", revoke.device);
                }
                (Method::DELETE, &revoke.name, format!("/devices/{}", revoke.device), None)
            }
        };
        // Becomes part of a URL.
        if let Some(what) = name_problem(name) {
            bail!(what.replace("of a token", "of an account"));
        }
        let path = format!("accounts/{name}{rest}");
        let answer = Server::running(config)?.ask(method, &path, body).await?;
        print_answer(&answer, self.json, |it: &Value| match it["link"].as_str() {
            Some(link) => vec![
                format!("The link for {name}; it works once, within 24 hours:\n"),
                format!("  {link}\n"),
                "There they make a passkey, or choose a password.".to_owned(),
            ],
            None => vec![format!("{name}: done")],
        })
    }
}

/// One account.
#[derive(Deserialize)]
struct Person {
    name: String,
    scopes: Vec<String>,
    password: bool,
    passkeys: u64,
    devices: Vec<LetIn>,
}

/// One device with a grant.
#[derive(Deserialize)]
struct LetIn {
    id: String,
    client: String,
    scopes: Vec<String>,
    last_used: String,
}

/// The accounts as people read them: one line each, and one for each device.
fn lines(accounts: &[Person]) -> Vec<String> {
    let mut lines = Vec::new();
    for Person { name, scopes, password, passkeys, devices } in accounts {
        let password = if *password { ", a password" } else { "" };
        lines.push(format!("{name}  {}  passkeys: {passkeys}{password}", scopes.join(" ")));
        for LetIn { id, client, scopes, last_used } in devices {
            let scopes = scopes.join(" ");
            lines.push(format!("  {id}  {client}  {scopes}  last used {last_used}"));
        }
    }
    if lines.is_empty() {
        lines.push("There is no account; `madoguchi account new NAME` makes one.".to_owned());
    }
    lines
}
