// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/format"
)

func TestPrice(t *testing.T) {
	show := func(p *format.Price) string {
		if p == nil {
			return "none"
		}
		return fmt.Sprintf("%v %s (%s)", p.Amount, p.Currency, p.Formatted)
	}
	for _, test := range []struct{ text, lang, want string }{
		{"1.299,00 €", "de", "1299 EUR (1.299,00 €)"},
		{"₹1,29,900", "en-IN", "129900 INR (₹1,29,900)"},
		{"$19.99", "en", "19.99 USD ($19.99)"},
		{"$19.99", "en-AU", "19.99 AUD ($19.99)"},
		{"$19.99", "", "19.99  ($19.99)"},
		{"US$ 1,000", "de", "1000 USD (US$ 1,000)"},
		{"CHF 1'250.-", "de", "1250 CHF (CHF 1'250.-)"},
		{"1 299 kr", "sv", "1299 SEK (1 299 kr)"},
		{"¥1,200", "ja", "1200 JPY (¥1,200)"},
		{"EUR15.32", "en", "15.32 EUR (EUR15.32)"},
		{"from  £5", "en", "5 GBP (from £5)"},
		{"€ 0.125", "en", "0.125 EUR (€ 0.125)"},
		{"1,234,567.89 USD", "en", "1.23456789e+06 USD (1,234,567.89 USD)"},
		{"Save $5 today", "en", "none"},
		{"$5 - $7", "en", "none"},
		{"kr", "sv", "none"},
		{"krill 5", "sv", "none"},
		{"12.99", "en", "none"},
		{"$" + strings.Repeat("9", 70), "en", "none"},
	} {
		if got := show(format.ShownPrice(test.text, test.lang)); got != test.want {
			t.Errorf("shown %q in %q: got %s, want %s", test.text, test.lang, got, test.want)
		}
	}
	for _, test := range []struct{ amount, currency, lang, want string }{
		{"19.9", "usd", "en", "19.9 USD (19.90 USD)"},
		{"1.299", "EUR", "en", "1.299 EUR (1.30 EUR)"},
		{"1.299", "EUR", "de", "1299 EUR (1299.00 EUR)"},
		{"1,299", "", "", "1299  (1299.00)"},
		{"1200", "JPY", "ja", "1200 JPY (1200 JPY)"},
		{"$12.00", "CAD", "en", "12 CAD (12.00 CAD)"},
		{"12", "€", "en", "12 EUR (12.00 EUR)"},
		{"free", "USD", "en", "none"},
		{"", "USD", "en", "none"},
		{"-5", "USD", "en", "none"},
		{"1e999", "USD", "en", "none"},
	} {
		if got := show(format.MachinePrice(test.amount, test.currency, test.lang)); got != test.want {
			t.Errorf("machine %q %q in %q: got %s, want %s", test.amount, test.currency, test.lang, got, test.want)
		}
	}
}

