// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"
)

// Document is a page or a file. Raw contains all its members.
type Document struct {
	Markdown string          `json:"markdown"`
	HTML     string          `json:"html"`
	RawHTML  string          `json:"rawHtml"`
	Summary  string          `json:"summary"`
	Links    []string        `json:"links"`
	Images   []string        `json:"images"`
	JSON     json.RawMessage `json:"json"`
	Warning  string          `json:"warning"`
	Metadata Metadata        `json:"metadata"`

	Raw json.RawMessage `json:"-"`
}

// Metadata describes a document.
type Metadata struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Language    string `json:"language"`
	SourceURL   string `json:"sourceURL"` // as requested, or the name of the file
	URL         string `json:"url"`       // after redirects
	StatusCode  int    `json:"statusCode"`
	ContentType string `json:"contentType"`
	Error       string `json:"error"`      // text of the status if the site answered with an error
	NumPages    int    `json:"numPages"`   // that were read
	TotalPages  int    `json:"totalPages"` // of the file
	CreditsUsed int    `json:"creditsUsed"`
	ScrapeID    string `json:"scrapeId"`
	Change      string `json:"change"` // with since: new, changed, same
}

// UnmarshalJSON keeps the text in Raw.
func (d *Document) UnmarshalJSON(b []byte) error {
	type plain Document
	if err := json.Unmarshal(b, (*plain)(d)); err != nil {
		return err
	}
	d.Raw = bytes.Clone(b)
	return nil
}

// Kind is a kind of job.
type Kind string

// Kinds of jobs whose results are documents.
const (
	CrawlJob Kind = "crawl"
	BatchJob Kind = "batch/scrape"
)

func (k Kind) path(id string) string { return "/v2/" + string(k) + "/" + url.PathEscape(id) }

// Ended reports whether nothing will be added to the job.
func (s *Status) Ended() bool { return s.Status != "scraping" }

// Scrape returns one page. A page that the site answered with an error status is a
// Document with Metadata.Error.
func (c *Client) Scrape(ctx context.Context, r *Page) (*Document, error) {
	var out struct{ Data *Document }
	err := c.Do(ctx, http.MethodPost, "/v2/scrape", r, &out)
	return out.Data, err
}

// Map lists the URLs of a site.
func (c *Client) Map(ctx context.Context, r *Map) (*Mapped, error) {
	out := new(Mapped)
	return out, c.Do(ctx, http.MethodPost, "/v2/map", r, out)
}

// SearchResults are the hits of a search.
type SearchResults struct {
	ID          string `json:"id"`
	CreditsUsed int    `json:"creditsUsed"`
	Warning     string `json:"warning"`
	Data        struct {
		Web    []Hit `json:"web"`
		News   []Hit `json:"news"`
		Images []Hit `json:"images"`
	} `json:"data"`
}

