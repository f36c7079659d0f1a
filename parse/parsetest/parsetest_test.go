// SPDX-License-Identifier: Apache-2.0

package parsetest_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"example.com/curlew/internal/leak"
	"example.com/curlew/parse"
	"example.com/curlew/parse/parsetest"
)

func TestMain(m *testing.M) { leak.Main(m) }

// fakeOCR knows the page.
type fakeOCR struct{ page []byte }

func (f fakeOCR) Recognize(ctx context.Context, p parse.Picture) (parse.Recognition, error) {
	if err := context.Cause(ctx); err != nil {
		return parse.Recognition{}, err
	}
	if bytes.Equal(p.Data, f.page) {
		return parse.Recognition{Markdown: strings.Join(parsetest.Words(), " "), Confidence: -1}, nil
	}
	return parse.Recognition{Confidence: -1}, nil
}

func TestCheckOCR(t *testing.T) {
	parsetest.CheckOCR(t, func(t *testing.T) parse.OCR { return fakeOCR{parsetest.Page(t).Data} })
}
