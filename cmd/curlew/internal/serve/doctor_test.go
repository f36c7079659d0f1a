// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"example.com/curlew/job/blob"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

func TestDoctor(t *testing.T) {
	s := pgtest.Start(t, true, "fsync = off", "autovacuum = off") // the last line for a setting counts
	url := s.URL(t)
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := Doctor(t.Context(), args, func(name string) string { return map[string]string{"CURLEW_STORE": url}[name] }, &out, io.Discard)
		return out.String(), err
	}
	out, err := run("-sql")
	if err != nil || !strings.Contains(out, "create table curlew.job") || !strings.Contains(out, "-- migration 1: jobs") {
		t.Errorf("%v: %s", err, out)
	}
	applied := s.URL(t)
	pgtest.Exec(t, applied, out)
	if st, err := postgres.Open(t.Context(), applied, &postgres.Options{NoMigrate: true}); err != nil {
		t.Errorf("a database to which an operator has applied the SQL: %v", err)
	} else {
		st.Close()
	}
	if out, err := run(); err == nil || !strings.Contains(out, "pending: migration 1 (jobs)") || !strings.Contains(out, "PROBLEM: autovacuum is off") {
		t.Errorf("%v: %s", err, out)
	}
	store, err := postgres.Open(t.Context(), url, &postgres.Options{Name: "host\x1b[31m", Lease: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if out, err := run("-sql"); err != nil || out != "" {
		t.Errorf("%v: %q, want no SQL", err, out)
	}
	if out, err := run(); err == nil || !strings.Contains(out, `"host\x1b[31m": is considered dead in`) || strings.Contains(out, "\x1b") {
		t.Errorf("%v: %q", err, out)
	}
	out, err = run("-json")
	var r postgres.Report
	if err2 := json.Unmarshal([]byte(out), &r); err == nil || errors.Is(err, ErrUsage) || err2 != nil || len(r.Processes) != 1 || r.Problems() != 2 {
		t.Errorf("%v, %v: %s", err, err2, out)
	}
	place := t.TempDir()
	if out, _ := run("-blobs", place); !strings.Contains(out, "hint: no process has opened the database with a store of blobs") {
		t.Errorf("an unused store of blobs: %s", out)
	}
	files, err := blob.OpenDir(place)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	outside, err := postgres.Open(t.Context(), url, &postgres.Options{Blobs: files})
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	if out, _ := run("-blobs", place); !strings.Contains(out, "blobs: an object was stored, read and removed; the data of 0 items were read, 0 cannot be read") {
		t.Errorf("a store of blobs: %s", out)
	}
	if out, _ := run(); !strings.Contains(out, "hint: results are also in a store of blobs") {
		t.Errorf("a store of blobs that is not named: %s", out)
	}
	for _, args := range [][]string{{"x"}, {"-store", "mysql://a"}, {"-blobs", place + "/missing"}} {
		if _, err := run(args...); !errors.Is(err, ErrUsage) {
			t.Errorf("%v: %v, want ErrUsage", args, err)
		}
	}
	url = ""
	if _, err := run(); !errors.Is(err, ErrUsage) {
		t.Errorf("without a store: %v, want ErrUsage", err)
	}
	if _, err := run("-store", "postgres://u:secret@127.0.0.1:1/x?connect_timeout=5"); err == nil || errors.Is(err, ErrUsage) || strings.Contains(err.Error(), "secret") {
		t.Errorf("without a server: %v", err)
	}
}
