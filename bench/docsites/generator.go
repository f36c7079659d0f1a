// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A generator makes documentation. Its selectors say which elements of its
// pages are the content.
type generator struct {
	name    string
	debian  string   // the packages
	dirs    []string // below the root
	content string   // elements that hold the content
	without string   // elements in them that are navigation
	either  string   // elements in them that may be in the Markdown or not
	skip    []string // prefixes of the names of files that are no pages
}

// generators are in the order of the table. Menus of a page's own headings are
// in either, and so are links to the page in other languages, and headings and
// numbers of footnotes, because Markdown has marks of its own for them.
var generators = []generator{
	{
		name: "DocBook, a manual", debian: "postgresql-doc-15", dirs: []string{"usr/share/doc/postgresql-doc-15/html"},
		content: "#docContent > div", without: ".navheader, .navfooter", either: ".toc",
	},
	{
		name: "DocBook, a handbook", debian: "debian-handbook", dirs: []string{"usr/share/doc/debian-handbook/html/en-US"},
		content: "body > div:not(#banner)", either: ".toc",
	},
	{
		name: "gtk-doc", debian: "libglib2.0-doc, libgtk-3-doc",
		dirs:    []string{"usr/share/gtk-doc/html/glib", "usr/share/gtk-doc/html/gio", "usr/share/gtk-doc/html/gtk3"},
		content: "body > div", without: ".footer, .navheader, .navfooter", either: ".toc, .gallery-float, table.navigation, .listing_lines",
	},
	{
		name: "javadoc", debian: "libcommons-lang3-java-doc", dirs: []string{"usr/share/doc/libcommons-lang3-java/api"},
		content: "main", either: ".sub-nav, noscript", skip: []string{"index-all", "overview-tree", "package-tree", "search", "package-use"},
	},
	{
		name: "Sphinx, a language", debian: "python3.11-doc", dirs: []string{"usr/share/doc/python3.11/html"},
		content: "div[role=main]", without: ".headerlink", either: "#contents, .contents", skip: []string{"genindex", "search"},
	},
	{
		name: "Sphinx, a framework", debian: "python-django-doc", dirs: []string{"usr/share/doc/python-django-doc/html"},
		content: "#bd .yui-g", without: ".headerlink, .nav, #global-nav", either: "#contents, .contents, .toc", skip: []string{"genindex", "search"},
	},
	{
		name: "Sphinx, a kernel", debian: "linux-doc-6.1", dirs: []string{"usr/share/doc/linux-doc-6.1/html"},
		content: "div[role=main] div[itemprop=articleBody]", without: ".headerlink", either: "#contents, .contents, .toctree-wrapper", skip: []string{"genindex", "search"},
	},
	{
		name: "qdoc", debian: "qtbase5-doc-html", dirs: []string{"usr/share/qt5/doc/qtcore", "usr/share/qt5/doc/qtwidgets", "usr/share/qt5/doc/qtgui"},
		content: ".mainContent", without: ".sidebar, .navigationbar", either: ".toc",
	},
	{
		name: "sqlite3-doc", debian: "sqlite3-doc", dirs: []string{"usr/share/doc/sqlite3"},
		content: "body", without: ".menu, .searchmenu, .tagline, .nosearch > div:not(.fancy_title):not(.fancy_toc)", either: ".fancy_toc, .nosearch a", skip: []string{"index", "search", "doclist", "keyword_index"},
	},
	{
		name: "apache2-doc", debian: "apache2-doc", dirs: []string{"usr/share/doc/apache2-doc/manual/en"},
		content: "#page-content", without: ".top, .lang-toggle", either: "#quickview, .toplang, .bottomlang, #comments_section, .up",
	},
	{
		name: "git-doc", debian: "git-doc", dirs: []string{"usr/share/doc/git-doc"},
		content: "#header, #content", either: "#toc",
	},
	{
		name: "erl_docgen", debian: "erlang-doc", dirs: []string{"usr/share/doc/erlang-doc/lib", "usr/share/doc/erlang-doc/doc"},
		content: "#content", without: ".footer, .title-anchors",
	},
	{
		name: "rustdoc", debian: "rust-doc",
		dirs:    []string{"usr/share/doc/rust-doc/html/std", "usr/share/doc/rust-doc/html/alloc", "usr/share/doc/rust-doc/html/proc_macro"},
		content: "#main-content", without: "button", either: ".anchor, .srclink, .since, .out-of-band, .rightside, summary.hideme",
	},
	{
		name: "mdBook", debian: "rust-doc",
		dirs:    []string{"usr/share/doc/rust-doc/html/book", "usr/share/doc/rust-doc/html/reference", "usr/share/doc/rust-doc/html/nomicon"},
		content: "#content main", without: ".nav-wrapper", skip: []string{"print", "toc"},
	},
	{
		name: "Doxygen", debian: "libeigen3-doc", dirs: []string{"usr/share/doc/libeigen3-dev/html"},
		content: ".header, .contents", either: ".summary, .ingroups, .toc, .dynheader, .dyncontent", skip: []string{"search", "graph_legend", "doxygen_crawl"},
	},
	{
		name: "Texinfo", debian: "libfftw3-doc", dirs: []string{"usr/share/doc/libfftw3-dev/html"},
		content: "body", without: ".header, .nav-panel, .copiable-anchor", either: ".contents, .menu, .printindex-index-entry, .footnotes-heading, .footnote h5", skip: []string{"Concept-Index", "Library-Index"},
	},
}

// files returns the pages of g below root, in order of their paths.
func (g *generator) files(root string) []string {
	var all []string
	for _, dir := range g.dirs {
		dir = filepath.Join(root, filepath.FromSlash(dir))
		_ = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return fs.SkipDir
			case d.IsDir(), !d.Type().IsRegular(), !strings.HasSuffix(name, ".html"):
			case slices.ContainsFunc(g.skip, func(s string) bool { return strings.HasPrefix(path.Base(name), s) }):
			default:
				all = append(all, filepath.Join(dir, filepath.FromSlash(name)))
			}
			return nil
		})
	}
	return all
}
