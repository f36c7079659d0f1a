// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// FileCache is a [Cache] in a directory. Each value is a file of mode 0600. The
// cache evicts the least recently used values and survives the process. A file
// is written under a temporary name and then renamed, so a crash leaves no
// partial file under its final name. Files are not synced: a file that a power
// failure damaged is detected by its checksum and removed. Other files in the
// directory are not touched. Only one process at a time may use the directory.
//
// The cache needs about 200 bytes of memory for each value.
type FileCache struct {
	root   *os.Root
	budget int64
	logger *slog.Logger

	mu     sync.Mutex
	held   lru       // guarded by mu
	writes uint64    // guarded by mu; numbers the temporary files
	quiet  time.Time // guarded by mu; nothing is stored until then, because the disk is full
}

// FileCacheOptions are the options of [OpenFileCache].
type FileCacheOptions struct {
	// MaxBytes limits the total size of the files, each rounded up to 4 KiB.
	// Zero means 1 GiB, -1 means no limit. A value over a quarter of it is not
	// stored.
	MaxBytes int64
	Logger   *slog.Logger // reports damaged, unreadable and unwritable files; nil discards the reports
}

// A file is a line of this form, followed by the value:
//
//	curlew-page/1 <CRC-32C of key and value> <length of the value> <key>
//
// The numbers are hexadecimal and of fixed width.
const (
	fileMagic  = "curlew-page/1"
	fileHead   = "%s %08x %016x %s\n"
	fileHeadOf = len(fileMagic) + 1 + 8 + 1 + 16 + 1 + 2*len(Key{}) + 1

	fileBlock = 4 << 10 // the smallest space that a file takes on disk
	asideSign = ".part" // suffix of temporary files
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errFile = errors.New("damaged cache file")

// OpenFileCache opens the cache in dir and creates the directory if it is
// missing. It lists the directory once and reads no file. The time of the last
// use is kept across restarts. The caller must close the cache. Nil options
// mean the zero FileCacheOptions.
func OpenFileCache(dir string, how *FileCacheOptions) (*FileCache, error) {
	var o FileCacheOptions
	if how != nil {
		o = *how
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	c := &FileCache{root: root, budget: budget(o.MaxBytes, 1<<30), logger: o.Logger}
	if c.logger == nil {
		c.logger = slog.New(slog.DiscardHandler)
	}
	if err := c.list(); err != nil {
		return nil, fmt.Errorf("open cache: %w", errors.Join(err, root.Close()))
	}
	return c, nil
}

// Close closes the directory. The stored values remain.
func (c *FileCache) Close() error { return c.root.Close() }

// list finds the stored files, and removes temporary files and those over the
// limit.
func (c *FileCache) list() error {
	dir, err := c.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	type found struct {
		held
		used time.Time
	}
	var all []found
	for {
		entries, err := dir.ReadDir(1024)
		for _, e := range entries {
			name, aside := strings.CutSuffix(e.Name(), asideSign)
			name, _, _ = strings.Cut(name, "-")
			key, ok := parseKey(name)
			if !ok || !e.Type().IsRegular() {
				continue
			}
			if aside {
				c.unlink(e.Name())
				continue
			}
			if info, err := e.Info(); err == nil && e.Name() == name {
				all = append(all, found{held{key: key, cost: blocks(info.Size()), size: info.Size()}, info.ModTime()})
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(a.used.Compare(b.used), bytes.Compare(a.key[:], b.key[:])) < 0
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range all {
		c.held.put(&all[i].held)
	}
	c.held.evict(c.budget, c.drop)
	return nil
}

// When a cache yields, it removes a part of its values and stores nothing for a
// while.
const (
	yieldBytes = 64 << 20
	yieldFor   = time.Minute
)

// Yield frees disk space for others. It removes the least recently used half of
// the values, or at least 64 MiB, and stores nothing for a minute. A program
// calls it when its disk is full. The cache does so itself if a write fails for
// that reason.
func (c *FileCache) Yield() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.quiet = time.Now().Add(yieldFor)
	c.held.evict(max(0, c.held.total-max(c.held.total/2, yieldBytes)), c.drop)
}

// Get implements [Cache].
func (c *FileCache) Get(ctx context.Context, k Key) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	h := c.held.get(k)
	c.mu.Unlock()
	if h == nil {
		return nil, ErrNotCached
	}
	value, err := c.read(k, h.size)
	if err == nil {
		_ = c.root.Chtimes(k.String(), time.Time{}, time.Now()) // keeps the order of use across restarts
		return value, nil
	}
	if _, again := c.current(k, h); again {
		return c.Get(ctx, k) // the value was replaced in the meantime
	}
	c.logger.WarnContext(ctx, "cache file not readable", "key", k, "err", err)
	c.remove(k, h)
	return nil, fmt.Errorf("%w: %w", ErrNotCached, err)
}

// current returns what k holds now, and whether it differs from h.
func (c *FileCache) current(k Key, h *held) (*held, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.held.get(k)
	return now, now != nil && now != h
}

// remove deletes k if it still holds h.
func (c *FileCache) remove(k Key, h *held) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held.get(k) == h {
		c.held.remove(k)
		c.drop(k)
	}
}

// Put implements [Cache].
func (c *FileCache) Put(ctx context.Context, k Key, value []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	size := int64(fileHeadOf + len(value))
	if blocks(size) > c.budget/valueShare {
		return c.Delete(ctx, k) // the old value is outdated
	}
	c.mu.Lock()
	if time.Now().Before(c.quiet) {
		c.mu.Unlock()
		return c.Delete(ctx, k) // the old value is outdated
	}
	c.writes++
	aside := k.String() + "-" + strconv.FormatUint(c.writes, 10) + asideSign
	c.mu.Unlock()
	err := c.write(aside, k, value)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		c.Yield()
	}
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		// Renaming under the lock makes sure that the file belongs to the last
		// held value.
		if err = c.root.Rename(aside, k.String()); err == nil {
			c.held.put(&held{key: k, cost: blocks(size), size: size})
			c.held.evict(c.budget, c.drop)
			return nil
		}
	}
	c.unlink(aside)
	c.logger.WarnContext(ctx, "cache file not written", "key", k, "err", err)
	return fmt.Errorf("cache: %w", err)
}

