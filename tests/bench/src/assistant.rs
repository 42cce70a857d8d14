//! The cost of the assistant's loop: one round against the same two exchanges without it, and the time of a
//! model's first token to the page.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::figures::{Report, Row};
use crate::servers::Server;
use crate::wire::{Call, Connection};

/// Rounds of one run of the loop.
const ROUNDS: usize = 8;
/// Between the first token and the rest, so that one is not sent with the other.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest request, and the longest beginning of an answer.
const BYTES_MAX: usize = 1 << 20;

/// A model that answers at once with OpenAI's API: it calls `echo` as often as requested, then answers with
/// one word.
pub(crate) struct Model {
    pub(crate) address: String,
    first_token_at: Arc<Mutex<Option<Instant>>>,
}

impl Model {
    pub(crate) fn start() -> Result<Self> {
        let first_token_at = Arc::new(Mutex::new(None));
        let (sender, receiver) = std::sync::mpsc::channel();
        let spoke = first_token_at.clone();
        // On a thread of its own: what measures must not wait for it.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await?;
                let _ = sender.send(listener.local_addr()?.to_string());
                loop {
                    let (stream, _) = listener.accept().await?;
                    stream.set_nodelay(true)?;
                    tokio::spawn(serve(stream, spoke.clone()));
                }
                #[allow(unreachable_code, reason = "names the type of the block")]
                Ok::<(), std::io::Error>(())
            })
        });
        Ok(Self { address: receiver.recv().context("the model did not start")?, first_token_at })
    }

    fn first_token_at(&self) -> Option<Instant> {
        *self.first_token_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn serve(mut stream: TcpStream, spoke: Arc<Mutex<Option<Instant>>>) -> Result<()> {
    while let Some(body) = request(&mut stream).await? {
        let asked: Value = serde_json::from_slice(&body)?;
        let messages = asked["messages"].as_array().context("no messages")?;
        let user = messages.iter().find(|it| it["role"] == "user").context("nobody asks")?;
        let rounds: usize = text(&user["content"]).trim().parse().unwrap_or_default();
        let done = messages.iter().filter(|it| it["role"] == "tool").count();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
        if done < rounds {
            let answer = calls(done);
            let head = format!("{head}content-length: {}\r\n\r\n", answer.len());
            stream.write_all(&[head.as_bytes(), answer.as_bytes()].concat()).await?;
            continue;
        }
        let [first, rest] = first_chunk();
        let begin =
            format!("{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n", first.len());
        *spoke.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        stream.write_all(begin.as_bytes()).await?;
        if rounds == 0 {
            tokio::time::sleep(PAUSE).await;
        }
        let end = format!("{:x}\r\n{rest}\r\n0\r\n\r\n", rest.len());
        stream.write_all(end.as_bytes()).await?;
    }
    Ok(())
}

/// A message's text, whichever way it is written.
fn text(content: &Value) -> &str {
    let parts = content.as_array().and_then(|it| it.iter().find_map(|it| it["text"].as_str()));
    content.as_str().or(parts).unwrap_or_default()
}

/// The body of the next request; none when the client has gone.
async fn request(stream: &mut TcpStream) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|it| it.strip_prefix("content-length:"));
            let length: usize = length.map_or(Ok(0), |it| it.trim().parse())?;
            if bytes.len() >= end + 4 + length {
                return Ok(Some(bytes.split_off(end + 4)));
            }
        }
        ensure!(bytes.len() < BYTES_MAX, "a request of more than {BYTES_MAX} bytes");
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
}

fn event(choice: Value, more: Value) -> String {
    let mut chunk = json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "bench",
        "choices": [choice],
    });
    if !more.is_null() {
        chunk["usage"] = more;
    }
    format!("data: {chunk}\n\n")
}

fn calls(done: usize) -> String {
    let call = json!({
        "index": 0, "id": format!("call_{done}"), "type": "function",
        "function": { "name": Call::TOOL, "arguments": Call::kilobyte().arguments.to_string() },
    });
    let delta = json!({ "index": 0, "delta": { "role": "assistant", "tool_calls": [call] } });
    let end = json!({ "index": 0, "delta": {}, "finish_reason": "tool_calls" });
    event(delta, Value::Null) + &event(end, Value::Null) + "data: [DONE]\n\n"
}

