//! Creation of platform administrators.

use crate::program::{command, folder, run, serve, serve_with};

/// Address that [`testkit::Service::tenant`] registers.
const EMAIL: &str = "ama@example.com";

#[tokio::test]
async fn a_registered_user_becomes_an_administrator_only_with_promote() {
    let folder = folder();
    let mut program = serve(folder.path());
    program.tenant().await;
    program.signal("TERM");
    assert!(program.wait().success());
    let start = || {
        let mut start = command(folder.path());
        start.env("ATUMPAN_ADMIN_EMAIL", EMAIL).env("ATUMPAN_ADMIN_PASSWORD", "correct horse");
        start
    };
    let create = |flags: &[&str]| {
        let mut create = command(folder.path());
        create.args(["admin", "create", "--email", EMAIL]).args(flags);
        run(&mut create)
    };

    for refused in [run(&mut start()), create(&[])] {
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success());
        let error = error.lines().last().unwrap();
        assert!(error.contains(EMAIL) && error.contains("--promote"), "{error}");
    }
    // Standard input is closed, so a question for a password would fail.
    assert!(create(&["--promote"]).status.success());
    assert!(create(&[]).status.success(), "who is an administrator stays one");
    let reset =
        |email: &str| run(command(folder.path()).args(["admin", "reset-totp", "--email", email]));
    let text = String::from_utf8(reset(EMAIL).stdout).unwrap();
    assert!(text.contains("has no second factor"), "{text}");
    assert!(!reset("nobody@example.com").status.success());

    let mut program = serve_with(&mut start());
    program.signal("TERM");
    assert!(program.wait().success());
}
