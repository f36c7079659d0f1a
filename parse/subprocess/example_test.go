// SPDX-License-Identifier: Apache-2.0

package subprocess_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"example.com/curlew/parse"
	"example.com/curlew/parse/subprocess"
)

// The main function of the program calls subprocess.Main first. Then
// documents can be read in child processes.
func Example() {
	engine := parse.Engine{Isolate: &subprocess.Runner{Memory: 512 << 20, CPU: 20 * time.Second}}
	const table = "name,size\ncurlew,55\n"
	tree, err := engine.Parse(context.Background(), parse.Source{
		Name: "birds.csv", Data: strings.NewReader(table), Size: int64(len(table)),
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tree.Kind, tree.Verbatim == table)
	// Output: csv true
}
