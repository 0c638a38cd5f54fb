package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	store, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return store
}

func list(t *testing.T, store *Store, filter Filter) []Device {
	t.Helper()
	devices, err := store.List(t.Context(), filter)
	if err != nil {
		t.Fatalf("List(%+v): %v", filter, err)
	}
	return devices
}

// someIDs gives count ids of devices whose enabled state is as asked.
func someIDs(t *testing.T, store *Store, enabled bool, count int) []string {
	t.Helper()
	var ids []string
	for _, device := range list(t, store, Filter{}) {
		if device.Enabled == enabled && len(ids) < count {
			ids = append(ids, device.ID)
		}
	}
	if len(ids) < count {
		t.Fatalf("the seed has %d devices with enabled=%v, need %d", len(ids), enabled, count)
	}
	return ids
}

func wantRefusal(t *testing.T, err error, code Code, field string) {
	t.Helper()
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Code != code || refusal.Field != field {
		t.Fatalf("error = %v, want code %s with field %q", err, code, field)
	}
}

func TestSeedIsTheSameEachTimeAndRecognisable(t *testing.T) {
	first := list(t, openStore(t, t.TempDir()), Filter{})
	second := list(t, openStore(t, t.TempDir()), Filter{})
	if !reflect.DeepEqual(first, second) {
		t.Fatal("two new databases hold different devices")
	}
	if len(first) != 200 {
		t.Fatalf("seeded %d devices, want 200", len(first))
	}
	counts := map[string]int{}
	for _, device := range first {
		counts[device.Name]++
		counts[string(device.Status)]++
		counts[fmt.Sprint("enabled ", device.Enabled)]++
		if _, err := time.Parse("2006-01-02T15:04:05.000Z", device.LastSeen); err != nil {
			t.Errorf("%s: last seen: %v", device.ID, err)
		}
		if device.Enabled != (device.DisabledReason == "") || device.Version != 1 || device.Firmware == "" {
			t.Errorf("inconsistent seed: %+v", device)
		}
	}
	if counts["Lisbon gateway 03"] != 1 {
		t.Errorf(`%d devices are named "Lisbon gateway 03", want 1`, counts["Lisbon gateway 03"])
	}
	for _, key := range []string{"online", "offline", "maintenance", "enabled true", "enabled false"} {
		if counts[key] < 5 {
			t.Errorf("only %d devices are %q; the page would look empty", counts[key], key)
		}
	}
}

func TestOpenKeepsWhatWasChanged(t *testing.T) {
	dir := t.TempDir()
	store, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Rename(t.Context(), "dev-001", "Renamed", 0); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	again := openStore(t, dir)
	device, err := again.Get(t.Context(), "dev-001")
	if err != nil || device.Name != "Renamed" || device.Version != 2 {
		t.Fatalf("after reopening: %+v, %v", device, err)
	}
	if got := len(list(t, again, Filter{})); got != 200 {
		t.Fatalf("reopening left %d devices, want 200", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Run("a missing folder", func(t *testing.T) {
		if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "missing")); err == nil {
			t.Fatal("Open gave no error")
		}
	})
	t.Run("a file that is no database", func(t *testing.T) {
		dir := t.TempDir()
		garbage := []byte(strings.Repeat("not a database ", 100))
		if err := os.WriteFile(filepath.Join(dir, "devices.db"), garbage, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), dir); err == nil {
			t.Fatal("Open gave no error")
		}
	})
	t.Run("a newer schema", func(t *testing.T) {
		dir := t.TempDir()
		newer(t, dir)
		_, err := Open(t.Context(), dir)
		if err == nil || !strings.Contains(err.Error(), "schema version 99") {
			t.Fatalf("error = %v, want one that names the version", err)
		}
	})
	t.Run("a cancelled context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Open(ctx, t.TempDir()); !errors.Is(err, context.Canceled) {
			t.Fatalf("error = %v, want context.Canceled", err)
		}
	})
}

