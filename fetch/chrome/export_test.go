// SPDX-License-Identifier: Apache-2.0

package chrome

// Kill kills the current process of the browser.
func (b *Browser) Kill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.current.kill()
}

// Pid returns the id of the current process of the browser.
func (b *Browser) Pid() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current.pid
}
