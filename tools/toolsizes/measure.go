package main

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// sizes are how many capabilities the applications have.
func sizes() []int { return []int{10, 50, 200} }

// table is the report, in Markdown.
func table() (string, error) {
	var out strings.Builder
	out.WriteString("| capabilities | direct: all tools | meta: the three tools | meta: discovering everything | meta: discovering one area |\n|---|---|---|---|---|\n")
	for _, count := range sizes() {
		m, err := measure(count)
		if err != nil {
			return "", fmt.Errorf("measuring %d capabilities: %w", count, err)
		}
		fmt.Fprintf(&out, "| %d | %s | %s | %s | %s |\n", count, size(m.direct), size(m.meta), size(m.everything), size(m.area))
	}
	return out.String(), nil
}

// charactersInAToken is the rule of thumb for English text and JSON; a model's own tokenizer will count otherwise.
const charactersInAToken = 4

// size is how large a text is, in bytes and in tokens.
func size(text string) string {
	tokens := (utf8.RuneCountInString(text) + charactersInAToken - 1) / charactersInAToken
	return fmt.Sprintf("%s bytes, %s tokens", grouped(len(text)), grouped(tokens))
}

// grouped writes a number with its thousands apart.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// measured is what a model gets to read.
type measured struct{ direct, meta, everything, area string }

func measure(count int) (m measured, err error) {
	clock := host.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	defer clock.Close()
	r, err := application(clock, count)
	if err != nil {
		return m, err
	}
	defer r.Dispose()
	if m.direct, _, err = tools(r, clock, toolset.Direct); err != nil {
		return m, err
	}
	var verbs []toolset.Tool
	if m.meta, verbs, err = tools(r, clock, toolset.Meta); err != nil {
		return m, err
	}
	if m.everything, err = discover(verbs, `{}`); err != nil {
		return m, err
	}
	m.area, err = discover(verbs, capability.JSON(`{"scope":["`+areas()[0]+`"]}`))
	return m, err
}

// tools are the tools of a mode as a provider takes them: [{ name, description, input_schema }].
func tools(r *registry.Registry, clock *host.Fake, mode toolset.Mode) (text string, list []toolset.Tool, err error) {
	consumer := capability.Consumer{ID: "sizes-" + string(mode), Kind: capability.EmbeddedConsumer}
	set, err := toolset.New(r, toolset.Options{Consumer: consumer, Mode: mode, Topology: toolset.Embedded, Host: clock})
	if err != nil {
		return "", nil, err
	}
	if list, err = set.Tools(); err != nil {
		return "", nil, err
	}
	return string(capability.ArrayOf(list, func(tool toolset.Tool) capability.JSON {
		var o capability.ObjectWriter
		o.Text("name", tool.Name)
		o.Text("description", tool.Description)
		o.Raw("input_schema", tool.InputSchema)
		return o.JSON()
	})), list, nil
}

// discover is what surface_discover answers.
func discover(verbs []toolset.Tool, arguments capability.JSON) (string, error) {
	var result registry.Result
	verbs[0].Start(context.Background(), arguments, toolset.Call{}, func(r registry.Result) { result = r })
	if result.Error != nil {
		return "", result.Error
	}
	return string(result.Output), nil
}
