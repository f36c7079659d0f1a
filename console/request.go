// SPDX-License-Identifier: Apache-2.0

package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"example.com/curlew"
	"example.com/curlew/console/internal/snippet"
	"example.com/curlew/httpapi"
)

const (
	maxBody = 1 << 20 // bytes of a request that is written as code
	maxBase = 2000    // bytes of the URL of this server
)

// written is a request as a command and as programs.
type written struct {
	Success bool `json:"success"`
	*snippet.Code
	Stored string `json:"stored,omitempty"` // for a page: the command that reads the stored document
}

// write writes a request to the server at base, the URL by which the browser reaches it.
func write(call snippet.Call, base string, body []byte) (*written, error) {
	if len(base) > maxBase || !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
		return nil, fault{http.StatusBadRequest, "The parameter base must be the URL of this server."}
	}
	code, err := snippet.Write(call, base, body)
	switch {
	case errors.Is(err, snippet.ErrCall):
		return nil, fault{http.StatusNotFound, "There is no code for this call."}
	case err != nil:
		return nil, fault{http.StatusBadRequest, "The request is not a JSON object."}
	}
	return &written{Success: true, Code: code}, nil
}

// code writes the request in the body, for the call that the path names.
func (h *Handler) code(w http.ResponseWriter, r asked) (any, error) {
	body, done, err := h.read(w, r, maxBody)
	if err != nil {
		return nil, err
	}
	defer done()
	return write(snippet.Call(r.PathValue("call")), r.URL.Query().Get("base"), body)
}

// calls are the calls that start jobs, by the kind of the job.
var calls = map[string]snippet.Call{curlew.KindCrawl: snippet.Crawl, curlew.KindBatch: snippet.Batch, curlew.KindAgent: snippet.Agent, curlew.KindExtract: snippet.Extract}

// request writes the request that started a job. With the parameter page, it writes the
// request that scrapes the page of that document with the options of the job.
func (h *Handler) request(_ http.ResponseWriter, r asked) (any, error) {
	j, err := h.own(r)
	if err != nil {
		return nil, err
	}
	body, omitted, err := httpapi.StoredRequest(j)
	switch {
	case err != nil:
		return nil, err
	case body == nil:
		return nil, fault{http.StatusNotFound, "The request of this job is not stored, because the job was not started over the API, or by an earlier version of the server."}
	}
	query := r.URL.Query()
	if query.Has("page") {
		return h.pageRequest(r, j, body)
	}
	answer, err := write(calls[j.Kind()], query.Get("base"), body)
	if err != nil {
		return nil, err
	}
	var stored struct {
		URLs   []string `json:"urls"`
		Prompt string   `json:"prompt"`
	}
	if err := json.Unmarshal(body, &stored); err != nil {
		return nil, err
	}
	if omitted > 0 {
		answer.Notes = append(answer.Notes, fmt.Sprintf("Only the first %d URLs of the batch are stored with its request. Add the other %d.", len(stored.URLs), omitted))
	}
	if j.Kind() == curlew.KindCrawl && stored.Prompt != "" {
		answer.Notes = append(answer.Notes, "The request includes the options that the model chose from the prompt.")
	}
	return answer, nil
}

// pageRequest writes the request that scrapes the page of a document of j. body is the request
// that started j.
func (h *Handler) pageRequest(r asked, j *curlew.Job, body json.RawMessage) (any, error) {
	path, ok := map[string]string{curlew.KindCrawl: "/v2/crawl/", curlew.KindBatch: "/v2/batch/scrape/"}[j.Kind()]
	if !ok {
		return nil, fault{http.StatusNotFound, "Only crawls and batches have pages."}
	}
	query := r.URL.Query()
	n, err := strconv.Atoi(query.Get("page"))
	if err != nil || n < 0 {
		return nil, fault{http.StatusBadRequest, "The parameter page must be the index of a document."}
	}
	docs, err := j.Documents(r.Context(), n, 1, maxRead)
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return nil, fault{http.StatusNotFound, "There is no such page in this job."}
	}
	var doc stored
	if err := json.Unmarshal(docs[0], &doc); err != nil || doc.Metadata.SourceURL == "" {
		return nil, fault{http.StatusUnprocessableEntity, "The stored document does not name its page."}
	}
	scrape, err := snippet.PageBody(body, doc.Metadata.SourceURL)
	if err != nil {
		return nil, err
	}
	base := query.Get("base")
	answer, err := write(snippet.Scrape, base, scrape)
	if err != nil {
		return nil, err
	}
	answer.Stored = snippet.Get(base, fmt.Sprintf("%s%s?skip=%d&limit=1", path, j.ID(), n))
	return answer, nil
}
