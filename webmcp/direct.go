package webmcp

import "fmt"

// direct brings changes to a model context that takes tools one by one.
type direct struct {
	context ModelContext
	kind    Style
	log     func(text string)
}

func (d direct) style() Style { return d.kind }

// apply removes before it adds, so that a name is free for its successor.
func (d direct) apply(c change) {
	for _, tool := range c.removed {
		if err := d.context.Remove(tool); err != nil {
			d.log(fmt.Sprintf("removing the tool %s: %v", tool.Name, err))
		}
	}
	for _, tool := range c.doubtful {
		_ = d.context.Remove(tool)
	}
	for _, added := range c.added {
		d.context.Add(added.Tool, added.settled)
	}
}
