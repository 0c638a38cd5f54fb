package wasmpack

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// header starts every module: the magic and version 1.
const header = "\x00asm\x01\x00\x00\x00"

// dataSection is the id of the section that fills the memory before the module starts.
const dataSection = 11

// section is one part of a module, its content as it stands.
type section struct {
	id      byte
	content []byte
}

var errShort = errors.New("the module ends in the middle of something")

// input reads a module from the front. The first failure sticks: everything read after it is zero.
type input struct {
	rest []byte
	err  error
}

func (in *input) bytes(n uint64) []byte {
	if in.err != nil || n > uint64(len(in.rest)) {
		in.fail(errShort)
		return nil
	}
	taken := in.rest[:n]
	in.rest = in.rest[n:]
	return taken
}

func (in *input) fail(err error) {
	if in.err == nil {
		in.err = err
	}
	in.rest = nil
}

func (in *input) byte() byte {
	if one := in.bytes(1); one != nil {
		return one[0]
	}
	return 0
}

// unsigned reads an unsigned LEB128, which is what encoding/binary calls a uvarint.
func (in *input) unsigned() uint64 {
	value, n := binary.Uvarint(in.rest)
	if in.err != nil || n <= 0 {
		in.fail(errShort)
		return 0
	}
	in.rest = in.rest[n:]
	return value
}

// signed reads a signed LEB128 of at most 32 bits.
func (in *input) signed() int32 {
	var value int64
	for shift := 0; shift < 35; shift += 7 {
		b := in.byte()
		value |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 {
				value |= -1 << (shift + 7)
			}
			return int32(value)
		}
	}
	in.fail(errors.New("a signed number is too long"))
	return 0
}

// appendSigned appends a signed LEB128.
func appendSigned(out []byte, value int32) []byte {
	for {
		b := byte(value & 0x7f)
		value >>= 7
		if value == 0 && b&0x40 == 0 || value == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func readSections(module []byte) ([]section, error) {
	in := &input{rest: module}
	if got := in.bytes(uint64(len(header))); string(got) != header {
		return nil, errors.New("it is not a WebAssembly module of version 1")
	}
	var sections []section
	for len(in.rest) > 0 {
		id := in.byte()
		sections = append(sections, section{id, in.bytes(in.unsigned())})
	}
	if in.err != nil {
		return nil, fmt.Errorf("reading its sections: %w", in.err)
	}
	return sections, nil
}

func writeSections(sections []section) []byte {
	out := []byte(header)
	for _, s := range sections {
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(s.content)))
		out = append(out, s.content...)
	}
	return out
}
