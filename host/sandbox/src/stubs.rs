//! Stubs of imports that are not granted: calling one ends the call.
//!
//! A stub grants nothing, so that components which import more than they use can be loaded (SYS-43). The operator or
//! the component declares these imports (SYS-62).

use std::sync::Arc;

use wasmtime::component::{Component, Linker, LinkerInstance, ResourceType, types::ComponentItem};

use crate::capability::state::CallState;
use base::grants::Grant;

/// Resource type of stubs, never created.
struct Nothing;

/// Links stubs for imports accepted by `is_stub`.
pub(crate) fn add_to_linker(
    linker: &mut Linker<CallState>,
    component: &Component,
    is_stub: impl Fn(&str) -> bool,
) -> wasmtime::Result<()> {
    let (engine, ty) = (component.engine(), component.component_type());
    // A resource is defined where it first occurs, stub or not; later occurrences refer to it.
    let mut resources = Vec::new();
    for (import, item) in ty.imports(engine) {
        let is_stub = is_stub(import);
        match item.ty {
            ComponentItem::ComponentInstance(instance) => {
                let mut stub = is_stub.then(|| linker.instance(import)).transpose()?;
                for (name, item) in instance.exports(engine) {
                    add(stub.as_mut(), (import, name), &item.ty, &mut resources)?;
                }
            }
            other => {
                let mut root = linker.root();
                add(is_stub.then_some(&mut root), (import, import), &other, &mut resources)?;
            }
        }
    }
    Ok(())
}

/// Adds an item of an import to its stub.
fn add(
    stub: Option<&mut LinkerInstance<'_, CallState>>,
    (import, name): (&str, &str),
    item: &ComponentItem,
    resources: &mut Vec<ResourceType>,
) -> wasmtime::Result<()> {
    match (item, stub) {
        (ComponentItem::Resource(ty), stub) if !resources.contains(ty) => {
            resources.push(*ty);
            match stub {
                Some(stub) => stub.resource(name, ResourceType::host::<Nothing>(), |_, _| Ok(())),
                None => Ok(()),
            }
        }
        (ComponentItem::ComponentFunc(ty), Some(stub)) if ty.async_() => {
            let end = Arc::new(ends(import, name));
            stub.func_new_concurrent(name, move |_, _, _, _| {
                let end = end.clone();
                Box::pin(async move { end() })
            })
        }
        (ComponentItem::ComponentFunc(_), Some(stub)) => {
            let end = ends(import, name);
            stub.func_new(name, move |_, _, _, _| end())
        }
        _ => Ok(()),
    }
}

/// A function that fails with its name.
fn ends(
    import: &str,
    name: &str,
) -> impl Fn() -> wasmtime::Result<()> + Send + Sync + 'static + use<> {
    let called = if import == name { name.to_owned() } else { format!("{import}#{name}") };
    let grant = Grant::for_import(import);
    let granted = grant.map(|it| format!("; the grant {it} gives it")).unwrap_or_default();
    move || {
        Err(wasmtime::Error::msg(format!(
            "it called {called}, which it has only as a stub, as `stubs` in its configuration or its file says{granted}"
        )))
    }
}
