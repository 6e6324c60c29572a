//! Checks of every page on every screen, as the pages of a platform administrator who owns an organization:
//! nobody sees more.

use acceptance::Tenant;
use futures_util::future::join;

use crate::{
    browser::{Browser, Scripts},
    examiner::Examiner,
    pages::{addresses, addresses_signed_out},
    population::Population,
    stage::Stage,
    steps::{
        PASSWORD, add_webhook, begin_impersonation, export, hold_file, make_key, resend_failed,
        sign_in,
    },
};

/// Address that cannot be called.
const NOWHERE: &str = "https://hooks.kente.invalid/atumpan";

#[tokio::test]
async fn every_page_suits_everybody_on_every_screen() {
    let Some(examiner) = Examiner::with_axe() else { return };
    let Some(first) = Browser::start(Scripts::Allowed).await else { return };
    let Some(second) = Browser::start(Scripts::Allowed).await else { return };
    let stage = Stage::start().await;
    let (first, second) = (first.at(&stage.world.url), second.at(&stage.world.url));
    let tenant = stage.world.tenant().await;
    tenant.verify_email().await;
    let mut population = Population::of(&tenant).await;

    let signed_out = addresses_signed_out(&stage, &tenant).await;
    let mut faults = examiner.open_each(&first, &signed_out).await;
    join(sign_in(&first, &tenant.email, PASSWORD), sign_in(&second, &tenant.email, PASSWORD)).await;
    population.add("/app/messages/exports/", export(&first).await);
    population.add("/app/contacts/import/check/", hold_file(&first).await);
    population.add("/app/resend/", resend_failed(&first).await);
    stage.world.promote(&tenant.email).await;
    population.add_those_of_the_platform(&tenant).await;
    let all = addresses(&population);
    let (some, others) = all.split_at(all.len() / 2);
    let (of_some, of_others) =
        join(examiner.open_each(&first, some), examiner.open_each(&second, others)).await;
    let of_answers = pages_after_forms(&examiner, &first, &tenant).await;

    faults.extend(of_some.into_iter().chain(of_others).chain(of_answers));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(all.len() > 60, "{} pages", all.len());
}

/// Examines pages that no address shows, because a form leads to them.
async fn pages_after_forms(
    examiner: &Examiner,
    browser: &Browser,
    tenant: &Tenant<'_>,
) -> Vec<String> {
    let mut faults = Vec::new();
    make_key(browser, "Till").await;
    faults.extend(examiner.examine(browser, "a new key", 0).await);
    add_webhook(browser, NOWHERE).await;
    faults.extend(examiner.examine(browser, "a new webhook", 1).await);
    begin_impersonation(browser, &tenant.id).await;
    faults.extend(examiner.examine(browser, "an impersonation", 2).await);
    faults
}
