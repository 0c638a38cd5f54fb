package wasmpack

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

const (
	// maxImage bounds what a module may fill before it starts, in bytes; a runtime has about four million.
	maxImage = 64 << 20
	// gap is the number of zeros that end a segment. A shorter run costs nearly nothing once compressed, while each
	// segment costs seven bytes that compress badly and a step at start-up.
	gap = 512

	opConst = 0x41 // i32.const
	opEnd   = 0x0b
)

// image is what the memory holds when the module starts.
type image struct {
	bytes []byte // from address 0
}

var errSegment = errors.New("a segment is not at a constant address of memory 0")

// readData lays out a data section whose segments all have a constant address in the only memory.
func readData(content []byte) (*image, error) {
	in := &wasmfile.Input{Rest: content}
	m := &image{}
	for n := in.Unsigned(); n > 0 && in.Err == nil; n-- {
		if in.Unsigned() != 0 || in.Byte() != opConst {
			in.Fail(errSegment)
		}
		address := in.Signed()
		if in.Byte() != opEnd || address < 0 {
			in.Fail(errSegment)
		}
		if text := in.Vector(); in.Err == nil {
			in.Err = m.put(int(address), text)
		}
	}
	if in.Err != nil {
		return nil, fmt.Errorf("reading its data: %w", in.Err)
	}
	return m, nil
}

func (m *image) put(address int, text []byte) error {
	end := address + len(text)
	if end > maxImage {
		return fmt.Errorf("its data reaches %d bytes; expected at most %d", end, maxImage)
	}
	if end > len(m.bytes) {
		m.bytes = append(m.bytes, make([]byte, end-len(m.bytes))...)
	}
	copy(m.bytes[address:], text)
	return nil
}

// write makes a data section of the fewest segments that have no gap inside.
func (m *image) write() []byte {
	var body []byte
	count := uint64(0)
	for at := m.skipZeros(0); at < len(m.bytes); count++ {
		end := m.endOfSegment(at)
		body = wasmfile.AppendSigned(append(body, 0, opConst), int32(at))
		body = wasmfile.AppendVector(append(body, opEnd), m.bytes[at:end])
		at = m.skipZeros(end)
	}
	return append(binary.AppendUvarint(nil, count), body...)
}

func (m *image) skipZeros(at int) int {
	for at < len(m.bytes) && m.bytes[at] == 0 {
		at++
	}
	return at
}

// endOfSegment is just after the last byte before the next gap.
func (m *image) endOfSegment(start int) int {
	end := start
	for at := start; at < len(m.bytes) && at-end < gap; at++ {
		if m.bytes[at] != 0 {
			end = at + 1
		}
	}
	return end
}
