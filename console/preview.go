// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/parse"
)

// Limits of previews.
const (
	maxSource   = 4 << 20  // bytes of Markdown or HTML
	maxPreview  = 8 << 20  // bytes of one rendered document
	maxPreviews = 64 << 20 // bytes of all that wait to be fetched
	previewTime = time.Minute
	parseTime   = 20 * time.Second
)

// previews are rendered documents that wait for the frame that shows them. Each is
// delivered once.
type previews struct {
	mu    sync.Mutex
	bytes int
	pages map[string]rendered
}

// rendered is one document.
type rendered struct {
	body []byte
	made time.Time
}

// add stores a document and returns the token with which it is fetched. Documents that
// were not fetched in time are dropped.
func (p *previews) add(body []byte) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for token, page := range p.pages {
		if time.Since(page.made) > previewTime {
			p.drop(token)
		}
	}
	if p.bytes+len(body) > maxPreviews {
		return "", fault{http.StatusServiceUnavailable, "Too many documents are being shown. Try again in a minute."}
	}
	if p.pages == nil {
		p.pages = map[string]rendered{}
	}
	token := rand.Text()
	p.pages[token] = rendered{body, time.Now()}
	p.bytes += len(body)
	return token, nil
}

// take returns a document and forgets it.
func (p *previews) take(token string) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	page, ok := p.pages[token]
	if ok {
		p.drop(token)
	}
	return page.body, ok && time.Since(page.made) <= previewTime
}

// drop forgets a document. The caller holds the lock.
func (p *previews) drop(token string) {
	p.bytes -= len(p.pages[token].body)
	delete(p.pages, token)
}

// newPreview renders the Markdown or HTML in the body and serves a token for it.
func (h *Handler) newPreview(w http.ResponseWriter, r asked) (any, error) {
	kind := parse.Markdown
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		kind = parse.HTML
	}
	source, done, err := h.read(w, r, maxSource)
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(r.Context(), parseTime)
	defer cancel()
	tree, err := h.service.Parser.Parse(ctx, parse.Bytes("", source), &parse.Options{Kind: kind})
	if err != nil {
		return nil, fault{http.StatusUnprocessableEntity, "The document cannot be rendered: " + err.Error()}
	}
	p := printer{}
	p.out.WriteString(previewHead)
	p.node(tree.Root)
	token, err := h.previews.add(p.out.Bytes())
	if err != nil {
		return nil, err
	}
	warnings := []string{}
	for _, w := range tree.Warnings[:min(len(tree.Warnings), 3)] { // the title bar of a pane is short
		warnings = append(warnings, w.Text)
	}
	return map[string]any{"success": true, "token": token, "cut": p.cut, "dropped": p.dropped, "warnings": warnings}, nil
}

// read reads the body of a request of at most most bytes, after a turn has been given and
// its memory reserved. The caller must call the function at the end.
func (h *Handler) read(w http.ResponseWriter, r asked, most int64) ([]byte, func(), error) {
	end, err := h.begin(r.Context())
	if err != nil {
		return nil, nil, err
	}
	size := r.ContentLength
	if size < 0 || size > most {
		end()
		return nil, nil, fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("The document is longer than %d MB, or does not say how long it is.", most>>20)}
	}
	share, err := h.service.HoldBody(r.Context(), nil, size, false)
	done := func() { share.Release(); end() }
	if err != nil {
		done()
		return nil, nil, err
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Minute)) // a server without deadlines has its own
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, size))
	if err != nil {
		done()
		return nil, nil, fault{http.StatusBadRequest, "The document did not arrive in full."}
	}
	return body, done, nil
}

// preview serves a rendered document to a frame.
func (h *Handler) preview(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'self'")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "text/html; charset=utf-8")
	body, ok := h.previews.take(r.PathValue("token"))
	if !ok {
		w.WriteHeader(http.StatusGone)
		body = []byte(previewHead + "<p>This view has been shown already. Open the document again.</p>")
	}
	_, _ = w.Write(body)
}

// printer writes a tree as HTML that consists of the elements and attributes of fixed
// lists. Other elements are left out and their content is kept, except for those whose
// content is not text.
type printer struct {
	out     bytes.Buffer
	cut     bool // the document is longer than maxPreview, so its end is missing
	dropped int  // elements that were left out with their content
}

