//! Stores the pictures of conversations over a reload: at most 50, in the browser's IndexedDB (ILL-46).

use js_sys::{Array, Object, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbObjectStore, IdbRequest, IdbTransactionMode};

use crate::cards::picture::Picture;

/// Maximum number of stored pictures; the oldest are removed.
pub(crate) const PICTURES_MAX: u32 = 50;
const DATABASE: &str = "madoguchi";
const STORE: &str = "pictures";

/// Stores a picture under its id. Fails if the browser forbids it or is full; the page works without.
pub(crate) async fn keep(picture: &Picture) -> Result<(), JsValue> {
    let Some(data) = &picture.data else { return Ok(()) };
    let value = Object::new();
    Reflect::set(&value, &"mime".into(), &picture.mime.as_str().into())?;
    Reflect::set(&value, &"data".into(), &JsValue::from_str(data))?;
    let database = open().await?;
    let store = store(&database, IdbTransactionMode::Readwrite)?;
    done(&store.put_with_key(&value, &picture.id.as_str().into())?).await?;
    // Ids begin with the time, and keys are sorted: the first is the oldest.
    let keys: Array = done(&store.get_all_keys()?).await?.dyn_into()?;
    for index in 0..keys.length().saturating_sub(PICTURES_MAX) {
        done(&store.delete(&keys.get(index))?).await?;
    }
    database.close();
    Ok(())
}

/// Loads the bytes of these pictures, as far as stored.
pub(crate) async fn load(ids: &[String]) -> Result<Vec<(String, String)>, JsValue> {
    let database = open().await?;
    let store = store(&database, IdbTransactionMode::Readonly)?;
    let mut found = Vec::new();
    for id in ids.iter().take(PICTURES_MAX as usize) {
        let value = done(&store.get(&id.as_str().into())?).await?;
        if value.is_object()
            && let Some(data) = Reflect::get(&value, &"data".into())?.as_string()
        {
            found.push((id.clone(), data));
        }
    }
    database.close();
    Ok(found)
}

/// Removes these pictures.
pub(crate) async fn forget(ids: &[String]) -> Result<(), JsValue> {
    let database = open().await?;
    let store = store(&database, IdbTransactionMode::Readwrite)?;
    for id in ids {
        done(&store.delete(&id.as_str().into())?).await?;
    }
    database.close();
    Ok(())
}

/// Removes all pictures.
pub(crate) async fn clear() -> Result<(), JsValue> {
    let database = open().await?;
    done(&store(&database, IdbTransactionMode::Readwrite)?.clear()?).await?;
    database.close();
    Ok(())
}

async fn open() -> Result<IdbDatabase, JsValue> {
    let factory = window().indexed_db()?.ok_or(JsValue::NULL)?;
    let request = factory.open_with_u32(DATABASE, 1)?;
    let opened = request.clone();
    let upgrade = Closure::once(move || {
        let database = opened.result().ok().and_then(|it| it.dyn_into::<IdbDatabase>().ok());
        // A failure surfaces in the transaction.
        drop(database.map(|it| it.create_object_store(STORE)));
    });
    request.set_onupgradeneeded(Some(upgrade.as_ref().unchecked_ref()));
    done(&request).await?.dyn_into()
}

fn store(database: &IdbDatabase, mode: IdbTransactionMode) -> Result<IdbObjectStore, JsValue> {
    database.transaction_with_str_and_mode(STORE, mode)?.object_store(STORE)
}

/// Converts a database request to a future. The microtask that follows may make the next request of the same
/// transaction, which is still open then.
async fn done(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    JsFuture::from(promise).await?;
    request.result()
}
