// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"strings"
	"testing"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// TestNothing checks that the warning and the Lack say why a page has no content.
func TestNothing(t *testing.T) {
	const (
		needs   = "The page seems to need JavaScript: its HTML has hardly any text."
		shell   = "<div id=root></div><script src=app.js></script>"
		nothing = "The page has no content: neither text nor images."
	)
	for _, c := range []struct {
		name, src, want, warning string
		o                        format.Options
	}{
		{name: "a shell", src: "<title>Shop</title><div id=root></div><script src=app.js></script>", warning: needs},
		{
			name: "a shell with data", src: `<div id=__next></div><script id=__NEXT_DATA__ type=application/json>{"props":{"title":"Secret"}}</script><script src=app.js></script>`,
			warning: needs + " Data that is embedded in its scripts (__NEXT_DATA__) is not part of the text.",
		},
		{
			name: "a shell whose data is in a file", src: `<link rel=preload as=fetch href=/page-data/birds/page-data.json><div id=___gatsby></div><script src=app.js></script>`,
			warning: needs + " Its text may be in the file page-data.json to which its head leads, and which is not read.",
		},
		{
			name: "a shell with data in an attribute", src: `<div id=app data-page='{"props":{"title":"Secret"}}'></div><script src=app.js></script>`,
			warning: needs + " Data that is embedded in its scripts (data-page) is not part of the text.",
		},
		{
			name: "a shell with an article in an attribute", src: `<title>Curlews</title><div id=app data-page='{"component":"Show","props":{"article":{"title":"Curlews","body":"They call."}}}'></div><script src=app.js></script>`,
			want:    "# Curlews\n\nThey call.\n",
			warning: needs + " The Markdown is made of the data-page in its scripts, of what is about this page.",
		},
		{
			name: "a shell with an article in a script for an element", src: `<title>Curlews</title><div id=app></div><script data-page=app type=application/json>{"props":{"article":{"title":"Curlews","body":"They call."}}}</script><script src=app.js></script>`,
			want:    "# Curlews\n\nThey call.\n",
			warning: needs + " The Markdown is made of the data-page in its scripts, of what is about this page.",
		},
		{
			name: "data without scripts", src: `<title>Curlews</title><div id=__next></div><script id=__NEXT_DATA__ type=application/json>{"props":{"article":{"title":"Curlews","body":"They call."}}}</script>`,
			want:    "# Curlews\n\nThey call.\n",
			warning: needs + " The Markdown is made of the __NEXT_DATA__ in its scripts, of what is about this page.",
		},
		{
			name: "a shell with an article", src: shell + `<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"Curlews","description":"Of\u0000birds.","articleBody":"They call.\n\n<p>At &amp; before dawn.</p><script>x()<\/script>"}</script>`,
			want:    "# Curlews\n\nOf birds.\n\nThey call.\n\nAt & before dawn.\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts.",
		},
		{
			name: "a shell with a product", src: shell + `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Bolt","description":"Of steel","offers":{"@type":"Offer","price":3.5,"priceCurrency":"EUR"}}</script><script id=__NEXT_DATA__ type=application/json>{}</script>`,
			want:    "# Bolt\n\nOf steel\n\n3.5 EUR\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts. Data that is embedded in its scripts (__NEXT_DATA__) is not part of the text.",
		},
		{
			name: "a shell with questions and a list", src: shell + `<script type="application/ld+json">[{"@context":"https://schema.org","@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Where?","acceptedAnswer":{"@type":"Answer","text":"On the moor."}}]},{"@context":"https://schema.org","@type":"ItemList","name":"Birds","itemListElement":[{"@type":"ListItem","position":1,"name":"Curlew"},{"@type":"ListItem","position":2,"item":{"@type":"Thing","name":"Whimbrel"}}]}]</script>`,
			want:    "## Where?\n\nOn the moor.\n\n# Birds\n\nCurlew\n\nWhimbrel\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts.",
		},
		{
			name: "a shell with a recipe and an event", src: shell + `<script type="application/ld+json">[{"@context":"https://schema.org","@type":"Recipe","name":"Tea","recipeIngredient":["Water","Leaves"],"recipeInstructions":[{"@type":"HowToStep","text":"Pour."}]},{"@context":"https://schema.org","@type":"Event","name":"Walk","startDate":"2026-11-24","location":{"@type":"Place","name":"The moor"}}]</script>`,
			want:    "# Tea\n\nWater\n\nLeaves\n\nPour.\n\n## Walk\n\n2026-11-24\n\nThe moor\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts.",
		},
		{
			name: "a shell with a job and a film", src: shell + `<script type="application/ld+json">[{"@context":"https://schema.org","@type":"JobPosting","title":"Warden","hiringOrganization":{"@type":"Organization","name":"The moor"},"jobLocation":{"@type":"Place","address":{"@type":"PostalAddress","addressLocality":"Hexham"}},"employmentType":"FULL_TIME","description":"<p>Counts birds.</p>"},{"@context":"https://schema.org","@type":"Movie","name":"Curlews","description":"They call."}]</script>`,
			want:    "# Warden\n\nThe moor\n\nHexham\n\nFULL_TIME\n\nCounts birds.\n\n## Curlews\n\nThey call.\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts.",
		},
		{
			name: "a shell with the parts of a recipe", src: shell + `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe","name":"Tea","recipeInstructions":[{"@type":"HowToSection","name":"Pour","itemListElement":[{"@id":"#a","@type":"HowToStep","text":"Boil."},{"@type":"HowToStep","itemListElement":{"@type":"HowToDirection","text":"Wait."}},{"@id":"#a"}]}]}</script>`,
			want:    "# Tea\n\n## Pour\n\nBoil.\n\nWait.\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts.",
		},
		{
			name: "a shell with a list of links", src: shell + `<script type="application/ld+json">{"@context":"https://schema.org","@type":"ItemList","itemListElement":[{"@type":"ListItem","position":1,"name":"Curlew","url":"https://birds.example/1"},{"@type":"ListItem","position":2,"item":{"@type":"Product","name":"Whimbrel","url":"https://birds.example/2"}},{"@type":"ListItem","item":{"@type":"Product","name":"Knot"}}]}</script>`,
			want:    "[Curlew](https://birds.example/1)\n\n## [Whimbrel](https://birds.example/2)\n\n## Knot\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts.",
		},
		{
			name: "a shell with markup", src: shell + `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","name":"Tea","articleBody":"<p>Of leaves.</p><h3>How <b>hot</b></h3>Very <i>hot</i>.<h3>End</h3>"}</script>`,
			want:    "# Tea\n\nOf leaves.\n\n## How hot\n\nVery hot.\n\n## End\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts.",
		},
		{
			name: "a shell with too long a recipe", src: shell + `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe","name":"Tea","recipeIngredient":["` + strings.Repeat(`Water","`, 204) + `Leaves"]}</script>`,
			want:    "# Tea\n\n" + strings.Repeat("Water\n\n", 199) + "Water\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts. 5 of its texts are left out because there are too many.",
		},
		{
			name: "a shell with the name of a company", src: shell + `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization","name":"Birds Ltd"}</script>`,
			warning: needs + " Data that is embedded in its scripts (JSON-LD) is not part of the text. JSON-LD of these kinds is not read: Organization.",
		},
		{
			name: "a shell with an article, its author and its site", src: shell + `<script type="application/ld+json">[{"@context":"https://schema.org","@type":"Article","headline":"Curlews","author":{"@type":"Person","name":"Jo"},"video":{"@type":"VideoObject","name":"A film"}},{"@type":"WebSite","name":"Birds"},{"@type":"WebSite","name":"Birds"},{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","name":"Home"}]}]</script>`,
			want:    "# Curlews\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts. JSON-LD of these kinds is not read: WebSite, BreadcrumbList.",
		},
		{
			name: "a shell with a long article", src: shell + `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","articleBody":"` + strings.Repeat("Curlews. ", 2000) + `"}</script>`,
			want:    strings.TrimSpace(strings.Repeat("Curlews. ", 2000)) + "\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts.",
		},
		{
			name: "a shell with too long an article", src: shell + `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","articleBody":"` + strings.Repeat("Curlews.", 1<<17) + `More."}</script>`,
			want:    strings.Repeat("Curlews.", 1<<17) + "\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts. 1 of its texts are cut because they are too long.",
		},
		{
			name: "a shell with a state", src: "<title>Curlews</title>" + shell + `<script id=__NEXT_DATA__ type=application/json>{"post":{"title":"Curlews","body":"<p>They call.</p><p>At dawn.</p>","price":3,"token":"t"}}</script><script>window.__NUXT__=f()</script>`,
			want:    "# Curlews\n\n3\n\nThey call.\n\nAt dawn.\n",
			warning: needs + " The Markdown is made of the __NEXT_DATA__ in its scripts, of what is about this page. Data that is embedded in its scripts (__NUXT__) is not part of the text.",
		},
		{
			name: "a shell with a state that says more than its JSON-LD", src: "<title>Curlews</title>" + shell + `<script id=__NEXT_DATA__ type=application/json>{"post":{"title":"Curlews","body":"They call."}}</script><script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"Curlews"}</script>`,
			want:    "# Curlews\n\nThey call.\n",
			warning: needs + " The Markdown is made of the __NEXT_DATA__ in its scripts, of what is about this page. Data that is embedded in its scripts (JSON-LD) is not part of the text.",
		},
		{
			name: "a shell with JSON-LD that is cut", src: shell + `<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"Curlews","articleBody":"They call</script>`,
			warning: needs + " Data that is embedded in its scripts (JSON-LD) is not part of the text. JSON-LD that is not valid (1) is not read to its end.",
		},
		{
			name: "a shell with JSON-LD that is cut, and other JSON-LD", src: shell + `<script type="application/ld+json">{"@type":"NewsArticle","articleBody":"They call</script><script type="application/ld+json"> </script><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Bolt"}</script>`,
			want:    "# Bolt\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts. JSON-LD that is not valid (1) is not read to its end.",
		},
		{
			name: "a shell with articles that contradict each other", src: shell + `<script type="application/ld+json">[{"@context":"https://schema.org","@type":"Article","headline":"Curlews","articleBody":"They call."},{"@context":"https://schema.org","@type":"Article","headline":"Curlews","articleBody":"They never call."}]</script>`,
			want:    "# Curlews\n\nThey call.\n\n## Curlews\n\nThey never call.\n",
			warning: needs + " The Markdown is made of the JSON-LD in its scripts.",
		},
		{
			name: "an island", src: `<title>Curlews</title><astro-island client="only" props='{"post":[0,{"title":[0,"Curlews"],"body":[0,"They call."]}]}'></astro-island><script src=app.js></script>`,
			want:    "# Curlews\n\nThey call.\n",
			warning: needs + " The Markdown is made of the astro-island in its scripts, of what is about this page.",
		},
		{
			name: "islands of another page", src: `<title>Curlews</title><astro-island client="only" props='{"post":[0,{"title":[0,"Gulls"],"body":[0,"They cry."]}]}'></astro-island><script src=app.js></script>`,
			warning: needs + " Data that is embedded in its scripts (astro-island) is not part of the text.",
		},
		{
			name: "a shell with a state that is cut", src: "<title>Curlews</title>" + shell + `<script id=__NEXT_DATA__ type=application/json>{"post":{"title":"Curlews","body":"<p>They call.</p></script>`,
			warning: needs + " Data that is embedded in its scripts (__NEXT_DATA__) is not part of the text.",
		},
		{
			name: "a shell with rows that are cut", src: "<title>Curlews</title>" + shell + `<script>self.__next_f.push([1,"0:{\"title\":\"Curlews\",\"body\":\"They ca"])</script>`,
			warning: needs + " Data that is embedded in its scripts (__next_f) is not part of the text.",
		},
		{
			name: "a shell with two states of one kind", src: "<title>Curlews</title>" + shell + `<script id=__NEXT_DATA__ type=application/json>{"post":{"title":"Curlews","body":"They call."}}</script><script id=__NEXT_DATA__ type=application/json>{"post":{"title":"Curlews","body":"They call at dawn."}}</script>`,
			want:    "# Curlews\n\nThey call at dawn.\n",
			warning: needs + " The Markdown is made of the __NEXT_DATA__ in its scripts, of what is about this page. Others of this kind (1) are not part of the text.",
		},
		{
			name: "a shell with a state of another page", src: "<title>Curlews</title>" + shell + `<script id=__NEXT_DATA__ type=application/json>{"post":{"title":"Gulls","body":"They cry."}}</script>`,
			warning: needs + " Data that is embedded in its scripts (__NEXT_DATA__) is not part of the text.",
		},
		{name: "a form to log in", src: "<form><input name=user><input type=password><button>Log in</button></form><script src=app.js></script>", warning: nothing},
		{name: "a frame without an end", src: "<frameset><frame src=menu.html><frame src=text.ht", want: "[menu.html](https://birds.example/a/menu.html)\n", warning: "The page consists of frames (1): its content is in the pages that they show."},
		{name: "frames in frames, and a script as address", src: `<frameset><frame src=a.html><frameset><frame src="javascript:alert(1)"></frameset></frameset>`, want: "[a.html](https://birds.example/a/a.html)\n\njavascript:alert(1)\n", warning: "The page consists of frames (2): its content is in the pages that they show."},
		{name: "a shell that says it loads", src: "<p>Loading…</p><script src=app.js></script>", want: "Loading…\n", warning: needs},
		{name: "the whole shell", src: "<div id=app></div><script src=app.js></script>", o: format.Options{WholePage: true}, warning: needs},
		{name: "the shell as HTML", src: "<div id=app></div><script src=app.js></script>", o: format.Options{Forms: []format.Form{format.HTML}}, warning: needs},
		{
			name:    "a page that is hidden in parts",
			src:     strings.Repeat("<div style='display: none'><p>"+strings.Repeat("Curlews call at dawn. ", 10)+"</div>", 2) + "<p hidden>More.</p><script>show()</script>",
			want:    strings.Repeat(strings.TrimSpace(strings.Repeat("Curlews call at dawn. ", 10))+"\n\n", 2) + "More.\n",
			warning: "The page hides its content until its scripts have run: what is hidden is returned.",
		},
		{
			name:    "a page of which only the navigation is not hidden",
			src:     "<nav><a href=/>Home of birds</a></nav><main>" + strings.Repeat("<div style='display: none'><p>"+strings.Repeat("Curlews call at dawn. ", 10)+"</div>", 2) + "</main>",
			want:    strings.TrimSuffix(strings.Repeat(strings.TrimSpace(strings.Repeat("Curlews call at dawn. ", 10))+"\n\n", 2), "\n"),
			warning: "The page hides its content until its scripts have run: what is hidden is returned.",
		},
		{
			name: "navigation and a hidden dialog", src: "<nav><a href=/>Home of birds</a></nav><div hidden>Log in</div>", want: "[Home of birds](https://birds.example/)\n",
			warning: "The main content is empty: the whole page is returned.",
		},
		{name: "a dialog that is hidden", src: `<div style="display: none">Log in</div>`, warning: nothing},
		{name: "no page", src: "", warning: nothing},
		{
			name: "words of a drawing", src: "<main><svg><title>Stars</title><text>4 of 5</text></svg></main><nav>Home of birds</nav>", want: "Stars: 4 of 5\n\nHome of birds\n",
			warning: "The main content is empty: the whole page is returned.",
		},
		{name: "tags that do not occur", src: long, o: format.Options{Include: selectors(t, "h9")}, warning: "Nothing matches includeTags."},
		{name: "tags that are all", src: "<p>b", o: format.Options{Exclude: selectors(t, "p")}, warning: "Nothing is left of the page with the tags that are included and excluded."},
		{name: "a shell of frames", src: "<script src=app.js></script><frameset><frame src=text.html><noframes>This needs JavaScript.</noframes></frameset>", want: "This needs JavaScript.\n\n[text.html](https://birds.example/a/text.html)\n", warning: "The page consists of frames (1): its content is in the pages that they show."},
		{name: "elements without text", src: "<div><p></p></div>", warning: nothing},
		{name: "a page", src: long + "<script src=app.js></script>", want: strings.TrimSuffix(strings.TrimPrefix(long, "<p>"), " </p>") + "\n"},
		{
			name:    "frames",
			src:     `<frameset cols="*,*"><frame src=menu.html name=menu><frame src=text.html title="The text"><frame><noframes><body><p>Show frames.</body></noframes></frameset>`,
			want:    "Show frames.\n\n[menu](https://birds.example/a/menu.html)\n\n[The text](https://birds.example/a/text.html)\n",
			warning: "The page consists of frames (3): its content is in the pages that they show.",
		},
		{
			name: "many frames", src: "<frameset>" + strings.Repeat("<frame>", 101) + "</frameset>",
			warning: "The page consists of frames (101): its content is in the pages that they show. The first 100 are linked.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := build(t, c.src, c.o)
			got := ""
			if d.Markdown != nil {
				got = *d.Markdown
			}
			if got != c.want || d.Warning != c.warning {
				t.Errorf("got %q and %q, want %q and %q", got, d.Warning, c.want, c.warning)
			}
			if want := lackOf(d.Warning); d.Lack != want {
				t.Errorf("got the reason %q, want %q", d.Lack, want)
			}
		})
	}
}

