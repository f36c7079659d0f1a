// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/heapprofiler"
	protocol "github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"golang.org/x/net/html"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// cutText is the length in UTF-16 units at which the browser cuts the text of a
// node.
const cutText = 10_000

// Types of nodes (DOM standard, section 4.4).
const (
	elementNode  = 1
	textNode     = 3
	documentNode = 9
	doctypeNode  = 10
	fragmentNode = 11
)

// maxNodes limits the nodes of the page and of the frames in its process. They are counted in the
// browser, so that a larger document does not fill the memory of this process.
const maxNodes = 500_000

// depths are the depths to which a document is read. The browser refuses to send a document whose
// message is nested more than 300 times, so a lower depth is tried then. Shadow trees and frames
// add to that. The HTML of deeper elements is read as text.
var depths = []int64{130, 65, 30}

// html returns the current document, and which frames are missing in it. If the
// page does not answer because a script does not end, html stops the script first.
func (v *view) html(ctx context.Context) (code []byte, f frames, err error) {
	limit := cmp.Or(v.request.MaxBytes, defaultBytes)
	err = measure(ctx, callTimeout, v.target, v.main, limit)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		if _, err := callFor(ctx, stoppingTime, v, runtime.TerminateExecution, cdp.Empty{}); err != nil {
			return nil, f, err
		}
		v.warn("1 script that did not end was stopped")
		err = measure(ctx, stoppingTime, v.target, v.main, limit)
	}
	if err != nil {
		return nil, f, err
	}
	root, err := tree(ctx, stoppingTime, v.target)
	if err != nil {
		return nil, f, err
	}
	v.mu.Lock()
	at := v.page.URL
	f.missing = len(v.halted) // their elements look like those of empty frames
	v.mu.Unlock()
	w := &writer{base: base(root, at), foreign: v.foreign(ctx, &f, 0), limit: limit, nodes: map[cdp.BackendNodeID]*cdp.Node{}, long: func(n *cdp.Node) (string, error) {
		r, err := call(ctx, v, dom.GetOuterHTML, dom.GetOuterHTMLParams{BackendNodeID: n.BackendNodeID})
		return r.OuterHTML, err
	}}
	w.node(root)
	w.check()
	f.failed, f.cut = w.failed, w.cut
	return w.out.Bytes(), f, w.err
}

// tree returns the document of a session. The command takes at most the time most.
func tree(ctx context.Context, most time.Duration, s cdp.Session) (root *cdp.Node, err error) {
	pierce := true
	for _, depth := range depths {
		var r dom.GetDocumentResult
		r, err = callIn(ctx, most, s, dom.GetDocument, dom.GetDocumentParams{Depth: &depth, Pierce: &pierce})
		if fault := (*cdproto.Error)(nil); !errors.As(err, &fault) || !strings.Contains(fault.Message, "stack limit") {
			return r.Root, err
		}
	}
	return nil, fmt.Errorf("%w: the document is nested too deeply", fetch.ErrTooLarge)
}

// length is a JavaScript expression that returns the length of the document in UTF-16 units.
const length = `document.documentElement ? document.documentElement.outerHTML.length : 0`

// measure returns an error if the document of a frame is too large to be read. s is the session
// of the frame. It measures the document in a JavaScript world of its own, in which the page
// cannot replace functions. Each of its commands takes at most the time most.
func measure(ctx context.Context, most time.Duration, s cdp.Session, id cdp.FrameID, limit int64) error {
	r, err := isolated(ctx, most, s, id, length)
	if err != nil {
		return err
	}
	units, err := decode[int64](r.Result)
	if r.ExceptionDetails != nil || err != nil || units > limit { // it throws an exception if the text is longer than strings can be
		return fmt.Errorf("%w: the document has more than %d bytes", fetch.ErrTooLarge, limit)
	}
	for again := false; ; again = true {
		count, err := callIn(ctx, most, s, protocol.GetDOMCounters, cdp.Empty{})
		switch {
		case err != nil:
			return err
		case count.Nodes <= maxNodes:
			return nil
		case again:
			return fmt.Errorf("%w: the document has more than %d nodes", fetch.ErrTooLarge, maxNodes)
		}
		if err := done(callIn(ctx, most, s, heapprofiler.CollectGarbage, cdp.Empty{})); err != nil { // nodes of former documents do not count
			return err
		}
	}
}

