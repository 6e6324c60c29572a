//! Somebody who is told everything.

/// A statement that makes an endpoint of an organization at an address that is nobody's.
pub fn silent_endpoint(organization: &str) -> String {
    format!(
        "INSERT INTO webhook_endpoints (organization_id, id, url, secret, begins_at, created_at) \
         VALUES ('{organization}', uuid_v7_in(now(), '{organization}'), 'https://192.0.2.1', \
            'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3', now() - interval '1 day', now())"
    )
}
