package capability

import "time"

// FormatTime is t as data carries it: ISO 8601 UTC with milliseconds.
func FormatTime(t time.Time) string { return string(AppendTime(make([]byte, 0, 24), t)) }

// AppendTime appends FormatTime of t.
func AppendTime(dst []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
}
