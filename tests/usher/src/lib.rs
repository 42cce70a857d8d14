//! A WASI 0.3 component that serves `wasi:http/handler`: it echoes requests, or behaves as the path says.

use wit_bindgen::{StreamReader, StreamWriter, spawn_local, yield_async};

/// What wit-bindgen makes of `wit/`.
#[allow(missing_docs, unsafe_code, reason = "generated from wit/")]
mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "usher", generate_all });
}

use bindings::{
    exports::wasi::http::handler::Guest,
    wasi::http::{
        client,
        types::{ErrorCode, Fields, Method, Request, Response, Scheme},
    },
    wit_future, wit_stream,
};

struct Usher;

#[allow(unsafe_code, reason = "generated from wit/")]
mod exported {
    use crate::{Usher, bindings};

    bindings::export!(Usher with_types_in bindings);
}

impl Guest for Usher {
    async fn handle(request: Request) -> Result<Response, ErrorCode> {
        let path = request.get_path_with_query().unwrap_or_default();
        match path.as_str() {
            "/fails" => Err(ErrorCode::InternalError(None)),
            "/panic" => panic!("the usher's secret"),
            "/silent" => {
                // The other end stays open without data.
                let (_writer, never) = wit_future::new(|| Ok(None));
                let _: Result<Option<Fields>, ErrorCode> = never.await;
                Err(ErrorCode::InternalError(None))
            }
            "/endless" => Ok(answer(200, "text/plain", |mut body| async move {
                while body.write_all(vec![b'x'; 4096]).await.is_empty() {}
            })),
            "/unending" => Ok(answer(200, "text/plain", |body| async move {
                loop {
                    yield_async().await;
                    std::hint::black_box(&body);
                }
            })),
            "/after" => {
                spawn_local(async {
                    loop {
                        yield_async().await;
                    }
                });
                Ok(answer(200, "text/plain", |mut body| async move {
                    body.write_all(b"whole".to_vec()).await;
                }))
            }
            _ => match path.strip_prefix("/fetch/") {
                Some(authority) => fetched(authority).await,
                None => {
                    let found = request_text(request, &path).await;
                    Ok(answer(201, "text/html", |mut body| async move {
                        for piece in found.as_bytes().chunks(4096) {
                            body.write_all(piece.to_vec()).await;
                        }
                    }))
                }
            },
        }
    }
}

/// Returns the request's method, path, headers and body, one per line.
async fn request_text(request: Request, path: &str) -> String {
    let method = match request.get_method() {
        Method::Get => "GET".to_owned(),
        Method::Post => "POST".to_owned(),
        other => format!("{other:?}"),
    };
    let mut names: Vec<_> = request.get_headers().copy_all().into_iter().map(|it| it.0).collect();
    names.sort();
    let (body, _) = Request::consume_body(request, wit_future::new(|| Ok(())).1);
    format!("{method}\n{path}\n{}\n{}", names.join(" "), text(body).await)
}

async fn text(body: StreamReader<u8>) -> String {
    String::from_utf8_lossy(&body.collect().await).into_owned()
}

/// Returns the answer of `authority` to `GET /ok`.
async fn fetched(authority: &str) -> Result<Response, ErrorCode> {
    let (mut writer, body) = wit_stream::new();
    let (headers, end) = (Fields::from_list(&[]).expect("there is none"), no_trailers());
    let (request, _) = Request::new(headers, Some(body), end, None);
    let set = request.set_path_with_query(Some("/ok"));
    let set = set.and_then(|()| request.set_scheme(Some(&Scheme::Http)));
    set.and_then(|()| request.set_authority(Some(authority))).expect("they are right");
    spawn_local(async move {
        writer.write_all(b"hello".to_vec()).await;
    });
    let response = client::send(request).await?;
    let status = response.get_status_code();
    let (body, _) = Response::consume_body(response, wit_future::new(|| Ok(())).1);
    let text = text(body).await;
    Ok(answer(status, "text/plain", |mut body| async move {
        body.write_all(text.into_bytes()).await;
    }))
}

fn no_trailers() -> wit_bindgen::FutureReader<Result<Option<Fields>, ErrorCode>> {
    wit_future::new(|| Ok(None)).1
}

fn answer<F: Future<Output = ()> + 'static>(
    status: u16,
    content_type: &str,
    write: impl FnOnce(StreamWriter<u8>) -> F,
) -> Response {
    let headers = [
        ("content-type".to_owned(), content_type.as_bytes().to_vec()),
        ("set-cookie".to_owned(), b"a=b".to_vec()),
    ];
    let headers = Fields::from_list(&headers).expect("they are right");
    let (writer, body) = wit_stream::new();
    let (response, _) = Response::new(headers, Some(body), no_trailers());
    response.set_status_code(status).expect("it is one");
    spawn_local(write(writer));
    response
}
