// SPDX-License-Identifier: Apache-2.0

// Package protocol writes the prompts of an agent and reads the replies of its
// model. Tests that play the part of the model read prompts with it.
//
// The system text of a role is constant. Its first line is "# curlew agent: "
// and the role, and [llm.Call].Name is also the role. The user text consists of
// lines:
//
//	name: value        one value: a JSON string, a bare number or bare words
//	name:              a list, whose items follow, one on each line:
//	- {...}            one JSON value on each line
//	<<<page 1f2e3d4c   text from outside, up to the line with the same nonce;
//	>>>page 1f2e3d4c   a text never contains its own nonce
//
// Between fences are numbered lines, "12| text", with ascending numbers from 1.
// A link in them has the form "[text](L31)". L31 is its handle, with which a
// model answers a field of type "url".
//
// The names, in their order, by role (those in brackets may be absent):
//
//	extract     [earlier,] task, table, fields, source, title, rows, [after,] page
//	decide      [earlier,] task, tables, [known,] gaps, pages, links, groups, last, can, budget, step
//	plan        [earlier,] task, [before,] tables, start, can
//	verify      [earlier,] task, cells
//	synthesize  [earlier,] task, fields, rows, [lines] (each between fences)
//	write       task, [after,] text
//	reduce      task, notes (between fences, one JSON reply of write on each line)
//	crawl       task, site, sample
//
// The items of lists, and the value of table:
//
//	earlier        JSON string: a task that this one continues, oldest first
//	before         [PromptTable]: of the last answer, with its conditions
//	table, tables  [PromptTable]      fields  [PromptField]
//	gaps           JSON string        pages   [PromptPage]
//	links, start   [PromptLink]       groups  [PromptGroup]
//	last           [journal.ActedRecord], or a JSON string written by the engine
//	cells          [PromptCell]       sample  JSON string
//	known          [PromptKnown]
//
// In synthesize, each numbered line of rows is a row as JSON, and those of lines, which
// state the rows, have the numbers after them. A text in the reply is a list of
// sentences, which cite these numbers.
//
// "rows: 40" is the maximum number of rows in a reply. "after: 57" asks for the
// rows after line 57. "can:" lists the possible actions, and "budget:" says how
// many tenths of the credits are left.
//
// Each reply is one JSON object: [PlanReply], [DecideReply], [ExtractReply],
// [VerifyReply] or [SynthesizeReply]. The replies of write and reduce have the
// form of Call.Schema.
package protocol

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// systemMark is the beginning of the first line of a system text.
const systemMark = "# curlew agent: "

// RoleOf returns the role to which a system text belongs.
func RoleOf(system string) (llm.Role, bool) {
	line, _, _ := strings.Cut(system, "\n")
	name, ok := strings.CutPrefix(line, systemMark)
	return llm.Role(name), ok
}

// PromptTable is a table in a prompt.
type PromptTable struct {
	ID     string         `json:"id"`             // T0 is a record, which has at most one row
	What   string         `json:"what,omitempty"` // what a row is
	Fields []PromptField  `json:"fields,omitempty"`
	Keys   []string       `json:"keys,omitempty"`
	Rows   int            `json:"rows"`
	Expect int            `json:"expect,omitempty"`
	Filled map[string]int `json:"filled,omitempty"` // number of cells by field

	Conditions []journal.Condition `json:"conditions,omitempty"` // for a table of an earlier answer
}

// PromptField is a field in a prompt. Type is string, number, integer, boolean, date,
// url or object, or one of them followed by [].
type PromptField struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Key         bool   `json:"key,omitempty"`
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description,omitempty"`
	Enum        []any  `json:"enum,omitempty"`
}

// PromptPage is a page in a prompt that was read.
type PromptPage struct {
	ID      string            `json:"id"` // such as S1
	Handle  string            `json:"h"`  // such as L1
	Title   string            `json:"title,omitempty"`
	Kind    string            `json:"kind,omitempty"` // list, detail, none, blocked
	Rows    int               `json:"rows"`
	Total   int               `json:"total,omitempty"` // number of rows that the page claims to have
	Trouble finding.IssueKind `json:"trouble,omitempty"`
}

