//! The baseline with our host's allocator.

#[path = "rmcp_native.rs"]
mod opponent;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    opponent::main()
}
