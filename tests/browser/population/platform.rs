//! Items that platform administrators see.

use acceptance::Tenant;
use serde_json::json;

use super::{Item, administration::member, create};

/// Creates a text that waits for approval, a price, a plan, a sending window and a payment exception. The
/// owner of the organization is a platform administrator.
pub(super) async fn items(tenant: &Tenant<'_>) -> Vec<Item> {
    let price = json!({
        "organizationId": tenant.id, "channel": "SMS", "countryCode": "NG", "unitPrice": 0.05,
    });
    let plan = json!({
        "name": "Traders at the market", "monthlyFee": 99.5, "includedMessages": 500,
        "features": ["Campaigns", "Three members"],
    });
    let window = json!({
        "countryCode": "NG", "category": "MARKETING", "weekdays": ["MONDAY", "FRIDAY"],
        "opens": "08:00", "closes": "20:00", "utcOffset": "+01:00", "isActive": true,
        "source": "terms of the operator",
    });
    vec![
        ("/app/admin/tenants/", tenant.id.clone()),
        ("/app/admin/approvals/", approval(tenant).await),
        ("/app/admin/pricing/", create(tenant, "/admin/pricing", price).await),
        ("/app/admin/pricing/plans/", create(tenant, "/admin/pricing/plans", plan).await),
        ("/app/admin/sending-windows/", create(tenant, "/admin/sending-windows", window).await),
        ("/app/admin/payment-exceptions/", payment_exception(tenant).await),
    ]
}

/// Has a member write a text that needs approval: nobody approves their own.
async fn approval(tenant: &Tenant<'_>) -> String {
    let (_, author) = member(tenant).await;
    let template = json!({
        "name": "Premium won", "channel": "SMS", "category": "INSURANCE",
        "body": "You won GHS 5,000! Send your MoMo PIN to claim it.",
    });
    let template = author.post("/templates", template).await.data(201)["id"].clone();
    let waiting = tenant.owner().get("/admin/approvals").await;
    let mut waiting = waiting.data(200).as_array().unwrap().iter();
    let approval = waiting.find(|it| it["resourceId"] == template).unwrap();
    approval["id"].as_str().unwrap().to_owned()
}

/// Records a payment of the organization that fits no top-up. It has the identifier of the organization.
async fn payment_exception(tenant: &Tenant<'_>) -> String {
    let id = &tenant.id;
    tenant
        .world
        .sql(&format!(
            "INSERT INTO payment_exceptions (id, reference, reason, amount_micros, currency, \
                organization_id, noticed_at) \
             VALUES ('{id}', 'lost-{id}', 'AMOUNT_TOO_SMALL', 45500000, 'GHS', '{id}', now())"
        ))
        .await;
    id.clone()
}
