// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"mime"
	"path"
	"strings"
)

// declaration is the kind that the name and the media type of a document
// declare.
type declaration struct {
	kind   Kind // empty if they declare no kind of this package
	binary bool // they declare a binary format of another kind
}

// declared returns the kind that src declares. For an upload the file name
// is more reliable than the media type, which the sender's system guessed.
// For a web page the media type is more reliable than the name. Either one
// counts more than a declaration as plain text.
func declared(src Source) declaration {
	first, second := byName(src.Name), byType(src.ContentType)
	if src.URL != "" {
		first, second = second, first
	}
	if first == (declaration{}) || first.kind == Text && second.kind.isText() {
		return second
	}
	return first
}

// byName returns the declaration of a file name's extension.
func byName(name string) declaration {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	switch ext {
	case "html", "htm", "xhtml", "xht":
		return declaration{kind: HTML}
	case "pdf":
		return declaration{kind: PDF}
	case "docx", "docm", "dotx", "dotm":
		return declaration{kind: DOCX}
	case "xlsx", "xlsm", "xltx", "xltm":
		return declaration{kind: XLSX}
	case "xlsb":
		return declaration{kind: XLSB}
	case "pptx", "pptm", "potx", "potm", "ppsx", "ppsm":
		return declaration{kind: PPTX}
	case "vsdx", "vsdm", "vstx", "vstm":
		return declaration{kind: VSDX}
	case "odt", "ott", "fodt", "sxw", "stw":
		return declaration{kind: ODT}
	case "ods", "ots", "fods", "sxc", "stc":
		return declaration{kind: ODS}
	case "odp", "otp", "fodp", "sxi", "sti", "sxd", "std":
		return declaration{kind: ODP}
	case "doc", "dot", "wri":
		return declaration{kind: DOC}
	case "xls", "xlt":
		return declaration{kind: XLS}
	case "ppt", "pot", "pps":
		return declaration{kind: PPT}
	case "rtf", "epub", "csv", "eml", "msg", "xml", "json":
		return declaration{kind: Kind(ext)}
	case "tnef":
		return declaration{kind: MSG}
	case "mhtml", "mht":
		return declaration{kind: MHTML}
	case "tsv", "tab":
		return declaration{kind: TSV}
	case "txt", "text", "log":
		return declaration{kind: Text}
	case "md", "markdown", "mdown", "mkd":
		return declaration{kind: Markdown}
	case "jsonl", "ndjson", "geojson", "jsonld":
		return declaration{kind: JSON}
	case "rss", "atom", "xsd", "xsl", "xslt", "svg", "kml", "gpx":
		return declaration{kind: XML}
	case "png", "jpg", "jpeg", "jpe", "gif", "webp", "tif", "tiff", "bmp", "jp2", "j2k", "heic", "heif", "avif", "ico":
		return declaration{kind: Image}
	case "zip", "gz", "bz2", "xz", "zst", "7z", "rar", "tar", "tgz", "exe", "dll", "so", "bin", "iso", "dmg", "jar", "class", "wasm",
		"mp3", "mp4", "m4a", "m4v", "mov", "avi", "mkv", "webm", "wav", "ogg", "flac", "woff", "woff2", "ttf", "otf", "eot", "sqlite", "db":
		return declaration{binary: true}
	}
	return declaration{}
}

// byType returns the declaration of a media type.
func byType(contentType string) declaration {
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		mediaType, _, _ = strings.Cut(strings.ToLower(contentType), ";")
		mediaType = strings.TrimSpace(mediaType)
	}
	top, sub, _ := strings.Cut(mediaType, "/")
	sub = strings.TrimPrefix(sub, "x-")
	switch {
	case top == "" || sub == "" || top == "*" || top == "unknown" || top == "binary":
		return declaration{}
	case sub == "html" || sub == "xhtml+xml":
		return declaration{kind: HTML}
	case sub == "json" || strings.HasSuffix(sub, "+json") || sub == "ndjson" || sub == "jsonl" || sub == "jsonlines":
		return declaration{kind: JSON}
	case sub == "xml" || strings.HasSuffix(sub, "+xml") && top != "model":
		return declaration{kind: XML}
	case sub == "csv" || sub == "comma-separated-values":
		return declaration{kind: CSV}
	case sub == "tab-separated-values":
		return declaration{kind: TSV}
	case sub == "markdown":
		return declaration{kind: Markdown}
	case top == "text":
		return declaration{kind: Text}
	case top == "image":
		return declaration{kind: Image}
	case mediaType == "message/rfc822":
		return declaration{kind: EML}
	case top == "multipart":
		return declaration{kind: MHTML}
	case top != "application":
		return declaration{binary: true} // audio, video, font, model
	}
	return byApplication(sub)
}

// byApplication returns the declaration of the media type application/sub.
// The caller has removed an "x-" prefix from sub.
func byApplication(sub string) declaration {
	switch sub {
	case "octet-stream", "unknown", "download", "force-download", "save", "form-urlencoded", "www-form-urlencoded":
		return declaration{}
	case "pdf", "rtf":
		return declaration{kind: Kind(sub)}
	case "epub+zip":
		return declaration{kind: EPUB}
	case "msword":
		return declaration{kind: DOC}
	case "vnd.ms-excel":
		return declaration{kind: XLS}
	case "vnd.ms-powerpoint":
		return declaration{kind: PPT}
	case "vnd.ms-outlook", "ms-tnef", "vnd.ms-tnef":
		return declaration{kind: MSG}
	case "javascript", "ecmascript", "yaml", "toml", "sh", "shellscript", "csh", "sql", "tex", "latex", "bibtex", "php", "httpd-php", "typescript", "graphql",
		"python", "perl", "ruby", "tcl", "subrip", "troff":
		return declaration{kind: Text}
	}
	if kind := odfKind("application/" + sub); kind != "" {
		return declaration{kind: kind}
	}
	if kind := ooxmlKind("application/" + sub); kind != "" {
		return declaration{kind: kind}
	}
	return declaration{binary: true}
}

// odfKind returns the kind for an OpenDocument media type, or "".
func odfKind(mediaType string) Kind {
	mediaType = strings.TrimSpace(mediaType)
	name, ok := strings.CutPrefix(mediaType, "application/vnd.oasis.opendocument.")
	if !ok {
		if name, ok = strings.CutPrefix(mediaType, "application/vnd.sun.xml."); !ok {
			return ""
		}
		name, _, _ = strings.Cut(name, ".") // without "template", "web" and "global"
	}
	switch strings.TrimSuffix(strings.TrimSuffix(name, "-template"), "-flat-xml") {
	case "text", "text-master", "text-web", "writer":
		return ODT
	case "spreadsheet", "calc":
		return ODS
	case "presentation", "graphics", "impress", "draw": // the pages of a drawing are like slides
		return ODP
	}
	return ""
}

// ooxmlKind returns the kind for an Office Open XML media type or namespace,
// or "".
func ooxmlKind(name string) Kind {
	name = strings.ToLower(name)
	switch {
	case strings.Contains(name, "ms-excel") && strings.Contains(name, "binary"):
		return XLSB
	case strings.Contains(name, "wordprocessingml") || strings.Contains(name, "ms-word"):
		return DOCX
	case strings.Contains(name, "spreadsheetml") || strings.Contains(name, "ms-excel"):
		return XLSX
	case strings.Contains(name, "ms-visio"):
		return VSDX
	case strings.Contains(name, "presentationml") || strings.Contains(name, "ms-powerpoint"):
		return PPTX
	}
	return ""
}
