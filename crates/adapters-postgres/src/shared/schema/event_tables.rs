//! Tables of events.

use diesel::table;

table! {
    events (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        slug -> Text,
        description -> Nullable<Text>,
        channel_priority -> Array<Text>,
        template_id -> Nullable<Uuid>,
        templates -> Jsonb,
        retry_rules -> Nullable<Jsonb>,
        fallback_rules -> Nullable<Jsonb>,
        sender -> Nullable<Text>,
        country_code -> Nullable<Text>,
        is_active -> Bool,
        version -> Int4,
        created_at -> Timestamptz,
    }
}

table! {
    triggers (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        event -> Text,
        is_sandbox -> Bool,
        channels -> Jsonb,
        tried -> Int2,
        message_id -> Uuid,
        drafts -> Jsonb,
        after_seconds -> Nullable<Int4>,
        until_status -> Text,
        due_at -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
        expires_at -> Timestamptz,
    }
}
