// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

import "os/exec"

// startOn starts cmd, because only Linux lets a program choose the processor.
func startOn(cmd *exec.Cmd, _ int) error { return cmd.Start() }
