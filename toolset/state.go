package toolset

import "strings"

// CapabilityState is the state of tools as a text for the end of a model's context, where it can change from turn to
// turn without spoiling what the model has cached: a line for each tool that is unavailable or has a note, "" when
// none is. (Source: adapters.md, Toolset.)
func CapabilityState(tools []Tool) string {
	var lines strings.Builder
	for _, tool := range tools {
		if parts := tool.State.parts(); len(parts) > 0 {
			lines.WriteString("\n- " + tool.Name + ": " + strings.Join(parts, " · "))
		}
	}
	if lines.Len() == 0 {
		return ""
	}
	return "Current capability state:" + lines.String()
}

func (s State) parts() []string {
	var parts []string
	if !s.Available {
		reason := s.UnavailableReason
		if reason == "" {
			reason = "not right now"
		}
		parts = append(parts, "unavailable: "+oneLine(reason))
	}
	if s.Note != "" {
		parts = append(parts, oneLine(s.Note))
	}
	return parts
}

// oneLine keeps a text that the page made from data from looking like the line of another tool.
func oneLine(text string) string { return strings.Join(strings.FieldsFunc(text, isLineBreak), " ") }

func isLineBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029
}
