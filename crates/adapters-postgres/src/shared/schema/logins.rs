//! Tables of users' logins, and of their tokens.

use diesel::table;

table! {
    email_verification_tokens (hash) {
        hash -> Bytea,
        user_id -> Uuid,
        expires_at -> Timestamptz,
    }
}

table! {
    login_attempts (email, address) {
        email -> Text,
        address -> Text,
        attempts -> Int4,
        window_start -> Timestamptz,
    }
}

table! {
    reset_mails (user_id) {
        user_id -> Uuid,
        mails -> Int4,
        window_start -> Timestamptz,
    }
}

table! {
    sessions (user_id, id) {
        user_id -> Uuid,
        id -> Uuid,
        version -> Int4,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        last_used_at -> Timestamptz,
        address -> Text,
        user_agent -> Nullable<Text>,
    }
}

table! {
    password_reset_tokens (hash) {
        hash -> Bytea,
        user_id -> Uuid,
        expires_at -> Timestamptz,
    }
}
