//! A network between a browser and a server, which a test cuts, or lets fall silent as a router does that forgets.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// What the network does.
#[derive(Clone, Copy, Default, PartialEq)]
struct State {
    is_cut: bool,
    /// Connections from before the last time are silent, and neither side is told.
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
    /// Leads to a server from now on.
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

    /// Leads to another server from now on.
    pub fn leads_to(&self, server: SocketAddr) {
        *self.server.lock().unwrap_or_else(PoisonError::into_inner) = server;
    }

    /// Ends all connections and takes no other, or takes them again.
    pub fn cut(&self, is_cut: bool) {
        self.state.send_modify(|it| it.is_cut = is_cut);
    }

    /// Carries nothing any more on the connections that are open now, which ends those that something is sent on.
    pub fn forget(&self) {
        self.state.send_modify(|it| it.forgotten += 1);
    }
}

/// Carries both ways until either side ends it or the network is cut.
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
        // What is sent on a connection that a router has forgotten is answered by its end.
        _ = client.peek(&mut sent) => {}
        () = cut => {}
    }
}
