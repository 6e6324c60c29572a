//! Page of the simulated gateway in a real browser, and payments through a crash.

use serde_json::{Value, json};
use testkit::{Service, Tenant, until};

use crate::{
    browser::Browser,
    program::{folder, serve},
};

async fn top_up(tenant: &Tenant, program: &Service, amount: u32) -> Value {
    let body = json!({"amount": amount, "paymentMethod": "card"});
    let (status, text) = tenant.post(program, "/billing/top-up", body).await;
    assert_eq!(status, 200, "{text}");
    serde_json::from_str::<Value>(&text).unwrap()["data"].clone()
}

/// Least size of a touch target, in pixels (WCAG 2.5.5).
const FINGER: f64 = 44.0;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_is_made_and_another_declined_on_a_phone_without_scripts() {
    let Some(browser) = Browser::start().await else { return };
    let folder = folder();
    let program = serve(folder.path());
    let tenant = program.tenant().await;
    let (paid, declined) =
        (top_up(&tenant, &program, 50).await, top_up(&tenant, &program, 20).await);

    browser.open(paid["checkoutUrl"].as_str().unwrap()).await;
    browser.shows("Payment of GHS 50.00").await;
    let text = browser.text().await;
    for shown in ["Kente Ltd", "Card", paid["reference"].as_str().unwrap()] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    let button = browser.place("Pay GHS 50.00").await.unwrap();
    assert!(button.height >= FINGER && button.width >= FINGER, "{button:?}");
    browser.press("Pay GHS 50.00").await;
    browser.shows("Payment made").await;
    until("the wallet has it", async || (tenant.balance(&program).await - 60.0).abs() < 1e-9).await;
    browser.press("Back to the payment").await;
    browser.shows("It is paid.").await;
    assert!(browser.place("Pay GHS 50.00").await.is_none());

    browser.open(declined["checkoutUrl"].as_str().unwrap()).await;
    browser.shows("Payment of GHS 20.00").await;
    browser.press("Decline").await;
    browser.shows("Payment declined").await;
    let verify = json!({"reference": declined["reference"]});
    let (status, text) = tenant.post(&program, "/billing/verify-payment", verify).await;
    assert!(status == 400 && text.contains("PAYMENT_FAILED"), "{text}");
    assert!((tenant.balance(&program).await - 60.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_before_a_crash_is_credited_once() {
    let folder = folder();
    let mut program = serve(folder.path());
    let tenant = program.tenant().await;
    let top_up = top_up(&tenant, &program, 50).await;
    let page = top_up["checkoutUrl"].as_str().unwrap().to_owned();
    let pay = tokio::spawn(tenant.http.post(format!("{page}/pay")).send());
    let url = program.url.clone();

    // Between the payment and the end of the response, or before either.
    tokio::time::sleep(std::time::Duration::from_millis(15)).await;
    program.crash();
    let _ = pay.await;
    program = serve(folder.path());
    let page = page.replace(&url, &program.url);
    assert!(tenant.http.post(format!("{page}/pay")).send().await.unwrap().status().is_success());

    until("the wallet has it", async || (tenant.balance(&program).await - 60.0).abs() < 1e-9).await;
    let verify = json!({"reference": top_up["reference"]});
    let (status, text) = tenant.post(&program, "/billing/verify-payment", verify).await;
    assert!(status == 200 && text.contains("ALREADY_PROCESSED"), "{text}");
    assert!((tenant.balance(&program).await - 60.0).abs() < 1e-9);
}
