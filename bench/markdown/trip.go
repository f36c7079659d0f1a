// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/markdown"
)

// An example is an example of a Markdown specification.
type example struct {
	Section string
	HTML    string
}

// A writer renders HTML texts as Markdown.
type writer struct {
	name  string
	write func(texts []string) ([]string, error)
}

var errSkipped = errors.New("skipped")

// each creates a writer from a function for a single text.
func each(one func(string) (string, error)) func([]string) ([]string, error) {
	return func(texts []string) ([]string, error) {
		var out []string
		for _, t := range texts {
			md, err := one(t)
			if err != nil {
				md = ""
			}
			out = append(out, md)
		}
		return out, nil
	}
}

func curlew(text string) (string, error) {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = markdown.Render(context.Background(), &b, root, nil)
	return b.String(), err
}

// turndown runs peers/turndown.js.
func turndown(texts []string) ([]string, error) {
	if _, err := os.Stat("peers/node_modules/turndown"); err != nil {
		return nil, fmt.Errorf("%w: no peers/node_modules (npm ci in peers)", errSkipped)
	}
	in, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("node", "turndown.js")
	cmd.Dir, cmd.Stdin, cmd.Stderr = "peers", bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("%w: no node", errSkipped)
	}
	if err != nil {
		return nil, err
	}
	var list []string
	return list, json.Unmarshal(out, &list)
}

// trip prints how many examples are unchanged for each writer.
func trip(corpora string) error {
	h2md := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		strikethrough.NewStrikethroughPlugin(), table.NewTablePlugin()))
	writers := []writer{
		{"curlew", each(curlew)},
		{"html-to-markdown 2.5.2", each(func(s string) (string, error) { return h2md.ConvertString(s) })},
		{"turndown 7.2.5 with gfm", turndown},
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "examples that come back, strict (lenient)\tCommonMark\t\tGFM\t")
	sets := []struct {
		file string
		gm   goldmark.Markdown
	}{
		{"commonmark.json", goldmark.New(goldmark.WithRendererOptions(goldhtml.WithXHTML(), goldhtml.WithUnsafe()))},
		{"gfm-extensions.json", goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldhtml.WithUnsafe()))},
	}
	for _, w := range writers {
		fmt.Fprint(out, w.name)
		for _, set := range sets {
			list, err := examples(filepath.Join(corpora, "markdown", set.file))
			if err != nil {
				return err
			}
			var texts []string
			for _, e := range list {
				texts = append(texts, e.HTML)
			}
			mds, err := w.write(texts)
			if errors.Is(err, errSkipped) {
				fmt.Fprintf(out, "\t%v\t", err)
				continue
			}
			if err != nil {
				return err
			}
			strict, lenient := 0, 0
			for i, e := range list {
				var back bytes.Buffer
				if err := set.gm.Convert([]byte(mds[i]), &back); err != nil {
					return err
				}
				if scoretest.Shown(back.String(), false) == scoretest.Shown(e.HTML, false) {
					strict++
				}
				if scoretest.Shown(back.String(), true) == scoretest.Shown(e.HTML, true) {
					lenient++
				}
			}
			fmt.Fprintf(out, "\t%d (%d) of %d\t%.1f %%", strict, lenient, len(list), 100*float64(strict)/float64(len(list)))
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// examples reads the examples that Markdown can express without raw HTML.
func examples(file string) ([]example, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []example
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(e example) bool {
		return slices.Contains([]string{"HTML blocks", "Raw HTML", "Disallowed Raw HTML (extension)"}, e.Section)
	}), nil
}
