package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema/infer"
)

// book is the state behind the surface.
type book struct {
	mu    sync.Mutex
	notes []string
}

type note struct {
	Text string `json:"text" jsonschema:"what to note down"`
}

type notes struct {
	Notes []string `json:"notes"`
}

// notebook is what clients can do. The Go types are the schemas. What is destructive asks a person: that is the default
// of its effect.
func notebook() *registry.Component {
	return &registry.Component{
		Type: "notebook", Description: "A notebook",
		Procedures: []registry.ProcedureBinding{
			procedure[registry.None, notes]("notes.list", "Lists the notes", capability.ServerQuery),
			procedure[note, notes]("notes.add", "Adds a note", capability.ServerMutation),
			procedure[registry.None, notes]("notes.clear", "Throws all notes away", capability.Destructive),
		},
	}
}

func procedure[In, Out any](path, description string, effect capability.Effect) registry.ProcedureBinding {
	return registry.ProcedureBinding{Ref: registry.ProcedureRef{
		Path: path, Description: description, Effect: effect, Input: infer.MustSchema[In](), Output: infer.MustSchema[Out](),
	}}
}

// procedures carry it out.
func (b *book) procedures() registry.Procedures {
	return registry.Procedures{
		"notes.list":  registry.TypedProcedure(b.list),
		"notes.add":   registry.TypedProcedure(b.add),
		"notes.clear": registry.TypedProcedure(b.clear),
	}
}

func (b *book) list(context.Context, registry.None, *registry.Call) (notes, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return notes{slices.Clone(b.notes)}, nil
}

func (b *book) add(ctx context.Context, in note, _ *registry.Call) (notes, error) {
	if strings.TrimSpace(in.Text) == "" {
		return notes{}, registry.Refuse("There is nothing to note down.", "")
	}
	b.mu.Lock()
	b.notes = append(b.notes, in.Text)
	count := len(b.notes)
	b.mu.Unlock()
	registry.Report(ctx, registry.Progress{Done: 1, Total: 1, Message: fmt.Sprintf("note %d is written", count)})
	return b.list(ctx, registry.None{}, nil)
}

func (b *book) clear(context.Context, registry.None, *registry.Call) (notes, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = nil
	return notes{}, nil
}