func newer(t *testing.T, dir string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "devices.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenInAFolderWithAnUnusualName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20e")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	openStore(t, dir)
	if _, err := os.Stat(filepath.Join(dir, "devices.db")); err != nil {
		t.Fatalf("the database is not where it should be: %v", err)
	}
}

func TestListFilters(t *testing.T) {
	store := openStore(t, t.TempDir())
	for _, test := range []struct {
		name   string
		filter Filter
		keep   func(Device) bool
	}{
		{"nothing", Filter{}, func(Device) bool { return true }},
		{"status", Filter{Status: Offline}, func(d Device) bool { return d.Status == Offline }},
		{"city", Filter{City: "Oslo"}, func(d Device) bool { return d.City == "Oslo" }},
		{"text in a name, any case", Filter{Query: "LISBON Gateway"}, func(d Device) bool {
			return strings.HasPrefix(d.Name, "Lisbon gateway")
		}},
		{"text in a version", Filter{Query: "4.1."}, func(d Device) bool { return strings.Contains(d.Firmware, "4.1.") }},
		{"an id", Filter{Query: "dev-007"}, func(d Device) bool { return d.ID == "dev-007" }},
		{"wildcards are plain text", Filter{Query: "%"}, func(Device) bool { return false }},
		{"quotes are plain text", Filter{Query: "' OR 1=1 --"}, func(Device) bool { return false }},
		{"an unknown city", Filter{City: "Atlantis"}, func(Device) bool { return false }},
		{"two at once", Filter{Status: Online, City: "Porto"}, func(d Device) bool {
			return d.Status == Online && d.City == "Porto"
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := []Device{}
			for _, device := range list(t, store, Filter{}) {
				if test.keep(device) {
					want = append(want, device)
				}
			}
			if got := list(t, store, test.filter); !reflect.DeepEqual(got, want) {
				t.Fatalf("got %d devices, want %d", len(got), len(want))
			}
		})
	}
}

func TestListRefusesFiltersOutOfBounds(t *testing.T) {
	store := openStore(t, t.TempDir())
	for field, filter := range map[string]Filter{
		"status": {Status: "broken"},
		"city":   {City: strings.Repeat("x", maxCity+1)},
		"q":      {Query: strings.Repeat("x", MaxQuery+1)},
	} {
		_, err := store.List(t.Context(), filter)
		wantRefusal(t, err, CodeInvalidInput, field)
	}
}

func TestDisableAndEnable(t *testing.T) {
	store := openStore(t, t.TempDir())
	ids := someIDs(t, store, true, MaxBatch)
	disabled, err := store.Disable(t.Context(), ids, "Recalled")
	if err != nil {
		t.Fatal(err)
	}
	for i, device := range disabled {
		stored, err := store.Get(t.Context(), ids[i])
		if err != nil || stored != device {
			t.Fatalf("returned %+v, stored %+v, %v", device, stored, err)
		}
		if device.Enabled || device.DisabledReason != "Recalled" || device.Version != 2 {
			t.Fatalf("after disabling: %+v", device)
		}
	}
	enabled, err := store.Enable(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	for _, device := range enabled {
		if !device.Enabled || device.DisabledReason != "" || device.Version != 3 {
			t.Fatalf("after enabling: %+v", device)
		}
	}
}

func TestDisableRefusesAndChangesNothing(t *testing.T) {
	store := openStore(t, t.TempDir())
	on, off := someIDs(t, store, true, MaxBatch+1), someIDs(t, store, false, 1)
	for _, test := range []struct {
		name   string
		ids    []string
		reason string
		code   Code
		field  string
	}{
		{"no ids", nil, "", CodeInvalidInput, "ids"},
		{"too many ids", on, "", CodeInvalidInput, "ids"},
		{"an id twice", []string{on[0], on[1], on[0]}, "", CodeInvalidInput, "ids[2]"},
		{"an empty id", []string{on[0], ""}, "", CodeInvalidInput, "ids[1]"},
		{"an endless id", []string{strings.Repeat("d", maxID+1)}, "", CodeInvalidInput, "ids[0]"},
		{"an unknown id", []string{on[0], "dev-999"}, "", CodeNotFound, "ids[1]"},
		{"one disabled already", []string{on[0], off[0]}, "", CodeAlreadyDisabled, "ids[1]"},
		{"a long reason", on[:1], strings.Repeat("x", MaxReason+1), CodeInvalidInput, "reason"},
		{"a control character", on[:1], "a\x00b", CodeInvalidInput, "reason"},
		{"a right-to-left override", on[:1], "a\u202eb", CodeInvalidInput, "reason"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := list(t, store, Filter{})
			_, err := store.Disable(t.Context(), test.ids, test.reason)
			wantRefusal(t, err, test.code, test.field)
			if !reflect.DeepEqual(before, list(t, store, Filter{})) {
				t.Fatal("a refused call changed the database")
			}
		})
	}
	t.Run("enable what is enabled", func(t *testing.T) {
		_, err := store.Enable(t.Context(), []string{off[0], on[0]})
		wantRefusal(t, err, CodeAlreadyEnabled, "ids[1]")
	})
}

