//! Imports of contacts and suppressions, from the form to the failed rows.

use acceptance::{Answer, Tenant, World, until};
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, net::TcpStream};

const CONTACTS: &str = "/contacts/import";
const SUPPRESSIONS: &str = "/compliance/suppression/import";

/// Uploads a file and waits until its import is complete.
pub(super) async fn import(tenant: &Tenant<'_>, path: &str, file: impl AsRef<[u8]>) -> Value {
    let accepted = tenant.owner().upload(path, file).await;
    let id = accepted.data(201)["id"].as_str().unwrap().to_owned();
    done(tenant, &format!("{path}s/{id}")).await
}

pub(super) async fn done(tenant: &Tenant<'_>, path: &str) -> Value {
    let look = async || tenant.owner().get(path).await.data(200).clone();
    until(&format!("{path} is done"), async || {
        let import = look().await;
        let count = |field: &str| import[field].as_u64().unwrap();
        let sum = count("created") + count("updated") + count("failed");
        assert!(sum <= count("totalRows"), "{import}");
        import["status"] == "COMPLETED"
    })
    .await;
    look().await
}

pub(super) fn counts(import: &Value) -> [u64; 4] {
    ["totalRows", "created", "updated", "failed"].map(|field| import[field].as_u64().unwrap())
}

pub(super) async fn contacts(tenant: &Tenant<'_>) -> Vec<Value> {
    let answer = tenant.owner().get("/contacts?limit=100").await;
    answer.data(200).as_array().unwrap().clone()
}

#[track_caller]
fn file_fault(answer: &Answer) -> String {
    let details = answer.fails(400, "VALIDATION_ERROR");
    let faults = details["fieldErrors"]["file"].as_array();
    let faults = faults.unwrap_or_else(|| panic!("the file is not named: {}", answer.text));
    faults.iter().map(|fault| fault.as_str().unwrap()).collect::<Vec<_>>().join("; ")
}

#[tokio::test]
async fn a_contact_import_counts_rows_and_reports_failed_ones() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    own.owner().post("/contacts", json!({"phone": "0241234567", "tags": ["old"]})).await.data(201);
    let file = "\u{feff}First Name;phone;E-Mail;tags;Town\r\n\
                Ama;0241234567;ama@example.com;VIP|Accra;Ho\r\n\
                \r\n\
                \"Ko\"\"fi\";'0201234567;;\"a;b\";\"Cape\r\nCoast\"\r\n\
                ;;AMA@example.com;;Accra\r\n\
                Esi;2.33244E+11;;;\r\n\
                Yaw;0201234567;ama@example.com;;\r\n";

    let accepted = own.owner().upload(CONTACTS, file).await;

    let accepted = accepted.data(201);
    assert_eq!(accepted["status"], "QUEUED");
    assert_eq!((&accepted["totalRows"], &accepted["errors"]), (&json!(5), &json!([])));
    let path = format!("/contacts/imports/{}", accepted["id"].as_str().unwrap());
    let first = done(&own, &path).await;
    assert_eq!(counts(&first), [5, 1, 2, 2]);
    assert_eq!(first["fileName"], "rows.csv");
    assert!(first["completedAt"].is_string() && first["createdAt"].is_string());
    let errors = first["errors"].as_array().unwrap();
    // The third record has two lines and is one row, and the blank line is a row, too.
    assert_eq!((&errors[0]["row"], &errors[0]["column"]), (&json!(6), &json!("phone")));
    assert_eq!((&errors[1]["row"], &errors[1]["column"]), (&json!(7), &Value::Null));
    let bare = own.owner().get(&format!("{path}/errors")).await;
    assert_eq!((bare.status, bare.header("content-type")), (200, "text/csv; charset=utf-8"));
    let lines: Vec<_> = bare.text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("row,column,reason", 3));
    assert!(lines[1].starts_with("6,phone,") && lines[2].starts_with("7,,"), "{lines:?}");

    let all = contacts(&own).await;
    let of = |name: &str| all.iter().find(|it| it["firstName"] == name).unwrap().clone();
    let ama = of("Ama");
    assert_eq!((&ama["phone"], &ama["tags"]), (&json!("+233241234567"), &json!(["VIP", "Accra"])));
    assert_eq!(
        (&ama["email"], &ama["attributes"]["Town"]),
        (&json!("ama@example.com"), &json!("Accra"))
    );
    assert_eq!(of("Ko\"fi")["tags"], json!(["a", "b"]));
    assert_eq!(all.len(), 2);
    for path in [path.clone(), format!("{path}/errors")] {
        other.owner().get(&path).await.fails(404, "NOT_FOUND");
        own.owner()
            .get(&path.replace("contacts", "compliance/suppression"))
            .await
            .fails(404, "NOT_FOUND");
    }

    let again = import(&own, CONTACTS, file).await;
    assert_eq!(counts(&again), [5, 0, 3, 2], "the same file finds its contacts there");
    let list = own.owner().get("/contacts/imports").await;
    let ids: Vec<_> =
        list.data(200).as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, [again["id"].clone(), accepted["id"].clone()]);
    assert!(list.data(200)[0].get("errors").is_none());
    assert_eq!(list.body["pagination"]["total"], 2);
    assert_eq!(other.owner().get("/contacts/imports").await.data(200), &json!([]));
}

