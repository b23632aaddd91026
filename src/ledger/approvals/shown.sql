-- What people are shown of calls that wait or may go ahead: canonical JSON without secrets. No
-- record holds it, only its blake3, and it is removed as soon as its question is over.
CREATE TABLE shown (
    approval TEXT PRIMARY KEY,
    told TEXT NOT NULL
) STRICT, WITHOUT ROWID;
