// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"example.com/curlew/fetch"
)

// Reasons why a page was not shown. A Renderer also returns errors of package
// fetch, such as fetch.ErrAddress and fetch.ErrTimeout. ErrBusy wraps fetch.ErrBusy.
var (
	ErrCrashed     = errors.New("the browser crashed")
	ErrBusy        = fmt.Errorf("no tab of the browser is free: %w", fetch.ErrBusy)
	ErrUnsupported = errors.New("the renderer cannot do this")
	ErrRefused     = errors.New("refused by the gate")
	ErrClosed      = errors.New("the browser is closed")
)

// A Renderer shows one page in a browser. Implementations are safe for
// concurrent use, return when ctx ends, and leave no process, tab or file of
// the page behind. An HTTP error status is not an error: Render returns the page.
// [example.com/curlew/fetch/fetchtest.CheckRenderer] tests an implementation.
type Renderer interface {
	Render(ctx context.Context, r *Request) (*Page, error)
}

// Abilities says what a Renderer can do besides showing the HTML of a page and
// waiting for Request.Wait. A caller must not ask for anything else.
type Abilities struct {
	Steps      []Kind   // the kinds of steps that are supported and allowed
	Screenshot bool     // Request.Screenshot, of the window
	FullPage   bool     // Shot.Full
	PDF        bool     // Request.PDF
	Mobile     bool     // Request.Mobile
	Languages  bool     // Request.Languages and TimeZone
	Scroll     bool     // Request.Scroll
	Styles     bool     // Request.Styles
	Block      bool     // Request.Block
	Countries  []string // values of Request.Country: ISO 3166-1 codes of two upper-case letters

	// Guarded is true if all traffic of a page goes through package egress, or
	// is restricted in the same way. Otherwise a page can reach addresses that
	// the network policy forbids.
	Guarded bool
}

// AbilitiesOf returns what a Renderer can do. A Renderer says it with a method
// Abilities. Without this method, it can do nothing besides showing HTML.
func AbilitiesOf(r Renderer) Abilities {
	if able, ok := r.(interface{ Abilities() Abilities }); ok {
		return able.Abilities()
	}
	return Abilities{}
}

// Trusted returns a Renderer with the abilities of r that counts as guarded. The caller
// asserts that the traffic of r is restricted in another way, such as a firewall, or that
// its pages may reach every address that the browser can reach.
func Trusted(r Renderer) Renderer { return trusted{r} }

type trusted struct{ Renderer }

// Abilities returns the abilities of the Renderer, with Guarded set.
func (t trusted) Abilities() Abilities {
	a := AbilitiesOf(t.Renderer)
	a.Guarded = true
	return a
}

// Close closes the Renderer if it is a Closer.
func (t trusted) Close(ctx context.Context) error {
	if c, ok := t.Renderer.(Closer); ok {
		return c.Close(ctx)
	}
	return nil
}

// Open opens a page if the Renderer is an Opener.
func (t trusted) Open(ctx context.Context, r *Request) (Session, *Page, error) {
	if o, ok := t.Renderer.(Opener); ok {
		return o.Open(ctx, r)
	}
	return nil, nil, fmt.Errorf("%w: it cannot keep a page open between requests", ErrUnsupported)
}

// Can reports whether steps of kind k are supported and allowed.
func (a *Abilities) Can(k Kind) bool { return slices.Contains(a.Steps, k) }

// A Closer is a Renderer that must be closed. Close ends it with all pages that
// it shows, and returns when that is done or ctx ends. A closed Renderer returns
// ErrClosed.
type Closer interface {
	Close(ctx context.Context) error
}

// An Opener is a Renderer that keeps a page open, for a caller that decides on
// its next steps after it has seen the results of the steps before.
type Opener interface {
	// Open shows a page like Render, and returns it open. The caller must close
	// the session. Request.Timeout limits the time until the page is shown.
	Open(ctx context.Context, r *Request) (Session, *Page, error)
}

