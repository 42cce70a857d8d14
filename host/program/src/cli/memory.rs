//! Returns free memory to the system, also while the server is idle.

use std::{thread, time::Duration};

/// Interval. The allocator keeps free memory for a second and returns it on its next use; an idle server would keep
/// it.
const EVERY: Duration = Duration::from_secs(5);

#[allow(unsafe_code, reason = "a function of the allocator that no crate declares as safe")]
mod allocator {
    // SAFETY: mimalloc's own declaration: void mi_collect(bool force). It may be called at any time
    // by any thread.
    unsafe extern "C" {
        pub(super) safe fn mi_collect(force: bool);
    }
}

/// Begins to; a thread that cannot be started costs memory, and nothing else.
pub(crate) fn release_free_memory() {
    let repeat = || loop {
        thread::sleep(EVERY);
        // The allocator collects nothing for a thread that never had anything of it.
        drop(std::hint::black_box(Box::new(0_u8)));
        allocator::mi_collect(true);
    };
    let started = thread::Builder::new().name("memory".to_owned()).spawn(repeat);
    if let Err(error) = started {
        tracing::warn!("free memory is not given back while nothing is asked: {error}");
    }
}
