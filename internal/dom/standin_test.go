// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/dom"
)

// TestStandsIn checks which pages count as tests for robots and as missing ones. Those that do
// are shortened pages of the programs and services that their names say.
func TestStandsIn(t *testing.T) {
	words := func(n int) string { return "<p>" + strings.Repeat("word ", n) }
	captcha := `<div class="g-recaptcha" data-sitekey=k></div><textarea name=g-recaptcha-response hidden></textarea>`
	for _, c := range []struct {
		name, src string
		want      dom.StandIn
	}{
		{"Cloudflare", `<title>Just a moment...</title><body class=no-js><noscript>Enable JavaScript and cookies to continue</noscript><script>(function(){window._cf_chl_opt={cType:'managed'};a.src='/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1'})()</script>`, dom.Challenge},
		{"Cloudflare's script of ordinary pages", "<p>An article.<script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>", dom.Itself},
		{"DataDome", `<title>a.example</title><p id=cmsg>Please enable JS and disable any ad blocker</p><script>var dd={'host':'geo.captcha-delivery.com'}</script><script src="https://ct.captcha-delivery.com/c.js"></script>`, dom.Challenge},
		{"Imperva", `<META NAME="robots" CONTENT="noindex,nofollow"><iframe id=main-iframe src="/_Incapsula_Resource?SWUDNSAI=31">Request unsuccessful.</iframe>`, dom.Challenge},
		{"Imperva's script of ordinary pages", `<p>An article.<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>`, dom.Itself},
		{"Anubis", `<title>Making sure you are not a bot!</title><script id="anubis_challenge" type="application/json">{}</script><p>Loading...`, dom.Challenge},
		{"AWS", `<noscript><h1>JavaScript is disabled</h1></noscript><div id="challenge-container"></div><script>AwsWafIntegration.checkForceRefresh().then(x)</script>`, dom.Challenge},
		{"a question only", "<h1>Êtes-vous humain ?</h1><form method=post><input type=hidden name=u>" + captcha + "<input type=submit></form>", dom.Challenge},
		{"a question in a form of contact", "<h1>Contact</h1><form method=post><input name=email>" + captcha + "<input type=submit></form>", dom.Itself},
		{"a question below an article", words(200) + captcha, dom.Itself},
		{"nginx", "<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center><hr><center>nginx", dom.Missing},
		{"WordPress", `<title>Seite nicht gefunden</title><body class="error404 wp-custom-logo">` + words(300), dom.Missing},
		{"Shopify", `<title>Page introuvable</title><body class="gradient template-404">` + words(300), dom.Missing},
		{"a heading", "<title>Birds</title><h1>Ошибка 404</h1><meta name=robots content='NOINDEX, follow'>", dom.Missing},
		{"a car", "<title>Peugeot 404</title><h1>The Peugeot 404</h1>" + words(50), dom.Itself},
		{"an article about it", "<title>404 pages that work</title><h1>404 pages that work</h1>" + words(900), dom.Itself},
		{"a name of another part", "<body class=home><div class=error404>" + words(50), dom.Itself},
		{"a form for signing in", "<h1>Anmelden</h1><form><input name=user><input type=password></form>", dom.SignIn},
		{"a form for signing in below an article", words(200) + "<form><input name=user><input type=password></form>", dom.Itself},
		{"a short article with a form for signing in", "<article>Birds sing.</article><form><input type=password></form>", dom.Itself},
		{"Google's consent", "<h1>Voordat je verdergaat</h1><form action=https://consent.google.com/save method=POST><input type=hidden name=continue></form>", dom.Consent},
		{"Yahoo's consent", "<h1>Yahoo</h1>" + words(100) + "<form action='/v2/collectConsent?sessionId=1' method=post></form>", dom.Consent},
		{"a dialog for consent on an article", words(200) + "<form action=https://consent.google.com/save></form>", dom.Itself},
		{"a text", "<p>Call 404 555 0100", dom.Itself},
	} {
		d, err := dom.Parse(t.Context(), []byte(c.src), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		if got := dom.StandsIn(d.Root); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
