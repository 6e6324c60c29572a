//! `atumpan counters verify`, beside a service that goes on after a crash.

use std::process::Output;

use futures_util::future::join_all;
use serde_json::json;
use testkit::text_message;

use crate::{
    database::Session,
    program::{command, folder, run, serve},
};

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).unwrap()
}

#[tokio::test]
async fn counters_are_right_after_a_crash_and_wrong_ones_are_reported() {
    let folder = folder();
    let verify = || -> Output { run(command(folder.path()).args(["counters", "verify"])) };
    let program = serve(folder.path());
    let tenant = program.tenant().await;
    let mut failing = text_message();
    failing["to"] = json!("0240000000");
    let messages: Vec<_> = (0..60)
        .map(|number| if number % 3 == 0 { failing.clone() } else { text_message() })
        .collect();
    let sends = messages.iter().map(|message| tenant.send_message(&program.url, message));
    assert!(join_all(sends).await.iter().all(|answer| answer.as_ref().unwrap().0 == 202));
    program.crash();

    let program = serve(folder.path());
    let while_it_works = verify();
    tenant.until(&program, "DELIVERED", 40).await;
    tenant.until(&program, "FAILED", 20).await;
    let after = verify();

    for found in [&while_it_works, &after] {
        assert!(found.status.success(), "{}", text(&found.stderr));
        let line = text(&found.stdout);
        assert!(
            line.starts_with("the counters are in order: ") && line.ends_with(" counted\n"),
            "{line}"
        );
    }
    let mut session = Session::with_program_in(folder.path());
    let organization = &tenant.organization;
    session.run(&format!(
        "INSERT INTO delivery_log_counters VALUES ('{organization}', 'DAY', \
            date_trunc('day', now(), 'UTC'), 'VOICE', 'SENT', false, 1, 1, 0)"
    ));
    let wrong = verify();
    assert_eq!((wrong.status.code(), text(&wrong.stdout)), (Some(1), String::new()));
    let line = text(&wrong.stderr);
    let expected = format!("of organization {organization}, VOICE SENT: counted 0, kept 1\n");
    let begin = "atumpan: the counters are not in order: day ";
    assert!(line.lines().last().unwrap().starts_with(begin) && line.ends_with(&expected), "{line}");
}
