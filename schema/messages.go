package schema

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// explain turns what the library says about one value into issues. Its own texts are not used: they hold the
// value, and their order varies.
func (w *walk) explain(err error) {
	var found *jsonschema.ValidationError
	if !errors.As(err, &found) {
		w.fail("does not match its schema")
		return
	}
	for _, cause := range found.Causes {
		w.fail(message(cause.ErrorKind))
	}
}

// message names the rule and its limit.
func message(found jsonschema.ErrorKind) string {
	switch k := found.(type) {
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s", plural(k.Want, "element"))
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s", plural(k.Want, "element"))
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %s", plural(k.Want, "character"))
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s", plural(k.Want, "character"))
	case *kind.Minimum:
		return "must be at least " + decimalText(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimalText(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be greater than " + decimalText(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimalText(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimalText(k.Want)
	case *kind.Format:
		return "must be " + formatPhrase(k.Want)
	case *kind.Pattern:
		if len(k.Got) > maxMatched {
			return fmt.Sprintf("must be at most %d bytes, the most that a pattern is matched against", maxMatched)
		}
		return "must match the pattern " + capability.Cut(k.Want, maxPhrase)
	}
	return "does not match its schema"
}

func plural(count int, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", count, noun)
}

// decimalText writes a limit of the schema, which always has a finite decimal form, in at most some 30
// characters.
func decimalText(limit *big.Rat) string {
	if limit.IsInt() && limit.Num().BitLen() <= 64 {
		return limit.Num().String()
	}
	if float, exact := limit.Float64(); exact {
		return fmt.Sprintf("%v", float)
	}
	return new(big.Float).SetPrec(100).SetRat(limit).Text('g', 20)
}
