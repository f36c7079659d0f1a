// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Reasons why a page was not shown. A Renderer also returns the errors of
// package fetch where they fit, such as fetch.ErrAddress and fetch.ErrTimeout.
var (
	ErrCrashed     = errors.New("the browser crashed")
	ErrBusy        = errors.New("no tab of the browser is free")
	ErrUnsupported = errors.New("the renderer cannot do this")
	ErrRefused     = errors.New("refused by the gate")
)

// A Renderer shows one page in a browser. Implementations are safe for
// concurrent use, return when ctx ends, and leave no process, tab or file of
// the page behind. A page that answers with an error status is a page.
type Renderer interface {
	Render(ctx context.Context, r *Request) (*Page, error)
}

// Request describes a page to show.
type Request struct {
	URL string // absolute, http or https, without userinfo

	// Header is sent with requests for documents of the origin of URL, and to
	// no other origin.
	Header http.Header

	UserAgent string        // empty means that of the browser
	Languages []string      // for Accept-Language and navigator.languages, such as de-CH; empty means en-US
	Timeout   time.Duration // of everything, including steps and pictures; zero means 30 s
	Wait      time.Duration // after the page is ready, before the steps
	MaxBytes  int64         // of HTML or Body; zero means 50 MiB
	Viewport  Viewport      // zero means 1280 x 800, or 390 x 844 if Mobile
	Mobile    bool          // show the page as a phone would

	Steps      []Step // at most 50, in this order
	Screenshot *Shot  // taken after the steps; nil means none
	PDF        *Paper // printed after the steps; nil means none

	// Gate is called before each document is requested. If it returns an
	// error, the document is not requested. If it is the page itself, Render
	// returns that error. Nil admits all documents.
	Gate func(ctx context.Context, d Document) error
}

// Viewport is the size of the window in CSS pixels.
type Viewport struct{ Width, Height int }

// Document is a document that is about to be requested.
type Document struct {
	URL   string
	Frame bool // it is for a frame of the page, not for the page itself
}

// Kind says what a step does.
type Kind string

// Steps that a person could do, and what a program could take along the way.
const (
	Wait       Kind = "wait"       // for Time, or until Selector is visible (at most 30 s)
	Click      Kind = "click"      // on the first element of Selector, or on all if All
	Write      Kind = "write"      // Text into the focused element
	Press      Kind = "press"      // the key Text, such as Enter or Control+a
	Scroll     Kind = "scroll"     // down by a window, or up if Up; with Selector to that element
	Script     Kind = "script"     // the JavaScript function body Text; gives Value
	Screenshot Kind = "screenshot" // gives Data
	Scrape     Kind = "scrape"     // gives the HTML of this moment as Data
	PDF        Kind = "pdf"        // gives Data
)

// Step is one thing to do with a page.
type Step struct {
	Kind     Kind
	Selector string
	Text     string
	Time     time.Duration
	All, Up  bool
	Shot     Shot
	Paper    Paper
}

// Shot describes a picture of the page.
type Shot struct {
	Full    bool // of the whole page instead of the window, at most 16,384 pixels high
	Quality int  // of JPEG, 1 to 100; zero means PNG
}

// Paper describes how a page is printed. Zero values mean Letter, upright and
// full size.
type Paper struct {
	Width, Height float64 // inches
	Landscape     bool
	Scale         float64 // 0.1 to 2
}

// Page is a page as it was shown.
type Page struct {
	URL    string   // of the document that was shown last
	Hops   []string // the documents that were requested for the page, in order
	Status int
	Header http.Header

	// HTML is the document after its scripts, in UTF-8. Shadow trees and the
	// documents of frames are written where they are seen. It is empty if the
	// document is not HTML.
	HTML []byte
	Body []byte // the document as it was received, if it is not HTML

	Screenshot *Picture
	PDF        []byte
	Results    []Result
	Console    []string // errors and warnings of scripts; at most 100, of up to 1 KiB each
	Failed     []Failed // requests that failed or were refused; at most 100
	Warnings   []string // what was left out, with its number
	Ready      Ready

	Requests int   // of all kinds
	Bytes    int64 // that were received
}

// Ready says how the page became ready.
type Ready string

// The ways in which a page becomes ready.
const (
	ReadyQuiet Ready = "quiet" // no request was open, and the text did not change
	ReadyCap   Ready = "cap"   // the page was still busy 10 s after it was loaded
)

// Picture is a screenshot.
type Picture struct {
	Type string // image/png or image/jpeg
	Data []byte
}

// Result is what a step gave.
type Result struct {
	Step  int // index
	URL   string
	Data  []byte // of Screenshot, Scrape and PDF
	Type  string // the media type of Data, or the JavaScript type of Value
	Value []byte // JSON
}

// Failed is a request that failed or was refused.
type Failed struct{ URL, Reason string }

// StepError says which step failed. The steps after it were not done.
type StepError struct {
	Index  int // from 0
	Kind   Kind
	Reason string
}

// Error returns, for example, "step 2 (click): element not found", which
// counts from 1.
func (e *StepError) Error() string {
	return fmt.Sprintf("step %d (%s): %s", e.Index+1, e.Kind, e.Reason)
}
