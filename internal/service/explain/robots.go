// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"

	"example.com/curlew/crawl/robots"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/service/notices"
	"example.com/curlew/job"
)

// robotsItem is a stored robots.txt. The last item for a URL applies.
type robotsItem struct {
	URL         string
	Body        []byte `json:",omitempty"`
	Unreachable bool   `json:",omitempty"`
	Silence     string `json:",omitempty"`
	Lost        bool   `json:",omitempty"` // it was too large to store
}

// maxRobots limits the stored robots.txt files of a job, in bytes.
const maxRobots = 4 << 20

// Files returns the robots.txt files in the items of a crawl, by URL.
func Files(items []job.Item) map[string]scope.RobotsFile {
	files := map[string]scope.RobotsFile{}
	for _, it := range items {
		var r robotsItem
		if it.Err != nil || json.Unmarshal(it.Data, &r) != nil {
			continue // the file counts as unknown
		}
		if delete(files, r.URL); !r.Lost {
			files[r.URL] = scope.RobotsFile{URL: r.URL, Body: r.Body, Unreachable: r.Unreachable, Silence: r.Silence}
		}
	}
	return files
}

// Keeper stores the robots.txt files of a crawl with its job.
type Keeper struct {
	space job.Space

	mu   sync.Mutex
	kept map[string][sha256.Size]byte // guarded by mu; hash of the last stored version, by URL
	size int                          // guarded by mu; bytes written
}

// NewKeeper continues after the items that an earlier process stored.
func NewKeeper(ctx context.Context, space job.Space) (*Keeper, error) {
	k := &Keeper{space: space, kept: map[string][sha256.Size]byte{}}
	items, err := space.Items(ctx, job.Robots, 0, job.Unlimited)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		var r robotsItem
		if json.Unmarshal(it.Data, &r) == nil {
			k.kept[r.URL] = sha256.Sum256(it.Data)
		}
		k.size += len(it.Data)
	}
	return k, nil
}

// Keep stores a file; see [crawl.Trace]. If only its beginning was read, it adds a note for
// the warning of the job. It ignores errors of the store,
// because the crawl gets them for its own writes as well.
func (k *Keeper) Keep(ctx context.Context, f scope.RobotsFile) {
	data, err := json.Marshal(robotsItem{URL: f.URL, Body: f.Body, Unreachable: f.Unreachable, Silence: f.Silence})
	if err != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	last, known := k.kept[f.URL]
	if k.size+len(data) > maxRobots {
		if !known {
			return
		}
		if data, err = json.Marshal(robotsItem{URL: f.URL, Lost: true}); err != nil {
			return
		}
	}
	sum := sha256.Sum256(data)
	if known && sum == last {
		return
	}
	items := []job.Item{{Kind: job.Robots, Data: data}}
	if robots.Cut(f.Body) {
		items = append(items, job.Item{Kind: job.Note, Data: []byte(notices.RobotsCut(f.URL))})
	}
	if k.space.Append(ctx, items...) == nil {
		k.kept[f.URL] = sum
		k.size += len(data)
	}
}
