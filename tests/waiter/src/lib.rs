//! A component of the contract with asynchronous calls of WASI 0.3.

use futures::future::join_all;

/// What wit-bindgen makes of the contract for WASI 0.3.
#[allow(missing_docs, unsafe_code, reason = "generated from wit/")]
mod bindings {
    wit_bindgen::generate!({
        inline: "
            package example:waiter;

            world waiter {
                include madoguchi:tool/tool-component@0.2.0;
                import wasi:clocks/monotonic-clock@0.3.0;
            }
        ",
        path: ["../../wit", "../../wit/awaiting", "../newcomer/wit/deps/clocks.wit"],
        world: "example:waiter/waiter",
        generate_all,
    });
}

use bindings::{
    exports::madoguchi::tool0_2_0::tools::{Definition, Guest, Invocation, Output, Stop},
    madoguchi::tool0_1_0::{
        sql::{self, Statement, Value},
        tools::{Annotations, Refusal},
    },
    wasi::clocks::monotonic_clock,
};

struct Waiter;

#[allow(unsafe_code, reason = "generated from wit/")]
mod exported {
    use crate::{Waiter, bindings};

    bindings::export!(Waiter with_types_in bindings);
}

const NANOSECONDS: u64 = 1_000_000;

impl Guest for Waiter {
    fn definitions() -> Vec<Definition> {
        let definition = |name: &str| Definition {
            name: name.to_owned(),
            title: None,
            description: "Waits.".to_owned(),
            input_schema: r#"{"type":"object"}"#.to_owned(),
            output_schema: None,
            annotations: Annotations::READ_ONLY,
            view: None,
            meta: None,
        };
        vec![definition("wait_twice"), definition("wait_long"), definition("refuse_later")]
    }

    async fn call(invocation: Invocation) -> Result<Output, Stop> {
        match invocation.name.as_str() {
            "wait_twice" => {
                join_all([5, 5].map(|it| monotonic_clock::wait_for(it * NANOSECONDS))).await;
            }
            "wait_long" => monotonic_clock::wait_for(u64::MAX).await,
            _ => {
                monotonic_clock::wait_for(NANOSECONDS).await;
                let (code, message) = ("too_late".to_owned(), "It is too late.".to_owned());
                return Err(Stop::Refused(Refusal { code, message, status: 409, details: None }));
            }
        }
        let sum = Statement {
            sql: "SELECT 40 + $1".to_owned(),
            parameters: vec![Value::Integer(2)],
            expect: None,
        };
        let rows = sql::query(&[sum]).expect("there is a database");
        let [Value::Integer(sum)] = rows[0].rows[0][..] else { panic!("one number is asked for") };
        let structured = Some(format!("{{\"sum\":{sum}}}"));
        Ok(Output { structured, content: Vec::new(), meta: None })
    }
}
