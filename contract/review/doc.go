// Package review says what differs between two contracts, and what a difference means for agents (contract.md, Compiler
// and command line). A Report is all that the command line knows; human, json, md and github are renderings of it.
package review
