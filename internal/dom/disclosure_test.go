// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"testing"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// TestDiscloses tells titles of panels from buttons that open menus or do something.
func TestDiscloses(t *testing.T) {
	const text = "<p>Send it back within thirty days.</p>"
	for in, want := range map[string]bool{
		`<button aria-expanded=false>Q</button><div>` + text + `</div>`:                                                   true,
		`<button class="faq-accordion-button">Q</button><div>` + text + `</div>`:                                          true,
		`<button class=collapsible>Q</button>` + text:                                                                     true,
		`<div><span><button aria-expanded>Q</button></span></div><div>` + text + `</div>`:                                 true,
		`<button aria-expanded=true aria-controls=p>Q</button><div id=p>` + text + `</div>`:                               true,
		`<button aria-expanded=true aria-controls=p>Q</button><div><div id=p>` + text + `</div></div>`:                    true,
		`<button aria-expanded=true aria-controls=other>Q</button><div id=p>` + text + `</div>`:                           false,
		`<button aria-expanded=false aria-haspopup=menu>Q</button><div>` + text + `</div>`:                                false,
		`<button aria-expanded=false>Q</button><ul><li><a href=/a>A long text of a link of a menu</a></ul>`:               false,
		`<button aria-expanded=false>Q</button><nav>` + text + `</nav>`:                                                   false,
		`<ul><li><button aria-expanded=false>Q</button></li></ul><div>` + text + `</div>`:                                 false,
		`<button>Q</button><div>` + text + `</div>`:                                                                       false,
		`<button aria-expanded=false>Q</button>`:                                                                          false,
		`<button aria-expanded=false>Q</button><div>short</div>`:                                                          false,
		`<div>` + text + `<div><div><div><button aria-expanded>Q</button></div></div></div></div><div>` + text + `</div>`: false,
	} {
		d, err := dom.Parse(t.Context(), []byte("<body>"+in), "text/html")
		if err != nil {
			t.Fatal(err)
		}
		for n := range d.Root.Descendants() {
			if n.DataAtom == atom.Button && (dom.Discloses(n) != want || dom.Asks(n)) {
				t.Errorf("%s: %v, want %v", in, !want, want)
			}
		}
	}
	for in, want := range map[string]bool{
		`<button>Who pays for it?</button>` + text:                     true,
		`<div><button> Who <b>pays for it? </b></button></div>` + text: true,
		`<button>Forgot password?</button>` + text:                     false,
		`<button>Who pays for it</button>` + text:                      false,
		`<button>Who pays for it?</button><form>` + text + `</form>`:   false,
		`<button aria-haspopup=menu>Who pays for it?</button>` + text:  false,
	} {
		d, err := dom.Parse(t.Context(), []byte("<body>"+in), "text/html")
		if err != nil {
			t.Fatal(err)
		}
		for n := range d.Root.Descendants() {
			if n.DataAtom == atom.Button && dom.Asks(n) != want {
				t.Errorf("%s: %v, want %v", in, !want, want)
			}
		}
	}
}
