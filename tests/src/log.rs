//! The log of this process's servers, for the messages of failing tests.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Mutex, Once, PoisonError},
};

use serde_json::Value;
use tracing_subscriber::filter::LevelFilter;

/// Maximum number of stored lines.
const LINES_MAX: usize = 40;

static LINES: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

struct Kept;

impl Write for Kept {
    /// Receives one line at a time.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(String::from_utf8_lossy(line).into_owned());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Stores warnings and errors from now on.
pub(crate) fn keep() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let log = tracing_subscriber::fmt().with_max_level(LevelFilter::WARN).with_ansi(false);
        // A test that has a log of its own keeps that.
        let _ = log.with_writer(|| Kept).try_init();
    });
}

/// The last lines.
pub fn kept() -> String {
    let lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    lines.iter().fold(String::new(), |all, it| all + it)
}

/// The last lines, where `result` is a failure whose reason stands there alone.
pub fn reason(result: &Value) -> String {
    if result["_meta"]["madoguchi/error"]["error"] != "internal_error" {
        return String::new();
    }
    format!("\nThe log of this process:\n{}", kept())
}
