//! A component that was not made for this host and serves `wasi:http/incoming-handler`: it echoes requests, or behaves
//! as the path says.
#![cfg(target_arch = "wasm32")]

use wasip2::{
    exports::http::incoming_handler::Guest,
    http::types::{
        Fields, IncomingRequest, Method, OutgoingBody, OutgoingResponse, ResponseOutparam,
    },
};

struct Porter;

#[allow(unsafe_code, reason = "generated from WASI's WIT")]
mod exported {
    use crate::Porter;

    wasip2::http::proxy::export!(Porter);
}

impl Guest for Porter {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        let path = request.path_with_query().unwrap_or_default();
        match path.as_str() {
            "/silent" => {}
            "/panic" => panic!("the porter's secret"),
            "/endless" => answer(out, 200, "text/plain", |body| {
                while body.blocking_write_and_flush(&[b'x'; 4096]).is_ok() {}
            }),
            "/script" => answer(out, 200, "text/javascript", |body| {
                let _ = body.blocking_write_and_flush(b"alert(1)");
            }),
            _ => {
                let found = request_text(&request, &path);
                answer(out, 201, "text/html", |body| {
                    for piece in found.as_bytes().chunks(4096) {
                        let _ = body.blocking_write_and_flush(piece);
                    }
                });
            }
        }
    }
}

/// Returns the request's method, path, headers and body, one per line.
fn request_text(request: &IncomingRequest, path: &str) -> String {
    let method = match request.method() {
        Method::Get => "GET".to_owned(),
        Method::Post => "POST".to_owned(),
        other => format!("{other:?}"),
    };
    let mut names: Vec<_> = request.headers().entries().into_iter().map(|it| it.0).collect();
    names.sort();
    let mut body = Vec::new();
    if let Ok(incoming) = request.consume()
        && let Ok(stream) = incoming.stream()
    {
        while let Ok(piece) = stream.blocking_read(4096) {
            body.extend(piece);
        }
    }
    format!("{method}\n{path}\n{}\n{}", names.join(" "), String::from_utf8_lossy(&body))
}

fn answer(
    out: ResponseOutparam,
    status: u16,
    content_type: &str,
    write: impl FnOnce(&wasip2::io::streams::OutputStream),
) {
    let headers = Fields::new();
    let _ = headers.set("content-type", &[content_type.as_bytes().to_vec()]);
    let _ = headers.set("set-cookie", &[b"a=b".to_vec()]);
    let response = OutgoingResponse::new(headers);
    let _ = response.set_status_code(status);
    let body = response.body().expect("it is asked for once");
    ResponseOutparam::set(out, Ok(response));
    {
        let stream = body.write().expect("it is asked for once");
        write(&stream);
    }
    let _ = OutgoingBody::finish(body, None);
}
