-- Up to when codes were masked of which nobody knows what became. The masked texts are in text_notes of the
-- messages, under "masked".
CREATE TABLE code_sweep (
    only_row    boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    swept_until timestamptz NOT NULL
);
COMMENT ON TABLE code_sweep IS 'instance-wide';
INSERT INTO code_sweep (swept_until) VALUES (now());