func TestRename(t *testing.T) {
	store := openStore(t, t.TempDir())
	device, err := store.Rename(t.Context(), "dev-002", "  Roof sensor  ", 1)
	if err != nil || device.Name != "Roof sensor" || device.Version != 2 {
		t.Fatalf("Rename = %+v, %v", device, err)
	}
	for _, test := range []struct {
		name, id, to string
		version      int64
		code         Code
		field        string
	}{
		{"an old version", "dev-002", "Other", 1, CodeVersionConflict, "version"},
		{"an unknown device", "dev-999", "Other", 0, CodeNotFound, "id"},
		{"only spaces", "dev-002", "   ", 0, CodeInvalidInput, "name"},
		{"too long", "dev-002", strings.Repeat("é", MaxName+1), 0, CodeInvalidInput, "name"},
		{"a line break inside", "dev-002", "a\nb", 0, CodeInvalidInput, "name"},
		{"invalid UTF-8", "dev-002", "a\xff", 0, CodeInvalidInput, "name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := store.Rename(t.Context(), test.id, test.to, test.version)
			wantRefusal(t, err, test.code, test.field)
		})
	}
	if got, err := store.Rename(t.Context(), "dev-002", strings.Repeat("é", MaxName), 0); err != nil || got.Version != 3 {
		t.Fatalf("the longest name: %+v, %v", got, err)
	}
}

func TestConcurrentRenamesOfOneVersion(t *testing.T) {
	store := openStore(t, t.TempDir())
	const callers = 8
	errs := make([]error, callers)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			_, errs[i] = store.Rename(t.Context(), "dev-003", fmt.Sprint("Name ", i), 1)
		})
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		wantRefusal(t, err, CodeVersionConflict, "version")
	}
	if won != 1 {
		t.Fatalf("%d renames of the same version succeeded, want 1", won)
	}
}

func TestClosedStoreFails(t *testing.T) {
	store, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	var refusal *Error
	if _, err := store.List(t.Context(), Filter{}); err == nil || errors.As(err, &refusal) {
		t.Fatalf("List on a closed store = %v, want an internal error", err)
	}
}

func TestErrorText(t *testing.T) {
	err := refuse(CodeNotFound, "ids[0]", "There is no device %q.", "x")
	if got := err.Error(); got != `not_found: There is no device "x". (ids[0])` {
		t.Errorf("Error() = %s", got)
	}
	if !errors.Is(fmt.Errorf("wrapping: %w", err), &Error{Code: CodeNotFound}) || errors.Is(err, &Error{Code: CodeInternal}) {
		t.Error("errors.Is does not compare codes")
	}
}
