//! Tables, as created by `migrations/`, with at most 32 columns each: wider ones take Diesel three times
//! as long to compile, so columns that only SQL names are left out.

mod audience;
mod audit;
mod event_tables;
mod exports;
mod logins;
mod money_tables;
pub(crate) mod payment_tables;
mod pricing;
mod requests;
mod traffic;
mod webhooks;

use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

pub(crate) use self::audience::{
    campaign_skips, campaign_totals, campaigns, contact_jobs, segment_members, segments,
    sending_windows,
};
pub(crate) use self::audit::{audit_heads, audit_log, revoked_sessions};
pub(crate) use self::event_tables::{events, triggers};
pub(crate) use self::exports::log_exports;
pub(crate) use self::logins::{
    email_verification_tokens, login_attempts, password_reset_tokens, reset_mails, sessions,
};
pub(crate) use self::money_tables::{invoice_numbers, invoices, statement_runs};
pub(crate) use self::pricing::{plans, pricing_rules};
pub(crate) use self::requests::refused_calls;
pub(crate) use self::traffic::traffic_alerts;
pub(crate) use self::webhooks::webhook_endpoints;

table! {
    users (id) {
        id -> Uuid,
        email -> Text,
        first_name -> Text,
        last_name -> Text,
        password_hash -> Text,
        platform_role -> Nullable<Text>,
        session_version -> Int4,
        created_at -> Timestamptz,
        email_verified_at -> Nullable<Timestamptz>,
        second_factor_at -> Nullable<Timestamptz>,
    }
}

table! {
    organizations (id) {
        id -> Uuid,
        name -> Text,
        industry -> Nullable<Text>,
        business_phone -> Nullable<Text>,
        business_email -> Nullable<Text>,
        timezone -> Nullable<Text>,
        default_language -> Nullable<Text>,
        website -> Nullable<Text>,
        monthly_volume -> Nullable<Int4>,
        preferred_channels -> Array<Text>,
        onboarding_complete -> Bool,
        compliance_acknowledged -> Bool,
        created_at -> Timestamptz,
        allow_premium_numbers -> Bool,
        is_provisioned -> Bool,
        is_screened -> Bool,
        low_balance_threshold_micros -> Nullable<Int8>,
        daily_spending_limit_micros -> Nullable<Int8>,
        spending_version -> Int8,
        spending_applied -> Int8,
        live_limit -> Nullable<Array<Int4>>,
        sandbox_limit -> Nullable<Array<Int4>>,
        request_limit -> Nullable<Array<Int4>>,
        suspended_at -> Nullable<Timestamptz>,
        suspension_reason -> Nullable<Text>,
        allowed_countries -> Nullable<Array<Text>>,
        velocity_limit -> Nullable<Int4>,
        invoice_credit_micros -> Nullable<Int8>,
        opt_out_number -> Nullable<Text>,
        opt_out_ussd -> Nullable<Text>,
        closed_at -> Nullable<Timestamptz>,
    }
}

table! {
    members (organization_id, user_id) {
        organization_id -> Uuid,
        user_id -> Uuid,
        role -> Text,
        joined_at -> Timestamptz,
    }
}

table! {
    api_keys (organization_id, id) {
        id -> Uuid,
        organization_id -> Uuid,
        hash -> Bytea,
        name -> Text,
        prefix -> Text,
        scopes -> Array<Text>,
        is_sandbox -> Bool,
        expires_at -> Nullable<Timestamptz>,
        last_used_at -> Nullable<Timestamptz>,
        revoked_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        created_by -> Nullable<Uuid>,
        rotated_at -> Nullable<Timestamptz>,
    }
}

table! {
    templates (organization_id, id) {
        id -> Uuid,
        organization_id -> Uuid,
        name -> Text,
        channel -> Text,
        category -> Text,
        country_code -> Text,
        language -> Text,
        subject -> Nullable<Text>,
        body -> Text,
        variables -> Array<Text>,
        status -> Text,
        created_at -> Timestamptz,
        vendor_template -> Nullable<Jsonb>,
        version -> Int4,
        risk_score -> Int2,
        issues -> Jsonb,
        content_hash -> Nullable<Bytea>,
        created_by -> Nullable<Uuid>,
        comment -> Nullable<Text>,
        format -> Nullable<Text>,
        value_rules -> Nullable<Jsonb>,
        deleted_at -> Nullable<Timestamptz>,
    }
}

table! {
    template_versions (organization_id, template_id, version) {
        organization_id -> Uuid,
        template_id -> Uuid,
        version -> Int4,
        status -> Text,
        category -> Text,
        country_code -> Text,
        language -> Text,
        subject -> Nullable<Text>,
        body -> Text,
        variables -> Array<Text>,
        vendor_template -> Nullable<Jsonb>,
        risk_score -> Int2,
        created_at -> Timestamptz,
        created_by -> Nullable<Uuid>,
    }
}

table! {
    template_counts (organization_id) {
        organization_id -> Uuid,
        templates -> Int8,
        bytes -> Int8,
    }
}

