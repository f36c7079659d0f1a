// SPDX-License-Identifier: Apache-2.0

package mathtex

// symbols are characters with a command in LaTeX or amssymb.
var symbols = map[rune]string{
	'\\': `\backslash`, '^': `\hat{}`, '~': `\sim`, '\u00A0': `~`,

	'α': `\alpha`, 'β': `\beta`, 'γ': `\gamma`, 'δ': `\delta`, 'ε': `\varepsilon`, 'ϵ': `\epsilon`, 'ζ': `\zeta`,
	'η': `\eta`, 'θ': `\theta`, 'ϑ': `\vartheta`, 'ι': `\iota`, 'κ': `\kappa`, 'λ': `\lambda`, 'μ': `\mu`, 'µ': `\mu`,
	'ν': `\nu`, 'ξ': `\xi`, 'ο': `o`, 'π': `\pi`, 'ϖ': `\varpi`, 'ρ': `\rho`, 'ϱ': `\varrho`, 'σ': `\sigma`,
	'ς': `\varsigma`, 'τ': `\tau`, 'υ': `\upsilon`, 'φ': `\varphi`, 'ϕ': `\phi`, 'χ': `\chi`, 'ψ': `\psi`, 'ω': `\omega`,
	'Γ': `\Gamma`, 'Δ': `\Delta`, 'Θ': `\Theta`, 'Λ': `\Lambda`, 'Ξ': `\Xi`, 'Π': `\Pi`, 'Σ': `\Sigma`, 'Υ': `\Upsilon`,
	'Φ': `\Phi`, 'Ψ': `\Psi`, 'Ω': `\Omega`, '∆': `\Delta`, 'Α': `A`, 'Β': `B`, 'Ε': `E`, 'Ζ': `Z`, 'Η': `H`, 'Ι': `I`,
	'Κ': `K`, 'Μ': `M`, 'Ν': `N`, 'Ο': `O`, 'Ρ': `P`, 'Τ': `T`, 'Χ': `X`,

	'−': `-`, '–': `-`, '‐': `-`, '±': `\pm`, '∓': `\mp`, '×': `\times`, '÷': `\div`, '⋅': `\cdot`, '·': `\cdot`,
	'∗': `*`, '⋆': `\star`, '∘': `\circ`, '∙': `\bullet`, '•': `\bullet`, '⊕': `\oplus`, '⊖': `\ominus`, '⊗': `\otimes`,
	'⊘': `\oslash`, '⊙': `\odot`, '∧': `\wedge`, '∨': `\vee`, '∩': `\cap`, '∪': `\cup`, '⊎': `\uplus`, '∖': `\setminus`,
	'†': `\dagger`, '‡': `\ddagger`, '⋄': `\diamond`, '△': `\triangle`, '∕': `/`, '⁄': `/`, '√': `\surd`,

	'≤': `\leq`, '≥': `\geq`, '≠': `\neq`, '≈': `\approx`, '≡': `\equiv`, '∼': `\sim`, '≃': `\simeq`, '≅': `\cong`,
	'≪': `\ll`, '≫': `\gg`, '∝': `\propto`, '≺': `\prec`, '≻': `\succ`, '⊂': `\subset`, '⊃': `\supset`,
	'⊆': `\subseteq`, '⊇': `\supseteq`, '⊄': `\not\subset`, '∈': `\in`, '∋': `\ni`, '∉': `\notin`, '⊢': `\vdash`,
	'⊣': `\dashv`, '⊨': `\models`, '⊥': `\perp`, '∥': `\parallel`, '∣': `\mid`, '≔': `:=`, '≐': `\doteq`,
	'≜': `\triangleq`, '≲': `\lesssim`, '≳': `\gtrsim`, '⩽': `\leqslant`, '⩾': `\geqslant`,

	'←': `\leftarrow`, '→': `\rightarrow`, '↑': `\uparrow`, '↓': `\downarrow`, '↔': `\leftrightarrow`,
	'⇐': `\Leftarrow`, '⇒': `\Rightarrow`, '⇑': `\Uparrow`, '⇓': `\Downarrow`, '⇔': `\Leftrightarrow`,
	'⟵': `\longleftarrow`, '⟶': `\longrightarrow`, '⟷': `\longleftrightarrow`, '⟸': `\Longleftarrow`,
	'⟹': `\Longrightarrow`, '⟺': `\Longleftrightarrow`, '↦': `\mapsto`, '⟼': `\longmapsto`, '↪': `\hookrightarrow`,
	'↩': `\hookleftarrow`, '⇀': `\rightharpoonup`, '⇌': `\rightleftharpoons`, '↗': `\nearrow`, '↘': `\searrow`,
	'↙': `\swarrow`, '↖': `\nwarrow`,

	'∀': `\forall`, '∃': `\exists`, '∄': `\nexists`, '¬': `\neg`, '∅': `\emptyset`, '⌀': `\varnothing`, '∞': `\infty`,
	'∂': `\partial`, '∇': `\nabla`, 'ℏ': `\hbar`, 'ℓ': `\ell`, 'ℵ': `\aleph`, 'ℜ': `\Re`, 'ℑ': `\Im`, '℘': `\wp`,
	'∠': `\angle`, '∡': `\measuredangle`, '∴': `\therefore`, '∵': `\because`, '⊤': `\top`, '°': `^{\circ}`, '′': `'`,
	'″': `''`, '‴': `'''`, '…': `\ldots`, '⋯': `\cdots`, '⋮': `\vdots`, '⋱': `\ddots`, '□': `\square`, '∎': `\blacksquare`,
	'ı': `\imath`, 'ȷ': `\jmath`, 'ħ': `\hbar`,

	'∑': `\sum`, '∏': `\prod`, '∐': `\coprod`, '∫': `\int`, '∬': `\iint`, '∭': `\iiint`, '∮': `\oint`, '∯': `\oiint`,
	'∰': `\oiiint`, '⋀': `\bigwedge`, '⋁': `\bigvee`, '⋂': `\bigcap`, '⋃': `\bigcup`, '⨀': `\bigodot`, '⨁': `\bigoplus`,
	'⨂': `\bigotimes`, '⨄': `\biguplus`, '⨆': `\bigsqcup`,

	'⟨': `\langle`, '⟩': `\rangle`, '⌈': `\lceil`, '⌉': `\rceil`, '⌊': `\lfloor`, '⌋': `\rfloor`, '‖': `\|`,

	'½': `\frac{1}{2}`, '¼': `\frac{1}{4}`, '¾': `\frac{3}{4}`, '²': `^{2}`, '³': `^{3}`, '¹': `^{1}`,
	'\u2000': `\ `, '\u2001': `\quad `, '\u2002': `\ `, '\u2003': `\quad `, '\u2009': `\,`, '\u200A': `\,`, '\u2005': `\:`, '\u2004': `\;`, '\u2006': `\,`, '\u202F': `\,`, '\u205F': `\:`,

	'ℂ': `\mathbb{C}`, 'ℍ': `\mathbb{H}`, 'ℕ': `\mathbb{N}`, 'ℙ': `\mathbb{P}`, 'ℚ': `\mathbb{Q}`, 'ℝ': `\mathbb{R}`,
	'ℤ': `\mathbb{Z}`, 'ℬ': `\mathcal{B}`, 'ℰ': `\mathcal{E}`, 'ℱ': `\mathcal{F}`, 'ℋ': `\mathcal{H}`, 'ℐ': `\mathcal{I}`,
	'ℒ': `\mathcal{L}`, 'ℳ': `\mathcal{M}`, 'ℛ': `\mathcal{R}`, 'ℎ': `h`, 'ℊ': `g`, 'ℯ': `e`, 'ℴ': `o`,
}

