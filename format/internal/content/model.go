// SPDX-License-Identifier: Apache-2.0

package content

import "math"

// A Node is a node of a regression tree. If Skip is zero, it is a leaf and Value is its
// answer. Otherwise, a row whose Feature is at most Value continues with the next node, and
// other rows continue Skip nodes further.
type Node struct {
	Feature uint8
	Skip    uint8
	Value   float32
}

// A row has no more features than a Node can name.
const _ = uint8(Features-1) | uint8(PickFeatures-1)

// A Forest contains boosted trees. Its answer is the sum of Base and one leaf of each tree.
// The nodes of each tree are in pre-order, and the trees follow each other.
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

// Sigmoid turns a score into a probability. It uses only operations that every machine
// rounds in the same way, which math.Exp does not.
func Sigmoid(x float32) float32 {
	y := min(max(float64(x), -40), 40) * -math.Log2E
	k := math.Floor(y)
	f := y - k
	// The Taylor series of 2^f about 0, whose error is below 2e-7 for f up to 1.
	p := 1.0
	for i := 9; i > 0; i-- {
		p = 1 + float64(float64(p*f)*math.Ln2)/float64(i)
	}
	return float32(1 / (1 + float64(p*math.Float64frombits(uint64(1023+int(k))<<52)))) //nolint:gosec // k is between -58 and 58
}
