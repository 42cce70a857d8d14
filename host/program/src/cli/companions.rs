//! Commands that lie beside the program: `madoguchi NAME` runs `madoguchi-NAME`. So tools bring commands
//! of their own, and this program knows none of them.

use std::{
    collections::BTreeMap,
    env::consts::EXE_SUFFIX,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use anyhow::Context;
use clap::{Arg, ArgMatches, Command, Parser, value_parser};

/// How their files' names begin.
const PREFIX: &str = "madoguchi-";
/// Everything that follows their name.
const REST: &str = "arguments";

/// The arguments as `T` reads them, and as they were given; where they name a companion, it has run, and its exit code
/// is there.
///
/// # Errors
/// When the companion cannot be started.
pub(crate) fn parse<T: Parser>() -> anyhow::Result<Result<(T, ArgMatches), ExitCode>> {
    let program = std::env::current_exe().ok();
    let companions = program.as_deref().and_then(Path::parent).map(beside).unwrap_or_default();
    let mut command = T::command();
    for name in companions.keys() {
        if command.find_subcommand(name).is_none() {
            command = command.subcommand(companion(name));
        }
    }
    let matches = command.get_matches();
    let asked = matches.subcommand();
    let own = |name: &str| T::command().find_subcommand(name).is_some();
    let asked = asked.filter(|it| !own(it.0));
    if let Some((name, arguments)) = asked
        && let Some(program) = companions.get(name)
    {
        let mut process = process::Command::new(program);
        process.args(arguments.get_many::<OsString>(REST).into_iter().flatten());
        if let Some(config) = matches.get_one::<PathBuf>("config") {
            process.env("MADOGUCHI_CONFIG", config);
        }
        let ended = process.status().with_context(|| program.display().to_string())?;
        let code = ended.code().and_then(|it| u8::try_from(it).ok());
        return Ok(Err(code.map_or(ExitCode::FAILURE, ExitCode::from)));
    }
    let read = T::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    Ok(Ok((read, matches)))
}

/// The command line of a companion: it reads its arguments itself.
fn companion(name: &str) -> Command {
    let rest = Arg::new(REST)
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true)
        .value_parser(value_parser!(OsString));
    let about = format!("Run {PREFIX}{name}, which lies beside this program");
    Command::new(name.to_owned()).about(about).disable_help_flag(true).arg(rest)
}

/// The companions in `folder`, by name.
fn beside(folder: &Path) -> BTreeMap<String, PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let companion = |file: std::fs::DirEntry| {
        let path = file.path();
        let name = name_of(path.file_name()?.to_str()?)?.to_owned();
        path.is_file().then_some((name, path))
    };
    files.filter_map(companion).collect()
}

/// The command that a file of this name is.
fn name_of(file: &str) -> Option<&str> {
    let name = file.strip_prefix(PREFIX)?.strip_suffix(EXE_SUFFIX)?;
    let is_name = name.chars().all(|it| it.is_ascii_lowercase() || it == '-');
    (is_name && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_file_whose_name_begins_with_the_programs() {
        let found = |file: &str| name_of(&format!("{file}{EXE_SUFFIX}")).map(str::to_owned);
        assert_eq!(found("madoguchi-import-map").as_deref(), Some("import-map"));
        for other in ["madoguchi", "madoguchi-", "madoguchi-add.d", "madoguchi-0f", "other-add"] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
