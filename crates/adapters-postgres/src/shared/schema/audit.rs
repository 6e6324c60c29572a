//! Tables of the audit log, and of revoked sessions.

use diesel::table;

table! {
    audit_log (organization_id, id) {
        id -> Uuid,
        organization_id -> Uuid,
        at -> Timestamptz,
        user_id -> Uuid,
        action -> Text,
        resource_type -> Text,
        resource_id -> Uuid,
        details -> Jsonb,
        request_id -> Nullable<Text>,
        impersonated -> Bool,
        sequence -> Int8,
        hash -> Bytea,
    }
}

table! {
    audit_heads (organization_id) {
        organization_id -> Uuid,
        sequence -> Int8,
        hash -> Bytea,
        at -> Timestamptz,
        purged_sequence -> Int8,
        purged_hash -> Bytea,
    }
}

table! {
    revoked_sessions (id) {
        id -> Uuid,
        expires_at -> Timestamptz,
    }
}
