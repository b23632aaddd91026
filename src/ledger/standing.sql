-- What follows from the records and is needed to judge further calls. These tables stay where
-- they are when records are sealed and moved: whatever has to outlast that belongs here, and to
-- the tables that `reader/replay.rs` holds against the records.

-- The last steps of each session, and those whose effect has no outcome yet.
CREATE TABLE steps (
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    session TEXT NOT NULL,
    step INTEGER NOT NULL,
    call TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    -- When the first call of the session was received.
    started_ms INTEGER NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    decision TEXT NOT NULL,
    outcome TEXT,
    labels TEXT,
    PRIMARY KEY (tenant, subject, session, step)
) STRICT, WITHOUT ROWID;

CREATE INDEX steps_by_call ON steps (call);

-- Effects that may have been had and whose end was not recorded.
CREATE INDEX steps_open ON steps (call) WHERE decision = 'permitted' AND outcome IS NULL;

-- What calls put on their subjects: for each label the last call.
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

-- What waits for a person, and what was said of it.
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
    -- blake3 of what people are shown of the call.
    shown TEXT NOT NULL,
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

-- What was reported to have been used in each session.
CREATE TABLE usage (
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    session TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    cost_microusd INTEGER NOT NULL,
    -- When the session was last heard of.
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, subject, session)
) STRICT, WITHOUT ROWID;
