//! Diagrams of states, as Mermaid draws them.

/// States with what leads from each to others.
pub(super) struct Diagram {
    first: &'static str,
    ways: Vec<Way>,
}

/// Way from a state to another one, with the names of all that leads there.
struct Way {
    from: &'static str,
    to: &'static str,
    names: Vec<&'static str>,
}

impl Diagram {
    /// Creates a diagram with the state in which everything begins.
    pub(super) const fn beginning_with(first: &'static str) -> Self {
        Self { first, ways: Vec::new() }
    }

    /// Adds the name of what leads from a state to another one.
    pub(super) fn add(&mut self, from: &'static str, to: &'static str, name: &'static str) {
        let at = self.ways.iter().position(|way| way.from == from && way.to == to);
        let known = at.and_then(|at| self.ways.get_mut(at));
        match known {
            Some(way) if way.names.contains(&name) => {}
            Some(way) => way.names.push(name),
            None => self.ways.push(Way { from, to, names: vec![name] }),
        }
    }

    /// Returns the block for a page, where these states are the last ones.
    pub(super) fn ending_with(&self, last: impl IntoIterator<Item = &'static str>) -> String {
        let mut lines = vec![
            "```mermaid".to_owned(),
            "stateDiagram-v2".to_owned(),
            format!("    [*] --> {}", self.first),
        ];
        let ways = self.ways.iter();
        lines.extend(
            ways.map(|way| format!("    {} --> {}: {}", way.from, way.to, way.names.join(", "))),
        );
        lines.extend(last.into_iter().map(|state| format!("    {state} --> [*]")));
        lines.push("```".to_owned());
        lines.join("\n")
    }
}

#[test]
fn what_leads_the_same_way_is_drawn_once() {
    let mut diagram = Diagram::beginning_with("A");
    for name in ["one", "two", "one"] {
        diagram.add("A", "B", name);
    }
    let expected =
        "```mermaid\nstateDiagram-v2\n    [*] --> A\n    A --> B: one, two\n    B --> [*]\n```";
    assert_eq!(diagram.ending_with(["B"]), expected);
}
