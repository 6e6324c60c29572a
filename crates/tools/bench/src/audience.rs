//! Rows about contacts: the rates of an import and an export, and the cost of a search, of filtered
//! lists and of a preview of a segment among a million contacts of one organization.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::SinkExt;
use serde_json::{Value, json};

use crate::{
    harness::{Database, Harness, Service, WORKERS},
    http::{Connection, Request},
    report::{Goal, Table, number},
    tenant::Tenant,
    usage,
};

const FEW: u64 = 10_000;
const MANY: u64 = 1_000_000;
/// Number of rows of the imported file.
const ROWS: u64 = 100_000;
/// Number of contacts with the tag, and number with the name.
const TAGGED: u64 = 1_000;
const NAMED: u64 = 10;
/// Number of contacts abroad, of [`MANY`].
const ABROAD: u64 = 100_000;
/// Number of times that each request is timed.
const REQUESTS: usize = 101;
/// Longest time of an import.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Measures all rows.
pub(crate) async fn measure(harness: &Harness, table: &mut Table) -> Result<(), Box<dyn Error>> {
    let database = harness.database("audience").await?;
    let service = Service::start(&database, WORKERS)?;
    let tenants = [
        Tenant::found(service.address(), 0).await?,
        Tenant::found(service.address(), 1).await?,
        Tenant::found(service.address(), 2).await?,
    ];
    import(&database, &service, &tenants[0], table).await?;
    let few = lookups(&database, &service, &tenants[1], FEW).await?;
    let many = lookups(&database, &service, &tenants[2], MANY).await?;
    let compare = |table: &mut Table, row: &str, many, few| {
        let row = format!("8 {row}, {MANY} contacts / {FEW}");
        table.compare(&row, "ms", (many, few), Goal::AtMost(3.0));
    };
    compare(table, "preview of a tag", many.tag, few.tag);
    compare(table, "search of a name", many.name, few.name);
    compare(table, "list of a tag", many.listed_tag, few.listed_tag);
    compare(table, "list of a segment", many.listed_segment, few.listed_segment);
    let row = format!("8 preview of {ABROAD} / count(*) alone");
    table.compare(&row, "ms", (many.abroad, many.count), Goal::AtMost(1.3));
    export(&service, &tenants[2], table).await?;
    service.stop()?;
    harness.drop("audience").await?;
    first_import(harness, table).await
}

/// Exports all contacts of an organization with [`MANY`].
async fn export(
    service: &Service,
    tenant: &Tenant,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    usage::forget_peak(service.pid())?;
    let before = usage::resident(service.pid())?;
    let mut connection = Connection::open(service.address()).await?;
    let began = Instant::now();
    let lines = connection.count_lines(&tenant.get("/contacts/export")).await?;
    let seconds = began.elapsed().as_secs_f64();
    if u64::try_from(lines)? != MANY + 1 {
        return Err(format!("{lines} lines were exported").into());
    }
    let row = format!("8 export of {MANY} contacts");
    table.tell(&row, "rows/s", number(MANY) / seconds, Goal::None);
    let peak = usage::peak(service.pid())? - before;
    table.tell("  memory above that at rest, at the most", "MB", peak, Goal::AtMost(60.0));
    Ok(())
}

/// Imports a file of phone numbers into a new database, and another one after the database has
/// statistics on its contacts.
async fn first_import(harness: &Harness, table: &mut Table) -> Result<(), Box<dyn Error>> {
    let database = harness.database("first_import").await?;
    let service = Service::start(&database, WORKERS)?;
    let tenant = Tenant::found(service.address(), 0).await?;
    let first = rate(&service, &tenant, &phones(0)).await?;
    database.execute("VACUUM ANALYZE").await?;
    let second = rate(&service, &tenant, &phones(ROWS)).await?;
    let row = format!("8 first import of {ROWS} phones / second");
    table.compare(&row, "rows/s", (first, second), Goal::AtLeast(0.8));
    service.stop()?;
    harness.drop("first_import").await
}

/// Imports a file, and returns the number of rows per second.
async fn rate(service: &Service, tenant: &Tenant, file: &str) -> Result<f64, Box<dyn Error>> {
    let began = Instant::now();
    let imported = imported(service, tenant, file).await?;
    if imported["created"] != ROWS {
        return Err(format!("the import came to {imported}").into());
    }
    Ok(number(ROWS) / began.elapsed().as_secs_f64())
}

