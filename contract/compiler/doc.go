// Package compiler finds the contract's declarations in a project's JavaScript and TypeScript, and makes the manifest
// of them (contract.md, Compiler and command line). It never runs a line of the project.
//
// Four steps, each in files of its own:
//
//   - The module graph (graph.go, resolve.go) is esbuild's: what a production build of the entries contains, lazy chunks
//     too.
//   - A module is looked at only if the graph says that it imports the package, or a module that hands on something of
//     the package's. It is stripped of its types by esbuild and parsed (module.go), and its names are resolved
//     (scope.go, analyze.go).
//   - Declarations are found by what is called, not by how it is spelled (find.go, reference.go), and their arguments
//     evaluated if they are constants (evaluate.go). Everything else is a Problem with a place and a remedy.
//   - What was found becomes declarations of package contract (declare.go), with what approved dependencies bring
//     (dependency.go), and that package makes the manifest.
package compiler
