// SPDX-License-Identifier: Apache-2.0

package webtest

import "bytes"

// File is one file of an archive.
type File struct {
	Name string
	Data []byte // aliases the archive; ends in a line break unless it is empty or the archive ends without one
}

// Files parses data in txtar form. Each line "-- name --" starts a file that
// ends at the next such line. Text before the first such line is a comment.
// Every text is a valid archive.
func Files(data []byte) []File {
	var files []File
	start := 0 // of the current file's data
	for at := 0; at < len(data); {
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if name, ok := marker(data[at:end]); ok {
			if len(files) > 0 {
				files[len(files)-1].Data = data[start:at:at]
			}
			files = append(files, File{Name: name})
			start = end
		}
		at = end
	}
	if len(files) > 0 {
		files[len(files)-1].Data = data[start:]
	}
	return files
}

// marker returns the file name in a line of the form "-- name --".
func marker(line []byte) (string, bool) {
	line = bytes.TrimRight(line, "\r\n")
	name, ok := bytes.CutPrefix(line, []byte("-- "))
	if !ok {
		return "", false
	}
	if name, ok = bytes.CutSuffix(name, []byte(" --")); !ok {
		return "", false
	}
	name = bytes.TrimSpace(name)
	return string(name), len(name) > 0
}
