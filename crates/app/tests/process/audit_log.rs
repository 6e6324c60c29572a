//! Command that verifies the audit log.

use crate::{
    database::Session,
    program::{command, folder, run, serve},
};

#[tokio::test]
async fn the_audit_log_is_verified_beside_a_running_service() {
    let folder = folder();
    let program = serve(folder.path());
    let tenant = program.tenant().await;
    let mut session = Session::with_program_in(folder.path());
    session.run(&format!(
        "INSERT INTO audit_log (id, organization_id, at, user_id, action, resource_type, resource_id) \
         SELECT gen_random_uuid(), '{0}', now(), '{0}', 'a', 'ORGANIZATION', '{0}' \
         FROM generate_series(1, 1500)",
        tenant.organization
    ));
    let verify = || run(command(folder.path()).args(["audit", "verify"]));

    let right = verify();

    assert_eq!(right.status.code(), Some(0), "{right:?}");
    let said = String::from_utf8(right.stdout).unwrap();
    assert_eq!(said, "audit log: 1500 lines of 1 organizations; every hash is right\n");

    session.run(
        "SET session_replication_role = replica; \
         UPDATE audit_log SET action = 'b' WHERE sequence = 1200",
    );
    let wrong = verify();

    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    let said = String::from_utf8(wrong.stderr).unwrap();
    let fault = format!("{}: line 1200 is not as it was written", tenant.organization);
    assert!(said.trim_end().ends_with(&fault), "{said}");
}
