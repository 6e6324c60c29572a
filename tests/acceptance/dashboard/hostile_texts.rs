//! Hostile text in every field, on every page: it stays text.

use acceptance::World;

use crate::dashboard::{
    forms::forms_in,
    hostile_items::HostileItems,
    visitor::{TOKEN, Visitor},
};

/// Sign in each text by which pages are recognized that show it.
const MARK: &str = "zq7";
const RIGHT_TO_LEFT: char = '\u{202e}';
const LONG: usize = 10_000;
/// Forms that end the session, the organization or an item.
const ENDINGS: [&str; 10] = [
    "/app/sign-out",
    "/erase",
    "/delete",
    "/cancel",
    "/app/account/password",
    "/app/account/second-factor",
    "/app/settings/close",
    "/app/account/sign-out-everywhere",
    "/end",
    "/remove",
];
/// Tags in which a foreign text cannot change the direction of the text around it.
const ISOLATED: [&str; 6] = ["<bdi", "<input", "<textarea", "<option", "<title", "<mark"];
/// Parts of pages that no text of a person brings about.
const HARM: [&str; 5] =
    ["<script>alert", "<img src=x", "onmouseover='", "href=\"javascript:", "<b>zq7"];

fn texts() -> Vec<String> {
    vec![
        format!("<script>alert('{MARK}')</script>"),
        format!("\"><b>{MARK}</b><img src=x onerror=alert(1)>"),
        format!("{MARK}' onmouseover='alert(1)"),
        format!("{MARK}{RIGHT_TO_LEFT}fdp.exe"),
        format!("javascript:alert('{MARK}')"),
        format!("=cmd|'/c calc'!A1{MARK}"),
        format!("{MARK}{}", "W".repeat(LONG)),
    ]
}

/// Returns the paths of pages and files.
fn paths() -> Vec<&'static str> {
    let routes = adapters_dashboard::routes().into_iter();
    routes.filter(|(method, _)| *method == "GET").map(|(_, path)| path).collect()
}

/// Asserts that nothing in a page is more than text.
#[track_caller]
fn assert_harmless(page: &str, address: &str) {
    for harm in HARM {
        assert!(!page.contains(harm), "{address} has {harm}: {page}");
    }
    for (at, _) in page.match_indices(RIGHT_TO_LEFT) {
        let before = &page[..at];
        let tag = &before[before.rfind('<').unwrap_or_default()..];
        let is_isolated = ISOLATED.iter().any(|isolated| tag.starts_with(isolated));
        assert!(is_isolated, "{address} turns the text around {tag}");
    }
}

/// Asserts that no cell of a file is a formula.
#[track_caller]
fn assert_no_formulas(file: &str, address: &str) {
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true);
    for record in reader.from_reader(file.as_bytes()).into_records() {
        for cell in &record.unwrap() {
            let is_phone = cell.strip_prefix('+').is_some_and(|it| it.parse::<u64>().is_ok());
            let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
            assert!(is_phone || !is_formula, "{address}: {cell:?}");
        }
    }
}

#[tokio::test]
async fn hostile_items_are_shown_as_text_on_every_page() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let visitor = Visitor::of(&tenant);
    let (mut items, mut shown) = (0, 0);
    for (number, text) in texts().iter().enumerate() {
        let hostile = HostileItems::of(&tenant, text, number).await;
        items += hostile.count();
        for address in paths().into_iter().filter_map(|path| hostile.address(path)) {
            let answer = visitor.get(&address).await;
            assert!(answer.status < 500, "{address}: {}", answer.text);
            if answer.header("content-type").starts_with("text/csv") {
                assert_no_formulas(&answer.text, &address);
            } else {
                assert_harmless(&answer.text, &address);
            }
            shown += usize::from(answer.text.contains(MARK));
        }
    }
    assert!(items > 20, "{items} items");
    assert!(shown > 30, "{shown} pages with a hostile text");
}

#[tokio::test]
async fn hostile_texts_in_every_form_come_back_as_text() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let visitor = Visitor::of(&tenant);
    let items = HostileItems::of(&tenant, "Akwaaba", texts().len()).await;
    let (mut sent, mut shown) = (0, 0);
    for address in paths().into_iter().filter_map(|path| items.address(path)) {
        let page = visitor.get(&address).await;
        for form in forms_in(&page.text).into_iter().filter(|form| form.is_written) {
            let action = form.action.as_deref().unwrap_or(&address);
            if form.is_multipart || ENDINGS.iter().any(|ending| action.contains(ending)) {
                continue;
            }
            for text in texts() {
                let names = form.fields.iter().map(String::as_str).filter(|name| *name != TOKEN);
                let fields: Vec<_> = names.map(|name| (name, text.as_str())).collect();
                let answer = visitor.submit(action, &fields).await;
                assert!(answer.status < 500, "{action}: {}", answer.text);
                assert_harmless(&answer.text, action);
                shown += usize::from(answer.text.contains(MARK));
                sent += 1;
            }
        }
    }
    assert!(sent > 50, "{sent} forms");
    assert!(shown > sent / 2, "{shown} of {sent} came back filled in");
    for address in paths().into_iter().filter_map(|path| items.address(path)) {
        assert_harmless(&visitor.get(&address).await.text, &address);
    }
}

#[test]
#[should_panic(expected = "turns the text around")]
fn a_text_from_right_to_left_is_found_outside_of_its_isolation() {
    assert_harmless("<p><bdi>a\u{202e}b</bdi></p><p>c\u{202e}d</p>", "here");
}
