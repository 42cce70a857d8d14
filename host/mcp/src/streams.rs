//! A client on two streams, as the SDK can serve it: from its first request on.

use rmcp::{
    RoleServer,
    model::JsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::io::StreamReader;

use super::subscriptions::lines;

/// The client on these streams, less what it says before its first request: nothing is answered to it, and the SDK
/// would end over it.
pub(super) fn client<R, W>(input: R, output: W) -> impl Transport<RoleServer> + 'static
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let input = StreamReader::new(Box::pin(lines(input)));
    FromFirstRequest { client: AsyncRwTransport::new_server(input, output), has_begun: false }
}

struct FromFirstRequest<T> {
    client: T,
    has_begun: bool,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for FromFirstRequest<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.client.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.client.receive().await?;
            self.has_begun |= matches!(message, JsonRpcMessage::Request(_));
            if self.has_begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.client.close().await
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    #[tokio::test]
    async fn leaves_out_what_comes_before_the_first_request() {
        let (mut client_end, server_end) = tokio::io::duplex(4_096);
        let (input, output) = tokio::io::split(server_end);
        let mut client = client(input, output);
        for line in [
            r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        ] {
            client_end.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        assert!(matches!(client.receive().await, Some(JsonRpcMessage::Request(_))));
        assert!(matches!(client.receive().await, Some(JsonRpcMessage::Notification(_))));
    }
}
