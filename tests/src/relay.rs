//! A network between a browser and a server, which a test cuts or silences like a router that drops its
//! state.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

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
