//! `/app/account`: name, password, sessions and second factor of the user.

mod second_factor;

use actix_web::web::Path;
use askama::Template;
use domain::{identity::user::UserUpdate, shared::fault::Faults};
use usecases::identity::auth::PasswordChange;

use crate::formats::Moment;
use crate::frame::{Account, Form, Frame, Labels, Posted, Route, Shown, get, id_of, post};

const PATH: &str = "/app/account";
const LABELS: Labels = &[
    ("firstName", "First name"),
    ("lastName", "Last name"),
    ("currentPassword", "Present password"),
    ("newPassword", "New password"),
];
/// Maximum number of sessions on the page.
const SHOWN: usize = 20;
/// Signs of browsers and systems in the names of programs. Most browsers also name those below them.
const BROWSERS: [(&str, &str); 6] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: [&str; 6] = ["Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux"];

#[derive(Template)]
#[template(path = "account/profile.html")]
struct ProfilePage {
    frame: Frame,
    form: Form,
    email: String,
    needs_verification: bool,
    has_second_factor: bool,
    sessions: Vec<Row>,
    /// Number of sessions that are left out.
    more: usize,
}

struct Row {
    /// Address of the form that ends it; `None` for the present one.
    end: Option<String>,
    program: String,
    address: String,
    used: Moment,
    began: Moment,
}

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(PATH, show),
        post(PATH, rename),
        post("/app/account/password", change_password),
        post("/app/account/sessions/{id}/end", end_session),
        post("/app/account/sign-out-everywhere", end_all_sessions),
        get(second_factor::PATH, second_factor::show),
        post(second_factor::PATH, second_factor::propose),
        post("/app/account/second-factor/confirm", second_factor::confirm),
        post("/app/account/second-factor/remove", second_factor::remove),
    ]
}

async fn show(account: Account) -> Shown {
    page(&account, Form::new(LABELS)).await
}

async fn rename(account: Account, posted: Posted) -> Shown {
    let name = |field| Some(posted.raw(field).to_owned());
    let update = UserUpdate { first_name: name("firstName"), last_name: name("lastName") };
    let session = &account.person().session;
    match account.api().auth.update(session, update, Faults::default()).await {
        Ok(_) => Ok(account.done(PATH, "Your name is saved.")),
        Err(refusal) => page(&account, posted.form(LABELS).refused(refusal)?).await,
    }
}

async fn change_password(account: Account, posted: Posted) -> Shown {
    let change = PasswordChange {
        current_password: posted.password("currentPassword"),
        new_password: posted.password("newPassword"),
    };
    let (person, auth) = (account.person(), &account.api().auth);
    let client = person.edge.client();
    match auth.change_password(&person.session, change, &client, Faults::default()).await {
        Ok(()) => Ok(account.done(PATH, "The password is set. Your other sessions have ended.")),
        Err(refusal) => page(&account, posted.form(LABELS).refused(refusal)?).await,
    }
}

async fn end_session(account: Account, id: Path<String>, _: Posted) -> Shown {
    account.api().auth.end_session(&account.person().session, id_of(&id)?).await?;
    Ok(account.done(PATH, "The session is ended."))
}

async fn end_all_sessions(account: Account, _: Posted) -> Shown {
    account.api().auth.logout_everywhere(&account.person().session).await?;
    Ok(account.person().leave("/app/sign-in"))
}

/// Shows the page. What is written in the form takes precedence over what is stored.
async fn page(account: &Account, form: Form) -> Shown {
    let (user, session, f) =
        (account.person().user(), &account.person().session, account.formats());
    let (first_name, last_name) = (user.first_name.as_str(), user.last_name.as_str());
    let sessions = account.api().auth.sessions(session).await?;
    let more = sessions.len().saturating_sub(SHOWN);
    let rows = sessions.into_iter().take(SHOWN).map(|it| Row {
        end: (it.id != session.claims.session).then(|| format!("{PATH}/sessions/{}/end", it.id)),
        program: program(it.user_agent.as_deref()),
        address: it.address,
        used: f.distance(it.last_used_at),
        began: f.time(it.created_at),
    });
    let page = ProfilePage {
        frame: account.frame().refused(form.has_faults()),
        form: form.with("firstName", first_name).with("lastName", last_name),
        email: user.email.clone(),
        needs_verification: account.api().verifies_emails && user.email_verified_at.is_none(),
        has_second_factor: user.second_factor_at.is_some(),
        sessions: rows.collect(),
        more,
    };
    account.show(&page, page.form.has_faults())
}

/// Returns the name of a program for people: that of its browser and system, if it has one.
fn program(user_agent: Option<&str>) -> String {
    let name = user_agent.unwrap_or("A program without a name");
    let browser = BROWSERS.into_iter().find(|(sign, _)| name.contains(sign));
    let system = SYSTEMS.into_iter().find(|sign| name.contains(sign));
    match (browser, system) {
        (Some((_, browser)), Some(system)) => format!("{browser} on {system}"),
        (Some((_, browser)), None) => browser.to_owned(),
        (None, _) => name.chars().take(40).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_names_its_browser_and_system() {
        for (name, shown) in [
            ("(Linux; Android 13) Chrome/120.0 Mobile Safari/537.36", "Chrome on Android"),
            ("(Windows NT 10.0) Chrome/120.0 Safari/537.36 Edg/120.0", "Edge on Windows"),
            ("(iPhone; CPU iPhone OS 17_1 like Mac OS X) Safari/604.1", "Safari on iPhone"),
            ("curl/8.5.0", "curl/8.5.0"),
        ] {
            assert_eq!(program(Some(name)), shown);
        }
        assert_eq!(program(Some(&"a".repeat(255))).len(), 40);
    }
}
