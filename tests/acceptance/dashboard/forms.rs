//! Forms in pages. Their values are escaped, so that no tag has a `>` inside.

/// Form that is sent by `POST`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// Address to which it is sent; that of the page if it names none.
    pub(crate) action: Option<String>,
    /// True if it may have files.
    pub(crate) is_multipart: bool,
    /// Names of its fields.
    pub(crate) fields: Vec<String>,
    /// True if somebody can write into one of them.
    pub(crate) is_written: bool,
}

/// Kinds of inputs into which nobody writes.
const UNWRITTEN: [&str; 6] = ["hidden", "radio", "checkbox", "file", "submit", "button"];

/// Returns the forms of a page that are sent by `POST`.
pub(crate) fn forms_in(page: &str) -> Vec<Form> {
    let forms = page.split("<form").skip(1).map(|rest| rest.split("</form>").next().unwrap());
    forms.filter_map(form).collect()
}

/// Returns the token in the first form of a page.
pub(crate) fn token_in(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("name=\"form-token\" value=\"")?;
    rest.split('"').next()
}

fn form(text: &str) -> Option<Form> {
    let (tag, body) = text.split_once('>')?;
    if !attribute(tag, "method")?.eq_ignore_ascii_case("post") {
        return None;
    }
    let (mut fields, mut is_written) = (Vec::new(), false);
    for part in body.split('<').skip(1) {
        let tag = part.split('>').next().unwrap_or_default();
        let kind = tag.split(char::is_whitespace).next().unwrap_or_default();
        let Some(name) = attribute(tag, "name") else { continue };
        is_written |= match kind {
            "textarea" => true,
            "input" => !UNWRITTEN.contains(&attribute(tag, "type").unwrap_or("text")),
            "select" => false,
            _ => continue,
        };
        fields.push(name.to_owned());
    }
    Some(Form {
        action: attribute(tag, "action").map(str::to_owned),
        is_multipart: attribute(tag, "enctype") == Some("multipart/form-data"),
        fields,
        is_written,
    })
}

/// Returns the value of an attribute in a tag.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

#[test]
fn forms_are_found_with_their_fields() {
    let page = "<form class=\"a\" method=\"get\"><input name=\"q\"></form>\
                <form method=\"post\" action=\"/app/send\">\
                <input type=\"hidden\" name=\"form-token\" value=\"abc\">\
                <label for=\"a\">Text</label><textarea id=\"a\" name=\"text\">b</textarea>\
                <select name=\"channel\"><option value=\"SMS\">SMS</option></select>\
                <button name=\"preview\">Look</button></form>";
    let fields = ["form-token", "text", "channel"].map(str::to_owned).to_vec();
    let expected = Form {
        action: Some("/app/send".to_owned()),
        is_multipart: false,
        fields,
        is_written: true,
    };
    assert_eq!(forms_in(page), [expected]);
    assert_eq!(token_in(page), Some("abc"));
}