/// Median times, in milliseconds.
struct Lookups {
    /// Preview of a tag that [`TAGGED`] contacts have.
    tag: f64,
    /// Search of a name that [`NAMED`] contacts have.
    name: f64,
    /// Preview of contacts abroad.
    abroad: f64,
    /// Count of contacts abroad by a statement of its own.
    count: f64,
    /// Page of the contacts with the tag.
    listed_tag: f64,
    /// Page of the contacts of a segment with the tag.
    listed_segment: f64,
}

async fn lookups(
    database: &Database,
    service: &Service,
    tenant: &Tenant,
    contacts: u64,
) -> Result<Lookups, Box<dyn Error>> {
    let load = LOAD
        .replace("$organization", &tenant.organization)
        .replace("$contacts", &contacts.to_string())
        .replace("$each_tagged", &(contacts / TAGGED).to_string())
        .replace("$each_named", &(contacts / NAMED).to_string())
        .replace("$each_abroad", &(MANY / ABROAD).to_string());
    database.execute(&load).await?;
    database.execute("VACUUM ANALYZE contacts").await?;
    let mut connection = Connection::open(service.address()).await?;
    let preview = |rules: Value| tenant.post("/segments/preview", &json!({ "rules": rules }));
    let count = format!(
        "SELECT count(*) FROM contacts WHERE organization_id = '{}' AND country_code = 'NG'",
        tenant.organization
    );
    let tagged = preview(json!({"tags": "VIP"}));
    let abroad = preview(json!({"countryCode": "NG"}));
    let named = tenant.get("/contacts?search=quartey");
    let segment = json!({"name": "VIPs", "rules": {"tags": "VIP"}});
    let segment = data(&mut connection, &tenant.post("/segments", &segment)).await?;
    let segment = segment["id"].as_str().unwrap_or_default();
    let listed_tag = tenant.get("/contacts?tag=VIP");
    let listed_segment = tenant.get(&format!("/contacts?segmentId={segment}"));
    expect(&mut connection, &listed_tag, "/pagination/total", TAGGED).await?;
    expect(&mut connection, &listed_segment, "/pagination/total", TAGGED).await?;
    expect(&mut connection, &tagged, "/data/count", TAGGED).await?;
    expect(&mut connection, &abroad, "/data/count", contacts * ABROAD / MANY).await?;
    expect(&mut connection, &named, "/pagination/total", NAMED).await?;
    // The two that are compared take turns, so that both see the same machine.
    let (mut abroads, mut counts) = (Vec::new(), Vec::new());
    for _ in 0..REQUESTS {
        abroads.push(time(&mut connection, &abroad).await?);
        let began = Instant::now();
        database.number(&count).await?;
        counts.push(began.elapsed());
    }
    Ok(Lookups {
        tag: median_of(&mut connection, &tagged).await?,
        name: median_of(&mut connection, &named).await?,
        listed_tag: median_of(&mut connection, &listed_tag).await?,
        listed_segment: median_of(&mut connection, &listed_segment).await?,
        abroad: median(abroads),
        count: median(counts),
    })
}

/// Fails unless the answer has this figure at `pointer`.
async fn expect(
    connection: &mut Connection,
    request: &Request,
    pointer: &str,
    figure: u64,
) -> Result<(), Box<dyn Error>> {
    let answer = connection.call(request).await?;
    let body: Value = serde_json::from_slice(answer.body)?;
    if body.pointer(pointer) == Some(&figure.into()) {
        return Ok(());
    }
    Err(format!("{pointer} is not {figure}: {}", String::from_utf8_lossy(answer.body)).into())
}

pub(crate) async fn median_of(
    connection: &mut Connection,
    request: &Request,
) -> Result<f64, Box<dyn Error>> {
    let mut times = Vec::with_capacity(REQUESTS);
    for _ in 0..REQUESTS {
        times.push(time(connection, request).await?);
    }
    Ok(median(times))
}

async fn time(connection: &mut Connection, request: &Request) -> Result<Duration, Box<dyn Error>> {
    let began = Instant::now();
    let status = connection.call(request).await?.status;
    let elapsed = began.elapsed();
    if status == 200 { Ok(elapsed) } else { Err(format!("answered {status}").into()) }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1_000.0
}

