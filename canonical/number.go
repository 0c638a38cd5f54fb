package canonical

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// Where JavaScript's Number.prototype.toString changes to exponents: 1e21 and 1e-7 are the first that it
// does not write out. point counts the digits before the decimal point.
const (
	maxPlainPoint = 21
	minPlainPoint = -6
)

// Literals with at most this many digits before and after the point are within every limit on numbers.
const (
	fewDigits   = 15
	fewDecimals = 50
)

// number reads a number literal.
func (e *encoder) number() (ok bool) {
	rest := e.text[e.at:]
	size := plainNumber(rest)
	if size == 0 || size < len(rest) && isNumberByte(rest[size]) {
		return e.oddNumber()
	}
	e.at += size
	return true
}

// plainNumber is the length of the literal at the start of text when it is short and canonical at a glance;
// when a byte of a number follows, it was not.
func plainNumber(text string) (size int) {
	first := 0
	if len(text) > 0 && text[0] == '-' {
		first = 1
	}
	end := digits(text, first)
	whole := end - first
	if whole == 0 || whole > fewDigits || text[first] == '0' && end > 1 {
		return 0
	}
	if end == len(text) || text[end] != '.' {
		return end
	}
	decimals := digits(text, end+1) - end - 1
	if decimals == 0 || decimals > fewDecimals || text[end+decimals] == '0' || text[first] == '0' && text[end+1] == '0' {
		return 0
	}
	return end + 1 + decimals
}

// digits is the end of the run of digits at start.
func digits(text string, start int) (end int) {
	for end = start; end < len(text) && isDigit(text[end]); {
		end++
	}
	return end
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNumberByte(c byte) bool {
	return isDigit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

// oddNumber reads any number literal.
func (e *encoder) oddNumber() (ok bool) {
	start := e.at
	for isNumberByte(e.peek()) {
		e.at++
	}
	literal := e.text[start:e.at]
	limits := capability.ValueLimits{MaxBytes: len(literal), Float64Integers: e.limits.Float64Integers}
	if limits.Check(capability.JSON(literal)) != nil {
		return false
	}
	form := e.exactly(literal)
	if string(form) == literal {
		return true
	}
	e.issue = e.checkNumber(form)
	e.replace(start, len(literal), form)
	return e.issue == nil
}

// checkNumber refuses the forms of numbers that a check would not read back.
func (e *encoder) checkNumber(form []byte) *capability.Issue {
	const surelyRead = 100 // a plain form of fewer characters is within every limit on numbers
	if len(form) < surelyRead && bytes.IndexByte(form, 'e') < 0 {
		return nil
	}
	limits := capability.ValueLimits{MaxBytes: len(form)}
	issue := limits.Check(capability.JSON(form))
	if issue != nil {
		issue.Path = e.path(len(e.frames))
	}
	return issue
}

// exactly is the form of a literal: the digits of the exact decimal that it denotes, as JavaScript lays
// them out. It is valid until the next call.
func (e *encoder) exactly(literal string) []byte {
	mantissa, exponent := splitExponent(literal)
	negative := strings.HasPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	point := len(whole) + exponent

	e.scratch = append(append(e.scratch[:0], whole...), fraction...)
	digits := e.scratch
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
		point--
	}
	digits = bytes.TrimRight(digits, "0")
	e.decimal = e.decimal[:0]
	if len(digits) == 0 {
		return append(e.decimal, '0')
	}
	if negative {
		e.decimal = append(e.decimal, '-')
	}
	e.decimal = appendDecimal(e.decimal, digits, point)
	return e.decimal
}

func splitExponent(literal string) (mantissa string, exponent int) {
	at := strings.IndexAny(literal, "eE")
	if at < 0 {
		return literal, 0
	}
	exponent, _ = strconv.Atoi(literal[at+1:]) // the check has bounded it
	return literal[:at], exponent
}

// appendDecimal writes 0.digits × 10^point, where digits neither starts nor ends with a zero.
func appendDecimal(out, digits []byte, point int) []byte {
	switch {
	case point > maxPlainPoint || point <= minPlainPoint:
		return appendScientific(out, digits, point-1)
	case point <= 0:
		out = append(out, "0."...)
		return append(appendZeros(out, -point), digits...)
	case point >= len(digits):
		return appendZeros(append(out, digits...), point-len(digits))
	}
	out = append(append(out, digits[:point]...), '.')
	return append(out, digits[point:]...)
}

func appendScientific(out, digits []byte, exponent int) []byte {
	out = append(out, digits[0])
	if len(digits) > 1 {
		out = append(append(out, '.'), digits[1:]...)
	}
	out = append(out, 'e')
	if exponent > 0 {
		out = append(out, '+')
	}
	return strconv.AppendInt(out, int64(exponent), 10)
}

func appendZeros(out []byte, count int) []byte {
	for ; count > 0; count-- {
		out = append(out, '0')
	}
	return out
}