// lackOf returns the Lack that a warning describes.
func lackOf(warning string) format.Lack {
	for _, c := range []struct {
		words string
		lack  format.Lack
	}{
		{"seems to need JavaScript", format.NeedsJavaScript},
		{"consists of frames", format.InFrames},
		{"what is hidden is returned", format.Hidden},
		{"Nothing matches includeTags", format.Unmatched},
		{"The main content is empty", format.NoMain},
		{"tags that are included and excluded", format.Excluded},
		{"neither text nor images", format.NoContent},
	} {
		if strings.Contains(warning, c.words) {
			return c.lack
		}
	}
	return ""
}

// TestEmbeddedForms checks the other forms of a page whose text is embedded.
func TestEmbeddedForms(t *testing.T) {
	src := `<div id=root></div><script src=app.js></script><script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"Curlews","articleBody":"Write to jane@birds.example today."}</script>`
	d := build(t, src, format.Options{Forms: []format.Form{format.Markdown, format.HTML, format.ChunksForm, format.Links}, Redact: &format.Redact{}})
	if strings.Contains(*d.Markdown, "jane@") || !strings.Contains(*d.Markdown, "Write to") {
		t.Errorf("the Markdown is %q", *d.Markdown)
	}
	if strings.Contains(*d.HTML, "Curlews") {
		t.Errorf("the HTML is %q", *d.HTML)
	}
	if len(d.Chunks) != 1 || strings.Contains(d.Chunks[0].Text, "jane@") || !strings.Contains(d.Chunks[0].Text, "Write to") {
		t.Errorf("the chunks are %+v", d.Chunks)
	}
	if d = build(t, src, format.Options{Include: selectors(t, "#root")}); *d.Markdown != "" {
		t.Errorf("of an element: %q", *d.Markdown)
	}
}

