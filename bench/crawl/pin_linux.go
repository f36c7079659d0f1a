// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startOn starts cmd on one processor if the machine has several.
func startOn(cmd *exec.Cmd, processor int) error {
	if runtime.NumCPU() < 2 {
		return cmd.Start()
	}
	// A child process inherits the processors of the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return cmd.Start()
	}
	one.Set(processor)
	if err := unix.SchedSetaffinity(0, &one); err == nil {
		defer func() { _ = unix.SchedSetaffinity(0, &before) }()
	}
	return cmd.Start()
}
