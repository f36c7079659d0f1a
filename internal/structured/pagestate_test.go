// SPDX-License-Identifier: Apache-2.0

package structured_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/internal/structured"
)

// next returns a page with JSON as the state of Next.js.
func next(json string) string {
	return `<script id="__NEXT_DATA__" type="application/json">` + json + `</script>`
}

// TestReadPageState reads what states say about a page with the address /birds/curlews and
// the title "Curlews | Birds".
func TestReadPageState(t *testing.T) {
	const article = `{"slug":"curlews","title":"Curlews","dek":"Of birds","body":"<p>They call.</p>"}`
	for _, c := range []struct {
		name, page, source, title string
		texts, items              []string
		price                     string
		left                      int
	}{
		{name: "an article by its path", page: next(`{"props":{"pageProps":{"article":` + article + `},"site":{"name":"Birds","description":"All birds"}}}`), source: "__NEXT_DATA__", title: "Curlews", texts: []string{"Of birds", "<p>They call.</p>"}},
		{name: "an article by its title", page: next(`{"a":{"headline":"CURLEWS","id":7,"text":"They call."},"b":{"title":"Whimbrels","text":"They do not. They do not."}}`), source: "__NEXT_DATA__", title: "CURLEWS", texts: []string{"They call."}},
		{name: "another article", page: next(`{"a":{"slug":"whimbrels","title":"Whimbrels","text":"They call."}}`)},
		{name: "a part of the title that is too short", page: next(`{"a":{"title":"Birds","text":"They call."}}`)},
		{name: "the longest text", page: next(`[{"slug":"curlews","text":"Short"},{"slug":"curlews","text":"It is longer"}]`), source: "__NEXT_DATA__", texts: []string{"It is longer"}},
		{name: "paragraphs", page: next(`{"slug":"curlews","content":{"nodeType":"document","content":[{"nodeType":"paragraph","content":[{"nodeType":"text","value":"They "},{"nodeType":"hyperlink","content":[{"nodeType":"text","value":"call"}]},{"nodeType":"text","value":"."}]},{"nodeType":"paragraph","content":[{"nodeType":"text","value":"At dawn."}]}]}}`), source: "__NEXT_DATA__", texts: []string{"They call.", "At dawn."}},
		{name: "rendered texts", page: next(`{"link":"https://x.example/birds/curlews/","title":{"rendered":"Curlews"},"content":{"rendered":"<p>They call."}}`), source: "__NEXT_DATA__", title: "Curlews", texts: []string{"<p>They call."}},
		{name: "a draft", page: next(`{"slug":"curlews","title":"Curlews","body":"Not yet.","status":"DRAFT"}`)},
		{name: "not published", page: next(`{"a":{"published":false,"b":{"slug":"curlews","body":"Not yet."}}}`)},
		{name: "translations and secrets", page: next(`{"translations":{"slug":"curlews","text":"Read more"},"csrfToken":{"slug":"curlews","text":"t"},"draftPost":{"slug":"curlews","text":"d"}}`)},
		{name: "a product", page: next(`{"product":{"handle":"curlews","name":"Bolt","description":"Of steel","price":{"amount":3.5,"currencyCode":"EUR"},"accessToken":"abc"}}`), source: "__NEXT_DATA__", title: "Bolt", texts: []string{"Of steel"}, price: "3.5 EUR"},
		{
			name: "a list", page: next(`{"category":{"path":"/birds/curlews","name":"All","products":{"edges":[{"node":{"name":"Bolt","price":3,"currency":"EUR"}},{"node":{"title":"Nut"}},{"node":{"title":"Screw","isDraft":true}}]}}}`),
			source: "__NEXT_DATA__", title: "All", items: []string{"Bolt 3 EUR", "Nut"},
		},
		{name: "a long list", page: next(`{"slug":"curlews","items":[` + strings.Repeat(`{"name":"Nut"},`, 205) + `]}`), source: "__NEXT_DATA__", items: slices.Repeat([]string{"Nut"}, 200), left: 5},
		{name: "a variable", page: `<script>window.__INITIAL_STATE__ = {article: ` + article + `, x: undefined}; start()</script>`, source: "__INITIAL_STATE__", title: "Curlews", texts: []string{"Of birds", "<p>They call.</p>"}},
		{name: "a member of window", page: `<script>window["__PRELOADED_STATE__"]=` + article + `</script>`, source: "__PRELOADED_STATE__", title: "Curlews", texts: []string{"Of birds", "<p>They call.</p>"}},
		{name: "parsed JSON", page: `<script>window.__APOLLO_STATE__ = JSON.parse("{\"Article:1\":{\"slug\":\"curlews\",\"body\":\"They call.\"}}")</script>`, source: "__APOLLO_STATE__", texts: []string{"They call."}},
		{name: "parsed JSON between apostrophes", page: `<script>window.__INITIAL_STATE__ = JSON.parse('{"post":{"slug":"curlews","body":"It\'s a \x3Cb\u003Ebird\x3C/b>."}}');</script>`, source: "__INITIAL_STATE__", texts: []string{"It's a <b>bird</b>."}},
		{name: "a function", page: `<script>window.__NUXT__=(function(a,b,c,d){return {layout:"default",data:[{post:{slug:b,body:a,draft:c,title:d,x:void 0}}]}}("They \u003Cb>call.","curlews",false,{x:1}));</script>`, source: "__NUXT__", texts: []string{"They <b>call."}},
		{name: "a function with a statement", page: `<script>window.__NUXT__=(function(a){a.b=1;return {slug:"curlews",body:"They call.",c:a}}({}))</script>`, source: "__NUXT__", texts: []string{"They call."}},
		{name: "a function that is cut", page: `<script>window.__NUXT__=(function(a){return {slug:"curlews",body:</script>`},
		{name: "a function without a value", page: `<script>window.__NUXT__=(function(a,b){return {slug:"curlews",body:b}}("They call."))</script>`},
		{
			name: "a function that repeats a long value too often", page: `<script>window.__NUXT__=(function(a){return {slug:"curlews",body:"They call.",links:[` + strings.Repeat("a,", 12) + `0]}}("` + strings.Repeat("curlew ", 1<<17) + `"))</script>`,
			source: "__NUXT__", texts: []string{"They call."}, left: 3,
		},
		{name: "an expression", page: `<script>window.__NUXT__=f({slug:"curlews",body:"They call."})</script>`},
		{name: "an island of Astro", page: `<astro-island client="only" props="{&quot;post&quot;:[0,{&quot;slug&quot;:[0,&quot;curlews&quot;],&quot;paragraphs&quot;:[1,[[0,&quot;They call.&quot;],[0,&quot;At dawn.&quot;]]],&quot;n&quot;:[0,3]}]}"></astro-island>`, source: "astro-island", texts: []string{"They call.", "At dawn."}},
		{name: "an island of Astro without pairs", page: `<astro-island props="{&quot;slug&quot;:&quot;curlews&quot;,&quot;body&quot;:[0],&quot;text&quot;:[[0],1]}"></astro-island>`},
		{name: "a comparison", page: `<script>if (window.__NUXT__ && {"slug":"curlews","body":"no"}) {}</script>`},
		{name: "Remix", page: `<script>window.__remixContext = {"state":{"loaderData":{"routes/post":{"article":` + article + `}}}};</script>`, source: "__remixContext", title: "Curlews", texts: []string{"Of birds", "<p>They call.</p>"}},
		{name: "React Router", page: `<script>window.__staticRouterHydrationData = JSON.parse("{\"loaderData\":{\"0\":{\"title\":\"Curlews\",\"body\":\"They call.\"}}}");</script>`, source: "__staticRouterHydrationData", title: "Curlews", texts: []string{"They call."}},
		{name: "Angular", page: `<script id="ng-state" type="application/json">{"G.post":{"body":` + article + `,"status":200}}</script>`, source: "ng-state", title: "Curlews", texts: []string{"Of birds", "<p>They call.</p>"}},
		{name: "an older Angular", page: `<script id="serverApp-state" type="application/json">{&q;post&q;:{&q;title&q;:&q;Curlews&q;,&q;body&q;:&q;&l;p&g;They call &a; sing.&l;/p&g;&q;}}</script>`, source: "ng-state", title: "Curlews", texts: []string{"<p>They call & sing.</p>"}},
		{
			name:   "a stream of React Router",
			page:   `<script>window.__reactRouterContext.streamController.enqueue("[{\"_1\":2,\"_99\":0},\"loaderData\",{\"_3\":4},\"post\",[\"P\",5],9]\n");</script><script>window.__reactRouterContext.streamController.enqueue("P5:[{\"_7\":8,\"_9\":10,\"_11\":-5},\"slug\",\"curlews\",\"body\",\"They call.\",\"x\"]\n")</script>`,
			source: "__reactRouterContext", texts: []string{"They call."},
		},
		{name: "a stream that leads to itself", page: `<script>window.__reactRouterContext.streamController.enqueue('[{"_1":0,"_2":3,"_4":5},"self","slug","curlews","body",["P",7]]\nP7:[["P",7]]\n')</script>`},
		{
			name:   "a start of SvelteKit",
			page:   `<script>{__sveltekit_1={base:""};Promise.all([]).then(([kit,app])=>{kit.start(app,element,{node_ids:[0,2],data:[null,{type:"data",data:{post:{slug:"curlews",at:new Date(17),body:"They call."}},uses:{}}],form:null});});}</script>`,
			source: "__sveltekit", texts: []string{"They call."},
		},
		{name: "React Query", page: `<script>window.__REACT_QUERY_STATE__={"queries":[{"state":{"data":{"slug":"curlews","body":"They call."}}}]}</script>`, source: "__REACT_QUERY_STATE__", texts: []string{"They call."}},
		{name: "Nuxt 3", page: `<script type="application/json" id="__NUXT_DATA__">[["ShallowReactive",1],{"data":2},{"a":3},{"slug":4,"body":5,"tags":6},"curlews","They call.",["Set",4,5]]</script>`, source: "__NUXT__", texts: []string{"They call."}},
		{name: "Nuxt 3 with a cycle", page: `<script type="application/json" id="__NUXT_DATA__">[{"a":0,"b":[0],"c":-1,"d":99}]</script>`},
		{name: "SvelteKit", page: `<script type="application/json" data-sveltekit-fetched>{"status":200,"body":"{\"slug\":\"curlews\",\"body\":\"They call.\"}"}</script>`, source: "__sveltekit", texts: []string{"They call."}},
		{
			name: "rows of Next.js", page: `<script>self.__next_f.push([0])</script><script>self.__next_f.push([1,"1:I[2,[]]\n3:Ta,0123:5678\n4:[\"$\",\"x\",null,{\"post\":{\"slug\":\"curl"])</script><script>self.__next_f.push([1,"ews\",\"body\":\"$3\"}}]\n"])</script>`,
			source: "__next_f", texts: []string{"0123:5678"},
		},
		{name: "a cut row", page: `<script>self.__next_f.push([1,"3:Tfff,short"])</script>`},
		{name: "broken JSON", page: next(`{"slug":"curlews","body":"They`)},
		{name: "a script", page: `<script>start()</script>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := structured.ReadPageState(t.Context(), tree(t, c.page), "https://x.example/birds/curlews?a=1", "Curlews | Birds", "")
			if err != nil {
				t.Fatal(err)
			}
			if got.Source != c.source || got.Title != c.title || !slices.Equal(got.Texts, c.texts) || !slices.Equal(got.Items, c.items) || got.Price != c.price || got.Left != c.left {
				t.Errorf("got %+v, want %+v", got, c)
			}
		})
	}
}

// TestReadPageStateEnds checks that reading ends with the context, and that it ends if each
// value of a state refers to the next one twice.
func TestReadPageStateEnds(t *testing.T) {
	var rows strings.Builder
	for i := range 60 { // twice as many values each
		fmt.Fprintf(&rows, `[%d,%d],`, i+1, i+1)
	}
	page := tree(t, `<script id="__NUXT_DATA__">[`+rows.String()+`1]</script>`)
	if _, err := structured.ReadPageState(t.Context(), page, "https://x.example/a"); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := structured.ReadPageState(ctx, page, "https://x.example/a"); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// FuzzReadPageState checks that texts are within the limits.
func FuzzReadPageState(f *testing.F) {
	f.Add(`{"slug":"a-page","body":[{"type":"text","text":"b"}],"items":[{"name":"c"},{"name":"d"}]}`)
	f.Add(`[["Reactive",1],{"slug":2},"a-page"]`)
	f.Add(`1:{"slug":"a-page"}`)
	f.Add(`[{"_1":2,"_3":4},"slug","a-page","body",["P",5]]` + "\nP5:[{},\"b\"]")
	f.Fuzz(func(t *testing.T, json string) {
		json = strings.ReplaceAll(json, "<", "")
		page := tree(t, next(json)+`<script id=__NUXT_DATA__>`+json+`</script><script>window.__NUXT__=`+json+`;self.__next_f.push([1,`+json+`]);x.streamController.enqueue(`+strconv.Quote(json)+`);__sveltekit_1;kit.start(a,{data:`+json+`})</script>`)
		state, err := structured.ReadPageState(t.Context(), page, "https://x.example/a-page", "A")
		if err != nil {
			t.Fatal(err)
		}
		if len(state.Texts) > 2000 || len(state.Items) > 200 {
			t.Errorf("%d texts, %d items", len(state.Texts), len(state.Items))
		}
	})
}
