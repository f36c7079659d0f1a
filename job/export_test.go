// SPDX-License-Identifier: Apache-2.0

package job

import "example.com/curlew/crawl"

// OpenDisk opens a store on a disk that a test has made.
func OpenDisk(d disk) (*Files, error) { return openFiles(d, FileOptions{}) }

// OpenDiskWith is OpenDisk with options.
func OpenDiskWith(d disk, o FileOptions) (*Files, error) { return openFiles(d, o) }

// Heads returns one head of each type.
func Heads() [][]byte {
	commit := &crawl.Commit{Outcome: crawl.Delivered, Cost: 3, Blocked: []string{"http://a.example/", ""}}
	moved := &crawl.Commit{Outcome: crawl.Moved, Cost: -1}
	items, _ := itemsHead(sums{3, 1, 70}, 2, []Item{{Kind: Note, Data: []byte("pay")}, {Kind: Input, Data: []byte("load"), Cost: 1, Input: 9}})
	end, _ := encodeHead(endFrame, ending{State: Completed})
	return [][]byte{append(appendCommit(nil, sums{9, 0, -4}, commit), 2, 1, 1), appendCommit(nil, sums{}, moved), items, end}
}

// Decode returns the items of a frame that can be read.
func Decode(head, blob []byte) (list []Item) {
	f, err := decodeFrame(head)
	if err != nil {
		return nil
	}
	for n := range f.items {
		if it, err := f.item(n, blob); err == nil {
			list = append(list, it)
		}
	}
	if _, err := f.item(len(f.items), blob); err == nil {
		panic("an item past the last")
	}
	return list
}
