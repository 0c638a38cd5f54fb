package wasmpack

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// instruction is how one instruction of the text format is encoded.
type instruction struct {
	code    byte
	operand operand
}

// operand is what follows an instruction.
type operand int

const (
	nothing operand = iota
	number
	local
	offset // "offset=N", which may be left out
	fill   // what makes 0xfc memory.fill, of memory 0
	opens  // a block; a name for branches may follow
	closes
	branch
	branches // names up to the end of the line
)

// instructions are those that the package's own functions use.
func instructions() map[string]instruction {
	return map[string]instruction{
		"block": {opBlock, opens}, "loop": {opLoop, opens}, "if": {opIf, opens}, "else": {opElse, nothing}, "end": {opEnd, closes},
		"br": {opBranch, branch}, "br_if": {opBranchIf, branch}, "br_table": {opBranchTable, branches},
		"local.get": {opLocalGet, local}, "local.set": {opLocalSet, local}, "local.tee": {opLocalTee, local},
		"i32.load": {0x28, offset}, "i32.load8_u": {0x2d, offset}, "i32.store": {0x36, offset}, "i64.store": {0x37, offset},
		"memory.fill": {0xfc, fill},
		"i32.const":   {opConst, number}, "i64.const": {0x42, number},
		"i32.eqz": {0x45, nothing}, "i32.ne": {0x47, nothing}, "i32.lt_u": {0x49, nothing}, "i32.gt_u": {0x4b, nothing},
		"i32.ge_s": {0x4e, nothing}, "i32.add": {0x6a, nothing}, "i32.sub": {0x6b, nothing}, "i32.mul": {0x6c, nothing},
		"i32.and": {0x71, nothing}, "i32.or": {0x72, nothing}, "i32.xor": {0x73, nothing}, "i32.shl": {0x74, nothing},
		"i32.shr_u": {0x76, nothing},
	}
}

const (
	typeI32   = 0x7f
	blockVoid = 0x40 // the type of a block without a result
)

// assemble translates one function without parameters and results, in the text format of WebAssembly with one
// instruction a line and locals of type i32, to an entry of the code section. Words in capitals stand for the numbers
// that are given.
func assemble(text string, numbers map[string]int) ([]byte, error) {
	a := assembler{known: instructions(), numbers: numbers}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, ";;")
		if err := a.line(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("assembling line %d: %w", i+1, err)
		}
	}
	if len(a.blocks) > 0 {
		return nil, fmt.Errorf("assembling: block %s is not closed", a.blocks[0])
	}
	function := binary.AppendUvarint([]byte{1}, uint64(len(a.locals)))
	return append(append(append(function, typeI32), a.code...), opEnd), nil
}

type assembler struct {
	known   map[string]instruction
	numbers map[string]int
	locals  []string
	blocks  []string // the open ones, the innermost last
	code    []byte
}

func (a *assembler) line(words []string) error {
	if len(words) == 0 || words[0] == "(func" || words[0] == ")" {
		return nil
	}
	if words[0] == "(local" {
		a.locals = append(a.locals, words[1])
		return nil
	}
	known, ok := a.known[words[0]]
	if !ok {
		return fmt.Errorf("unknown instruction %s", words[0])
	}
	a.code = append(a.code, known.code)
	if err := a.operand(known.operand, words[1:]); err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	return nil
}

func (a *assembler) operand(kind operand, words []string) error {
	word := strings.Join(words, " ")
	switch kind {
	case nothing:
		return nil
	case number:
		return a.number(word)
	case local:
		return a.local(word)
	case offset:
		return a.offset(strings.TrimPrefix(word, "offset="))
	case fill:
		a.code = append(a.code, 0x0b, 0)
		return nil
	case opens:
		a.blocks = append(a.blocks, word)
		a.code = append(a.code, blockVoid)
		return nil
	case closes:
		return a.closes()
	case branch:
		return a.branch(word)
	default:
		a.code = binary.AppendUvarint(a.code, uint64(len(words)-1)) // the last is for all other values
		for _, word := range words {
			if err := a.branch(word); err != nil {
				return err
			}
		}
		return nil
	}
}

func (a *assembler) number(word string) error {
	value, err := a.value(word)
	a.code = wasmfile.AppendSigned(a.code, int32(value))
	return err
}

func (a *assembler) value(word string) (int, error) {
	if value, ok := a.numbers[word]; ok {
		return value, nil
	}
	value, err := strconv.Atoi(word)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a number nor the name of one", word)
	}
	return value, nil
}

func (a *assembler) local(word string) error {
	i := slices.Index(a.locals, word)
	if i < 0 {
		return fmt.Errorf("there is no local %q", word)
	}
	a.code = binary.AppendUvarint(a.code, uint64(i))
	return nil
}

// offset writes where an access is, relative to the address, and that it may be at any address.
func (a *assembler) offset(word string) error {
	a.code = append(a.code, 0)
	if word == "" {
		word = "0"
	}
	value, err := a.value(word)
	a.code = binary.AppendUvarint(a.code, uint64(value))
	return err
}

func (a *assembler) closes() error {
	if len(a.blocks) == 0 {
		return fmt.Errorf("no block is open")
	}
	a.blocks = a.blocks[:len(a.blocks)-1]
	return nil
}

func (a *assembler) branch(word string) error {
	for depth, i := 0, len(a.blocks)-1; i >= 0; depth, i = depth+1, i-1 {
		if a.blocks[i] == word {
			a.code = binary.AppendUvarint(a.code, uint64(depth))
			return nil
		}
	}
	return fmt.Errorf("no block %q is open", word)
}
