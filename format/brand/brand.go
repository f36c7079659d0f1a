// SPDX-License-Identifier: Apache-2.0

// Package brand defines the result of the branding form: the visual design of a
// site.
package brand

import "encoding/json"

// Design is the visual design of a site. Values that neither
// the page nor its style sheets determine are absent. Colours have the form
// #RRGGBB. Lengths are in pixels, such as 16px.
type Design struct {
	ColorScheme string          `json:"colorScheme,omitempty"` // light or dark
	Logo        string          `json:"logo,omitempty"`        // absolute URL
	Colors      Colors          `json:"colors,omitzero"`
	Fonts       []Font          `json:"fonts,omitzero"` // the most important first
	Typography  Typography      `json:"typography,omitzero"`
	Spacing     Spacing         `json:"spacing,omitzero"`
	Components  Components      `json:"components,omitzero"`
	Icons       Icons           `json:"icons,omitzero"`
	Images      Images          `json:"images,omitzero"`
	Animations  Animations      `json:"animations,omitzero"`
	Layout      Layout          `json:"layout,omitzero"`
	Personality json.RawMessage `json:"personality,omitempty"` // as described by a model
}

// Colors are the colours of a site by purpose.
type Colors struct {
	Primary       string `json:"primary,omitempty"`
	Secondary     string `json:"secondary,omitempty"`
	Accent        string `json:"accent,omitempty"`
	Background    string `json:"background,omitempty"`
	TextPrimary   string `json:"textPrimary,omitempty"`
	TextSecondary string `json:"textSecondary,omitempty"`
	Link          string `json:"link,omitempty"`
	Success       string `json:"success,omitempty"`
	Warning       string `json:"warning,omitempty"`
	Error         string `json:"error,omitempty"`
}

// Font is a font that a site uses.
type Font struct {
	Family string `json:"family"`
}

// Typography describes the fonts, sizes, weights and line heights of a site.
type Typography struct {
	Families struct {
		Primary string `json:"primary,omitempty"`
		Heading string `json:"heading,omitempty"`
		Code    string `json:"code,omitempty"`
	} `json:"fontFamilies,omitzero"`
	Sizes struct {
		H1   string `json:"h1,omitempty"`
		H2   string `json:"h2,omitempty"`
		H3   string `json:"h3,omitempty"`
		Body string `json:"body,omitempty"`
	} `json:"fontSizes,omitzero"`
	Weights struct {
		Light   int `json:"light,omitempty"`
		Regular int `json:"regular,omitempty"`
		Medium  int `json:"medium,omitempty"`
		Bold    int `json:"bold,omitempty"`
	} `json:"fontWeights,omitzero"`
	Heights struct {
		Heading string `json:"heading,omitempty"`
		Body    string `json:"body,omitempty"`
	} `json:"lineHeights,omitzero"`
}

// Spacing describes the distances that a site uses.
type Spacing struct {
	BaseUnit     float64           `json:"baseUnit,omitempty"` // in pixels; most distances are multiples of this
	BorderRadius string            `json:"borderRadius,omitempty"`
	Padding      map[string]string `json:"padding,omitempty"` // by component
	Margins      map[string]string `json:"margins,omitempty"` // by component
}

// Components are the styles of controls.
type Components struct {
	ButtonPrimary   *Component `json:"buttonPrimary,omitempty"`
	ButtonSecondary *Component `json:"buttonSecondary,omitempty"`
	Input           *Component `json:"input,omitempty"`
}

// Component is the style of one kind of control.
type Component struct {
	Background   string `json:"background,omitempty"`
	TextColor    string `json:"textColor,omitempty"`
	BorderColor  string `json:"borderColor,omitempty"`
	BorderRadius string `json:"borderRadius,omitempty"`
}

// Icons are the URLs of the icons that a page links.
type Icons struct {
	Favicon        string `json:"favicon,omitempty"`
	AppleTouchIcon string `json:"appleTouchIcon,omitempty"`
	MaskIcon       string `json:"maskIcon,omitempty"`
	Manifest       string `json:"manifest,omitempty"`
}

// Animations are the most frequent durations and easings of the style sheets.
type Animations struct {
	Duration string `json:"duration,omitempty"` // such as 200ms
	Easing   string `json:"easing,omitempty"`
}

// Layout describes the width of a site.
type Layout struct {
	MaxWidth string `json:"maxWidth,omitempty"` // most frequent maximum width in the style sheets
}

// Images are the URLs of the images that represent a site.
type Images struct {
	Logo    string `json:"logo,omitempty"`
	Favicon string `json:"favicon,omitempty"`
	OGImage string `json:"ogImage,omitempty"`
}

// Style is how a browser shows one element of a page.
type Style struct {
	Element    string            // html, body, h1, h2, h3, p, a, code, input, footer or button
	Properties map[string]string // computed values by the names of the CSS properties
}