table! {
    approvals (organization_id, id) {
        id -> Uuid,
        organization_id -> Uuid,
        kind -> Text,
        resource_id -> Uuid,
        name -> Text,
        subject -> Nullable<Text>,
        body -> Text,
        content_hash -> Bytea,
        risk_score -> Int2,
        issues -> Jsonb,
        requested_by -> Uuid,
        authors -> Array<Uuid>,
        requested_at -> Timestamptz,
        closed_at -> Nullable<Timestamptz>,
        verdict -> Nullable<Text>,
        decided_by -> Nullable<Uuid>,
        comment -> Nullable<Text>,
        details -> Nullable<Jsonb>,
    }
}

table! {
    contacts (organization_id, id) {
        id -> Uuid,
        organization_id -> Uuid,
        first_name -> Nullable<Text>,
        last_name -> Nullable<Text>,
        phone -> Nullable<Text>,
        email -> Nullable<Text>,
        country_code -> Text,
        tags -> Array<Text>,
        fcm_token -> Nullable<Text>,
        attributes -> Jsonb,
        created_at -> Timestamptz,
        first_name_folded -> Nullable<Text>,
        last_name_folded -> Nullable<Text>,
        tags_folded -> Array<Text>,
        attributes_folded -> Jsonb,
        search_text -> Text,
        consent_at -> Nullable<Timestamptz>,
        consent_source -> Nullable<Text>,
        updated_at -> Timestamptz,
    }
}

table! {
    imports (organization_id, id) {
        id -> Uuid,
        organization_id -> Uuid,
        kind -> Text,
        file_name -> Nullable<Text>,
        status -> Text,
        total_rows -> Int4,
        created_rows -> Int4,
        updated_rows -> Int4,
        failed_rows -> Int4,
        fixed_line_rows -> Int4,
        consent_source -> Nullable<Text>,
        same_as -> Nullable<Uuid>,
        undo_status -> Nullable<Text>,
        undone_rows -> Int4,
        undone_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        completed_at -> Nullable<Timestamptz>,
    }
}

table! {
    import_errors (organization_id, import_id, row_number) {
        organization_id -> Uuid,
        import_id -> Uuid,
        row_number -> Int4,
        column_name -> Nullable<Text>,
        reason -> Text,
    }
}

table! {
    suppressions (organization_id, id) {
        id -> Uuid,
        organization_id -> Uuid,
        phone -> Nullable<Text>,
        email -> Nullable<Text>,
        channel -> Nullable<Text>,
        reason -> Nullable<Text>,
        created_at -> Timestamptz,
        category -> Nullable<Text>,
        source -> Text,
    }
}

table! {
    suppression_counts (organization_id) {
        organization_id -> Uuid,
        entries -> Int8,
        newest_id -> Uuid,
    }
}

table! {
    sender_names (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        channel -> Text,
        country_code -> Text,
        claim -> Text,
        status -> Text,
        created_at -> Timestamptz,
    }
}

table! {
    sender_name_claims (claim) {
        claim -> Text,
        organization_id -> Uuid,
        claimed_at -> Timestamptz,
    }
}

table! {
    delivery_logs (organization_id, id) {
        id -> Uuid,
        organization_id -> Uuid,
        channel -> Text,
        status -> Text,
        recipient -> Text,
        country_code -> Text,
        category -> Text,
        priority -> Int2,
        sender -> Nullable<Text>,
        subject -> Nullable<Text>,
        body -> Text,
        segments -> Int2,
        template_id -> Nullable<Uuid>,
        cost_micros -> Int8,
        is_sandbox -> Bool,
        is_confidential -> Bool,
        provider -> Nullable<Text>,
        attempts -> Jsonb,
        error_code -> Nullable<Text>,
        error_message -> Nullable<Text>,
        vendor_code -> Nullable<Text>,
        created_at -> Timestamptz,
        sent_at -> Nullable<Timestamptz>,
        delivered_at -> Nullable<Timestamptz>,
        failed_at -> Nullable<Timestamptz>,
        vendor_template -> Nullable<Jsonb>,
        expires_at -> Nullable<Timestamptz>,
        campaign_id -> Nullable<Uuid>,
        trigger_id -> Nullable<Uuid>,
        retry_rules -> Nullable<Jsonb>,
        valid_from -> Nullable<Timestamptz>,
    }
}

table! {
    resend_tasks (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        status -> Text,
        failure -> Nullable<Text>,
        messages_since -> Uuid,
        position -> Uuid,
        recipients -> Nullable<Array<Text>>,
        channel -> Nullable<Text>,
        campaign_id -> Nullable<Uuid>,
        provider -> Nullable<Text>,
        error_code -> Nullable<Text>,
        event -> Nullable<Text>,
        metadata -> Nullable<Jsonb>,
        is_sandbox -> Bool,
        message_count -> Int8,
        is_capped -> Bool,
        resent -> Int8,
        skipped -> Int8,
        created_at -> Timestamptz,
        completed_at -> Nullable<Timestamptz>,
    }
}

table! {
    idempotency_keys (organization_id, is_sandbox, key) {
        organization_id -> Uuid,
        is_sandbox -> Bool,
        key -> Text,
        fingerprint -> Bytea,
        message_ids -> Array<Uuid>,
        expires_at -> Timestamptz,
    }
}

joinable!(members -> users (user_id));
joinable!(members -> organizations (organization_id));
allow_tables_to_appear_in_same_query!(members, users, organizations);
allow_tables_to_appear_in_same_query!(users, sessions, revoked_sessions);
