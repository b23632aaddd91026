CREATE TABLE workspaces (
  tenant TEXT NOT NULL,
  subject TEXT NOT NULL,
  session TEXT NOT NULL,
  used_ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, subject, session)
) STRICT, WITHOUT ROWID;

CREATE TABLE files (
  tenant TEXT NOT NULL,
  -- The tenant as it stands in paths.
  shelf TEXT NOT NULL,
  subject TEXT NOT NULL,
  session TEXT NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  changed_ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, subject, session, name),
  FOREIGN KEY (tenant, subject, session) REFERENCES workspaces ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX files_by_digest ON files (shelf, digest);
CREATE INDEX workspaces_by_use ON workspaces (used_ms);

PRAGMA application_id = 0x5247464c;
PRAGMA user_version = 1;
