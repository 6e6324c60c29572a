//! Elements of pages.

use serde_json::{Value, json};

use super::connection::Connection;

/// Name of a reference to an element in answers, which the protocol prescribes.
const REFERENCE: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Way to find elements of a page.
#[derive(Debug, Clone, Copy)]
pub enum By<'a> {
    /// Selector of CSS.
    Css(&'a str),
    /// Expression of `XPath`.
    XPath(&'a str),
}

/// Element of a page. All its methods fail once the page is replaced.
#[derive(Debug)]
pub struct WebElement {
    connection: Connection,
    id: String,
}

/// Place and size of an element on the page, in CSS pixels.
#[derive(Debug, Clone, Copy)]
pub struct Rectangle {
    /// Distance from the left edge of the page.
    pub x: f64,
    /// Distance from the top of the page.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl By<'_> {
    /// Returns the parameters of a search.
    pub(super) fn parameters(self) -> Value {
        match self {
            Self::Css(selector) => json!({ "using": "css selector", "value": selector }),
            Self::XPath(expression) => json!({ "using": "xpath", "value": expression }),
        }
    }
}

impl WebElement {
    /// Returns the element to which an answer refers.
    pub(super) fn of_answer(connection: &Connection, answer: &Value) -> Result<Self, String> {
        let id = answer[REFERENCE].as_str();
        let id = id.ok_or_else(|| format!("this is no element: {answer}"))?;
        Ok(Self { connection: connection.clone(), id: id.to_owned() })
    }

    /// Scrolls to the element, and clicks on it. Fails if something else lies over it.
    pub async fn click(&self) -> Result<(), String> {
        self.command("click", &json!({})).await
    }

    /// Removes the text of a field.
    pub async fn clear(&self) -> Result<(), String> {
        self.command("clear", &json!({})).await
    }

    /// Types into a field, after the text that it has. A field for files takes the path of one.
    pub async fn type_text(&self, text: &str) -> Result<(), String> {
        self.command("value", &json!({ "text": text })).await
    }

    /// Returns the visible text.
    pub async fn text(&self) -> Result<String, String> {
        self.connection.text(&self.path("text")).await
    }

    /// Returns the name of the tag, in lower case.
    pub async fn tag_name(&self) -> Result<String, String> {
        self.connection.text(&self.path("name")).await
    }

    /// Returns the element itself and all that it contains, as HTML.
    pub async fn outer_html(&self) -> Result<String, String> {
        self.connection.text(&self.path("property/outerHTML")).await
    }

    /// Returns the computed value of a property of CSS.
    pub async fn css_value(&self, property: &str) -> Result<String, String> {
        self.connection.text(&self.path(&format!("css/{property}"))).await
    }

    /// Returns true if a person can see the element, perhaps after scrolling.
    pub async fn is_displayed(&self) -> Result<bool, String> {
        Ok(self.connection.get(&self.path("displayed")).await? == true)
    }

    /// Returns the place and the size of the element.
    pub async fn rectangle(&self) -> Result<Rectangle, String> {
        let found = self.connection.get(&self.path("rect")).await?;
        let number = |name: &str| found[name].as_f64().ok_or_else(|| format!("no {name}: {found}"));
        let (x, y) = (number("x")?, number("y")?);
        Ok(Rectangle { x, y, width: number("width")?, height: number("height")? })
    }

    async fn command(&self, name: &str, parameters: &Value) -> Result<(), String> {
        self.connection.post(&self.path(name), parameters).await?;
        Ok(())
    }

    fn path(&self, rest: &str) -> String {
        format!("/element/{}/{rest}", self.id)
    }
}

impl PartialEq for WebElement {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for WebElement {}