fn first_chunk() -> [String; 2] {
    let delta = json!({ "index": 0, "delta": { "role": "assistant", "content": "done" } });
    let end = json!({ "index": 0, "delta": {}, "finish_reason": "stop" });
    [event(delta, Value::Null), event(end, Value::Null) + "data: [DONE]\n\n"]
}

/// In turns: a run of no round, one of several, and what a round is made of without the loop.
pub(crate) async fn measure(
    host: &Server,
    model: &Model,
    runs: usize,
    report: &mut Report,
) -> Result<()> {
    let mut chat = Connection::open(&host.address).await?;
    let mut direct = Connection::open(&model.address).await?;
    let mut tools = Connection::open(&host.address).await?;
    let call = Call::kilobyte();
    let (mut pairs, mut first_words) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let none = timed(&mut chat, &chat_request(&host.address, 0, "application/json")).await?;
        let all =
            timed(&mut chat, &chat_request(&host.address, ROUNDS, "application/json")).await?;
        let exchange = timed(&mut direct, &model_request(&model.address)).await?;
        let echo = timed(&mut tools, &call.request(&host.address)).await?;
        // The run without rounds has the pause in it, which the other has not.
        let round = (all - (none - PAUSE.as_secs_f64() * 1000.0)) / ROUNDS as f64;
        pairs.push((Some(round), Some(exchange + echo)));
        first_words.push(first_token_ms(host, model).await?);
    }
    let own = pairs.iter().map(|(round, floor)| round.zip(*floor).map(|(a, b)| a - b));
    let own: Vec<_> = own.flatten().collect();
    let first_token = crate::figures::Spread::of(first_words);
    let rows = vec![
        Row::of_pairs("a round against its two exchanges alone, ms", &pairs),
        Row {
            name: "the loop's own part of a round, ms".to_owned(),
            ours: crate::figures::Spread::of(own),
            compared: None,
            ratio: None,
        },
        Row {
            name: "a model's first word to the page, ms".to_owned(),
            ours: first_token,
            compared: None,
            ratio: None,
        },
    ];
    report.figure("assistant_round_own_ms", rows[1].ours());
    report.figure("assistant_first_word_ms", rows[2].ours());
    report.section("The assistant's loop", rows);
    Ok(())
}

async fn timed(connection: &mut Connection, request: &[u8]) -> Result<f64> {
    let began = Instant::now();
    connection.exchange(request).await?;
    Ok(began.elapsed().as_secs_f64() * 1000.0)
}

fn post(host: &str, path: &str, accept: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\naccept: {accept}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body.into_bytes()].concat()
}

fn chat_request(host: &str, rounds: usize, accept: &str) -> Vec<u8> {
    let body = json!({ "message": rounds.to_string(), "assistant": "bench" });
    post(host, "/api/chat", accept, &body)
}

fn model_request(host: &str) -> Vec<u8> {
    let body = json!({ "messages": [{ "role": "user", "content": "1" }] });
    post(host, "/v1/chat/completions", "text/event-stream", &body)
}

/// Milliseconds from the model's first token to its arrival at a client who listens.
async fn first_token_ms(host: &Server, model: &Model) -> Result<f64> {
    let mut stream = TcpStream::connect(&host.address).await?;
    stream.set_nodelay(true)?;
    stream.write_all(&chat_request(&host.address, 0, "text/event-stream")).await?;
    let mut bytes = Vec::new();
    loop {
        ensure!(stream.read_buf(&mut bytes).await? > 0, "the stream ended without a word");
        let since = Instant::now();
        if String::from_utf8_lossy(&bytes).contains("event: text_delta") {
            let spoke = model.first_token_at().context("nobody spoke")?;
            return Ok(since.saturating_duration_since(spoke).as_secs_f64() * 1000.0);
        }
        ensure!(bytes.len() < BYTES_MAX, "no word within {BYTES_MAX} bytes");
    }
}
