// SPDX-License-Identifier: Apache-2.0

//go:build unix

package chrome

import (
	"os/exec"
	"syscall"
)

// group puts the program and its children into a process group of their own.
func group(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills all processes of the group that still run.
func killGroup(c *exec.Cmd) {
	if c != nil && c.Process != nil {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	}
}
