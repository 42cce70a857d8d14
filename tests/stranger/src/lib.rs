//! A component that was not made for this host: it exports functions of every type, without the contract.

use std::cell::Cell;

/// What wit-bindgen makes of `wit/`.
#[allow(missing_docs, unsafe_code, reason = "generated from wit/")]
mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "stranger" });
}

use bindings::{
    Guest, Point, Report, Trouble,
    exports::example::stranger::{
        counters,
        values::{self, Everything},
    },
};

struct Stranger;

#[allow(unsafe_code, reason = "generated from wit/")]
mod exported {
    use crate::{Stranger, bindings};

    bindings::export!(Stranger with_types_in bindings);
}

impl values::Guest for Stranger {
    fn echo(everything: Everything) -> Everything {
        everything
    }

    fn move_by(point: Point, dx: i32, dy: Option<i32>) -> Point {
        Point { x: point.x + dx, y: point.y + dy.unwrap_or(0), ..point }
    }

    fn invert(bytes: Vec<u8>) -> Vec<u8> {
        bytes.into_iter().map(|it| !it).collect()
    }

    fn float(text: String) -> f64 {
        text.parse().unwrap_or(f64::NAN)
    }

    fn maybe(text: String) -> Option<String> {
        (!text.is_empty()).then_some(text)
    }

    fn nothing() {}
}

struct Counter(Cell<u32>);

impl counters::GuestCounter for Counter {
    fn new(first: u32) -> Self {
        Self(Cell::new(first))
    }

    fn next(&self) -> u32 {
        self.0.replace(self.0.get() + 1)
    }
}

impl counters::Guest for Stranger {
    type Counter = Counter;

    fn started() -> counters::Counter {
        counters::Counter::new(Counter(Cell::new(0)))
    }

    fn sum(numbers: Vec<u32>) -> u64 {
        numbers.into_iter().map(u64::from).sum()
    }
}

impl Guest for Stranger {
    fn divide(dividend: i32, divisor: i32) -> Result<i32, String> {
        dividend
            .checked_div(divisor)
            .ok_or_else(|| format!("{dividend} cannot be divided by {divisor}"))
    }

    fn find(name: String) -> Result<Point, Trouble> {
        match &*name {
            "home" => Ok(Point { x: 1, y: 2, label: None }),
            "shop" => Err(Trouble::Closed),
            _ => Err(Trouble::NotFound(name)),
        }
    }

    fn check(text: String) -> Result<(), Report> {
        match text.lines().position(|it| it.contains("bad")) {
            None => Ok(()),
            Some(line) => {
                Err(Report { message: "There is something bad.".to_owned(), line: line as u32 })
            }
        }
    }

    fn misbehave(how: String) -> Result<(), ()> {
        match &*how {
            "panic" => panic!("the stranger's secret"),
            "loop" => loop {
                std::hint::black_box(());
            },
            "memory" => {
                let mut all = Vec::new();
                loop {
                    all.push(std::hint::black_box(vec![1_u8; 1 << 20]));
                }
            }
            _ => Err(()),
        }
    }
}
