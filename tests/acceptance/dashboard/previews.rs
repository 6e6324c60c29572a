//! Previews of forms while somebody still writes.

use acceptance::World;

use crate::dashboard::visitor::Visitor;

/// File without a number or an address.
const FILE: &str = "Vorname\nAma\n";

#[tokio::test]
async fn a_preview_of_an_unfinished_form_is_no_refusal_and_says_what_is_missing() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let visitor = Visitor::of(&tenant);
    let held = visitor.upload("/app/contacts/import", FILE).await;
    let file = format!("{}/preview", held.header("location"));
    let columns = [("header-0", "Vorname"), ("field-0", "firstName")];
    let template = [("name", "Order"), ("body", "Your order is ready")];

    for (path, fields, missing) in [
        (file.as_str(), columns.as_slice(), "Choose the column with the phone or the email"),
        ("/app/templates/new/preview", template.as_slice(), "Channel is required"),
    ] {
        let answer = visitor.submit(path, fields).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        // The script takes this part alone.
        let (_, preview) = answer.text.split_once("id=\"preview\"").unwrap();
        assert!(preview.contains(missing), "{path}: {preview}");
    }
}
