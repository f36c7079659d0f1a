// SPDX-License-Identifier: Apache-2.0

// Sbom writes the software bill of materials of a Go module in CycloneDX 1.6
// (JSON): the modules that its packages are built from, with their versions,
// checksums and licenses. With -licenses it writes the texts of these licenses
// instead, which must be distributed together with a program.
//
//	GOWORK=off go run -C tools ./sbom ..                      # all packages of the repository's main module
//	GOWORK=off go run -C tools ./sbom ../cmd/curlew           # of the program curlew
//	GOWORK=off go run -C tools ./sbom -licenses ../cmd/curlew # the texts of the licenses
//
// The output is reproducible, because it contains no time and no random number.
// It does not include modules that only tests need. A module whose license is
// missing or unknown is an error.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// run writes the list for the packages args[1:] of the module in the directory
// args[0].
func run(args []string, out io.Writer) error {
	texts := len(args) > 0 && args[0] == "-licenses"
	if texts {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return errors.New("usage: sbom [-licenses] DIRECTORY [PACKAGE ...]")
	}
	packages := args[1:]
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	const shown = `{{with .Module}}{"Path":{{printf "%q" .Path}},"Version":{{printf "%q" .Version}},"Sum":{{printf "%q" .Sum}},"Dir":{{printf "%q" .Dir}},"Main":{{.Main}},"Replaced":{{if .Replace}}true{{else}}false{{end}}}{{end}}`
	lines, err := output(args[0], append([]string{"list", "-deps", "-f", shown}, packages...)...)
	if err != nil {
		return err
	}
	about, err := output(args[0], "env", "GOVERSION", "GOROOT")
	if err != nil {
		return err
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(about)), "\n")
	modules, err := modulesOf(lines)
	if err != nil {
		return err
	}
	list, err := billOf(modules, module{Path: "std", Version: strings.TrimPrefix(version, "go"), Dir: root})
	if err != nil {
		return err
	}
	if texts {
		return writeLicenses(out, list)
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(list)
}

// output runs the go command in dir, without a workspace.
func output(dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(context.Background(), "go", args...) // #nosec G204 G702 -- the arguments are those of this program
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	var said bytes.Buffer
	cmd.Stderr = &said
	b, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return b, nil
}

// module is one line of the output of go list.
type module struct {
	Path, Version, Sum, Dir string
	Main, Replaced          bool
}

// bill contains the parts of a CycloneDX document that are used here.
type bill struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	Licenses   []licensed `json:"licenses,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`

	texts []string
}

// licensed is an SPDX expression, such as "Apache-2.0 AND MIT".
type licensed struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// modulesOf returns the modules in lines, one JSON object a line.
func modulesOf(lines []byte) (map[string]module, error) {
	found := map[string]module{}
	d := json.NewDecoder(bytes.NewReader(lines))
	for {
		var m module
		err := d.Decode(&m)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		found[m.Path] = m
	}
}

// billOf creates the list of modules and of the standard library.
func billOf(found map[string]module, std module) (*bill, error) {
	b := &bill{Format: "CycloneDX", Spec: "1.6", Version: 1, Components: []component{}}
	of := dependency{DependsOn: []string{}}
	top, local := "", []string{} // paths of the main module, and of modules in folders
	for _, m := range found {
		if m.Main {
			top = m.Path
			b.Metadata.Component = m.component("application") // its license is the file LICENSE of the repository
			of.Ref = b.Metadata.Component.Ref
			continue
		}
		if m.Replaced || m.Version == "" {
			local = append(local, m.Path)
			continue
		}
		c, err := m.library()
		if err != nil {
			return nil, err
		}
		b.Components = append(b.Components, c)
	}
	if of.Ref == "" {
		return nil, errors.New("go list names no main module")
	}
	// Other modules of this repository have no version of their own: they are part
	// of the program. Their paths begin with that of the main module, or with the
	// one that it is nested in.
	root := top
	for _, p := range local {
		if strings.HasPrefix(top, p+"/") && len(p) < len(root) {
			root = p
		}
	}
	for _, p := range local {
		if p != root && !strings.HasPrefix(p, root+"/") {
			return nil, fmt.Errorf("module %s is replaced: its source cannot be named", p)
		}
	}
	standard, err := std.library()
	if err != nil {
		return nil, err
	}
	b.Components = append(b.Components, standard)
	slices.SortFunc(b.Components, func(x, y component) int { return strings.Compare(x.Ref, y.Ref) })
	for _, c := range b.Components {
		of.DependsOn = append(of.DependsOn, c.Ref)
	}
	b.Dependencies = []dependency{of}
	// The serial number is derived from the content (a UUID of version 8).
	content, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	b.Serial = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	return b, nil
}

// component returns the entry of a module.
func (m module) component(kind string) component {
	ref := "pkg:golang/" + strings.ReplaceAll(m.Path, "+", "%2B")
	if m.Version != "" {
		ref += "@" + strings.ReplaceAll(m.Version, "+", "%2B")
	}
	c := component{Type: kind, Ref: ref, Name: m.Path, Version: m.Version, PURL: ref}
	// The checksum in go.sum is the hash of a list of the hashes of all files of the module
	// (golang.org/x/mod/sumdb/dirhash). CycloneDX wants the hash of one file in the member
	// hashes, which a reader would compare with a download, so the checksum is a property.
	if m.Sum != "" {
		c.Properties = []property{{Name: "go.sum", Value: m.Sum}}
	}
	return c
}

// library returns the entry of a module that is linked, with its licenses.
func (m module) library() (component, error) {
	c := m.component("library")
	expression, texts, err := licenses(m.Dir)
	if err != nil {
		return c, fmt.Errorf("module %s: %w", m.Path, err)
	}
	c.Licenses, c.texts = []licensed{{expression}}, texts
	return c, nil
}
