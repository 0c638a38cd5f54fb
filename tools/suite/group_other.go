//go:build !unix

package main

import "os/exec"

// group kills the program on an interrupt; there are no process groups to ask politely here.
func group(cmd *exec.Cmd) {
	cmd.WaitDelay = patience
}
