//! The ring `house`: rules of the repository, each a test: files, dependencies, pinned versions.

mod advisories;
mod card;
mod circles;
mod documents;
mod examples;
mod families;
mod licences;
mod names;
mod packages;
mod repository;
mod sources;
mod style;
mod tree;
