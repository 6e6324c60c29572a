//! Forms that are sent twice.

use acceptance::World;

use crate::dashboard::visitor::Visitor;

#[tokio::test]
async fn a_form_that_is_sent_twice_at_the_same_time_acts_once_and_leads_to_the_same_page() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let visitor = Visitor::of(&tenant);
    let fields = [("once", "5e881f"), ("firstName", "Ama"), ("phone", "0241234567")];
    let send = || visitor.submit("/app/contacts/new", &fields);

    let (one, other, third) = tokio::join!(send(), send(), send());

    for answer in [&one, &other, &third] {
        assert_eq!(answer.status, 303, "{}", answer.text);
        assert_eq!(answer.header("location"), one.header("location"));
    }
    let contacts = tenant.owner().get("/contacts").await;
    assert_eq!(contacts.data(200).as_array().map(Vec::len), Some(1), "{}", contacts.text);
}
