// Package wasmfile reads and writes the outer form of a WebAssembly module: its sections, and the numbers in them.
package wasmfile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// header starts every module: the magic and version 1.
const header = "\x00asm\x01\x00\x00\x00"

// The ids of the sections that the tools look into.
const (
	Custom   = 0
	Type     = 1
	Import   = 2
	Function = 3
	Start    = 8
	Element  = 9
	Code     = 10
	Data     = 11
)

// Section is one part of a module, its content as it stands.
type Section struct {
	ID      byte
	Content []byte
}

// ErrShort says that a module ends too early.
var ErrShort = errors.New("the module ends in the middle of something")

// Input reads a section from the front. The first failure sticks, in Err: what is read after it is zero.
type Input struct {
	Rest []byte
	Err  error
}

// Fail makes err the failure, unless there is one already.
func (in *Input) Fail(err error) {
	if in.Err == nil {
		in.Err = err
	}
	in.Rest = nil
}

// Bytes takes the next n bytes, not copied.
func (in *Input) Bytes(n uint64) []byte {
	if in.Err != nil || n > uint64(len(in.Rest)) {
		in.Fail(ErrShort)
		return nil
	}
	taken := in.Rest[:n]
	in.Rest = in.Rest[n:]
	return taken
}

// Byte takes one byte.
func (in *Input) Byte() byte {
	if one := in.Bytes(1); one != nil {
		return one[0]
	}
	return 0
}

// Vector takes as many bytes as a number before them says.
func (in *Input) Vector() []byte { return in.Bytes(in.Unsigned()) }

// Unsigned takes an unsigned LEB128, which is what encoding/binary calls a uvarint.
func (in *Input) Unsigned() uint64 {
	value, n := binary.Uvarint(in.Rest)
	if in.Err != nil || n <= 0 {
		in.Fail(ErrShort)
		return 0
	}
	in.Rest = in.Rest[n:]
	return value
}

// Signed takes a signed LEB128 of at most 32 bits.
func (in *Input) Signed() int32 {
	var value int64
	for shift := 0; shift < 35; shift += 7 {
		b := in.Byte()
		value |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 {
				value |= -1 << (shift + 7)
			}
			return int32(value)
		}
	}
	in.Fail(errors.New("a signed number is too long"))
	return 0
}

// AppendSigned appends a signed LEB128.
func AppendSigned(out []byte, value int32) []byte {
	for {
		b := byte(value & 0x7f)
		value >>= 7
		if value == 0 && b&0x40 == 0 || value == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// AppendVector appends content after its length.
func AppendVector(out, content []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(content))), content...)
}

// Read splits a module into its sections, which share its bytes.
func Read(module []byte) ([]Section, error) {
	in := &Input{Rest: module}
	if got := in.Bytes(uint64(len(header))); string(got) != header {
		return nil, errors.New("it is not a WebAssembly module of version 1")
	}
	var sections []Section
	for len(in.Rest) > 0 {
		id := in.Byte()
		sections = append(sections, Section{id, in.Vector()})
	}
	if in.Err != nil {
		return nil, fmt.Errorf("reading its sections: %w", in.Err)
	}
	return sections, nil
}

// Write joins sections to a module.
func Write(sections []Section) []byte {
	out := []byte(header)
	for _, s := range sections {
		out = AppendVector(append(out, s.ID), s.Content)
	}
	return out
}
