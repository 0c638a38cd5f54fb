package matrix

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
)

// The entries of the table.
const (
	passed   = "pass"
	failedIt = "FAIL"
	notThere = "n/a"
)

// table is what came of each behaviour on each host.
type table struct {
	mu      sync.Mutex
	columns []string
	rows    []string
	cells   map[[2]string]string // by row and column
	notes   []string             // printed under the table
}

func newTable(columns, rows []string) *table {
	return &table{columns: columns, rows: rows, cells: map[[2]string]string{}}
}

func (t *table) set(row, column, entry string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cells[[2]string{row, column}] = entry
}

func (t *table) note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// missing lists the cells without an entry: what was never tried has not passed.
func (t *table) missing() []string {
	var cells []string
	for _, row := range t.rows {
		for _, column := range t.columns {
			if t.cells[[2]string{row, column}] == "" {
				cells = append(cells, row+" on "+column)
			}
		}
	}
	return cells
}

// print writes the table; a cell that was not tried, because the run was for others alone, has a dash.
func (t *table) print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "WebMCP\t%s\n", strings.Join(t.columns, "\t"))
	for _, row := range t.rows {
		fmt.Fprint(out, row)
		for _, column := range t.columns {
			entry := t.cells[[2]string{row, column}]
			if entry == "" {
				entry = "-"
			}
			fmt.Fprintf(out, "\t%s", entry)
		}
		fmt.Fprintln(out)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, note := range t.notes {
		if _, err := fmt.Fprintln(w, note); err != nil {
			return err
		}
	}
	return nil
}

// finish prints the table of a run that has made one.
func (t *table) finish(w io.Writer) error {
	if t == nil {
		return nil
	}
	return t.print(w)
}

func TestTable(t *testing.T) {
	table := newTable([]string{"147", "pf"}, []string{"one", "another"})
	table.set("one", "147", passed)
	table.set("one", "pf", notThere)
	table.set("another", "147", failedIt)
	if got := table.missing(); !slices.Equal(got, []string{"another on pf"}) {
		t.Errorf("missing: %q", got)
	}
	table.note("%d is old", 147)
	var b strings.Builder
	if err := table.print(&b); err != nil {
		t.Fatal(err)
	}
	const want = "WebMCP   147   pf\none      pass  n/a\nanother  FAIL  -\n147 is old\n"
	if b.String() != want {
		t.Errorf("it prints\n%swant\n%s", b.String(), want)
	}
}