// Delete implements [Cache].
func (c *FileCache) Delete(ctx context.Context, k Key) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held.remove(k) {
		c.drop(k)
	}
	return nil
}

// drop removes the file of an evicted key.
func (c *FileCache) drop(k Key) { c.unlink(k.String()) }

// unlink removes a file.
func (c *FileCache) unlink(name string) {
	if err := c.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.logger.Warn("cache file not removed", "err", err)
	}
}

// write writes a value to a file.
func (c *FileCache) write(name string, k Key, value []byte) error {
	f, err := c.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(encodeFileHead(k, value))
	if err == nil {
		_, err = f.Write(value)
	}
	return errors.Join(err, f.Close())
}

// read returns the value in the file of k, which has size bytes. If the file is
// damaged, the error wraps errFile.
func (c *FileCache) read(k Key, size int64) ([]byte, error) {
	f, err := c.root.Open(k.String())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != size || size > int64(fileHeadOf+MaxCached) {
		return nil, fmt.Errorf("%w: unexpected size", errFile)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, err
	}
	return decodeFile(k, b)
}

// encodeFileHead returns the line that precedes a value.
func encodeFileHead(k Key, value []byte) []byte {
	return fmt.Appendf(nil, fileHead, fileMagic, sum(k, value), len(value), k)
}

// decodeFile returns the value in the contents of k's file. The error wraps
// errFile.
func decodeFile(k Key, b []byte) ([]byte, error) {
	if len(b) < fileHeadOf {
		return nil, fmt.Errorf("%w: too short", errFile)
	}
	value := b[fileHeadOf:]
	if !bytes.Equal(b[:fileHeadOf], encodeFileHead(k, value)) {
		return nil, fmt.Errorf("%w: head and body do not belong together", errFile)
	}
	return value, nil
}

// sum returns the CRC-32C of a key and its value.
func sum(k Key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(k[:], castagnoli), castagnoli, value)
}

// blocks returns the disk space of a file of this size.
func blocks(size int64) int64 { return (size + fileBlock - 1) / fileBlock * fileBlock }

// parseKey parses the output of Key.String.
func parseKey(s string) (k Key, ok bool) {
	if len(s) != 2*len(k) || strings.ToLower(s) != s {
		return k, false
	}
	_, err := hex.Decode(k[:], []byte(s))
	return k, err == nil
}
