//! `/app/suppressions/new`

use askama::Template;
use domain::{
    audience::suppression::SuppressionRequest,
    identity::permission::Permission,
    shared::{address::Address, category::Category, channel::Channel, fault::Faults},
};

use super::LIST;
use crate::frame::{Choice, Form, Frame, Labels, Place, Posted, Query, Shown, Visit, once};
use crate::words::InWords;

const LABELS: Labels = &[
    ("phone", "Phone"),
    ("email", "Email"),
    ("channel", "Channel"),
    ("category", "Messages"),
    ("reason", "Reason"),
];

#[derive(Template)]
#[template(path = "suppressions/add.html")]
struct AddPage {
    frame: Frame,
    form: Form,
    channels: Vec<Choice>,
    categories: Vec<Choice>,
}

pub(super) async fn show(visit: Visit, query: Query) -> Shown {
    visit.caller.authorize(Permission::WriteSuppressions)?;
    page(&visit, Form::filled(LABELS, query.pairs().to_vec()))
}

pub(super) async fn add(visit: Visit, posted: Posted) -> Shown {
    let mut faults = Faults::default();
    let request = SuppressionRequest {
        phone: posted.text("phone"),
        email: posted.text("email"),
        channel: posted.parsed("channel", &mut faults),
        category: posted.parsed("category", &mut faults),
        reason: posted.text("reason"),
    };
    let added = once(&visit, &posted, async {
        let entry = visit.api().suppressions.create(&visit.caller, request, faults).await?;
        let address = entry.phone.or(entry.email);
        let address = address.as_ref().map_or("", Address::as_str);
        Ok(Query::default().address(LIST, "search", address))
    });
    match added.await {
        Ok(list) => Ok(visit.done(&list, "The address is on the list.")),
        Err(refusal) => page(&visit, posted.form(LABELS).refused(refusal)?),
    }
}

fn page(visit: &Visit, form: Form) -> Shown {
    let channels = Choice::of_all(Channel::ALL, Channel::as_str);
    let category = |it: Category| Choice::new(it.as_str(), format!("Only “{}”", it.words().label));
    let page = AddPage {
        frame: visit.frame(Place::Suppressions).refused(form.has_faults()),
        form,
        channels: Choice::after("All channels", channels),
        categories: Choice::after("All messages", Category::ALL.map(category)),
    };
    visit.answer(&page, page.form.has_faults())
}