// kept are the elements of a preview.
var kept = map[atom.Atom]bool{
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.P: true, atom.Br: true, atom.Hr: true,
	atom.Ul: true, atom.Ol: true, atom.Li: true, atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Blockquote: true, atom.Pre: true, atom.Code: true,
	atom.Em: true, atom.Strong: true, atom.B: true, atom.I: true, atom.S: true, atom.Del: true, atom.Ins: true, atom.U: true, atom.Sub: true, atom.Sup: true,
	atom.Kbd: true, atom.Samp: true, atom.Var: true, atom.Mark: true, atom.Small: true, atom.Abbr: true, atom.Cite: true, atom.Q: true, atom.Time: true,
	atom.Table: true, atom.Caption: true, atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Tr: true, atom.Th: true, atom.Td: true,
	atom.Div: true, atom.Section: true, atom.Article: true, atom.Header: true, atom.Footer: true, atom.Main: true, atom.Nav: true, atom.Aside: true,
	atom.Figure: true, atom.Figcaption: true, atom.Details: true, atom.Summary: true, atom.Address: true,
}

// unshown are the elements that are left out with their content.
var unshown = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Iframe: true, atom.Object: true, atom.Embed: true, atom.Svg: true, atom.Math: true,
	atom.Head: true, atom.Title: true, atom.Link: true, atom.Meta: true, atom.Base: true, atom.Canvas: true, atom.Audio: true, atom.Video: true,
	atom.Select: true, atom.Textarea: true, atom.Input: true, atom.Noframes: true, atom.Frameset: true, atom.Applet: true,
}

// empty are the elements without an end tag.
var empty = map[atom.Atom]bool{atom.Br: true, atom.Hr: true}

// node writes n and its descendants. Trees are at most 512 elements deep.
func (p *printer) node(n *html.Node) {
	if p.cut = p.cut || p.out.Len() > maxPreview; p.cut {
		return
	}
	switch n.Type {
	case html.TextNode:
		text := html.EscapeString(n.Data)
		if p.cut = p.out.Len()+len(text) > maxPreview; !p.cut {
			p.out.WriteString(text)
		}
		return
	case html.DocumentNode:
		p.children(n)
		return
	case html.ElementNode:
	default:
		return
	}
	switch {
	case unshown[n.DataAtom] || n.Namespace != "":
		if n.DataAtom != atom.Head {
			p.dropped++
		}
	case n.DataAtom == atom.Img:
		p.image(n)
	case n.DataAtom == atom.A:
		p.link(n)
	case kept[n.DataAtom]:
		name := n.DataAtom.String()
		p.out.WriteString("<" + name)
		p.numbers(n)
		p.out.WriteByte('>')
		if empty[n.DataAtom] {
			return
		}
		p.children(n)
		p.out.WriteString("</" + name + ">")
	default:
		p.children(n)
	}
}

func (p *printer) children(n *html.Node) {
	for c := range n.ChildNodes() {
		p.node(c)
	}
}

// numbers writes the attributes of lists and cells, whose values are numbers.
func (p *printer) numbers(n *html.Node) {
	for _, a := range n.Attr {
		switch a.Key {
		case "colspan", "rowspan", "start", "value":
			if v, err := strconv.Atoi(a.Val); err == nil && v >= 0 && v < 1000 {
				fmt.Fprintf(&p.out, ` %s="%d"`, a.Key, v)
			}
		}
	}
}

// image writes the text for an image, because a preview makes no requests. Images inside
// the document are shown.
func (p *printer) image(n *html.Node) {
	var src, alt string
	for _, a := range n.Attr {
		switch a.Key {
		case "src":
			src = a.Val
		case "alt":
			alt = a.Val
		}
	}
	for _, media := range []string{"data:image/png;base64,", "data:image/jpeg;base64,", "data:image/gif;base64,", "data:image/webp;base64,"} {
		if strings.HasPrefix(src, media) {
			if p.cut = p.out.Len()+len(src) > maxPreview; !p.cut {
				fmt.Fprintf(&p.out, `<img alt="%s" src="%s">`, html.EscapeString(alt), html.EscapeString(src))
			}
			return
		}
	}
	if alt == "" {
		alt = "image"
	}
	fmt.Fprintf(&p.out, `<span class="image">%s</span>`, html.EscapeString(alt))
}

