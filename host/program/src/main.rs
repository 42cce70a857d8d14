//! `madoguchi`: the program with what travels in it. What it does is a library, which stays built when components or
//! the page change.

use std::process::ExitCode;

use host::embedded::Files;
use program::{Carried, Kit};

fn main() -> ExitCode {
    program::main(Carried {
        components: Files::of::<bundle::Components>(),
        page: Files::of::<bundle::Page>(),
        kit: Kit {
            contract: Files::of::<bundle::Contract>(),
            toolkit: Files::of::<bundle::Toolkit>(),
        },
    })
}
