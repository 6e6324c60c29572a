//! Pages of the documentation, with the headings, links and code in them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::tree::{entries, files, root, shown};

/// Texts before the target of a link or a picture.
const BEFORE_TARGETS: [&str; 4] = ["](", "src=\"", "srcset=\"", "href=\""];
/// Letters that end a target.
const AFTER_TARGETS: [char; 4] = [')', '"', ' ', '\n'];
/// Folders of which each entry has pages of its own.
const PARENTS: [&str; 2] = ["clients", "crates"];

/// Page in Markdown.
pub(super) struct Page {
    /// Path from the top.
    pub(super) name: String,
    pub(super) text: String,
}

/// Link to a file of the repository.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// Path from the top.
    pub(super) file: String,
    /// Anchor of the heading; `None` for the file as a whole.
    pub(super) anchor: Option<String>,
}

/// Block of code.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block<'p> {
    /// Text beside its opening fence.
    pub(super) language: &'p str,
    pub(super) lines: Vec<&'p str>,
}

/// Returns all pages: those of the project, of its crates and of its clients.
pub(super) fn all_pages() -> Vec<Page> {
    let mut paths = vec![root().join("README.md")];
    paths.extend(files(&root().join("docs")).into_iter().filter(|path| is_page(path)));
    for parent in PARENTS {
        for name in entries(parent) {
            let folder = root().join(parent).join(name);
            let own = ["README.md", "CHANGELOG.md"].map(|file| folder.join(file));
            paths.extend(own.into_iter().filter(|path| path.exists()));
        }
    }
    paths.sort();
    paths.iter().map(|path| Page::read(path)).collect()
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

impl Page {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { name: shown(path), text }
    }

    /// Creates a page that is in no file.
    pub(super) fn of(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned() }
    }

    /// Returns the lines outside of blocks of code. A fence leaves an empty line.
    fn prose(&self) -> Vec<&str> {
        let mut is_code = false;
        let mut lines = Vec::new();
        for line in self.text.lines() {
            if fence(line).is_some() {
                is_code = !is_code;
                lines.push("");
            } else if !is_code {
                lines.push(line);
            }
        }
        lines
    }

    fn paragraphs(&self) -> Vec<String> {
        let prose = self.prose();
        let paragraphs = prose.split(|line| line.trim().is_empty());
        paragraphs.filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n")).collect()
    }

    /// Returns the blocks of code. One that is not closed ends with the page.
    pub(super) fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        let mut open: Option<Block<'_>> = None;
        for line in self.text.lines() {
            let Some(language) = fence(line) else {
                if let Some(block) = &mut open {
                    block.lines.push(line);
                }
                continue;
            };
            match open.take() {
                Some(block) => blocks.push(block),
                None => open = Some(Block { language, lines: Vec::new() }),
            }
        }
        blocks.extend(open);
        blocks
    }

    /// Returns the pieces of code between words.
    pub(super) fn inline_code(&self) -> Vec<String> {
        let paragraphs = self.paragraphs();
        let pieces = paragraphs.iter().flat_map(|text| text.split('`').skip(1).step_by(2));
        pieces.map(str::to_owned).collect()
    }

    /// Returns the anchors of the headings, as GitHub makes them.
    pub(super) fn anchors(&self) -> BTreeSet<String> {
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        let mut anchors = BTreeSet::new();
        for heading in self.prose().into_iter().filter_map(heading) {
            let anchor = anchor(heading);
            let used = uses.entry(anchor.clone()).or_default();
            anchors.insert(if *used == 0 { anchor } else { format!("{anchor}-{used}") });
            *used += 1;
        }
        anchors
    }

    /// Returns the links to files of the repository.
    pub(super) fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for paragraph in self.paragraphs() {
            let words: String = paragraph.split('`').step_by(2).collect();
            for before in BEFORE_TARGETS {
                let rests = words.split(before).skip(1);
                let targets = rests.filter_map(|rest| rest.split(AFTER_TARGETS).next());
                let own = targets.filter(|target| !target.is_empty() && !target.contains(':'));
                links.extend(own.map(|target| Link::between(&self.name, target)));
            }
        }
        links
    }
}

impl Link {
    /// Returns the link of a page to a target, which is as seen from the page.
    fn between(page: &str, target: &str) -> Self {
        let (path, anchor) = match target.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor.to_owned())),
            None => (target, None),
        };
        let folder = Path::new(page).parent().unwrap_or(Path::new(""));
        let file = if path.is_empty() { page.to_owned() } else { plain(&folder.join(path)) };
        Self { file, anchor }
    }

    /// Returns the link to a target as seen from the top.
    pub(super) fn from_top(target: &str) -> Self {
        Self::between("", target)
    }
}

/// Returns the text beside a fence of a block; `None` for another line.
fn fence(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("```").map(|rest| rest.trim_start_matches('`').trim())
}

fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with(' ');
    is_heading.then(|| text.trim())
}

/// Returns the anchor of a heading that is the first with its text: letters, digits, `_` and `-` stay.
fn anchor(heading: &str) -> String {
    let mut parts = heading.split("](");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    let is_kept = |letter: &char| letter.is_alphanumeric() || ['_', '-', ' '].contains(letter);
    shown.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-")
}

/// Returns a path without `..`.
fn plain(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.iter().filter_map(|part| part.to_str()) {
        match part {
            ".." => {
                parts.pop();
            }
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn anchors_are_those_of_github() {
    let text = "# `ATUMPAN_ENV` is set: why?\n## A [link](b.md#c), *twice*\n\n## Steps\n```sh\n# no heading\n```\n\
                ### Steps\n#none\n#### Années 1–2\n";
    let expected = ["a-link-twice", "années-12", "atumpan_env-is-set-why", "steps", "steps-1"];
    assert_eq!(Page::of("a.md", text).anchors().into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn links_are_found_outside_of_code() {
    let text = "[a](../b.md#c \"d\") and [`e`](f/g.md), `[h](i.md)`, [j](https://k.org/l.md),\n[m](#n)\n\n\
                ```md\n[o](p.md)\n```\n<img src=\"q.png\">\n";
    let links = Page::of("docs/guide/a.md", text).links();

    let shown = links.iter().map(|it| (it.file.as_str(), it.anchor.as_deref()));
    let expected = [
        ("docs/b.md", Some("c")),
        ("docs/guide/f/g.md", None),
        ("docs/guide/a.md", Some("n")),
        ("docs/guide/q.png", None),
    ];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert_eq!(Link::from_top("docs/./x/../b.md").file, "docs/b.md");
}

#[test]
fn code_is_found_between_words_and_in_blocks() {
    let page = Page::of("a.md", "`b` c `d\ne`\n\n- f:\n\n  ```sh\n  g `h`\n  ```\n\n```text\ni");

    assert_eq!(page.inline_code(), ["b", "d\ne"]);
    let blocks = [
        Block { language: "sh", lines: vec!["  g `h`"] },
        Block { language: "text", lines: vec!["i"] },
    ];
    assert_eq!(page.blocks(), blocks);
}
