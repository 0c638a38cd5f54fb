package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
)

// columns is the order in which scanDevice reads a row.
const columns = `id, name, status, city, firmware, last_seen, enabled, disabled_reason, version`

// List returns the devices that pass the filter, ordered by id. A filter out of bounds gives an *Error.
func (s *Store) List(ctx context.Context, filter Filter) ([]Device, error) {
	if err := filter.check(); err != nil {
		return nil, err
	}
	const query = `SELECT ` + columns + ` FROM devices
		WHERE (?1 = '' OR status = ?1)
		  AND (?2 = '' OR city = ?2)
		  AND (?3 = '' OR instr(lower(id || char(10) || name || char(10) || city || char(10) || firmware), lower(?3)) > 0)
		ORDER BY id`
	rows, err := s.db.QueryContext(ctx, query, filter.Status, filter.City, filter.Query)
	if err != nil {
		return nil, fmt.Errorf("listing devices: %w", err)
	}
	defer rows.Close()
	devices := []Device{}
	for rows.Next() {
		device, err := scanDevice(rows)
		if err != nil {
			return nil, fmt.Errorf("reading a device: %w", err)
		}
		devices = append(devices, device)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("listing devices: %w", err)
	}
	return devices, nil
}

// Get returns one device, or an *Error with CodeNotFound.
func (s *Store) Get(ctx context.Context, id string) (Device, error) {
	return getDevice(ctx, s.db, id, "id")
}

// Disable disables 1 to MaxBatch distinct devices in one transaction and returns them as they are afterwards, in the
// order given. If one does not exist (CodeNotFound) or is disabled already (CodeAlreadyDisabled), none is changed.
func (s *Store) Disable(ctx context.Context, ids []string, reason string) ([]Device, error) {
	if err := checkReason(reason); err != nil {
		return nil, err
	}
	return s.setEnabled(ctx, ids, false, reason)
}

// Enable is the reverse of Disable, with the same rules; its own refusal is CodeAlreadyEnabled.
func (s *Store) Enable(ctx context.Context, ids []string) ([]Device, error) {
	return s.setEnabled(ctx, ids, true, "")
}

func (s *Store) setEnabled(ctx context.Context, ids []string, enabled bool, reason string) ([]Device, error) {
	if err := checkIDs(ids); err != nil {
		return nil, err
	}
	var changed []Device
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for i, id := range ids {
			device, err := switchDevice(ctx, tx, id, fmt.Sprintf("ids[%d]", i), enabled, reason)
			if err != nil {
				return err
			}
			changed = append(changed, device)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

func checkIDs(ids []string) error {
	if len(ids) < 1 || len(ids) > MaxBatch {
		return refuse(CodeInvalidInput, "ids", "Give 1 to %d device ids.", MaxBatch)
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return refuse(CodeInvalidInput, fmt.Sprintf("ids[%d]", i), "Each device may be given once.")
		}
	}
	return nil
}

// switchDevice changes one device inside a transaction; field names the input that a refusal is about.
func switchDevice(
	ctx context.Context, tx *sql.Tx, id, field string, enabled bool, reason string,
) (Device, error) {
	device, err := getDevice(ctx, tx, id, field)
	if err != nil {
		return Device{}, err
	}
	if device.Enabled == enabled {
		code, state := CodeAlreadyDisabled, "disabled"
		if enabled {
			code, state = CodeAlreadyEnabled, "enabled"
		}
		return Device{}, refuse(code, field, "%s is already %s.", id, state)
	}
	const update = `UPDATE devices SET enabled = ?, disabled_reason = ?, version = version + 1 WHERE id = ?`
	if _, err := tx.ExecContext(ctx, update, enabled, reason, id); err != nil {
		return Device{}, fmt.Errorf("updating %s: %w", id, err)
	}
	device.Enabled, device.DisabledReason = enabled, reason
	device.Version++
	return device, nil
}

// Rename gives a device a new name, trimmed of surrounding space. With a version above zero the change happens only if
// the device still has that version, else CodeVersionConflict.
func (s *Store) Rename(ctx context.Context, id, name string, version int64) (Device, error) {
	name, err := cleanName(name)
	if err != nil {
		return Device{}, err
	}
	var renamed Device
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		device, err := getDevice(ctx, tx, id, "id")
		if err != nil {
			return err
		}
		if version > 0 && device.Version != version {
			return refuse(CodeVersionConflict, "version", "The device has changed since it was read; it has version %d now.",
				device.Version)
		}
		const update = `UPDATE devices SET name = ?, version = version + 1 WHERE id = ?`
		if _, err := tx.ExecContext(ctx, update, name, id); err != nil {
			return fmt.Errorf("renaming %s: %w", id, err)
		}
		device.Name = name
		device.Version++
		renamed = device
		return nil
	})
	return renamed, err
}

// queryer is what a database and a transaction have in common here.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func getDevice(ctx context.Context, from queryer, id, field string) (Device, error) {
	if id == "" || len(id) > maxID {
		return Device{}, refuse(CodeInvalidInput, field, "A device id has 1 to %d characters.", maxID)
	}
	row := from.QueryRowContext(ctx, `SELECT `+columns+` FROM devices WHERE id = ?`, id)
	device, err := scanDevice(row)
	if errors.Is(err, sql.ErrNoRows) {
		return Device{}, refuse(CodeNotFound, field, "There is no device %q.", id)
	}
	if err != nil {
		return Device{}, fmt.Errorf("reading device %q: %w", id, err)
	}
	return device, nil
}

func scanDevice(row interface{ Scan(dest ...any) error }) (Device, error) {
	var d Device
	err := row.Scan(&d.ID, &d.Name, &d.Status, &d.City, &d.Firmware, &d.LastSeen, &d.Enabled, &d.DisabledReason,
		&d.Version)
	return d, err
}
