// SPDX-License-Identifier: Apache-2.0

// Package mathtex converts formulas of office documents to LaTeX.
//
// [OMML] converts the mathematics of Office Open XML (ECMA-376 part 1, 22.1).
// [MathML] converts the presentation part of MathML Core, which OpenDocument
// and web pages use. [MTEF] converts the binary format of MathType and the old equation
// editor of Office. The result needs amsmath and amssymb, and uses only what
// TeX renderers in browsers know.
package mathtex
