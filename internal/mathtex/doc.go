// SPDX-License-Identifier: Apache-2.0

// Package mathtex writes formulas of office documents as LaTeX: elements ->
// TeX.
//
// [OMML] reads the mathematics of Office Open XML (ECMA-376 part 1, 22.1),
// [MathML] the presentation half of MathML Core, as OpenDocument and web pages
// have it. What they write needs amsmath and amssymb, and nothing that a
// browser's TeX does not know.
package mathtex
