// SPDX-License-Identifier: Apache-2.0

package format

import "encoding/json"

// ActionResults are the results of steps on a page in a browser, each list in the order of
// the steps (contract.md 8.2).
type ActionResults struct {
	Screenshots       []string       `json:"screenshots"` // URLs
	Scrapes           []ScrapeResult `json:"scrapes"`
	JavascriptReturns []ScriptResult `json:"javascriptReturns"`
	PDFs              []string       `json:"pdfs"` // URLs
}

// ScrapeResult is the document of a page at the time of a step.
type ScrapeResult struct {
	URL  string `json:"url"`
	HTML string `json:"html"`
}

// ScriptResult is the value of a script.
type ScriptResult struct {
	Type  string          `json:"type"`  // the type in JavaScript, such as string or object
	Value json.RawMessage `json:"value"` // null if the value cannot be written as JSON
}
