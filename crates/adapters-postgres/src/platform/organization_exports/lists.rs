//! Statements of the exported lists: each row is a JSON object whose fields are columns of the list.

use domain::{
    identity::organization::Organization, platform::organization_export::ExportedList,
    shared::id::Id,
};
use ports::shared::store::StoreError;

use crate::shared::{database::connection::Connection, query::sql::sql};

/// Beginning of each statement. There is one cursor at a time.
const CURSOR: &str = "DECLARE exported NO SCROLL CURSOR FOR ";

/// Opens the cursor on a list.
pub(super) async fn open(
    list: ExportedList,
    organization: Id<Organization>,
    conn: &Connection,
) -> Result<(), StoreError> {
    let opened = match list {
        ExportedList::Organization => sql!([CURSOR, ORGANIZATION], organization).execute(conn),
        ExportedList::Members => sql!([CURSOR, MEMBERS], organization).execute(conn),
        ExportedList::ApiKeys => sql!([CURSOR, API_KEYS], organization).execute(conn),
        ExportedList::SenderNames => sql!([CURSOR, SENDER_NAMES], organization).execute(conn),
        ExportedList::Contacts => sql!([CURSOR, CONTACTS], organization).execute(conn),
        ExportedList::Suppressions => sql!([CURSOR, SUPPRESSIONS], organization).execute(conn),
        ExportedList::Segments => sql!([CURSOR, SEGMENTS], organization).execute(conn),
        ExportedList::SegmentMembers => sql!([CURSOR, SEGMENT_MEMBERS], organization).execute(conn),
        ExportedList::Templates => sql!([CURSOR, TEMPLATES], organization).execute(conn),
        ExportedList::TemplateVersions => {
            sql!([CURSOR, TEMPLATE_VERSIONS], organization).execute(conn)
        }
        ExportedList::Approvals => sql!([CURSOR, APPROVALS], organization).execute(conn),
        ExportedList::Events => sql!([CURSOR, EVENTS], organization).execute(conn),
        ExportedList::Campaigns => sql!([CURSOR, CAMPAIGNS], organization).execute(conn),
        ExportedList::CampaignSkips => sql!([CURSOR, CAMPAIGN_SKIPS], organization).execute(conn),
        ExportedList::Messages => sql!([CURSOR, MESSAGES], organization).execute(conn),
        ExportedList::DailyFigures => sql!([CURSOR, DAILY_FIGURES], organization).execute(conn),
        ExportedList::Wallet => sql!([CURSOR, WALLET], organization).execute(conn),
        ExportedList::Ledger => sql!([CURSOR, LEDGER], organization).execute(conn),
        ExportedList::TopUps => sql!([CURSOR, TOP_UPS], organization).execute(conn),
        ExportedList::Invoices => sql!([CURSOR, INVOICES], organization).execute(conn),
        ExportedList::WebhookEndpoints => {
            sql!([CURSOR, WEBHOOK_ENDPOINTS], organization).execute(conn)
        }
        ExportedList::WebhookDeliveries => {
            sql!([CURSOR, WEBHOOK_DELIVERIES], organization).execute(conn)
        }
        ExportedList::Imports => sql!([CURSOR, IMPORTS], organization).execute(conn),
        ExportedList::AuditLog => sql!([CURSOR, AUDIT_LOG], organization).execute(conn),
    };
    opened.await?;
    Ok(())
}

const ORGANIZATION: &str = "\
    SELECT json_build_object('id', id, 'name', name, 'industry', industry, \
        'businessPhone', business_phone, 'businessEmail', business_email, 'timezone', timezone, \
        'defaultLanguage', default_language, 'website', website, 'monthlyVolume', monthly_volume, \
        'preferredChannels', preferred_channels, 'allowPremiumNumbers', allow_premium_numbers, \
        'allowedCountries', allowed_countries, 'optOutNumber', opt_out_number, \
        'optOutUssd', opt_out_ussd, 'createdAt', created_at, 'suspendedAt', suspended_at, \
        'closedAt', closed_at)::text AS line \
    FROM organizations WHERE id = {organization}";

const MEMBERS: &str = "\
    SELECT json_build_object('userId', member.user_id, 'email', account.email, \
        'firstName', account.first_name, 'lastName', account.last_name, 'role', member.role, \
        'joinedAt', member.joined_at)::text AS line \
    FROM members member JOIN users account ON account.id = member.user_id \
    WHERE member.organization_id = {organization} ORDER BY member.user_id";

const API_KEYS: &str = "\
    SELECT json_build_object('id', id, 'name', name, 'prefix', prefix, 'scopes', scopes, \
        'isSandbox', is_sandbox, 'createdBy', created_by, 'createdAt', created_at, \
        'rotatedAt', rotated_at, 'expiresAt', expires_at, 'lastUsedAt', last_used_at, \
        'revokedAt', revoked_at)::text AS line \
    FROM api_keys WHERE organization_id = {organization} ORDER BY id";

