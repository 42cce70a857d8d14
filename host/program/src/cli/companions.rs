//! Companion commands: `madoguchi NAME` runs `madoguchi-NAME` from the program's folder, so that tools can add
//! commands.

use std::{
    collections::BTreeMap,
    env::consts::EXE_SUFFIX,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use anyhow::Context;
use clap::{Arg, ArgMatches, Command, Parser, builder::Resettable, error::ErrorKind, value_parser};

use super::print_error;

/// Prefix of their file names.
const PREFIX: &str = "madoguchi-";
/// Everything that follows their name.
const ARGUMENTS: &str = "arguments";

/// The arguments as `T` reads them, and as they were given; where they name a companion, it has run, and its exit code
/// is there.
///
/// # Errors
/// When the companion cannot be started.
pub(crate) fn parse<T: Parser>() -> anyhow::Result<Result<(T, ArgMatches), ExitCode>> {
    let program = std::env::current_exe().ok();
    let companions =
        program.as_deref().and_then(Path::parent).map(companions_in).unwrap_or_default();
    let mut command = without_empty(T::command(), |it| std::env::var_os(it));
    for name in companions.keys() {
        if command.find_subcommand(name).is_none() {
            command = command.subcommand(companion(name));
        }
    }
    let matches = command.try_get_matches().unwrap_or_else(|error| {
        let _ = error.print();
        if error.kind() == ErrorKind::InvalidSubcommand {
            print_error(&commands(&T::command(), std::env::args().skip(1)));
        }
        process::exit(error.exit_code())
    });
    let asked = matches.subcommand();
    let own = |name: &str| T::command().find_subcommand(name).is_some();
    let asked = asked.filter(|it| !own(it.0));
    if let Some((name, arguments)) = asked
        && let Some(program) = companions.get(name)
    {
        let mut process = process::Command::new(program);
        process.args(arguments.get_many::<OsString>(ARGUMENTS).into_iter().flatten());
        match matches.get_one::<PathBuf>("config") {
            Some(config) => process.env("MADOGUCHI_CONFIG", config),
            None => process.env_remove("MADOGUCHI_CONFIG"),
        };
        let ended = process.status().with_context(|| program.display().to_string())?;
        let code = ended.code().and_then(|it| u8::try_from(it).ok());
        return Ok(Err(code.map_or(ExitCode::FAILURE, ExitCode::from)));
    }
    let read = T::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    Ok(Ok((read, matches)))
}

/// Which commands there are, where `arguments` name one that is none.
fn commands(program: &Command, arguments: impl Iterator<Item = String>) -> String {
    let (name, within) = arguments.fold(
        ("madoguchi".to_owned(), program),
        |(name, command), argument| match command.find_subcommand(&argument) {
            Some(found) => (format!("{name} {argument}"), found),
            None => (name, command),
        },
    );
    if std::ptr::eq(within, program) {
        return "without a command this program serves; `madoguchi help` lists the commands, of which some are programs beside it, called madoguchi-NAME".to_owned();
    }
    let names: Vec<_> = within.get_subcommands().map(Command::get_name).collect();
    format!("`{name}` has the commands {}", names.join(", "))
}

/// `command` without the variables that are empty: they say nothing.
fn without_empty(command: Command, variable: impl Fn(&OsStr) -> Option<OsString>) -> Command {
    command.mut_args(|argument| {
        let is_empty = argument.get_env().and_then(&variable).is_some_and(|it| it.is_empty());
        if is_empty { argument.env(Resettable::Reset) } else { argument }
    })
}

/// The command line of a companion: it reads its arguments itself.
fn companion(name: &str) -> Command {
    let rest = Arg::new(ARGUMENTS)
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true)
        .value_parser(value_parser!(OsString));
    let about = format!("Run {PREFIX}{name}, which lies beside this program");
    Command::new(name.to_owned()).about(about).disable_help_flag(true).arg(rest)
}

/// The companions in `folder`, by name.
fn companions_in(folder: &Path) -> BTreeMap<String, PathBuf> {
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
    fn empty_variable_counts_as_unset() {
        let command = || Command::new("x").arg(Arg::new("data").long("data").env("PATH"));
        let given = |value: &str| {
            let command = without_empty(command(), |_| Some(value.into()));
            command.get_matches_from(["x"]).contains_id("data")
        };
        assert!(given("/data") && !given(""));
    }

    #[test]
    fn names_the_commands_of_what_was_given() {
        let token = Command::new("token").subcommands([Command::new("new"), Command::new("list")]);
        let program = Command::new("madoguchi").subcommand(token);
        let of = |given: &[&str]| commands(&program, given.iter().map(|it| (*it).to_owned()));
        assert!(of(&["serve"]).contains("madoguchi help"));
        assert_eq!(of(&["--json", "token", "zap"]), "`madoguchi token` has the commands new, list");
    }

    #[test]
    fn finds_commands_by_program_prefix() {
        let found = |file: &str| name_of(&format!("{file}{EXE_SUFFIX}")).map(str::to_owned);
        assert_eq!(found("madoguchi-import-map").as_deref(), Some("import-map"));
        for other in ["madoguchi", "madoguchi-", "madoguchi-add.d", "madoguchi-0f", "other-add"] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
