//! Transport to a server that runs as a command: one message per line over standard input and output.

use std::{io, time::Duration};

use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Empty},
    process::{Child, ChildStdin, ChildStdout},
};

use super::messages::{readable, too_large};
use crate::envelope::Envelope;
use base::grants::secret::Mask;

/// Time limits to exit after end of input and after a signal.
const END: Duration = Duration::from_secs(3);

/// A command that runs.
pub(super) struct StdioTransport {
    child: Child,
    input: AsyncRwTransport<RoleClient, Empty, ChildStdin>,
    output: BufReader<ChildStdout>,
    line: Line,
    /// Id of the probe for the newest era, and whether it was abandoned.
    probe: Option<RequestId>,
    given_up: Option<RequestId>,
}

impl StdioTransport {
    /// Takes over the pipes of `child`. Lines are limited to `most` bytes.
    pub(super) fn new(mut child: Child, most: usize, mask: Mask) -> io::Result<Self> {
        let taken = || io::Error::other("it has no standard input and output");
        let input = child.stdin.take().ok_or_else(taken)?;
        let output = child.stdout.take().ok_or_else(taken)?;
        let input = AsyncRwTransport::new(tokio::io::empty(), input);
        let (output, line) = (BufReader::new(output), Line::new(most, mask));
        Ok(Self { child, input, output, line, probe: None, given_up: None })
    }

    /// Whether `message` answers an abandoned probe. Servers that start slowly answer both the probe and what
    /// followed.
    fn is_late(&self, message: &ServerJsonRpcMessage) -> bool {
        let answered = match message {
            JsonRpcMessage::Response(it) => Some(&it.id),
            JsonRpcMessage::Error(it) => it.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        answered.is_some() && answered == self.given_up.as_ref()
    }

    /// Whether it ends by itself.
    async fn has_ended(&mut self) -> bool {
        tokio::time::timeout(END, self.child.wait()).await.is_ok()
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            match request.request {
                ClientRequest::DiscoverRequest(_) => self.probe = Some(request.id.clone()),
                ClientRequest::InitializeRequest(_) => self.given_up = self.probe.take(),
                _ => {}
            }
        }
        self.input.send(message)
    }

    /// Cancel-safe.
    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let read = self.output.fill_buf().await;
            let read = read.inspect_err(|it| tracing::warn!(target: "server", "{it}")).ok()?;
            if read.is_empty() {
                return None;
            }
            let end = read.iter().position(|it| *it == b'\n');
            self.line.take(&read[..end.unwrap_or(read.len())]);
            let used = end.map_or(read.len(), |it| it + 1);
            self.output.consume(used);
            if end.is_some()
                && let Some(message) = self.line.end()
                && !self.is_late(&message)
            {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.input.close().await?;
        if self.has_ended().await {
            return Ok(());
        }
        let id = self.child.id().and_then(|it| i32::try_from(it).ok()).and_then(Pid::from_raw);
        if let Some(id) = id
            && kill_process(id, Signal::TERM).is_ok()
            && self.has_ended().await
        {
            return Ok(());
        }
        self.child.kill().await
    }
}

/// A line that is being read; of one that is too long only what it answers is kept.
struct Line {
    most: usize,
    mask: Mask,
    bytes: Vec<u8>,
    cut: Option<Envelope>,
}

impl Line {
    fn new(most: usize, mask: Mask) -> Self {
        Self { most, mask, bytes: Vec::new(), cut: None }
    }

    fn take(&mut self, bytes: &[u8]) {
        if let Some(cut) = &mut self.cut {
            return cut.read(bytes);
        }
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > self.most {
            self.cut = Some(Envelope::of(&std::mem::take(&mut self.bytes)));
        }
    }

    /// The complete message, or an error in place of a too large answer. `None` for neither.
    fn end(&mut self) -> Option<ServerJsonRpcMessage> {
        let bytes = std::mem::take(&mut self.bytes);
        if let Some(cut) = self.cut.take() {
            let id = cut.answered();
            if id.is_none() {
                tracing::warn!(target: "server", most = self.most, "a line that is too long answers nothing");
            }
            return id.map(too_large);
        }
        let line = bytes.trim_ascii();
        if line.is_empty() {
            return None;
        }
        let note = |error: &serde_json::Error| {
            tracing::debug!(target: "server", "a line that is no message: {error}");
        };
        let line = String::from_utf8_lossy(line);
        serde_json::from_str(&readable(&line, &self.mask)).inspect_err(note).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use serde_json::json;
    use tokio::process::Command;

    use super::*;

    #[tokio::test]
    async fn drops_late_answer_to_a_cancelled_request() {
        let script = r#"
            read discover; read initialize
            echo '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}'
            echo '{"jsonrpc":"2.0","id":1,"result":{}}'
            read end
        "#;
        let mut child = Command::new("sh");
        child.args(["-c", script]).kill_on_drop(true);
        child.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut transport =
            StdioTransport::new(child.spawn().unwrap(), 4_096, Mask::default()).unwrap();
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let initialize = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "a", "version": "1" },
        });
        for (id, method, params) in
            [(0, "server/discover", json!({ "_meta": meta })), (1, "initialize", initialize)]
        {
            let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            transport.send(serde_json::from_value(request).unwrap()).await.unwrap();
        }
        let Some(JsonRpcMessage::Response(answer)) = transport.receive().await else {
            panic!("what is waited for")
        };
        assert_eq!(answer.id, RequestId::Number(1));
    }

    #[test]
    fn too_long_line_fails_its_request() {
        let large = "x".repeat(5_000);
        let lines = [
            (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"id":1,"t":"{large}"}}}}"#), "7"),
            (format!(r#"{{"result":{{"t":"{large}"}},"jsonrpc":"2.0","id":"a"}}"#), "a"),
        ];
        for (text, id) in lines {
            for piece in [1, 700, 100_000] {
                let mut line = Line::new(4_000, Mask::default());
                for bytes in text.as_bytes().chunks(piece) {
                    line.take(bytes);
                    assert!(line.bytes.len() <= 4_000);
                }
                let Some(JsonRpcMessage::Error(error)) = line.end() else { panic!("{piece}") };
                assert_eq!(error.id.map(|it| it.to_string()).as_deref(), Some(id), "{piece}");
                line.take(br#"{"jsonrpc":"2.0","id":8,"result":{}}"#);
                assert!(matches!(line.end(), Some(JsonRpcMessage::Response(_))), "what follows");
            }
        }
        let mut line = Line::new(4_000, Mask::default());
        let notice = format!(r#"{{"method":"a/b","params":{{"id":7,"t":"{large}"}}}}"#);
        line.take(notice.as_bytes());
        assert!(line.end().is_none(), "it answers nothing");
        for text in ["", " \r", "hello"] {
            line.take(text.as_bytes());
            assert!(line.end().is_none(), "{text:?}");
        }
    }
}
