package wasmpack

import (
	"encoding/hex"
	"strings"
	"testing"
)

func TestAssemble(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "01007f0b"},
		{"locals", "(local $a i32) ;; one\n(local $b i32)\nlocal.get $b\nlocal.set $a\nlocal.tee $b", "01027f" + "200121002201" + "0b"},
		{"numbers", "i32.const 64\ni64.const -1\ni32.const PLACE", "01007f" + "41c000" + "427f" + "41c0843d" + "0b"},
		{"memory", "i32.load8_u\ni32.load offset=4\ni64.store offset=PLACE\nmemory.fill", "01007f" + "2d0000" + "280004" + "3700c0843d" + "fc0b00" + "0b"},
		{"blocks", "block $out\nloop $in\nbr_if $in\nif\nbr $out\nelse\nend\nend\nend", "01007f" + "0240" + "0340" + "0d00" + "0440" + "0c02" + "05" + "0b0b0b" + "0b"},
		{"a table of branches", "block $a\nblock $b\nbr_table $b $a $b\nend\nend", "01007f" + "02400240" + "0e02" + "000100" + "0b0b" + "0b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := assemble(test.text, map[string]int{"PLACE": 1_000_000})
			if err != nil || hex.EncodeToString(got) != test.want {
				t.Errorf("assemble = %x, %v; want %s", got, err, test.want)
			}
		})
	}
}

func TestAssembleNamesTheLine(t *testing.T) {
	tests := []struct{ name, text, says string }{
		{"an instruction", "\ni32.rotl", "line 2: unknown instruction i32.rotl"},
		{"a local", "local.get $x", `line 1: local.get: there is no local "$x"`},
		{"a number", "i32.const ELSEWHERE", `i32.const: "ELSEWHERE" is neither`},
		{"an offset", "i32.load offset=x", `"x" is neither`},
		{"a block", "block $a\nend\nbr $a", `line 3: br: no block "$a" is open`},
		{"an end", "end", "no block is open"},
		{"no end", "block $a", "block $a is not closed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := assemble(test.text, nil); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("assemble = %v; want an error with %q", err, test.says)
			}
		})
	}
}
