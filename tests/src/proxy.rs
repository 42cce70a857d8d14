//! A TCP proxy between a host and its PostgreSQL server, which breaks connections on request.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    runtime::Runtime,
    sync::watch,
};

/// What becomes of what goes through, from now on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// All of it arrives.
    Pass,
    /// Each piece of it takes so much longer.
    Delay(Duration),
    /// Connections are taken, and nothing more arrives on them, either way. What was swallowed stays so.
    Swallow,
    /// A connection ends once so many more bytes of answers have arrived.
    CutAfter(usize),
    /// A commit arrives, and its answer does not: its connection ends.
    CutAtCommit,
    /// The same, and its connection says nothing more.
    SwallowAtCommit,
}

/// A proxy on a port of its own, until it is dropped.
pub struct Proxy {
    address: SocketAddr,
    rule: watch::Sender<Rule>,
    runtime: Option<Runtime>,
}

impl Proxy {
    /// One that passes on to a port of this machine.
    pub fn to(port: u16) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has one");
        listener.set_nonblocking(true).expect("it is a socket");
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().expect("it can be made");
        let rule = watch::Sender::new(Rule::Pass);
        let rules = rule.subscribe();
        runtime.spawn(async move {
            let listener = TcpListener::from_std(listener).expect("it is a socket");
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, port, rules.clone()));
            }
        });
        Self { address, rule, runtime: Some(runtime) }
    }

    /// The address of a database, through here.
    pub fn through(&self, url: &str) -> String {
        let (before, database) = url.rsplit_once('/').expect("it names a database");
        let (before, _) = before.rsplit_once('@').expect("it names a user");
        format!("{before}@{}/{database}", self.address)
    }

    /// What becomes of what goes through, on connections that there are and on new ones.
    pub fn set(&self, rule: Rule) {
        self.rule.send_replace(rule);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn serve(client: TcpStream, port: u16, rules: watch::Receiver<Rule>) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
    let (asks, answers) = (client.into_split(), server.into_split());
    let committed = watch::Sender::new(false);
    tokio::select! {
        () = pump(asks.0, answers.1, rules.clone(), (&committed, false)) => {}
        () = pump(answers.0, asks.1, rules, (&committed, true)) => {}
    }
}

async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    rules: watch::Receiver<Rule>,
    (committed, is_answer): (&watch::Sender<bool>, bool),
) {
    let (mut buffer, mut passed, mut is_silent) = (vec![0; 16 << 10], 0, false);
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else { return };
        let mut piece = &buffer[..count];
        let rule = *rules.borrow();
        match rule {
            Rule::Pass => {}
            Rule::Delay(time) => tokio::time::sleep(time).await,
            Rule::Swallow => is_silent = true,
            Rule::CutAfter(most) if is_answer => {
                piece = &piece[..count.min(most.saturating_sub(passed))]
            }
            Rule::CutAfter(_) => {}
            Rule::CutAtCommit | Rule::SwallowAtCommit if !is_answer => {
                // The simple query, as its message has it.
                if piece.windows(7).any(|it| it == b"COMMIT\0") {
                    committed.send_replace(true);
                }
            }
            Rule::CutAtCommit if *committed.borrow() => return,
            Rule::SwallowAtCommit if *committed.borrow() => is_silent = true,
            Rule::CutAtCommit | Rule::SwallowAtCommit => {}
        }
        if is_silent {
            continue;
        }
        if to.write_all(piece).await.is_err() {
            return;
        }
        if let Rule::CutAfter(most) = rule
            && is_answer
        {
            passed += piece.len();
            if passed >= most {
                return;
            }
        }
    }
}

// A network between a browser and a server, which a test cuts or silences like a router that drops its
// state.

/// The state of the network.
#[derive(Clone, Copy, Default, PartialEq)]
struct State {
    is_cut: bool,
    /// Counts silenced generations of connections; neither side is notified.
    forgotten: u64,
}

/// A port of this machine that leads to a server.
pub struct Relay {
    /// The port.
    pub addr: SocketAddr,
    server: Arc<Mutex<SocketAddr>>,
    state: watch::Sender<State>,
}

impl Relay {
    /// Starts forwarding to a server.
    ///
    /// # Panics
    /// If there is no free port.
    pub async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let addr = listener.local_addr().expect("it listens");
        let (state, watched) = watch::channel(State::default());
        let server = Arc::new(Mutex::new(server));
        let leads_to = server.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let to = *leads_to.lock().unwrap_or_else(PoisonError::into_inner);
                tokio::spawn(carry(client, to, watched.clone()));
            }
        });
        Self { addr, server, state }
    }

    /// Forwards to another server from now on.
    pub fn leads_to(&self, server: SocketAddr) {
        *self.server.lock().unwrap_or_else(PoisonError::into_inner) = server;
    }

    /// Cuts all connections and refuses new ones, or accepts them again.
    pub fn cut(&self, is_cut: bool) {
        self.state.send_modify(|it| it.is_cut = is_cut);
    }

    /// Silences the open connections; those that are written to end.
    pub fn forget(&self) {
        self.state.send_modify(|it| it.forgotten += 1);
    }
}

/// Forwards both ways until either side closes or the network is cut.
async fn carry(mut client: TcpStream, to: SocketAddr, mut state: watch::Receiver<State>) {
    let born = *state.borrow_and_update();
    if born.is_cut {
        return;
    }
    let Ok(mut server) = TcpStream::connect(to).await else { return };
    let is_over = |it: &State| it.is_cut || it.forgotten != born.forgotten;
    let over = async { drop(state.wait_for(is_over).await) };
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => return,
        () = over => {}
    }
    let cut = async { drop(state.wait_for(|it| it.is_cut).await) };
    let mut sent = [0];
    tokio::select! {
        // Data on a forgotten connection closes it.
        _ = client.peek(&mut sent) => {}
        () = cut => {}
    }
}
