//! `/app/forgot`

use askama::Template;
use domain::shared::fault::Faults;

use crate::frame::{Bare, Form, Guest, Labels, Posted, Shown};

const LABELS: Labels = &[("email", "Email")];
/// Page that says the same whether or not somebody has the address.
const ASKED: &str = "/app/sign-in?after=forgot";

#[derive(Template)]
#[template(path = "access/forgot.html")]
struct ForgotPage {
    frame: Bare,
    form: Form,
}

pub(super) async fn show(guest: Guest) -> Shown {
    guest.show(&ForgotPage { frame: guest.frame(false), form: Form::new(LABELS) }, false)
}

pub(super) async fn mail(guest: Guest, posted: Posted) -> Shown {
    let email = posted.text("email");
    let faults = match email {
        Some(_) => Faults::default(),
        None => Faults::field("email", "is required"),
    };
    match guest.api().auth.forgot_password(email, faults) {
        Ok(email) => {
            guest.edge.mail_reset(email)?;
            Ok(guest.go(ASKED, None))
        }
        Err(refusal) => {
            let form = posted.form(LABELS).refused(refusal)?;
            guest.show(&ForgotPage { frame: guest.frame(true), form }, true)
        }
    }
}
