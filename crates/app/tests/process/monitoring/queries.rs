//! Queries of the rules and the board, and the series for which they ask.

use serde_json::Value;

const RULES: &str = include_str!("../../../../../docs/deploy/prometheus/atumpan.rules.yml");
const BOARD: &str = include_str!("../../../../../docs/deploy/grafana/atumpan.json");
/// Indent of the lines of an expression that has several.
const CONTINUED: &str = "          ";

/// Part of a query that selects series.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Selector<'q> {
    /// Name of the series: of a metric, or of a part of a histogram.
    pub(super) name: &'q str,
    /// Labels and the values that they are compared with.
    pub(super) matchers: Vec<(&'q str, &'q str)>,
    /// Query up to the name.
    pub(super) before: &'q str,
}

/// Returns the expressions of the rules.
pub(super) fn rules() -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = RULES.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(query) = line.trim_start().strip_prefix("expr: ") else { continue };
        let mut query = query.trim_start_matches('|').to_owned();
        while let Some(line) = lines.next_if(|line| line.starts_with(CONTINUED)) {
            query.push_str(line.trim());
            query.push(' ');
        }
        found.push(query);
    }
    found
}

/// Returns the queries of the board, with the values that Grafana would enter.
pub(super) fn board() -> Vec<String> {
    let board: Value = serde_json::from_str(BOARD).unwrap();
    let panels = board["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    let queries = targets.map(|target| target["expr"].as_str().unwrap());
    let entered =
        queries.map(|query| query.replace("$__rate_interval", "1m").replace("$instance", ".*"));
    entered.collect()
}

/// Returns the selectors of our metrics in a query.
pub(super) fn selectors(query: &str) -> Vec<Selector<'_>> {
    let begins = |beginning| query.match_indices(beginning).map(|(at, _)| at);
    let mut found = Vec::new();
    for at in begins("atumpan_").chain(begins("process_")) {
        let before = &query[..at];
        if before.ends_with(is_of_name) {
            continue;
        }
        let rest = &query[at..];
        let end = rest.find(|letter: char| !is_of_name(letter)).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        let matchers = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        let matchers = matchers.unwrap_or_default().split(',').filter_map(matcher).collect();
        found.push(Selector { name, matchers, before: before.trim_end() });
    }
    found
}

/// Returns the label and the value of a comparison.
fn matcher(text: &str) -> Option<(&str, &str)> {
    let (label, value) = text.split_once(['=', '!'])?;
    Some((label.trim(), value.trim_start_matches(['=', '~']).trim_matches('"')))
}

/// Returns the labels by which a query groups.
pub(super) fn grouping(query: &str) -> impl Iterator<Item = &str> {
    let lists = query.split("by (").skip(1).filter_map(|rest| rest.split(')').next());
    lists.flat_map(|list| list.split(',')).map(str::trim)
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[test]
fn selectors_are_found_with_their_comparisons() {
    let query =
        "sum by (le, pool) ( rate(atumpan_a_bucket{pool=\"x\",b!~\"y|z\"}[5m])) > process_c";
    let [a, c] = <[Selector<'_>; 2]>::try_from(selectors(query)).unwrap();
    assert_eq!((a.name, c.name), ("atumpan_a_bucket", "process_c"));
    assert_eq!(a.matchers, [("pool", "x"), ("b", "y|z")]);
    assert!(a.before.ends_with("rate(") && c.matchers.is_empty());
    assert_eq!(grouping(query).collect::<Vec<_>>(), ["le", "pool"]);
}
