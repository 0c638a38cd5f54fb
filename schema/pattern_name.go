package schema

import "unicode"

// groupName reads the name of a group and its ">".
func (p *patternParser) groupName() (string, error) {
	var name []rune
	for !p.skip(">") {
		if p.ended() {
			return "", p.syntaxError("an unclosed group name")
		}
		r := p.next()
		if r == '\\' {
			escaped, ok, err := p.unicodeEscape()
			if err != nil || !ok {
				return "", p.syntaxError("a bad escape in a group name")
			}
			r = escaped
		}
		if !isNameRune(r, len(name) == 0) {
			return "", p.syntaxError("a group name with a character that no identifier has")
		}
		name = append(name, r)
	}
	if len(name) == 0 {
		return "", p.syntaxError("an empty group name")
	}
	return string(name), nil
}

// isNameRune is IdentifierStartChar or IdentifierPartChar of ECMA-262.
func isNameRune(r rune, first bool) bool {
	if r == '$' || r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) {
		return true
	}
	return !first && (r == 0x200C || r == 0x200D ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue))
}
