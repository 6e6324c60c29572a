//! Who becomes a platform administrator.

use serde_json::json;

use crate::program::{Program, command, folder, run};

const EMAIL: &str = "boss@example.com";

#[tokio::test]
async fn somebody_who_registered_is_made_an_administrator_only_when_told_so() {
    let folder = folder();
    let mut program = Program::start(folder.path());
    let body = json!({
        "email": EMAIL, "password": "the squatter's", "firstName": "Kwaku", "lastName": "Ananse",
    });
    let register = reqwest::Client::builder().no_proxy().build().unwrap();
    let register = register.post(format!("{}/auth/register", program.url)).json(&body);
    assert_eq!(register.send().await.unwrap().status(), 201);
    program.signal("TERM");
    assert!(program.wait().success());
    let serve = || {
        let mut serve = command(folder.path());
        serve.env("ATUMPAN_ADMIN_EMAIL", EMAIL).env("ATUMPAN_ADMIN_PASSWORD", "correct horse");
        serve
    };
    let create = |flags: &[&str]| {
        let mut create = command(folder.path());
        create.args(["admin", "create", "--email", EMAIL]).args(flags);
        run(&mut create)
    };

    for refused in [run(&mut serve()), create(&[])] {
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success());
        let error = error.lines().last().unwrap();
        assert!(error.contains(EMAIL) && error.contains("--promote"), "{error}");
    }
    // Standard input is closed: no password is asked for.
    assert!(create(&["--promote"]).status.success());
    assert!(create(&[]).status.success(), "who is an administrator stays one");

    let mut program = Program::start_with(&mut serve());
    program.signal("TERM");
    assert!(program.wait().success());
}
