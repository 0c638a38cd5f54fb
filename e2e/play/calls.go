package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/pagewarden/pagewarden/browser"
)

// refusal is the error payload that a tool gives.
type refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Retry   string `json:"retry"`
	Details struct {
		Reason string  `json:"reason"`
		Issues []issue `json:"issues"`
	} `json:"details"`
}

type issue struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// call calls a tool as the agent does and prints both sides.
func (p *player) call(ctx context.Context, tool, input string) (browser.Result, error) {
	p.out.call(tool, input)
	start := time.Now()
	result, err := p.page.Call(ctx, tool, json.RawMessage(input))
	if err != nil {
		return result, err
	}
	p.out.gave(result.Value(), time.Since(start))
	return result, nil
}

// output calls a tool that must succeed and reads its output into value.
func (p *player) output(ctx context.Context, tool, input string, value any) error {
	result, err := p.call(ctx, tool, input)
	if err != nil {
		return err
	}
	return outputOf(tool, result, value)
}

func outputOf(tool string, result browser.Result, value any) error {
	if result.IsError() {
		return fmt.Errorf("%s was refused: %s", tool, result.Value())
	}
	if err := json.Unmarshal([]byte(result.Value()), value); err != nil {
		return fmt.Errorf("reading the output of %s: %w", tool, err)
	}
	return nil
}

// refused calls a tool that must answer with an error of that code.
func (p *player) refused(ctx context.Context, tool, input, code string) (refusal, error) {
	result, err := p.call(ctx, tool, input)
	if err != nil {
		return refusal{}, err
	}
	return refusalOf(tool, result, code)
}

func refusalOf(tool string, result browser.Result, code string) (refusal, error) {
	var r refusal
	if !result.IsError() {
		return r, fmt.Errorf("%s accepted it and gave %s; want %s", tool, shortened(result.Value()), code)
	}
	if err := json.Unmarshal([]byte(result.Value()), &r); err != nil {
		return r, fmt.Errorf("reading the refusal of %s: %w", tool, err)
	}
	if r.Code != code {
		return r, fmt.Errorf("%s gave %s; want %s", tool, r.Code, code)
	}
	if r.Message == "" || r.Retry == "" {
		return r, fmt.Errorf("%s gave %s without message or retry", tool, r.Code)
	}
	return r, nil
}

// appears waits until the page has all of the tools.
func (p *player) appears(ctx context.Context, names ...string) error {
	tools, err := p.page.WaitForTools(ctx, func(tools []browser.Tool) bool {
		return len(without(names, namesOf(tools))) == 0
	})
	if err != nil {
		return fmt.Errorf("waiting for %q: %w", without(names, namesOf(tools)), err)
	}
	p.out.say("see", "now listed: %s", listed(names))
	return nil
}

// disappears waits until the page has none of the tools.
func (p *player) disappears(ctx context.Context, names ...string) error {
	gone := func(tools []browser.Tool) bool { return len(without(names, namesOf(tools))) == len(names) }
	if _, err := p.page.WaitForTools(ctx, gone); err != nil {
		return fmt.Errorf("waiting until %q are gone: %w", names, err)
	}
	p.out.say("see", "no longer listed: %s", listed(names))
	return nil
}

// absent checks that the page has none of the tools now.
func (p *player) absent(ctx context.Context, names ...string) error {
	tools, err := p.page.Tools(ctx)
	if err != nil {
		return err
	}
	present := namesOf(tools)
	for _, name := range names {
		if slices.Contains(present, name) {
			return fmt.Errorf("%s is listed although it is not available", name)
		}
	}
	p.out.say("see", "not listed: %s", listed(names))
	return nil
}

func namesOf(tools []browser.Tool) []string {
	names := make([]string, 0, len(tools))
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return names
}

// without returns the names that are not among known.
func without(names, known []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(known, name) })
}
