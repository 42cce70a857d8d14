//! Draws Markdown of an assistant as nodes only, so that no text can be markup.

use std::hash::{DefaultHasher, Hash, Hasher};

use leptos::prelude::*;

use crate::chat::markdown::{self, Block, Inline};
use crate::text::Key;
use crate::views::output::copy;

/// A Markdown text; unchanged blocks are not redrawn while more arrives.
#[component]
pub(crate) fn Markdown(
    #[prop(into)] text: Signal<String>,
    #[prop(into)] is_open: Signal<bool>,
) -> impl IntoView {
    let blocks = Memo::new(move |_| {
        text.with(|text| {
            let blocks = markdown::read(text, is_open.get());
            let keyed = |(index, block): (usize, Block)| {
                let mut hasher = DefaultHasher::new();
                block.hash(&mut hasher);
                (index, hasher.finish(), block)
            };
            blocks.into_iter().enumerate().map(keyed).collect::<Vec<_>>()
        })
    });
    view! {
        <div class="markdown">
            <For each=move || blocks.get() key=|it| (it.0, it.1)
                children=|it| view! { <BlockView block=it.2/> }/>
        </div>
    }
}

#[component]
fn BlockView(block: Block) -> AnyView {
    match block {
        Block::Paragraph(line) => any_view! { <p>{inline(line)}</p> },
        // The page's own headings rank above these.
        Block::Heading(1 | 2, line) => any_view! { <h3>{inline(line)}</h3> },
        Block::Heading(_, line) => any_view! { <h4>{inline(line)}</h4> },
        Block::Code(language, text) => any_view! { <CodeView language text/> },
        Block::List(None, items) => any_view! { <ul>{entries(items)}</ul> },
        Block::List(Some(start), items) => {
            any_view! { <ol start=start.to_string()>{entries(items)}</ol> }
        }
        Block::Quote(inner) => any_view! { <blockquote>{all(inner)}</blockquote> },
        Block::Rule => any_view! { <hr/> },
        Block::Table(head, rows) => {
            let head = head.into_iter().map(|it| view! { <th scope="col">{inline(it)}</th> });
            let row = |row: Vec<Vec<Inline>>| {
                let cells = row.into_iter().map(|it| view! { <td>{inline(it)}</td> });
                view! { <tr>{cells.collect_view()}</tr> }
            };
            any_view! {
                <div class="markdown-table">
                    <table>
                        <thead><tr>{head.collect_view()}</tr></thead>
                        <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
                    </table>
                </div>
            }
        }
    }
}

fn all(blocks: Vec<Block>) -> Vec<AnyView> {
    blocks.into_iter().map(|block| any_view! { <BlockView block/> }).collect()
}

fn entries(items: Vec<Vec<Block>>) -> Vec<AnyView> {
    let entry = |mut item: Vec<Block>| {
        // An item of one line is not wrapped in a paragraph.
        if let [Block::Paragraph(line), rest @ ..] = item.as_mut_slice() {
            let line = inline(std::mem::take(line));
            let rest = all(rest.to_vec());
            return any_view! { <li>{line}{rest}</li> };
        }
        any_view! { <li>{all(item)}</li> }
    };
    items.into_iter().map(entry).collect()
}

fn inline(line: Vec<Inline>) -> Vec<AnyView> {
    line.into_iter().map(piece).collect()
}

fn piece(piece: Inline) -> AnyView {
    match piece {
        Inline::Text(text) => text.into_any(),
        Inline::Strong(inner) => any_view! { <strong>{inline(inner)}</strong> },
        Inline::Emphasis(inner) => any_view! { <em>{inline(inner)}</em> },
        Inline::Struck(inner) => any_view! { <s>{inline(inner)}</s> },
        Inline::Code(text) => any_view! { <code>{text}</code> },
        Inline::Link(url, inner) => any_view! { <LinkView url inner/> },
        Inline::Break => any_view! { <br/> },
    }
}

#[component]
fn LinkView(url: String, inner: Vec<Inline>) -> impl IntoView {
    // The address is shown as a tooltip: the link's text may name another.
    view! {
        <a href=url.clone() title=url target="_blank" rel="noopener noreferrer nofollow">
            {inline(inner)}
            <span class="only-heard">{Key::ChatOpensElsewhere}</span>
        </a>
    }
}

#[component]
fn CodeView(language: String, text: String) -> impl IntoView {
    let copied = text.clone();
    let copied = move |_| copy(&copied, Key::Copied);
    let name = language.clone();
    let label = move || match name.as_str() {
        "" => Key::CodeLabel.say().to_owned(),
        name => format!("{} {name}", Key::CodeLabel.say()),
    };
    view! {
        <figure class="markdown-code">
            <figcaption>
                <span>{language}</span>
                <button type="button" class="plain small" on:click=copied>{Key::Copy}</button>
            </figcaption>
            // Long lines scroll, also by the arrow keys.
            <pre tabindex="0" role="region" aria-label=label><code>{text}</code></pre>
        </figure>
    }
}