// TestStandIn checks the warnings about pages that a server sent in place of the requested one.
func TestStandIn(t *testing.T) {
	const paid = `<title>Birds</title><script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script>`
	for _, c := range []struct {
		src     string
		status  int
		warning string
	}{
		{"<title>404</title><h1>404</h1><p>Nothing here.", 200, "The page seems to say that there is no such page (404), although its status does not."},
		{"<title>404</title><h1>404</h1><p>Nothing here.", 0, "The page seems to say that there is no such page (404), although its status does not."},
		{"<title>404</title><h1>404</h1><p>Nothing here.", 404, ""},
		{"<title>Wait</title><p>We test your browser.<script>window._cf_chl_opt={}</script>", 403, "The page seems to be a test for robots instead of the page that was asked for."},
		{"<title>Birds</title><h1>Birds</h1><p>They call at dawn.", 200, ""},
		{"<title>Sign in</title><h1>Sign in</h1><p>Your account<form><input type=password></form>", 200, "The page seems to be a form for signing in."},
		{"<title>Wait</title><h1>Wait</h1><p>Cookies<form action=https://consent.youtube.com/save></form>", 200, "The page seems to ask for consent instead of the page that was asked for."},
		{paid + "<h1>Birds</h1><p>They call at dawn.", 200, "The page says that its article is not free, and has few words: they may be only its beginning."},
		{paid + "<h1>Birds</h1><p>" + strings.Repeat("They call at dawn. ", 60), 200, ""},
		{paid + "<h1>Birds</h1><p>" + strings.Repeat("They call at dawn. ", 60) + "</p><div class=paywall>Subscribe to read on, or <a href=/in>sign in</a></div>", 200, "The page says that its article is not free, and offers a subscription where it ends: the words may be only its beginning."},
	} {
		doc, err := dom.Parse(t.Context(), []byte(c.src), "text/html")
		if err != nil {
			t.Fatal(err)
		}
		d, err := format.Build(t.Context(), &format.Input{Root: doc.Root, StatusCode: c.status}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.Warning != c.warning {
			t.Errorf("%s with status %d: warning %q, want %q", c.src, c.status, d.Warning, c.warning)
		}
	}
}
