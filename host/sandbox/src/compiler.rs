//! Compiles components, with limits on their input and on the compilation.
//!
//! Counts the contents of a file before compilation. A server compiles in a separate process of this program, with
//! system limits on memory and CPU time, so that a crash affects nothing else and all memory is released.

use futures::future::BoxFuture;
use std::{
    ffi::OsString,
    io::{self, Read, Write},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;
use wasmparser::{Parser, Payload};
use wasmtime::component::Component;

use crate::{Sandbox, component::LoadError};
use base::limits::{FUNCTION_BYTES_MAX, SandboxConfig};

/// The command by which this program compiles.
pub const COMMAND: &str = "compile";
/// Wall clock limit of a compilation as a multiple of its CPU limit.
const WALL_FACTOR: u64 = 10;
/// Signals by which the system ends a process without CPU time, or, silently, without memory.
const SIGXCPU: i32 = 24;
const SIGKILL: i32 = 9;
/// Bytes of what a compiler complains that are read.
const COMPLAINT_BYTES_MAX: usize = 4 << 10;

/// Command line of a compiling process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    sandbox: SandboxConfig,
    memory_bytes_max: usize,
    is_quiet: bool,
}

/// Size counters of a component before compilation.
#[derive(Default)]
struct Counted {
    functions: u64,
    types: u64,
    code_bytes: u64,
    longest_function: u64,
}

/// Rejects components that are too expensive to compile. Unreadable ones are left to the compiler's error.
pub fn check(bytes: &[u8], limits: &SandboxConfig) -> Result<(), LoadError> {
    let counted = count(bytes);
    let bounds = [
        ("functions_max", "functions", counted.functions, limits.functions_max),
        ("functions_max", "types of functions", counted.types, limits.functions_max),
        ("code_bytes_max", "bytes of code", counted.code_bytes, limits.code_bytes_max),
    ];
    for (limit, what, found, most) in bounds {
        if found > most {
            let what = format!("it has {found} {what}, and {most} may be compiled");
            return Err(LoadError::TooMuch { limit, what });
        }
    }
    if counted.longest_function > FUNCTION_BYTES_MAX {
        let found = counted.longest_function;
        let what = format!(
            "one of its functions has {found} bytes, and {FUNCTION_BYTES_MAX} may be compiled, which is the same for every component"
        );
        return Err(LoadError::TooMuch { limit: "function_bytes_max", what });
    }
    Ok(())
}

fn count(bytes: &[u8]) -> Counted {
    let mut counted = Counted::default();
    // Modules and components inside are read along.
    for payload in Parser::new(0).parse_all(bytes) {
        match payload {
            Ok(Payload::TypeSection(types)) => counted.types += u64::from(types.count()),
            Ok(Payload::ImportSection(imports)) => counted.functions += u64::from(imports.count()),
            // Each is a piece of code, too.
            Ok(Payload::ComponentCanonicalSection(lifted)) => {
                counted.functions += u64::from(lifted.count());
            }
            Ok(Payload::CodeSectionStart { count, size, .. }) => {
                counted.functions += u64::from(count);
                counted.code_bytes += u64::from(size);
            }
            Ok(Payload::CodeSectionEntry(body)) => {
                let bytes = body.range().len() as u64;
                counted.longest_function = counted.longest_function.max(bytes);
            }
            Ok(_) => {}
            Err(_) => break,
        }
    }
    counted
}

/// Compiles in this process: on all processors, or quietly on one.
pub fn compile_in_process(
    sandbox: &Sandbox,
    bytes: &[u8],
    is_quiet: bool,
) -> Result<Vec<u8>, LoadError> {
    code(sandbox, bytes, is_quiet).map_err(LoadError::Compile)
}

/// Remedy for a core module, as compilers produce for targets other than `wasm32-wasip2`.
const CORE_MODULE: &str = "it is a core module; build it for wasm32-wasip2, or make a component of it by `wasm-tools component new`";

