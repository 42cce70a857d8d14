//! A guest's standard output and error: lines in the operator's log.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::{
    cli::{IsTerminal, StdoutStream},
    p2::{OutputStream, Pollable, StreamResult},
};

use crate::call_state::{CallContext, LogBudget};

/// Writes whole lines, tagged with component and call.
#[derive(Clone)]
pub(crate) struct GuestOutput {
    component: Arc<str>,
    call_id: u64,
    budget: LogBudget,
}

impl GuestOutput {
    pub(crate) fn new(context: &CallContext, budget: &LogBudget) -> Self {
        Self {
            component: context.component.clone(),
            call_id: context.call_id,
            budget: budget.clone(),
        }
    }

    fn log(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let (component, call) = (&*self.component, self.call_id);
        for line in self.budget.take(&text).lines().filter(|it| !it.trim().is_empty()) {
            tracing::info!(target: "guest", component, call, "{line}");
        }
    }
}

impl IsTerminal for GuestOutput {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for GuestOutput {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
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
