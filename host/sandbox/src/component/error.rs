//! Why a component could not be loaded, and why a call brought no output.

use std::{path::Path, sync::Arc};

use super::{Problem, Stop};
use crate::definition::{DefinitionError, OfferError};
use base::{grants, settings};
use store::database;

/// Why a component could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read or written.
    #[error("the file cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// It is no component for this host.
    #[error("it is not a WebAssembly component that this host can compile: {0:#}")]
    Compile(wasmtime::Error),
    /// Compiling it would take, or took, more than it may.
    #[error("it exceeds {limit}: {what}; see [sandbox] in the configuration")]
    TooMuch {
        /// The limit, as it is called in the configuration.
        limit: &'static str,
        /// What was found.
        what: String,
    },
    /// Its limits are such that nothing could run.
    #[error("its limits: {0}")]
    Limits(String),
    /// It wants what it was not granted.
    #[error(transparent)]
    Refused(#[from] grants::Refused),
    /// It does not fit the contract.
    #[error("it does not fit the contract madoguchi:tool: {0:#}")]
    Link(wasmtime::Error),
    /// It does not run as far as describing itself.
    #[error("it does not describe itself: {0}")]
    Describe(CallError),
    /// It describes a tool that cannot be offered.
    #[error(transparent)]
    Definition(DefinitionError),
    /// It describes a prompt, a resource or a template that cannot be offered.
    #[error(transparent)]
    Offer(#[from] OfferError),
    /// What it says of its resources cannot be offered.
    #[error("its resources: {0}")]
    Resources(String),
    /// It declares routes that cannot be answered.
    #[error("its routes: {0}")]
    Routes(String),
    /// Its database cannot be opened.
    #[error("its database: {0}")]
    Database(#[from] database::OpenError),
    /// Its database can be read and not written.
    #[error(
        "its database can only be read, for the disk of the data folder takes nothing: make room there. What changes something is answered `unavailable` until then"
    )]
    Frozen,
    /// Its database was found to be damaged while it was in use.
    #[error("{0}")]
    Damaged(String),
    /// Its database cannot be brought to its shape.
    #[error("its migrations: {0}")]
    Migrate(database::MigrateError),
    /// A setting cannot be read.
    #[error(transparent)]
    Settings(#[from] settings::SettingsError),
    /// A secret for one of its hosts cannot be used.
    #[error(transparent)]
    Secret(#[from] grants::hosts::SecretError),
    /// A file or a folder that it is granted cannot be opened.
    #[error(transparent)]
    Reach(#[from] crate::capability::reach::ReachError),
    /// It does not accept its settings.
    #[error("it does not accept its settings: {}", problems(.0))]
    Configure(Vec<Problem>),
    /// An example of its own does not hold.
    #[error("its example {name:?} does not hold: {found}")]
    Example {
        /// The example's name.
        name: String,
        /// What came in place of what was expected.
        found: String,
    },
    /// It wants what the version before it did not need.
    #[error(
        "it wants {wanted}, which generation {before} did not need; to let it, run: madoguchi accept {component}"
    )]
    Greedier {
        /// Who.
        component: String,
        /// The generation that serves.
        before: u64,
        /// The imports and grants that are new.
        wanted: String,
    },
    /// It says what it needs, and the operator has not given it that yet.
    #[error("it waits to be allowed, with: madoguchi accept {component}; {asked}")]
    Asks {
        /// Who.
        component: String,
        /// What it would do, in sentences.
        asked: String,
    },
    /// What it says that it needs cannot be given.
    #[error("what it asks for cannot be given: {0}")]
    Unusable(String),
    /// Calls that fitted the version before it may fail with this one.
    #[error(
        "it breaks callers of generation {before}: {breaks}; to let it all the same, run: madoguchi accept {component}"
    )]
    Breaking {
        /// Who.
        component: String,
        /// The generation that serves.
        before: u64,
        /// Each break.
        breaks: String,
    },
    /// It was tried, and sent back.
    #[error(
        "it was generation {number}, which was {status}; to try it again, run: madoguchi rollback {component} --to {number}; or put another build in its place"
    )]
    Rejected {
        /// Who.
        component: String,
        /// The generation that it was.
        number: u64,
        /// How that ended.
        status: super::Status,
    },
    /// Another component offers one of its tools, prompts or resources.
    #[error(transparent)]
    NameClash(#[from] NameClash),
}

impl LoadError {
    /// Whether the operator's word lets the build serve.
    pub fn waits_for_leave(&self) -> bool {
        matches!(self, Self::Greedier { .. } | Self::Breaking { .. } | Self::Asks { .. })
    }

