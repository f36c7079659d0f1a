// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"

	"example.com/curlew/format"
)

// readAds reads filter lists.
func readAds(names []string) (*format.AdRules, error) {
	var lists []io.Reader
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close() // only read from
		lists = append(lists, file)
	}
	return format.ReadAdRules(lists...)
}
