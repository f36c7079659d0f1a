// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"container/list"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"example.com/curlew/format"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
)

// scrapePage serves POST /v2/scrape.
func scrapePage(h *Handler, c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodePage(body, h.wireOptions())
	check, err := h.newChecker(err)
	if err != nil {
		return err
	}
	check.url(req.URL, "url")
	ignored := verifyTLS(&c.team.Policy, &req.Scrape)
	page := check.page(&req.Scrape)
	page.Notes = append(page.Notes, ignored...)
	over := check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	if err := check.actions(&req.Scrape); err != nil {
		return err
	}
	page.Files = h.files(c)
	page.Caller, page.Threat = c.caller(req.Audit, &req.Source), over
	page.ZeroRetention = value(req.ZeroDataRetention, false)
	doc, err := h.service.Scrape(c.ctx(), req.URL, &page)
	if err != nil {
		return err
	}
	raw, err := jsonenc.Encode(doc)
	if err != nil {
		return err
	}
	if !page.Caller.KeepsNothing(page.ZeroRetention) {
		life := cmp.Or(c.team.Policy.Retention, h.service.Keep, job.DefaultKeep)
		h.recent.keep(doc.Metadata.ScrapeID, c.team.ID, raw, life)
	}
	return c.answer(http.StatusOK, wire.Data{Success: true, Data: raw})
}

// document answers with doc.
func (c *call) document(doc *format.Document) error {
	raw, err := jsonenc.Encode(doc)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, wire.Data{Success: true, Data: json.RawMessage(raw)})
}

// maxRecent bounds the stored documents of single scrapes, in bytes over all teams. The
// oldest are dropped first.
const maxRecent = 64 << 20

// recent stores documents of POST /v2/scrape for GET /v2/scrape/{id}. They live in memory, and
// no longer than a job.
type recent struct {
	mu    sync.Mutex
	size  int                      // guarded by mu
	order list.List                // guarded by mu; of *scraped, the oldest first
	byID  map[string]*list.Element // guarded by mu
}

type scraped struct {
	id, team string
	doc      json.RawMessage
	expires  time.Time
}

// keep stores a document of a team for some time.
func (r *recent) keep(id, team string, doc json.RawMessage, life time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(doc) > maxRecent/4 {
		return // it would displace too many others
	}
	if r.byID == nil {
		r.byID = map[string]*list.Element{}
	}
	r.byID[id] = r.order.PushBack(&scraped{id, team, doc, time.Now().Add(life)})
	r.size += len(doc)
	for r.size > maxRecent {
		r.drop(r.order.Front())
	}
}

// drop removes a document. The caller holds mu.
func (r *recent) drop(e *list.Element) {
	s := r.order.Remove(e).(*scraped) // nothing else is stored
	delete(r.byID, s.id)
	r.size -= len(s.doc)
}

// find returns a document of the team. It returns false if the document is unknown, expired or
// of another team.
func (r *recent) find(id, team string) (json.RawMessage, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.byID[id]
	if !ok {
		return nil, false
	}
	s := e.Value.(*scraped) // nothing else is stored
	if !time.Now().Before(s.expires) {
		r.drop(e)
		return nil, false
	}
	return s.doc, s.team == team
}

// scrapedPage serves GET /v2/scrape/{id}.
func scrapedPage(h *Handler, c *call) error {
	id, err := c.job()
	if err != nil {
		return err
	}
	doc, ok := h.recent.find(id, c.team.ID)
	if !ok {
		return job.ErrNotFound
	}
	return c.answer(http.StatusOK, wire.Data{Success: true, Data: doc})
}
