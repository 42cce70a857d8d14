//! Macros that export tools, resources, prompts and other parts of a component, and the run of one call.

pub use crate::bindings::{
    completions::exports::madoguchi::tool::completions::Guest as Completions,
    prompts::exports::madoguchi::tool::prompts::{
        Definition as PromptDefinition, Guest as Prompts, Invocation as PromptInvocation,
        Output as PromptOutput,
    },
    resources::{
        exports::madoguchi::tool::resources::Guest as ResourcesGuest,
        madoguchi::tool::stops::Stop as OfferStop,
    },
};
use crate::{
    Invocation, Output, Stop, Tool, User, arguments,
    bindings::resources::madoguchi::tool::stops::{InputRequired, Refusal, Unavailable},
    definition::json,
    invalid,
};

/// Runs one call of `T`.
///
/// # Errors
/// The tool's stop, or invalid arguments.
pub fn run<T: Tool>(invocation: Invocation) -> Result<Output, Stop> {
    let read = if T::HOLDS_SCHEMA { arguments::read_checked } else { arguments::read };
    let tool: T = read(&invocation.arguments).map_err(Stop::InvalidArguments)?;
    let Invocation { answers, state, meta, first_called_at, .. } = invocation;
    let user = User::new(answers, state, meta, first_called_at);
    let output = tool.call(&user).map_err(|it| user.stop(it))?;
    // Structured output is an object in MCP; a tool with the output `()` has only shown content.
    let structured = Some(json(&output)).filter(|it| it != "null");
    let (content, meta) = user.shown();
    Ok(Output { structured, content, meta })
}

/// Serializes `value` as JSON.
#[must_use]
pub fn written(value: &impl serde::Serialize) -> String {
    json(value)
}

/// The component has no such tool.
#[must_use]
pub fn unknown(name: &str) -> Stop {
    invalid("", format!("This component has no tool named {name}."))
}

/// Whether a tool can be called so.
#[doc(hidden)]
#[must_use]
pub const fn is_name(name: &str) -> bool {
    let (name, mut at) = (name.as_bytes(), 0);
    while at < name.len() {
        if !(name[at].is_ascii_alphanumeric() || matches!(name[at], b'_' | b'.' | b'-')) {
            return false;
        }
        at += 1;
    }
    0 < at && at <= 128
}

