package wasmpack

import (
	"encoding/binary"
	"errors"
	"fmt"
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
	in := &input{rest: content}
	m := &image{}
	for n := in.unsigned(); n > 0 && in.err == nil; n-- {
		if in.unsigned() != 0 || in.byte() != opConst {
			in.fail(errSegment)
		}
		address := in.signed()
		if in.byte() != opEnd || address < 0 {
			in.fail(errSegment)
		}
		if text := in.bytes(in.unsigned()); in.err == nil {
			in.err = m.put(int(address), text)
		}
	}
	if in.err != nil {
		return nil, fmt.Errorf("reading its data: %w", in.err)
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
		body = appendSigned(append(body, 0, opConst), int32(at))
		body = binary.AppendUvarint(append(body, opEnd), uint64(end-at))
		body = append(body, m.bytes[at:end]...)
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
