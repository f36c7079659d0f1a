// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"strings"
	"testing"

	"example.com/curlew/format"
)

func TestMenu(t *testing.T) {
	const none = "No menu was found in the data of the page."
	const list = `<h2>Starters</h2><ul><li><b>Soup</b> of the day <span>$5.00</span><li>Bread <span>$2</span></ul><h2>Mains</h2><ul><li>Fish <span>$12.50</span></ul>`
	for _, test := range []struct{ name, src, want string }{
		{
			"JSON-LD", `<script type="application/ld+json">{"@type":"Restaurant","name":"R","hasMenu":{"@type":"Menu","hasMenuSection":[{"@type":"MenuSection","name":"Mains","hasMenuItem":[{"@type":"MenuItem","name":"Fish","description":"of the sea","suitableForDiet":"https://schema.org/GlutenFreeDiet","nutrition":{"@type":"NutritionInformation","calories":"300 calories"},"offers":{"@type":"Offer","price":"9.5","priceCurrency":"EUR"}},{"@type":"MenuItem","name":"Air"}]}]}}</script>`,
			`{"isMenu":true,"confidence":0.5,"merchant":{"name":"R","type":"Restaurant"},"currency":"EUR","sourceUrl":"https://birds.example/a/page?x=1","sections":[{"name":"Mains","items":[{"name":"Fish","description":"of the sea","price":{"amount":9.5,"currency":"EUR","formatted":"9.50 EUR"},"dietary":["GlutenFreeDiet"],"calories":300},{"name":"Air"}]}]}`,
		},
		{
			"microdata", `<div itemscope itemtype="http://schema.org/Menu"><p itemprop=hasMenuItem itemscope itemtype="http://schema.org/MenuItem"><b itemprop=name>Tea</b></p></div>`,
			`{"isMenu":true,"confidence":0,"sourceUrl":"https://birds.example/a/page?x=1","sections":[{"items":[{"name":"Tea"}]}]}`,
		},
		{
			"records", `<html lang=en><title>Menu</title><body>` + list,
			`{"isMenu":true,"confidence":0.73,"currency":"USD","sourceUrl":"https://birds.example/a/page?x=1","sections":[{"name":"Starters","items":[{"name":"Soup","description":"of the day","price":{"amount":5,"currency":"USD","formatted":"$5.00"}},{"name":"Bread","price":{"amount":2,"currency":"USD","formatted":"$2"}}]},{"name":"Mains","items":[{"name":"Fish","price":{"amount":12.5,"currency":"USD","formatted":"$12.50"}}]}]}`,
		},
		{"records of a shop", `<title>Shop</title>` + list, none},
		{
			"a table", `<html lang=en><title>Our menu</title><body><table><tr><td>A<td>£1<tr><td>B<td>£2<tr><td>C<td>£3</table>`,
			`{"isMenu":true,"confidence":1,"currency":"GBP","sourceUrl":"https://birds.example/a/page?x=1","sections":[{"items":[{"name":"A","price":{"amount":1,"currency":"GBP","formatted":"£1"}},{"name":"B","price":{"amount":2,"currency":"GBP","formatted":"£2"}},{"name":"C","price":{"amount":3,"currency":"GBP","formatted":"£3"}}]}]}`,
		},
		{"too few", `<title>Menu</title><p>A <b>£1</b><p>B <b>£2</b>`, none},
		{"prices alone", `<title>Menu</title><p>£1<p>£2<p>£3`, none},
		{"nothing", `<title>Menu</title>`, none},
	} {
		d := build(t, test.src, format.Options{Forms: []format.Form{format.MenuForm}, WholePage: true})
		got := strings.ReplaceAll(strings.TrimSpace(encode(t, d.Menu)), `,"sourceUrl":"`+pageURL+`"}`, "}") // every dish has it
		if d.Menu == nil {
			got = d.Warning
		} else if d.Warning != "" {
			t.Errorf("%s: warning %q", test.name, d.Warning)
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

// TestDish checks the details of dishes other than names and prices.
func TestDish(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{
			"tokens, legend, energy", `<html lang=en><title>Menu</title><body><ul>
			<li>Soup (V, GF) <span>$5.00</span><p>Leek and potato, 320 kcal</p><li>Pie <sup>VG</sup> <span>$7</span><li>Steak <span>$20</span> <small>M</small></ul>
			<p>M = halal, V = vegan</p>`,
			`[{"name":"Soup","description":"Leek and potato","price":{"amount":5,"currency":"USD","formatted":"$5.00"},"dietary":["VeganDiet","GlutenFreeDiet"],"calories":320},` +
				`{"name":"Pie","price":{"amount":7,"currency":"USD","formatted":"$7"},"dietary":["VeganDiet"]},` +
				`{"name":"Steak","price":{"amount":20,"currency":"USD","formatted":"$20"},"dietary":["HalalDiet"]}]`,
		},
		{
			"choices", `<script type="application/ld+json">{"@type":"Menu","hasMenuItem":[{"@type":"MenuItem","name":"Pizza","sku":"p1",
			"menuAddOn":[{"@type":"MenuSection","name":"Extras","hasMenuItem":[{"name":"Ham","offers":{"price":"1","priceCurrency":"EUR"}},{"name":"Egg"}]},
			{"@type":"MenuItem","name":"Oil"},{"@type":"MenuItem","name":"Salt"}]}]}</script>`,
			`[{"name":"Pizza","optionGroups":[{"name":"Extras","options":[{"name":"Ham","price":{"amount":1,"currency":"EUR","formatted":"1.00 EUR"}},{"name":"Egg"}]},` +
				`{"options":[{"name":"Oil"},{"name":"Salt"}]}],"identifiers":{"merchantItemId":"p1"}}]`,
		},
		{
			"an image and a link", `<html lang=en><title>Menu</title><body><ul><li><a href="/tea"><img src="/t.jpg" alt="A cup">Tea</a> <span>£2</span>
			<li>B <span>£2</span><li>C <span>£3</span></ul>`,
			`[{"name":"Tea","images":[{"url":"https://birds.example/t.jpg","alt":"A cup"}],"price":{"amount":2,"currency":"GBP","formatted":"£2"},"url":"https://birds.example/tea"},` +
				`{"name":"B","price":{"amount":2,"currency":"GBP","formatted":"£2"}},{"name":"C","price":{"amount":3,"currency":"GBP","formatted":"£3"}}]`,
		},
	} {
		d := build(t, test.src, format.Options{Forms: []format.Form{format.MenuForm}, WholePage: true})
		if d.Menu == nil || len(d.Menu.Sections) != 1 {
			t.Errorf("%s: %v, %s", test.name, d.Menu, d.Warning)
			continue
		}
		got := strings.ReplaceAll(strings.TrimSpace(encode(t, d.Menu.Sections[0].Items)), `,"sourceUrl":"`+pageURL+`"}`, "}")
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}
