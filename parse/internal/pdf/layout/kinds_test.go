// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"testing"

	"example.com/curlew/internal/test/pdftest"
)

func TestImprint(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Journal of Orchards, Vol. 12, No. 3": true, "ISSN 1234-5678": true, "doi:10.1000/182": true, "https://orchards.example/a": true,
		"© 2024 The Authors": true, "Downloaded from orchards.example": true, "Page 3 of 12": true, "Copyright 2024": true,
		"Volume and pressure": false, "The doing of things": false, "Received wisdom": false, "Page layout": false, "3 Results": false,
	} {
		if got := isImprint(text); got != want {
			t.Errorf("isImprint(%q) = %v", text, got)
		}
	}
}

func TestByline(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Ann B. Weaver, John Cole and Mary Reed": true, "J. Barley & K. Timber": true,
		"Methods, Results and Discussion": false, "Energy Policy and Social Justice": false, "Ann Weaver": false,
		"Plan B. and what it costs": false, "": false,
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(pdftest.Text("F1", 14, 72, 700, text)))[0]
		if got := byline(&Block{Lines: p.Lines}); got != want {
			t.Errorf("byline(%q) = %v", text, got)
		}
	}
}

func TestLigature(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"fi": true, "Th": true, "int": false, "f": false, "": false} {
		if got := ligature(text); got != want {
			t.Errorf("ligature(%q) = %v", text, got)
		}
	}
}
