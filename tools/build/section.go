package main

import (
	"encoding/binary"
	"slices"
)

// sectionName is the custom section of the wasm that holds the build id. The script reads it before it starts
// anything, so that a module of another build is named and never run, whatever it imports and exports.
const sectionName = "pagewarden"

// withID appends the section to a program:
//
//	0x00  size  length of the name  name  id   (size and length as unsigned LEB128)
func withID(wasm []byte, id string) []byte {
	content := binary.AppendUvarint(nil, uint64(len(sectionName)))
	content = append(content, sectionName+id...)
	wasm = append(slices.Clip(wasm), 0)
	wasm = binary.AppendUvarint(wasm, uint64(len(content)))
	return append(wasm, content...)
}
