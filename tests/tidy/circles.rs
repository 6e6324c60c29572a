//! Rule that no two files use each other, directly or indirectly. Only a module and its submodules
//! may do so.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{
    modules::Crate,
    tree::{RustFile, assert_none, rust_files},
};

/// Files that use each other in a circle.
struct Circle {
    files: Vec<String>,
    /// Shortest way round the circle, in words, with the path by which each file uses the next.
    way: String,
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let files = rust_files();
    let broken: Vec<_> = circles(&files)
        .into_iter()
        .map(|circle| format!("{} files: {}", circle.files.len(), circle.way))
        .collect();
    assert_none(&broken, "files use each other in no circle");
}

pub(crate) fn count(files: &[RustFile]) -> usize {
    circles(files).len()
}

fn circles(files: &[RustFile]) -> Vec<Circle> {
    let mut found = Vec::new();
    for all in Crate::all(files) {
        let uses: Vec<BTreeMap<usize, String>> = (0..all.modules.len())
            .map(|module| {
                let mut used = all.used_by(module);
                used.retain(|other, _| {
                    !all.is_inside(module, *other) && !all.is_inside(*other, module)
                });
                used
            })
            .collect();
        let mut done = BTreeSet::new();
        for start in 0..all.modules.len() {
            let members = in_circle_with(start, &uses);
            if done.contains(&start) || members.is_empty() {
                continue;
            }
            let files = members.iter().map(|member| all.modules[*member].file.to_owned()).collect();
            found.push(Circle { files, way: in_words(&way_round(start, &uses), &uses, &all) });
            done.extend(members);
        }
    }
    found
}

/// Returns the modules that a module reaches and that reach it; empty if it is in no circle.
fn in_circle_with(start: usize, uses: &[BTreeMap<usize, String>]) -> BTreeSet<usize> {
    let reached = reached_from(start, uses);
    reached.into_iter().filter(|member| reached_from(*member, uses).contains(&start)).collect()
}

fn reached_from(start: usize, uses: &[BTreeMap<usize, String>]) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(module) = open.pop() {
        open.extend(uses[module].keys().filter(|other| reached.insert(**other)));
    }
    reached
}

/// Returns the shortest way from a module back to it.
fn way_round(start: usize, uses: &[BTreeMap<usize, String>]) -> Vec<usize> {
    let mut open = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = open.pop_front() {
        for next in way.last().into_iter().flat_map(|last| uses[*last].keys()) {
            let longer = [way.as_slice(), &[*next]].concat();
            if *next == start {
                return longer;
            }
            if seen.insert(*next) {
                open.push_back(longer);
            }
        }
    }
    Vec::new()
}

fn in_words(way: &[usize], uses: &[BTreeMap<usize, String>], all: &Crate<'_>) -> String {
    let file = |module: usize| all.modules[module].file;
    let steps = way.windows(2).map(|step| {
        let path = &uses[step[0]][&step[1]];
        format!("uses {} (`{path}`)", file(step[1]))
    });
    let steps: Vec<_> = steps.collect();
    format!("{} {}", way.first().map_or("", |first| file(*first)), steps.join(", which "))
}

fn file(name: &str, text: &str) -> RustFile {
    RustFile { name: name.to_owned(), text: text.to_owned() }
}

#[test]
fn finds_a_circle_through_imports_and_reexports() {
    let root = "mod a; mod b; mod c; mod d; pub use c::C;";
    let files = [
        file("x/lib.rs", root),
        file("x/a.rs", "use crate::b::{self, Other as B}; struct A(b::B, B);"),
        file("x/b.rs", "use super::C; struct B(C); struct Other;"),
        file("x/c.rs", "struct C; fn f() { crate::a::A::new() }"),
        file("x/d.rs", "use crate::a::A; #[cfg(test)] mod tests { use crate::a; }"),
    ];

    let found = circles(&files);

    let way = "x/a.rs uses x/b.rs (`b::B`), which uses x/c.rs (`super::C`), which uses x/a.rs \
               (`crate::a::A::new`)";
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].files, ["x/a.rs", "x/b.rs", "x/c.rs"]);
    assert_eq!(found[0].way, way);
}

#[test]
fn a_module_and_its_submodules_form_no_circle() {
    let files = [
        file("x/main.rs", "mod a; use a::A; struct Root;"),
        file("x/a.rs", "mod b; use b::B; use super::Root; struct A;"),
        file("x/a/b.rs", "use super::A; use crate::Root; struct B;"),
    ];
    assert!(circles(&files).is_empty());
}
