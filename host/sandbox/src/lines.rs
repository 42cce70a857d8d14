//! Source locations of traps, from line tables (DWARF) in a component's file.
//!
//! Line tables do not affect compiled code. They are read only after a trap, for the log.

use std::{collections::BTreeMap, fmt, ops::Range, sync::Arc, time::Duration};

use addr2line::{
    Context,
    gimli::{self, Dwarf, EndianSlice, LittleEndian, SectionId},
};
use tokio::sync::Semaphore;
use wasmparser::{Parser, Payload};
use wasmtime::WasmBacktrace;

/// Bytes of line tables that are kept of one component; of one that has more there are no lines.
const BYTES_MAX: usize = 32 << 20;
/// Places that are named for one trap.
const PLACES_MAX: usize = 6;
/// Bytes of a file's path and of a function's name.
const TEXT_BYTES_MAX: usize = 256;
/// Time to find them, with the wait for those of another trap.
const TIME_MAX: Duration = Duration::from_secs(5);
/// Beginnings and parts of paths of code that authors have not written: Rust's own, and crates from a registry.
const OTHERS: [&str; 3] = ["/rustc/", "/rustlib/src/", "/registry/src/"];

/// The places of one trap are looked up at a time: tables can be made so that reading them takes long.
static ONE: Semaphore = Semaphore::const_new(1);

/// The line tables of a component's modules.
#[derive(Clone, Default)]
pub struct Lines(Arc<[Module]>);

/// A core module that has some.
#[derive(Default)]
struct Module {
    /// Byte range of its code in the file.
    code: Range<usize>,
    sections: BTreeMap<String, Box<[u8]>>,
}

/// A place in a component's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path of the file, as the compiler had it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function that it is in, where its name is known.
    pub function: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}:{}", self.file, self.line)?;
        self.function.iter().try_for_each(|it| write!(to, " ({it})"))
    }
}

impl Lines {
    /// Reads line tables of `component`. Empty if there are none or too many.
    pub fn read(component: &[u8]) -> Self {
        let (mut modules, mut open, mut bytes) = (Vec::new(), Vec::new(), 0);
        for payload in Parser::new(0).parse_all(component) {
            match payload {
                Ok(Payload::Version { .. }) => open.push(Module::default()),
                Ok(Payload::CodeSectionStart { range, .. }) => {
                    if let Some(last) = open.last_mut() {
                        last.code = range;
                    }
                }
                Ok(Payload::CustomSection(it)) if it.name().starts_with(".debug_") => {
                    bytes += it.data().len();
                    if bytes > BYTES_MAX {
                        return Self::default();
                    }
                    if let Some(module) = open.last_mut() {
                        module.sections.insert(it.name().to_owned(), it.data().into());
                    }
                }
                Ok(Payload::End(_)) => {
                    let ended = open.pop();
                    modules.extend(ended.filter(|it| it.sections.contains_key(".debug_line")));
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Self(modules.into())
    }

    /// Source locations of `error`, innermost first. Empty if unknown.
    pub(crate) async fn places(&self, error: &wasmtime::Error) -> Vec<Place> {
        let Some(trace) = error.downcast_ref::<WasmBacktrace>().filter(|_| !self.0.is_empty())
        else {
            return Vec::new();
        };
        let offsets: Vec<_> = trace.frames().iter().filter_map(|it| it.module_offset()).collect();
        let lines = self.clone();
        let found = async {
            let one = ONE.acquire().await.ok()?;
            let look = move || {
                let _one = one;
                lines.look_up(&offsets)
            };
            tokio::task::spawn_blocking(look).await.ok()
        };
        tokio::time::timeout(TIME_MAX, found).await.ok().flatten().unwrap_or_default()
    }

    /// The places of these offsets in the component's file; those in code of its author's alone, where there is any.
    fn look_up(&self, offsets: &[usize]) -> Vec<Place> {
        let mut all = Vec::new();
        for module in &*self.0 {
            let mine: Vec<_> =
                offsets.iter().filter(|it| module.code.contains(it)).copied().collect();
            if mine.is_empty() {
                continue;
            }
            // Unreadable tables give no line.
            let _ = module.look_up(&mine, &mut all);
        }
        let is_own = |it: &Place| !OTHERS.iter().any(|other| it.file.contains(other));
        if all.iter().any(is_own) {
            all.retain(is_own);
        }
        all.truncate(PLACES_MAX);
        all
    }
}

impl Module {
    fn look_up(&self, offsets: &[usize], to: &mut Vec<Place>) -> Result<(), gimli::Error> {
        let section = |id: SectionId| -> Result<_, gimli::Error> {
            let bytes = self.sections.get(id.name()).map(|it| &**it).unwrap_or_default();
            Ok(EndianSlice::new(bytes, LittleEndian))
        };
        let context = Context::from_dwarf(Dwarf::load(section)?)?;
        for offset in offsets {
            let address = (offset - self.code.start) as u64;
            let mut frames = context.find_frames(address).skip_all_loads()?;
            while let Some(frame) = frames.next()? {
                let at = frame.location.and_then(|it| Some((it.file?, it.line?)));
                let Some((file, line)) = at else { continue };
                let name = frame.function.and_then(|it| Some(shortened(&it.demangle().ok()?)));
                to.push(Place { file: shortened(file), line, function: name });
            }
        }
        Ok(())
    }
}

/// `text` in one line, with the start cut if long, because the end is specific.
fn shortened(text: &str) -> String {
    let text: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    let from = text.len().saturating_sub(TEXT_BYTES_MAX);
    match (from..text.len()).find(|it| text.is_char_boundary(*it)).filter(|_| from > 0) {
        Some(at) => format!("…{}", &text[at..]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_without_line_tables_or_no_component_has_no_lines() {
        for bytes in [&b""[..], b"no component", b"\0asm\x0d\0\x01\0", b"\0asm\x01\0\0\0"] {
            assert!(Lines::read(bytes).0.is_empty());
        }
    }

    #[test]
    fn unreadable_line_tables_name_no_location() {
        let sections = [".debug_line", ".debug_info", ".debug_abbrev"];
        let sections = sections.map(|it| (it.to_owned(), vec![0xff; 64].into())).into();
        let lines = Lines([Module { code: 8..100, sections }].into());
        assert_eq!(lines.look_up(&[10, 50, 200]), []);
    }

    #[test]
    fn long_path_keeps_its_end_on_one_line() {
        let long = format!("{}/src/lib.rs", "窓".repeat(200));
        assert!(shortened(&long).ends_with("窓/src/lib.rs") && shortened(&long).len() < 270);
        assert_eq!(shortened("a\nb"), "a b");
    }
}
