-- The ledger's database, version 2.

-- One row: which ledger this is, and where its chain ends.
CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id BLOB NOT NULL,
    head_seq INTEGER NOT NULL,
    head_hash BLOB NOT NULL,
    -- Written to see whether a record could be.
    beats INTEGER NOT NULL
) STRICT;

-- The chain. Every column but `seq`, `hash` and `step` says what the body says.
CREATE TABLE records (
    seq INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    kind TEXT NOT NULL,
    call TEXT NOT NULL,
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

CREATE INDEX records_by_approval ON records (approval) WHERE approval IS NOT NULL;

CREATE UNIQUE INDEX records_by_step ON records (tenant, subject, session, step)
WHERE step IS NOT NULL;

-- What was reported to have been used in each session. It follows from the records.
CREATE TABLE usage (
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    session TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    cost_microusd INTEGER NOT NULL,
    PRIMARY KEY (tenant, subject, session)
) STRICT, WITHOUT ROWID;

-- What calls put on their subjects: for each label the last call. It follows from the records.
CREATE TABLE labels (
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    label TEXT NOT NULL,
    session TEXT NOT NULL,
    step INTEGER NOT NULL,
    call TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, subject, label)
) STRICT, WITHOUT ROWID;

-- What waits for a person, and what was said of it. It follows from the records.
CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    -- The call that asked, and what an answer is good for.
    call TEXT NOT NULL,
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    session TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    policy TEXT NOT NULL,
    -- The roles that may answer, as a JSON list.
    approvers TEXT NOT NULL,
    asked_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'refused', 'expired', 'spent')),
    answered_by TEXT,
    answered_roles TEXT,
    answered_ms INTEGER,
    note TEXT,
    -- The call that went ahead.
    spent_by TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX approvals_by_purview
ON approvals (tenant, subject, server, tool, arguments, policy, asked_ms);

-- One open question for each call.
CREATE UNIQUE INDEX approvals_open
ON approvals (tenant, subject, server, tool, arguments, policy)
WHERE state IN ('pending', 'approved');

CREATE INDEX approvals_pending ON approvals (tenant, subject, asked_ms) WHERE state = 'pending';

CREATE INDEX approvals_lapsing ON approvals (expires_ms)
WHERE state IN ('pending', 'approved');
