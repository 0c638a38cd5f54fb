package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/demo"
)

// mostRows is how many rows readRows gives at most.
const mostRows = 50

// row is a device as the page tells agents of it.
type row struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Status  demo.Status `json:"status"`
	City    string      `json:"city"`
	Enabled bool        `json:"enabled"`
}

// table is the output of readRows.
type table struct {
	Total     int      `json:"total"`
	Matching  int      `json:"matching"`
	Selected  []string `json:"selected"`
	Rows      []row    `json:"rows"`
	Truncated bool     `json:"truncated"`
}

func openPage(ctx context.Context, p *player) error {
	page, err := p.browser.Open(ctx, p.site.URL)
	if err != nil {
		return err
	}
	p.page = page
	p.out.say("open", "%s in %s", p.site.URL, p.browser.Version())
	return p.ready(ctx)
}

// ready waits until the page says that it has tools and shows its devices.
func (p *player) ready(ctx context.Context) error {
	return p.until(ctx, "the page is ready",
		`document.querySelector("#agent-status").dataset.state === "on" && document.querySelectorAll("#devices-rows tr").length > 0`)
}

func listTools(ctx context.Context, p *player) error {
	wanted := func(tools []browser.Tool) bool { return len(without(atStart(), namesOf(tools))) == 0 }
	tools, err := p.page.WaitForTools(ctx, wanted)
	if err != nil {
		return fmt.Errorf("the page does not list %q", without(atStart(), namesOf(tools)))
	}
	for _, tool := range tools {
		p.out.say("tool", "%-36s %s", tool.Name, tool.Description)
		if err := checkTool(tool); err != nil {
			return err
		}
	}
	// Whether tools are listed that should not be yet is a step of its own.
	if strange := without(namesOf(tools), append(atStart(), later()...)); len(strange) > 0 {
		return fmt.Errorf("the page lists %q, which it should not have", strange)
	}
	return p.picture(ctx, "devices", "")
}

// checkTool compares what a tool says about itself with what the script knows of it.
func checkTool(tool browser.Tool) error {
	if reads := slices.Contains([]string{readRoute, readFilters, readRows}, tool.Name); tool.Annotations.ReadOnly != reads {
		return fmt.Errorf("%s has readOnlyHint %t; want %t", tool.Name, tool.Annotations.ReadOnly, reads)
	}
	if len(tool.InputSchema) == 0 || tool.Description == "" {
		return fmt.Errorf("%s has no input schema or no description", tool.Name)
	}
	return nil
}

func readTable(ctx context.Context, p *player) error {
	devices, err := p.site.Store.List(ctx, demo.Filter{})
	if err != nil {
		return err
	}
	got, err := p.table(ctx)
	if err != nil {
		return err
	}
	if err := got.check(len(devices), len(devices)); err != nil {
		return err
	}
	if len(got.Selected) != 0 {
		return fmt.Errorf("%d rows are selected; want none", len(got.Selected))
	}
	p.out.say("see", "%d devices, as in the database; the first %d rows came with them", got.Total, len(got.Rows))
	return nil
}

func (p *player) table(ctx context.Context) (table, error) {
	var got table
	err := p.output(ctx, readRows, "{}", &got)
	return got, err
}

func (t table) check(total, matching int) error {
	switch rows := min(matching, mostRows); {
	case t.Total != total || t.Matching != matching:
		return fmt.Errorf("the table says that %d of %d devices match; in the database it is %d of %d", t.Matching, t.Total, matching, total)
	case len(t.Rows) != rows:
		return fmt.Errorf("the table gives %d rows; want %d", len(t.Rows), rows)
	case t.Truncated != (rows < matching):
		return fmt.Errorf("the table says truncated %t with %d of %d rows", t.Truncated, rows, matching)
	}
	return nil
}

func filterTable(ctx context.Context, p *player) error {
	all, err := p.site.Store.List(ctx, demo.Filter{})
	if err != nil {
		return err
	}
	devices, err := p.site.Store.List(ctx, demo.Filter{Status: demo.Offline})
	if err != nil {
		return err
	}
	var filtered struct{ Matching int }
	if err := p.output(ctx, setFilters, `{"status":"offline"}`, &filtered); err != nil {
		return err
	}
	if filtered.Matching != len(devices) {
		return fmt.Errorf("%d devices match; in the database %d are offline", filtered.Matching, len(devices))
	}
	got, err := p.table(ctx)
	if err != nil {
		return err
	}
	if err := got.check(len(all), len(devices)); err != nil {
		return err
	}
	for _, r := range got.Rows {
		if r.Status != demo.Offline {
			return fmt.Errorf("row %s is %s; want offline only", r.ID, r.Status)
		}
	}
	var shown int
	if err := p.see(ctx, `document.querySelectorAll("#devices-rows tr").length`, &shown); err != nil {
		return err
	}
	if shown != len(devices) {
		return fmt.Errorf("the page shows %d rows; want %d", shown, len(devices))
	}
	p.out.say("see", "%d rows on the page, all offline, as in the database", shown)
	return p.picture(ctx, "filtered", "")
}

// wrong is input that must be refused, and the place that the refusal must name.
type wrong struct {
	what, tool, input, path string
}

func sendWrongInput(ctx context.Context, p *player) error {
	for _, w := range []wrong{
		{"a value that is not allowed", setFilters, `{"status":"broken"}`, "status"},
		{"a wrong type", setFilters, `{"query":7}`, "query"},
		{"a missing property", selectRows, `{}`, "ids"},
		{"an extra property", setFilters, `{"colour":"red"}`, "colour"},
		{"a wrong element", selectRows, `{"ids":["dev-001",2]}`, "ids[1]"},
	} {
		r, err := p.refused(ctx, w.tool, w.input, "INVALID_INPUT")
		if err != nil {
			return fmt.Errorf("%s: %w", w.what, err)
		}
		if len(r.Details.Issues) == 0 || r.Details.Issues[0].Path != w.path || r.Details.Issues[0].Message == "" {
			return fmt.Errorf("%s: the issues are %+v; want one with the path %s", w.what, r.Details.Issues, w.path)
		}
		p.out.say("see", "%s is refused at %s: %s", w.what, w.path, r.Details.Issues[0].Message)
	}
	var filters struct{ Status, Query string }
	if err := p.output(ctx, readFilters, "{}", &filters); err != nil {
		return err
	}
	if filters.Status != "offline" || filters.Query != "" {
		return fmt.Errorf("the filters are %+v; the refused calls changed them", filters)
	}
	return nil
}