#[tokio::test]
async fn understands_a_file_exported_from_an_address_book() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let file = "Full Name,Mobile No.,Home Phone,Email Address,Town\r\n\
                Ama Mensah,\"=\"\"0241234567\"\"\",0302123456,nobody,Ho\r\n\
                ,,,,\r\n\
                Kofi,n/a,,,\r\n";

    let done = import(&tenant, CONTACTS, file).await;

    assert_eq!(counts(&done), [2, 1, 0, 1]);
    let reported: Vec<_> = done["errors"].as_array().unwrap().iter().collect();
    assert_eq!((&reported[0]["row"], &reported[0]["column"]), (&json!(2), &json!("Email Address")));
    assert!(reported[0]["reason"].as_str().unwrap().ends_with("the rest of the row was taken"));
    assert_eq!((&reported[1]["row"], &reported[1]["column"]), (&json!(4), &json!("Mobile No.")));
    let all = contacts(&tenant).await;
    let [ama] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((&ama["firstName"], &ama["lastName"]), (&json!("Ama"), &json!("Mensah")));
    assert_eq!((&ama["phone"], &ama["email"]), (&json!("+233241234567"), &Value::Null));
    assert_eq!(ama["attributes"], json!({"Home Phone": "0302123456", "Town": "Ho"}));
}

#[tokio::test]
async fn fixed_lines_are_imported_and_counted() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let file = "phone,firstName\n0302345678,Ama\n0241234567,Kofi\n0302345678,Esi\n12,Yaw\n";

    let done = import(&tenant, CONTACTS, file).await;

    assert_eq!((counts(&done), &done["fixedLines"]), ([4, 2, 1, 1], &json!(2)));
    let mut types: Vec<_> =
        contacts(&tenant).await.iter().map(|it| it["phoneType"].clone()).collect();
    types.sort_by_key(Value::to_string);
    assert_eq!(types, ["FIXED_LINE", "MOBILE"]);
}

/// Returns a form with these parts, of which `file` is a file.
pub(super) fn form_of(parts: &[(&str, &str)]) -> Vec<u8> {
    let part = |(name, content): &(&str, &str)| {
        let file = if *name == "file" { "; filename=\"rows.csv\"" } else { "" };
        format!(
            "--limit\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n"
        )
    };
    let parts: Vec<_> = parts.iter().map(part).collect();
    (parts.concat() + "--limit--\r\n").into_bytes()
}

