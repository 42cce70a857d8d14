//! What is said where there is no such card and no such theme (ILL-4).

use serde_json::json;
use toolkit::{Stop, refused};

/// Characters of a name that are repeated to whoever asked for it.
const NAME_CHARS_MAX: usize = 60;

/// No card has that name.
#[must_use]
pub fn card_not_found(name: &str, near: &[String]) -> Stop {
    let message = format!("There is no card {:?}.{}", short(name), hint(near));
    refused("card_not_found", 404, message)
        .with(json!({ "card_name": short(name), "suggestions": near }))
}

/// No theme has that name.
#[must_use]
pub fn theme_not_found(name: &str, near: &[String]) -> Stop {
    let message = format!("There is no theme {:?}.{}", short(name), hint(near));
    refused("theme_not_found", 404, message)
        .with(json!({ "theme": short(name), "suggestions": near }))
}

fn hint(near: &[String]) -> String {
    if near.is_empty() {
        return String::new();
    }
    format!(" Close names: {}.", near.join(", "))
}

fn short(name: &str) -> String {
    let mut short: String = name.chars().take(NAME_CHARS_MAX).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    short
}
