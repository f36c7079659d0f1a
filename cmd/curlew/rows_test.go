// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"example.com/curlew/agent/outcome"
)

// TestRows checks the CSV of answers, also of those that are no list of objects.
func TestRows(t *testing.T) {
	fields := map[string]outcome.Evidence{
		"/birds/0/name": {Source: 1}, "/birds/0/price": {Source: 0, Also: []int{1}}, "/birds/1/name": {Source: -1}, "/birds/10/name": {Source: 0}, "/birds/1/price": {Source: 7},
	}
	for name, c := range map[string]struct {
		data, want string
		sources    bool
		said       string
	}{
		"list in an object": {`{"birds":[{"name":"Curlew","price":3},{"name":"Dunlin, small","price":5.50,"seen":true}]}`, "name,price,seen\nCurlew,3,\n\"Dunlin, small\",5.50,true\n", false, ""},
		"sources":           {`{"birds":[{"name":"Curlew"},{"name":"Dunlin"}]}`, "name,sources\nCurlew,https://a.test/ https://b.test/\nDunlin,\n", true, ""},
		"a field sources":   {`{"birds":[{"sources":"x"}]}`, "sources,sources_\nx,https://a.test/ https://b.test/\n", true, ""},
		"list":              {`[{"a":1},{"b":2}]`, "a,b\n1,\n,2\n", false, ""},
		"list of texts":     {`{"names":["Curlew","Dunlin"]}`, "value\nCurlew\nDunlin\n", false, ""},
		"nested":            {`{"birds":[{"name":"Curlew","eggs":{"min":3,"max":[4, 5]},"none":null}]}`, "name,eggs,none\nCurlew,\"{\"\"min\"\":3,\"\"max\"\":[4,5]}\",\n", false, ""},
		"one object":        {`{"name":"Curlew","price":3}`, "name,price\nCurlew,3\n", false, ""},
		"object in objects": {`{"answer":{"result":{"birds":[{"name":"Curlew"}]}}}`, "name\nCurlew\n", false, ""},
		"several lists":     {`{"birds":[{"name":"Curlew"}],"shops":[{"name":"Leeds","open":"9"}]}`, "table,name,open\nbirds,Curlew,\nshops,Leeds,9\n", false, ""},
		"beside a list":     {`{"total":2,"birds":[{"name":"Curlew"}]}`, "name\nCurlew\n", false, "/total is not in the CSV"},
		"formula":           {`[{"=1+1":"=cmd|x","b":"-5","c":-5,"d":"-5 °C","e":"+44 1"}]`, "'=1+1,b,c,d,e\n'=cmd|x,-5,-5,'-5 °C,'+44 1\n", false, ""},
		"large number":      {`[{"n":12345678901234567890.10}]`, "n\n12345678901234567890.10\n", false, ""},
		"lines":             {`[{"a":"x\ny"}]`, "a\n\"x\ny\"\n", false, ""},
		"a text":            {`"Curlew"`, "value\nCurlew\n", false, ""},
		"nothing":           {`{"birds":[]}`, "", false, "no rows"},
		"null":              {`null`, "value\n\n", false, ""},
		"a row is null":     {`[null,{"a":1}]`, "value,a\n,\n,1\n", false, ""},
		"a wide name":       {`{"a/b":[1],"c":[2]}`, "table,value\na/b,1\nc,2\n", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out, said bytes.Buffer
			e := &env{out: &output{w: &out}, err: &said}
			found := &outcome.Answer{Data: json.RawMessage(c.data), Fields: fields, Sources: []outcome.Source{{URL: "https://a.test/"}, {URL: "https://b.test/"}}}
			if err := e.writeRows(found, c.sources); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.want || !strings.Contains(said.String(), c.said) || (c.said == "") != (said.String() == "") {
				t.Errorf("%q, want %q; %s", &out, c.want, &said)
			}
			if _, err := csv.NewReader(strings.NewReader(out.String())).ReadAll(); err != nil {
				t.Error(err)
			}
		})
	}
}
