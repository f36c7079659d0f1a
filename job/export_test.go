// SPDX-License-Identifier: Apache-2.0

package job

import "example.com/curlew/crawl/frontier"

// OpenDisk opens a store on a disk of the test.
func OpenDisk(d disk) (*Files, error) { return openFiles(d, FileOptions{}) }

// OpenDiskWith is OpenDisk with options.
func OpenDiskWith(d disk, o FileOptions) (*Files, error) { return openFiles(d, o) }

// Heads returns one head of each type.
func Heads() [][]byte {
	commit := &frontier.Commit{Outcome: frontier.Delivered, Cost: 3, Blocked: []string{"http://a.example/", ""}}
	moved := &frontier.Commit{Outcome: frontier.Moved, Cost: -1}
	items, _ := itemsHead(sums{3, 1, 70}, 2, []Item{{Kind: Note, Data: []byte("pay")}, {Kind: Input, Data: []byte("load"), Cost: 1, Input: 9}})
	end, _ := encodeHead(endFrame, ending{State: Completed})
	return [][]byte{append(appendCommit(nil, sums{9, 0, -4}, commit), 2, 1, 1), appendCommit(nil, sums{}, moved), items, end}
}

// Decode returns the readable items of a frame.
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

// CrawlHeads returns crawl's head of a commit, decoded alone and decoded with
// the items before it, and whether each could be decoded.
func CrawlHeads(head []byte) (alone, whole []byte, okAlone, okWhole bool) {
	if len(head) == 0 || head[0] != commitFrame {
		return nil, nil, false, false
	}
	alone, err := crawlHead(head)
	okAlone = err == nil
	if f, err := decodeFrame(head); err == nil {
		whole, okWhole = f.crawl, true
	}
	return alone, whole, okAlone, okWhole
}

// Internals for the test of places.
type (
	Places = places
	Place  = place
)

// Missing is the index of a lost item.
const Missing = missing

func NewPlace(pos int64, index, input uint32) Place { return place{pos, index, input} }
func (p Place) Pos() int64                          { return p.pos }

func (l *Places) Add(p Place)                     { l.add(p) }
func (l *Places) Len() int                        { return l.n }
func (l *Places) Before(pos int64) int            { return l.before(pos) }
func (l *Places) Part(from, limit, n int) []Place { return l.part(from, limit, n) }

// Bytes returns the memory for the places if a pointer takes 8 bytes.
func (l *Places) Bytes() (n int) {
	for i := range l.pieces {
		n += 48 + cap(l.pieces[i].diffs) + 16*cap(l.pieces[i].blocks)
	}
	return n
}
