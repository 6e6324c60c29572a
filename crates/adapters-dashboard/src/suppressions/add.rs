//! `/app/suppressions/new`

use askama::Template;
use domain::{
    audience::suppression::SuppressionRequest,
    identity::permission::Permission,
    shared::{address::Address, category::Category, channel::Channel, fault::Faults},
};
use usecases::Error;

use super::LIST;
use crate::{
    frame::{
        failure::Shown,
        form::{Choice, Form, Labels},
        navigation::Place,
        once::once,
        page::Frame,
        posted::Posted,
        query::Query,
        routes::{Route, get, post},
        visit::Visit,
    },
    words::InWords,
};

const PATH: &str = "/app/suppressions/new";
const LABELS: Labels = &[
    ("phone", "Phone"),
    ("email", "Email"),
    ("channel", "Channel"),
    ("category", "Messages"),
    ("reason", "Reason"),
];

/// Page with the form.
#[derive(Template)]
#[template(path = "suppressions/add.html")]
struct AddPage {
    frame: Frame,
    form: Form,
    channels: Vec<Choice>,
    categories: Vec<Choice>,
}

impl AddPage {
    fn new(visit: &Visit, form: Form) -> Self {
        let channel = |it: Channel| Choice::new(it.as_str(), it.words().label);
        let category =
            |it: Category| Choice::new(it.as_str(), format!("Only “{}”", it.words().label));
        let first = |label: &str| std::iter::once(Choice::new("", label));
        Self {
            frame: visit.frame(Place::Suppressions).refused(form.has_faults()),
            form,
            channels: first("All channels").chain(Channel::ALL.map(channel)).collect(),
            categories: first("All messages").chain(Category::ALL.map(category)).collect(),
        }
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(PATH, show), post(PATH, add)]
}

async fn show(visit: Visit, query: Query) -> Shown {
    visit.caller.authorize(Permission::WriteSuppressions).map_err(Error::from)?;
    visit.show(&AddPage::new(&visit, Form::filled(LABELS, query.pairs().to_vec())))
}

async fn add(visit: Visit, posted: Posted) -> Shown {
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
        Err(refusal) => {
            let form = posted.form(LABELS).refused(refusal)?;
            visit.show_refused(&AddPage::new(&visit, form))
        }
    }
}
