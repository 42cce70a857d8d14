//! Imports that a component carries and does not have: in their place are functions that end the call that calls them.
//!
//! A stub gives nothing, so that a component that imports more than it uses can be let in (SYS-43). Which imports these
//! are is said by the operator, or by the component itself (SYS-62).

use std::sync::Arc;

use wasmtime::component::{Component, Linker, LinkerInstance, ResourceType, types::ComponentItem};

use crate::capability::state::CallState;
use base::grants::Grant;

/// What a resource of a stub is: there never is one.
struct Nothing;

/// Puts stubs in the place of those imports of `component` for which `is_stub` says so.
pub(crate) fn add_to_linker(
    linker: &mut Linker<CallState>,
    component: &Component,
    is_stub: impl Fn(&str) -> bool,
) -> wasmtime::Result<()> {
    let (engine, ty) = (component.engine(), component.component_type());
    // A resource is what it is where it first occurs, be that a stub or not; later ones only name it again.
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

/// Notes one item of an import, and puts it into its stub, where there is one.
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

/// A function that only says what was called.
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
