// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"example.com/curlew/format/diff"
)

// Changes are the options of the changeTracking form.
type Changes struct {
	GitDiff bool            // fill in ChangeTracking.Diff
	JSON    bool            // fill in ChangeTracking.JSON
	Schema  json.RawMessage `json:",omitempty"` // schema of the fields to compare; empty means the fields of the page's markup
	Prompt  string          // describes the fields to a model
	Tag     string          // separates histories of one page
	Owner   string          // such as a team; also separates histories
}

// ChangeTracking says how a page differs from its last snapshot.
type ChangeTracking struct {
	PreviousScrapeAt *string           `json:"previousScrapeAt"` // RFC 3339; null if the page is new
	ChangeStatus     string            `json:"changeStatus"`     // new, same, changed, removed
	Visibility       string            `json:"visibility"`       // visible or hidden
	Diff             *diff.Text        `json:"diff,omitempty"`   // only for a changed page
	JSON             map[string]Change `json:"json,omitempty"`   // fields that changed
}

// Change is the value of one field before and now. A value is null if the field was
// absent.
type Change struct {
	Previous json.RawMessage `json:"previous"`
	Current  json.RawMessage `json:"current"`
}

// maxSnapshot is the size limit of the Markdown in a snapshot, in bytes.
const maxSnapshot = 16 << 20

// makeChanges makes the changeTracking form. It compares the document's Markdown.
func makeChanges(ctx context.Context, b *builder) error {
	switch {
	case b.o.NoRetain:
		b.warnings.add("Changes are not tracked: the request allows nothing to be retained.")
		return nil
	case b.deps.Snapshots == nil:
		b.warnings.add("Changes are not tracked: no store for snapshots is configured.")
		return nil
	case b.doc.Markdown == nil:
		b.warnings.add("Changes are not tracked: that needs the markdown form.")
		return nil
	case len(*b.doc.Markdown) > maxSnapshot:
		b.warnings.add("Changes are not tracked: the page is too long.")
		return nil
	}
	const firstError, notFound, gone = 400, 404, 410 // as in net/http, which would be linked into programs without network
	status := b.page.in.StatusCode
	removed := status == notFound || status == gone
	if status >= firstError && !removed {
		b.warnings.add(fmt.Sprintf("Changes are not tracked: the page answered with status %d.", status))
		return nil
	}
	key := snapshotKey(b)
	last, err := b.deps.Snapshots.Last(ctx, key)
	if errors.Is(err, ErrNoSnapshot) {
		last, err = nil, nil
	}
	now := &Snapshot{Time: b.deps.now().UTC().Truncate(time.Millisecond), Markdown: *b.doc.Markdown}
	if b.o.Changes.JSON {
		now.Fields = fields(ctx, b)
	}
	if err == nil && !removed {
		err = b.deps.Snapshots.Save(ctx, key, now)
	}
	if err != nil {
		b.warnings.add("Changes are not tracked: the snapshots cannot be reached.")
		return nil //nolint:nilerr // the page itself is fine, and the warning says it
	}
	b.doc.ChangeTracking = compare(b, last, now, removed)
	return nil
}