func TestProduct(t *testing.T) {
	ld := func(s string) string { return `<script type="application/ld+json">` + s + `</script>` }
	const none = `,"warning":"No product was found in the data of the page."`
	for _, test := range []struct{ name, src, want string }{
		{
			"JSON-LD", ld(`{"@type":"Product","name":"A","brand":{"@type":"Brand","name":"B"},"image":["/i.png",{"@type":"ImageObject","url":"/j.png","caption":"J"}],"description":"<p>d &amp; e</p>","sku":"s","color":"red","offers":{"@type":"Offer","price":"10.00","priceCurrency":"EUR","availability":"https://schema.org/InStock","priceSpecification":[{"@type":"UnitPriceSpecification","price":15,"priceType":"https://schema.org/ListPrice"}]}}`),
			`{"title":"A","url":"https://birds.example/a/page?x=1","brand":"B","description":"d & e","variants":[{"availability":{"inStock":true,"text":"InStock"},"sku":"s","values":{"color":"red"},"price":{"amount":10,"currency":"EUR","formatted":"10.00 EUR"},"sale":{"originalPrice":{"amount":15,"currency":"EUR","formatted":"15.00 EUR"}},"images":[{"url":"https://birds.example/i.png"},{"url":"https://birds.example/j.png","alt":"J"}]}]}`,
		},
		{
			"group", ld(`{"@type":"ProductGroup","name":"A","url":"/a","hasVariant":[{"@type":"Product","sku":"1","size":"S","offers":{"price":1,"priceCurrency":"USD"}},{"@type":"Product","sku":"2","size":"M","offers":{"price":2,"priceCurrency":"USD","availability":"OutOfStock"}}]}`),
			`{"title":"A","url":"https://birds.example/a","variants":[{"sku":"1","values":{"size":"S"},"price":{"amount":1,"currency":"USD","formatted":"1.00 USD"}},{"availability":{"inStock":false,"text":"OutOfStock"},"sku":"2","values":{"size":"M"},"price":{"amount":2,"currency":"USD","formatted":"2.00 USD"}}]}`,
		},
		{
			"aggregate", ld(`{"@type":"Product","name":"A","offers":{"@type":"AggregateOffer","lowPrice":5,"highPrice":9,"priceCurrency":"GBP"}}`),
			`{"title":"A","url":"https://birds.example/a/page?x=1","variants":[{"price":{"amount":5,"currency":"GBP","formatted":"5.00 GBP"}}]}`,
		},
		{
			"offers by unit", ld(`{"@type":"Product","name":"A","offers":[{"@type":"Offer","sku":"x","price":1},{"@type":"Offer","sku":"y","price":2}]}`),
			`{"title":"A","url":"https://birds.example/a/page?x=1","variants":[{"sku":"x","title":"A","price":{"amount":1,"formatted":"1.00"}},{"sku":"y","title":"A","price":{"amount":2,"formatted":"2.00"}}]}`,
		},
		{
			"named like the page", `<h1>B</h1>` + ld(`[{"@type":"Product","name":"A","sku":"1"},{"@type":"Product","name":"B","sku":"2"}]`),
			`{"title":"B","url":"https://birds.example/a/page?x=1","variants":[{"sku":"2"}]}`,
		},
		{"many", ld(`[{"@type":"Product","name":"A","sku":"1"},{"@type":"Product","name":"B","sku":"2"}]`), none},
		{"one of a list", ld(`{"@type":"ItemList","itemListElement":[{"@type":"Product","name":"A","sku":"1"}]}`), none},
		{
			"microdata fills in", ld(`{"@type":"Product","name":"A","offers":{"price":3}}`) + `<div itemscope itemtype="http://schema.org/Product"><b itemprop=name>Other</b><i itemprop=brand>B</i><p itemprop=offers itemscope itemtype="http://schema.org/Offer"><meta itemprop=price content=4><meta itemprop=priceCurrency content=USD><link itemprop=availability href="http://schema.org/SoldOut"></p></div>`,
			`{"title":"A","url":"https://birds.example/a/page?x=1","brand":"B","variants":[{"availability":{"inStock":false,"text":"SoldOut"},"price":{"amount":3,"currency":"USD","formatted":"3.00 USD"}}]}`,
		},
		{
			"metas", `<meta property="og:title" content=A><meta property="og:image" content="/o.png"><meta property="product:price:amount" content="9,50"><meta property="product:price:currency" content=EUR><meta property="product:sale_price:amount" content="8.00"><meta property="product:availability" content="in stock">`,
			`{"title":"A","url":"https://birds.example/a/page?x=1","variants":[{"availability":{"inStock":true,"text":"in stock"},"price":{"amount":8,"currency":"EUR","formatted":"8.00 EUR"},"sale":{"originalPrice":{"amount":9.5,"currency":"EUR","formatted":"9.50 EUR"}},"images":[{"url":"https://birds.example/o.png"}]}]}`,
		},
		{
			"shopify", `<meta property="og:price:currency" content=USD><script type="application/json" data-product-json>{"title":"A","vendor":"V","type":"T","options":["Size"],"images":["//c.example/i.png"],"variants":[{"id":7,"sku":"k","title":"S","option1":"S","price":1999,"compare_at_price":2500,"available":true},{"id":8,"option1":"M","price":1999,"compare_at_price":null,"available":false}]}</script>`,
			`{"title":"A","url":"https://birds.example/a/page?x=1","brand":"V","category":"T","variants":[{"availability":{"inStock":true},"id":"7","sku":"k","title":"S","values":{"Size":"S"},"price":{"amount":19.99,"currency":"USD","formatted":"19.99 USD"},"sale":{"originalPrice":{"amount":25,"currency":"USD","formatted":"25.00 USD"}},"images":[{"url":"https://c.example/i.png"}]},{"availability":{"inStock":false},"id":"8","values":{"Size":"M"},"price":{"amount":19.99,"currency":"USD","formatted":"19.99 USD"},"images":[{"url":"https://c.example/i.png"}]}]}`,
		},
		{
			"woocommerce", `<h1>A</h1><form data-product_variations='[{"attributes":{"attribute_pa_color":"red"},"display_price":5,"display_regular_price":5,"is_in_stock":true,"sku":"r","variation_id":3,"image":{"url":"/r.png","alt":"R"}}]'></form>`,
			`{"title":"A","url":"https://birds.example/a/page?x=1","variants":[{"availability":{"inStock":true},"id":"3","sku":"r","values":{"color":"red"},"price":{"amount":5,"formatted":"5.00"},"images":[{"url":"https://birds.example/r.png","alt":"R"}]}]}`,
		},
		{
			"next", `<h1>A</h1><script id=__NEXT_DATA__ type="application/json">{"related":{"name":"B","price":1},"p":{"name":"A","price":{"amount":7,"currency":"USD"},"sku":"n"}}</script>`,
			`{"title":"A","url":"https://birds.example/a/page?x=1","variants":[{"sku":"n","price":{"amount":7,"currency":"USD","formatted":"7.00 USD"}}]}`,
		},
		{
			"shown", `<html lang=en-GB><title>A | Shop</title><h1>A</h1><p class=price><del><b>£12.00</b></del> <ins><b>£9.50</b></ins></p><button>Add to basket</button>`,
			`{"title":"A","url":"https://birds.example/a/page?x=1","variants":[{"price":{"amount":9.5,"currency":"GBP","formatted":"£9.50"},"sale":{"originalPrice":{"amount":12,"currency":"GBP","formatted":"£12.00"}}}]}`,
		},
		{"shown without a basket", `<title>A</title><h1>A</h1><p>£9.50</p>`, none},
		{"a list of many", `<title>A</title><h1>A</h1><h2>B</h2><p>£9.50</p><button>Add to basket</button>`, none},
		{"an article", `<title>A</title><meta property="og:type" content=article><h1>A</h1><p>£9.50</p><button>Add to basket</button>`, none},
		{"nothing", `<p>x`, none},
	} {
		d := build(t, test.src, format.Options{Forms: []format.Form{format.ProductForm}})
		got := strings.TrimSpace(encode(t, d.Product))
		if d.Product == nil {
			got = `,"warning":"` + d.Warning + `"`
		} else if d.Warning != "" && test.name != "aggregate" {
			t.Errorf("%s: warning %q", test.name, d.Warning)
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

// TestProductNotes checks that a product says which offers and variants it lacks.
func TestProductNotes(t *testing.T) {
	product := func(more string) string {
		return `<h1>A</h1><script type="application/ld+json">{"@type":"Product","name":"A",` + more + `}</script>`
	}
	pictures := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"/%d.jpg"`, i+1)
		}
		return b.String()
	}
	shop := func(price string) string {
		return `<title>A</title>` + product(`"offers":{"price":5,"priceCurrency":"EUR","priceSpecification":{"price":7,"priceType":"https://schema.org/ListPrice"}}`) +
			`<p>€` + price + `</p><button>Add to basket</button>`
	}
	const others = "Other offers for the product have another price or availability, and are left out."
	for _, test := range []struct{ name, src, price, warning string }{
		{"one price", product(`"offers":[{"price":5},{"price":"5.00"}]`), `"amount":5,`, ""},
		{"two prices", product(`"offers":[{"price":5},{"price":6}]`), `"amount":5,`, others},
		{"two availabilities", product(`"offers":[{"price":5,"availability":"OutOfStock"},{"price":5,"availability":"InStock"}]`), `"text":"OutOfStock"},"price":{"amount":5,`, others},
		{"the first without a price", product(`"offers":[{"availability":"OutOfStock"},{"price":5,"availability":"InStock"}]`), `"text":"InStock"},"price":{"amount":5,`, ""},
		{"up to", product(`"offers":{"lowPrice":5,"highPrice":9}`), `"amount":5,`, "The price of the product is the lowest of several offers."},
		{"from one to the same", product(`"offers":{"lowPrice":5,"highPrice":5}`), `"amount":5,`, ""},
		{"another price is shown", shop("9.00"), `"amount":5,`, "The page shows €9.00 below its heading, which is not a price in its data."},
		{"the same price is shown", shop("5.00"), `"amount":5,`, ""},
		{"the original price is shown", shop("7.00"), `"amount":5,`, ""},
		{"no number", product(`"offers":{"price":"Call us"}`), `"variants":[{}]`, "A price in the data of the page cannot be read."},
		{"many pictures", product(`"offers":{"price":5},"image":["/0.jpg"` + strings.Repeat(`,"/0.jpg"`, 60) + pictures(50) + `]`), `"amount":5,`, "The product has more than 50 pictures: the others are left out."},
		{"as many pictures as there may be", product(`"offers":{"price":5},"image":["/0.jpg","/0.jpg"` + pictures(49) + `]`), `"amount":5,`, ""},
		{"many variants", product(`"hasVariant":[{"sku":"0"}` + strings.Repeat(`,{"sku":"1","color":"red"}`, 500) + `]`), `"sku":"0"`, "The product has more than 500 variants: the others are left out."},
	} {
		d := build(t, test.src, format.Options{Forms: []format.Form{format.ProductForm}})
		if got := encode(t, d.Product); !strings.Contains(got, test.price) || d.Warning != test.warning {
			t.Errorf("%s: %.200s, warning %q", test.name, got, d.Warning)
		}
	}
}
