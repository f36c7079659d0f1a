// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/weburl"
)

// dirName is the file of a crawl in its [Config.Dir].
const dirName = "crawl"

// dirFrontier is the frontier of a crawl that has a directory.
type dirFrontier struct {
	frontier.Frontier
	log  *journal.Log
	lock io.Closer
}

// openDir opens the frontier that c.Dir holds, or a new one if it holds none.
func openDir(c Config) (frontier.Frontier, error) {
	dir, lock, err := journal.OpenDir(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", c.Dir, err)
	}
	log, err := openDirLog(dir, c)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("directory %s: %w", c.Dir, err), lock.Close())
	}
	f, err := frontier.OpenFrontier(dirLog{log}, c.FrontierOptions())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("directory %s: %w", c.Dir, err), log.Close(), lock.Close())
	}
	return &dirFrontier{f, log, lock}, nil
}

// Close implements [frontier.Frontier]. It returns when all records are durable, or with
// the error that keeps them from it.
func (f *dirFrontier) Close() error {
	return errors.Join(f.Frontier.Close(), f.log.Close(), f.lock.Close())
}

// openDirLog opens the log of the crawl in dir, or a new one.
func openDirLog(dir journal.Dir, c Config) (*journal.Log, error) {
	header := journal.Header{Created: time.Now(), Config: c.identity()}
	log, err := journal.Open(dir, dirName)
	if errors.Is(err, journal.ErrCorrupt) && unborn(dir) {
		if err = dir.Remove(dirName); err == nil {
			err = fs.ErrNotExist
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return journal.Create(dir, dirName, header)
	case errors.Is(err, journal.ErrCorrupt):
		return nil, fmt.Errorf("%w: %w", frontier.ErrCorrupt, err)
	case err != nil:
		return nil, err
	case log.Header().Config != header.Config:
		return nil, errors.Join(fmt.Errorf("%w: it holds a crawl of another URL, or with other options for which pages belong to it", ErrConfig), log.Close())
	}
	return log, nil
}

// unborn reports whether the process ended while it made the log: no record was
// ever written.
func unborn(dir journal.Dir) bool {
	info, err := dir.Stat(dirName)
	return err == nil && info.Size() <= journal.HeaderSize
}

// dirLog is the [frontier.Log] of a crawl in a directory. It keeps no payload, which only
// the consumer has a use for.
type dirLog struct{ *journal.Log }

// Append implements [frontier.Log]. On a full disk it fails: the journal would keep the
// record in memory until there is room.
func (l dirLog) Append(head, _ []byte) (int64, error) {
	if err := l.Full(); err != nil {
		return 0, err
	}
	return l.Log.Append(head, nil)
}

// identity returns a hash of the options that decide which pages belong to the
// crawl. The others, such as Concurrency, may be different when it goes on.
func (c Config) identity() [sha256.Size]byte {
	c = c.withDefaults()
	url := c.URL
	if u, err := weburl.Parse(url); err == nil {
		url = u.WithoutUser().String() // a password may change
	}
	b, err := json.Marshal(struct {
		URL                                                          string
		Include, Exclude                                             []string
		FullURL                                                      bool
		MaxDepth                                                     *int
		Limit                                                        int
		Sitemap                                                      SitemapMode
		EntireDomain, Subdomains, External, IgnoreQuery, KeepSimilar bool
		Robots                                                       RobotsPolicy
		RobotsAgent                                                  string
		PageRobots, Ordered, List                                    bool
		Traps                                                        Traps
	}{
		url, c.Include, c.Exclude, c.FullURL, c.MaxDepth, c.Limit, c.Sitemap,
		c.EntireDomain, c.Subdomains, c.External, c.IgnoreQuery, c.KeepSimilar,
		c.Robots, c.RobotsAgent, c.PageRobots, c.Ordered, c.List, c.Traps,
	})
	if err != nil {
		panic(err) // numbers, texts and booleans
	}
	return sha256.Sum256(b)
}