// link writes a link to the web. Others become text.
func (p *printer) link(n *html.Node) {
	for _, a := range n.Attr {
		if a.Key != "href" {
			continue
		}
		if scheme, _, ok := strings.Cut(strings.ToLower(strings.TrimSpace(a.Val)), ":"); ok && (scheme == "http" || scheme == "https" || scheme == "mailto") {
			fmt.Fprintf(&p.out, `<a rel="noopener noreferrer nofollow" target="_blank" href="%s">`, html.EscapeString(strings.TrimSpace(a.Val)))
			p.children(n)
			p.out.WriteString("</a>")
			return
		}
	}
	p.children(n)
}

// errNoRender says that no program draws pages.
var errNoRender = fault{http.StatusNotImplemented, "This server draws no pages. Install pdftoppm and start the server with OCR."}

// Limits of pictures.
const (
	maxFile     = 32 << 20 // bytes of a PDF
	pictureTime = 30 * time.Second
	pictureDPI  = 110
)

// picture draws a page of the PDF in the body.
func (h *Handler) picture(w http.ResponseWriter, r asked) (any, error) {
	if h.service.Parser.Render == nil {
		return nil, errNoRender
	}
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil || page < 1 {
		return nil, fault{http.StatusBadRequest, "The parameter page must be the number of a page."}
	}
	data, done, err := h.read(w, r, maxFile)
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(r.Context(), pictureTime)
	defer cancel()
	drawn, err := h.service.Parser.Render.Render(ctx, bytes.NewReader(data), int64(len(data)), page, pictureDPI)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fault{http.StatusGatewayTimeout, "Drawing the page took too long."}
	case err != nil:
		return nil, fault{http.StatusUnprocessableEntity, "The page cannot be drawn: " + err.Error()}
	}
	if drawn.MIME != "image/png" && drawn.MIME != "image/jpeg" {
		return nil, fault{http.StatusUnprocessableEntity, "The page was drawn in a format that browsers do not show."}
	}
	w.Header().Set("Content-Type", drawn.MIME)
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write(drawn.Data)
	if err != nil {
		return nil, err
	}
	return nil, nil
}

// previewHead begins a rendered document. Its colours are those of the page.
const previewHead = `<!doctype html><html lang="und"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Rendered document</title><style>
:root{color-scheme:light dark}
body{font:15px/1.6 system-ui,sans-serif;margin:0;padding:16px 20px;max-width:46em;overflow-wrap:anywhere;color:light-dark(#16191d,#e6e9ed);background:light-dark(#fff,#0f1216)}
a{color:light-dark(#0b5cad,#6fb1ff)}h1,h2,h3,h4{line-height:1.25;margin:1.4em 0 .5em}h1{font-size:1.6em;margin-top:.2em}h2{font-size:1.3em}h3{font-size:1.1em}
code,pre,kbd,samp{font:13px/1.5 ui-monospace,monospace;background:light-dark(#f6f7f9,#171b21)}code{padding:1px 4px;border-radius:3px}pre{padding:10px 12px;overflow:auto;border-radius:6px}pre code{padding:0}
table{border-collapse:collapse;display:block;overflow:auto;font-variant-numeric:tabular-nums}td,th{border:1px solid light-dark(#d9dde3,#2b313a);padding:4px 10px;text-align:left;vertical-align:top}th{background:light-dark(#f6f7f9,#171b21)}
blockquote{margin:1em 0;padding:0 1em;border-left:3px solid light-dark(#d9dde3,#2b313a);color:light-dark(#57606a,#9aa4b0)}img{max-width:100%}hr{border:0;border-top:1px solid light-dark(#d9dde3,#2b313a)}
.image{font-size:13px;color:light-dark(#57606a,#9aa4b0);border:1px dashed light-dark(#d9dde3,#2b313a);border-radius:4px;padding:1px 6px}
</style>`
