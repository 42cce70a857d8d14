//! Searches the component's whole memory, like a hostile component.

/// Whether the reverse of `reversed` is anywhere in this instance's memory; reversed, so that the search does not find
/// its own argument.
pub(crate) fn has_reversed(reversed: &[u8]) -> bool {
    let length = reversed.len();
    if length == 0 {
        return false;
    }
    let is_here = |at: usize| (0..length).all(|it| byte(at + it) == reversed[length - 1 - it]);
    // References to address 0 are invalid in Rust, and it has none of our data.
    (1..size().saturating_sub(length)).any(is_here)
}

#[cfg(target_arch = "wasm32")]
fn size() -> usize {
    std::arch::wasm32::memory_size(0) * (64 << 10)
}

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code, reason = "reads its own memory, which is what this component is for")]
fn byte(at: usize) -> u8 {
    // SAFETY: every address below `size()` can be read, and a byte has no wrong value.
    unsafe { std::ptr::read_volatile(at as *const u8) }
}

#[cfg(not(target_arch = "wasm32"))]
fn size() -> usize {
    0
}

#[cfg(not(target_arch = "wasm32"))]
fn byte(_: usize) -> u8 {
    0
}
