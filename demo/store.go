package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	// The driver registers itself under the name "sqlite".
	_ "modernc.org/sqlite"
)

// schemaVersion is kept in the database's user_version; a new file has 0.
const schemaVersion = 2

// deviceSchema came with version 1.
const deviceSchema = `
CREATE TABLE devices (
	id              TEXT PRIMARY KEY,
	name            TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
	status          TEXT NOT NULL CHECK (status IN ('online', 'offline', 'maintenance')),
	city            TEXT NOT NULL,
	firmware        TEXT NOT NULL,
	last_seen       TEXT NOT NULL,
	enabled         INTEGER NOT NULL CHECK (enabled IN (0, 1)),
	disabled_reason TEXT NOT NULL DEFAULT '',
	version         INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX devices_by_city ON devices (city, status);`

// shopSchema came with version 2.
const shopSchema = `
CREATE TABLE products (
	id          TEXT PRIMARY KEY,
	name        TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
	category    TEXT NOT NULL,
	price_cents INTEGER NOT NULL CHECK (price_cents > 0),
	stock       INTEGER NOT NULL CHECK (stock >= 0)
) STRICT;
CREATE TABLE cart (
	product_id TEXT PRIMARY KEY REFERENCES products (id),
	quantity   INTEGER NOT NULL CHECK (quantity > 0)
) STRICT;`

// Store keeps the devices and the shop in one SQLite file. It is safe for concurrent use, also by several processes on one file.
type Store struct {
	db *sql.DB
}

// Open opens devices.db in dir, which must exist. A new database gets its schema, 200 devices and the shop's
// products, the same ones each time. An existing one keeps its content, and gets what came with a newer version of the
// schema; one that a newer program wrote is refused.
func Open(ctx context.Context, dir string) (*Store, error) {
	path, err := filepath.Abs(filepath.Join(dir, "devices.db"))
	if err != nil {
		return nil, fmt.Errorf("resolving the database path: %w", err)
	}
	db, err := sql.Open("sqlite", dataSource(path))
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	store := &Store{db: db}
	if err := store.inTx(ctx, migrate); err != nil {
		return nil, errors.Join(fmt.Errorf("preparing %s: %w", path, err), db.Close())
	}
	return store, nil
}

// dataSource makes every connection wait for a lock instead of failing, and every transaction take the write lock at
// its start, so that none fails half-way because another one wrote first.
func dataSource(path string) string {
	options := url.Values{
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock": {"immediate"},
	}
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: options.Encode()}
	return file.String()
}

// Close releases the database file. Calls after it fail.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("closing the device database: %w", err)
	}
	return nil
}

// inTx runs work in one transaction: all of it happens, or none.
func (s *Store) inTx(ctx context.Context, work func(context.Context, *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	if err := work(ctx, tx); err != nil {
		// The first error is the one that explains; a rollback that fails as well leaves nothing committed.
		_ = tx.Rollback()
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	return nil
}

func migrate(ctx context.Context, tx *sql.Tx) error {
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	switch version {
	case schemaVersion:
		return nil
	case 0:
		if err := createDevices(ctx, tx); err != nil {
			return err
		}
	case 1: // has the devices
	default:
		return fmt.Errorf("the database has schema version %d, this program knows up to %d", version, schemaVersion)
	}
	if err := createShop(ctx, tx); err != nil {
		return err
	}
	// PRAGMA takes no parameters; the value is a constant.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)); err != nil {
		return fmt.Errorf("writing the schema version: %w", err)
	}
	return nil
}

func createDevices(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, deviceSchema); err != nil {
		return fmt.Errorf("creating the devices' schema: %w", err)
	}
	const insert = `INSERT INTO devices (` + columns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for _, d := range seedDevices() {
		_, err := tx.ExecContext(ctx, insert, d.ID, d.Name, d.Status, d.City, d.Firmware, d.LastSeen,
			d.Enabled, d.DisabledReason, d.Version)
		if err != nil {
			return fmt.Errorf("seeding %s: %w", d.ID, err)
		}
	}
	return nil
}

func createShop(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, shopSchema); err != nil {
		return fmt.Errorf("creating the shop's schema: %w", err)
	}
	const insert = `INSERT INTO products (` + productColumns + `) VALUES (?, ?, ?, ?, ?)`
	for _, p := range seedProducts() {
		if _, err := tx.ExecContext(ctx, insert, p.ID, p.Name, p.Category, p.PriceCents, p.Stock); err != nil {
			return fmt.Errorf("seeding %s: %w", p.ID, err)
		}
	}
	return nil
}
