-- What was used, by day; replicas share it. Version 1.
CREATE TABLE IF NOT EXISTS used (
    -- Days since 1970-01-01, in UTC.
    day INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    -- Empty for the tenant as a whole; no subject's id is.
    subject TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost_microusd INTEGER NOT NULL,
    sandbox_cpu_ms INTEGER NOT NULL,
    PRIMARY KEY (day, tenant, subject)
) STRICT, WITHOUT ROWID;
PRAGMA application_id = 0x52475154;
PRAGMA user_version = 1;
