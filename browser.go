// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"example.com/curlew/account"
	"example.com/curlew/fetch/render"
	"example.com/curlew/internal/service/admission"
	"example.com/curlew/internal/service/outbox"
	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/internal/uuid"
	"example.com/curlew/job"
)

// mayShow returns an error if the browser cannot show pages as o asks, or if the caller's
// key may not ask for it.
func (p *parts) mayShow(c *Caller, o *ScrapeOptions) error {
	if err := p.able(o.Browser); err != nil || o.Browser == nil {
		return err
	}
	policy := &c.Team.Policy
	for _, s := range o.Browser.Steps {
		name := viewing.ActionName(s.Kind)
		if s.Kind == render.Script && !policy.AllowScripts {
			return refuse(account.ErrForbidden, "executeJavascript is not enabled for this team.")
		}
		if !allows(policy.AllowActions, name) {
			return refuse(account.ErrForbidden, "This key may not ask for the action "+name+".")
		}
	}
	if o.Browser.Screenshot != nil && o.FormNames == nil && !allows(policy.AllowFormats, "screenshot") {
		return refuse(account.ErrForbidden, "This key may not ask for the format screenshot.")
	}
	return nil
}

// able returns an error if the browser cannot do what r asks. r may be nil.
func (p *parts) able(r *render.Request) error {
	no := p.pages.Browser.Check(r)
	switch {
	case no == nil:
		return nil
	case no.Kind == "":
		return &Error{Err: ErrRequest, Field: "Browser", Text: no.Wish + " " + no.Why}
	}
	return refuse(errActions, "Actions are not supported by this server: "+no.Wish+" "+no.Why+".")
}

// kindFiles is the kind of jobs that store the files of a single scrape. They have no
// other results, and are not listed.
const kindFiles = "files"

// hidden reports whether jobs of a kind are internal, and not listed.
func hidden(kind string) bool { return kind == outbox.Kind || kind == kindFiles }

// shelf stores the files of single scrapes.
type shelf struct {
	waiting sync.Map // maps the Spec of a job that is about to begin to its *placing
}

// placing is a list of files on their way into a job.
type placing struct {
	items []job.Item
	done  chan error
}

// work is the work of a job of kindFiles.
func (s *shelf) work(ctx context.Context, j *job.Job, space job.Space) error {
	v, ok := s.waiting.LoadAndDelete(string(j.Spec))
	if !ok {
		return errJob // an earlier process ended before it had stored the files
	}
	p := v.(*placing) // nothing else is stored
	err := space.Append(ctx, p.items...)
	p.done <- err
	return err
}

// keeper returns a function that stores the files of a single scrape, or nil if they are
// not stored.
func (p *parts) keeper(c *Caller, o *ScrapeOptions) viewing.Keep {
	if o.Files == "" || o.Format.NoRetain {
		return nil
	}
	return func(ctx context.Context, files []viewing.File) ([]string, error) {
		items, keys := items(files)
		placed := &placing{items, make(chan error, 1)}
		spec, err := json.Marshal(uuid.New())
		if err != nil {
			return nil, err
		}
		p.shelf.waiting.Store(string(spec), placed)
		defer p.shelf.waiting.Delete(string(spec))
		var id string
		if err = busy(p.capacity.ShortOf()); err == nil {
			var record *job.Job
			if record, err = p.runner.Begin(ctx, job.Job{Kind: kindFiles, Owner: c.owner(), Spec: spec, Keep: c.Team.Policy.Retention}); err == nil {
				id, err = record.ID, <-placed.done
			}
		}
		if err != nil {
			return nil, outOf(admission.OfDisk, fmt.Errorf("store the files of a page: %w", err))
		}
		urls := make([]string, len(files))
		for i, key := range keys {
			urls[i] = viewing.URL(o.Files, id, i, key)
		}
		return urls, nil
	}
}

// items returns the items of files, and the key of each.
func items(files []viewing.File) (list []job.Item, keys []string) {
	for i := range files {
		it, key := files[i].Item()
		list, keys = append(list, it), append(keys, key)
	}
	return list, keys
}

// keeper returns a function that stores files of pages with the job, or nil if they are not
// stored.
func (w *work) keeper() viewing.Keep {
	if w.page.Files == "" || w.Retained {
		return nil
	}
	return w.keepFiles
}

// keepFiles stores files of a page with the job.
func (w *work) keepFiles(ctx context.Context, files []viewing.File) ([]string, error) {
	list, keys := items(files)
	w.files.Lock() // so that the places of the files are known
	defer w.files.Unlock()
	stats, err := w.space.Stats(ctx)
	if err == nil {
		err = w.space.Append(ctx, list...)
	}
	if err != nil {
		return nil, err
	}
	urls := make([]string, len(files))
	for i, key := range keys {
		urls[i] = viewing.URL(w.page.Files, w.job, stats.Items[job.File]+i, key)
	}
	return urls, nil
}

// File returns a picture or PDF of a page and its media type. id, n and key are from its
// URL, which is [ScrapeOptions].Files + id + "/" + n + "?sig=" + key. Whoever has the URL
// may read the file, so there is no Caller. If there is no such file, if its job has
// been deleted, or if the key is wrong, the error wraps [job.ErrNotFound].
func (s *Service) File(ctx context.Context, id string, n int, key string) (data []byte, mediaType string, err error) {
	if n < 0 {
		return nil, "", job.ErrNotFound
	}
	space, err := s.parts().runner.Store.Space(ctx, id)
	if err != nil {
		return nil, "", err
	}
	list, err := space.Items(ctx, job.File, n, 1)
	if err == nil && len(list) == 1 {
		err = list[0].Err
	}
	if err != nil {
		return nil, "", err
	}
	if len(list) == 1 {
		if f, ok := viewing.OpenFile(list[0].Data, key); ok {
			return f.Data, f.Type, nil
		}
	}
	return nil, "", job.ErrNotFound
}
