//! The `madoguchi` program with its embedded files. Its code is in a library, which is not rebuilt when components or
//! the page change.

use std::process::ExitCode;

use host::source::Files;
use program::{Carried, Kit};

fn main() -> ExitCode {
    program::main(Carried {
        components: Files::embedded::<bundle::Components>(),
        page: Files::embedded::<bundle::Page>(),
        kit: Kit {
            contract: Files::embedded::<bundle::Contract>(),
            toolkit: Files::embedded::<bundle::Toolkit>(),
        },
    })
}
