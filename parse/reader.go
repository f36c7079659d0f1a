// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Reader adds a kind of document to an [Engine] or replaces its built-in
// reader of that kind.
//
// If Match is set, it alone decides whether a document is of the kind. If
// Match is nil, Extensions and Types decide, but only for documents that
// [Detect] takes for text, CSV, TSV, JSON, XML or Markdown, or does not
// recognise. A Reader for a built-in kind needs none of the three.
type Reader struct {
	Kind       Kind                   // a new name, or one of the constants
	Extensions []string               // extensions of file names with the dot, such as ".ipynb"; case is ignored
	Types      []string               // media types without parameters, such as "application/x-ipynb+json"
	Match      func(head []byte) bool // gets the first 4 KiB; if nil, Extensions and Types decide

	// Read returns the tree of src. Data and Size of src are set. The engine
	// sets Tree.Kind and checks Limits.Nodes. An error should wrap one of
	// [ErrUnsupported], [ErrEncrypted], [ErrCorrupt] and [ErrLimit]. A panic
	// becomes [ErrCorrupt]. Read runs in this process even if
	// [Engine].Isolate is set. Several goroutines may call it at once.
	Read func(ctx context.Context, src Source) (*Tree, error)
}

// names reports whether r.Extensions or r.Types contains the name or type of
// src.
func (r *Reader) names(src Source) bool {
	same := func(s string) func(string) bool {
		return func(t string) bool { return s != "" && strings.EqualFold(s, t) }
	}
	mediaType, _, err := mime.ParseMediaType(src.ContentType)
	return slices.ContainsFunc(r.Extensions, same(path.Ext(src.Name))) || err == nil && slices.ContainsFunc(r.Types, same(mediaType))
}

// Detect is like [Detect] but also detects the kinds of e.Readers.
func (e *Engine) Detect(src Source) Detection { return detect(src, e.Readers) }

// detect detects the kind of src, including those of the readers in more. A
// Match function that panics matches nothing.
func detect(src Source, more []Reader) Detection {
	d := Detect(src)
	if len(more) == 0 || d.Err != nil {
		return d
	}
	x := exhibit{src: src}
	if x.src.measure(Unlimited) != nil {
		return d
	}
	head, err := x.bytes(0, headSize)
	if err != nil {
		return Detection{Err: err}
	}
	for i := range more {
		r := &more[i]
		named := r.names(src)
		if named {
			d.Declared = r.Kind
		}
		switch {
		case r.Match != nil && r.matches(head):
			return Detection{Kind: r.Kind, Confidence: 1, Declared: d.Declared, Evidence: "matched by its reader"}
		case r.Match == nil && named && !d.Encrypted && !d.broken && len(head) > 0 && (d.Kind == "" || d.Kind.isText() && d.Kind != HTML):
			return Detection{Kind: r.Kind, Confidence: .8, Declared: r.Kind, Evidence: "name or type, by declaration"}
		}
	}
	return d
}

func (r *Reader) matches(head []byte) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return r.Match(bytes.Clone(head))
}

// reader adapts r to the type of the built-in readers.
func (r *Reader) reader() reader {
	return reader{r.Kind, func(ctx context.Context, in *input) (*Tree, error) {
		if r.Read == nil {
			return nil, fmt.Errorf("%w: the reader of %s has no Read", ErrUnsupported, r.Kind)
		}
		src := in.Source
		src.Data, src.Size = bytes.NewReader(in.data), int64(len(in.data))
		tree, err := r.Read(ctx, src)
		switch {
		case err != nil:
			return nil, err
		case tree == nil || tree.Root == nil:
			return nil, fmt.Errorf("reader of %s returned no tree", r.Kind)
		case tree.Root.Type != html.DocumentNode:
			return nil, fmt.Errorf("reader of %s: %w", r.Kind, errRoot)
		}
		nodes := 0
		for range tree.Root.Descendants() {
			if nodes++; nodes > in.limits.Nodes {
				return nil, &LimitError{Name: "nodes", Value: int64(in.limits.Nodes)}
			}
		}
		own := *tree // the reader may return the same tree again
		own.Warnings = slices.Clip(own.Warnings)
		return &own, nil
	}}
}

var errRoot = errors.New("root of the tree is not a document node")

// readerOf returns the reader for a kind. Readers of the caller come before
// built-in ones; own is true for a built-in reader.
func readerOf(kind Kind, more []Reader) (r reader, own, ok bool) {
	for i := range more {
		if more[i].Kind == kind {
			return more[i].reader(), false, true
		}
	}
	all := readers()
	if i := slices.IndexFunc(all, func(r reader) bool { return r.kind == kind }); i >= 0 {
		return all[i], true, true
	}
	return reader{}, false, false
}

// isOurs reports whether a built-in reader reads documents of a kind.
func isOurs(kind Kind, more []Reader) bool {
	return !slices.ContainsFunc(more, func(r Reader) bool { return r.Kind == kind })
}