/// Remedy for other or empty files.
const NO_WASM: &str =
    "it is no file of WebAssembly; the one that was built for wasm32-wasip2 is right";

/// The code of a component, for the engine that it needs: one with asynchronous functions, or that goes by WASI 0.3,
/// runs on an engine of its own (SYS-49).
fn code(sandbox: &Sandbox, bytes: &[u8], is_quiet: bool) -> wasmtime::Result<Vec<u8>> {
    if Parser::is_core_wasm(bytes) {
        return Err(wasmtime::Error::msg(CORE_MODULE));
    }
    if !Parser::is_component(bytes) {
        return Err(wasmtime::Error::msg(NO_WASM));
    }
    if let Some(Err(error)) = Parser::new(0).parse_all(bytes).find(Result::is_err) {
        let why = format!("it is damaged or not whole, so copy it anew: {error}");
        return Err(wasmtime::Error::msg(why));
    }
    // Rejected before compilation.
    if !imports_wasi_03(bytes)
        && let Ok(code) = sandbox.compiler(is_quiet).precompile_component(bytes)
    {
        return Ok(code);
    }
    sandbox.concurrent_compiler(is_quiet)?.precompile_component(bytes)
}

/// Whether it imports something of WASI 0.3, with asynchronous functions or without.
fn imports_wasi_03(bytes: &[u8]) -> bool {
    let is_of_03 = |name: &str| {
        let version = name.strip_prefix("wasi:").and_then(|it| it.split_once('@'));
        version.is_some_and(|it| it.1.starts_with("0.3."))
    };
    Parser::new(0).parse_all(bytes).map_while(Result::ok).any(|payload| match payload {
        Payload::ComponentImportSection(imports) => {
            imports.into_iter().flatten().any(|it| is_of_03(it.name.name))
        }
        _ => false,
    })
}

/// The component in `bytes`, compiled in this process on all processors.
///
/// # Errors
/// When it cannot be compiled, or has a shape that no instance can have.
pub fn component_in_process(sandbox: &Sandbox, bytes: &[u8]) -> Result<Component, LoadError> {
    let code = compile_in_process(sandbox, bytes, false)?;
    deserialize(sandbox, &Trusted::Fresh(&code)).map_err(LoadError::Compile)
}

/// Compiled code that may be loaded.
pub enum Trusted<'a> {
    /// A file that was verified, in a folder that this user alone can change.
    File(&'a Path),
    /// Fresh compiler output.
    Fresh(&'a [u8]),
}

/// The component whose code that is, for whichever engine of the sandbox admits it.
///
/// # Errors
/// When it is no code of such an engine.
#[allow(unsafe_code, reason = "wasmtime cannot check compiled code; what is given is trusted")]
pub fn deserialize(sandbox: &Sandbox, code: &Trusted<'_>) -> wasmtime::Result<Component> {
    // SAFETY: this is what `Engine::precompile_component` put out, unchanged, for this component.
    // Fresh code comes straight from there. A file carries the keyed hash of its name and its bytes,
    // which nothing without the key in `seal.key` can make, and was held against it just now; it
    // and its folder belong to this user, and no other user can write to either, so it stays as it
    // is while it is mapped. Whatever runs as this user could change this process as well.
    sandbox.admit(|engine| unsafe {
        match code {
            Trusted::File(file) => Component::deserialize_file(engine, file),
            Trusted::Fresh(code) => Component::deserialize(engine, code),
        }
    })
}

/// Compiles in a process of its own, with this program at `program`.
pub fn compile_apart<'a>(
    program: &'a PathBuf,
    sandbox: &'a Sandbox,
    bytes: &'a [u8],
    is_quiet: bool,
) -> BoxFuture<'a, Result<Vec<u8>, LoadError>> {
    Box::pin(async move {
        let limits = &sandbox.config;
        let job = Job {
            sandbox: limits.as_ref().clone(),
            memory_bytes_max: sandbox.memory_bytes_max,
            is_quiet,
        };
        let job = serde_json::to_string(&job).map_err(io::Error::other)?;
        let mut command = tokio::process::Command::new(program);
        command.args([COMMAND, &job]).kill_on_drop(true);
        // The process gets its job only. Variables may be invalid where flags replace them.
        let ours = |name: &OsString| name.as_encoded_bytes().starts_with(b"MADOGUCHI_");
        for name in std::env::vars_os().map(|it| it.0).filter(ours) {
            command.env_remove(name);
        }
        // The allocator counts used memory instead of its initial gigabyte.
        command.env("MIMALLOC_ARENA_EAGER_COMMIT", "0");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let mut input = child.stdin.take();
        let work = async {
            if let Some(input) = &mut input {
                // A process that exits early explains itself below.
                let _ = input.write_all(bytes).await;
            }
            drop(input);
            child.wait_with_output().await
        };
        let patience = Duration::from_secs(limits.compile_cpu_s_max.saturating_mul(WALL_FACTOR));
        let output = tokio::time::timeout(patience, work).await;
        let output = output.map_err(|_| took_too_long(limits))??;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let stderr = output.stderr.get(..COMPLAINT_BYTES_MAX).unwrap_or(&output.stderr);
        let text = String::from_utf8_lossy(stderr);
        // The program's name, with which it says everything.
        let text = text.trim().trim_start_matches("madoguchi: ");
        Err(failed(output.status, text, limits))
    })
}

