// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// known are the licenses that a dependency may have, with words that each text of the license
// contains, and words that it does not contain.
var known = []struct {
	id      string
	has     []string
	without string
}{
	{"Apache-2.0", []string{"apache license", "version 2.0"}, ""},
	{"MIT", []string{"permission is hereby granted, free of charge", "the above copyright notice and this permission notice shall be included"}, ""},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "to endorse or promote products derived"}, ""},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}, "to endorse or promote products derived"},
	{"ISC", []string{"permission to use, copy, modify, and", "distribute this software for any purpose"}, ""},
}

// licenses returns the SPDX expression and the texts of the licenses in the folder of a
// module. Notices are among the texts, because Apache-2.0 demands that they are distributed.
func licenses(dir string) (expression string, texts []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, err
	}
	var ids []string
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		license := strings.HasPrefix(name, "license") || strings.HasPrefix(name, "licence") || strings.HasPrefix(name, "copying")
		if e.IsDir() || !license && !strings.HasPrefix(name, "notice") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name())) // #nosec G304 -- the go command names the folder
		if err != nil {
			return "", nil, err
		}
		texts = append(texts, strings.TrimSpace(string(text)))
		if !license {
			continue
		}
		found := identify(string(text))
		if found == nil {
			return "", nil, fmt.Errorf("the license in %s is not known", e.Name())
		}
		ids = append(ids, found...)
	}
	if ids == nil {
		return "", nil, errors.New("there is no file with a license")
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " AND "), texts, nil
}

// identify returns the SPDX identifiers of the licenses in a text.
func identify(text string) []string {
	words := strings.ToLower(strings.Join(strings.Fields(text), " "))
	var ids []string
	for _, k := range known {
		missing := func(s string) bool { return !strings.Contains(words, s) }
		if !slices.ContainsFunc(k.has, missing) && (k.without == "" || missing(k.without)) {
			ids = append(ids, k.id)
		}
	}
	return ids
}

// writeLicenses writes each text once, after the names of the modules that it belongs to.
func writeLicenses(out io.Writer, list *bill) error {
	owners := map[string][]string{}
	for _, c := range list.Components {
		for _, text := range c.texts {
			owners[text] = append(owners[text], c.Name+" "+c.Version)
		}
	}
	texts := make([]string, 0, len(owners))
	for text, names := range owners {
		slices.Sort(names)
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(x, y string) int {
		return cmp.Or(slices.Compare(owners[x], owners[y]), cmp.Compare(x, y))
	})
	name := list.Metadata.Component.Name
	if _, err := fmt.Fprintf(out, "%s contains these modules, whose licenses follow.\n", name); err != nil {
		return err
	}
	for _, text := range texts {
		line := strings.Repeat("-", 72)
		if _, err := fmt.Fprintf(out, "\n%s\n%s\n%s\n\n%s\n", line, strings.Join(owners[text], "\n"), line, text); err != nil {
			return err
		}
	}
	return nil
}
