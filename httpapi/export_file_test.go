// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/curlew"
	"example.com/curlew/export"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// fragile is a store that fails, once broken, to read items after the first hundred.
type fragile struct {
	job.Store
	broken atomic.Bool
}

func (f *fragile) Space(ctx context.Context, id string) (job.Space, error) {
	s, err := f.Store.Space(ctx, id)
	return fragileSpace{s, f}, err
}

type fragileSpace struct {
	job.Space
	store *fragile
}

func (s fragileSpace) Items(ctx context.Context, kind job.ItemKind, from, limit int) ([]job.Item, error) {
	if s.store.broken.Load() && from >= 100 {
		return nil, errors.New("disk /dev/sda1 is gone")
	}
	return s.Space.Items(ctx, kind, from, limit)
}

// TestExport downloads an archive from a real server. An export that fails on the way
// must not look complete.
func TestExport(t *testing.T) {
	const pages = 130
	web := fakeWeb{}
	var urls []string
	for i := range pages {
		url := fmt.Sprintf("http://a.test/%d", i)
		urls = append(urls, url)
		web[url] = fmt.Sprintf("<title>%d</title><main><p>%s</p></main>", i, strings.Repeat("Long text. ", 200))
	}
	asked, err := json.Marshal(map[string]any{"urls": urls})
	if err != nil {
		t.Fatal(err)
	}
	store := &fragile{Store: new(job.Memory)}
	service := &curlew.Service{Fetcher: web, Store: store}
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	defer func() {
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	_, answer := ask(t, h, "POST", "/v2/batch/scrape", string(asked))
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &started); err != nil {
		t.Fatal(err)
	}
	j, err := service.Job(t.Context(), "default", started.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}

	get := func(form export.Format) (status int, trailer http.Header, body []byte, err error) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v2/batch/scrape/"+started.ID+"/export?format="+string(form), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		w, err := server.Client().Do(r)
		if err != nil {
			return 0, nil, nil, err
		}
		defer w.Body.Close()
		body, err = io.ReadAll(w.Body)
		return w.StatusCode, w.Trailer, body, err
	}
	status, trailer, body, err := get(export.Markdown)
	if err != nil || status != http.StatusOK || trailer.Get("Export-Documents") != strconv.Itoa(pages) || trailer.Get("Export-Left-Out") != "" {
		t.Fatalf("%v %d %v", err, status, trailer)
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil || len(z.File) != pages+1 {
		t.Fatalf("%d files, %v", len(z.File), err)
	}

	store.broken.Store(true)
	status, _, body, err = get(export.JSONL)
	if err == nil || status != http.StatusOK || bytes.Count(body, []byte("\n")) >= pages {
		t.Errorf("an export that failed on the way: %v, %d, %d lines", err, status, bytes.Count(body, []byte("\n")))
	}
}
