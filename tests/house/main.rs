//! The rules of the house, each of them a test: what the tree holds, who depends on whom, what is pinned.

mod advisories;
mod card;
mod circles;
mod documents;
mod examples;
mod families;
mod licences;
mod packages;
mod repository;
mod sources;
mod style;
mod tree;
