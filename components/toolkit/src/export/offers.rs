//! How resources, prompts and completions become part of a component, and how what stops them is
//! reported: with the same texts as a tool's.

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
    Stop,
    bindings::resources::madoguchi::tool::stops::{InputRequired, Refusal, Unavailable},
};

impl From<Stop> for OfferStop {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::InputRequired(it) => {
                Self::InputRequired(InputRequired { questions: it.questions, state: it.state })
            }
            Stop::InvalidArguments(problems) => Self::InvalidArguments(problems),
            Stop::Refused(it) => Self::Refused(Refusal {
                code: it.code,
                message: it.message,
                status: it.status,
                details: it.details,
            }),
            Stop::Unavailable(it) => Self::Unavailable(Unavailable {
                message: it.message,
                retry_after_ms: it.retry_after_ms,
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
        impl $crate::export::offers::ResourcesGuest for Component {
            fn templates() -> Vec<$crate::resources::Template> {
                <$resources as $crate::resources::Resources>::templates()
            }

            fn list(
                cursor: Option<String>,
            ) -> Result<$crate::resources::Page, $crate::export::offers::OfferStop> {
                let page = <$resources as $crate::resources::Resources>::list(cursor.as_deref());
                page.map_err(Into::into)
            }

            fn read(
                request: $crate::resources::Request,
            ) -> Result<Vec<$crate::resources::Contents>, $crate::export::offers::OfferStop> {
                $crate::resources::run::<$resources>(request)?
                    .ok_or($crate::export::offers::OfferStop::NotFound)
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
        impl $crate::export::offers::Prompts for Component {
            fn definitions() -> Vec<$crate::export::offers::PromptDefinition> {
                vec![$($crate::prompt::definition::<$prompt>()),+]
            }

            fn get(
                invocation: $crate::export::offers::PromptInvocation,
            ) -> Result<$crate::export::offers::PromptOutput, $crate::export::offers::OfferStop> {
                match invocation.name.as_str() {
                    $(<$prompt as $crate::prompt::Prompt>::NAME => {
                        $crate::prompt::run::<$prompt>(invocation).map_err(Into::into)
                    })+
                    _ => Err($crate::export::offers::OfferStop::NotFound),
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
/// helps to fill in the arguments of the component's prompts and templates.
#[macro_export]
macro_rules! export_completions {
    ($complete:path) => {
        impl $crate::export::offers::Completions for Component {
            fn complete(
                request: $crate::completions::Request,
            ) -> Result<$crate::completions::Completion, $crate::export::offers::OfferStop> {
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
    fn a_stop_says_the_same_whatever_it_stops() {
        let refusal = OfferStop::from(refused("no", 403, "No."));
        assert!(matches!(&refusal, OfferStop::Refused(it) if it.code == "no" && it.status == 403));
        let problems = OfferStop::from(invalid("/a", "is required"));
        assert!(matches!(&problems, OfferStop::InvalidArguments(it) if it[0].pointer == "/a"));
        let wait = OfferStop::from(Stop::wait(["a://b"], SystemTime::UNIX_EPOCH));
        assert!(matches!(wait, OfferStop::Unavailable(_)), "only tools can wait");
    }
}
