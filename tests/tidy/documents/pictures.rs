//! Rule that pictures in Mermaid are of a kind that is drawn.

use super::page::{Page, all_pages};
use crate::tree::assert_none;

const LANGUAGE: &str = "mermaid";
/// Kinds of pictures, as the first line of a block names them.
const KINDS: [&str; 7] = [
    "erDiagram",
    "flowchart LR",
    "flowchart RL",
    "flowchart TB",
    "flowchart TD",
    "sequenceDiagram",
    "stateDiagram-v2",
];

#[test]
fn each_picture_is_of_a_known_kind() {
    assert_none(&unknown(&all_pages()), "a block of Mermaid begins with its kind");
}

/// Returns the first lines of pictures that name no kind.
fn unknown(pages: &[Page]) -> Vec<String> {
    let mut unknown = Vec::new();
    for page in pages {
        for block in page.blocks().iter().filter(|block| block.language == LANGUAGE) {
            let first = block.lines.first().map_or("", |line| line.trim());
            if !KINDS.contains(&first) {
                unknown.push(format!("{}: {first:?} is no kind of picture", page.name));
            }
        }
    }
    unknown
}

#[test]
fn a_picture_of_an_unknown_kind_is_named() {
    let text = "```mermaid\nflowchart LR\n  a --> b\n```\n\n```mermaid\nstates\n  a --> b\n```\n```sh\nls\n```\n";
    let found = unknown(&[Page::of("a.md", text)]);
    assert_eq!(found, ["a.md: \"states\" is no kind of picture"]);
}