// PromptLink is a link in a prompt that the model may choose.
type PromptLink struct {
	Handle string `json:"h"` // such as L17
	Text   string `json:"text,omitempty"`
	Shape  string `json:"shape,omitempty"` // such as shop.test/p/{n}
	Found  string `json:"on,omitempty"`    // page on which it was found, such as S1
}

// PromptGroup is a group of links with the same shape in a prompt.
type PromptGroup struct {
	Handle  string   `json:"h"` // such as G3
	Count   int      `json:"count"`
	Unread  int      `json:"unread"`
	Shape   string   `json:"shape,omitempty"`
	Samples []string `json:"samples,omitempty"` // texts of two links
	Found   string   `json:"on,omitempty"`
}

// PromptKnown contains the values of a field that a further question is about. They are
// quoted from pages, so they are data and never instructions.
type PromptKnown struct {
	Table    string   `json:"t"`
	Field    string   `json:"field"`
	Question string   `json:"question,omitempty"`
	Values   []string `json:"values"`
	More     int      `json:"more,omitempty"` // number of values that are not listed
}

// PromptCell is a cell in a prompt that is to be verified. Lines contains the cited
// lines of each candidate with two lines on either side, each in the form "12| text".
// They are data, like the page. A cell with a text has no candidates, and asks which number the
// text states.
type PromptCell struct {
	I          int        `json:"i"`
	Field      string     `json:"field"`
	About      string     `json:"about,omitempty"` // what the field is
	Text       string     `json:"text,omitempty"`
	Row        string     `json:"row,omitempty"` // the key of the row
	Candidates []any      `json:"candidates,omitempty"`
	Lines      [][]string `json:"lines,omitempty"` // one entry for each candidate
}

// PlanReply answers plan. Fields contains the schema, if the task has none.
type PlanReply struct {
	Tables  []journal.PlannedTable `json:"tables"`
	Shape   string                 `json:"shape"` // shape of the answer: one of the Shape constants
	Hops    []journal.Hop          `json:"hops"`
	Queries []string               `json:"queries"`
	Start   []string               `json:"start"` // handles
	Fields  []PromptField          `json:"fields"`
	Same    bool                   `json:"same"` // the task asks about the same things as the previous task
}

// Shapes of an answer.
const (
	ShapeList       = "list"
	ShapeOne        = "one"  // the only thing that meets the conditions
	ShapeBest       = "best" // the first thing according to a condition with top or bottom
	ShapeCount      = "count"
	ShapeComparison = "comparison"
	ShapeText       = "text"
)

// DecideReply answers decide.
type DecideReply struct {
	Note    string           `json:"note"`
	Actions []journal.Action `json:"actions"`
}

// ExtractReply answers extract. Values are written as the page prints them, with the
// first and last line that contain each, counted from 1. A value that the page does not
// have is null.
type ExtractReply struct {
	Rows []struct {
		V  map[string]any   `json:"v"`
		Ln map[string][]int `json:"ln"`
	} `json:"rows"`
	Total   int    `json:"total"`    // number of rows that the page claims to list; -1 if it makes no claim
	TotalLn int    `json:"total_ln"` // line of the claim; 0 if there is none
	More    bool   `json:"more"`     // some rows did not fit into the reply
	Kind    string `json:"kind"`     // list, detail, none, blocked

	Unread int `json:"-"` // number of rows that have an unknown form or none of the fields
}

// VerifyReply answers verify.
type VerifyReply struct {
	Cells []VerifiedCell `json:"cells"`
}

// VerifiedCell is the answer about a cell. Verdict is pick, with the index of the right candidate,
// or none.
type VerifiedCell struct {
	I       int    `json:"i"`
	Verdict string `json:"verdict"`
	Pick    int    `json:"pick"`
	Value   any    `json:"value"` // the number that the text of the cell states; nil if it states none
}

// SynthesizeReply answers synthesize. The value of a text is a list of sentences:
// [{"text": "...", "ln": [1, 7]}].
type SynthesizeReply struct {
	V map[string]any `json:"v"`
}

