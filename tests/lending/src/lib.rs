//! A lending library, as an author outside the project writes a family of tools: tools, requests, a schedule,
//! names, sentences in two languages, and a view, all in this folder.

mod books;
mod sentences;

use books::{LendBook, ListBooks, ReturnBook};

toolkit::export_tools!(ListBooks, LendBook, ReturnBook);
toolkit::export_defaults!("../defaults.toml");
toolkit::export_migrations!(1 "books" => "../migrations/1-books.sql");
toolkit::export_schedule!(books::remind);
toolkit::export_resources!(books::Views);
toolkit::export_routes!(books::routes);
toolkit::export_names!(books::names);
toolkit::export_dialogue!(sentences::next);
