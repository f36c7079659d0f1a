// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"strings"
	"testing"

	"example.com/curlew/webhook"
)

func TestCheckURL(t *testing.T) {
	for url, ok := range map[string]bool{
		"https://hook.test/":     true,
		"http://hook.test:8080/": true,
		"http://hook.test:22/":   false,
		"http://127.0.0.1/":      false,
		"ftp://hook.test/":       false,
		"hook":                   false,
	} {
		if err := new(webhook.Config).CheckURL(url); (err == nil) != ok {
			t.Errorf("CheckURL(%q) = %v, want ok %v", url, err, ok)
		}
	}
}

func TestHook(t *testing.T) {
	if h := (&webhook.Hook{Events: []string{"page"}}); !h.Wants("page") || h.Wants("started") || !new(webhook.Hook).Wants("started") {
		t.Error("a receiver gets what it has not asked for, or not what it has")
	}
	if !webhook.ReservedHeader("content-type") || !webhook.ReservedHeader("X-Curlew-Signature") || webhook.ReservedHeader("Authorization") {
		t.Error("the wrong headers are reserved")
	}
}

// TestCheck names the field of a hook that is not valid.
func TestCheck(t *testing.T) {
	const url = "https://hook.test/"
	for _, c := range []struct {
		hook  webhook.Hook
		field string
	}{
		{webhook.Hook{URL: url}, ""},
		{webhook.Hook{URL: url, Events: []string{"page", "completed"}, Headers: map[string]string{"Authorization": "x"}, Batch: 100}, ""},
		{webhook.Hook{}, "URL"},
		{webhook.Hook{URL: "https://127.0.0.1/"}, "URL"},
		{webhook.Hook{URL: url, Headers: map[string]string{"a": "x", "content-type": "text/plain"}}, "Headers"},
		{webhook.Hook{URL: url, Headers: map[string]string{"a b": "x"}}, "Headers"},
		{webhook.Hook{URL: url, Headers: map[string]string{"": "x"}}, "Headers"},
		{webhook.Hook{URL: url, Headers: map[string]string{"a": "x\r\nb: y"}}, "Headers"},
		{webhook.Hook{URL: url, Events: []string{"page", "crawl.page"}}, "Events[1]"},
		{webhook.Hook{URL: url, Events: []string{""}}, "Events[0]"},
		{webhook.Hook{URL: url, Batch: -1}, "Batch"},
	} {
		field, err := new(webhook.Config).Check(&c.hook, []string{"page", "completed"})
		if c.hook.URL == "https://127.0.0.1/" && !strings.Contains(err.Error(), "Config.Allow") {
			t.Errorf("a private address: %v", err)
		}
		if field != c.field || (err == nil) != (field == "") {
			t.Errorf("%+v: %q, %v, want %q", c.hook, field, err, c.field)
		}
	}
}
