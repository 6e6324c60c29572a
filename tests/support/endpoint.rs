//! Webhook endpoints inserted without the API.

/// Returns a statement that inserts an endpoint subscribed to all events, at an unreachable address.
pub fn silent_endpoint(organization: &str) -> String {
    endpoint_at(organization, "https://192.0.2.1")
}

/// Returns a statement that inserts an endpoint subscribed to all events, at that address.
pub fn endpoint_at(organization: &str, url: &str) -> String {
    format!(
        "INSERT INTO webhook_endpoints (organization_id, id, url, secret, begins_at, created_at) \
         VALUES ('{organization}', uuid_v7_in(now(), '{organization}'), '{url}', \
            'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3', now() - interval '1 day', now())"
    )
}