/// Why a compiling process brought nothing.
fn failed(status: ExitStatus, text: &str, limits: &SandboxConfig) -> LoadError {
    if status.signal() == Some(SIGXCPU) {
        return took_too_long(limits);
    }
    // Messages of Rust before an abort, of the system, and of thread creation.
    let no_memory = ["memory allocation of", "os error 12", "os error 11", "annot allocate memory"];
    if no_memory.iter().any(|it| text.contains(it)) || status.signal() == Some(SIGKILL) {
        let most = limits.compile_memory_bytes_max;
        let what = format!("compiling it takes more than {most} bytes of memory");
        return LoadError::TooMuch { limit: "compile_memory_bytes_max", what };
    }
    let why = match status.code() {
        Some(_) if !text.is_empty() => text.to_owned(),
        _ => format!("the compiler broke down ({status}): {text}"),
    };
    LoadError::Compile(wasmtime::Error::msg(why))
}

fn took_too_long(limits: &SandboxConfig) -> LoadError {
    let most = limits.compile_cpu_s_max;
    let what = format!("compiling it takes more than {most} seconds of a processor");
    LoadError::TooMuch { limit: "compile_cpu_s_max", what }
}

impl Job {
    /// Reads the job from the command line's JSON.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// Reads a component, and writes its code, under the limits of the job.
    ///
    /// # Errors
    /// When it cannot be compiled; the text is for a log.
    pub fn run(self, mut from: impl Read, mut to: impl Write) -> Result<(), String> {
        self.limit_this_process().map_err(|it| format!("the limits cannot be set: {it}"))?;
        let text = |error: io::Error| error.to_string();
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).map_err(text)?;
        let config = SandboxConfig { instances_max: 1, ..self.sandbox };
        let sandbox = Sandbox::with(&config, self.memory_bytes_max);
        let sandbox = sandbox.map_err(|it| format!("{it:#}"))?;
        let code = code(&sandbox, &bytes, self.is_quiet).map_err(|it| format!("{it:#}"))?;
        to.write_all(&code).and_then(|()| to.flush()).map_err(text)
    }

    /// Applies system limits to this process.
    fn limit_this_process(&self) -> io::Result<()> {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = |resource: Resource, current: u64, maximum: u64| {
            // Less may have been set before, which cannot be raised.
            let maximum = getrlimit(resource).maximum.map_or(maximum, |it| it.min(maximum));
            let current = Some(current.min(maximum));
            setrlimit(resource, Rlimit { current, maximum: Some(maximum) })
        };
        let SandboxConfig { compile_memory_bytes_max: memory, compile_cpu_s_max: seconds, .. } =
            self.sandbox;
        // Limits data instead of addresses, because reserved addresses cost nothing.
        limit(Resource::Data, memory, memory)?;
        limit(Resource::Cpu, seconds, seconds + 5)?;
        Ok(limit(Resource::Core, 0, 0)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number as WebAssembly writes it.
    fn leb(mut number: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        loop {
            let low = (number & 0x7f) as u8;
            number >>= 7;
            if number == 0 {
                bytes.push(low);
                return bytes;
            }
            bytes.push(low | 0x80);
        }
    }

    fn section(id: u8, content: &[u8]) -> Vec<u8> {
        [&[id], &leb(content.len())[..], content].concat()
    }

    /// A component around a module with so many functions, each of so many bytes and of its own type.
    fn component(functions: usize, body: usize) -> Vec<u8> {
        let one = [leb(body), vec![0], vec![1; body - 2], vec![0x0b]].concat();
        let types = [leb(functions), [0x60, 0, 0].repeat(functions)].concat();
        let of_types = [leb(functions), (0..functions).flat_map(leb).collect()].concat();
        let code = [leb(functions), one.repeat(functions)].concat();
        let sections = [section(1, &types), section(3, &of_types), section(10, &code)].concat();
        let module = [&b"\0asm\x01\0\0\0"[..], &sections].concat();
        [&b"\0asm\x0d\0\x01\0"[..], &section(1, &module)].concat()
    }

    fn limit(bytes: &[u8]) -> &'static str {
        let limits =
            SandboxConfig { functions_max: 1_000, code_bytes_max: 70_000, ..Default::default() };
        match check(bytes, &limits) {
            Ok(()) => "",
            Err(LoadError::TooMuch { limit, .. }) => limit,
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn names_the_limit_that_a_component_exceeds() {
        assert_eq!(limit(&component(1_000, 50)), "");
        assert_eq!(limit(&component(1_001, 3)), "functions_max");
        assert_eq!(limit(&component(2, 40_000)), "code_bytes_max");
        let twice = [&component(600, 3)[..], &component(600, 3)[8..]].concat();
        assert_eq!(limit(&twice), "functions_max", "two modules of one component");
        let long = component(1, FUNCTION_BYTES_MAX as usize + 1);
        let error = check(&long, &SandboxConfig::default()).unwrap_err().to_string();
        assert!(error.contains("function_bytes_max"), "{error}");
    }

    #[test]
    fn names_remedy_for_core_module_and_part() {
        let sandbox = Sandbox::new(16 << 20).unwrap();
        for (bytes, what) in
            [(&b"\0asm\x01\0\0\0"[..], "wasm32-wasip2"), (&component(10, 3)[..50], "copy it anew")]
        {
            let error = compile_in_process(&sandbox, bytes, false).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }

    #[test]
    fn passes_unreadable_bytes_to_the_compiler() {
        for bytes in [&b""[..], b"no component", &component(10, 3)[..50]] {
            assert_eq!(limit(bytes), "");
        }
    }

    #[test]
    fn reports_why_a_compiling_process_ended() {
        use std::os::unix::process::ExitStatusExt;
        let limits = SandboxConfig::default();
        let shown =
            |raw: i32, text: &str| failed(ExitStatus::from_raw(raw), text, &limits).to_string();
        assert!(shown(24, "").contains("compile_cpu_s_max"));
        assert!(
            shown(6, "memory allocation of 64 bytes failed").contains("compile_memory_bytes_max")
        );
        assert!(shown(9, "").contains("compile_memory_bytes_max"));
        assert!(shown(11, "").contains("broke down"));
        assert!(shown(1 << 8, "unknown import").ends_with("unknown import"));
    }
}