// snapshotKey returns the key of the page's history.
func snapshotKey(b *builder) string {
	c := &b.o.Changes
	sum := sha256.New()
	parts := []string{c.Owner, cmp.Or(b.page.in.SourceURL, b.page.in.URL), c.Tag}
	if r := b.o.Redact; r != nil { // an unredacted snapshot must not show in a redacted difference
		parts = append(parts, fmt.Sprint(*r))
	}
	for _, part := range parts {
		fmt.Fprintf(sum, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// compare returns how now differs from last, which may be nil.
func compare(b *builder, last, now *Snapshot, removed bool) *ChangeTracking {
	c := &ChangeTracking{ChangeStatus: "new", Visibility: "visible"}
	if b.page.in.Hidden {
		c.Visibility = "hidden"
	}
	if last != nil {
		c.PreviousScrapeAt = new(last.Time.UTC().Format("2006-01-02T15:04:05.000Z"))
		c.ChangeStatus = "changed"
		if folded(last.Markdown) == folded(now.Markdown) {
			c.ChangeStatus = "same"
		}
	}
	if removed {
		c.ChangeStatus = "removed"
	}
	if last == nil || c.ChangeStatus == "removed" {
		return c
	}
	if b.o.Changes.GitDiff && c.ChangeStatus == "changed" {
		c.Diff = diff.New("previous", last.Markdown, "current", now.Markdown)
	}
	switch {
	case !b.o.Changes.JSON:
	case last.Fields == nil:
		b.warnings.add("The fields of changeTracking were not kept the last time: they are compared from now on.")
	default:
		c.JSON = map[string]Change{}
		names := maps.Clone(now.Fields)
		maps.Copy(names, last.Fields)
		for name := range names {
			if before, after := last.Fields[name], now.Fields[name]; !bytes.Equal(before, after) {
				c.JSON[name] = Change{before, after}
			}
		}
	}
	return c
}

// folded returns a hash of the words of a text. Images are left out, because their
// addresses often change with every visit.
func folded(markdown string) [sha256.Size]byte {
	var s strings.Builder
	for {
		before, rest, found := strings.Cut(markdown, "![")
		s.WriteString(before)
		if !found {
			break
		}
		_, target, ok := strings.Cut(rest, "](")
		end := strings.IndexAny(target, ")\n")
		if !ok || end < 0 || target[end] != ')' {
			s.WriteString("![")
			markdown = rest
			continue
		}
		markdown = target[end+1:]
	}
	return sha256.Sum256([]byte(strings.Join(strings.Fields(s.String()), " ")))
}

// fields returns the fields to compare. If there is a schema or a prompt, they are the
// values that a model has for it, or else the markup of the page. Otherwise they are
// the metadata of the page and the members of its product and menu.
func fields(ctx context.Context, b *builder) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if c := &b.o.Changes; len(c.Schema) > 0 || c.Prompt != "" {
		raw := null
		if found := extract(b, c.Schema); found != nil {
			var err error
			if raw, err = encode(found); err != nil {
				raw = null
			}
		}
		if reply := b.models.json(ctx, ChangesForm, c.Prompt, c.Schema, raw); reply != nil {
			raw = reply
		} else if w, why := b.models.writer(); w == nil {
			b.warnings.add(why + ": the fields of changeTracking were read from the page's markup.")
		}
		if raw, err := b.redactor.maskedJSON(raw); err == nil {
			var members map[string]json.RawMessage
			if json.Unmarshal(raw, &members) == nil {
				maps.Copy(all, members)
			}
		}
		return all
	}
	m := &b.doc.Metadata
	for name, text := range map[string]string{
		"title": m.Title, "description": m.Description, "keywords": m.Keywords, "language": m.Language,
		"publishedTime": m.PublishedTime, "modifiedTime": m.ModifiedTime, "author": m.Extra["author"],
	} {
		if text != "" {
			all[name], _ = json.Marshal(text) // encoding a string never fails
		}
	}
	product := b.doc.Product
	if product == nil {
		if p, _, ok := sold(&b.page); ok && maskedValue(&b.redactor, p) == nil {
			product = p
		}
	}
	if product != nil {
		if raw, err := json.Marshal(product); err == nil {
			flatten("product", raw, all)
		}
	}
	if m := b.doc.Menu; m != nil {
		if raw, err := json.Marshal(m); err == nil {
			flatten("menu", raw, all)
		}
	}
	return all
}

// maxFields is the limit of fields in one snapshot.
const maxFields = 5000

// flatten adds the values inside a JSON value that are not objects or arrays to fields,
// by their paths.
func flatten(path string, raw json.RawMessage, fields map[string]json.RawMessage) {
	if len(fields) >= maxFields {
		return
	}
	switch raw[0] {
	case '{':
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) == nil {
			for _, name := range sortedKeys(members) {
				flatten(path+"."+name, members[name], fields)
			}
		}
	case '[':
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) == nil {
			for i, item := range items {
				flatten(fmt.Sprintf("%s[%d]", path, i), item, fields)
			}
		}
	default:
		fields[path] = raw
	}
}