// isolated evaluates a JavaScript expression in a world of its own. It tries that several times,
// because the world is lost if the page loads its next document meanwhile.
func isolated(ctx context.Context, most time.Duration, s cdp.Session, id cdp.FrameID, expression string) (r runtime.EvaluateResult, err error) {
	yes := true
	for range 10 {
		var world page.CreateIsolatedWorldResult
		if world, err = callIn(ctx, most, s, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: id}); err != nil {
			return r, err
		}
		r, err = callIn(ctx, most, s, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ContextID: world.ExecutionContextID, ReturnByValue: &yes})
		if fault := (*cdproto.Error)(nil); !errors.As(err, &fault) {
			return r, err
		}
	}
	return r, fmt.Errorf("%w: %w", fetch.ErrProtocol, err)
}

// writer writes a DOM tree of the browser as HTML, in the order in which a person
// sees the page: a shadow tree takes the place of its host's children, the
// children take the place of the slots that they are assigned to, and the
// document of a frame takes the place of the frame.
type writer struct {
	out     bytes.Buffer
	limit   int64
	base    weburl.URL                        // see base
	long    func(n *cdp.Node) (string, error) // returns the whole text of a node that the browser has cut, as HTML
	nodes   map[cdp.BackendNodeID]*cdp.Node   // children of shadow hosts, which slots refer to
	letters int                               // bytes of text
	cut     int                               // elements that are too deep
	failed  int                               // frames that were refused or could not be loaded
	// foreign writes the body of a frame of another site. It returns false if there is none.
	foreign func(w *writer, id cdp.FrameID) bool
	err     error
}

// check sets err if the document is too large.
func (w *writer) check() {
	if w.err == nil && int64(w.out.Len()) > w.limit {
		w.err = fmt.Errorf("%w: the document has more than %d bytes", fetch.ErrTooLarge, w.limit)
	}
}

// node writes a node and its descendants, whose depth depths limits.
func (w *writer) node(n *cdp.Node) {
	switch w.check(); {
	case n == nil || w.err != nil:
	case n.NodeType == textNode:
		w.text(n, html.EscapeString)
	case n.NodeType == doctypeNode:
		w.out.WriteString("<!DOCTYPE html>\n")
	case n.NodeType == documentNode, n.NodeType == fragmentNode:
		w.children(n.Children)
	case n.NodeType == elementNode && n.ChildNodeCount > 0 && len(n.Children) == 0: // it is too deep
		w.deep(n)
	case n.NodeType == elementNode:
		w.element(n)
	}
}

// text writes a text node. If the browser has cut its text, which it marks with an
// ellipsis, text gets the whole text.
func (w *writer) text(n *cdp.Node, escape func(string) string) {
	text := escape(n.NodeValue)
	if strings.HasSuffix(n.NodeValue, "…") && utf8.RuneCountInString(n.NodeValue) > cutText/2 {
		whole, err := w.long(n)
		if err != nil {
			w.err = err
			return
		}
		text = whole
	}
	w.letters += len(strings.TrimSpace(text))
	w.out.WriteString(text)
}

// deep writes an element that is too deep in the tree, as the browser writes it: frames and
// shadow trees in it are left out.
func (w *writer) deep(n *cdp.Node) {
	code, err := w.long(n)
	if err != nil {
		w.err = err
		return
	}
	w.cut++
	w.letters += len(code)
	w.out.WriteString(code)
}

// children writes nodes in their order.
func (w *writer) children(nodes []*cdp.Node) {
	for _, c := range nodes {
		w.node(c)
	}
}

