// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
)

// TestSilentLoss damages the documents of the development set, a part at a
// time: it is missing, empty or cut in half. Whatever words that costs, the
// tree must have a warning that the whole document has not.
func TestSilentLoss(t *testing.T) {
	for _, path := range damageable(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
				silentParts(t, filepath.Base(path), data)
				return
			}
			for n := 4; n < 9; n++ { // less of a message may be a whole one
				notSilent(t, filepath.Base(path), "cut", data, data[:len(data)*n/9])
			}
		})
	}
}

// damageable returns the documents of the development set whose damage can be seen. A text
// or a simple message that is cut is a whole one.
func damageable(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"*/*.docx", "*/*.pptx", "*/*.xlsx", "*/*.xlsb", "*/*.epub", "*/*.od?", "*/*attachment.eml", "*/*.msg", "*/*.doc", "*/*.ppt", "*/*.xls"} {
		files, err := filepath.Glob("../../shared/corpora/office-dev/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, files...)
	}
	if len(list) == 0 {
		t.Skip("no development documents beside the checkout")
	}
	return list
}

func silentParts(t *testing.T, name string, data []byte) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range archive.File {
		if f.FileInfo().IsDir() {
			continue
		}
		for _, harm := range []string{"missing", "empty", "half"} {
			notSilent(t, name, harm+" "+f.Name, data, repack(t, archive, i, harm))
		}
	}
}

// repack writes the archive again with one part damaged.
func repack(t *testing.T, archive *zip.Reader, part int, harm string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, f := range archive.File {
		if i != part {
			if err := w.Copy(f); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if harm == "missing" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		content = content[:len(content)/2]
		if harm == "empty" {
			content = nil
		}
		into, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: f.Method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := into.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func notSilent(t *testing.T, name, harm string, whole, damaged []byte) {
	t.Helper()
	words, notes, err := reading(t.Context(), name, whole)
	if err != nil {
		return
	}
	left, said, err := reading(t.Context(), name, damaged)
	if err != nil {
		return // an error is no silence
	}
	var lost []string
	for w, n := range words {
		if left[w] < n {
			lost = append(lost, w)
		}
	}
	slices.Sort(lost)
	if len(lost) == 0 || slices.ContainsFunc(said, func(w parse.Warning) bool { return !slices.Contains(notes, w) }) {
		return
	}
	t.Errorf("%s: %s: lost %d words in silence: %.80q", name, harm, len(lost), lost)
}

func reading(ctx context.Context, name string, data []byte) (map[string]int, []parse.Warning, error) {
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Bytes(name, data), nil)
	if err != nil {
		return nil, nil, err
	}
	words := map[string]int{}
	for n := range tree.Root.Descendants() {
		if n.Type == html.TextNode {
			for w := range strings.FieldsSeq(n.Data) {
				words[w]++
			}
		}
		for _, a := range n.Attr {
			if a.Key == "href" || a.Key == "src" || a.Key == "alt" {
				words[a.Key+"="+a.Val]++
			}
		}
	}
	return words, tree.Warnings, nil
}
