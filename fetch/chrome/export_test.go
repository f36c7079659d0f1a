// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"context"
	"time"

	"example.com/curlew/fetch/render"
)

// Flags returns the flags of the program.
func Flags() map[string]any { return flags("127.0.0.1:9") }

// ProveWithoutProxy closes the proxy of the browser, and looks for traffic there.
func (b *Browser) ProveWithoutProxy(ctx context.Context) error {
	if err := b.guard.Close(); err != nil {
		return err
	}
	return b.prove(ctx)
}

// Kill kills the current process of the browser, if there is one.
func (b *Browser) Kill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current != nil {
		b.current.kill()
	}
}

// Recycle measures the memory of the browser once, and compares it with limit.
func (b *Browser) Recycle(limit int64) { b.recycle(limit) }

// Memory returns the memory of a group of processes.
func Memory(group int) int64 { return memory(group) }

// Pid returns the id of the current process of the browser.
func (b *Browser) Pid() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current.pid
}

// Settle waits until the tab for the next page is open.
func (b *Browser) Settle(ctx context.Context) {
	for {
		b.mu.Lock()
		var spare *tab
		if b.current != nil {
			spare = b.current.spare
		}
		b.mu.Unlock()
		if spare != nil {
			<-spare.opened
			return
		}
		if pause(ctx, 10*time.Millisecond) != nil {
			return
		}
	}
}

// Clip returns the size of the picture of a page, and the warnings.
func Clip(width, height float64) (w, h float64, warnings []string) {
	v := &view{request: new(render.Request)}
	clip := v.clip(width, height)
	return clip.Width, clip.Height, v.page.Warnings
}

// Fit makes a PNG that is too large smaller. It returns the warnings too.
func Fit(data []byte) (*render.Picture, []string, error) {
	v := new(view)
	p, err := v.fit(&render.Picture{Type: "image/png", Data: data})
	return p, v.page.Warnings, err
}

// DecodePNG returns the error for a PNG.
func DecodePNG(data []byte) error {
	_, err := decodePNG(data)
	return err
}
