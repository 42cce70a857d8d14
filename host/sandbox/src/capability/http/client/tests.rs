//! Tests of names that resolve differently between check and connection.

use std::{
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::*;

/// A resolver that answers with each of `answers` in turn, and counts.
fn fake(private: bool, answers: &[&[&str]]) -> (Checked, Arc<Mutex<Vec<Vec<IpAddr>>>>) {
    let parse = |it: &&[&str]| it.iter().map(|it| it.parse().unwrap()).collect::<Vec<IpAddr>>();
    let answers: Vec<_> = answers.iter().rev().map(parse).collect();
    let left = Arc::new(Mutex::new(answers));
    let given = left.clone();
    let lookup = move |_| -> Found {
        let next = given.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let next = next.expect("one look-up more than was foreseen");
        Box::pin(async move { Ok(next.into_iter().map(|ip| SocketAddr::new(ip, 0)).collect()) })
    };
    (Checked { private, lookup: Arc::new(lookup) }, left)
}

async fn resolved(checked: &Checked) -> Result<Vec<IpAddr>, String> {
    let found = checked.resolve("rebind.example".parse().unwrap()).await;
    found.map(|it| it.map(|it| it.ip()).collect()).map_err(|it| it.to_string())
}

#[tokio::test]
async fn skips_private_addresses_and_refuses_private_only_names() {
    let answers: &[&[&str]] =
        &[&["127.0.0.1", "93.184.216.34", "fd00::1"], &["127.0.0.1", "::ffff:10.0.0.1"]];
    let (checked, _) = fake(false, answers);
    assert_eq!(resolved(&checked).await.unwrap(), ["93.184.216.34".parse::<IpAddr>().unwrap()]);
    assert!(resolved(&checked).await.unwrap_err().contains("private = true"));
    let (checked, _) = fake(true, answers);
    assert_eq!(resolved(&checked).await.unwrap().len(), 3);
}

#[tokio::test]
async fn connects_to_the_checked_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut bytes = [0; 1024];
        let read = stream.read(&mut bytes).await.unwrap();
        let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
        stream.write_all(answer).await.unwrap();
        String::from_utf8_lossy(&bytes[..read]).into_owned()
    });
    // A second look-up would lead elsewhere; a third would fail.
    let (checked, left) = fake(true, &[&["127.0.0.1"], &["127.0.0.2"]]);
    let reach = build(checked, Duration::from_secs(5), &[]).unwrap();
    let answer = reach.client.get(format!("http://rebind.example:{port}/")).send().await.unwrap();
    assert_eq!(answer.status(), 204);
    assert!(serve.await.unwrap().to_lowercase().contains("host: rebind.example"));
    assert_eq!(left.lock().unwrap().len(), 1, "the name was looked up once");
}

#[tokio::test]
async fn rejects_name_resolving_to_loopback_before_connecting() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (checked, _) = fake(false, &[&["127.0.0.1"]]);
    let reach = build(checked, Duration::from_secs(5), &[]).unwrap();
    let error = reach.client.get(format!("http://rebind.example:{port}/")).send().await;
    let error = error.unwrap_err();
    let mut causes =
        std::iter::successors(Some(&error as &dyn std::error::Error), |&it| it.source());
    assert!(causes.any(|it| it.is::<Prohibited>()), "{error:?}");
    let accepted = tokio::select! {
        biased;
        _ = listener.accept() => true,
        () = std::future::ready(()) => false,
    };
    assert!(!accepted, "nobody came");
}

#[tokio::test]
async fn unresolvable_name_times_out() {
    let checked = Checked { private: true, lookup: Arc::new(|_| Box::pin(std::future::pending())) };
    let reach = build(checked, Duration::from_millis(50), &[]).unwrap();
    let error = reach.client.get("http://silent.example/").send().await.unwrap_err();
    assert!(error.is_connect() && error.is_timeout(), "{error:?}");
}
