//! What wit-bindgen makes of the contract for WASI 0.3.
#![allow(missing_docs, unsafe_code, reason = "generated from wit/")]

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