// element writes an element.
func (w *writer) element(n *cdp.Node) {
	name := strings.ToLower(n.NodeName)
	if n.LocalName != "" {
		name = n.LocalName // names of SVG and MathML are case-sensitive
	}
	if strings.ContainsAny(name, " \t\n\f\r/<>\"'=") { // HTML has no syntax for such a name
		w.children(n.Children)
		return
	}
	if name == "slot" && len(n.DistributedNodes) > 0 {
		for _, d := range n.DistributedNodes {
			if c, ok := w.nodes[d.BackendNodeID]; ok {
				delete(w.nodes, d.BackendNodeID) // a node is assigned to a single slot
				w.node(c)
			}
		}
		return
	}
	other := (name == "iframe" || name == "frame") && n.ContentDocument == nil
	if other && w.foreignElement(n) {
		return
	}
	frame := n.ContentDocument != nil
	if frame {
		name = "div"
	}
	w.out.WriteByte('<')
	w.out.WriteString(name)
	for i := 0; i+1 < len(n.Attributes); i += 2 {
		w.attribute(n.Attributes[i], n.Attributes[i+1], frame)
	}
	w.out.WriteByte('>')
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr":
		return
	case "script", "style", "xmp", "noembed", "noframes", "plaintext", "noscript":
		for _, c := range n.Children {
			if c.NodeType == textNode { // written without escapes (HTML standard, section 13.3)
				w.text(c, func(s string) string { return s })
			}
		}
	default:
		w.content(n)
	}
	w.out.WriteString("</")
	w.out.WriteString(name)
	w.out.WriteByte('>')
}

// foreignElement writes a frame of another site as a div. It returns false, and writes nothing,
// if the frame has no document.
func (w *writer) foreignElement(n *cdp.Node) bool {
	start := w.out.Len()
	w.out.WriteString("<div")
	for i := 0; i+1 < len(n.Attributes); i += 2 {
		w.attribute(n.Attributes[i], n.Attributes[i+1], true)
	}
	w.out.WriteByte('>')
	if !w.foreign(w, n.FrameID) {
		w.out.Truncate(start)
		return false
	}
	w.out.WriteString("</div>")
	return true
}

// content writes what a person sees inside an element.
func (w *writer) content(n *cdp.Node) {
	if n.ContentDocument != nil && isError(n.ContentDocument) {
		w.failed++
		return
	}
	if n.ContentDocument != nil {
		outer := w.base
		w.base = base(n.ContentDocument, "")
		w.children(body(n.ContentDocument))
		w.base = outer
		return
	}
	for _, root := range n.ShadowRoots {
		if root.ShadowRootType == cdp.ShadowRootTypeUserAgent {
			continue
		}
		for _, c := range n.Children {
			w.nodes[c.BackendNodeID] = c
		}
		w.children(root.Children)
		return // children without a slot are not visible
	}
	w.children(n.Children)
}

// isError reports whether a document is the one that the browser shows if it has no other.
func isError(document *cdp.Node) bool {
	return strings.HasPrefix(document.DocumentURL, "chrome-error:")
}

// body returns the children of the body or frameset of a document.
func body(document *cdp.Node) []*cdp.Node {
	for _, root := range document.Children {
		for _, c := range root.Children {
			if strings.EqualFold(c.NodeName, "body") || strings.EqualFold(c.NodeName, "frameset") {
				return c.Children
			}
		}
	}
	return nil
}

// attribute writes an attribute. An attribute of a frame gets the prefix
// data-frame-, because the frame is written as a div, and its URL is not an image
// or link of the page.
func (w *writer) attribute(name, value string, frame bool) {
	if strings.ContainsAny(name, " \t\n\f\r/<>\"'=") || name == "" {
		return
	}
	value = w.link(name, value)
	if frame {
		name = "data-frame-" + name
	}
	w.out.WriteByte(' ')
	w.out.WriteString(name)
	w.out.WriteString(`="`)
	w.out.WriteString(html.EscapeString(value))
	w.out.WriteByte('"')
}
