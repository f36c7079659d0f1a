// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"fmt"

	"example.com/curlew/internal/weburl"
)

func ExampleURL_Link() {
	page, err := weburl.Parse("HTTP://Bücher.example:80/shop/./list.html")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ref := range []string{"../50%off?q=a b", "//127.1/", "https:/x.test", "mailto:a@b.test"} {
		u, err := page.Link(ref)
		fmt.Println(u, err)
	}
	// Output:
	// http://xn--bcher-kva.example/50%off?q=a%20b <nil>
	// http://127.0.0.1/ <nil>
	// https://x.test/ <nil>
	//  URL is not http(s): it has another scheme
}
