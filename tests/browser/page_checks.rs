//! Checks of every page on every screen: success criteria of WCAG, sideways scrolling, controls for
//! fingers, messages of the console and requests elsewhere.

use std::path::Path;

use futures_util::future::join;

use crate::{
    axe::Axe,
    browser::{Browser, Scripts},
    pages::{addresses, addresses_signed_out},
    population::Population,
    screen::{SCHEMES, WIDTHS, file_name, picture_folder},
    stage::Stage,
    steps::{PASSWORD, export, hold_file, resend_failed, sign_in},
};

#[tokio::test]
async fn every_page_suits_everybody_on_every_screen() {
    let Some(axe) = Axe::installed() else { return };
    let Some(first) = Browser::start(Scripts::Allowed).await else { return };
    let Some(second) = Browser::start(Scripts::Allowed).await else { return };
    let stage = Stage::start().await;
    let (first, second) = (first.at(&stage.world.url), second.at(&stage.world.url));
    let tenant = stage.world.tenant().await;
    tenant.verify_email().await;
    let mut population = Population::of(&tenant).await;
    let pictures = picture_folder();
    let pictures = pictures.as_deref();

    let signed_out = addresses_signed_out(&stage, &tenant).await;
    let mut faults = check(&first, &axe, &signed_out, pictures).await;
    join(sign_in(&first, &tenant.email, PASSWORD), sign_in(&second, &tenant.email, PASSWORD)).await;
    population.add("/app/messages/exports/", export(&first).await);
    population.add("/app/contacts/import/check/", hold_file(&first).await);
    population.add("/app/resend/", resend_failed(&first).await);
    let all = addresses(&population);
    let (some, others) = all.split_at(all.len() / 2);
    let checks = join(check(&first, &axe, some, pictures), check(&second, &axe, others, pictures));
    let (of_some, of_others) = checks.await;

    faults.extend(of_some.into_iter().chain(of_others));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(all.len() > 15, "{} pages", all.len());
}

/// Opens each page, and returns all that is wrong with it.
async fn check(
    browser: &Browser,
    axe: &Axe,
    addresses: &[impl AsRef<str>],
    pictures: Option<&Path>,
) -> Vec<String> {
    let mut faults = Vec::new();
    // Reports on pages before these are not about these.
    browser.observe().await;
    for address in addresses.iter().map(AsRef::as_ref) {
        browser.open(address).await;
        for (width, scheme) in WIDTHS.iter().flat_map(|it| SCHEMES.map(|scheme| (*it, scheme))) {
            browser.set_screen(width, scheme).await;
            let screen = format!("{width} px, {scheme}");
            let wide = browser.too_wide().await;
            faults.extend(wide.iter().map(|it| format!("{address}: {screen}: too wide: {it}")));
            let small = browser.too_small().await;
            faults.extend(small.iter().map(|it| format!("{address}: {screen}: too small: {it}")));
            let violations = axe.violations(browser).await;
            faults.extend(violations.iter().map(|it| format!("{address}: {screen}: {it}")));
            if let Some(folder) = pictures {
                let name = format!("{}-{width}-{scheme}", file_name(address));
                browser.take_picture(folder, &name).await;
            }
        }
        let observed = browser.observe().await.faults();
        faults.extend(observed.iter().map(|it| format!("{address}: {it}")));
    }
    faults
}
