// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/pdf/object"
)

// Bounds on embedded files.
const (
	maxFiles    = 100    // files that are listed
	maxFileRefs = 10_000 // file specifications of pages that are looked at
)

// attachment is a file that is embedded in the document (ISO 32000-1,
// 7.11.4).
type attachment struct {
	name, about, media string
	stream             *object.Stream
	source             bool // the document was created from this file
}

// attachments returns the embedded files of the document without duplicates:
// first those that the catalog lists, then those attached to pages. more
// counts the files that are not listed, and next is the name of the first of
// these.
func (d *reader) attachments() (out []attachment, more int, next string) {
	seen := map[*object.Stream]bool{}
	take := func(key string, o object.Object) {
		if a, ok := d.attachment(key, o); ok && !seen[a.stream] {
			seen[a.stream] = true
			switch {
			case len(out) < maxFiles:
				out = append(out, a)
			case more == 0:
				more, next = 1, a.name
			default:
				more++
			}
		}
	}
	catalog := d.file.Catalog()
	names := nameTree{file: d.file, yield: take}
	names.walk(d.file.Dict(catalog["Names"])["EmbeddedFiles"])
	associated := d.file.Array(catalog["AF"]) // associated files (ISO 32000-2, 14.13)
	for _, list := range []object.Array{associated[:min(len(associated), maxFileRefs)], d.files} {
		for _, o := range list {
			take("", o)
		}
	}
	return out, more + d.filesLeft + max(0, len(associated)-maxFileRefs), next
}

// attachment reads a file specification dictionary. ok is false if the file
// is not embedded in the document.
func (d *reader) attachment(key string, o object.Object) (a attachment, ok bool) {
	spec := d.file.Dict(o)
	files := d.file.Dict(spec["EF"])
	for _, k := range []object.Name{"UF", "F", "Unix", "Mac", "DOS"} {
		if a.stream = d.file.Stream(files[k]); a.stream != nil {
			break
		}
	}
	if a.stream == nil {
		return a, false
	}
	for _, k := range []object.Name{"UF", "F", "Unix", "Mac", "DOS"} {
		if a.name = line(d.file.Text(spec[k])); a.name != "" {
			break
		}
	}
	if a.name == "" {
		a.name = line(object.Text(key))
	}
	if i := strings.LastIndexAny(a.name, `/\`); i >= 0 {
		a.name = a.name[i+1:]
	}
	if a.name == "" {
		a.name = "unnamed"
	}
	if a.about = line(d.file.Text(spec["Desc"])); a.about == a.name {
		a.about = ""
	}
	a.media = strings.ToLower(line(string(d.file.Name(a.stream.Dict["Subtype"]))))
	a.source = d.file.Name(spec["AFRelationship"]) == "Source"
	return a, a.media != "application/mathml+xml" // MathML of a single formula on a page is left out
}

// attach writes a list of the embedded files to the end of body, followed by
// the content of those that can be read. The content of a file that the
// document was created from is left out, because it would repeat the
// document. Pictures, sounds, videos and fonts are only listed.
func (d *reader) attach(ctx context.Context, t *tree, body *html.Node) {
	if !d.options.Extras && d.file.Dict(d.file.Catalog()["Collection"]) == nil { // a portfolio (ISO 32000-1, 12.3.5)
		return
	}
	files, more, next := d.attachments()
	if len(files) == 0 {
		return
	}
	if more > 0 {
		d.warn("truncated", 0, fmt.Sprintf("The document has more attached files than are read: from %q on, %d were left out.", next, more))
	}
	t.Text(t.Append(body, atom.H2, "data-role", "attachments"), "Attachments")
	list := t.Append(body, atom.Ul, "data-role", "attachments")
	for i, a := range files {
		if ctx.Err() != nil {
			return
		}
		if t.Count() > t.limit {
			d.warn("truncated", 0, fmt.Sprintf("The document is too large: from the attached file %q on, %d were left out.", a.name, len(files)-i))
			return
		}
		data, err := d.file.Data(a.stream)
		li := t.Append(list, atom.Li)
		t.Text(li, a.describe(len(data)))
		if a.source || a.pictured() {
			continue
		}
		var inner *html.Node
		if err == nil && len(data) > 0 && d.options.Child != nil {
			inner = d.options.Child(ctx, a.name, a.media, data, t.limit-t.Count())
		}
		if inner == nil {
			d.warn("attachment-unread", 0, "The attachment "+strconv.Quote(a.name)+" was not read.")
			continue
		}
		section := t.Append(body, atom.Section, "data-role", "attachment", "data-name", a.name)
		t.Text(t.Append(section, atom.H2), a.name)
		t.limit -= move(section, inner, "file-"+strconv.Itoa(i+1)+"-")
	}
}

// describe returns "name (media type, size): description".
func (a *attachment) describe(size int) string {
	s := a.name + " ("
	if a.media != "" {
		s += a.media + ", "
	}
	s += doctree.Size(size) + ")"
	if a.about != "" {
		s += ": " + a.about
	}
	return s
}

// pictured reports whether the file is a picture, sound, video or font. Such
// a file contains no text and is only listed.
func (a *attachment) pictured() bool {
	for _, kind := range []string{"image/", "audio/", "video/", "font/"} {
		if strings.HasPrefix(a.media, kind) {
			return true
		}
	}
	return false
}

// move moves the children of from into into and returns the number of moved
// nodes. It adds prefix to all IDs and to the references to them, because
// two documents can use the same IDs.
func move(into, from *html.Node, prefix string) (count int) {
	ids := map[string]bool{}
	for n := range from.Descendants() {
		count++
		if id := doctree.Attr(n, "id"); id != "" {
			ids[id] = true
		}
	}
	for n := range from.Descendants() {
		for i := range n.Attr {
			switch a := &n.Attr[i]; a.Key {
			case "id":
				a.Val = prefix + a.Val
			case "href":
				if strings.HasPrefix(a.Val, "#") && ids[a.Val[1:]] {
					a.Val = "#" + prefix + a.Val[1:]
				}
			}
		}
	}
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		into.AppendChild(c)
	}
	return count
}