/// Imports a file, and copies the resulting rows into a table with the same indexes.
async fn import(
    database: &Database,
    service: &Service,
    tenant: &Tenant,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let before = usage::resident(service.pid())?;
    let imported = rate(service, tenant, &file()).await?;
    let copied = copied(database).await?;
    let rates = (imported, number(ROWS) / copied);
    table.compare("8 import of 100000 rows / COPY", "rows/s", rates, Goal::AtLeast(0.4));
    let peak = usage::peak(service.pid())? - before;
    table.tell("  memory above that at rest, at the most", "MB", peak, Goal::None);
    Ok(())
}

/// Returns the import when it has ended.
async fn imported(service: &Service, tenant: &Tenant, file: &str) -> Result<Value, Box<dyn Error>> {
    let mut connection = Connection::open(service.address()).await?;
    let upload = tenant.upload("/contacts/import", "contacts.csv", file);
    let mut import = data(&mut connection, &upload).await?;
    let path = format!("/contacts/imports/{}", import["id"].as_str().unwrap_or_default());
    let began = Instant::now();
    while import["status"] != "COMPLETED" {
        if import["status"] == "FAILED" || began.elapsed() > TIMEOUT {
            return Err(format!("the import came to {import}").into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        import = data(&mut connection, &tenant.get(&path)).await?;
    }
    Ok(import)
}

async fn data(connection: &mut Connection, request: &Request) -> Result<Value, Box<dyn Error>> {
    let answer = connection.call(request).await?;
    let mut body: Value = serde_json::from_slice(answer.body)?;
    match answer.status {
        200 | 201 => Ok(body["data"].take()),
        _ => Err(body.to_string().into()),
    }
}

fn file() -> String {
    let header = "First Name,Last Name,Phone,Email,Tags,City\n".to_owned();
    let rows = (0..ROWS).map(|row| {
        let (phone, region) = (1_000_002 + row, row % 16);
        format!(
            "Ama,Mensah {row},024{phone:07},ama{row}@example.com,customer;region {region},Kumasi\n"
        )
    });
    std::iter::once(header).chain(rows).collect()
}

/// Returns a file of phone numbers alone.
fn phones(first: u64) -> String {
    let rows = (first..first + ROWS).map(|row| format!("024{:07}\n", 1_000_002 + row));
    std::iter::once("Phone\n".to_owned()).chain(rows).collect()
}

/// Returns the seconds in which `COPY` writes the imported contacts into a table like theirs.
async fn copied(database: &Database) -> Result<f64, Box<dyn Error>> {
    database.execute("CREATE TABLE baseline_contacts (LIKE contacts INCLUDING ALL)").await?;
    let rows = database.client().copy_out("COPY contacts TO STDOUT").await?;
    let rows: Vec<Result<Bytes, _>> = futures_util::StreamExt::collect(rows).await;
    let rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
    let began = Instant::now();
    let sink = database.client().copy_in("COPY baseline_contacts FROM STDIN").await?;
    let mut sink = std::pin::pin!(sink);
    // One write for each row would measure the client.
    for rows in rows.chunks(512) {
        sink.send(Bytes::from(rows.concat())).await?;
    }
    let copied = sink.finish().await?;
    let seconds = began.elapsed().as_secs_f64();
    if copied != ROWS {
        return Err(format!("{copied} rows were copied").into());
    }
    database.execute("DROP TABLE baseline_contacts").await?;
    Ok(seconds)
}

const LOAD: &str = "\
    INSERT INTO contacts (id, organization_id, first_name, last_name, phone, country_code, tags, \
        created_at, first_name_folded, last_name_folded, tags_folded, attributes_folded, search_text) \
    SELECT id, '$organization', 'Kofi', name, phone, country, ARRAY[tag], now(), 'kofi', lower(name), \
        ARRAY[lower(tag)], '{}', 'kofi' || E'\\n' || lower(name) || E'\\n' || phone \
    FROM generate_series(1, $contacts) AS number, \
        LATERAL (SELECT uuid_v7_in(now(), '$organization') AS id, \
            CASE WHEN number % $each_named = 0 THEN 'Quartey' \
                ELSE (ARRAY['Mensah', 'Owusu', 'Boateng', 'Asante'])[1 + number % 4] \
                    || ' ' || left(md5(number::text), 5) END AS name, \
            '+23324' || lpad(number::text, 7, '0') AS phone, \
            CASE WHEN number % $each_abroad = 0 THEN 'NG' ELSE 'GH' END AS country, \
            CASE WHEN number % $each_tagged = 0 THEN 'VIP' ELSE 'Region ' || number % 16 END AS tag) \
        AS contact ORDER BY id";
