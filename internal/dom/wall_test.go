// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/dom"
)

// TestConsentWalls checks which pages count as requests for consent. They are like those of the programs that their names
// say, in many languages.
func TestConsentWalls(t *testing.T) {
	words := func(n int) string { return "<p>" + strings.Repeat("word ", n) }
	const english = "<p>We and our partners store and access information on a device, such as cookies, and process personal data for ads and content measurement. You may accept or manage your choices.</p>"
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{"OneTrust", `<body><div id=onetrust-consent-sdk><div class=onetrust-pc-dark-filter></div><div id=onetrust-banner-sdk role=dialog><h2>We value your privacy</h2>` + english + `<button id=onetrust-pc-btn-handler>Manage options</button><button id=onetrust-accept-btn-handler>Accept All Cookies</button></div></div>`, true},
		{"OneTrust on an article", `<body><article><h1>Birds</h1>` + words(200) + `</article><div id=onetrust-banner-sdk>` + english + `<button>Accept All Cookies</button></div>`, false},
		{"OneTrust on a short page", `<body><h1>Opening hours</h1>` + words(30) + `<div id=onetrust-banner-sdk>` + english + `<button>Accept All Cookies</button></div>`, false},
		{"Yahoo", `<title>Yahoo ist Teil der Yahoo Markenfamilie</title><body><div class=consent-page><form method=post class=consent-form action=""><h1>Yahoo ist Teil der Yahoo Markenfamilie</h1><p>Wenn Sie unsere Seiten und Apps nutzen, verwenden wir Cookies, um Ihnen unsere Seiten und Apps bereitzustellen. Klicken Sie auf Alle akzeptieren, wenn Sie zustimmen.</p><button type=submit name=agree value=agree>Alle akzeptieren</button><button name=reject>Alle ablehnen</button></form></div>`, true},
		{"Sourcepoint", `<title>News</title><body><div id=sp_message_container_1><iframe id=sp_message_iframe_1 title="SP Consent Message" src="https://cdn.privacy-mgmt.com/index.html?message_id=1"></iframe></div>`, true},
		{"Sourcepoint, its own page", `<body><div class=message-container><div class=message-component><p>Wir und unsere Partner benötigen Ihre Einwilligung, um Cookies zu setzen und Werbung zu zeigen. Oder lesen Sie mit einem Abo.</p></div><button class="sp_choice_type_11" title="Einverstanden">Einverstanden</button><button>Jetzt abonnieren</button></div>`, true},
		{"Didomi", `<body><div id=didomi-host><div role=dialog><h1>Bienvenue</h1><p>Avec votre accord, nos partenaires et nous utilisons des cookies pour stocker et accéder à des données personnelles comme votre visite sur ce site.</p><span class=didomi-continue-without-agreeing role=button>Continuer sans accepter</span><button id=didomi-notice-agree-button>Accepter &amp; fermer</button></div></div>`, true},
		{"Quantcast", `<body><div class=qc-cmp2-container><div><p>Con il tuo consenso, noi e i nostri fornitori usiamo i cookie per conservare, accedere e trattare dati personali come la tua visita.</p><button mode=secondary>PIÙ OPZIONI</button><button mode=primary>ACCETTO</button></div></div>`, true},
		{"Cookiebot", `<body><div id=CybotCookiebotDialog><h2>Denne hjemmeside bruger cookies</h2><p>Vi bruger cookies til at tilpasse vores indhold og annoncer og til at analysere vores trafik.</p><a class=CybotCookiebotDialogBodyButton role=button href=#>Tillad alle</a></div>`, true},
		{"a cookie wall in Dutch", `<body><main><h1>Welkom</h1><p>Deze site gebruikt cookies en vergelijkbare technieken. Met uw toestemming verwerken wij persoonlijke gegevens om u advertenties te tonen.</p><form><button type=submit>Akkoord</button></form><a href=/i>Instellingen</a></main>`, true},
		{"Polish", `<body><div class=rodo><h2>Szanowna użytkowniczko</h2><p>Razem z naszymi partnerami przetwarzamy dane i używamy plików cookie. Potrzebujemy twojej zgody, aby pokazać reklamy i mierzyć wyniki.</p><button>Akceptuję i przechodzę do serwisu</button></div>`, true},
		{"Spanish, accept or pay", `<body><div class=wall><p>Para acceder al contenido debes aceptar las cookies de publicidad personalizada o suscribirte por 1 euro al mes sin cookies de terceros.</p><button>Aceptar y continuar</button><button>Suscribirme</button></div>`, true},
		{"Swedish", `<body><div><p>Vi använder cookies och behandlar dina uppgifter för att visa annonser. Ditt samtycke gäller för alla våra sidor och tjänster.</p><button>Godkänn alla</button></div>`, true},
		{"Russian", `<body><div><p>Мы используем файлы cookie и обрабатываем персональные данные, чтобы показывать рекламу и измерять её. Нужно ваше согласие на это.</p><button>Принять все</button></div>`, true},
		{"Greek", `<body><div><p>Εμείς και οι συνεργάτες μας χρησιμοποιούμε cookies και επεξεργαζόμαστε προσωπικά δεδομένα, με τη συγκατάθεσή σας, για διαφημίσεις.</p><button>Αποδοχή όλων</button></div>`, true},
		{"Japanese", `<body><div><p>当社はお客様の体験を向上させるために クッキー を使用します。 広告の 表示 と 測定 の ために データ を 処理 します。 詳細 は こちら</p><button>すべて同意する</button></div>`, true},
		{"Turkish", `<body><div><p>Sitemizde size daha iyi hizmet sunmak ve reklam göstermek için çerezler kullanıyoruz, kişisel verileriniz işlenir.</p><button>Kabul Et</button></div>`, true},
		{"accept or pay, in German", `<body><main><h1>PUR-Abo oder Werbung</h1><p>Besuchen Sie unsere Seite mit Werbung und Tracking, oder nutzen Sie sie ohne für 2,99 Euro im Monat. Details finden Sie in der Datenschutzerklärung.</p><button>Zustimmen und weiter</button><a class=button href=/pur>PUR-Abo abschließen</a></main><footer><a>Impressum</a></footer>`, true},
		{"a form of a licence", `<body><form><p>` + strings.Repeat("This program comes with no warranty of any kind. ", 8) + `<button>I agree</button></form>`, false},
		{"a page about cookies", `<body><main><h1>Cookie policy</h1>` + strings.Repeat("<p>We use some cookies on the pages of this site, which help us.", 20) + `</main><button>Search</button>`, false},
		{"a form with a box to tick", `<body><form><h1>Contact us</h1><p>Write to us and we will answer within two days, by mail or by phone, as you like it best.</p><input name=mail><label><input type=checkbox> I accept the terms</label><button>Send</button></form>`, false},
		{"a shop with a notice", `<body><nav>` + words(20) + `</nav><div class=cookie>We use cookies to give you the best experience on our site and to show ads. <button>Allow</button></div><ul>` + strings.Repeat("<li>A fine chair for 20 euros", 6) + `</ul>`, false},
		{"an empty frame on a page", `<body>` + words(200) + `<iframe title="SP Consent Message"></iframe>`, false},
	} {
		d, err := dom.Parse(t.Context(), []byte(c.src), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		if got := dom.StandsIn(d.Root) == dom.Consent; got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}