/// Whether no two of `names` are the same.
#[doc(hidden)]
#[must_use]
pub const fn are_distinct(names: &[&str]) -> bool {
    let mut one = 0;
    while one < names.len() {
        let mut other = 0;
        while other < one {
            if is_same(names[one].as_bytes(), names[other].as_bytes()) {
                return false;
            }
            other += 1;
        }
        one += 1;
    }
    true
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Exports the listed tools, in the order in which people should see them; none for a component that
/// only understands sentences.
///
/// A file before them, `readings "readings.txt";`, has a line `座席 ざせき` for each word of their titles that kana do
/// not write, so that people who type kana find them.
#[macro_export]
macro_rules! export_tools {
    (readings $readings:literal; $($tool:ty),* $(,)?) => {
        $crate::export_tools!(@ include_str!($readings); $($tool),*);
    };
    (@ $readings:expr; $($tool:ty),*) => {
        $(const _: () = assert!(
            $crate::export::is_name(<$tool as $crate::Tool>::NAME),
            concat!("NAME of ", stringify!($tool), ": 1 to 128 of A-Z a-z 0-9 _ . - are right"),
        );)*
        const _: () = assert!(
            $crate::export::are_distinct(&[$(<$tool as $crate::Tool>::NAME),*]),
            concat!("two of the tools ", stringify!($($tool),*), " have the same NAME"),
        );

        #[doc(hidden)]
        pub struct Component;

        impl $crate::Tools for Component {
            fn definitions() -> Vec<$crate::Definition> {
                let all = vec![$($crate::definition::definition::<$tool>()),*];
                $crate::definition::with_readings(all, $readings)
            }

            fn call(invocation: $crate::Invocation) -> Result<$crate::Output, $crate::Stop> {
                match invocation.name.as_str() {
                    $(<$tool as $crate::Tool>::NAME => $crate::export::run::<$tool>(invocation),)*
                    name => Err($crate::export::unknown(name)),
                }
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::export_tools_world!(Component with_types_in $crate::bindings);
    };
    ($($tool:ty),* $(,)?) => {
        $crate::export_tools!(@ ""; $($tool),*);
    };
}

/// Exports the shape of the component's database: one numbered file of SQL a step.
///
/// ```ignore
/// toolkit::export_migrations!(1 "tables" => "../migrations/1-tables.sql");
/// ```
#[macro_export]
macro_rules! export_migrations {
    ($($number:literal $name:literal => $file:literal),+ $(,)?) => {
        impl $crate::Migrations for Component {
            fn migrations() -> Vec<$crate::Migration> {
                vec![$($crate::Migration {
                    number: $number,
                    name: $name.to_owned(),
                    statements: $crate::sql::statements(include_str!($file)),
                }),+]
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::migrations::export_migrations_world!(
            Component with_types_in $crate::bindings::migrations
        );
    };
}

/// Says what the component starts from where the operator says nothing else: a file of TOML as under
/// `[components.NAME]` of a configuration, with `[addresses]` for other addresses of its endpoints and
/// `[assistants.NAME]` for assistants that it brings. It travels in the component's file, where
/// `madoguchi inspect` shows it.
///
/// ```ignore
/// toolkit::export_defaults!("../defaults.toml");
/// ```
///
/// More that begins with a table of its own, as an array of texts, is put behind the file.
#[macro_export]
macro_rules! export_defaults {
    ($file:literal) => {
        $crate::export_defaults!($file, [""; 0]);
    };
    ($file:literal, $more:expr) => {
        const _: () = {
            const MORE: &[&str] = &$more;
            const LENGTH: usize = $crate::export::joined_length(include_str!($file), MORE);
            #[cfg(target_arch = "wasm32")]
            #[allow(unsafe_code, reason = "a section that nothing reads at run time")]
            #[used]
            #[unsafe(link_section = "madoguchi:defaults")]
            static DEFAULTS: [u8; LENGTH] = $crate::export::joined(include_str!($file), MORE);
        };
    };
}

/// Exports a function `fn() -> Result<(), Vec<Problem>>` that prepares the component from its settings, all or nothing.
#[macro_export]
macro_rules! export_configured {
    ($configure:path) => {
        impl $crate::Configured for Component {
            fn configured() -> Result<(), Vec<$crate::Problem>> {
                $configure()
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::configured::export_configured_world!(
            Component with_types_in $crate::bindings::configured
        );
    };
}

/// Exports a function `fn() -> Result<(), E>`, with `E` any [`std::fmt::Display`], that runs at the
/// interval set by the operator.
#[macro_export]
macro_rules! export_schedule {
    ($run:path) => {
        impl $crate::Scheduled for Component {
            fn run() -> Result<(), String> {
                $run().map_err(|it| it.to_string())
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::schedule::export_schedule_world!(
            Component with_types_in $crate::bindings::schedule
        );
    };
}

/// Exports two functions: `fn(&[String]) -> Result<jobs::Agenda, E>`, which lists the jobs to run, and
/// `fn(jobs::Job) -> Result<jobs::Outcome, E>`, which runs one, with `E` any [`std::fmt::Display`].
#[macro_export]
macro_rules! export_jobs {
    ($due:path, $run:path) => {
        impl $crate::jobs::Guest for Component {
            fn due(running: Vec<String>) -> Result<$crate::jobs::Agenda, String> {
                $due(&running).map_err(|it| it.to_string())
            }

            fn run(job: $crate::jobs::Job) -> Result<$crate::jobs::Outcome, String> {
                $run(job).map_err(|it| it.to_string())
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::jobs::export_jobs_world!(
            Component with_types_in $crate::bindings::jobs
        );
    };
}

/// Exports a function `fn(dialogue::Turn) -> Result<dialogue::Reply, E>`, with `E` any
/// [`std::fmt::Display`], that replies to a turn of a conversation.
#[macro_export]
macro_rules! export_dialogue {
    ($next:path) => {
        impl $crate::dialogue::Guest for Component {
            fn next(turn: $crate::dialogue::Turn) -> Result<$crate::dialogue::Reply, String> {
                $next(turn).map_err(|it| it.to_string())
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::dialogue::export_dialogue_world!(
            Component with_types_in $crate::bindings::dialogue
        );
    };
}

/// Exports two functions: `fn(assistants::Task, Option<assistants::running::Role>) -> T`, with `T` any
/// [`serde::Serialize`], which runs a task of an assistant to its end, and `fn(String) ->
/// Option<assistants::Facts>`, which describes an assistant.
#[macro_export]
macro_rules! export_runs {
    ($run:path, $about:path) => {
        impl $crate::assistants::running::Guest for Component {
            fn run(
                task: $crate::assistants::Task,
                role: Option<$crate::assistants::running::Role>,
            ) -> String {
                $crate::export::written(&$run(task, role))
            }

            fn about(assistant: String) -> Option<$crate::assistants::Facts> {
                $about(assistant)
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::runs::export_runs_world!(
            Component with_types_in $crate::bindings::runs
        );
    };
}

/// Exports a function `fn() -> Result<Vec<dialogue::Name>, E>`, with `E` any [`std::fmt::Display`],
/// that lists the names of the component's data.
#[macro_export]
macro_rules! export_names {
    ($names:path) => {
        impl $crate::dialogue::Names for Component {
            fn names() -> Result<Vec<$crate::dialogue::Name>, String> {
                $names().map_err(|it| it.to_string())
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::names::export_names_world!(
            Component with_types_in $crate::bindings::names
        );
    };
}

/// Exports a function `fn(&str) -> Vec<dialogue::Sample>` that lists example sentences in a language,
/// by its BCP 47 tag.
#[macro_export]
macro_rules! export_samples {
    ($samples:path) => {
        impl $crate::dialogue::Samples for Component {
            fn samples(language: String) -> Vec<$crate::dialogue::Sample> {
                $samples(&language)
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::samples::export_samples_world!(
            Component with_types_in $crate::bindings::samples
        );
    };
}

/// Exports a function `fn(&endpoints::Request) -> Result<T, endpoints::Failure>`, with `T` any
/// [`serde::Serialize`], that answers `GET /api/COMPONENT/PATH`.
#[macro_export]
macro_rules! export_endpoints {
    ($get:path) => {
        impl $crate::Endpoints for Component {
            fn get(
                request: $crate::endpoints::Request,
            ) -> Result<String, $crate::endpoints::Failure> {
                $crate::endpoints::answer($get(&request))
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::endpoints::export_endpoints_world!(
            Component with_types_in $crate::bindings::endpoints
        );
    };
}

/// Exports a function `fn() -> Vec<routes::Route>`: the paths that the component answers, each with its
/// function; see [`routes`](crate::routes).
#[macro_export]
macro_rules! export_routes {
    ($routes:path) => {
        impl $crate::routes::Guest for Component {
            fn routes() -> Vec<$crate::routes::Declared> {
                $crate::routes::declared($routes())
            }

            fn handle(
                request: $crate::routes::Request,
            ) -> Result<$crate::routes::Answer, $crate::export::OfferStop> {
                $crate::routes::handle(&$routes(), &request)
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::routes::export_routes_world!(
            Component with_types_in $crate::bindings::routes
        );
    };
}

/// Exports a function `fn() -> Vec<Example>`: the component's examples in order; see [`example`](crate::example()).
#[macro_export]
macro_rules! export_examples {
    ($examples:path) => {
        impl $crate::Examples for Component {
            fn examples() -> Vec<$crate::Example> {
                $examples()
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::examples::export_examples_world!(
            Component with_types_in $crate::bindings::examples
        );
    };
}

/// Total bytes of a text and those after it.
#[doc(hidden)]
#[must_use]
pub const fn joined_length(first: &str, more: &[&str]) -> usize {
    let mut length = first.len();
    let mut at = 0;
    while at < more.len() {
        length += more[at].len();
        at += 1;
    }
    length
}

/// Concatenates a text and those after it.
#[doc(hidden)]
#[must_use]
pub const fn joined<const LENGTH: usize>(first: &str, more: &[&str]) -> [u8; LENGTH] {
    let mut all = [0; LENGTH];
    let (head, mut rest) = all.split_at_mut(first.len());
    head.copy_from_slice(first.as_bytes());
    let mut at = 0;
    while at < more.len() {
        let (head, tail) = rest.split_at_mut(more[at].len());
        head.copy_from_slice(more[at].as_bytes());
        rest = tail;
        at += 1;
    }
    all
}

// Export of resources, prompts and completions; their stops have the same texts as a tool's.
impl From<Stop> for OfferStop {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::InputRequired(input) => Self::InputRequired(InputRequired {
                questions: input.questions,
                state: input.state,
            }),
            Stop::InvalidArguments(problems) => Self::InvalidArguments(problems),
            Stop::Refused(refusal) => Self::Refused(Refusal {
                code: refusal.code,
                message: refusal.message,
                status: refusal.status,
                details: refusal.details,
            }),
            Stop::Unavailable(failure) => Self::Unavailable(Unavailable {
                message: failure.message,
                retry_after_ms: failure.retry_after_ms,
            }),
            Stop::Wait(_) => Self::Unavailable(Unavailable {
                message: "This needs a call of a tool.".to_owned(),
                retry_after_ms: None,
            }),
        }
    }
}

/// Exports a type that implements [`Resources`](crate::resources::Resources).
#[macro_export]
macro_rules! export_resources {
    ($resources:ty) => {
        impl $crate::export::ResourcesGuest for Component {
            fn templates() -> Vec<$crate::resources::Template> {
                <$resources as $crate::resources::Resources>::templates()
            }

            fn list(
                cursor: Option<String>,
            ) -> Result<$crate::resources::Page, $crate::export::OfferStop> {
                let page = <$resources as $crate::resources::Resources>::list(cursor.as_deref());
                page.map_err(Into::into)
            }

            fn read(
                request: $crate::resources::Request,
            ) -> Result<Vec<$crate::resources::Contents>, $crate::export::OfferStop> {
                $crate::resources::run::<$resources>(request)?
                    .ok_or($crate::export::OfferStop::NotFound)
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::resources::export_resources_world!(
            Component with_types_in $crate::bindings::resources
        );
    };
}

/// Exports the listed [prompts](crate::prompt::Prompt), in the order in which people should see them.
#[macro_export]
macro_rules! export_prompts {
    ($($prompt:ty),+ $(,)?) => {
        impl $crate::export::Prompts for Component {
            fn definitions() -> Vec<$crate::export::PromptDefinition> {
                vec![$($crate::prompt::definition::<$prompt>()),+]
            }

            fn get(
                invocation: $crate::export::PromptInvocation,
            ) -> Result<$crate::export::PromptOutput, $crate::export::OfferStop> {
                match invocation.name.as_str() {
                    $(<$prompt as $crate::prompt::Prompt>::NAME => {
                        $crate::prompt::run::<$prompt>(invocation).map_err(Into::into)
                    })+
                    _ => Err($crate::export::OfferStop::NotFound),
                }
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::prompts::export_prompts_world!(
            Component with_types_in $crate::bindings::prompts
        );
    };
}

/// Exports a function `fn(&completions::Request) -> Result<completions::Completion, Stop>` that
/// completes arguments of the component's prompts and templates.
#[macro_export]
macro_rules! export_completions {
    ($complete:path) => {
        impl $crate::export::Completions for Component {
            fn complete(
                request: $crate::completions::Request,
            ) -> Result<$crate::completions::Completion, $crate::export::OfferStop> {
                $complete(&request).map_err(Into::into)
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::bindings::completions::export_completions_world!(
            Component with_types_in $crate::bindings::completions
        );
    };
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::{invalid, refused};

    #[test]
    fn names_of_tools_are_checked_as_they_are_compiled() {
        assert!(is_name("seats.list_2-B") && is_name(&"a".repeat(128)));
        for wrong in ["", "a b", "挨拶", &"a".repeat(129)] {
            assert!(!is_name(wrong), "{wrong}");
        }
        assert!(are_distinct(&[]) && are_distinct(&["a", "ab", "b"]));
        assert!(!are_distinct(&["a", "b", "a"]));
    }

    #[test]
    fn stop_is_the_same_for_every_export() {
        let refusal = OfferStop::from(refused("no", 403, "No."));
        assert!(matches!(&refusal, OfferStop::Refused(it) if it.code == "no" && it.status == 403));
        let problems = OfferStop::from(invalid("/a", "is required"));
        assert!(matches!(&problems, OfferStop::InvalidArguments(it) if it[0].pointer == "/a"));
        let wait = OfferStop::from(Stop::wait(["a://b"], SystemTime::UNIX_EPOCH));
        assert!(matches!(wait, OfferStop::Unavailable(_)), "only tools can wait");
    }
}
