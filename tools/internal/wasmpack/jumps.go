package wasmpack

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// The compiler can stop a function anywhere and go on later, so it makes of each one a loop around a table that leads
// to the parts of the function by their numbers. It also lets every jump within the function go that way:
//
//	i32.const 7  local.set 0  br $loop        and at the loop's start    local.get 0  br_table …
//
// Parts that come later can be gone to at once, which is less code and less work. What goes back still takes the table.

var errMore = errors.New("there is more code than that of the functions")

// numberLocal holds the number of the part to go to; it is the function's parameter, for going on where it stopped.
const numberLocal = 0

// directJumps rewrites the code section so that jumps forward need no table. Functions of another form, such as those
// written by hand, stay as they are.
func directJumps(section []byte) ([]byte, error) {
	in := &wasmfile.Input{Rest: section}
	count := in.Unsigned()
	out := binary.AppendUvarint(make([]byte, 0, len(section)), count)
	for i := range count {
		entry := in.Vector()
		locals, steps, err := readSteps(entry)
		if err := cmp.Or(in.Err, err); err != nil {
			return nil, fmt.Errorf("reading function %d: %w", i, err)
		}
		out = wasmfile.AppendVector(out, write(locals, conditional(direct(withoutNops(steps)))))
	}
	if in.Err != nil || len(in.Rest) > 0 {
		return nil, fmt.Errorf("reading the functions: %w", cmp.Or(in.Err, errMore))
	}
	return out, nil
}

func write(locals []byte, steps []step) []byte {
	entry := append([]byte{}, locals...)
	for _, s := range steps {
		entry = append(entry, s.bytes...)
	}
	return entry
}

// withoutNops leaves out the instructions that only mark places for a debugger.
func withoutNops(steps []step) []step {
	kept := steps[:0]
	for _, s := range steps {
		if s.op != opNop {
			kept = append(kept, s)
		}
	}
	return kept
}

// jumpTable is where a function finds its parts.
type jumpTable struct {
	at     int // the step that branches
	blocks int // how many end at the start of a part
	depths []uint64
}

// direct replaces the jumps forward. It changes nothing unless every branch to the table is a jump that it knows: the
// number that one leaves behind could be meant for another.
func direct(steps []step) []step {
	t, ok := findJumpTable(steps)
	if !ok {
		return steps
	}
	jumps, ok := t.jumps(steps)
	if !ok {
		return steps
	}
	kept := steps[:0]
	for i, s := range steps {
		if depth, ok := jumps[i]; ok {
			kept = append(kept[:len(kept)-2], branchOf(opBranch, depth)) // without the number and where it was kept
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

func findJumpTable(steps []step) (t jumpTable, ok bool) {
	reads := 0
	for i, s := range steps {
		switch {
		case s.op == opBranchTable && t.depths == nil:
			t = jumpTable{at: i, depths: s.depths}
		case s.op == opLocalTee && s.value == numberLocal:
			return t, false
		case s.op == opLocalGet && s.value == numberLocal:
			reads++
		}
	}
	if t.depths == nil || reads != 1 || t.at < 2 || !isLocal(steps[t.at-1], opLocalGet) {
		return t, false
	}
	for i := t.at - 2; i >= 0; i-- {
		if steps[i].op != opBlock {
			return t, steps[i].op == opLoop
		}
		t.blocks++
	}
	return t, false
}

func isLocal(s step, op byte) bool { return s.op == op && s.value == numberLocal }

// jumps gives, by the steps that go back to the table only to go forward from there, how many blocks out they could go
// instead. It fails if anything else goes to the table.
func (t jumpTable) jumps(steps []step) (jumps map[int]int64, ok bool) {
	jumps = map[int]int64{}
	ended, inner := 0, 0 // of the table's blocks those that have ended, and of others those that are open
	for i := t.at + 1; i < len(steps) && ended <= t.blocks; i++ {
		switch s := steps[i]; s.op {
		case opBlock, opLoop, opIf:
			inner++
		case opEnd:
			if inner > 0 {
				inner--
			} else {
				ended++
			}
		case opBranch, opBranchIf, opBranchTable:
			if !s.goes(int64(t.blocks - ended + inner)) {
				continue
			}
			if s.op != opBranch || !isLocal(steps[i-1], opLocalSet) || steps[i-2].op != opConst {
				return nil, false
			}
			if part := t.part(steps[i-2].value); part >= int64(ended) && part < int64(t.blocks) {
				jumps[i] = part - int64(ended) + int64(inner)
			}
		}
	}
	return jumps, true
}

// goes tells whether a branch can go out of depth blocks.
func (s step) goes(depth int64) bool {
	if s.op != opBranchTable {
		return s.value == depth
	}
	return slices.Contains(s.depths, uint64(depth))
}

// part is the block at whose end the part with that number starts.
func (t jumpTable) part(number int64) int64 {
	if last := int64(len(t.depths) - 1); number < 0 || number > last {
		number = last
	}
	return int64(t.depths[number])
}

// conditional makes one branch of a condition around nothing but a branch.
func conditional(steps []step) []step {
	kept := steps[:0]
	for _, s := range steps {
		kept = append(kept, s)
		if last := len(kept) - 3; last >= 0 && s.op == opEnd && kept[last].op == opIf &&
			kept[last+1].op == opBranch && kept[last+1].value > 0 {
			kept = append(kept[:last], branchOf(opBranchIf, kept[last+1].value-1))
		}
	}
	return kept
}
