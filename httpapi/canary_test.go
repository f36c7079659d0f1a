// SPDX-License-Identifier: Apache-2.0

//go:build linux

package httpapi_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/curlew/httpapi"
	"example.com/curlew/webhook"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/fetch"
)

// canaryInside is an environment variable of the re-executed test binary.
const canaryInside = "CURLEW_CANARY"

// canaryAddresses are internal addresses that must receive no packet.
func canaryAddresses() []netip.Addr {
	return []netip.Addr{
		netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("192.168.0.1"), netip.MustParseAddr("fd00:ec2::254"),
	}
}

func canaryPorts() []int { return []int{80, 443, 8080} }

// TestCanary calls every entry point of the handler with URLs of internal
// addresses that exist and answer. It re-executes itself in
// kernel namespaces.
func TestCanary(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCanaryInside$", "-test.v") // #nosec G204 -- itself
	cmd.Env = append(os.Environ(), canaryInside+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch text := string(out); {
	case cmd.Process == nil:
		t.Skipf("the kernel makes no user and network namespaces here: %v", err)
	case strings.Contains(text, "--- SKIP: TestCanaryInside"):
		t.Skipf("the kernel forbids it inside the namespaces: %s", text)
	case err != nil || !strings.Contains(text, "--- PASS: TestCanaryInside"):
		t.Errorf("%v\n%s", err, text)
	}
}

// TestCanaryInside is not a test by itself. It runs inside the namespaces of
// TestCanary.
func TestCanaryInside(t *testing.T) {
	if os.Getenv(canaryInside) == "" {
		return
	}
	if err := populate(canaryAddresses()); err != nil {
		t.Skipf("kernel: %v", err)
	}
	nameInside(t)
	c := newCanary(t)
	urls := canaryURLs()
	p := &trap{urls: urls, some: urls}
	p.start(t)

	service := &curlew.Service{
		Fetcher:    &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.77.0.1/32")}},
		LocalNames: true,
		Agent:      &agent.Engine{Model: chooser{}, Fetches: 64},
		Webhooks:   webhook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.77.0.1/32")}},
	}
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	text := func(v any) string { b, _ := json.Marshal(v); return string(b) }
	p.each(func(u string) {
		there := p.URL + "/to?to=" + url.QueryEscape(u)
		for path, body := range map[string]string{
			"scrape":       `{"url":` + text(u) + `,"timeout":1000}`,
			"scrape ":      `{"url":` + text(there) + `,"timeout":1000}`,
			"scrape  ":     `{"url":` + text(u) + `,"timeout":1000,"skipTlsVerification":true,"headers":{"a":"b"}}`,
			"map":          `{"url":` + text(u) + `,"timeout":1000}`,
			"crawl":        `{"url":` + text(u) + `,"scrapeOptions":{"timeout":1000}}`,
			"crawl ":       `{"url":` + text(there) + `,"allowExternalLinks":true,"crawlEntireDomain":true,"scrapeOptions":{"timeout":1000}}`,
			"batch/scrape": `{"urls":[` + text(u) + `,` + text(there) + `],"timeout":1000}`,
			// A receiver that redirects its deliveries, and an internal one.
			"batch/scrape ":  `{"urls":[` + text(p.URL+"/") + `],"webhook":` + text(there) + `}`,
			"batch/scrape  ": `{"urls":[` + text(p.URL+"/") + `],"webhook":` + text(u) + `}`,
			"agent":          `{"prompt":"p","urls":[` + text(u) + `]}`,
			"agent ":         `{"prompt":"p","urls":[` + text(there) + `]}`,
		} {
			ask(t, h, "POST", "/v2/"+strings.TrimSpace(path), body)
		}
	})
	for _, body := range []string{
		`{"url":` + text(p.URL+"/links") + `,"sitemap":"skip","allowExternalLinks":true,"crawlEntireDomain":true,"scrapeOptions":{"timeout":1000}}`,
		`{"url":` + text(p.URL+"/metas") + `,"sitemap":"skip","allowExternalLinks":true,"crawlEntireDomain":true,"scrapeOptions":{"timeout":1000}}`,
		`{"url":` + text(p.URL+"/") + `,"sitemap":"only","allowExternalLinks":true,"crawlEntireDomain":true,"scrapeOptions":{"timeout":1000}}`,
	} {
		p.crawl(t, h, body)
	}
	p.idle(t, service)
	if err := service.Shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	if p.served.Load() < int64(len(p.urls)) {
		t.Errorf("the site served %d requests: nothing was tried", p.served.Load())
	}
	if n, m := c.connections.Load(), c.packets.Load(); n != 0 || m != 0 {
		t.Errorf("%d connections and %d packets went inside", n, m)
	}
	c.control(t)
}

// canaryURLs returns URLs of internal addresses in all notations.
func canaryURLs() []string {
	hosts := []string{
		"2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "169.254.169.254.", "[::ffff:169.254.169.254]",
		"[64:ff9b::a9fe:a9fe]", "10.1", "0x0a.0.0.1", "192.168.1", "[::ffff:c0a8:1]", "user:password@10.0.0.1", "%31%30.0.0.1",
		"[FD00:EC2:0::254]", "１６９.254.169.254",
	}
	for _, a := range canaryAddresses() {
		hosts = append(hosts, strings.TrimSuffix(netip.AddrPortFrom(a, 0).String(), ":0"))
	}
	for i := range canaryAddresses() {
		hosts = append(hosts, canaryName(i))
	}
	var urls []string
	for i, host := range hosts {
		urls = append(urls, "http://"+host+"/latest/meta-data/", []string{"https://" + host + "/", "http://" + host + ":8080/"}[i%2])
	}
	return urls
}

// canaryName returns a host name for the i-th address.
func canaryName(i int) string { return fmt.Sprintf("inside%d.test", i) }

// nameInside gives the addresses names in a hosts file that is visible only in
// the mount namespace.
func nameInside(t *testing.T) {
	t.Helper()
	var hosts strings.Builder
	for i, a := range canaryAddresses() {
		fmt.Fprintf(&hosts, "%s %s\n", a, canaryName(i))
	}
	file := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(file, []byte(hosts.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(file, "/etc/hosts", "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("kernel: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount("/etc/hosts", 0) })
	for i, a := range canaryAddresses() {
		if got, err := net.DefaultResolver.LookupNetIP(t.Context(), "ip", canaryName(i)); err != nil || len(got) != 1 || got[0].Unmap() != a {
			t.Errorf("%s is %v, want %v: %v", canaryName(i), got, a, err)
		}
	}
}

// canary counts packets and connections to the internal addresses.
type canary struct {
	connections atomic.Int64
	packets     atomic.Int64 // a packet that is sent and received counts twice
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	c := new(canary)
	for _, a := range canaryAddresses() {
		for _, port := range canaryPorts() {
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", netip.AddrPortFrom(a, uint16(port)).String()) // #nosec G115 -- one of three
			if err != nil {
				t.Skipf("kernel: %v", err)
			}
			s := &http.Server{ReadHeaderTimeout: time.Second, ConnState: func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					c.connections.Add(1)
				}
			}}
			go func() { _ = s.Serve(l) }()
			t.Cleanup(func() { _ = s.Close() })
		}
	}
	// Count packets as well, because a connection attempt may fail.
	const all = 0x0300 // ETH_P_ALL in network byte order
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_DGRAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, all)
	if err != nil {
		t.Skipf("kernel: %v", err)
	}
	wire := os.NewFile(uintptr(fd), "lo") // #nosec G115 -- a file descriptor
	done := make(chan struct{})
	go func() {
		defer close(done)
		packet := make([]byte, 64<<10)
		for {
			n, err := wire.Read(packet)
			if err != nil {
				return
			}
			if slices.Contains(canaryAddresses(), destination(packet[:n])) {
				c.packets.Add(1)
			}
		}
	}()
	t.Cleanup(func() { _ = wire.Close(); <-done })
	return c
}