#[tokio::test]
async fn a_mapping_names_the_columns_of_a_file() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let send = async |parts: &[(&str, &str)]| {
        owner.post_form(CONTACTS, "multipart/form-data; boundary=limit", form_of(parts)).await
    };
    let file = ("file", "Nummer,ID,Branch\r\n0241234567,7,Ho\r\n");
    let mapping = r#"{"Nummer": "phone", "ID": null, "Branch": "attributes.Town"}"#;

    let accepted = send(&[("mapping", mapping), file]).await;

    let id = accepted.data(201)["id"].as_str().unwrap().to_owned();
    assert_eq!(counts(&done(&tenant, &format!("{CONTACTS}s/{id}")).await), [1, 1, 0, 0]);
    let all = contacts(&tenant).await;
    assert_eq!(all[0]["phone"], "+233241234567");
    assert_eq!(all[0]["attributes"], json!({"Town": "Ho"}));

    for (parts, field) in [
        (vec![("mapping", r#"{"Phone": "phone"}"#), file], "mapping.Phone"),
        (vec![("mapping", r#"{"Nummer": "Telephone"}"#), file], "mapping.Nummer"),
        (vec![("mapping", "[]"), file], "mapping"),
        (vec![("file", "phone\n0241234567\n"), ("mapping", mapping)], "mapping"),
    ] {
        let refused = send(&parts).await;
        let details = refused.fails(400, "VALIDATION_ERROR");
        let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
        assert_eq!(fields, [field], "{}", refused.text);
    }
}

#[tokio::test]
async fn a_file_of_suppressions_is_imported() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let file = b"Phone\tchannel\tcategory\treason\tEMail\n\
                 0241234567\t\t\tpri\xe8re\t\n\
                 0241234567\tsms\tmarketing\t\t\n\
                 \t\t\t\tama@example.com\n\
                 0241234567\t\t\t\t\n\
                 0241234567\tEMAIL\t\t\t\n\
                 \tFAX\t\t\tama@example.com\n";

    let first = import(&tenant, SUPPRESSIONS, file).await;
    let second = import(&tenant, SUPPRESSIONS, "phone,reason\n0241234567,again\n").await;

    assert_eq!((counts(&first), counts(&second)), ([6, 4, 1, 1], [1, 0, 1, 0]));
    assert_eq!(first["errors"][0]["column"], "channel");
    let list = tenant.owner().get("/compliance/suppression?search=again").await;
    let [entry] = list.data(200).as_array().unwrap().as_slice() else { panic!("{}", list.text) };
    assert_eq!((&entry["phone"], &entry["channel"]), (&json!("+233241234567"), &Value::Null));
    assert_eq!(tenant.owner().get("/compliance/suppression").await.body["pagination"]["total"], 4);
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let message = tenant.owner().post("/messages/send", message).await;
    assert_eq!(message.data(201)["errorCode"], "RECIPIENT_SUPPRESSED");
    assert_eq!(tenant.owner().get("/contacts/imports").await.data(200), &json!([]));
}

#[tokio::test]
async fn rejects_an_unusable_file_and_stores_nothing_of_it() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (file, fault) in [
        (&b""[..], "is empty"),
        (b"phone\n", "no rows"),
        (b"name,town\nAma,Ho\n", "`phone` or `email`"),
        (b"phone,Phone\n1,2\n", "mean the same"),
        (b"phone,id\n0241234567,7\n", "`id`"),
        (b"\xff\xfep\0h\0o\0n\0e\0", "UTF-16"),
    ] {
        let reported = file_fault(&tenant.owner().upload(CONTACTS, file).await);
        assert!(reported.contains(fault), "{fault}: {reported}");
    }
    let reported = file_fault(&tenant.owner().upload(SUPPRESSIONS, "phone,shoe size\n1,2\n").await);
    assert!(reported.contains("`shoe size`"), "{reported}");
    let rows = format!("phone\n{}", "0241234567\n".repeat(100_001));
    tenant.owner().upload(CONTACTS, rows).await.fails(413, "PAYLOAD_TOO_LARGE");
    let bytes = format!("phone\n{}", "x".repeat(20 << 20));
    tenant.owner().upload(CONTACTS, bytes).await.fails(413, "PAYLOAD_TOO_LARGE");

    until("nothing is left", async || {
        tenant.count("imports").await + tenant.count("import_chunks").await == 0
    })
    .await;
}

#[tokio::test]
async fn a_form_has_exactly_one_file_part() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let part = |name: &str, content: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{content}\r\n")
    };
    let file = part("file", "phone\n0241234567\n");
    let (kind, end) = ("multipart/form-data; boundary=x", "--x--\r\n");
    let post = async |kind: &str, form: String| {
        tenant.owner().post_form(CONTACTS, kind, form.into_bytes()).await
    };
    for (form, field) in [
        (end.to_owned(), "file"),
        (format!("{}{end}", part("note", "hello")), "note"),
        (format!("{file}{}{end}", part("note", "hello")), "note"),
        (format!("{file}{file}{end}"), "file"),
    ] {
        let answer = post(kind, form.clone()).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        assert!(details["fieldErrors"][field].is_array(), "{form}: {}", answer.text);
    }
    for form in [file.clone(), "nonsense".to_owned(), format!("--x\r\n\r\n{end}")] {
        post(kind, form).await.fails(400, "VALIDATION_ERROR");
    }
    post("multipart/form-data", format!("{file}{end}")).await.fails(400, "VALIDATION_ERROR");
    for kind in ["application/json", "text/csv", "multipart/mixed; boundary=x"] {
        post(kind, format!("{file}{end}")).await.fails(400, "VALIDATION_ERROR");
    }
    let encoded = tenant.owner().with("Content-Encoding", "gzip");
    encoded.upload(CONTACTS, "phone\n1\n").await.fails(415, "UNSUPPORTED_MEDIA_TYPE");
    let missing = tenant.owner().post(CONTACTS, Value::Null).await;
    missing.fails(400, "VALIDATION_ERROR");
    let nothing = tenant.owner().call(reqwest::Method::POST, CONTACTS, None).await;
    assert_eq!(file_fault(&nothing), "is required");

    until("nothing is left", async || tenant.count("imports").await == 0).await;
    post("Multipart/Form-Data; boundary=\"x\"", format!("{file}{end}")).await.data(201);
}

/// Sends the head of an upload and a part of its body, and returns the connection.
async fn begin_upload(tenant: &Tenant<'_>, length: usize, body: &[u8]) -> TcpStream {
    let address = tenant.world.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST {CONTACTS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         X-Organization-Id: {}\r\nContent-Type: multipart/form-data; boundary=x\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n",
        tenant.token, tenant.id
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    stream
}

fn form(file: &str) -> Vec<u8> {
    let head = "Content-Disposition: form-data; name=\"file\"; filename=\"a/b/r\u{f6}ws.csv\"";
    format!("--x\r\n{head}\r\n\r\n{file}\r\n--x--\r\n").into_bytes()
}

#[tokio::test]
async fn an_upload_that_breaks_off_leaves_nothing_behind() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let body = form(&format!("phone,note\n{}", "0241234567,\u{fc}\n".repeat(50_000)));

    let stream = begin_upload(&tenant, body.len(), &body[..body.len() / 2]).await;
    until("some of it is kept", async || tenant.count("import_chunks").await > 0).await;
    assert_eq!(tenant.owner().get("/contacts/imports").await.data(200), &json!([]));
    drop(stream);

    until("nothing is left", async || {
        tenant.count("imports").await + tenant.count("import_chunks").await == 0
    })
    .await;
}

#[tokio::test]
async fn an_upload_may_arrive_in_pieces_of_any_size() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let body = form("phone,note\r\n0241234567,\"a\r\nb\"\r\n0241234568,\u{20b5}\r\n");

    let mut stream = begin_upload(&tenant, body.len(), &[]).await;
    stream.set_nodelay(true).unwrap();
    for byte in &body {
        stream.write_all(&[*byte]).await.unwrap();
        tokio::task::yield_now().await;
    }

    until("it is listed", async || tenant.count("imports").await == 1).await;
    let list = || async { tenant.owner().get("/contacts/imports").await };
    until("it is done", async || list().await.data(200)[0]["status"] == "COMPLETED").await;
    let import = list().await.data(200)[0].clone();
    assert_eq!(counts(&import), [2, 2, 0, 0]);
    assert_eq!(import["fileName"], "r\u{f6}ws.csv");
}

