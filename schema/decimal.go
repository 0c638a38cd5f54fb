package schema

import (
	"encoding/json"
	"strconv"
	"strings"
)

// decimal is a number as its significant digits, without zeros at either end, times ten to the exponent. Two
// numbers are equal exactly when their decimals are; zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// decimalOf reads a number of sound syntax whose exponent has been bounded, as capability.ValueLimits does.
func decimalOf(n json.Number) decimal {
	mantissa, negative := strings.CutPrefix(string(n), "-")
	exponent := 0
	if at := strings.IndexAny(mantissa, "eE"); at >= 0 {
		exponent, _ = strconv.Atoi(mantissa[at+1:])
		mantissa = mantissa[:at]
	}
	if whole, fraction, found := strings.Cut(mantissa, "."); found {
		mantissa = whole + fraction
		exponent -= len(fraction)
	}
	mantissa = strings.TrimLeft(mantissa, "0")
	digits := strings.TrimRight(mantissa, "0")
	if digits == "" {
		return decimal{}
	}
	return decimal{negative, digits, exponent + len(mantissa) - len(digits)}
}

func isInteger(n json.Number) bool {
	if !strings.ContainsAny(string(n), ".eE") {
		return true
	}
	return decimalOf(n).exponent >= 0
}

// appendKey appends the decimal in its one spelling.
func (d decimal) appendKey(key []byte) []byte {
	if d.negative {
		key = append(key, '-')
	}
	key = append(key, d.digits...)
	key = append(key, 'e')
	return strconv.AppendInt(key, int64(d.exponent), 10)
}
