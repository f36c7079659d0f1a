// SPDX-License-Identifier: Apache-2.0

package s3_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/job/blob"
	"example.com/curlew/job/blob/blobtest"
	"example.com/curlew/job/blob/s3"
)

func TestMain(m *testing.M) { leak.Main(m) }

var options = s3.Options{Region: "us-east-1", AccessKey: "key", SecretKey: "secret"}

// serve starts a service with an empty bucket. wrap may change what it answers.
func serve(t *testing.T, wrap func(http.Handler) http.Handler) (endpoint string) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	h := gofakes3.New(backend, gofakes3.WithAutoBucket(false)).Server()
	if wrap != nil {
		h = wrap(h)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func open(t *testing.T, url string) *s3.Store {
	t.Helper()
	st, err := s3.Open(t.Context(), url, &options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return st
}

func TestStore(t *testing.T) {
	for _, folder := range []string{"", "/", "/a/Folder/"} {
		t.Run(folder, func(t *testing.T) {
			blobtest.Check(t, func(t *testing.T) blob.Store {
				return open(t, "s3://bucket"+folder+"?endpoint="+serve(t, nil))
			})
		})
	}
}

// TestManyPages lists and removes more objects than one answer contains.
func TestManyPages(t *testing.T) {
	st := open(t, "s3://bucket?endpoint="+serve(t, nil))
	const many = 2100
	for i := range many {
		if err := st.Put(t.Context(), fmt.Sprintf("f/%d", i), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	count := func() (n int) {
		t.Helper()
		for _, err := range st.List(t.Context(), "f") {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	if n := count(); n != many {
		t.Errorf("listed %d of %d", n, many)
	}
	if err := st.Remove(t.Context(), "f"); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Errorf("%d objects stay", n)
	}
}

func TestOpenErrors(t *testing.T) {
	endpoint := serve(t, nil)
	for _, url := range []string{
		"", "s3://", "s3:///folder", "https://bucket", "bucket", "s3://bucket?endpoint=host:9000", "s3://bucket?endpoint=ftp://host", "s3://bucket?endpoint=http://",
		"s3://bucket?acl=public", "s3://bucket?region=a&region=b", "s3://bucket?%zz", "s3://another?endpoint=" + endpoint, "s3://bucket?endpoint=http://user@host/path",
	} {
		st, err := s3.Open(t.Context(), url, &options)
		if !errors.Is(err, s3.ErrURL) || st != nil {
			t.Errorf("Open(%q): %v", url, err)
		}
	}
}

// TestBroken tests that no answer of a broken service looks like an object, and that no
// failure of the service looks like a missing or damaged object.
func TestBroken(t *testing.T) {
	var fault atomic.Value
	fault.Store("")
	endpoint := serve(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch kind := fault.Load().(string); kind {
			case "":
				next.ServeHTTP(w, r)
			case "cut":
				w.Header().Set("Content-Range", "bytes 0-999/1000")
				w.Header().Set("Content-Length", "1000")
				w.Header().Set("Etag", `"x"`)
				w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
				w.WriteHeader(http.StatusPartialContent)
				_, _ = io.WriteString(w, "half")
			case "whole":
				r.Header.Del("Range")
				next.ServeHTTP(w, r)
			case "empty":
			default:
				w.Header().Set("Content-Type", "application/xml")
				status := http.StatusForbidden
				if kind == "InternalError" {
					status = http.StatusInternalServerError
				}
				w.WriteHeader(status)
				fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", kind)
			}
		})
	})
	st := open(t, "s3://bucket?endpoint="+endpoint)
	if err := st.Put(t.Context(), "f/o", []byte(strings.Repeat("x", 1000))); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"cut", "whole", "empty", "AccessDenied", "InternalError"} {
		fault.Store(kind)
		got, err := st.Read(t.Context(), "f/o", 0, 1000)
		if kind == "whole" {
			got, err = st.Read(t.Context(), "f/o", 10, 100)
		}
		if err == nil || got != nil || errors.Is(err, blob.ErrMissing) || errors.Is(err, blob.ErrDamaged) {
			t.Errorf("%s: Read: %d bytes, %v", kind, len(got), err)
		}
		if kind == "cut" || kind == "whole" || kind == "empty" {
			continue
		}
		if err := st.Put(t.Context(), "f/p", []byte("x")); err == nil {
			t.Errorf("%s: Put succeeded", kind)
		}
		if err := st.Remove(t.Context(), "f"); err == nil {
			t.Errorf("%s: Remove succeeded", kind)
		}
		n := 0
		for _, err := range st.List(t.Context(), "f") {
			if err == nil {
				t.Errorf("%s: List succeeded", kind)
			}
			n++
		}
		if n != 1 {
			t.Errorf("%s: List yielded %d times", kind, n)
		}
	}
	fault.Store("")
	if got, err := st.Read(t.Context(), "f/o", 990, 10); err != nil || string(got) != "xxxxxxxxxx" {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}
