//! Import through crashes.

use serde_json::Value;
use testkit::{Service, Tenant, until};

use crate::program::{folder, serve};

const ROWS: u64 = 20_000;
/// Interval of invalid rows.
const BAD: u64 = 100;
/// Numbers of rows after which the process is killed, one per crash.
const KILLED_AFTER: [u64; 2] = [2_000, 10_000];

fn file() -> String {
    let row = |number| match number % BAD {
        0 => format!("2.33244E+11,Ama {number}\n"),
        _ => format!("024{number:07},Ama {number}\n"),
    };
    format!("phone,firstName\n{}", (0..ROWS).map(row).collect::<String>())
}

struct Import<'t> {
    tenant: &'t Tenant,
    path: String,
}

impl Import<'_> {
    async fn look(&self, program: &Service) -> Value {
        let import = self.tenant.get(program, &self.path).await["data"].clone();
        let [total, created, updated, failed] = counts(&import);
        assert!(created + updated + failed <= total, "{import}");
        import
    }
}

fn counts(import: &Value) -> [u64; 4] {
    ["totalRows", "created", "updated", "failed"].map(|field| import[field].as_u64().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_goes_on_where_a_crash_left_it_and_does_no_row_twice() {
    let folder = folder();
    let mut program = serve(folder.path());
    let tenant = program.tenant().await;
    let accepted = tenant.upload(&program, "/contacts/import", &file()).await;
    assert_eq!(counts(&accepted)[0], ROWS);
    let path = format!("/contacts/imports/{}", accepted["id"].as_str().unwrap());
    let import = Import { tenant: &tenant, path };

    for after in KILLED_AFTER {
        let mut last = Value::Null;
        until("so many rows are done", async || {
            last = import.look(&program).await;
            counts(&last)[1] >= after
        })
        .await;
        assert_eq!(last["status"], "PROCESSING", "it was killed too late: {last}");
        program.crash();
        program = serve(folder.path());
    }

    let mut last = Value::Null;
    until("the import is done", async || {
        last = import.look(&program).await;
        last["status"] == "COMPLETED"
    })
    .await;
    // A row that was done twice would have found its contact already there.
    assert_eq!(counts(&last), [ROWS, ROWS - ROWS / BAD, 0, ROWS / BAD]);
    let contacts = tenant.get(&program, "/contacts?limit=1").await;
    assert_eq!(contacts["pagination"]["total"], ROWS - ROWS / BAD);
    let errors = last["errors"].as_array().unwrap();
    assert_eq!(errors.len() as u64, ROWS / BAD);
    assert_eq!((&errors[1]["row"], &errors[1]["column"]), (&(BAD + 2).into(), &"phone".into()));
}