// alphabets are the letters of U+1D400 to U+1D6A3, in groups of 2 x 26.
var alphabets = [...]string{
	`\mathbf`, ``, `\boldsymbol`, `\mathcal`, `\mathcal`, `\mathfrak`, `\mathbb`, `\mathfrak`,
	`\mathsf`, `\mathsf`, `\mathsf`, `\mathsf`, `\mathtt`,
}

// alphanumeric returns a character of the block of mathematical alphanumeric
// symbols as TeX, or "".
func alphanumeric(r rune) string {
	wrap := func(command, s string) string {
		if command == "" {
			return s
		}
		return command + group(s)
	}
	switch {
	case 0x1D400 <= r && r <= 0x1D6A3:
		i := int(r - 0x1D400)
		letter := 'A' + rune(i%52)
		if i%52 >= 26 {
			letter = 'a' + rune(i%52-26)
		}
		return wrap(alphabets[i/52], string(letter))
	case 0x1D7CE <= r && r <= 0x1D7FF:
		i := int(r - 0x1D7CE)
		commands := [...]string{`\mathbf`, `\mathbb`, `\mathsf`, `\mathsf`, `\mathtt`}
		return wrap(commands[i/10], string('0'+rune(i%10)))
	case 0x1D6A8 <= r && r <= 0x1D7CB:
		// Greek: bold, italic, bold italic, sans-serif bold, sans-serif bold italic.
		i := int(r - 0x1D6A8)
		letters := []rune("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ∇αβγδεζηθικλμνξοπρςστυφχψω∂ϵϑϰϕϱϖ")
		letter := letters[i%58]
		tex, ok := symbols[letter]
		if !ok {
			tex = string(letter)
		}
		if i/58 == 1 {
			return tex
		}
		return `\boldsymbol` + group(tex)
	}
	return ""
}
