//! Navigation: routes, distances and places, with or without an API key (NAV-20 to NAV-35).

pub mod arguments;
pub mod ask;
pub mod network;
pub mod provider;
pub mod refusals;
pub mod rest;
pub mod sentences;
pub mod settings;
pub mod tools;
pub mod words;

pub use tools::Component;

toolkit::export_defaults!("../defaults.toml");
toolkit::export_migrations!(
    1 "quota" => "../migrations/1-quota.sql",
    2 "answers" => "../migrations/2-answers.sql",
);
toolkit::export_configured!(settings::configure);
toolkit::export_endpoints!(rest::get);
toolkit::export_resources!(tools::NavigationResources);
toolkit::export_routes!(rest::routes);
toolkit::export_examples!(tools::examples);
toolkit::export_dialogue!(sentences::next);
toolkit::export_names!(sentences::names);
toolkit::export_samples!(sentences::samples);
