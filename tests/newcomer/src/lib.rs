//! A WASI 0.3 component that was not made for this host, with synchronous, asynchronous and misbehaving functions.

use std::{future::pending, hint::black_box, time::Duration};

use futures::future::join_all;
use wit_bindgen::{FutureReader, StreamReader, spawn_local, yield_async};

/// What wit-bindgen makes of `wit/`.
#[allow(missing_docs, unsafe_code, reason = "generated from wit/")]
mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "newcomer", generate_all });
}

use bindings::{
    Guest,
    exports::example::newcomer::lines,
    wasi::{cli::stdout, clocks::monotonic_clock},
    wit_stream,
};

struct Newcomer;

#[allow(unsafe_code, reason = "generated from wit/")]
mod exported {
    use crate::{Newcomer, bindings};

    bindings::export!(Newcomer with_types_in bindings);
}

async fn sleep(time: Duration) {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    monotonic_clock::wait_for(nanoseconds).await;
}

const LONG: Duration = Duration::from_secs(24 * 60 * 60);

impl Guest for Newcomer {
    async fn nap(each_ms: Vec<u32>) -> u32 {
        let naps = each_ms.into_iter().map(|it| sleep(Duration::from_millis(it.into())));
        join_all(naps).await.len() as u32
    }

    fn slug(text: String) -> String {
        text.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-")
    }

    async fn divide(dividend: i32, divisor: i32) -> Result<i32, String> {
        yield_async().await;
        dividend
            .checked_div(divisor)
            .ok_or_else(|| format!("{dividend} cannot be divided by {divisor}"))
    }

    async fn misbehave(how: String) -> String {
        match &*how {
            "panic" => panic!("the newcomer's secret"),
            "wait" => sleep(LONG).await,
            "deadlock" => pending().await,
            "spin" => spin(),
            "spin between" => loop {
                yield_async().await;
            },
            "memory" => {
                let mut all = Vec::new();
                loop {
                    all.push(black_box(vec![1_u8; 1 << 20]));
                    yield_async().await;
                }
            }
            "tasks" => loop {
                spawn_local(sleep(LONG));
                yield_async().await;
            },
            "streams" => {
                let mut all = Vec::new();
                loop {
                    all.push(black_box(wit_stream::new::<u8>()));
                }
            }
            "flood" => {
                let (mut writer, reader) = wit_stream::new::<u8>();
                let _end = stdout::write_via_stream(reader);
                loop {
                    writer.write_all(vec![b'x'; 1 << 16]).await;
                }
            }
            "spin after" => spawn_local(async {
                yield_async().await;
                spin();
            }),
            "wait after" => spawn_local(sleep(LONG)),
            "spin at the end" => {
                struct Spins;
                impl Drop for Spins {
                    fn drop(&mut self) {
                        spin();
                    }
                }
                spawn_local(async {
                    let _spins = Spins;
                });
            }
            _ => {}
        }
        "done".to_owned()
    }
}

fn spin() {
    loop {
        black_box(());
    }
}

impl lines::Guest for Newcomer {
    async fn say(lines: Vec<String>) -> u32 {
        let (mut writer, reader) = wit_stream::new::<u8>();
        let end = stdout::write_via_stream(reader);
        let mut count = 0;
        for line in lines {
            writer.write_all(format!("{line}\n").into_bytes()).await;
            count += 1;
        }
        drop(writer);
        let _ = end.await;
        count
    }

    async fn follow() -> StreamReader<u32> {
        wit_stream::new().1
    }

    fn await_it(_what: FutureReader<u32>) {}
}
