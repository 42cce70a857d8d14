//! The environment of a component: a last custom section of its file, which the host reads and the code does not depend
//! on.
//!
//! A kit may put into it what an interpreter reads when it starts. A build that differs in that alone is another build
//! in all things but one: its code is compiled already.

use std::{collections::BTreeMap, sync::Arc};

use wasmparser::BinaryReader;

use crate::json;

/// The section: a JSON object of texts, the last one of the file.
pub const SECTION: &str = "madoguchi:environment";
/// Bytes that it may have.
const BYTES_MAX: usize = 1 << 20;
/// Bytes before the first section.
const PREAMBLE: usize = 8;

/// The variables of a component's environment (SYS-63), in the order of their names.
pub type Environment = Arc<[(String, String)]>;

/// The environment that `component` brings; empty where it brings none.
///
/// # Errors
/// If the section is no JSON object of short texts, as a sentence.
pub fn read_section(component: &[u8]) -> Result<Environment, String> {
    let Some((_, data)) = last(component) else { return Ok(Arc::default()) };
    if data.len() > BYTES_MAX {
        return Err(format!("its section {SECTION} has more than {BYTES_MAX} bytes"));
    }
    let all: BTreeMap<String, String> = serde_json::from_slice(data).map_err(|error| {
        let why = json::explain(&error.to_string());
        format!("its section {SECTION} is no JSON object of texts: {why}")
    })?;
    let is_unfit = |(name, value): &(&String, &String)| {
        name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')
    };
    if let Some((name, _)) = all.iter().find(is_unfit) {
        return Err(format!("its section {SECTION} has no variable for an environment: {name:?}"));
    }
    Ok(all.into_iter().collect())
}

/// The code of `component`: everything but trailing custom sections, one of which is its environment.
pub fn code(component: &[u8]) -> &[u8] {
    code_end(component).map_or(component, |end| &component[..end])
}

/// End of the last section that is not custom.
fn code_end(component: &[u8]) -> Option<usize> {
    let mut all = BinaryReader::new(component, 0);
    all.read_bytes(PREAMBLE).ok()?;
    let mut end = PREAMBLE;
    while !all.eof() {
        let is_custom = all.read_u8().ok()? == 0;
        let length = usize::try_from(all.read_var_u32().ok()?).ok()?;
        all.read_bytes(length).ok()?;
        if !is_custom {
            end = all.original_position();
        }
    }
    Some(end)
}

/// Offset and content of the environment section, if it is the last one.
fn last(component: &[u8]) -> Option<(usize, &[u8])> {
    let mut all = BinaryReader::new(component, 0);
    all.read_bytes(PREAMBLE).ok()?;
    loop {
        let at = all.original_position();
        let is_custom = all.read_u8().ok()? == 0;
        let length = usize::try_from(all.read_var_u32().ok()?).ok()?;
        let content = all.read_bytes(length).ok()?;
        if all.eof() {
            let mut content = BinaryReader::new(content, 0);
            let is_it = is_custom && content.read_string().ok()? == SECTION;
            let data = content.read_bytes(content.bytes_remaining()).ok()?;
            return is_it.then_some((at, data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section of types with none in it.
    const BARE: &[u8] = b"\0asm\x0d\0\x01\0\x07\x01\0";

    fn section(data: &[u8]) -> Vec<u8> {
        let length = u8::try_from(1 + SECTION.len() + data.len()).unwrap();
        let name = u8::try_from(SECTION.len()).unwrap();
        assert!(length < 128, "one byte says how long it is");
        [&[0, length, name][..], SECTION.as_bytes(), data].concat()
    }

    #[test]
    fn only_a_last_custom_section_is_an_environment() {
        let whole = [BARE, &section(br#"{"B":"2","A":"x=1\n"}"#)].concat();
        let read = read_section(&whole).unwrap();
        let expected = [("A", "x=1\n"), ("B", "2")].map(|it| (it.0.to_owned(), it.1.to_owned()));
        assert_eq!(read[..], expected, "SYS-63");
        assert_eq!(code(&whole), BARE, "SYS-63");
        let before = [&BARE[..8], &section(b"{}"), &BARE[8..]].concat();
        for bytes in [BARE, &before, &whole[..whole.len() - 1], b"", b"\0asm"] {
            assert!(read_section(bytes).unwrap().is_empty() && code(bytes) == bytes, "{bytes:?}");
        }
        let marked = [&whole, &b"\0\x03\x01aB"[..]].concat();
        assert!(read_section(&marked).unwrap().is_empty() && code(&marked) == BARE, "SYS-63");
    }

    #[test]
    fn names_the_problem_of_an_invalid_environment() {
        for (data, why) in [
            ("[]", "an array stands where an object is right"),
            ("{\"A\":1}", "an integer stands where a text is right (line 1, column 6)"),
            ("{\"A\":\"", "it ends too early"),
            ("{\"\":\"\"}", "\"\""),
            ("{\"A=\":\"\"}", "\"A=\""),
            ("{\"A\":\"\\u0000\"}", "\"A\""),
        ] {
            let error = read_section(&[BARE, &section(data.as_bytes())].concat()).unwrap_err();
            assert!(error.contains(SECTION) && error.contains(why), "SYS-63: {error}");
        }
    }
}