// destination returns the destination of an IP packet.
func destination(packet []byte) netip.Addr {
	switch {
	case len(packet) >= 20 && packet[0]>>4 == 4:
		return netip.AddrFrom4([4]byte(packet[16:20]))
	case len(packet) >= 40 && packet[0]>>4 == 6:
		return netip.AddrFrom16([16]byte(packet[24:40]))
	}
	return netip.Addr{}
}

// control connects to every address directly and checks that it answers and is
// counted.
func (c *canary) control(t *testing.T) {
	t.Helper()
	want := int64(0)
	for _, a := range canaryAddresses() {
		for _, port := range canaryPorts() {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", netip.AddrPortFrom(a, uint16(port)).String()) // #nosec G115 -- one of three
			if err != nil {
				t.Errorf("control: %v", err)
				continue
			}
			want++
			// The server closes a connection that is not HTTP. By then it has
			// counted it.
			fmt.Fprint(conn, "\r\n\r\n\r\n")
			_, _ = conn.Read(make([]byte, 1<<10))
			_ = conn.Close()
		}
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 5000 { // wait for the reader of packets
		if c.packets.Load() >= want {
			break
		}
		<-tick.C
	}
	if n, m := c.connections.Load(), c.packets.Load(); n != want || m < want {
		t.Errorf("control: %d connections, want %d, and %d packets", n, want, m)
	}
}

// populate enables the interface lo and assigns addresses to it, by
// rtnetlink(7).
func populate(addresses []netip.Addr) error {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	const lo = 1 // the first interface of a namespace
	link := make([]byte, syscall.SizeofIfInfomsg)
	binary.NativeEndian.PutUint32(link[4:], lo)
	binary.NativeEndian.PutUint32(link[8:], syscall.IFF_UP)
	binary.NativeEndian.PutUint32(link[12:], syscall.IFF_UP)
	if err := tell(fd, syscall.RTM_NEWLINK, 0, link); err != nil {
		return fmt.Errorf("lo up: %w", err)
	}
	for _, a := range addresses {
		family := byte(syscall.AF_INET)
		if a.Is6() {
			family = syscall.AF_INET6
		}
		const noDAD = 0x02 // IFA_F_NODAD: the address is usable at once
		body := []byte{family, byte(a.BitLen()), noDAD, 0, 0, 0, 0, 0}
		binary.NativeEndian.PutUint32(body[4:], lo)
		for _, kind := range []uint16{syscall.IFA_LOCAL, syscall.IFA_ADDRESS} {
			body = binary.NativeEndian.AppendUint16(body, uint16(syscall.SizeofRtAttr+a.BitLen()/8)) // #nosec G115 -- 20 at most
			body = binary.NativeEndian.AppendUint16(body, kind)
			body = append(body, a.AsSlice()...)
		}
		if err := tell(fd, syscall.RTM_NEWADDR, syscall.NLM_F_CREATE|syscall.NLM_F_EXCL, body); err != nil {
			return fmt.Errorf("%s: %w", a, err)
		}
	}
	return nil
}

// tell sends a netlink message and reads the acknowledgement.
func tell(fd int, kind, flags uint16, body []byte) error {
	m := binary.NativeEndian.AppendUint32(nil, uint32(syscall.SizeofNlMsghdr+len(body))) // #nosec G115 -- of a few bytes
	m = binary.NativeEndian.AppendUint16(m, kind)
	m = binary.NativeEndian.AppendUint16(m, flags|syscall.NLM_F_REQUEST|syscall.NLM_F_ACK)
	m = append(m, make([]byte, 8)...) // sequence number and port
	if err := syscall.Sendto(fd, append(m, body...), 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4<<10)
	n, _, err := syscall.Recvfrom(fd, answer, 0)
	if err != nil {
		return err
	}
	messages, err := syscall.ParseNetlinkMessage(answer[:n])
	if err != nil || len(messages) != 1 || messages[0].Header.Type != syscall.NLMSG_ERROR || len(messages[0].Data) < 4 {
		return fmt.Errorf("netlink: unexpected answer: %w", err)
	}
	if code := int32(binary.NativeEndian.Uint32(messages[0].Data)); code != 0 { // #nosec G115 -- an error number
		return syscall.Errno(-code)
	}
	return nil
}
