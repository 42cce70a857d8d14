//! The opponent once more, with the allocator that our host has.

#[path = "rmcp_native.rs"]
mod opponent;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    opponent::main()
}
