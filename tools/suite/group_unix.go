//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// group gives the program and all that it starts a process group of their own, and passes an interrupt on to each: the
// go command alone would not tell a test's runner to close its browser.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = patience
}
