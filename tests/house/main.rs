//! The ring `house`: rules of the repository, each a test: files, dependencies, pinned versions.

mod documents;
mod licences;
mod names;
mod packages;
mod repository;
mod sources;
mod tree;
