//! `atumpan export` beside a running service.

use std::{fs, path::Path, process::Output};

use testkit::{text_message, until};

use crate::{
    database::Session,
    program::{command, folder, run, serve},
};

fn export(home: &Path, organization: &str, to: &Path) -> Output {
    let mut export = command(home);
    export.args(["export", "--organization", organization, "--folder"]).arg(to);
    run(&mut export)
}

fn error(output: Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_of_an_organization_becomes_files_while_it_sends() {
    let home = folder();
    let program = serve(home.path());
    let own = program.tenant_of("ama@example.com").await;
    let other = program.tenant_of("kofi@example.com").await;
    for tenant in [&own, &other] {
        let answer = tenant.send_message(&program.url, &text_message()).await;
        assert_eq!(answer.unwrap().0, 202);
    }
    let mut session = Session::with_program_in(home.path());
    let settled = "SELECT count(*) FROM delivery_logs \
                   WHERE channel = 'SMS' AND status = 'DELIVERED'";
    until("both messages are delivered", async || session.number(settled) == 2).await;
    let to = home.path().join("left");

    let exported = export(home.path(), &own.organization, &to);

    assert!(exported.status.success(), "{exported:?}");
    let read = |name: &str| fs::read_to_string(to.join(name)).unwrap();
    let sms = |line: &&str| line.contains("\"channel\":\"SMS\"");
    assert_eq!(read("messages.jsonl").lines().filter(sms).count(), 1);
    assert_eq!(read("messages.csv").matches(",SMS,DELIVERED,").count(), 1);
    let members = read("members.csv");
    assert!(members.contains("ama@example.com") && !members.contains("kofi@"), "{members}");
    assert!(read("contents.csv").contains("\r\nmembers,1\r\n"));

    let again = error(export(home.path(), &own.organization, &to));
    assert!(again.contains("left is not empty"), "{again}");
    let unknown = "00000000-0000-7000-8000-00000000beef";
    let unknown = error(export(home.path(), unknown, &home.path().join("other")));
    assert!(unknown.contains("there is no organization 00000000-"), "{unknown}");
}
