// SPDX-License-Identifier: Apache-2.0

package content

import "math"

// A Node is a node of a regression tree. Where Skip is zero it is a leaf and
// Value its answer; else rows whose feature is at most Value go on with the
// next node, others Skip nodes further.
type Node struct {
	Feature uint8
	Skip    uint8
	Value   float32
}

// A row has no more features than a Node can name.
const _ = uint8(Features-1) | uint8(PickFeatures-1)

// A Forest is boosted trees: the answer is the sum of their leaves. Each tree
// is in pre-order, the trees one after the other.
type Forest struct {
	Base  float32
	Roots []int32
	Nodes []Node
}

// Score returns the answer for one row.
func (f *Forest) Score(row []float32) float32 {
	sum := f.Base
	for _, at := range f.Roots {
		n := &f.Nodes[at]
		for n.Skip != 0 {
			if row[n.Feature] <= n.Value {
				at++
			} else {
				at += int32(n.Skip)
			}
			n = &f.Nodes[at]
		}
		sum += n.Value
	}
	return sum
}

// Sigmoid turns a score into a probability. It is made of operations that
// every machine rounds alike: math.Exp is not.
func Sigmoid(x float32) float32 {
	y := min(max(float64(x), -40), 40) * -math.Log2E
	k := math.Floor(y)
	f := y - k
	// 2^f, Taylor about 0: off by less than 2e-7 up to 1.
	p := 1.0
	for i := 9; i > 0; i-- {
		p = 1 + float64(float64(p*f)*math.Ln2)/float64(i)
	}
	return float32(1 / (1 + float64(p*math.Float64frombits(uint64(1023+int(k))<<52)))) //nolint:gosec // k is between -58 and 58
}
