package compiler

import (
	"github.com/pagewarden/pagewarden/contract"
)

// Options say what is compiled.
type Options struct {
	Project
	// Approved are the digests of dependencies by package, as approved before: 64 lower-case hex digits.
	Approved map[string]string
}

// Result is what a compilation found.
type Result struct {
	// Manifest is nil when there are problems.
	Manifest *contract.Manifest
	// Problems are in the order of their places; each keeps the contract from being complete.
	Problems []Problem
	// Notes are about what may surprise an author and is no problem.
	Notes []Problem
	// Modules are all modules of the graph, Parsed how many of them were parsed for declarations and constants.
	Modules, Parsed int
}
