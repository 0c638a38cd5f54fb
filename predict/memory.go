package predict

import "slices"

// memory remembers the newest texts, up to a number.
type memory struct {
	most  int
	known map[string]bool
	order []string // oldest first
}

func newMemory(most int) memory { return memory{most: most, known: map[string]bool{}} }

func (m *memory) has(text string) bool { return m.known[text] }

func (m *memory) add(text string) {
	if m.known[text] {
		return
	}
	m.known[text] = true
	m.order = append(m.order, text)
	if len(m.order) > m.most {
		delete(m.known, m.order[0])
		m.order = m.order[1:]
	}
}

func (m *memory) forget(text string) {
	delete(m.known, text)
	m.order = slices.DeleteFunc(m.order, func(other string) bool { return other == text })
}
