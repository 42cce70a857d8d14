//! Sends a request as bytes and reads as much of the response as arrives.

use std::{io, net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

use crate::request::Request;

/// Time-out of an answer.
const HANGS_AFTER: Duration = Duration::from_secs(20);
/// Maximum bytes of an answer's body.
const BODY_BYTES_MAX: usize = 16 << 20;

/// The received part of an answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// None where the connection ended without an answer.
    pub(crate) status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of a header, once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|it| it.0 == name).map(|it| &*it.1)
    }

    /// The type of its body.
    pub(crate) fn kind(&self) -> &str {
        let kind = self.header("content-type").unwrap_or_default();
        kind.split(';').next().unwrap_or_default().trim()
    }

    /// The messages in its JSON or event stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.kind() == "text/event-stream" {
            return events(&self.body);
        }
        serde_json::from_slice(&self.body).ok().into_iter().collect()
    }
}

fn events(body: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(body).replace("\r\n", "\n");
    let data = text.split("\n\n").map(|event| {
        let lines: Vec<_> = event.lines().filter_map(|it| it.strip_prefix("data:")).collect();
        lines.join("\n")
    });
    data.filter_map(|it| serde_json::from_str(it.trim()).ok()).collect()
}

/// Sends `request` over a connection of its own; an error where no answer comes in time.
pub(crate) async fn exchange(addr: SocketAddr, request: &Request) -> Result<Answer, String> {
    let exchanged = tokio::time::timeout(HANGS_AFTER, over(addr, request));
    match exchanged.await {
        Ok(Ok(answer)) => Ok(answer),
        // The server may end a connection that makes no sense while we still write.
        Ok(Err(error)) => match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => Ok(Answer::default()),
            _ => Err(format!("no answer: {error}")),
        },
        Err(_) => Err("it hangs".to_owned()),
    }
}

async fn over(addr: SocketAddr, request: &Request) -> io::Result<Answer> {
    let stream = TcpStream::connect(addr).await?;
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let wire = request.wire(&addr.to_string());
    let is_head = request.method() == b"HEAD";
    let is_get = request.method() == b"GET";
    let has_own_length = request.has_own_length();
    // Beside the reading: a server may answer before it has read everything.
    let writing = async {
        let written = writer.write_all(&wire).await;
        if has_own_length {
            // What promises more than it has would be waited for.
            let _ = writer.shutdown().await;
        }
        written
    };
    let mut reader = BufReader::new(reader);
    let (written, read) = tokio::join!(writing, read(&mut reader, is_head, is_get));
    match (written, read) {
        (_, Ok(answer)) if answer.status.is_some() => Ok(answer),
        (Err(error), _) => Err(error),
        (Ok(()), read) => read,
    }
}

type Reader = BufReader<tokio::net::tcp::OwnedReadHalf>;

async fn read(reader: &mut Reader, is_head: bool, is_get: bool) -> io::Result<Answer> {
    let mut answer = Answer::default();
    loop {
        let Some(line) = line(reader).await? else { return Ok(answer) };
        answer.status = line.split(' ').nth(1).and_then(|it| it.parse().ok());
        answer.headers = headers(reader).await?;
        // What comes first may be only leave to go on.
        if answer.status.is_some_and(|it| it != 100) {
            break;
        }
    }
    if is_head || matches!(answer.status, Some(204 | 304)) {
        return Ok(answer);
    }
    let length = answer.header("content-length").and_then(|it| it.parse::<usize>().ok());
    if let Some(length) = length {
        answer.body = vec![0; length.min(BODY_BYTES_MAX)];
        reader.read_exact(&mut answer.body).await?;
    } else if answer.header("transfer-encoding") == Some("chunked") {
        chunks(reader, &mut answer, is_get).await?;
    } else {
        // Up to the end of the connection, as HTTP 1.0 has it; a stream may have none.
        let is_stream = answer.kind() == "text/event-stream";
        let is_heard = |answer: &Answer| is_get || events(&answer.body).iter().any(is_enough);
        while answer.body.len() < BODY_BYTES_MAX && !(is_stream && is_heard(&answer)) {
            if reader.read_buf(&mut answer.body).await? == 0 {
                break;
            }
        }
    }
    Ok(answer)
}

async fn line(reader: &mut Reader) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    match reader.read_until(b'\n', &mut line).await? {
        0 => Ok(None),
        _ => Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned())),
    }
}

async fn headers(reader: &mut Reader) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    while let Some(line) = line(reader).await?.filter(|it| !it.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok(headers)
}

/// Reads a chunked body to its end, or an event stream up to the awaited message.
async fn chunks(reader: &mut Reader, answer: &mut Answer, is_get: bool) -> io::Result<()> {
    let is_stream = answer.kind() == "text/event-stream";
    while answer.body.len() < BODY_BYTES_MAX {
        if is_stream && (is_get || events(&answer.body).iter().any(is_enough)) {
            return Ok(());
        }
        let Some(line) = line(reader).await? else { return Ok(()) };
        let length = line.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(length, 16).map_err(io::Error::other)?;
        let mut chunk = vec![0; length + 2];
        reader.read_exact(&mut chunk).await?;
        if length == 0 {
            return Ok(());
        }
        answer.body.extend_from_slice(&chunk[..length]);
    }
    Ok(())
}

/// Whether this completes the exchange: an answer, a question to the client, or the acknowledgement of a
/// subscription.
fn is_enough(message: &Value) -> bool {
    let has = |name| message.get(name).is_some();
    has("id") && (has("result") || has("error") || has("method"))
        || message["method"] == "notifications/subscriptions/acknowledged"
}
