-- Invoices, which are kept for good, as accounts are.
CREATE TABLE invoices (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    number          bigint      NOT NULL CHECK (number > 0),
    kind            text        NOT NULL CHECK (kind IN ('TOP_UP', 'STATEMENT')),
    status          text        NOT NULL CHECK (status IN ('OPEN', 'PAID', 'VOID')),
    -- Of a statement below zero if more was refunded than spent.
    amount_micros   bigint      NOT NULL CHECK (amount_micros > 0 OR kind = 'STATEMENT'),
    issued_at       timestamptz NOT NULL,
    due_at          timestamptz,
    paid_at         timestamptz,
    -- Of a statement: the first day of its month, what the wallet held at the end, and all it says.
    month           date,
    closing_micros  bigint,
    statement       jsonb,
    PRIMARY KEY (organization_id, id),
    CHECK ((status = 'PAID') = (paid_at IS NOT NULL)),
    CHECK ((kind = 'STATEMENT') = (month IS NOT NULL AND closing_micros IS NOT NULL
        AND statement IS NOT NULL))
);
COMMENT ON TABLE invoices IS 'tenant';
CREATE UNIQUE INDEX invoices_number ON invoices (organization_id, number);
CREATE UNIQUE INDEX invoices_month ON invoices (organization_id, month) WHERE month IS NOT NULL;
CREATE INDEX invoices_open ON invoices (organization_id) WHERE status = 'OPEN';

-- The last number of each organization, which is also how many invoices it has. It moves in the
-- statement that writes the invoice, so that no number is left out.
CREATE TABLE invoice_numbers (
    organization_id uuid   PRIMARY KEY,
    last_number     bigint NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE invoice_numbers IS 'tenant';

-- The months that are stated, or are to be, and how far that has come.
CREATE TABLE statement_runs (
    month       date PRIMARY KEY,
    -- The last organization that had its turn.
    reached     uuid,
    -- Whether some had to be left out since it began anew.
    has_left    boolean NOT NULL DEFAULT false,
    -- When it is to be gone on with, if some had to be left out.
    due_at      timestamptz,
    finished_at timestamptz
);
COMMENT ON TABLE statement_runs IS 'instance-wide';
