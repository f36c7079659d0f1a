// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"example.com/curlew"
	"example.com/curlew/client"
	"example.com/curlew/export"
	"example.com/curlew/job"
)

// exportCrawl is the command export: it writes the last ended crawl of a folder as one
// file.
func exportCrawl(e *env, f *flag.FlagSet) action {
	form := f.String("format", string(export.JSONL), fmt.Sprintf("`format` of the file: one of %v, or warc", export.Formats()))
	repeats := f.Bool("without-repeats", false, "leave out lines at the beginning and end of pages that many pages of the crawl have")
	to := f.String("o", "-", "`file` to write to; - means the standard output")
	e.remoteFlags(f)
	return func(rest []string) error {
		switch {
		case len(rest) == 0 && e.server != "":
			return usage("export needs the id of a job of the server, or the folder of a crawl with --remote")
		case len(rest) == 0:
			return usage("export needs the folder of a crawl, such as: curlew export pages")
		case len(rest) > 1:
			return usageOf(rest[1:])
		case *repeats && *form == "warc":
			return usage("--without-repeats has no effect on a web archive")
		}
		server, err := e.remote()
		if err != nil {
			return err
		}
		if server != nil {
			return e.download(server, rest[0], *form, *repeats, *to)
		}
		return e.exportFolder(rest[0], *form, *repeats, *to)
	}
}

// exportFolder exports the last ended crawl of a folder.
func (e *env) exportFolder(dir, form string, repeats bool, to string) error {
	state := filepath.Join(dir, own, "state")
	if _, err := os.Stat(state); err != nil {
		return fmt.Errorf("%s is not the folder of a crawl: name the folder of curlew crawl -o (pages, if it was not given), or the id of a job of a server with --remote", dir)
	}
	store, err := job.OpenFiles(state, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	service := &curlew.Service{Store: store}
	defer func() { _ = service.Shutdown(context.WithoutCancel(e.ctx)) }()
	s := &site{env: e, dir: dir}
	last, err := (&localJobs{site: s, service: service}).ended()
	if err != nil {
		return err
	}
	if last == nil {
		if _, err := os.Stat(filepath.Join(s.dir, memoryFile)); err == nil {
			return fmt.Errorf("the crawl of %s was made with --remote: export it with --remote too", s.dir)
		}
		return fmt.Errorf("%s has no crawl that has ended: continue it with curlew crawl --resume -o %s", s.dir, quoted(s.dir))
	}
	report, err := e.save(form, to, func(w io.Writer) (export.Report, error) {
		if crawl, ok := last.running.(local); ok && form == "warc" {
			return crawl.archive(e.ctx, w)
		}
		documents := last.running.pages(e.ctx)
		if repeats {
			documents = export.WithoutRepeats(documents)
		}
		return export.Write(w, export.Format(form), documents)
	})
	switch {
	case errors.Is(err, export.ErrFormat):
		return &fault{exitUsage, err}
	case errors.Is(err, export.ErrMissing):
		return fmt.Errorf("%w, as in: curlew crawl --form %s URL", err, form)
	case errors.Is(err, curlew.ErrRequest):
		return errors.New("the crawl was not archived: crawl again, as in: curlew crawl --warc URL")
	case err != nil:
		return err
	}
	if form == "warc" {
		e.say("%d requests written", report.Written)
		if left := report.String(); left != "" {
			e.say("requests that were not written: %s", left)
		}
		return nil
	}
	e.say("%d pages read, %d written", report.Documents, report.Written)
	if left := report.String(); left != "" {
		e.say("pages that were not written, or not as a whole: %s", left)
	}
	return nil
}

// download exports a job of a server: the one with an id, or the crawl of a folder.
func (e *env) download(server *client.Client, from, form string, repeats bool, to string) error {
	id := from
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		if id, err = e.hostedIn(from); err != nil {
			return err
		}
	}
	query := url.Values{"format": {form}}
	if repeats {
		query.Set("withoutRepeats", "true")
	}
	tail := "/" + url.PathEscape(id) + "/export?" + query.Encode()
	var documents, left string
	_, err := e.save(form, to, func(w io.Writer) (_ export.Report, err error) {
		documents, left, err = e.exported(server, "/v2/crawl"+tail, w)
		if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusNotFound {
			documents, left, err = e.exported(server, "/v2/batch/scrape"+tail, w)
		}
		return export.Report{}, err
	})
	if err != nil {
		return err
	}
	e.say("%s %s read", cmp.Or(documents, "an unknown number of"), map[bool]string{true: "requests", false: "pages"}[form == "warc"])
	if left != "" {
		e.say("not written, or not as a whole: %s", clean(left))
	}
	return nil
}

// hostedIn returns the id of the last crawl with --remote in a folder.
func (e *env) hostedIn(dir string) (string, error) {
	folder, err := openFolder(dir)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	last, err := (&hostedJobs{site: &site{env: e, dir: dir, folder: folder}}).ended()
	if err != nil {
		return "", err
	}
	if last == nil {
		return "", fmt.Errorf("%s has no crawl of the server %s", dir, e.server)
	}
	return last.running.id(), nil
}

// exported writes the export of a server to w. It returns how many documents the server
// has read, and which of them it has left out, in its words.
func (e *env) exported(server *client.Client, path string, w io.Writer) (documents, left string, err error) {
	r, err := http.NewRequestWithContext(e.ctx, http.MethodGet, strings.TrimRight(server.BaseURL, "/")+path, http.NoBody)
	if err != nil {
		return "", "", err
	}
	if server.Key != "" {
		r.Header.Set("Authorization", "Bearer "+server.Key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		var answer struct{ Error, Code string }
		text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		if err == nil {
			_ = json.Unmarshal(text, &answer) // another server may answer with other text
		}
		return "", "", errors.Join(&client.Error{Status: resp.StatusCode, Code: answer.Code, Message: answer.Error}, err)
	}
	if _, err := io.Copy(w, resp.Body); err != nil {
		return "", "", fmt.Errorf("the export broke off: %w", err)
	}
	return resp.Trailer.Get("Export-Documents"), resp.Trailer.Get("Export-Left-Out"), nil
}

// save calls write with a temporary file, which it renames to the name to when it is
// complete. If to is -, write gets the standard output, unless
// that is a terminal and the format is binary.
func (e *env) save(form, to string, write func(io.Writer) (export.Report, error)) (export.Report, error) {
	if to == "-" && e.out.terminal && (form == "md" || form == "warc") {
		return export.Report{}, usage("-o names the file of --format %s: a terminal cannot show it", form)
	}
	if to == "-" {
		return write(e.out)
	}
	file, err := os.CreateTemp(filepath.Dir(to), ".curlew-*")
	if err != nil {
		return export.Report{}, err
	}
	report, err := write(file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return report, errors.Join(err, os.Remove(file.Name()))
	}
	return report, os.Rename(file.Name(), to)
}
