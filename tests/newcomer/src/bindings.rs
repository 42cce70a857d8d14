//! What wit-bindgen makes of `wit/`.
#![allow(missing_docs, unsafe_code, reason = "generated from wit/")]

wit_bindgen::generate!({ path: "wit", world: "newcomer", generate_all });
