// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// TestSystem has a text for each role, whose first line names the role.
func TestSystem(t *testing.T) {
	for _, role := range []llm.Role{
		llm.RolePlan, llm.RoleDecide, llm.RoleExtract, llm.RoleVerify, llm.RoleSynthesize, llm.RoleWrite, llm.RoleReduce, llm.RoleCrawl,
	} {
		if got, ok := protocol.RoleOf(protocol.System(role)); !ok || got != role {
			t.Errorf("%s: %q, %v", role, got, ok)
		}
	}
	if protocol.System("none") != "" || len(protocol.PromptsHash()) != 16 {
		t.Error(protocol.System("none"), protocol.PromptsHash())
	}
	if _, ok := protocol.RoleOf("# another: plan"); ok {
		t.Error("a text of somebody else has a role")
	}
}

// TestPrompt writes the layout that the package describes.
func TestPrompt(t *testing.T) {
	var p protocol.Prompt
	p.Value("task", "a <b> & \"c\"\nd")
	protocol.List(&p, "fields", []protocol.PromptField{{Name: "n", Type: "string", Key: true}})
	protocol.List(&p, "gaps", []string(nil))
	p.Words("can", "read find")
	p.Fenced("page", "1f", func(b *strings.Builder) { b.WriteString("1| x\n") })
	want := "task: \"a <b> & \\\"c\\\"\\nd\"\nfields:\n- {\"name\":\"n\",\"type\":\"string\",\"key\":true}\ncan: read find\n<<<page 1f\n1| x\n>>>page 1f\n"
	if d := cmp.Diff(want, p.String()); d != "" {
		t.Error(d)
	}
}

// TestNonce makes the same mark of the same question, and none that the text
// holds.
func TestNonce(t *testing.T) {
	first := protocol.Nonce(nil, 7, "page")
	if again := protocol.Nonce([]string{"other text"}, 7, "page"); again != first {
		t.Errorf("%q, then %q", first, again)
	}
	if other := protocol.Nonce(nil, 8, "page"); other == first {
		t.Error("another seed has the same mark")
	}
	if other := protocol.Nonce([]string{">>>page " + first}, 7, "page"); other == first {
		t.Error("the mark is in the text")
	}
}

// TestReadLoose takes what is clear of replies that keep to no schema.
func TestReadLoose(t *testing.T) {
	decide, ok := protocol.ReadDecide(json.RawMessage(`{"do":"READ","h":"L1, L2","n":"3"}`))
	if d := cmp.Diff(protocol.DecideReply{Actions: []journal.Action{{Do: "read", H: []string{"L1", "L2"}, N: 3}}}, decide); d != "" || !ok {
		t.Error(ok, d)
	}
	extract := protocol.ReadExtract(json.RawMessage(`{"rows":{"name":"x","seller":{"city":"y"},"ln":{"name":4,"seller":{"city":[5,"6"]}}},"total":"12","kind":"list"}`), map[string]bool{"name": false})
	if extract == nil || len(extract.Rows) != 1 || extract.Total != 12 || extract.Kind != "list" {
		t.Fatalf("%+v", extract)
	}
	row := extract.Rows[0]
	if row.V["seller.city"] != "y" || !cmp.Equal(row.Ln["name"], []int{4}) || !cmp.Equal(row.Ln["seller.city"], []int{5, 6}) {
		t.Errorf("%+v", row)
	}
	verify, _ := protocol.ReadVerify(json.RawMessage(`{"cells":[{"i":"1","verdict":"Pick","pick":0},{"verdict":"pick","pick":1},{"i":2,"verdict":"none"}]}`))
	if len(verify.Cells) != 2 || verify.Cells[0].Verdict != "pick" || verify.Cells[1].I != 2 {
		t.Errorf("%+v", verify)
	}
	said, _ := protocol.ReadSynthesize(json.RawMessage(`{"summary":"s"}`))
	if said.V["summary"] != "s" {
		t.Errorf("%+v", said)
	}
	for _, raw := range []string{"", "null", "[]", `{"rows":[1]}`} {
		if protocol.ReadExtract(json.RawMessage(raw), map[string]bool{"name": false}) != nil {
			t.Errorf("%q is a reply", raw)
		}
	}
}

// FuzzRead reads replies: no panic, and lines of a value within their bounds.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"rows":[{"v":{"a":1},"ln":{"a":[1,2]}}],"total":-1,"more":"true","cells":[{"i":1,"pick":"1e400"}],"tables":{"id":"T1","expect":2.5}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		protocol.ReadPlan(raw)
		protocol.ReadDecide(raw)
		protocol.ReadVerify(raw)
		protocol.ReadSynthesize(raw)
		if out := protocol.ReadExtract(raw, map[string]bool{"a": false}); out != nil && (out.Total > 999_999_999 || out.Total < -999_999_999) {
			t.Errorf("total %d", out.Total)
		}
	})
}

// TestReadExtract checks which replies answer the question for the rows of a table.
func TestReadExtract(t *testing.T) {
	fields := map[string]bool{"name": false, "size": true}
	for raw, want := range map[string]bool{
		`{"rows":[],"kind":"list"}`:                                 true, // nothing was found
		`{"rows":null,"kind":"none"}`:                               true,
		`{"rows":[{"v":{},"ln":{}}],"kind":"none"}`:                 true,
		`{"rows":[{"v":{"name":null}}]}`:                            true,
		`{"rows":[{"v":{"name":["Lamp"]}}]}`:                        true,
		`{"rows":[{"v":{"size":{"width":3}}}]}`:                     true,
		`{"rows":[{"v":{"title":"x"}},{"v":{"name":"Lamp"}}]}`:      true, // one row fits
		`{"rows":[{"name":"Lamp"}]}`:                                true,
		`{"rows":null,"kind":"list"}`:                               false,
		`{"rows":[{}],"kind":"list"}`:                               false,
		`{"rows":[{"v":{"title":"Lamp"}}],"kind":"none"}`:           false,
		`{"rows":[{"v":{"name":{"text":"Lamp"}}}],"kind":"detail"}`: false,
		`{"rows":[{"v":{"name":[{"text":"Lamp"}]}}]}`:               false,
		`{"rows":["Lamp"],"kind":"list"}`:                           false,
		`[]`:                                                        false,
	} {
		if got := protocol.ReadExtract(json.RawMessage(raw), fields) != nil; got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}
