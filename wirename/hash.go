package wirename

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

const (
	fnvBasis = 0x811c9dc5
	fnvPrime = 16777619

	roundLength = 7 // of any 32-bit number in base 36
)

// hash is 7 + 2·level characters of base 36: rounds of FNV-1a over the UTF-16 code units of
// ID "#" InstanceID "#" level, each round from a basis of its own.
func hash(entry Entry, level int) string {
	units := utf16.Encode([]rune(entry.ID + "#" + entry.InstanceID + "#" + strconv.Itoa(level)))
	length := roundLength + 2*level
	var text strings.Builder
	for round := uint32(0); text.Len() < length; round++ {
		digits := strconv.FormatUint(uint64(fnv(fnvBasis^round, units)), 36)
		text.WriteString(strings.Repeat("0", roundLength-len(digits)) + digits)
	}
	return text.String()[:length]
}

func fnv(state uint32, units []uint16) uint32 {
	for _, unit := range units {
		state = (state ^ uint32(unit)) * fnvPrime
	}
	return state
}
