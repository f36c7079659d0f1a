// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"example.com/curlew/internal/schema"
)

// Extraction contains the options of the json form.
type Extraction struct {
	Schema        json.RawMessage `json:",omitempty"` // JSON Schema; empty means all structured data of the page
	Prompt        string          // for a model; it has no effect without one
	Deterministic bool            // deterministicJson: no model is asked
}

// CheckSchema returns an error that wraps [ErrSchema] if a schema cannot be used for
// the json form or for changeTracking.
func CheckSchema(doc json.RawMessage) error {
	if _, err := schema.Compile(doc); err != nil {
		return &Error{Form: JSONForm, Err: fmt.Errorf("%w: %w", ErrSchema, err)}
	}
	return nil
}

// null is the json form if nothing was found.
var null = json.RawMessage("null")

// makeJSON makes the json form: the structured data of the page, matched to the schema
// by names and types. A model gets these values as candidates, and its reply replaces
// them.
func makeJSON(ctx context.Context, b *builder) error {
	b.doc.JSON = null
	raw := null
	var err error
	if found := extract(b, b.o.JSON.Schema); found != nil {
		if raw, err = encode(found); err != nil {
			return err
		}
	}
	asked := b.o.JSON.Prompt != "" && !b.o.JSON.Deterministic
	if w, why := b.models.writer(); w != nil && !b.o.JSON.Deterministic {
		if reply := b.models.json(ctx, JSONForm, b.o.JSON.Prompt, b.o.JSON.Schema, raw); reply != nil {
			raw = reply
		}
	} else if !b.o.JSON.Deterministic {
		b.warnings.add(why + ": the json was read from the page's markup.")
		if asked {
			b.warnings.add("The prompt of the json had no effect.")
		}
	} else if b.o.JSON.Prompt != "" {
		b.warnings.add("The prompt of deterministicJson has no effect: no model is asked.")
	}
	if raw, err = fitting(ctx, b, raw, b.o.JSON.Schema); err != nil {
		return err
	}
	if raw, err = b.redactor.maskedJSON(raw); err != nil {
		return err
	}
	b.doc.JSON = raw
	return nil
}

// fitting returns raw if it fits the schema. Otherwise it returns null and warns.
func fitting(ctx context.Context, b *builder, raw, shape json.RawMessage) (json.RawMessage, error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, err
	}
	if value == nil {
		b.warnings.add("Nothing that the schema of the json asks for was found on the page.")
		return null, nil
	}
	if len(shape) == 0 {
		return raw, nil
	}
	s, err := schema.Compile(shape)
	if err != nil {
		b.warnings.add("The schema of the json cannot be used.")
		return null, nil //nolint:nilerr // the warning says it
	}
	if err := s.Validate(ctx, value); err != nil {
		why, failed := b.redactor.masked(clean(err.Error())) // the error may quote the page
		if failed != nil {
			return nil, failed
		}
		b.warnings.add("What was found of the json does not fit its schema: " + cut(why, 300) + ".")
		return null, nil
	}
	return raw, nil
}

// extract returns the values that the page's markup has for the properties of a
// schema, or nil. Without a schema it returns all values.
func extract(b *builder, shape json.RawMessage) any {
	facts := factsOf(&b.page, b.doc.Product)
	if len(shape) == 0 {
		return facts.all()
	}
	var doc any
	d := json.NewDecoder(bytes.NewReader(shape))
	if err := d.Decode(&doc); err != nil {
		b.warnings.add("The schema of the json cannot be used.")
		return nil
	}
	f := filler{doc: doc, lang: b.doc.Metadata.Language, base: b.page.base, left: maxFilled}
	value, _ := f.fill(doc, facts, "", 0)
	return value
}
