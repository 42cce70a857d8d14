//! Which limit it was that ended a guest: what wasmtime says, read as the configuration calls it.

use wasmtime::{Trap, WasmBacktrace, component::ResourceTableError};

/// Where a stack that grows down from below 16 MiB lands when it passes zero: 32-bit addresses
/// wrap around, and an instruction may add an offset of its own.
const BELOW_ZERO: std::ops::Range<u64> = 0xff00_0000..0x1_0100_0000;
/// The same function so often in one backtrace is a recursion.
const RECURSION: usize = 8;
/// What wasmtime says where it has no type for it that we could name; a test holds each.
const SAID: [(&str, &str); 2] = [
    ("fuel allocated for hostcalls has been exhausted", "output_bytes_max"),
    ("store handle limit exceeded", "handles_max"),
];

/// The limit that `error` tells of, where that is certain.
pub(super) fn limit_of(error: &wasmtime::Error) -> Option<&'static str> {
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => return Some("stack_bytes_max"),
        Some(Trap::MemoryOutOfBounds) => return shadow_stack(error),
        Some(_) => return None,
        None => {}
    }
    if let Some(ResourceTableError::Full) = error.downcast_ref() {
        return Some("handles_max");
    }
    let said = |text: &str| SAID.iter().find(|(it, _)| text.contains(it)).map(|(_, limit)| *limit);
    error.chain().find_map(|it| said(&it.to_string()))
}

/// Rust and C keep addressable locals on a stack of their own at the bottom of the memory. Running
/// out of it is an access below zero, which a stray pointer may be too: it is called a stack only
/// where the backtrace shows a recursion as well.
fn shadow_stack(error: &wasmtime::Error) -> Option<&'static str> {
    let address = error.chain().find_map(|it| address(&it.to_string()))?;
    let frames = error.downcast_ref::<WasmBacktrace>()?.frames();
    let last = frames.first()?.func_index();
    let times = frames.iter().filter(|it| it.func_index() == last).count();
    (BELOW_ZERO.contains(&address) && times >= RECURSION).then_some("stack_bytes_max")
}

/// `memory fault at wasm address 0x… in linear memory of size 0x…`
fn address(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("memory fault at wasm address 0x")?;
    let digits = rest.split(|it: char| !it.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_that_names_no_limit_stays_a_trap() {
        assert_eq!(limit_of(&Trap::UnreachableCodeReached.into()), None);
        assert_eq!(limit_of(&Trap::MemoryOutOfBounds.into()), None, "a stray pointer");
        assert_eq!(limit_of(&Trap::StackOverflow.into()), Some("stack_bytes_max"));
        assert_eq!(limit_of(&ResourceTableError::Full.into()), Some("handles_max"));
    }

    #[test]
    fn the_address_of_a_fault_is_read_from_the_text() {
        let text = "memory fault at wasm address 0xfffffff0 in linear memory of size 0x110000";
        assert_eq!(address(text), Some(0xffff_fff0));
        assert_eq!(address("another"), None);
    }
}
