"""Tables of one namespace and the numbered steps that bring an older file up to date.

The file is the only truth. `change` is a counter that grows with every write; a derived index carries the
last one it has seen and asks for what came after. Deleted keys leave a tombstone that holds no content.

`meta` holds: user_id; change; scrub, while deleted bytes may still lie in free pages; index, the names of the
snapshots that belong to this file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache

from ..errors import StoreDamaged

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE labels (                            -- session ids and speakers, by a small number
        code INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        UNIQUE (kind, text)
    );
    CREATE TABLE turns (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,  -- ingestion order, never reused
        id TEXT NOT NULL UNIQUE,
        session INTEGER NOT NULL REFERENCES labels (code),
        speaker INTEGER NOT NULL REFERENCES labels (code),
        role TEXT NOT NULL,
        text TEXT NOT NULL,
        utterance_time TEXT,                         -- ISO 8601 as given, offset kept; NULL = unknown
        utterance_us INTEGER,                        -- the same as sortable microseconds
        caption TEXT,
        caption_query TEXT,
        metadata TEXT NOT NULL DEFAULT '{}',
        agent_id TEXT,
        run_id TEXT
    );
    CREATE INDEX turns_by_session ON turns (session, sequence);
    CREATE TABLE units (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        first_turn INTEGER NOT NULL REFERENCES turns (sequence),
        last_turn INTEGER NOT NULL REFERENCES turns (sequence),
        text TEXT,                                   -- NULL for a verbatim unit: the turn's own words
        quote TEXT,
        subject TEXT, predicate TEXT, object TEXT,
        fact_times TEXT NOT NULL DEFAULT '[]',       -- [[start, end, granularity], ...]
        change INTEGER NOT NULL
    );
    CREATE INDEX turns_by_speaker ON turns (speaker);
    CREATE INDEX units_by_change ON units (change);
    CREATE INDEX units_by_first_turn ON units (first_turn);
    CREATE INDEX units_by_last_turn ON units (last_turn);
    CREATE INDEX units_spanning ON units (first_turn, last_turn) WHERE last_turn > first_turn;
    CREATE TABLE phrases (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        text TEXT NOT NULL UNIQUE,
        change INTEGER NOT NULL
    );
    CREATE INDEX phrases_by_change ON phrases (change);
    CREATE TABLE mentions (
        unit INTEGER NOT NULL REFERENCES units (key),
        place INTEGER NOT NULL,                      -- order within the unit
        phrase INTEGER NOT NULL REFERENCES phrases (key),
        kind TEXT NOT NULL,                          -- entity | location
        type TEXT,
        surface TEXT NOT NULL,
        start INTEGER, stop INTEGER,
        PRIMARY KEY (unit, place)
    ) WITHOUT ROWID;
    CREATE INDEX mentions_by_phrase ON mentions (phrase);
    CREATE TABLE embedders (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        dimension INTEGER NOT NULL,
        active INTEGER NOT NULL                      -- 1: answers searches; 0: being built by reembed
    );
    CREATE TABLE unit_vectors (
        unit INTEGER NOT NULL REFERENCES units (key),
        embedder INTEGER NOT NULL REFERENCES embedders (key),
        chunk INTEGER NOT NULL,
        vector BLOB NOT NULL,                        -- float16, d values
        PRIMARY KEY (unit, embedder, chunk)
    );
    CREATE TABLE phrase_vectors (
        phrase INTEGER NOT NULL REFERENCES phrases (key),
        embedder INTEGER NOT NULL REFERENCES embedders (key),
        vector BLOB NOT NULL,
        PRIMARY KEY (phrase, embedder)
    );
    CREATE TABLE history (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        unit_id TEXT NOT NULL,
        event TEXT NOT NULL,                         -- update
        text TEXT NOT NULL,                          -- the words before the event
        recorded_at TEXT NOT NULL
    );
    CREATE INDEX history_by_unit ON history (unit_id, sequence);
    CREATE TABLE tombstones (change INTEGER NOT NULL, unit INTEGER NOT NULL, PRIMARY KEY (change, unit))
        WITHOUT ROWID;
    """,
    """
    CREATE TABLE windows (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        session INTEGER NOT NULL REFERENCES labels (code),
        overlap INTEGER NOT NULL,                    -- so many first turns are background
        status TEXT NOT NULL,                        -- pending | done | partial | failed
        reason TEXT,                                 -- a code, never a word of the dialogue
        attempts INTEGER NOT NULL DEFAULT 0,
        notes TEXT NOT NULL DEFAULT '{}'             -- {"span-corrected": 2, ...}
    );
    CREATE INDEX windows_by_session ON windows (session, key);
    CREATE INDEX windows_open ON windows (status) WHERE status <> 'done';
    CREATE TABLE window_turns (
        window INTEGER NOT NULL REFERENCES windows (key),
        place INTEGER NOT NULL,
        turn INTEGER NOT NULL REFERENCES turns (sequence),
        PRIMARY KEY (window, place)
    ) WITHOUT ROWID;
    CREATE INDEX window_turns_by_turn ON window_turns (turn);
    CREATE TABLE answers (                           -- what was paid for, by content
        window INTEGER NOT NULL REFERENCES windows (key),
        key TEXT NOT NULL,                           -- sha256 of model, prompt version, texts, schema, limits
        answer TEXT NOT NULL,                        -- [text, tokens in, tokens out, truncated, counted]
        PRIMARY KEY (window, key)
    );
    CREATE TABLE quarantine (
        window INTEGER NOT NULL REFERENCES windows (key),
        place INTEGER NOT NULL,
        kind TEXT NOT NULL,                          -- unit | triple | attribute
        reason TEXT NOT NULL,
        claim TEXT NOT NULL,
        PRIMARY KEY (window, place)
    ) WITHOUT ROWID;
    CREATE TABLE ledger (                            -- counts only; outlives deletions of turns
        stage TEXT NOT NULL,
        model TEXT NOT NULL,
        calls INTEGER NOT NULL, retries INTEGER NOT NULL, cached INTEGER NOT NULL, failed INTEGER NOT NULL,
        tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, seconds REAL NOT NULL,
        cost REAL NOT NULL, unpriced INTEGER NOT NULL,
        PRIMARY KEY (stage, model)
    ) WITHOUT ROWID;
    ALTER TABLE units ADD COLUMN window INTEGER REFERENCES windows (key);  -- NULL: verbatim
    ALTER TABLE units ADD COLUMN partial INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE units ADD COLUMN voice INTEGER REFERENCES turns (sequence);  -- the turn whose words are quoted
    CREATE INDEX units_by_voice ON units (CAST(coalesce(voice, first_turn) AS INTEGER));
    CREATE INDEX units_by_window ON units (window) WHERE window IS NOT NULL;
    """,
    """
    ALTER TABLE units ADD COLUMN claim TEXT;         -- what an extractor says of its claim besides the triple, JSON
    CREATE TABLE readers (                           -- how far the rules have read a session
        session INTEGER PRIMARY KEY REFERENCES labels (code),
        state TEXT NOT NULL,                         -- whom "she" means next, and what was asked last, JSON
        stale INTEGER NOT NULL DEFAULT 0             -- 1: to be read again from its start
    );
    CREATE INDEX turns_of_users ON turns (speaker) WHERE role = 'user';
    CREATE INDEX readers_stale ON readers (stale) WHERE stale = 1;
    CREATE TABLE people (                            -- subjects as they were named, each way once
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        speaker TEXT NOT NULL,
        context TEXT NOT NULL,                       -- "from Acme"
        kin TEXT NOT NULL,                           -- "sister"
        given TEXT NOT NULL,                         -- the id that the extractor gave, or ''
        subject TEXT,                                -- who is meant; '': the session decides; NULL: not worked out
        shown TEXT,
        UNIQUE (name, speaker, context, kin, given)
    );
    CREATE TABLE atoms (                             -- one subject, one relation: never parted
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        subject TEXT NOT NULL,
        relation TEXT NOT NULL,
        name TEXT NOT NULL DEFAULT '',               -- of the subject, as it is shown
        trace INTEGER REFERENCES traces (key),       -- NULL: to be worked out
        apart INTEGER NOT NULL DEFAULT 0,            -- 1: found off the traces that cosines would bring it into
        UNIQUE (subject, relation)
    );
    CREATE INDEX atoms_by_trace ON atoms (trace);
    CREATE TABLE triples (                           -- what units claim
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        unit INTEGER NOT NULL REFERENCES units (key),
        place INTEGER NOT NULL,                      -- order within the unit
        person INTEGER NOT NULL REFERENCES people (key),
        atom INTEGER REFERENCES atoms (key),         -- NULL: to be placed
        state INTEGER REFERENCES triples (key),      -- the claim that opened the state which this one asserts
        predicate TEXT NOT NULL,
        object TEXT NOT NULL,
        kind TEXT NOT NULL,                          -- state | retraction | end, and hints
        fact_time TEXT,                              -- [[start, end, granularity]]
        quote TEXT NOT NULL,
        source TEXT,                                 -- who is quoted, for hearsay
        functional INTEGER,
        sure INTEGER NOT NULL,                       -- 1: the subject is one particular person or thing
        compared INTEGER NOT NULL,                   -- 0: never by cosine; else the change at which it came or moved
        UNIQUE (unit, place)
    );
    CREATE INDEX triples_by_person ON triples (person);
    CREATE INDEX triples_by_atom ON triples (atom);
    CREATE INDEX triples_by_state ON triples (state);
    CREATE INDEX triples_compared ON triples (compared) WHERE compared > 0;
    CREATE TABLE introductions (                     -- people whose kinship a unit tells
        unit INTEGER NOT NULL REFERENCES units (key),
        place INTEGER NOT NULL,
        person INTEGER NOT NULL REFERENCES people (key),
        PRIMARY KEY (unit, place)
    ) WITHOUT ROWID;
    CREATE INDEX introductions_by_person ON introductions (person);
    CREATE TABLE nearest (                           -- the 20 nearest claims by fact
        triple INTEGER PRIMARY KEY REFERENCES triples (key),
        listed BLOB NOT NULL                         -- (int64 triple, float64 product) pairs, nearest first
    );
    CREATE TABLE claim_words (                       -- subjects and predicates that are compared by cosine
        text TEXT PRIMARY KEY,
        vector BLOB NOT NULL                         -- float16, of the active embedder
    ) WITHOUT ROWID;
    CREATE TABLE traces (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        subject TEXT NOT NULL,
        name TEXT NOT NULL,
        relation TEXT NOT NULL,
        one INTEGER NOT NULL,                        -- 1: one value at a time
        ignored TEXT NOT NULL                        -- [[unit id, reason], ...] of claims that changed nothing
    );
    CREATE INDEX traces_by_subject ON traces (subject, relation);
    CREATE TABLE states (
        opening INTEGER PRIMARY KEY REFERENCES triples (key),
        trace INTEGER NOT NULL REFERENCES traces (key),
        place INTEGER NOT NULL,                      -- order within the trace
        value TEXT NOT NULL,
        valid_from INTEGER,                          -- days since the year 1; NULL: unknown
        valid_to INTEGER,                            -- first day on which it holds no more
        known_from TEXT,                             -- ISO 8601, when it was said; NULL: see the turn's sequence
        status TEXT NOT NULL,                        -- current | coexisting | superseded | retracted
        reason TEXT NOT NULL,
        flags TEXT NOT NULL                          -- JSON
    );
    CREATE INDEX states_by_trace ON states (trace, place);
    CREATE TABLE trajectory_texts (                  -- written by a language model, apart from what is composed
        trace TEXT PRIMARY KEY,                      -- its id
        text TEXT NOT NULL,
        written_by TEXT NOT NULL,                    -- the model's id
        states TEXT NOT NULL                         -- digest of the states that it was written from
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE unit_vectors ADD COLUMN pieces BLOB; -- of the whole unit, in chunk 0: `pieces.joined`; NULL: not made
    """,
)

OF_TRACES = (
    "trajectory_texts", "states", "nearest", "claim_words", "introductions", "triples", "atoms", "traces", "people",
    "readers",
)  # fmt: skip


def migrate(connection: sqlite3.Connection, user_id: str) -> None:
    """Run the steps this file has not seen, in one transaction: one flush to the disk, all of them or none.

    The caller holds no transaction.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version == 0 and connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise StoreDamaged(f"the database of {user_id!r} was not made by qgmem")
        for script in MIGRATIONS[version:]:
            for statement in _statements(script):
                connection.execute(statement)
        if version == 0:
            connection.execute("INSERT INTO meta VALUES ('user_id', ?), ('change', '0')", (user_id,))
        connection.execute(f"PRAGMA user_version = {max(version, len(MIGRATIONS))}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@cache
def _statements(script: str) -> Sequence[str]:
    """Single statements of a script; executescript would commit between them."""
    found, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return found
