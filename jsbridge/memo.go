package jsbridge

// memo is what a line of the last question to the page said. A line that says the same again is empty; the script
// remembers what it stood for. Questions are written just before they are asked, so that both keep in step.
type memo struct{ last string }

func (m *memo) line(text string) string {
	if text == m.last {
		return ""
	}
	m.last = text
	return text
}

// memos are those of all questions of a bridge.
type memos struct{ capability, registration, consumer, subject memo }