// Hit is a hit of a search. Raw has all its members, including the members of its Document.
type Hit struct {
	URL         string `json:"url"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Position    int    `json:"position"`
	Markdown    string `json:"markdown"` // with scrapeOptions

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the text in Raw.
func (h *Hit) UnmarshalJSON(b []byte) error {
	type plain Hit
	if err := json.Unmarshal(b, (*plain)(h)); err != nil {
		return err
	}
	h.Raw = bytes.Clone(b)
	return nil
}

// Search searches the web.
func (c *Client) Search(ctx context.Context, r *Search) (*SearchResults, error) {
	out := new(SearchResults)
	return out, c.Do(ctx, http.MethodPost, "/v2/search", r, out)
}

// Parse reads a file. Its name says which kind it is if the content does not. The upload
// is repeated after 429 and 503 only if file is an io.Seeker.
func (c *Client) Parse(ctx context.Context, name string, file io.Reader, o *Parse) (*Document, error) {
	options, err := json.Marshal(cmp.Or(o, new(Parse))) //nolint:gosec // a password of the document is sent on purpose
	if err != nil {
		return nil, err
	}
	return c.ParseJSON(ctx, name, file, options)
}

// ParseJSON is Parse with options as JSON.
func (c *Client) ParseJSON(ctx context.Context, name string, file io.Reader, options json.RawMessage) (*Document, error) {
	sent := false
	var out struct{ Data *Document }
	err := c.send(ctx, http.MethodPost, "/v2/parse", &out, func() (io.Reader, string, error) {
		if seeker, ok := file.(io.Seeker); ok && sent {
			if _, err := seeker.Seek(0, io.SeekStart); err != nil {
				return nil, "", err
			}
		} else if sent {
			return nil, "", errors.New("the server is busy, and the file cannot be read again")
		}
		sent = true
		body, in := io.Pipe()
		form := multipart.NewWriter(in)
		go func() { in.CloseWithError(upload(form, name, file, options)) }()
		return body, form.FormDataContentType(), nil
	})
	return out.Data, err
}

// upload writes the parts of a form.
func upload(form *multipart.Writer, name string, file io.Reader, options []byte) error {
	if err := form.WriteField("options", string(options)); err != nil {
		return err
	}
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, file); err != nil {
		return err
	}
	return form.Close()
}

// StartCrawl starts a crawl and returns its id.
func (c *Client) StartCrawl(ctx context.Context, r *Crawl) (*Started, error) {
	return c.start(ctx, "/v2/crawl", r)
}

// StartBatch starts a batch and returns its id.
func (c *Client) StartBatch(ctx context.Context, r *Batch) (*Started, error) {
	return c.start(ctx, "/v2/batch/scrape", r)
}

func (c *Client) start(ctx context.Context, path string, in any) (*Started, error) {
	out := new(Started)
	return out, c.Do(ctx, http.MethodPost, path, in, out)
}

// Status returns the state of a crawl or batch, with at most limit of its documents from
// the one with number skip. A limit of zero means 100.
func (c *Client) Status(ctx context.Context, k Kind, id string, skip, limit int) (*Status, error) {
	out := new(Status)
	query := fmt.Sprintf("?skip=%d&limit=%d", skip, cmp.Or(limit, 100))
	return out, c.Do(ctx, http.MethodGet, k.path(id)+query, nil, out)
}

// Cancel cancels a crawl or batch. It returns when nothing can be added any more.
func (c *Client) Cancel(ctx context.Context, k Kind, id string) error {
	return c.Do(ctx, http.MethodDelete, k.path(id), nil, nil)
}

// Errors lists the pages of a job that failed, and those that robots.txt disallows.
func (c *Client) Errors(ctx context.Context, k Kind, id string) (*Errors, error) {
	out := new(Errors)
	return out, c.Do(ctx, http.MethodGet, k.path(id)+"/errors", nil, out)
}

// Explain says which rule of a crawl admits or refuses a URL.
func (c *Client) Explain(ctx context.Context, id, address string) (*Explained, error) {
	out := new(Explained)
	return out, c.Do(ctx, http.MethodGet, CrawlJob.path(id)+"/explain?url="+url.QueryEscape(address), nil, out)
}

func (c *Client) poll() time.Duration { return cmp.Or(c.Poll, time.Second) }

// Crawl starts a crawl and yields its documents, as Watch does. If the caller stops early,
// or its context ends, the crawl is cancelled.
func (c *Client) Crawl(ctx context.Context, r *Crawl) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		job, err := c.StartCrawl(ctx, r)
		if err != nil {
			yield(nil, err)
			return
		}
		for d, err := range c.Watch(ctx, CrawlJob, job.ID, 0) {
			if yield(d, err) && ctx.Err() == nil {
				continue
			}
			if !errors.Is(err, ErrJob) {
				ending, stop := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
				_ = c.Cancel(ending, CrawlJob, job.ID) // the caller has left
				stop()
			}
			return
		}
	}
}

// AgentStatus is the state of an agent, and its answer when it has ended. Raw has all
// members, such as sources and fields.
type AgentStatus struct {
	ID          string          `json:"id"`
	Status      string          `json:"status"` // processing, completed, failed, cancelled
	Data        json.RawMessage `json:"data"`
	Error       string          `json:"error"`
	Notice      string          `json:"notice"`
	StopReason  string          `json:"stopReason"`
	Partial     bool            `json:"partial"`
	CreditsUsed int             `json:"creditsUsed"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the text in Raw.
func (a *AgentStatus) UnmarshalJSON(b []byte) error {
	type plain AgentStatus
	if err := json.Unmarshal(b, (*plain)(a)); err != nil {
		return err
	}
	a.Raw = bytes.Clone(b)
	return nil
}

// StartAgent starts an agent and returns its id.
func (c *Client) StartAgent(ctx context.Context, r *Agent) (*Started, error) {
	return c.start(ctx, "/v2/agent", r)
}

// Agent returns the state of an agent.
func (c *Client) Agent(ctx context.Context, id string) (*AgentStatus, error) {
	out := new(AgentStatus)
	return out, c.Do(ctx, http.MethodGet, "/v2/agent/"+url.PathEscape(id), nil, out)
}

// WaitAgent returns the state of an agent when it has ended.
func (c *Client) WaitAgent(ctx context.Context, id string) (*AgentStatus, error) {
	for {
		now, err := c.Agent(ctx, id)
		if err != nil || now.Status != "processing" {
			return now, err
		}
		if err := pause(ctx, c.poll()); err != nil {
			return now, err
		}
	}
}

// CancelAgent cancels an agent.
func (c *Client) CancelAgent(ctx context.Context, id string) error {
	return c.Do(ctx, http.MethodDelete, "/v2/agent/"+url.PathEscape(id), nil, nil)
}

// StartExtract starts an extract and returns its id.
func (c *Client) StartExtract(ctx context.Context, r *Extract) (*Started, error) {
	return c.start(ctx, "/v2/extract", r)
}

// Extract returns the state of an extract.
func (c *Client) Extract(ctx context.Context, id string) (*ExtractStatus, error) {
	out := new(ExtractStatus)
	return out, c.Do(ctx, http.MethodGet, "/v2/extract/"+url.PathEscape(id), nil, out)
}

// Credits are the credits of the team.
type Credits struct {
	Remaining int `json:"remainingCredits"` // 2147483647 means unlimited
	Plan      int `json:"planCredits"`
}

// Credits returns the credits of the team.
func (c *Client) Credits(ctx context.Context) (*Credits, error) {
	var out struct{ Data Credits }
	err := c.Do(ctx, http.MethodGet, "/v2/team/credit-usage", nil, &out)
	return &out.Data, err
}

// Queue returns how many jobs of the team are running and waiting.
func (c *Client) Queue(ctx context.Context) (*Queue, error) {
	out := new(Queue)
	return out, c.Do(ctx, http.MethodGet, "/v2/team/queue-status", nil, out)
}
