// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"path"
	"strings"
)

// folder is the directory that pages are written to, one file for each URL.
type folder struct{ root *os.Root }

func newFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &folder{root}, nil
}

func (f *folder) Close() error { return f.root.Close() }

// write writes the page of a URL. os.Root prevents names outside the directory.
func (f *folder) write(address string, text []byte) error {
	name := fileName(address)
	if err := f.root.MkdirAll(path.Dir(name), 0o750); err != nil {
		return err
	}
	return f.root.WriteFile(name, text, 0o600)
}

// fileName returns the file name for a URL: the host, then the path, with .md.
// Characters that a file system might not accept are replaced. In that case,
// and if the URL has a query, the name ends in a hash of the URL, so that
// different URLs have different files.
func fileName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		u = &url.URL{Host: "other", Path: address} // net/url cannot parse all URLs that WHATWG allows
	}
	p := strings.TrimPrefix(u.Path, "/")
	if p == "" || strings.HasSuffix(p, "/") {
		p += "index"
	}
	changed := u.RawQuery != "" || err != nil
	var parts []string
	host := strings.NewReplacer(":", "_", "[", "", "]", "").Replace(u.Host)
	for part := range strings.SplitSeq(host+"/"+p, "/") {
		safe := strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				return r
			}
			return '_'
		}, part)
		if len(safe) > 100 {
			safe = safe[:100]
		}
		if safe = strings.Trim(safe, "."); safe == "" {
			safe = "_"
		}
		// A page and a directory may have the same name: the page is the file
		// with .md.
		changed = changed || safe != part
		parts = append(parts, safe)
	}
	name := path.Join(parts...)
	if changed {
		sum := sha256.Sum256([]byte(address))
		name += "-" + hex.EncodeToString(sum[:4])
	}
	return name + ".md"
}
