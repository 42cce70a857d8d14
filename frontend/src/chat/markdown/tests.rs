//! Parsing of Markdown, including hostile input.

use super::inline::Inline::{Break, Code, Emphasis, Link, Strong, Struck, Text};
use super::*;

fn text(text: &str) -> Inline {
    Text(text.to_owned())
}

fn line(source: &str) -> Vec<Inline> {
    match read(source, false).into_iter().next() {
        Some(Block::Paragraph(line)) => line,
        other => panic!("{other:?}"),
    }
}

#[test]
fn parses_emphasis_code_and_links() {
    assert_eq!(
        line("a **b *c*** `d*` ~~e~~"),
        [
            text("a "),
            Strong(vec![text("b "), Emphasis(vec![text("c")])]),
            text(" "),
            Code("d*".to_owned()),
            text(" "),
            Struck(vec![text("e")]),
        ]
    );
    // Japanese has no spaces around strong text.
    assert_eq!(
        line("これは**「強調」**です"),
        [text("これは"), Strong(vec![text("「強調」")]), text("です")]
    );
    assert_eq!(line("2 * 3 * 4 seat_id_a"), [text("2 * 3 * 4 seat_id_a")]);
    assert_eq!(line("a\nb"), [text("a"), Break, text("b")]);
    assert_eq!(
        line("[窓口](https://example.com/a) と https://example.com/b。"),
        [
            Link("https://example.com/a".to_owned(), vec![text("窓口")]),
            text(" と "),
            Link("https://example.com/b".to_owned(), vec![text("https://example.com/b")]),
            text("。"),
        ]
    );
    assert_eq!(line(r"\*not\* 5\% \\"), [text(r"*not* 5% \")]);
}

#[test]
fn parses_blocks() {
    let blocks = read(
        "# 題\n\n文\n\n- a\n  - b\n- c\n\n3. x\n4. y\n\n> 引用\n\n```rust\nfn a() {}\n\n# no\n```\n---\n|a|b|\n|-|:-:|\n|1|2\\|3|\n",
        false,
    );
    let p = |it: &str| Block::Paragraph(vec![text(it)]);
    assert_eq!(
        blocks,
        [
            Block::Heading(1, vec![text("題")]),
            p("文"),
            Block::List(
                None,
                vec![vec![p("a"), Block::List(None, vec![vec![p("b")]])], vec![p("c")],]
            ),
            Block::List(Some(3), vec![vec![p("x")], vec![p("y")]]),
            Block::Quote(vec![p("引用")]),
            Block::Code("rust".to_owned(), "fn a() {}\n\n# no".to_owned()),
            Block::Rule,
            Block::Table(
                vec![vec![text("a")], vec![text("b")]],
                vec![vec![vec![text("1")], vec![text("2|3")]]],
            ),
        ]
    );
}

#[test]
fn line_beside_a_list_is_no_part_of_its_last_item() {
    let p = |it: &str| Block::Paragraph(vec![text(it)]);
    assert_eq!(
        read("1. x\n2. y\n次の文\n", false),
        [Block::List(Some(1), vec![vec![p("x")], vec![p("y")]]), p("次の文")]
    );
    let inner = Block::Paragraph(vec![text("a"), Break, text("b")]);
    assert_eq!(read("- a\n  b\nc", false), [Block::List(None, vec![vec![inner.clone()]]), p("c")]);
    // A wrapped item, since another one follows.
    assert_eq!(read("- a\nb\n- c\n", false), [Block::List(None, vec![vec![inner], vec![p("c")]])]);
}

#[test]
fn executable_markup_is_text() {
    for hostile in [
        "[a](javascript:alert(1))",
        "[a](data:text/html,x)",
        "[a](//evil.example)",
        "[a](JaVaScRiPt:x)",
        "<javascript:alert(1)>",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](https://)",
        "[a](vbscript:x)",
        "[a](https://bank.example@evil.example/)",
        "https://evil.example\\@bank.example",
    ] {
        let all = format!("{:?}", read(hostile, false));
        assert!(!all.contains("Link("), "{hostile}: {all}");
    }
    // A remote picture is a link and is not fetched.
    assert_eq!(
        line("![x](https://example.com/x.png)"),
        [Link("https://example.com/x.png".to_owned(), vec![text("x")])]
    );
}

#[test]
fn link_text_cannot_pose_as_another_address() {
    let leads = |label: &str| Link("https://evil.example".to_owned(), vec![text(label)]);
    for hidden in
        ["https://bank.example", "sign in: https://bank.example", "`https://bank.example`"]
    {
        assert_eq!(
            line(&format!("[{hidden}](https://evil.example)")),
            [leads("https://evil.example")]
        );
    }
    let own = "[at https://evil.example](https://evil.example)";
    let label = vec![text("at "), text("https://evil.example")];
    assert_eq!(line(own), [Link("https://evil.example".to_owned(), label)], "no link in a link");
    assert_eq!(line("[bank](https://evil.example)"), [leads("bank")]);
}

#[test]
fn closes_unfinished_markup() {
    let open = |it: &str| read(it, true);
    let p = |it: Vec<Inline>| vec![Block::Paragraph(it)];
    assert_eq!(open("a **b"), p(vec![text("a "), Strong(vec![text("b")])]));
    assert_eq!(open("a **"), p(vec![text("a ")]));
    assert_eq!(open("a `b"), p(vec![text("a "), Code("b".to_owned())]));
    assert_eq!(open("see [窓口](https://exam"), p(vec![text("see 窓口")]));
    assert_eq!(open("```rust\nfn a"), [Block::Code("rust".to_owned(), "fn a".to_owned())]);
}

/// Collects all text of the tree, whatever its marks.
fn letters(blocks: &[Block], out: &mut String) {
    fn collect(line: &[Inline], out: &mut String) {
        for piece in line {
            match piece {
                Text(text) | Code(text) => out.push_str(text),
                Strong(inner) | Emphasis(inner) | Struck(inner) | Link(_, inner) => {
                    collect(inner, out)
                }
                Break => out.push('\n'),
            }
        }
    }
    for block in blocks {
        match block {
            Block::Paragraph(line) | Block::Heading(_, line) => collect(line, out),
            Block::Code(_, text) => out.push_str(text),
            Block::List(_, items) => items.iter().for_each(|it| letters(it, out)),
            Block::Quote(inner) => letters(inner, out),
            Block::Table(head, rows) => {
                head.iter().for_each(|it| collect(it, out));
                rows.iter().flatten().for_each(|it| collect(it, out));
            }
            Block::Rule => {}
        }
    }
}

#[test]
fn any_input_ends_soon_and_loses_no_text() {
    const PIECES: [&str; 24] = [
        "*", "**", "_", "`", "```", "~~", "[", "](", ")", "<", ">", "# ", "- ", "1. ", "\n",
        "\n\n", "  ", "|", "|-|", "\\", "https://", "あ", "w", "!",
    ];
    let mut state = 7_u64;
    for _ in 0..4_000 {
        let mut source = String::new();
        for index in 0..30 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            source.push_str(PIECES[(state >> 33) as usize % PIECES.len()]);
            if index % 5 == 0 {
                source.push_str(&format!("k{index}"));
            }
        }
        let blocks = read(&source, false);
        let mut out = String::new();
        letters(&blocks, &mut out);
        for index in [0, 5, 10, 15, 20, 25] {
            let word = format!("k{index}");
            let is_language = source.contains("```");
            let is_address = source.contains("](") || source.contains("https://");
            assert!(out.contains(&word) || is_language || is_address, "{source:?}: {blocks:?}");
        }
        read(&source, true);
    }
}

#[test]
fn limits_depth_and_length() {
    for hostile in [
        "*".repeat(60_000),
        "`".repeat(60_000),
        "`a``".repeat(20_000),
        "[".repeat(60_000),
        "**a ".repeat(20_000),
        "*a **b ".repeat(10_000),
        ">".repeat(60_000),
        "> ".repeat(30_000),
        "- ".repeat(30_000),
        "- a\n".repeat(20_000),
        "|a".repeat(30_000),
        "あ".repeat(150_000),
        "\\".repeat(60_000),
        "<".repeat(60_000),
        "https://".repeat(10_000),
    ] {
        let blocks = read(&hostile, true);
        assert!(!blocks.is_empty() && blocks.len() <= BLOCKS_MAX + 2);
        fn depth(blocks: &[Block]) -> usize {
            let depth = |it: &Block| match it {
                Block::Quote(inner) => 1 + depth(inner),
                Block::List(_, items) => 1 + items.iter().map(|it| depth(it)).max().unwrap_or(0),
                _ => 1,
            };
            blocks.iter().map(depth).max().unwrap_or(0)
        }
        assert!(depth(&blocks) <= DEPTH_MAX + 2);
    }
}
