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
