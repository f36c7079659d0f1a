// SPDX-License-Identifier: Apache-2.0

package chrome

// Kill kills the program that shows pages now.
func (b *Browser) Kill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.current.kill()
}

// Pid returns the process id of the program that shows pages now.
func (b *Browser) Pid() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current.pid
}