    /// The file or folder that the message names, where it names one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Settings(
                settings::SettingsError::Read { path, .. }
                | settings::SettingsError::Json { path, .. },
            ) => Some(path),
            Self::Secret(grants::hosts::SecretError::File { file, .. }) => Some(Path::new(file)),
            Self::Reach(it) => Some(&it.path),
            _ => None,
        }
    }
}

/// Why a call brought no output.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// No component offers the tool.
    #[error("unknown tool {tool:?}")]
    UnknownTool {
        /// What was asked for.
        tool: String,
        /// Tools whose names come close.
        similar: Vec<String>,
    },
    /// No component offers the prompt.
    #[error("unknown prompt {name:?}")]
    UnknownPrompt {
        /// What was asked for.
        name: String,
    },
    /// No component has the resource, or its component knows nothing of it.
    #[error("unknown resource {uri:?}")]
    UnknownResource {
        /// What was asked for.
        uri: String,
    },
    /// The caller's scopes do not reach so far.
    #[error("the scope {scope} is missing")]
    Forbidden {
        /// What would let them.
        scope: String,
    },
    /// The answers carried along do not belong to this call.
    #[error("{0}")]
    State(#[from] StateError),
    /// The tool stopped, in its own words: for the caller to read.
    #[error("stopped: {0:?}")]
    Stopped(Stop),
    /// The component broke its contract: for the log, never for the caller.
    #[error("{component} trapped in call {call_id}: {source:#}")]
    Trapped {
        /// Whose fault it is.
        component: Arc<str>,
        /// Which call, as in the log.
        call_id: u64,
        /// What happened.
        source: wasmtime::Error,
    },
    /// The component put out what it must not.
    #[error("{component} broke its contract in call {call_id}: {what}")]
    Broken {
        /// Whose fault it is.
        component: Arc<str>,
        /// Which call, as in the log.
        call_id: u64,
        /// What it did.
        what: String,
    },
    /// The call took more than it may.
    #[error("{component} exceeded {limit} in call {call_id}")]
    LimitExceeded {
        /// Whose fault it is.
        component: Arc<str>,
        /// Which call, as in the log.
        call_id: u64,
        /// The limit, as it is called in the configuration.
        limit: &'static str,
    },
    /// It did not accept its settings when it was started first, and so serves nothing.
    #[error("the settings of {component} are refused")]
    SettingsRefused {
        /// Which component.
        component: Arc<str>,
    },
    /// All places are taken, and the queue is full or did not move in time.
    #[error("{component} is busy")]
    Busy {
        /// Who is busy.
        component: Arc<str>,
        /// When there is likely to be a place.
        retry_after_ms: u64,
    },
}

/// `problems` in one line, for a log.
fn problems(problems: &[Problem]) -> String {
    let each = problems.iter().map(|it| match it.pointer.as_str() {
        "" => it.message.clone(),
        pointer => format!("{pointer}: {}", it.message),
    });
    each.collect::<Vec<_>>().join("; ")
}

/// Two components offer the same.
#[derive(Debug, thiserror::Error)]
#[error(
    "it offers the {what} {name}, which component {incumbent} offers already; rename one, or take one of the two out of the component folder"
)]
pub struct NameClash {
    /// A tool, a prompt, a resource or a template.
    pub what: &'static str,
    /// Its name, or its URI.
    pub name: Arc<str>,
    /// Who offered it first.
    pub incumbent: Arc<str>,
}

impl CallError {
    /// The same, where the limit `found` that was exceeded is called `named`.
    pub(super) fn of_limit(self, found: &str, named: &'static str) -> Self {
        match self {
            Self::LimitExceeded { component, call_id, limit } if limit == found => {
                Self::LimitExceeded { component, call_id, limit: named }
            }
            other => other,
        }
    }
}

/// Why a state does not belong to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// It was made elsewhere, or changed.
    #[error(
        "requestState: not one that this server gave out; send it back unchanged, or call again without it"
    )]
    Forged,
    /// Too much time has passed.
    #[error("requestState: it has expired; call again without it to be asked again")]
    Expired,
    /// It was given out for something else.
    #[error(
        "requestState: it belongs to another call; send the same name and arguments as before, or call again without it"
    )]
    Foreign,
    /// The call that it belongs to has ended, or another round of it runs.
    #[error("requestState: it has been answered and used; call again without it to be asked again")]
    Spent,
    /// There are answers without it.
    #[error("inputResponses: they need the requestState that came with the questions")]
    Missing,
    /// What came with them is none.
    #[error(
        "inputResponses: each must be an answer, with an action, or a result with role and content or with roots"
    )]
    NoAnswer,
}
