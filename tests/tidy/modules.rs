//! Modules of a crate and the paths in them, which show the uses between files.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    tokens::{Token, tokens, without_tests},
    tree::RustFile,
};

/// Maximum number of imported names that are followed.
const MAX_DEPTH: usize = 8;

type Path<'a> = Vec<&'a str>;

/// Module with its file.
pub(crate) struct Module<'a> {
    /// Path from the top.
    pub(crate) file: &'a str,
    parent: Option<usize>,
    children: BTreeMap<&'a str, usize>,
    /// Imported names, with the paths that they stand for.
    imports: BTreeMap<&'a str, Path<'a>>,
    /// Modules of which all names are imported.
    globs: Vec<Path<'a>>,
    /// Names defined in the module.
    definitions: BTreeSet<&'a str>,
    /// Paths in the code of the module.
    paths: BTreeSet<Path<'a>>,
}

/// Modules of a program, a library or a test binary. The first is the root.
pub(crate) struct Crate<'a> {
    pub(crate) modules: Vec<Module<'a>>,
}

/// Target of a path.
#[derive(Clone, Copy)]
enum Target {
    Module(usize),
    ItemOf(usize),
}

impl<'a> Crate<'a> {
    /// Returns all crates of the tree.
    pub(crate) fn all(files: &'a [RustFile]) -> Vec<Self> {
        let roots = files
            .iter()
            .filter(|file| file.name.ends_with("/main.rs") || file.name.ends_with("/lib.rs"));
        roots.map(|root| Self::from_root(root, files)).collect()
    }

    fn from_root(root: &'a RustFile, files: &'a [RustFile]) -> Self {
        let mut all = Self { modules: vec![Module::read(root, None)] };
        let folder = root.name.rsplit_once('/').map_or("", |(folder, _)| folder);
        all.read_children(0, folder, root, files);
        all
    }

    fn read_children(
        &mut self,
        parent: usize,
        folder: &str,
        file: &'a RustFile,
        files: &'a [RustFile],
    ) {
        let code = without_tests(&tokens(&file.text));
        for declaration in code.windows(3) {
            let [keyword, name, end] = declaration else { continue };
            if keyword.text != "mod" || end.text != ";" {
                continue;
            }
            let path = format!("{folder}/{}.rs", name.text);
            let Some(file) = files.iter().find(|file| file.name == path) else { continue };
            let child = self.modules.len();
            self.modules.push(Module::read(file, Some(parent)));
            self.modules[parent].children.insert(name.text, child);
            self.read_children(child, &format!("{folder}/{}", name.text), file, files);
        }
    }

    /// True if `inner` is below `outer`, or is the same module.
    pub(crate) fn is_inside(&self, inner: usize, outer: usize) -> bool {
        inner == outer
            || self.modules[inner].parent.is_some_and(|parent| self.is_inside(parent, outer))
    }

    /// Returns the other modules that a module uses, each with a path that leads there.
    pub(crate) fn used_by(&self, module: usize) -> BTreeMap<usize, String> {
        let code = &self.modules[module];
        let mut used = BTreeMap::new();
        for path in code.paths.iter().chain(code.imports.values()) {
            // A module's name alone is no use: its items appear in other paths.
            if let Some(Target::ItemOf(target)) = self.resolve(module, path, MAX_DEPTH) {
                used.entry(target).or_insert_with(|| path.join("::"));
            }
        }
        for path in &code.globs {
            if let Some(Target::Module(target) | Target::ItemOf(target)) =
                self.resolve(module, path, MAX_DEPTH)
            {
                used.entry(target).or_insert_with(|| format!("{}::*", path.join("::")));
            }
        }
        used.remove(&module);
        used
    }

