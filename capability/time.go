package capability

import "time"

// FormatTime is t as data carries it: ISO 8601 UTC with milliseconds.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