const SENDER_NAMES: &str = "\
    SELECT json_build_object('id', id, 'name', name, 'channel', channel, \
        'countryCode', country_code, 'status', status, 'createdAt', created_at)::text AS line \
    FROM sender_names WHERE organization_id = {organization} AND deleted_at IS NULL ORDER BY id";

const CONTACTS: &str = "\
    SELECT json_build_object('id', id, 'firstName', first_name, 'lastName', last_name, \
        'phone', phone, 'email', email, 'pushAddress', fcm_token, 'countryCode', country_code, \
        'tags', tags, 'attributes', attributes, 'consentAt', consent_at, \
        'consentSource', consent_source, 'createdAt', created_at, 'updatedAt', updated_at)::text \
        AS line \
    FROM contacts WHERE organization_id = {organization} ORDER BY id";

const SUPPRESSIONS: &str = "\
    SELECT json_build_object('id', id, 'phone', phone, 'email', email, 'channel', channel, \
        'category', category, 'source', source, 'reason', reason, 'createdAt', created_at)::text \
        AS line \
    FROM suppressions WHERE organization_id = {organization} ORDER BY id";

const SEGMENTS: &str = "\
    SELECT json_build_object('id', id, 'name', name, 'description', description, 'rules', rules, \
        'isDynamic', is_dynamic, 'contactCount', contact_count, 'createdAt', created_at)::text \
        AS line \
    FROM segments WHERE organization_id = {organization} ORDER BY id";

const SEGMENT_MEMBERS: &str = "\
    SELECT json_build_object('segmentId', segment_id, 'contactId', contact)::text AS line \
    FROM segment_members, unnest(contact_ids) AS contact \
    WHERE organization_id = {organization} ORDER BY segment_id, last_contact_id";

const TEMPLATES: &str = "\
    SELECT json_build_object('id', id, 'name', name, 'channel', channel, 'category', category, \
        'countryCode', country_code, 'language', language, 'format', format, 'subject', subject, \
        'body', body, 'variables', variables, 'vendorTemplate', vendor_template, \
        'valueRules', value_rules, 'version', version, 'status', status, 'comment', comment, \
        'createdBy', created_by, 'createdAt', created_at, 'deletedAt', deleted_at)::text AS line \
    FROM templates WHERE organization_id = {organization} ORDER BY id";

const TEMPLATE_VERSIONS: &str = "\
    SELECT json_build_object('templateId', template_id, 'version', version, 'status', status, \
        'category', category, 'countryCode', country_code, 'language', language, \
        'subject', subject, 'body', body, 'variables', variables, \
        'vendorTemplate', vendor_template, 'createdBy', created_by, 'createdAt', created_at)::text \
        AS line \
    FROM template_versions WHERE organization_id = {organization} ORDER BY template_id, version";

const APPROVALS: &str = "\
    SELECT json_build_object('id', id, 'kind', kind, 'resourceId', resource_id, 'name', name, \
        'subject', subject, 'body', body, 'riskScore', risk_score, 'issues', issues, \
        'requestedBy', requested_by, 'requestedAt', requested_at, 'closedAt', closed_at, \
        'verdict', verdict, 'comment', comment)::text AS line \
    FROM approvals WHERE organization_id = {organization} ORDER BY id";

const EVENTS: &str = "\
    SELECT json_build_object('id', id, 'name', name, 'slug', slug, 'description', description, \
        'channelPriority', channel_priority, 'templateId', template_id, 'templates', templates, \
        'senderId', sender, 'countryCode', country_code, 'retryRules', retry_rules, \
        'fallbackRules', fallback_rules, 'isActive', is_active, 'createdAt', created_at, \
        'deletedAt', deleted_at)::text AS line \
    FROM events WHERE organization_id = {organization} ORDER BY id";

const CAMPAIGNS: &str = "\
    SELECT json_build_object('id', id, 'name', name, 'channel', channel, 'status', status, \
        'pausedReason', paused_reason, 'templateId', template_id, 'format', format, \
        'subject', subject, 'body', body, 'senderId', sender, 'content', content, \
        'segmentId', segment_id, 'rules', rules, 'metadata', metadata, 'isSandbox', is_sandbox, \
        'audience', audience, 'unreachable', unreachable, 'createdBy', created_by, \
        'createdAt', created_at, 'scheduledAt', scheduled_at, 'startedAt', started_at, \
        'completedAt', completed_at)::text AS line \
    FROM campaigns WHERE organization_id = {organization} ORDER BY id";

const CAMPAIGN_SKIPS: &str = "\
    SELECT json_build_object('campaignId', campaign_id, 'contactId', contact_id, 'reason', reason, \
        'createdAt', created_at)::text AS line \
    FROM campaign_skips WHERE organization_id = {organization} ORDER BY campaign_id, contact_id";

