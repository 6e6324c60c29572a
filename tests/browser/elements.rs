//! Elements by the words that people see or hear: labels of fields, texts of buttons, links and headings.
//! Classes and identifiers are no words.

/// Element, as an `XPath` expression and as a person would name it.
pub(crate) struct Element {
    pub(crate) path: String,
    pub(crate) name: String,
}

impl Element {
    fn new(kind: &str, text: &str, path: String) -> Self {
        Self { path, name: format!("the {kind} {text:?}") }
    }
}

/// Returns the field with that label.
pub(crate) fn field(label: &str) -> Element {
    let labels = format!("//label[normalize-space() = {}]", quoted(label));
    let inside = "//*[self::input or self::select or self::textarea]";
    Element::new("field", label, format!("//*[@id = {labels}/@for] | {labels}{inside}"))
}

/// Returns the radio button or the checkbox whose label begins so.
pub(crate) fn choice_beginning(text: &str) -> Element {
    let label = format!("//label[starts-with(normalize-space(), {})]", quoted(text));
    Element::new("choice", text, format!("{label}//input"))
}

/// Returns the option of the list with that label.
pub(crate) fn option(list: &str, option: &str) -> Element {
    let path = format!(
        "//select[@id = //label[normalize-space() = {}]/@for]//option[normalize-space() = {}]",
        quoted(list),
        quoted(option)
    );
    Element::new("option", option, path)
}

/// Returns the button with that text.
pub(crate) fn button(text: &str) -> Element {
    Element::new("button", text, format!("//button[normalize-space() = {}]", quoted(text)))
}

/// Returns the button whose text begins so.
pub(crate) fn button_beginning(text: &str) -> Element {
    let path = format!("//button[starts-with(normalize-space(), {})]", quoted(text));
    Element::new("button", text, path)
}

/// Returns the link with that text.
pub(crate) fn link(text: &str) -> Element {
    Element::new("link", text, format!("//a[normalize-space() = {}]", quoted(text)))
}

/// Returns the link whose text begins so.
pub(crate) fn link_beginning(text: &str) -> Element {
    let path = format!("//a[starts-with(normalize-space(), {})]", quoted(text));
    Element::new("link", text, path)
}

/// Returns the heading whose text begins so.
pub(crate) fn heading(text: &str) -> Element {
    Element::new("heading", text, path_of_heading(text))
}

/// Returns the first lines of code below the heading whose text begins so.
pub(crate) fn code_below(text: &str) -> Element {
    let path = format!("({}/following::pre)[1]", path_of_heading(text));
    Element::new("code below", text, path)
}

/// Returns the row of a table in which a cell has that text.
pub(crate) fn row(text: &str) -> Element {
    let cell = "*[self::td or self::th]";
    Element::new("row", text, format!("//tr[{cell}[normalize-space() = {}]]", quoted(text)))
}

fn path_of_heading(text: &str) -> String {
    let headings = "//*[self::h1 or self::h2 or self::h3]";
    format!("{headings}[starts-with(normalize-space(), {})]", quoted(text))
}

/// Returns the text as a literal of `XPath`, which knows no escapes.
fn quoted(text: &str) -> String {
    if !text.contains('\'') {
        return format!("'{text}'");
    }
    let parts: Vec<_> = text.split('\'').map(|part| format!("'{part}'")).collect();
    format!("concat({})", parts.join(", \"'\", "))
}

#[test]
fn quotes_in_a_text_are_joined_from_parts() {
    assert_eq!(quoted("Sign in"), "'Sign in'");
    assert_eq!(quoted("Ama's \"shop\""), "concat('Ama', \"'\", 's \"shop\"')");
}