    fn resolve(&self, from: usize, path: &[&'a str], depth: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        match *first {
            "crate" => Some(self.descend(0, rest, depth)),
            "self" => Some(self.descend(from, rest, depth)),
            "super" => {
                let parent = self.modules[from].parent?;
                if rest.first() == Some(&"super") {
                    self.resolve(parent, rest, depth)
                } else {
                    Some(self.descend(parent, rest, depth))
                }
            }
            first if self.modules[from].children.contains_key(first) => {
                Some(self.descend(from, path, depth))
            }
            first => {
                let import = self.modules[from].imports.get(first)?;
                let is_itself = import.first() == Some(&first);
                if depth == 0 || is_itself {
                    return None;
                }
                self.resolve(from, &[import, rest].concat(), depth - 1)
            }
        }
    }

    /// Returns the target of a path that begins in a module.
    fn descend(&self, start: usize, path: &[&'a str], depth: usize) -> Target {
        let Some((name, rest)) = path.split_first() else { return Target::Module(start) };
        let module = &self.modules[start];
        if let Some(child) = module.children.get(name) {
            return self.descend(*child, rest, depth);
        }
        if depth == 0 || module.definitions.contains(name) {
            return Target::ItemOf(start);
        }
        if let Some(import) = module.imports.get(name) {
            let imported = self.resolve(start, &[import, rest].concat(), depth - 1);
            return imported.unwrap_or(Target::ItemOf(start));
        }
        let mut targets = module.globs.iter().filter_map(|glob| {
            match self.resolve(start, &[glob, path].concat(), depth - 1)? {
                Target::ItemOf(target) if !self.modules[target].definitions.contains(name) => None,
                target => Some(target),
            }
        });
        targets.next().unwrap_or(Target::ItemOf(start))
    }
}

impl<'a> Module<'a> {
    fn read(file: &'a RustFile, parent: Option<usize>) -> Self {
        let mut module = Self {
            file: &file.name,
            parent,
            children: BTreeMap::new(),
            imports: BTreeMap::new(),
            globs: Vec::new(),
            definitions: BTreeSet::new(),
            paths: BTreeSet::new(),
        };
        let code = without_tests(&tokens(&file.text));
        let mut at = 0;
        while at < code.len() {
            let next = code.get(at + 1).map_or("", |token| token.text);
            match code[at].text {
                "use" if next != "<" => {
                    let end = code[at..].iter().position(|token| token.text == ";");
                    let end = end.map_or(code.len(), |length| at + length);
                    module.read_import(&code[at + 1..end], &[]);
                    at = end;
                }
                "struct" | "enum" | "union" | "trait" | "fn" | "type" | "const" | "static" => {
                    module.definitions.insert(next);
                    at += 1;
                }
                _ if code[at].is_word() && next == "::" => at = module.read_path(&code, at),
                _ => at += 1,
            }
        }
        module
    }

    fn read_path(&mut self, code: &[Token<'a>], start: usize) -> usize {
        let mut path = vec![code[start].text];
        let mut at = start + 1;
        while let [sign, word, ..] = &code[at..]
            && sign.text == "::"
            && word.is_word()
        {
            path.push(word.text);
            at += 2;
        }
        if path.len() > 1 {
            self.paths.insert(path);
        }
        at
    }

    /// Reads the tokens between `use` and the semicolon, or a part of them.
    fn read_import(&mut self, tree: &[Token<'a>], beginning: &[&'a str]) {
        let mut path = beginning.to_vec();
        for (at, token) in tree.iter().enumerate() {
            match token.text {
                "::" => {}
                "*" => {
                    self.globs.push(path);
                    return;
                }
                "as" => {
                    self.imports.insert(tree[at + 1].text, path);
                    return;
                }
                "{" => {
                    for part in parts(&tree[at + 1..tree.len() - 1]) {
                        self.read_import(part, &path);
                    }
                    return;
                }
                "self" if at == 0 && !beginning.is_empty() => {}
                name => path.push(name),
            }
        }
        if let Some(name) = path.last().copied() {
            self.imports.insert(name, path);
        }
    }
}

/// Splits a list at its commas.
fn parts<'t, 'a>(list: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut depth = 0;
    let is_end = |token: &Token<'a>| {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && token.text == ","
    };
    list.split(is_end).filter(|part| !part.is_empty()).collect()
}
