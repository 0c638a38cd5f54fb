// Package capability is the vocabulary of pagewarden: the ids and their grammar, planes, kinds, effects,
// confirmation levels, consumers, JSON values, the closed set of error codes and the limits.
//
// Every other package imports it and it imports none of them. It holds no state.
package capability
