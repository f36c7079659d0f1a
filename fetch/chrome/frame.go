// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
)

// Limits of the frames of other sites, whose documents are in processes of their own.
const (
	maxFrames  = 50  // of a page
	frameDepth = 3   // frames in frames
	frameText  = 200 // bytes of text; a frame with less is left out
)

var (
	errNoFrame = errors.New("the frame has no session")
	errFailed  = errors.New("the frame was refused or could not be loaded")
)

// frames are the frames of other sites in a document that is being written.
type frames struct {
	read    int // frames whose documents were read, or tried to be
	missing int // frames that could not be read
	short   int // frames with hardly any text
	cut     int // elements of any site whose frames and shadow trees are left out, because they are too deep
	failed  int // frames of any site that were refused or could not be loaded
}

// foreign returns a function that writes the body of a frame of another site to w.
func (v *view) foreign(ctx context.Context, f *frames, depth int) func(w *writer, id cdp.FrameID) bool {
	return func(w *writer, id cdp.FrameID) bool {
		if v.isHalted(id) { // it is counted already
			return false
		}
		if f.read == maxFrames || depth == frameDepth || id == "" {
			f.missing++
			return false
		}
		f.read++
		in, err := v.foreignFrame(ctx, f, depth, w, id)
		switch {
		case err != nil && errors.Is(err, w.err), err != nil && ctx.Err() != nil:
			w.err = err
			return false
		case errors.Is(err, errFailed):
			w.failed++
			return false
		case err != nil:
			f.missing++
			return false
		case in.letters < frameText:
			f.short++
			return false
		}
		w.out.Write(in.out.Bytes())
		w.letters += in.letters
		w.check()
		return true
	}
}

// foreignFrame reads the body of a frame of another site.
func (v *view) foreignFrame(ctx context.Context, f *frames, depth int, w *writer, id cdp.FrameID) (*writer, error) {
	session := v.other(id)
	if session == nil {
		return nil, errNoFrame
	}
	ctx, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	if err := measure(ctx, callTimeout, session, id, w.limit-int64(w.out.Len())); err != nil {
		return nil, err
	}
	root, err := tree(ctx, callTimeout, session)
	if err != nil {
		return nil, err
	}
	in := &writer{base: base(root, ""), limit: w.limit - int64(w.out.Len()), nodes: map[cdp.BackendNodeID]*cdp.Node{}, foreign: v.foreign(ctx, f, depth+1), long: func(n *cdp.Node) (string, error) {
		r, err := cdp.Call(ctx, session, dom.GetOuterHTML, dom.GetOuterHTMLParams{BackendNodeID: n.BackendNodeID})
		return r.OuterHTML, err
	}}
	if isError(root) {
		return nil, errFailed
	}
	in.children(body(root))
	in.check()
	w.failed, w.cut = w.failed+in.failed, w.cut+in.cut
	if in.err != nil {
		w.err = in.err
	}
	return in, in.err
}
