//! Tables of webhooks.

use diesel::table;

table! {
    webhook_endpoints (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        url -> Text,
        events -> Nullable<Array<Text>>,
        is_active -> Bool,
        deactivation -> Nullable<Text>,
        secret -> Text,
        previous_secret -> Nullable<Text>,
        previous_secret_until -> Nullable<Timestamptz>,
        begins_at -> Timestamptz,
        failing_since -> Nullable<Timestamptz>,
        notified_at -> Nullable<Timestamptz>,
        lease -> Nullable<Uuid>,
        leased_until -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        changed_at -> Timestamptz,
    }
}

table! {
    outbound_events (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        event -> Text,
        subject_id -> Uuid,
        data -> Text,
        created_at -> Timestamptz,
    }
}

table! {
    sandbox_events (organization_id, message_id, event_id) {
        organization_id -> Uuid,
        message_id -> Uuid,
        event_id -> Uuid,
    }
}

table! {
    webhook_deliveries (organization_id, endpoint_id, id) {
        organization_id -> Uuid,
        endpoint_id -> Uuid,
        id -> Uuid,
        status -> Text,
        due_at -> Nullable<Timestamptz>,
        attempts -> Int2,
        attempted_at -> Nullable<Timestamptz>,
        status_code -> Nullable<Int2>,
        failure -> Nullable<Text>,
        took_millis -> Nullable<Int4>,
    }
}
