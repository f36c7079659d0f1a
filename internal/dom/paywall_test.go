// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/dom"
)

// TestFences checks which pages seem to end where readers are to pay.
func TestFences(t *testing.T) {
	const story = "<article><h1>Birds</h1><p>The first words of an article about birds that sing.</p>"
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{"a wall by name", story + `<div class="article__paywall"><h2>Read on with a trial</h2><p>Already a reader? <a href=/in>Sign in</a></p></div></article>`, true},
		{"a gate for registered readers", story + `<div id=reg-wall><p>Melden Sie sich an, um weiterzulesen.</p><button>Jetzt registrieren</button></div></article>`, true},
		{"Piano", story + `</article><div class="tp-container-inner"><p>Cet article est réservé aux abonnés.</p><a class=btn href=/abo>Je m'abonne</a></div>`, true},
		{"a text for subscribers only", story + `</article><section class=subscribers-only><p>Este contenido es exclusivo para suscriptores.</p><a href=/s>Suscríbete</a></section>`, true},
		{"a text that fades out", `<article><h1>Uccelli</h1><div class="text fade-out"><p>Le prime parole di un articolo sugli uccelli.</p></div><div class=box><p>Continua a leggere</p><a href=/a>Abbonati ora</a></div></article>`, true},
		{"a text that is cut", `<article><h1>Fåglar</h1><div class="body truncated"><p>De första orden i en artikel om fåglar.</p></div><button>Prenumerera</button></article>`, true},
		{"a locked text", story + `<div class=content-locked><span>Этот текст доступен по подписке.</span><a href=/p>Оформить подписку</a></div></article>`, true},
		{"an abo teaser", story + `<div class=c-abo-teaser><p>Lesen Sie den ganzen Artikel mit einem Abo.</p><a href=/a>Zum Angebot</a></div></article>`, true},
		{"an empty wall, for a script", story + "<div id=paywall></div></article>", false},
		{"a wall without a way in", story + "<div id=paywall>This text is shown to all readers</div></article>", false},
		{"a body with the name of the program", "<body class=has-paywall>" + story + "<p><a href=/a>Other birds</a></article>", false},
		{"a newsletter", story + `<div class=newsletter><p>Our best texts by mail, each week.</p><button>Subscribe</button></div></article>`, false},
		{"a picture with a gradient", `<div class=hero-gradient></div>` + story + strings.Repeat("<p><a href=/a>Other birds</a>", 9) + "</article>", false},
	} {
		d, err := dom.Parse(t.Context(), []byte(c.src), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		if got := dom.IsFenced(d.Root); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}