/// Codes are masked, as in every other export, also while they are of use.
const MESSAGES: &str = "\
    SELECT json_build_object('id', id, 'channel', channel, 'status', status, \
        'recipient', recipient, 'countryCode', country_code, 'category', category, \
        'senderId', sender, \
        'subject', CASE WHEN text_notes ? 'masked' THEN text_notes #>> '{masked,subject}' \
            ELSE subject END, \
        'body', coalesce(text_notes #>> '{masked,body}', body), 'segments', segments, \
        'cost', trim_scale(cost_micros / 1000000.0), 'isSandbox', is_sandbox, \
        'provider', provider, 'attempts', attempts, 'errorCode', error_code, \
        'errorMessage', error_message, 'vendorCode', vendor_code, 'templateId', template_id, \
        'vendorTemplate', CASE WHEN text_notes ? 'masked' THEN NULL ELSE vendor_template END, \
        'campaignId', campaign_id, 'event', event, 'contactId', contact_id, \
        'metadata', metadata, 'resentFrom', resent_from, 'createdAt', created_at, \
        'scheduledAt', scheduled_at, 'sentAt', sent_at, 'deliveredAt', delivered_at, \
        'failedAt', failed_at, 'expiresAt', expires_at)::text AS line \
    FROM delivery_logs WHERE organization_id = {organization} ORDER BY id";

const DAILY_FIGURES: &str = "\
    SELECT json_build_object('day', (starts_at AT TIME ZONE 'UTC')::date, 'channel', channel, \
        'status', status, 'isSandbox', is_sandbox, 'messages', messages, 'segments', segments, \
        'cost', trim_scale(cost_micros / 1000000.0))::text AS line \
    FROM delivery_log_counters WHERE organization_id = {organization} AND span = 'DAY' \
    ORDER BY starts_at, channel, status, is_sandbox";

const WALLET: &str = "\
    SELECT json_build_object('balance', trim_scale(wallet.balance_micros / 1000000.0), \
        'currency', 'GHS', \
        'dailySpendingLimit', trim_scale(rules.daily_limit_micros / 1000000.0), \
        'lowBalanceThreshold', trim_scale(rules.low_balance_micros / 1000000.0), \
        'updatedAt', wallet.updated_at)::text AS line \
    FROM wallet_balances wallet JOIN wallets rules USING (organization_id) \
    WHERE organization_id = {organization}";

/// Movements that are not entered yet come last and have no number.
const LEDGER: &str = "\
    SELECT json_build_object('id', id, 'sequence', sequence, 'kind', kind, \
        'amount', trim_scale(amount_micros / 1000000.0), 'messages', messages, \
        'reference', reference, 'contraAccount', contra_account, 'createdAt', created_at)::text \
        AS line \
    FROM ledger WHERE organization_id = {organization} ORDER BY sequence NULLS LAST, id";

const TOP_UPS: &str = "\
    SELECT json_build_object('id', id, 'reference', reference, \
        'amount', trim_scale(amount_micros / 1000000.0), 'method', method, 'status', status, \
        'requestedBy', requested_by, 'createdAt', created_at, 'creditedAt', credited_at)::text \
        AS line \
    FROM top_ups WHERE organization_id = {organization} ORDER BY id";

const INVOICES: &str = "\
    SELECT json_build_object('id', id, 'number', number, 'kind', kind, 'status', status, \
        'amount', trim_scale(amount_micros / 1000000.0), 'month', month, \
        'closingBalance', trim_scale(closing_micros / 1000000.0), 'statement', statement, \
        'isCredited', is_credited, 'issuedAt', issued_at, 'dueAt', due_at, 'paidAt', paid_at)::text \
        AS line \
    FROM invoices WHERE organization_id = {organization} ORDER BY id";

const WEBHOOK_ENDPOINTS: &str = "\
    SELECT json_build_object('id', id, 'url', url, 'events', events, 'isActive', is_active, \
        'deactivation', deactivation, 'failingSince', failing_since, 'createdAt', created_at)::text \
        AS line \
    FROM webhook_endpoints WHERE organization_id = {organization} ORDER BY id";

const WEBHOOK_DELIVERIES: &str = "\
    SELECT json_build_object('eventId', id, 'endpointId', endpoint_id, 'status', status, \
        'attempts', attempts, 'attemptedAt', attempted_at, 'statusCode', status_code, \
        'failure', failure, 'milliseconds', took_millis)::text AS line \
    FROM webhook_deliveries WHERE organization_id = {organization} ORDER BY endpoint_id, id";

const IMPORTS: &str = "\
    SELECT json_build_object('id', id, 'kind', kind, 'fileName', file_name, 'status', status, \
        'totalRows', total_rows, 'created', created_rows, 'updated', updated_rows, \
        'failed', failed_rows, 'consentSource', consent_source, 'createdAt', created_at, \
        'completedAt', completed_at, 'undoneAt', undone_at)::text AS line \
    FROM imports WHERE organization_id = {organization} ORDER BY id";

const AUDIT_LOG: &str = "\
    SELECT json_build_object('id', id, 'sequence', sequence, 'at', at, 'userId', user_id, \
        'action', action, 'resourceType', resource_type, 'resourceId', resource_id, \
        'details', details, 'requestId', request_id, 'impersonated', impersonated)::text AS line \
    FROM audit_log WHERE organization_id = {organization} ORDER BY sequence";