#[tokio::test]
async fn at_most_ten_imports_of_a_kind_wait() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    // The imports are due long after the test.
    world
        .sql(&format!(
            "INSERT INTO imports (organization_id, id, kind, status, created_at, due_at) \
             SELECT '{}', gen_random_uuid(), 'CONTACTS', 'QUEUED', now(), 'infinity' \
             FROM generate_series(1, 10)",
            tenant.id
        ))
        .await;

    let refused = tenant.owner().upload(CONTACTS, "phone\n0241234567\n").await;

    refused.fails(409, "TOO_MANY_IMPORTS");
    tenant.owner().upload(SUPPRESSIONS, "phone\n0241234567\n").await.data(201);
}

#[tokio::test]
async fn an_import_tolerates_concurrent_requests_for_its_contacts() {
    const CONTACTS_EACH: usize = 60;

    let world = World::shared().await;
    let tenant = world.tenant().await;
    let phones: Vec<_> = (0..CONTACTS_EACH).map(|number| format!("02412340{number:02}")).collect();
    let file = format!("phone,firstName\n{},Ama\n", phones.join(",Ama\n"));
    let accepted = tenant.owner().upload(CONTACTS, file).await;
    let path = format!("/contacts/imports/{}", accepted.data(201)["id"].as_str().unwrap());

    let posts = phones.iter().rev().map(async |phone| {
        let answer = tenant.owner().post("/contacts", json!({"phone": phone})).await;
        assert!([201, 409].contains(&answer.status), "{}", answer.text);
        u64::from(answer.status == 201)
    });
    let made: u64 = futures_util::future::join_all(posts).await.into_iter().sum();

    let import = done(&tenant, &path).await;
    let [total, created, updated, failed] = counts(&import);
    assert_eq!((total, created + made, failed), (60, 60, 0), "{import}");
    assert_eq!(created + updated, total);
    let all = contacts(&tenant).await;
    assert_eq!(all.len(), CONTACTS_EACH);
    assert!(all.iter().all(|contact| contact["firstName"] == "Ama"), "{all:?}");
}
