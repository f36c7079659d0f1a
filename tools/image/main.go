// SPDX-License-Identifier: Apache-2.0

// Image writes a container image of one static program, without a daemon:
//
//	go run -C tools ./image -program curlew -o curlew.tar -time 1764115200
//
// The output is an OCI image layout in a tar file, which "docker load", "podman load" and
// "skopeo copy oci-archive:" read. It holds one layer with the program as /curlew, the
// certificates of public authorities, the texts of licenses, a user without rights, and empty
// folders /data and /tmp. The same inputs give the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	program := flags.String("program", "", "static Linux `program`, which becomes /curlew")
	name := flags.String("o", "curlew.tar", "`file` to write")
	seconds := flags.Int64("time", 0, "`time` of all files and of the image, in seconds since 1970; use that of the commit")
	certificates := flags.String("certificates", "/etc/ssl/certs/ca-certificates.crt", "`file` with the certificates of public authorities")
	version := flags.String("version", "0.1.0", "`version` in the labels and the tag")
	var texts []string
	flags.Func("license", "`file` with the text of licenses, which becomes a file in /licenses; may be repeated", func(s string) error {
		texts = append(texts, s)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	binary, err := os.ReadFile(*program)
	if err != nil {
		return err
	}
	architecture, err := architectureOf(binary)
	if err != nil {
		return fmt.Errorf("%s: %w", *program, err)
	}
	authorities, err := os.ReadFile(*certificates)
	if err != nil {
		return err
	}
	licenses, err := licensesOf(texts)
	if err != nil {
		return err
	}
	at := time.Unix(*seconds, 0).UTC()
	files, err := layer(binary, authorities, licenses, at)
	if err != nil {
		return err
	}
	image, digest, err := build(files, architecture, *version, at)
	if err != nil {
		return err
	}
	if err := os.WriteFile(*name, image, 0o644); err != nil { // #nosec G306 G703 -- an image is public, and its user names the file
		return err
	}
	_, err = fmt.Fprintf(out, "%s %s %d bytes, linux/%s\n", *name, digest, len(image), architecture)
	return err
}

// architectureOf returns the architecture of a Linux program in the words of OCI. It returns an
// error if the program needs a loader or shared libraries, which the image does not have.
func architectureOf(binary []byte) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return "", err
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return "", errors.New("the program is not static; build it with CGO_ENABLED=0")
		}
	}
	switch f.Machine {
	case elf.EM_X86_64:
		return "amd64", nil
	case elf.EM_AARCH64:
		return "arm64", nil
	}
	return "", fmt.Errorf("unknown architecture %v", f.Machine)
}

// user is the numeric ID under which the program runs.
const user = 65532

// entry is one file or folder of the layer.
type entry struct {
	name  string
	mode  int64
	owner int
	data  []byte // nil for a folder
}

// licensesOf returns the entries of files with licenses, sorted by name.
func licensesOf(files []string) ([]entry, error) {
	var entries []entry
	for _, f := range files {
		text, err := os.ReadFile(f) // #nosec G304 -- the user names the file
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{"licenses/" + filepath.Base(f), 0o644, 0, text})
	}
	slices.SortFunc(entries, func(x, y entry) int { return strings.Compare(x.name, y.name) })
	if entries != nil {
		entries = slices.Insert(entries, 0, entry{"licenses/", 0o755, 0, nil})
	}
	return entries, nil
}

// layer returns the files of the image as a tar file.
func layer(binary, authorities []byte, licenses []entry, at time.Time) ([]byte, error) {
	entries := []entry{
		{"curlew", 0o755, 0, binary},
		{"data/", 0o700, user, nil},
		{"etc/", 0o755, 0, nil},
		{"etc/group", 0o644, 0, fmt.Appendf(nil, "curlew:x:%d:\n", user)},
		{"etc/passwd", 0o644, 0, fmt.Appendf(nil, "curlew:x:%d:%d::/data:/nologin\n", user, user)},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, authorities},
	}
	entries = append(entries, licenses...)
	return pack(append(entries, entry{"tmp/", 0o1777, 0, nil}), at)
}

// pack writes entries as a tar file.
func pack(entries []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		kind := byte(tar.TypeReg)
		if e.data == nil {
			kind = tar.TypeDir
		}
		header := &tar.Header{Typeflag: kind, Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: int64(len(e.data)), ModTime: at, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// descriptor names a blob.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// archive is an image layout while it is written.
type archive struct{ blobs []entry }

// add adds a blob and returns its descriptor.
func (a *archive) add(media string, data []byte) descriptor {
	digest := digestOf(data)
	a.blobs = append(a.blobs, entry{"blobs/sha256/" + digest, 0o644, 0, data})
	return descriptor{MediaType: media, Digest: "sha256:" + digest, Size: len(data)}
}

// addJSON adds a blob of JSON.
func (a *archive) addJSON(media string, v any) (descriptor, error) {
	data, err := json.Marshal(v) // sorts the keys of maps
	return a.add(media, data), err
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// build returns the layout of an image with one layer as a tar file, and the digest of the
// manifest.
func build(files []byte, architecture, version string, at time.Time) (image []byte, digest string, err error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, "", err
	}
	if _, err := z.Write(files); err != nil {
		return nil, "", err
	}
	if err := z.Close(); err != nil {
		return nil, "", err
	}
	var a archive
	top := a.add("application/vnd.oci.image.layer.v1.tar+gzip", packed.Bytes())
	config, err := a.addJSON("application/vnd.oci.image.config.v1+json", map[string]any{
		"architecture": architecture, "os": "linux", "created": at.Format(time.RFC3339),
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + digestOf(files)}},
		"history": []map[string]any{{"created": at.Format(time.RFC3339), "created_by": "tools/image"}},
		"config": map[string]any{
			"User": fmt.Sprintf("%d:%d", user, user), "WorkingDir": "/data", "StopSignal": "SIGTERM",
			"Entrypoint": []string{"/curlew"}, "Cmd": []string{"serve", "--addr", "0.0.0.0:3002", "--data", "/data"},
			"Env":          []string{"PATH=/", "HOME=/data", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"},
			"ExposedPorts": map[string]any{"3002/tcp": map[string]any{}}, "Volumes": map[string]any{"/data": map[string]any{}},
			"Labels": map[string]string{"org.opencontainers.image.title": "curlew", "org.opencontainers.image.version": version, "org.opencontainers.image.licenses": "Apache-2.0"},
			// An extension that Docker reads. The probe needs no shell.
			"Healthcheck": map[string]any{"Test": []string{"CMD", "/curlew", "health"}, "Interval": 15 * time.Second, "Timeout": 5 * time.Second, "StartPeriod": 10 * time.Second, "Retries": 3},
		},
	})
	if err != nil {
		return nil, "", err
	}
	manifest, err := a.addJSON("application/vnd.oci.image.manifest.v1+json", map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": []descriptor{top},
	})
	if err != nil {
		return nil, "", err
	}
	manifest.Annotations = map[string]string{"org.opencontainers.image.ref.name": version, "io.containerd.image.name": "localhost/curlew:" + version}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []descriptor{manifest}})
	if err != nil {
		return nil, "", err
	}
	entries := append([]entry{{"oci-layout", 0o644, 0, []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", 0o644, 0, index}, {"blobs/", 0o755, 0, nil}, {"blobs/sha256/", 0o755, 0, nil}}, a.blobs...)
	image, err = pack(entries, at)
	return image, manifest.Digest, err
}
