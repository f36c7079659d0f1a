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
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// FileCache is a [Cache] in a directory, a file of mode 0600 for each value,
// that forgets the least recently used and lasts beyond the process. A file is
// written aside and then renamed: a process that dies leaves no half of one
// under its name. It is not synced: what a power cut tears or damages is found
// by its sum, and is then not there and removed. Other files in the directory
// are left alone. One process at a time has the directory.
//
// It keeps some 200 bytes in memory for each value.
type FileCache struct {
	root   *os.Root
	budget int64
	logger *slog.Logger

	mu     sync.Mutex
	held   lru       // guarded by mu
	writes uint64    // guarded by mu; to name files that are not whole yet
	quiet  time.Time // guarded by mu; until then nothing is put: the disk is full
}

// FileCacheOptions are what [OpenFileCache] may be told.
type FileCacheOptions struct {
	MaxBytes int64        // of all files, each rounded up to 4 KiB; zero means 1 GiB, -1 no bound. A value over a quarter of it is not kept
	Logger   *slog.Logger // damage, and files that cannot be read or written; nil is silent
}

// A file is a line of this form, and the value:
//
//	curlew-page/1 <CRC-32C of key and value> <length of the value> <key>
//
// all in hexadecimal, and of fixed width.
const (
	fileMagic  = "curlew-page/1"
	fileHead   = "%s %08x %016x %s\n"
	fileHeadOf = len(fileMagic) + 1 + 8 + 1 + 16 + 1 + 2*len(Key{}) + 1

	fileBlock = 4 << 10 // what a file takes at least
	asideSign = ".part" // ends the name of a file that is not whole yet
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errFile = errors.New("damaged cache file")

// OpenFileCache opens the cache in dir, which is made where it is not there. It
// looks at each name there once and reads no file; what was used last before is
// forgotten last. The caller closes it. Nil options are the zero FileCacheOptions.
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

// Close closes the directory. What was put is there when it is next opened.
func (c *FileCache) Close() error { return c.root.Close() }

// list finds what is there, and removes what was not finished or is too much.
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
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(a.used.Compare(b.used), bytes.Compare(a.key[:], b.key[:])) })
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range all {
		c.held.put(&all[i].held)
	}
	c.held.evict(c.budget, c.drop)
	return nil
}

// How a cache yields: so much of what it holds goes at once, and for so long
// nothing is put.
const (
	yieldBytes = 64 << 20
	yieldFor   = time.Minute
)

// Yield frees disk space for others: of the values, the least recently used half
// goes, and at least 64 MiB; for a minute nothing new is kept. A host calls it
// when its disk is full; the cache does so itself when it finds out.
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
		_ = c.root.Chtimes(k.String(), time.Time{}, time.Now()) // for the order at the next start
		return value, nil
	}
	if _, again := c.current(k, h); again {
		return c.Get(ctx, k) // it was put anew meanwhile
	}
	c.logger.WarnContext(ctx, "cache file not readable", "key", k, "err", err)
	c.remove(k, h)
	return nil, fmt.Errorf("%w: %w", ErrNotCached, err)
}

// current returns what k holds now, and whether that is something other than h.
func (c *FileCache) current(k Key, h *held) (*held, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.held.get(k)
	return now, now != nil && now != h
}

// remove forgets k where it is still h that it holds.
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
		return c.Delete(ctx, k) // what was there is not true any more
	}
	c.mu.Lock()
	if time.Now().Before(c.quiet) {
		c.mu.Unlock()
		return c.Delete(ctx, k) // the same
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
		// Under the lock, so that the last file under the name is the last held.
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

// drop removes the file of a key that is forgotten.
func (c *FileCache) drop(k Key) { c.unlink(k.String()) }

// unlink removes a file that nobody needs.
func (c *FileCache) unlink(name string) {
	if err := c.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.logger.Warn("cache file not removed", "err", err)
	}
}

// write makes a file of a value.
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

// read returns the value in the file of k, which has size bytes. The error wraps
// errFile where it is not whole.
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
		return nil, fmt.Errorf("%w: of another size", errFile)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, err
	}
	return decodeFile(k, b)
}

// encodeFileHead returns what stands before a value.
func encodeFileHead(k Key, value []byte) []byte {
	return fmt.Appendf(nil, fileHead, fileMagic, sum(k, value), len(value), k)
}

// decodeFile returns the value in the bytes of k's file. The error wraps errFile.
func decodeFile(k Key, b []byte) ([]byte, error) {
	if len(b) < fileHeadOf {
		return nil, fmt.Errorf("%w: too short", errFile)
	}
	value := b[fileHeadOf:]
	if !bytes.Equal(b[:fileHeadOf], encodeFileHead(k, value)) {
		return nil, fmt.Errorf("%w: head and value do not agree", errFile)
	}
	return value, nil
}

// sum returns the CRC-32C of a key and its value.
func sum(k Key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(k[:], castagnoli), castagnoli, value)
}

// blocks returns what a file of this size takes on disk.
func blocks(size int64) int64 { return (size + fileBlock - 1) / fileBlock * fileBlock }

// parseKey reads what Key.String writes.
func parseKey(s string) (k Key, ok bool) {
	if len(s) != 2*len(k) || strings.ToLower(s) != s {
		return k, false
	}
	_, err := hex.Decode(k[:], []byte(s))
	return k, err == nil
}
