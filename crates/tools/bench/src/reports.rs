//! Rows about vendors' reports, which all come from one address.

use std::{
    error::Error,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{
    harness::{CALLBACK_SECRET, Database, Service},
    http::Request,
    load::{Load, Pace},
    report::{Goal, Table, number},
    tenant::Tenant,
};

const CONNECTIONS: usize = 64;
/// Number of messages to report on for each measured second.
const MESSAGES_A_SECOND: u64 = 20_000;
/// Number of reports in a call of a vendor that groups them.
const GROUP: u64 = 100;
const KEY: &[u8] = b"0123456789abcdef01234567";

/// Returns a service that signs each report, and a vendor of mail that groups reports and shows a
/// token. These addresses are never called.
fn providers() -> String {
    let secret = BASE64_STANDARD.encode(KEY);
    format!(
        "[[provider]]\n\
         name = \"single\"\nkind = \"http\"\nchannel = \"SMS\"\nbase_url = \"http://127.0.0.1:9\"\n\
         credentials = {{ secret = \"whsec_{secret}\" }}\nroute = [{{ country = \"*\" }}]\n\
         [[provider]]\n\
         name = \"grouped\"\nkind = \"sendgrid\"\nchannel = \"EMAIL\"\n\
         base_url = \"http://127.0.0.1:9\"\nsender = \"no-reply@example.com\"\n\
         credentials = {{ api_key = \"key-of-the-account\" }}\nroute = [{{ country = \"*\" }}]\n"
    )
}

/// Measures the rate at which reports are taken in and written.
pub(crate) async fn measure(
    database: &Database,
    duration: Duration,
    baseline: f64,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let service = Service::start_with(database, 0, &providers())?;
    let tenant = Tenant::found(service.address(), 0).await?;
    let messages = MESSAGES_A_SECOND * duration.as_secs().max(1);
    for (provider, in_a_call) in [("single", 1), ("grouped", GROUP)] {
        fill(database, &tenant.organization, provider, messages).await?;
        let requests = match provider {
            "single" => (1..=messages).map(signed).collect::<Result<_, _>>()?,
            _ => grouped(database).await?,
        };
        let (address, pace, connections) = (service.address(), Pace::Once, CONNECTIONS);
        let load = Load { address, requests, connections, pace, duration };
        let measured = load.run().await?;
        let reports = measured.without_failures()?.answered * in_a_call;
        let rate = number(reports) / measured.elapsed.as_secs_f64();
        let delivered = format!(
            "SELECT count(*) FROM delivery_logs WHERE status = 'DELIVERED' AND provider = '{provider}'"
        );
        if database.number(&delivered).await?.unsigned_abs() != reports {
            return Err("reports were answered and not applied".into());
        }
        let row = format!("7 reports from one address, {in_a_call} in a call");
        table.compare(&row, "/s", (rate, baseline), Goal::None);
        table.tell("  as such", "/s", rate, Goal::AtLeast(5_000.0));
    }
    service.stop()
}

/// Inserts messages that a provider took ten seconds ago, each with its job and the provider's name
/// for it.
async fn fill(
    database: &Database,
    organization: &str,
    provider: &str,
    messages: u64,
) -> Result<(), Box<dyn Error>> {
    let fill = format!(
        "CREATE TEMPORARY TABLE sent AS \
         SELECT (left(uuid_floor(now())::text, 24) || lpad(to_hex(number), 12, '0'))::uuid AS id, \
            'ref-' || number AS reference, now() - interval '10 seconds' AS at \
         FROM generate_series(1, {messages}) AS number; \
         INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, \
            category, priority, body, segments, cost_micros, is_sandbox, is_confidential, provider, \
            attempts, created_at, sent_at) \
         SELECT id, '{organization}', 'SMS', 'SENT', '+233241234567', 'GH', 'TRANSACTIONAL', 2, \
            'Your parcel has arrived at Makola.', 1, 35000, false, false, '{provider}', \
            jsonb_build_array(jsonb_build_object('provider', '{provider}', 'startedAt', at, \
                'endedAt', at, 'outcome', 'ACCEPTED', 'reference', reference)), at, at FROM sent; \
         INSERT INTO delivery_jobs (id, organization_id, priority, is_follow_up, due_at) \
         SELECT id, '{organization}', 2, true, now() + interval '10 minutes' FROM sent; \
         INSERT INTO provider_references (organization_id, provider, reference, message_id) \
         SELECT '{organization}', '{provider}', reference, id FROM sent; \
         DROP TABLE sent; ANALYZE delivery_logs, delivery_jobs, provider_references"
    );
    database.execute(&fill).await
}

/// Returns a signed report on one message, by the provider's name for it.
fn signed(message: u64) -> Result<Request, Box<dyn Error>> {
    let at = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs().to_string();
    let body = json!({"id": format!("ref-{message}"), "status": "DELIVERED"}).to_string();
    let id = format!("report-{message}");
    let mac = mac(KEY)?.chain_update(format!("{id}.{at}.{body}"));
    let signature = format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
    let headers = [
        ("webhook-id", id.as_str()),
        ("webhook-timestamp", at.as_str()),
        ("webhook-signature", signature.as_str()),
    ];
    Ok(Request::post_text("/callbacks/providers/single", &headers, &body))
}

/// Returns calls with [`GROUP`] reports each, by our own names for the messages.
async fn grouped(database: &Database) -> Result<Vec<Request>, Box<dyn Error>> {
    let mac = mac(CALLBACK_SECRET.as_bytes())?.chain_update("callbacks of grouped");
    let digest = mac.finalize().into_bytes();
    let token =
        digest.iter().take(16).fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let path = format!("/callbacks/providers/grouped?token={token}");
    let query = "SELECT id::text FROM delivery_logs WHERE provider = 'grouped'";
    let rows = database.client().query(query, &[]).await?;
    let ids = rows.iter().map(|row| row.try_get::<_, String>(0)).collect::<Result<Vec<_>, _>>()?;
    let event = |id: &String| -> Value {
        json!({"event": "delivered", "email": "ama@example.com", "message": id})
    };
    let call = |ids: &[String]| {
        let events: Vec<_> = ids.iter().map(event).collect();
        Request::post(&path, &[], &json!(events))
    };
    Ok(ids.chunks(usize::try_from(GROUP)?).map(call).collect())
}

fn mac(key: &[u8]) -> Result<Hmac<Sha256>, Box<dyn Error>> {
    Ok(Hmac::<Sha256>::new_from_slice(key)?)
}