// A Session is an open page. Its cookies and storage last until it is closed.
// It serves one call at a time.
type Session interface {
	// Do does steps as Render does them, and returns the page as it is then,
	// with the results of these steps only. After an error, the session can be
	// used further, unless the error wraps ErrCrashed or ErrClosed.
	Do(ctx context.Context, steps []Step) (*Page, error)
	Close() error
}

// Request describes a page to show.
type Request struct {
	URL string // absolute, http or https, without userinfo

	// Header is sent with requests for documents of the origin of URL, and to
	// no other origin. Cookies are set for the host of URL before the first
	// request, like cookies that this host has sent.
	Header  http.Header
	Cookies []*http.Cookie

	UserAgent string        // empty means the User-Agent of the browser
	Languages []string      // for Accept-Language and navigator.languages, such as de-CH; empty means en-US
	Timeout   time.Duration // for the whole call, including steps and pictures; zero means 30 s
	Wait      time.Duration // pause between the moment the page is ready and the first step
	MaxBytes  int64         // size limit of HTML or Body; zero means 50 MiB
	Viewport  Viewport      // zero means 1280 x 800, or 390 x 844 if Mobile
	Mobile    bool          // show the page as a phone would
	Country   string        // the country that the page is requested from, one of Abilities.Countries; empty means the country of the browser
	TimeZone  string        // IANA name, such as Europe/Zurich; empty means UTC

	// InsecureTLS admits certificates that are not valid. It is ignored with
	// Header, Cookies and Steps, because they may contain secrets.
	InsecureTLS bool

	Scroll     *Until // scroll before the steps, until nothing new comes; nil means that the page is not scrolled
	Steps      []Step // done in this order; at most 50
	Screenshot *Shot  // taken after the steps; nil means none
	PDF        *Paper // printed after the steps, at most 200 pages; nil means none
	Styles     bool   // return the computed styles of a few elements
	Block      Block  // requests that are not sent

	// Gate is called before each document is requested. If it returns an
	// error, the document is not requested. If the document is the page itself
	// and not a frame, Render returns that error. Nil admits all documents.
	Gate func(ctx context.Context, d Document) error `json:"-"`
}

// Viewport is the size of the window in CSS pixels.
type Viewport struct{ Width, Height int }

// Until limits how far a page is scrolled to load more of it. Each zero limit
// means its default. Scrolling also ends when nothing new has come twice.
type Until struct {
	MaxScrolls int           // default 50
	MaxTime    time.Duration // default 20 s
	MaxHeight  int           // CSS pixels of the page; default 200,000

	// Button is the selector of a button that loads more, which is clicked after
	// each scroll. Empty means the button whose text says so in one of the
	// languages that the Renderer knows.
	Button string
}

// Block says which requests of a page are not sent, and what is done about its banners. The
// requests are listed in Page.Failed.
type Block struct {
	// Ads reports whether a request is for an advertisement or a tracker. For
	// https, the URL may consist of the origin and the path / only. kind is
	// document for the document of a frame, and otherwise empty. Nil means that
	// advertisements are not blocked.
	Ads func(url, kind string) bool `json:"-"`

	Media, Fonts bool // block audio and video, and web fonts

	// Consent says what is done about banners that ask for consent to cookies. A warning says
	// what was done.
	Consent Consent
}

// Consent says what a Renderer does about a banner that asks for consent to cookies.
type Consent string

// What is done about banners that ask for consent. Only AcceptConsent gives consent.
const (
	LeaveConsent  Consent = ""       // nothing
	RefuseConsent Consent = "refuse" // refuses by the banner's own button; if it has none, hides the banner
	AcceptConsent Consent = "accept" // accepts by the banner's own button; if it has none, hides the banner
)

// Document is a document that is about to be requested.
type Document struct {
	URL   string
	From  string // URL of the document before; empty for the first
	Cause Cause
	Frame bool // the document is for a frame of the page, not for the page itself
}

// Cause says why a document is requested.
type Cause string

// Causes of a [Document].
const (
	Start    Cause = "start"    // it is Request.URL
	Redirect Cause = "redirect" // the server has sent a redirect
	Scripted Cause = "script"   // a script or a refresh of the page
	Clicked  Cause = "click"    // a step
	Framed   Cause = "frame"    // it is the first document of a frame
	Popup    Cause = "popup"    // the page opens a window
)

