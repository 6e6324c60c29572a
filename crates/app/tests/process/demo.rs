//! `atumpan demo`, as somebody starts it who wants to see the dashboard.

use std::path::Path;

use app::embedded::EmbeddedPostgres;
use reqwest::redirect::Policy;
use serde_json::json;
use testkit::{Answer, Caller};

use crate::{
    database::Session,
    program::{command, empty_folder, run, serve_with},
};

/// Folder of the demo in the working directory.
const FOLDER: &str = ".atumpan-demo";
const OWNER: &str = "esi.quaye@example.com";
const PASSWORD: &str = "correct horse";

/// Returns a start of a demo that is made quickly.
fn demo(folder: &Path) -> std::process::Command {
    let mut demo = command(folder);
    demo.args(["demo", "--messages", "2000"]);
    demo
}

fn verifies(folder: &Path, area: &str) {
    let mut verify = command(folder);
    verify.args([area, "verify"]).env("ATUMPAN_DATA_DIR", FOLDER);
    let output = run(&mut verify);
    assert!(output.status.success(), "{area}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Signs in as a browser does, and returns the first page.
async fn first_page(url: &str) -> Answer {
    // It installs the cryptography that every client needs.
    drop(testkit::client());
    let http = reqwest::Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
    let form = Answer::to(http.get(format!("{url}/app/sign-in"))).await.unwrap();
    assert!(form.text.contains("This is a demo"), "{}", form.text);
    let cookie = cookies(&form);
    let (_, rest) = form.text.split_once("name=\"form-token\" value=\"").unwrap();
    let token = rest.split('"').next().unwrap();
    let fields = [("form-token", token), ("email", OWNER), ("password", PASSWORD)];
    let request = http.post(format!("{url}/app/sign-in")).header("Sec-Fetch-Site", "same-origin");
    let signed_in = Answer::to(request.header("Cookie", cookie).form(&fields)).await.unwrap();
    assert_eq!(signed_in.status, 303, "{}", signed_in.text);
    let page = http.get(format!("{url}/app"));
    Answer::to(page.header("Cookie", cookies(&signed_in))).await.unwrap()
}

/// Returns the cookies that an answer sets, as a browser sends them.
fn cookies(answer: &Answer) -> String {
    let set = answer.headers.get_all("set-cookie").iter();
    let pairs = set.filter_map(|cookie| cookie.to_str().ok()?.split(';').next());
    let kept = pairs.filter(|pair| !pair.ends_with('='));
    kept.collect::<Vec<_>>().join("; ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_demo_has_sign_ins_and_every_state_and_its_books_verify() {
    let folder = empty_folder();
    let mut program = serve_with(&mut demo(folder.path()));

    let login = json!({"email": OWNER, "password": PASSWORD});
    let guest = Caller::guest(&testkit::client(), &program.url);
    let session = guest.post("/auth/login", login).await;
    assert_eq!(session.data(200)["user"]["email"], OWNER);
    let page = first_page(&program.url).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("This is a demo"), "{}", page.text);

    for area in ["ledger", "audit", "counters"] {
        verifies(folder.path(), area);
    }
    let database = EmbeddedPostgres::running_url(&folder.path().join(FOLDER)).unwrap();
    let mut session = Session::open(&database);
    for (found, least) in [
        ("SELECT count(*) FROM contacts", 5_000),
        ("SELECT count(DISTINCT status) FROM delivery_logs", 5),
        ("SELECT count(DISTINCT status) FROM templates", 3),
        ("SELECT count(DISTINCT status) FROM top_ups", 4),
        ("SELECT count(DISTINCT status) FROM invoices", 3),
        ("SELECT count(DISTINCT status) FROM campaigns", 3),
        ("SELECT count(*) FROM webhook_deliveries WHERE attempts > 1", 1),
    ] {
        let number = session.number(found);
        assert!(number >= least, "{found}: {number}");
    }

    program.signal("TERM");
    assert!(program.wait().success());
    let lines = program.rest();
    for role in ["owner", "viewer", "administrator"] {
        assert!(lines.contains(&format!("  {role} ")), "{role}: {lines}");
    }
}

#[test]
fn a_demo_leaves_a_folder_alone_that_holds_something_else() {
    let folder = empty_folder();
    let other = folder.path().join(FOLDER);
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("letter"), "Dear Esi").unwrap();

    let refused = run(&mut demo(folder.path()));

    assert_eq!(refused.status.code(), Some(1));
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("holds something that is no demo"), "{error}");
    assert!(other.join("letter").exists());
}