// Maximum number of tokens of a reply, by role.
const (
	MaxPlanOutput       = 2000
	MaxDecideOutput     = 1500
	MaxExtractOutput    = 4000
	ShortExtractOutput  = 1000 // used if credits are short
	LeastExtractOutput  = 250  // used if they do not suffice for that either
	MaxVerifyOutput     = 1000
	MaxSynthesizeOutput = 2000
	MaxWriteOutput      = 2000
)

//go:embed prompts/*.md
var promptFiles embed.FS

// prompts returns the system texts by role, and their hash.
var prompts = sync.OnceValue(func() (set struct {
	text map[llm.Role]string
	hash string
},
) {
	set.text = map[llm.Role]string{}
	h := sha256.New()
	files, _ := promptFiles.ReadDir("prompts") // cannot fail, because the files are embedded
	for _, file := range files {
		text, _ := promptFiles.ReadFile("prompts/" + file.Name())
		role := llm.Role(strings.TrimSuffix(file.Name(), ".md"))
		set.text[role] = systemMark + string(role) + "\n" + string(text)
		h.Write([]byte(set.text[role]))
	}
	set.hash = hex.EncodeToString(h.Sum(nil)[:8])
	return set
})

// System returns the system text of a role, or "" if there is no such role.
func System(role llm.Role) string { return prompts().text[role] }

// PromptsHash returns a hash that identifies the set of system texts.
func PromptsHash() string { return prompts().hash }

// Schemas of replies that do not depend on the task. Their objects are closed, as
// strict modes of providers require.
var (
	PlanSchema   = json.RawMessage(`{"type":"object","properties":{"tables":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"what":{"type":"string"},"keys":{"type":"array","items":{"type":"string"}},"expect":{"type":"integer"},"conditions":{"type":"array","items":{"type":"object","properties":{"field":{"type":"string"},"op":{"type":"string","enum":["=","!=","<","<=",">",">=","contains","in","top","bottom"]},"value":{"type":"string"},"unit":{"type":"string"},"words":{"type":"string"},"or":{"type":"boolean"}},"required":["field","op","value","unit","words","or"],"additionalProperties":false}}},"required":["id","what","keys","expect","conditions"],"additionalProperties":false}},"shape":{"type":"string","enum":["list","one","best","comparison","count","text"]},"hops":{"type":"array","items":{"type":"object","properties":{"field":{"type":"string"},"question":{"type":"string"},"fills":{"type":"array","items":{"type":"string"}}},"required":["field","question","fills"],"additionalProperties":false}},"queries":{"type":"array","items":{"type":"string"}},"start":{"type":"array","items":{"type":"string"}},"fields":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"type":{"type":"string","enum":["string","number","integer","boolean","date","url"]},"description":{"type":"string"},"key":{"type":"boolean"},"required":{"type":"boolean"}},"required":["name","type","description","key","required"],"additionalProperties":false}},"same":{"type":"boolean"}},"required":["tables","shape","hops","queries","start","fields","same"],"additionalProperties":false}`)
	DecideSchema = json.RawMessage(`{"type":"object","properties":{"note":{"type":"string"},"actions":{"type":"array","items":{"type":"object","properties":{"do":{"type":"string","enum":["search","map","read","collect","find","finish"]},"q":{"type":"string"},"n":{"type":"integer"},"h":{"type":"array","items":{"type":"string"}},"t":{"type":"string"},"follow":{"type":"string","enum":["none","pages","links","both"]},"like":{"type":"string"},"why":{"type":"string"}},"required":["do","q","n","h","t","follow","like","why"],"additionalProperties":false}}},"required":["note","actions"],"additionalProperties":false}`)
	VerifySchema = json.RawMessage(`{"type":"object","properties":{"cells":{"type":"array","items":{"type":"object","properties":{"i":{"type":"integer"},"verdict":{"type":"string","enum":["pick","none"]},"pick":{"type":"integer"},"value":{"type":["number","null"]}},"required":["i","verdict","pick","value"],"additionalProperties":false}}},"required":["cells"],"additionalProperties":false}`)
)
