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
	{
		name: "gi-docgen", debian: "libgtk-4-doc", dirs: []string{"usr/share/doc/libgtk-4-doc/gtk4", "usr/share/doc/libgtk-4-doc/gsk4", "usr/share/doc/libgtk-4-doc/pango"},
		content: "section#main", either: ".anchor, .srclink",
	},
	{
		name: "Haddock", debian: "libghc-lens-doc", dirs: []string{"usr/share/doc/libghc-lens-doc/html"},
		content: "#content", without: "#table-of-contents", either: "#synopsis, a.link, .selflink", skip: []string{"doc-index", "src"},
	},
	{
		name: "Asciidoctor", debian: "weechat-doc", dirs: []string{"usr/share/doc/weechat-doc/html"},
		content: "#header, #content", either: "#toc, .details",
	},
	{
		name: "RDoc", debian: "asciidoctor-doc", dirs: []string{"usr/share/doc/asciidoctor-doc/html"},
		content: "main", either: ".method-source-code, .method-click-advice",
	},
	{
		name: "odoc", debian: "libcalendar-ocaml-doc", dirs: []string{"usr/share/doc/libcalendar-ocaml/_html"},
		content: ".odoc-preamble, .odoc-content", either: "a.anchor",
	},
	{
		name: "MkDocs", debian: "python-djangorestframework-doc", dirs: []string{"usr/share/doc/python3-djangorestframework/html"},
		content: "#main-content", without: ".headerlink", either: ".badges", skip: []string{"404"},
	},
	{
		name: "BoostBook", debian: "libboost1.81-doc", dirs: []string{"usr/share/doc/libboost1.81-doc/doc/html"},
		content: "body > div.section, body > div.chapter, body > div.refentry, body > div.preface", either: ".toc",
	},
	{
		name: "nodejs-doc", debian: "nodejs-doc", dirs: []string{"usr/share/doc/nodejs/api"},
		content: "#apicontent", without: ".mark", either: ".srclink, .picker-header", skip: []string{"all", "index"},
	},
	{
		name: "javadoc 17", debian: "openjdk-17-doc", dirs: []string{"usr/share/doc/openjdk-17-doc/api/java.base", "usr/share/doc/openjdk-17-doc/api/java.desktop", "usr/share/doc/openjdk-17-doc/api/java.sql"},
		content: "main", either: ".sub-nav, noscript", skip: []string{"index-all", "overview-tree", "package-tree", "search", "package-use"},
	},
	{
		name: "pydoctor", debian: "twisted-doc", dirs: []string{"usr/share/doc/twisted-doc/html/api"},
		content: "#main", without: "#current-docs-container, #search-results-container", either: ".functionSourceLink, .childrenKindTitle", skip: []string{"classIndex", "moduleIndex", "nameIndex", "undoccedSummary", "all-documents"},
	},
	{
		name: "Texinfo, a language", debian: "octave-doc", dirs: []string{"usr/share/doc/octave/octave.html"},
		content: "body", without: ".header, .nav-panel, .copiable-anchor", either: ".contents, .menu, .printindex-index-entry, .footnotes-heading, .footnote h5", skip: []string{"index"},
	},
	{
		name: "Doxygen, a library", debian: "libstdc++-12-doc", dirs: []string{"usr/share/doc/libstdc++-12-doc/libstdc++/user"},
		content: ".header, .contents", either: ".summary, .ingroups, .toc, .dynheader, .dyncontent", skip: []string{"search", "graph_legend", "doxygen_crawl"},
	},
	{
		name: "Sphinx, a build tool", debian: "cmake-doc", dirs: []string{"usr/share/doc/cmake-data/html"},
		content: "div[role=main]", without: ".headerlink", either: "#contents, .contents, .toctree-wrapper", skip: []string{"genindex", "search"},
	},
	{
		name: "Sphinx, PyData theme", debian: "python-pandas-doc", dirs: []string{"usr/share/doc/python-pandas-doc/html/reference", "usr/share/doc/python-pandas-doc/html/user_guide", "usr/share/doc/python-pandas-doc/html/whatsnew"},
		content: "main section", without: ".headerlink, .prev-next-area", either: ".contents, .toctree-wrapper", skip: []string{"genindex", "search"},
	},
	{
		name: "texi2any, a shell", debian: "zsh-doc", dirs: []string{"usr/share/doc/zsh-common/html"},
		content: "body > .chapter, body > .section, body > .top", without: ".header", either: ".contents, .menu, .printindex-index-entry, .footnotes-heading, .footnote h5", skip: []string{"Concept-Index", "Variables-Index", "Options-Index", "Functions-Index"},
	},
	{
		name: "scaladoc", debian: "scala-doc", dirs: []string{"usr/share/doc/scala/api"},
		content: "#definition, #comment, #template", without: "#mbrsel, #order", either: ".permalink, .toggle, .hiddenContent, .morelinks", skip: []string{"index", "package"},
	},
	{
		name: "DocBook, a mailer", debian: "exim4-doc-html", dirs: []string{"usr/share/doc/exim4-doc-html/spec_html"},
		content: "#content", without: ".previous_page, .next_page, .previous, .next", either: "#toc", skip: []string{"index"},
	},
	{
		name: "DocBook, a library", debian: "libstdc++-12-doc", dirs: []string{"usr/share/doc/libstdc++-12-doc/libstdc++/manual"},
		content: "body > div", without: ".navheader, .navfooter", either: ".toc",
	},
	{
		name: "fpdoc", debian: "fp-docs-3.2.2", dirs: []string{"usr/share/doc/fp-docs/3.2.2/rtl/sysutils", "usr/share/doc/fp-docs/3.2.2/rtl/classes"},
		content: "body", without: "table.bar", skip: []string{"index"},
	},
	{
		name: "Groovydoc", debian: "groovy-doc", dirs: []string{"usr/share/doc/groovy/gapi/groovy"},
		content: ".header, .contentContainer", without: ".topNav, .bottomNav, .subNav, .contentContainer ~ p, .legalCopy", either: "noscript", skip: []string{"package-frame"},
	},
	{
		name: "YARD", debian: "yard-doc", dirs: []string{"usr/share/doc/yard/doc/YARD"},
		content: "#content", either: ".toggleSource, .source_code, .summary_toggle, .inheritanceTree",
	},
	{
		name: "GAPDoc", debian: "gap-doc", dirs: []string{"usr/share/gap/doc/ref", "usr/share/gap/doc/tut", "usr/share/gap/doc/hpc"},
		content: "body", without: ".chlinktop, .chlinkbot, .chlinkprevnexttop, .chlinkprevnextbot, #mathjaxlink, .foot, .pcenter", either: ".ContChap, .ContSect", skip: []string{"chapInd", "chapBib", "index"},
	},
	{
		name: "MediaWiki, a reference", debian: "cppreference-doc-en-html", dirs: []string{"usr/share/cppreference/doc/html/en/cpp/language", "usr/share/cppreference/doc/html/en/cpp/algorithm", "usr/share/cppreference/doc/html/en/cpp/string"},
		content: "#firstHeading, #mw-content-text", without: ".t-navbar, .editsection", either: "#toc, .toc",
	},
	{
		name: "ltx2htm", debian: "swi-prolog-doc", dirs: []string{"usr/share/swi-prolog/doc/Manual"},
		content: "body", without: ".navigate", either: ".toc", skip: []string{"DocIndex", "Contents", "index"},
	},
	{
		name: "nim doc", debian: "nim-doc", dirs: []string{"usr/share/doc/nim/html"},
		content: "h1.title, #content, .container:not(:has(#content))", either: "#tocRoot, .link-seesrc", skip: []string{"theindex", "dochack"},
	},
	{
		name: "doctext", debian: "mpich-doc", dirs: []string{"usr/share/doc/mpich-doc/html/www3"},
		content: "body", skip: []string{"index"},
	},
	{
		name: "vim2html", debian: "vim-doc", dirs: []string{"usr/share/doc/vim/html"},
		content: "body", either: "body > a",
	},
	{
		name: "LDoc", debian: "awesome-doc", dirs: []string{"usr/share/doc/awesome/doc/libraries", "usr/share/doc/awesome/doc/classes", "usr/share/doc/awesome/doc/documentation"},
		content: "#content",
	},
	{
		name: "Scribble", debian: "racket-doc", dirs: []string{"usr/share/doc/racket/guide", "usr/share/doc/racket/gui", "usr/share/doc/racket/reference"},
		content: ".main", without: ".navsettop, .navsetbottom, .versionbox", skip: []string{"doc-index"},
	},
	{
		name: "Docutils", debian: "docutils-doc", dirs: []string{"usr/share/doc/docutils-doc/docs"},
		content: ".document", either: "#contents, .contents, #table-of-contents",
	},
	{
		name: "LaTeX2HTML", debian: "gnuplot-doc", dirs: []string{"usr/share/doc/gnuplot/htmldocs"},
		content: "body", without: ".navigation", either: ".ChildLinks, .CHILD_LINKS", skip: []string{"index", "Index"},
	},
	{
		name: "texi2html", debian: "lilypond-doc-html", dirs: []string{"usr/share/doc/lilypond/html/Documentation/learning", "usr/share/doc/lilypond/html/Documentation/notation", "usr/share/doc/lilypond/html/Documentation/usage"},
		content: "#main", without: ".nav_table, form, #footer", either: ".menu, .contents", skip: []string{"lilypond-index", "the-music", "index"},
	},
	{
		name: "makedoc", debian: "allegro4-doc", dirs: []string{"usr/share/doc/allegro4-doc/html"},
		content: "body", without: ".al-back-to-contents", skip: []string{"index"},
	},
	{
		name: "Tomcat's style sheet", debian: "tomcat10-docs", dirs: []string{"usr/share/tomcat10-docs/docs"},
		content: "#mainRight", either: ".text > ul:first-child",
	},
	{
		name: "GRASS's manual", debian: "grass-doc", dirs: []string{"usr/share/doc/grass-doc/html"},
		content: "#container", without: "hr.header + h2 ~ hr.header ~ *", either: ".toc", skip: []string{"index"},
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
