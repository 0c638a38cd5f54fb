package wasmpack

import (
	"encoding/binary"
	"fmt"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// The instructions that are looked for, or written; opConst and opEnd are beside the data that they lay out.
const (
	opNop         = 0x01
	opBlock       = 0x02
	opLoop        = 0x03
	opIf          = 0x04
	opElse        = 0x05
	opBranch      = 0x0c
	opBranchIf    = 0x0d
	opBranchTable = 0x0e
	opLocalGet    = 0x20
	opLocalSet    = 0x21
	opLocalTee    = 0x22
)

// step is one instruction of a function.
type step struct {
	op byte
	// value is the number of opConst, a local, or how many blocks out a branch goes; depths are those of a table, the
	// last for all other values.
	value  int64
	depths []uint64
	bytes  []byte // as it stands
}

// branchOf is a branch that goes out of as many blocks as depth says, and of the one around it.
func branchOf(op byte, depth int64) step {
	return step{op: op, value: depth, bytes: binary.AppendUvarint([]byte{op}, uint64(depth))}
}

// readSteps reads an entry of the code section: its locals as they stand, and its instructions.
func readSteps(entry []byte) (locals []byte, steps []step, err error) {
	in := &wasmfile.Input{Rest: entry}
	for range in.Unsigned() {
		in.Unsigned()
		in.Byte()
		if in.Err != nil {
			break
		}
	}
	locals = entry[:len(entry)-len(in.Rest)]
	for in.Err == nil && len(in.Rest) > 0 {
		steps = append(steps, readStep(in))
	}
	return locals, steps, in.Err
}

func readStep(in *wasmfile.Input) step {
	from := in.Rest
	s := step{op: in.Byte()}
	switch op := s.op; {
	case op == opBlock || op == opLoop || op == opIf || op == 0x3f || op == 0x40:
		in.Byte() // the type of a block, or the memory that is asked for its size
	case op == opBranch || op == opBranchIf || op == 0x10 || op >= opLocalGet && op <= 0x24:
		s.value = int64(in.Unsigned())
	case op == opBranchTable:
		s.depths = readDepths(in)
	case op == 0x11 || op >= 0x28 && op <= 0x3e:
		in.Unsigned()
		in.Unsigned()
	case op == opConst:
		s.value = int64(in.Signed())
	case op == 0x42:
		skipNumber(in)
	case op == 0x43:
		in.Bytes(4)
	case op == 0x44:
		in.Bytes(8)
	case op == 0xfc:
		readPrefixed(in)
	case !isPlain(op):
		in.Fail(fmt.Errorf("instruction %#x is not known", op))
	}
	if in.Err == nil {
		s.bytes = from[:len(from)-len(in.Rest)]
	}
	return s
}

// isPlain tells whether nothing follows an instruction.
func isPlain(op byte) bool {
	switch op {
	case 0x00, opNop, opElse, opEnd, 0x0f, 0x1a, 0x1b: // among them unreachable, return, drop and select
		return true
	}
	return op >= 0x45 && op <= 0xc4
}

func readDepths(in *wasmfile.Input) []uint64 {
	var depths []uint64
	for count := in.Unsigned() + 1; count > 0 && in.Err == nil; count-- {
		depths = append(depths, in.Unsigned())
	}
	return depths
}

// readPrefixed reads what follows 0xfc: a conversion that does not trap, or a copy or a fill of memory.
func readPrefixed(in *wasmfile.Input) {
	switch op := in.Unsigned(); {
	case op < 8:
	case op == 10:
		in.Bytes(2)
	case op == 11:
		in.Byte()
	default:
		in.Fail(fmt.Errorf("instruction 0xfc %d is not known", op))
	}
}

func skipNumber(in *wasmfile.Input) {
	for in.Byte()&0x80 != 0 {
	}
}