// Kind says what a step does.
type Kind string

// Kinds of steps, with the fields of [Step] that they use and the fields of
// [Result] that they set.
const (
	Wait       Kind = "wait"       // waits for Time, or until Selector is visible (at most 30 s)
	Click      Kind = "click"      // clicks the first element of Selector, or all of them if All is true
	Write      Kind = "write"      // types Text into the focused element
	Press      Kind = "press"      // presses the key Text, such as Enter or Control+a
	Scroll     Kind = "scroll"     // scrolls down by one window, up if Up is true, or to Selector
	Script     Kind = "script"     // runs the JavaScript function body Text; sets Value
	Screenshot Kind = "screenshot" // takes a picture as in Shot; sets Data
	Scrape     Kind = "scrape"     // sets Data to the current HTML
	PDF        Kind = "pdf"        // prints the page as in Paper; sets Data
)

// Step is one action on a page. Its [Kind] says which fields it uses.
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
	Full     bool     // the whole page instead of the window, at most 7,680 pixels wide, 16,384 high and 40 Mi in total
	Quality  int      // JPEG quality from 1 to 100; zero means PNG
	Viewport Viewport // size of the window for this picture only; zero means its present size
}

// Paper describes how a page is printed. The zero value means the size Letter in
// portrait orientation, at scale 1.
type Paper struct {
	Width, Height float64 // in inches
	Landscape     bool
	Scale         float64 // from 0.1 to 2; zero means 1
}

// Page is the result of showing a page.
type Page struct {
	URL    string   // URL of the last document that was shown
	Hops   []string // URLs of the documents that were requested for the page, in order
	Status int
	Header http.Header

	// HTML is the document after its scripts have run, in UTF-8. It contains
	// shadow trees and the documents of frames in the places where a person
	// sees them. It is empty if the document is not HTML.
	HTML []byte
	Body []byte // the document as received, if it is not HTML

	Screenshot *Picture
	PDF        []byte
	Styles     []Style // in the order of the page
	Results    []Result
	Console    []string // errors and warnings of scripts; at most 100, of up to 1 KiB each
	Failed     []Failed // requests that failed or were refused; at most 100
	Warnings   []string // what was left out, and how much of it
	Ready      Ready
	Timing     Timing

	Requests int   // all requests, including those for images and scripts
	Bytes    int64 // bytes received
}

// Ready says how the page became ready.
type Ready string

// The ways in which a page becomes ready.
const (
	ReadyQuiet Ready = "quiet" // no request was open, and the text did not change
	ReadyCap   Ready = "cap"   // the page was still busy 10 s after it was loaded
)

// Timing says when the page reached each stage, counted from the call of Render.
type Timing struct {
	Queue     time.Duration // until a tab was free
	FirstByte time.Duration // until the response to the last document of the load
	Load      time.Duration // until the page was loaded with its images and scripts
	Ready     time.Duration
	Total     time.Duration
}

// Style is how the browser shows one element of the page.
type Style struct {
	Element    string            // html, body, h1, h2, h3, p, a, code, input, footer or button
	Properties map[string]string // computed values by the names of the CSS properties
}

// Picture is a screenshot.
type Picture struct {
	Type string // image/png or image/jpeg
	Data []byte
}

// Result is what a step has produced.
type Result struct {
	Step  int    // index in Request.Steps
	URL   string // URL of the page at that moment
	Data  []byte // set by Screenshot, Scrape and PDF
	Type  string // the media type of Data, or the JavaScript type of Value
	Value []byte // JSON, set by Script
}

// Failed is a request that failed or was refused.
type Failed struct{ URL, Reason string }

// StepError says which step failed and why. Later steps were not done.
type StepError struct {
	Index  int // from 0
	Kind   Kind
	Reason string
}

// Error returns a text such as "step 2 (click): element not found". Its number
// counts from 1.
func (e *StepError) Error() string {
	return fmt.Sprintf("step %d (%s): %s", e.Index+1, e.Kind, e.Reason)
}
