// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// program builds a small static program that prints what it sees of its surroundings.
func program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source := `package main
import ("fmt"; "os")
func main() {
	_, err := os.Stat("/etc/ssl/certs/ca-certificates.crt")
	entries, _ := os.ReadDir("/")
	fmt.Println(len(entries), err == nil, os.Args[1:])
}`
	for name, text := range map[string]string{"main.go": source, "go.mod": "module probe\n\ngo 1.26.0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", "probe", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-trimpath", "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "probe")
}

// files returns the files of a tar file by name.
func files(t *testing.T, r io.Reader) map[string]*tar.Header {
	t.Helper()
	all := map[string]*tar.Header{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		h.PAXRecords = map[string]string{"data": string(data)}
		all[h.Name] = h
	}
}

// TestImage checks that two runs give the same bytes, that all digests are right, and that the
// program runs in what the layer unpacks to.
func TestImage(t *testing.T) {
	dir, probe := t.TempDir(), program(t)
	authorities := filepath.Join(dir, "ca.crt")
	if err := os.WriteFile(authorities, []byte("certificates"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LICENSE", "A"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var images [2][]byte
	for i := range images {
		name := filepath.Join(dir, "image.tar")
		if err := run([]string{"-program", probe, "-o", name, "-time", "1764115200", "-certificates", authorities, "-version", "1.2.3", "-license", filepath.Join(dir, "LICENSE"), "-license", filepath.Join(dir, "A")}, io.Discard); err != nil {
			t.Fatal(err)
		}
		var err error
		if images[i], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(images[0], images[1]) {
		t.Error("two images of the same program differ")
	}

	outer := files(t, bytes.NewReader(images[0]))
	for name, h := range outer {
		if digest, ok := strings.CutPrefix(name, "blobs/sha256/"); ok && digest != "" && digestOf([]byte(h.PAXRecords["data"])) != digest {
			t.Errorf("%s has another digest", name)
		}
	}
	blob := func(d descriptor) string {
		return outer["blobs/"+strings.Replace(d.Digest, ":", "/", 1)].PAXRecords["data"]
	}
	var index struct{ Manifests []descriptor }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	var config struct {
		Architecture string
		Config       struct {
			User       string
			Entrypoint []string
		}
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	for text, into := range map[string]any{outer["index.json"].PAXRecords["data"]: &index} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal([]byte(blob(index.Manifests[0])), &manifest); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(blob(manifest.Config)), &config); err != nil {
		t.Fatal(err)
	}
	if config.Architecture != runtime.GOARCH || config.Config.User != "65532:65532" || config.Config.Entrypoint[0] != "/curlew" {
		t.Errorf("%+v", config)
	}
	z, err := gzip.NewReader(strings.NewReader(blob(manifest.Layers[0])))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if got := "sha256:" + digestOf(plain); got != config.RootFS.DiffIDs[0] {
		t.Errorf("the layer is %s, want %s", got, config.RootFS.DiffIDs[0])
	}
	inner := files(t, bytes.NewReader(plain))
	for name, mode := range map[string]int64{"curlew": 0o755, "data/": 0o700, "tmp/": 0o1777, "etc/passwd": 0o644, "licenses/": 0o755, "licenses/A": 0o644, "licenses/LICENSE": 0o644} {
		if h := inner[name]; h == nil || h.Mode != mode {
			t.Errorf("%s: %+v", name, h)
		}
	}
	if inner["data/"].Uid != user || inner["curlew"].Uid != 0 {
		t.Error("wrong owners")
	}
	if text := inner["licenses/LICENSE"].PAXRecords["data"]; text != "text of LICENSE" {
		t.Errorf("the license is %q", text)
	}

	root := filepath.Join(dir, "root")
	for name, h := range inner {
		path := filepath.Join(root, name)
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, []byte(h.PAXRecords["data"]), os.FileMode(h.Mode))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := exec.CommandContext(t.Context(), "unshare", "--map-root-user", "chroot", "/", "true").Run(); err != nil {
		t.Skip("kernel: chroot in a user namespace is not possible here: ", err)
	}
	out, err := exec.CommandContext(t.Context(), "unshare", "--map-root-user", "chroot", root, "/curlew", "serve").CombinedOutput()
	if err != nil || string(out) != "5 true [serve]\n" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestRefused(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"-program", script}, {"-program", filepath.Join(t.TempDir(), "none")}, {"-program", os.Args[0], "-license", filepath.Join(t.TempDir(), "none")}} {
		if err := run(args, io.Discard); err == nil {
			t.Errorf("run(%q) gives no error", args)
		}
	}
}
