package toolset

import (
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// orEmpty is the arguments of a tool: null, which some providers send for none, is {}.
func orEmpty(input capability.JSON) capability.JSON {
	if input.Absent() || strings.Trim(string(input), " \t\r\n") == "null" {
		return capability.EmptyObject
	}
	return input
}
