// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package chrome

import "os/exec"

// group does nothing on this system.
func group(*exec.Cmd) {}

// killGroup kills the program. Its child processes end with it.
func killGroup(c *exec.Cmd) {
	if c != nil && c.Process != nil {
		_ = c.Process.Kill()
	}
}
