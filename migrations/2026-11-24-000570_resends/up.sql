ALTER TABLE delivery_logs
    -- Failed message that this one repeats; NULL for most messages.
    ADD COLUMN resent_from uuid;

-- Failed messages that were sent again, each with the newest message that repeats it. Written with the
-- acceptance of that message.
CREATE TABLE message_resends (
    organization_id uuid NOT NULL,
    message_id      uuid NOT NULL,
    replacement_id  uuid NOT NULL,
    -- Replacement before this one, if the sender asked for another.
    former_id       uuid,
    -- Task that sent it again; NULL if it was sent again by itself.
    task_id         uuid,
    PRIMARY KEY (organization_id, message_id)
);
-- The purge.
CREATE INDEX message_resends_message ON message_resends (message_id);
COMMENT ON TABLE message_resends IS 'tenant';

-- Requests to send many failed messages again, worked off in the background from the newest message back.
CREATE TABLE resend_tasks (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    status          text        NOT NULL CHECK (status IN ('QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED')),
    -- Reason for its failure; NULL otherwise.
    failure         text,
    -- Smallest identifier of its messages, and the first one above those that are left.
    messages_since  uuid        NOT NULL,
    position        uuid        NOT NULL,
    -- The other filters; NULL for any. The addresses are removed at the end.
    recipients      text[],
    channel         text,
    campaign_id     uuid,
    provider        text,
    error_code      text,
    is_sandbox      boolean     NOT NULL,
    message_count   bigint      NOT NULL,
    is_capped       boolean     NOT NULL,
    resent          bigint      NOT NULL DEFAULT 0,
    skipped         bigint      NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL,
    completed_at    timestamptz,
    -- Time of the next turn; while it is leased, the end of the lease.
    due_at          timestamptz NOT NULL DEFAULT now(),
    lease           uuid,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX resend_tasks_due ON resend_tasks (due_at) WHERE completed_at IS NULL;
CREATE INDEX resend_tasks_waiting ON resend_tasks (organization_id) WHERE completed_at IS NULL;
-- The purge.
CREATE INDEX resend_tasks_completed ON resend_tasks (completed_at) WHERE completed_at IS NOT NULL;
COMMENT ON TABLE resend_tasks IS 'tenant';
