//! Looks through the component's whole memory, as a hostile one would.

/// Whether the bytes whose reverse is `reversed` lie anywhere in this instance's memory. Given in
/// reverse, so that the look-up does not find itself.
pub(crate) fn has_reversed(reversed: &[u8]) -> bool {
    let length = reversed.len();
    if length == 0 {
        return false;
    }
    let is_here = |at: usize| (0..length).all(|it| byte(at + it) == reversed[length - 1 - it]);
    // Address 0 is no place for a reference in Rust, and holds nothing of ours.
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
