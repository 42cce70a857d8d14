//! What identifiers and names may look like, wherever they come from: settings or the page.

use output::text::is_blank;

/// Characters of an identifier of a project, an agent or an assistant.
pub const ID_CHARS_MAX: usize = 64;
/// Characters of what people read: of a name.
pub const NAME_CHARS_MAX: usize = 100;
/// Skills of one agent.
pub const SKILLS_MAX: usize = 20;
/// Characters of a skill.
pub const SKILL_CHARS_MAX: usize = 50;
/// Characters of the name of a token.
pub const PRINCIPAL_CHARS_MAX: usize = 200;
/// Projects that there are at a time.
pub const PROJECTS_MAX: usize = 100;
/// Agents that there are at a time.
pub const AGENTS_MAX: usize = 1_000;
/// Assignments of agents to projects that settings may have.
pub const ASSIGNMENTS_MAX: usize = 10_000;

/// The name that stands for an end that no agent and no person caused; no agent has it.
pub const SYSTEM: &str = "system";
/// How the host's own principals begin.
const OF_THE_HOST: &str = "madoguchi:";

/// Whether `text` can identify something: two of them, joined by a space, name a chat, and each is a
/// part of an event's URI.
///
/// # Errors
/// What would be right.
pub fn id(text: &str) -> Result<(), String> {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    let begins = text.starts_with(|it: char| it.is_ascii_alphanumeric());
    if !begins || text.len() > ID_CHARS_MAX || !text.chars().all(fits) {
        return Err(format!(
            "must be 1 to {ID_CHARS_MAX} of A-Z, a-z, 0-9, -, _ and ., and begin with a letter or a digit"
        ));
    }
    if text == SYSTEM {
        return Err(format!("{SYSTEM} is whoever ends what nobody ended; take another one"));
    }
    Ok(())
}

/// Whether `text` can be a name that people read.
///
/// # Errors
/// What would be right.
pub fn name(text: &str) -> Result<(), String> {
    line(text, NAME_CHARS_MAX)
}

/// Whether `text` can be a skill.
///
/// # Errors
/// What would be right.
pub fn skill(text: &str) -> Result<(), String> {
    line(text, SKILL_CHARS_MAX)
}

/// Whether `text` can be a token's name, which makes its holder a person.
///
/// # Errors
/// What would be right.
pub fn principal(text: &str) -> Result<(), String> {
    if text.starts_with(OF_THE_HOST) {
        return Err("is the counter's own; name a token of a person".to_owned());
    }
    line(text, PRINCIPAL_CHARS_MAX)
}

/// Whether there are so many, each once.
///
/// # Errors
/// What would be right.
pub fn few(texts: &[String], least: usize, most: usize) -> Result<(), String> {
    if !(least..=most).contains(&texts.len()) {
        return Err(format!("must be {least} to {most}, not {}", texts.len()));
    }
    let twice = texts.iter().enumerate().find(|(index, it)| texts[..*index].contains(it));
    twice.map_or(Ok(()), |(index, _)| Err(format!("has number {} twice", index + 1)))
}

/// One line of so many characters.
fn line(text: &str, most: usize) -> Result<(), String> {
    if is_blank(text) || text.chars().count() > most || text.chars().any(char::is_control) {
        return Err(format!("must be one line of 1 to {most} characters"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It has no blanks, slashes or other scripts, and it is not the system's own.
    #[test]
    fn identifier_refuses_blanks_slashes_other_scripts_and_system() {
        for right in ["worker-a", "A", "7", "a.b_c-d", &"a".repeat(64)] {
            assert_eq!(id(right), Ok(()), "{right}");
        }
        for wrong in ["", "-a", ".a", "a b", "a/b", "窓口", "a\n", "system", &"a".repeat(65)] {
            assert!(id(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_is_one_line_that_says_something() {
        assert_eq!(name("窓口デモ"), Ok(()));
        for wrong in ["", " ", "\u{200b}", "a\nb", &"窓".repeat(101)] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
        assert!(principal("madoguchi:coordinator").is_err());
    }
}
