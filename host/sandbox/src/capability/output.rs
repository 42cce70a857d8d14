//! A guest's standard output and error, as lines of the operator's log.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::io::AsyncWrite;
use wasmtime_wasi::{
    cli::{IsTerminal, StdoutStream},
    p2::{OutputStream, Pollable, StreamResult},
};

use crate::{capability::state::CallContext, resource_limiter::LogBudget};

/// Writes whole lines, tagged with component and call.
#[derive(Clone)]
pub struct GuestOutput {
    budget: LogBudget,
    /// Start of an unfinished line.
    begun: Arc<Mutex<Begun>>,
}

/// Logs itself when the instance ends in the middle of a line.
struct Begun {
    text: String,
    component: Arc<str>,
    call_id: u64,
}

/// Bytes after which a line without an end is written all the same.
const LINE_BYTES_MAX: usize = 4 << 10;

impl GuestOutput {
    pub fn new(context: &CallContext, budget: &LogBudget) -> Self {
        let begun = Begun {
            component: context.component.clone(),
            call_id: context.round.call_id,
            text: String::new(),
        };
        Self { budget: budget.clone(), begun: Arc::new(Mutex::new(begun)) }
    }

    fn log(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let mut begun = self.begun.lock();
        for part in text.split_inclusive('\n') {
            if part.ends_with('\n') {
                self.budget.begin_line();
            }
            begun.text += self.budget.take(part);
            if part.ends_with('\n') {
                begun.write_remaining();
            }
        }
        if begun.text.len() > LINE_BYTES_MAX {
            begun.write_remaining();
        }
    }
}

impl Begun {
    fn write_remaining(&mut self) {
        let rest = std::mem::take(&mut self.text);
        let (line, component, call) = (rest.trim_end(), &*self.component, self.call_id);
        if !line.is_empty() {
            tracing::info!(target: "guest", component, call, "{line}");
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.write_remaining();
    }
}

impl IsTerminal for GuestOutput {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for GuestOutput {
    /// For WASI 0.3.
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for GuestOutput {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.log(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[wasmtime_wasi_io::async_trait]
impl Pollable for GuestOutput {
    async fn ready(&mut self) {}
}

impl OutputStream for GuestOutput {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.log(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(64 << 10)
    }
}
