//! A form of 500 fields: it opens, and a key in one of them draws that one anew and no other.

use serde_json::{Value, json};
use tests::{browser::Look, forms::form};

use super::Opened;

const FIELDS: usize = 500;

/// Types 50 characters into the field with that label and returns how long each took, to the end of the
/// page's own work and to the second frame after it; and which other fields' elements changed.
const TYPE: &str = r#"
    const [input] = arguments;
    const done = arguments[arguments.length - 1];
    const inputs = 'input,textarea,select';
    const home = it => {
        let at = it.nodeType === 1 ? it : it.parentElement;
        while (at && !at.matches(inputs) && !at.querySelector(inputs)) at = at.parentElement;
        return at;
    };
    const others = new Set();
    const observer = new MutationObserver(list => list.forEach(it => {
        const at = home(it.target);
        if (!at || at === input) return;
        const inside = at.querySelectorAll(inputs);
        const elsewhere = inside.length === 1 && inside[0] !== input;
        const rebuilt = inside.length > 1 && it.type === 'childList' && it.target === at
            && [...it.addedNodes].some(it => it.nodeType === 1 && it.querySelector(inputs));
        if (at.matches(inputs) || elsewhere || rebuilt) others.add(at.outerHTML.slice(0, 200));
    }));
    // What lives in the header has its own time.
    observer.observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true, characterData: true });
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
    const frame = () => new Promise(requestAnimationFrame);
    const work = [], paint = [];
    const type = async () => {
        for (let at = 0; at < 50; at++) {
            const began = performance.now();
            set.call(input, input.value + 'abcdefghij'[at % 10]);
            input.dispatchEvent(new InputEvent('input', { bubbles: true }));
            await null;
            work.push(performance.now() - began);
            await frame();
            await frame();
            paint.push(performance.now() - began);
        }
        observer.disconnect();
        const at = (list, part) => list.sort((a, b) => a - b)[Math.floor(list.length * part)].toFixed(2);
        done({ others: [...others], figures: {
            work_ms: { median: at(work, 0.5), p95: at(work, 0.95) },
            paint_ms: { median: at(paint, 0.5), p95: at(paint, 0.95) },
        } });
    };
    input.focus();
    type();
"#;

/// Keeps hold of the page's memory.
const HOLD: &str = "
    const make = WebAssembly.instantiateStreaming;
    WebAssembly.instantiateStreaming = async (...given) => {
        const made = await make.apply(WebAssembly, given);
        window.memory = made.instance.exports.memory;
        return made;
    };";

#[tokio::test(flavor = "multi_thread")]
async fn key_redraws_one_of_500_fields_and_all_values_arrive() {
    let fields: Vec<Value> = (0..FIELDS)
        .map(|number| match number % 5 {
            4 => json!({ "name": format!("f{number}"), "type": "select", "label": format!("Field {number}."),
                         "options": [{ "value": "a", "label": "A" }, { "value": "b", "label": "B" }],
                         "default": "b" }),
            _ => json!({ "name": format!("f{number}"), "type": "text", "label": format!("Field {number}."),
                         "default": format!("value {number}"), "required": true }),
        })
        .collect();
    let mut opened = Opened::with(&form(json!([fields[0]])), Look::DESKTOP).await;
    // The page's own memory is WebAssembly's; a script that runs before the page keeps hold of it.
    opened.browser.begins_with(HOLD).await;
    let began = std::time::Instant::now();
    opened.next(&form(json!(fields))).await;
    let browser = &opened.browser;
    let typed = browser.field("Field 250.").await;
    let open_ms = began.elapsed().as_millis();
    let all = "document.querySelectorAll('form input, form select').length";
    browser.until(&format!("{all} === {FIELDS}")).await;
    let typed = serde_json::to_value(&typed).unwrap();
    let all = browser.ask_later(TYPE, vec![typed]).await;
    assert_eq!(all["others"], json!([]), "only the typed field's elements change");
    browser.devtools("HeapProfiler.collectGarbage", json!({})).await;
    let memory = browser.script("return window.memory?.buffer.byteLength ?? 0").await;
    let heap = browser.devtools("Runtime.getHeapUsage", json!({})).await;
    println!(
        "500 fields: open {open_ms} ms (the call that asks among it), {}, WebAssembly {memory} bytes, JavaScript {heap}",
        all["figures"]
    );
    browser.picture("forms-500").await;
    opened.send().await;
    let values = opened.values().await;
    assert_eq!(values.as_object().unwrap().len(), FIELDS);
    assert_eq!(values["f250"], format!("value 250{}", "abcdefghij".repeat(5)));
    assert_eq!((&values["f499"], &values["f0"]), (&json!("b"), &json!("value 0")));
    opened.close().await;
}
