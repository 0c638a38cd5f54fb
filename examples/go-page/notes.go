// Command go-page is a page that is written in Go alone: notes that a person and the browser's agent share, as a wasm of
// its own. Built for a page (GOOS=js GOARCH=wasm) it is the page; built natively it serves that.
package main

import (
	"context"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
)

// board is the application: notes, and whoever shows them. All of it runs on the page's one thread.
type board struct {
	notes []string
	show  func() // draws the notes
}

type newNote struct {
	Text string `json:"text" jsonschema:"what the note says"`
}

type chosen struct {
	Number int `json:"number" jsonschema:"which note, counted from 1"`
}

type count struct {
	Notes int `json:"notes" jsonschema:"how many notes there are now"`
}

// newSurface makes a registry that admits what the contract says, with the board on it.
func newSurface(b *board) (*registry.Registry, error) {
	authority, err := contract.NewAuthority(capability.JSON(manifest), "") // built in, so nothing has to pin it
	if err != nil {
		return nil, err
	}
	r, err := registry.New(registry.Options{Authority: authority})
	if err != nil {
		return nil, err
	}
	component, err := b.component()
	if err != nil {
		return nil, err
	}
	_, err = r.Register(component)
	return r, err
}

// component binds the board to what the contract declares of it.
func (b *board) component() (*registry.Component, error) {
	return registry.Bind(boardContract(), registry.Binding{
		Observations: map[string]registry.Reading{"list": {Read: registry.TypedRead(b.list)}},
		Actions: map[string]registry.Acting{
			"add":   {Execute: registry.TypedProcedure(b.add)},
			"clear": {Execute: registry.TypedProcedure(b.clear)},
			"remove": {
				Execute: registry.TypedProcedure(b.remove), Precondition: registry.TypedPrecondition(b.canRemove),
				When: func() (bool, error) { return len(b.notes) > 0, nil }, UnavailableReason: func() string { return "There is no note." },
			},
		},
	})
}

func (b *board) list(context.Context, *registry.Call) ([]string, error) { return b.notes, nil }

func (b *board) add(_ context.Context, note newNote, _ *registry.Call) (count, error) {
	b.notes = append(b.notes, note.Text)
	b.show()
	return count{len(b.notes)}, nil
}

func (b *board) canRemove(note chosen, _ *registry.Call) error {
	if note.Number < 1 || note.Number > len(b.notes) {
		return registry.Refuse(fmt.Sprintf("There are notes 1 to %d. List them first.", len(b.notes)), "")
	}
	return nil
}

func (b *board) remove(_ context.Context, note chosen, _ *registry.Call) (count, error) {
	b.notes = append(b.notes[:note.Number-1:note.Number-1], b.notes[note.Number:]...)
	b.show()
	return count{len(b.notes)}, nil
}

func (b *board) clear(context.Context, registry.None, *registry.Call) (count, error) {
	b.notes = nil
	b.show()
	return count{}, nil
}
