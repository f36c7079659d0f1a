// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"math"
	"testing"

	"example.com/curlew/format/internal/content"
)

func TestSigmoid(t *testing.T) {
	last := float32(-1)
	for x := -45.0; x <= 45; x += .37 {
		got, want := content.Sigmoid(float32(x)), 1/(1+math.Exp(-x))
		if math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("Sigmoid(%v) = %v, want %v", x, got, want)
		}
		if got < last || got < 0 || got > 1 {
			t.Errorf("Sigmoid(%v) = %v after %v", x, got, last)
		}
		last = got
	}
}

func TestForest(t *testing.T) {
	f := content.Forest{Base: 1, Roots: []int32{0, 5}, Nodes: []content.Node{
		{Feature: 0, Skip: 2, Value: 3},
		{Value: 10},
		{Feature: 1, Skip: 2, Value: 5},
		{Value: 20},
		{Value: 30},
		{Value: 100},
	}}
	for _, test := range []struct {
		row  []float32
		want float32
	}{
		{[]float32{3, 9}, 111}, {[]float32{3.1, 5}, 121}, {[]float32{4, 6}, 131},
	} {
		if got := f.Score(test.row); got != test.want {
			t.Errorf("Score(%v) = %v, want %v", test.row, got, test.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for k := range content.Kind(content.Kinds) {
		if got, ok := content.KindOf(k.String()); got != k || !ok {
			t.Errorf("KindOf(%q) = %v, %v", k, got, ok)
		}
	}
	if _, ok := content.KindOf("poem"); ok {
		t.Error("a poem is a kind")
	}
}
