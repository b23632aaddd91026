-- The chain, version 2: what every file of a ledger has, the one that is written and those that
-- are sealed.

-- One row: which ledger this is, and where this file's part of the chain begins and ends.
CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id BLOB NOT NULL,
    -- The end of the chain before this file's first record.
    base_seq INTEGER NOT NULL,
    base_hash BLOB NOT NULL,
    head_seq INTEGER NOT NULL,
    head_hash BLOB NOT NULL,
    -- Written to see whether a record could be.
    beats INTEGER NOT NULL,
    -- The bytes of the bodies that are not sealed yet, and the moment of the first of them.
    bytes INTEGER NOT NULL,
    began_ms INTEGER,
    -- The last seal, where what it seals is still to be moved to a file of its own.
    sealed_seq INTEGER,
    -- Sessions whose last step was received before this begin anew.
    forgotten_before_ms INTEGER NOT NULL
) STRICT;

-- The chain. Every column but `seq`, `hash` and `step` says what the body says.
CREATE TABLE records (
    seq INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    kind TEXT NOT NULL,
    call TEXT,
    at_ms INTEGER NOT NULL,
    tenant TEXT,
    subject TEXT,
    session TEXT,
    -- The number of a decision in its session, from 1; none where no effect could follow.
    step INTEGER,
    tool TEXT,
    decision TEXT,
    cause TEXT,
    outcome TEXT,
    -- The labels that an outcome put on, as a JSON list; none where it put on none.
    labels TEXT,
    -- The approval that a decision asks for, waits for or spends, or that was answered.
    approval TEXT,
    body TEXT NOT NULL
) STRICT;

CREATE INDEX records_by_call ON records (call);
CREATE INDEX records_by_session ON records (session);
CREATE INDEX records_by_subject ON records (tenant, subject);
CREATE INDEX records_by_approval ON records (approval) WHERE approval IS NOT NULL;
