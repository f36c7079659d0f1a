// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/format"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/parse"
)

// stuckOCR is an OCR engine that ignores its context and returns only when it
// is released.
type stuckOCR struct {
	begun atomic.Int32
	free  chan struct{}
}

// pictureOf returns a PNG that needs OCR.
func pictureOf(t *testing.T) string {
	t.Helper()
	png, err := os.ReadFile(golden.Root("parse/parsetest/page.png"))
	if err != nil {
		t.Fatal(err)
	}
	return string(png)
}

func (o *stuckOCR) Recognize(context.Context, parse.Picture) (parse.Recognition, error) {
	o.begun.Add(1)
	<-o.free
	return parse.Recognition{Markdown: "Words."}, nil
}

// TestStuckDocument parses documents that ignore their deadline. Each request
// is answered in time, the slots stay occupied until the work has ended, and
// the log reports it.
func TestStuckDocument(t *testing.T) {
	png := pictureOf(t)
	synctest.Test(t, func(t *testing.T) {
		ocr := &stuckOCR{free: make(chan struct{})}
		var logged safeBuffer
		service := &curlew.Service{Fetcher: fakeWeb{}, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
		service.Parser.OCR = ocr
		h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{
			"fc-test": {ID: "team", Policy: account.Policy{MaxConcurrency: 2}},
		})})
		if err != nil {
			t.Fatal(err)
		}
		send := func() (int, string) {
			body := "--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{\"timeout\":3000}\r\n" +
				"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n" + png + "\r\n--b--\r\n"
			w, answer := ask(t, h, "POST", "/v2/parse", body, "Content-Type", "multipart/form-data; boundary=b")
			return w.Code, answer
		}
		for range 2 {
			start := time.Now()
			if code, answer := send(); code != http.StatusRequestTimeout {
				t.Fatalf("%d %s", code, answer)
			}
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("the answer to 3 s came after %v", took)
			}
		}
		if n := ocr.begun.Load(); n != 2 {
			t.Fatalf("%d documents were begun", n)
		}
		if n := strings.Count(logged.String(), "goes on after its end"); n != 2 {
			t.Errorf("%d are logged: %s", n, logged.String())
		}
		// Both slots are occupied, so the next document does not start.
		if code, _ := send(); code != http.StatusRequestTimeout || ocr.begun.Load() != 2 {
			t.Errorf("%d, %d documents begun", code, ocr.begun.Load())
		}
		if w, answer := ask(t, h, "GET", "/v2/concurrency-check", ""); w.Code != http.StatusOK || !strings.Contains(answer, `"concurrency":2`) {
			t.Errorf("concurrency: %d %s", w.Code, answer)
		}
		close(ocr.free)
		synctest.Wait()
		if code, answer := send(); code != http.StatusOK || !strings.Contains(answer, "Words.") {
			t.Errorf("once they have ended: %d %s", code, answer)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestStuckShutdown shuts down a Service while a document of a request and one
// of a batch do not end. Shutdown returns soon, and the log names what is left.
func TestStuckShutdown(t *testing.T) {
	png := pictureOf(t)
	synctest.Test(t, func(t *testing.T) {
		ocr := &stuckOCR{free: make(chan struct{})}
		var logged safeBuffer
		service := &curlew.Service{Fetcher: fakeWeb{"http://a.test/a.png": png}, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
		service.Parser.OCR = ocr
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		if w, answer := ask(t, h, "POST", "/v2/batch/scrape", `{"urls":["http://a.test/a.png"]}`); w.Code != http.StatusOK {
			t.Fatal(answer)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := service.Parse(t.Context(), parse.Source{Name: "a.png", Data: strings.NewReader(png), Size: int64(len(png))}, &curlew.ParseOptions{Format: format.Options{}})
			ended <- err
		}()
		synctest.Wait()
		if n := ocr.begun.Load(); n != 2 {
			t.Fatalf("%d documents were begun", n)
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		if err := service.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("shutdown took %v", took)
		}
		if err := <-ended; err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("a document at shutdown: %v", err)
		}
		if !strings.Contains(logged.String(), "documents are still being read at shutdown") || !strings.Contains(logged.String(), "count=2") {
			t.Errorf("logged: %s", logged.String())
		}
		close(ocr.free)
		synctest.Wait()
	})
}

// TestMemoryWaits uses a Service with little memory. Requests that find none
// are told to retry, and the pages of a batch wait for each other.
func TestMemoryWaits(t *testing.T) {
	png := pictureOf(t)
	synctest.Test(t, func(t *testing.T) {
		ocr := &stuckOCR{free: make(chan struct{})}
		web := fakeWeb{}
		urls := []string{}
		for i := range 4 {
			url := fmt.Sprintf("http://a.test/%d.png", i)
			web[url], urls = png, append(urls, `"`+url+`"`)
		}
		service := &curlew.Service{Fetcher: web, Limits: curlew.Limits{Memory: 4 << 20, Wait: 5 * time.Second}}
		service.Parser.OCR = ocr
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		w, answer := ask(t, h, "POST", "/v2/batch/scrape", `{"urls":[`+strings.Join(urls, ",")+`]}`)
		if w.Code != http.StatusOK {
			t.Fatal(answer)
		}
		_, after, _ := strings.Cut(answer, `"id":"`)
		id, _, _ := strings.Cut(after, `"`)
		synctest.Wait()
		if n := ocr.begun.Load(); n != 1 {
			t.Fatalf("%d documents are read at once", n)
		}
		start := time.Now()
		_, err = service.Parse(t.Context(), parse.Source{Name: "a.png", Data: strings.NewReader(png), Size: int64(len(png))}, nil)
		if !errors.Is(err, curlew.ErrBusy) || time.Since(start) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		ready, why := ask(t, httpapi.Health(service), "GET", "/readyz", "")
		if ready.Code != http.StatusServiceUnavailable || !strings.Contains(why, "memory") {
			t.Errorf("readyz: %d %s", ready.Code, why)
		}
		close(ocr.free)
		time.Sleep(10 * time.Second)
		if _, answer := ask(t, h, "GET", "/v2/batch/scrape/"+id, ""); !strings.Contains(answer, `"status":"completed","completed":4`) {
			t.Errorf("the batch: %s", answer)
		}
		if ready, why := ask(t, httpapi.Health(service), "GET", "/readyz", ""); ready.Code != http.StatusOK {
			t.Errorf("readyz: %d %s", ready.Code, why)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
