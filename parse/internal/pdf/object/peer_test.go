// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// table is a source that uses pdfcpu. Tests compare this package with it.
// The context of pdfcpu is not safe for concurrent use, so objects are
// translated under a lock, once each.
type table struct {
	mu   sync.Mutex // guards ctx and done
	ctx  *model.Context
	done map[int]Object
	root Dict // trailer with Root, Info and Encrypt

	// late is the context for objects that pdfcpu parses on request. They
	// are in memory, so there is nothing to cancel.
	late context.Context
}

// readTable reads all objects of data. The error wraps ErrEncrypted,
// ErrLimit, ErrCorrupt or the error of ctx.
func readTable(ctx context.Context, data []byte, password string, limits Limits) (t *table, err error) {
	defer func() {
		if p := recover(); p != nil {
			t, err = nil, fmt.Errorf("%w: %v", ErrCorrupt, p)
		}
	}()
	bounds := model.DefaultResourceLimits()
	bounds.MaxStreamBytes = min(int64(len(data)), limits.Input)
	bounds.MaxDecodeBytes = limits.Stream
	bounds.MaxImageBytes = 256 << 20
	bounds.MaxObjectCount = limits.Objects
	bounds.MaxXRefEntries = limits.Objects
	bounds.MaxObjectStreamCount = 200_000
	bounds.MaxObjectStreamFirst = 16 << 20
	bounds.MaxRecursionDepth = maxDepth
	// The library's own default configuration writes a folder into the
	// user's home directory.
	conf := &model.Configuration{
		Reader15:       true,
		Offline:        true,
		ValidationMode: model.ValidationRelaxed,
		UserPW:         password,
		Limits:         bounds,
	}
	c, err := pdfcpu.ReadWithContext(ctx, bytes.NewReader(data), conf)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, pdfcpu.ErrWrongPassword), errors.Is(err, pdfcpu.ErrOwnerPasswordRequired):
		return nil, fmt.Errorf("%w: %w", ErrEncrypted, err)
	default:
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	t = &table{ctx: c, done: make(map[int]Object, len(c.Table)), late: context.WithoutCancel(ctx)}
	t.root = Dict{}
	if c.Root != nil {
		t.root["Root"] = t.translate(*c.Root, 0)
	}
	if c.Info != nil {
		t.root["Info"] = t.translate(*c.Info, 0)
	}
	if c.Encrypt != nil {
		t.root["Encrypt"] = t.translate(*c.Encrypt, 0)
	}
	return t, nil
}

func (t *table) trailer() Dict { return t.root }

func (*table) lost() int { return 0 }

func (t *table) find(kind Name) iter.Seq2[int, Dict] {
	return func(yield func(int, Dict) bool) {
		for num := range t.numbers() {
			if d, ok := t.object(num).(Dict); ok && d["Type"] == kind && !yield(num, d) {
				return
			}
		}
	}
}

func (t *table) numbers() iter.Seq[int] {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Values(slices.Sorted(maps.Keys(t.ctx.Table)))
}

func (t *table) object(num int) (o Object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o, ok := t.done[num]; ok {
		return o
	}
	defer func() {
		if recover() != nil { // pdfcpu decodes objects in object streams on request
			o = nil
		}
		t.done[num] = o
	}()
	entry, ok := t.ctx.Table[num]
	if !ok || entry == nil || entry.Free {
		return nil
	}
	return t.translate(entry.Object, 0)
}

// translate converts a pdfcpu object. Objects that are nested too deeply
// become null.
func (t *table) translate(o types.Object, depth int) Object {
	if depth > maxDepth {
		return nil
	}
	switch v := o.(type) {
	case types.Boolean:
		return bool(v)
	case types.Integer:
		return int(v)
	case types.Float:
		return float64(v)
	case types.Name:
		return Name(v)
	case types.StringLiteral:
		b, err := types.Unescape(string(v))
		if err != nil {
			return String(v)
		}
		return String(b)
	case types.HexLiteral:
		b, err := v.Bytes()
		if err != nil {
			return String("")
		}
		return String(b)
	case types.IndirectRef:
		return Ref{int(v.ObjectNumber), int(v.GenerationNumber)}
	case types.Array:
		a := make(Array, len(v))
		for i, e := range v {
			a[i] = t.translate(e, depth+1)
		}
		return a
	case types.Dict:
		return t.dict(v, depth)
	case types.StreamDict:
		return t.stream(v, depth)
	case *types.StreamDict:
		return t.stream(*v, depth)
	case types.ObjectStreamDict:
		return t.stream(v.StreamDict, depth)
	case types.XRefStreamDict:
		return t.stream(v.StreamDict, depth)
	case types.LazyObjectStreamObject:
		d, err := v.DecodedObject(t.late)
		if err != nil {
			return nil
		}
		return t.translate(d, depth+1)
	}
	return nil
}

func (t *table) dict(v types.Dict, depth int) Dict {
	d := make(Dict, len(v))
	for k, e := range v {
		d[Name(k)] = t.translate(e, depth+1)
	}
	return d
}

func (t *table) stream(v types.StreamDict, depth int) *Stream {
	raw := v.Raw
	s := &Stream{Dict: t.dict(v.Dict, depth), raw: raw}
	if raw == nil && v.Content != nil {
		s.raw = v.Content
		delete(s.Dict, "Filter")
	}
	return s
}
