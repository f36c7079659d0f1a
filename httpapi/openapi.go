// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"net/http"
	"strings"

	"example.com/curlew/httpapi/internal/openapi"
)

// describe returns the OpenAPI document of the handler, without its servers.
func (h *Handler) describe() ([]byte, error) {
	all := make([]openapi.Route, len(h.routes))
	for i := range h.routes {
		all[i] = openapi.Route{Method: h.routes[i].method, Pattern: h.routes[i].pattern, Keyless: h.routes[i].keyless}
	}
	faults := make([]openapi.Error, 0, len(answers)+len(statuses))
	for i := range answers {
		line := &answers[i]
		fault := openapi.Error{Status: line.status, Code: line.code}
		if line.err != nil {
			// A text in lower case is for logs: the place that finds the error has one for
			// the answer.
			_, body := failure(*line.err, line.scope)
			if first := body.Error[:1]; first == strings.ToUpper(first) {
				fault.Body = &body
			}
		}
		faults = append(faults, fault)
	}
	for _, line := range statuses {
		faults = append(faults, openapi.Error{Status: line.status, Code: line.code})
	}
	return openapi.Build(all, faults)
}

// describeAPI serves GET /openapi.json.
func describeAPI(h *Handler, c *call) error {
	base, err := h.base(c.r)
	if err != nil {
		return err
	}
	document, err := h.description()
	if err != nil {
		return err
	}
	if document, err = openapi.At(document, base); err != nil {
		return err
	}
	c.send(http.StatusOK, document)
	return nil
}
