// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

// inside is set in the environment of the test that runs in a network of its own.
const inside = "CURLEW_CANARY_INSIDE"

// outside is a network that the packets of the test would go to.
const outside = "10.99.0."

// TestCanary shows hostile pages in a network namespace whose only interfaces are lo and
// one that records what is sent to it. No packet may leave through it, because the browser
// has no way out but the proxy, which refuses these addresses. The same pages in a
// browser without the flags of this package show that the recorder sees such packets.
func TestCanary(t *testing.T) {
	if os.Getenv(inside) != "" {
		canary(t)
		return
	}
	t.Parallel()
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("no program ip (iproute2)")
	}
	args := []string{"-n", "-m"}
	if os.Getuid() != 0 {
		args = append(args, "-U", "-r")
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", append(slices.Clone(args), "sh", "-c", "ip link add out type veth peer name far && mount --bind /dev/null /etc/resolv.conf")...).CombinedOutput(); err != nil {
		t.Skipf("the kernel forbids network namespaces: %s", out)
	}
	c := exec.CommandContext(t.Context(), "unshare", append(args, os.Args[0], "-test.run", "^TestCanary$", "-test.v", "-test.timeout", "20m")...)
	c.Env = append(os.Environ(), inside+"=1")
	out, err := c.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skip("no Chromium, or the kernel forbids its sandbox")
	}
}

// canary is the test inside of its network.
func canary(t *testing.T) {
	resolv := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(resolv, []byte("nameserver "+outside+"53\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"ip link set lo up",
		"ip link add out type veth peer name far",
		"ip addr add " + outside + "1/24 dev out",
		"ip link set far up", "ip link set out up",
		"ip route add default via " + outside + "2",
		"ip neigh add " + outside + "2 lladdr 02:00:00:00:00:02 dev out", // so that packets are sent without an answer to ARP
		"mount --bind " + resolv + " /etc/resolv.conf",
	} {
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", line).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	for _, host := range []string{"50", "51", "52", "53", "60", "61"} {
		line := "ip neigh add " + outside + host + " lladdr 02:00:00:00:00:03 dev out"
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", line).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	forbidden := listen(t, "127.0.0.2:0")
	var mu sync.Mutex
	reached := 0
	forbidden.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			mu.Lock()
			defer mu.Unlock()
			reached++
		}
	}
	forbidden.Start()
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hostile(w, r, forbidden.Listener.Addr().String()) }))
	packets := record(t)

	o := chrome.Options{Script: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	if onlyRoot(t) {
		o.NoSandbox = true // this network belongs to a user namespace without other users
	}
	b := start(t, o)
	for _, path := range []string{"/", "/frame", "/worker"} {
		p, err := b.Render(t.Context(), &render.Request{URL: at + path, Timeout: patience, Wait: 3 * time.Second, Steps: []render.Step{
			{Kind: render.Click, Selector: "#ping"}, {Kind: render.Script, Text: "return document.title"},
		}})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, secret := range []string{"root:x:0", "reached the forbidden"} {
			if strings.Contains(string(p.HTML), secret) {
				t.Errorf("%s has read %q: %s", path, secret, p.HTML)
			}
		}
		t.Logf("%s: title %s, %d requests were refused", path, p.Results[0].Value, len(p.Failed))
	}
	for _, url := range []string{"file:///etc/passwd", "data:text/html,a", "chrome://version", "view-source:" + at + "/", "http://" + outside + "50/", "http://[fd00::1]/", "http://169.254.169.254/"} {
		if _, err := b.Render(t.Context(), &render.Request{URL: url, Timeout: time.Minute}); err == nil {
			t.Errorf("%s was shown", url)
		}
	}
	ours := packets.since()
	mu.Lock()
	if reached != 0 {
		t.Errorf("the browser has opened %d connections to an address of this machine that is not allowed", reached)
	}
	mu.Unlock()
	if len(ours) != 0 {
		t.Errorf("%d packets have bypassed the proxy: %v", len(ours), count(ours))
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}

	bare := bareBrowser(t, at+"/")
	defer bare()
	kinds := []string{"UDP " + outside + "53:53", "TCP " + outside + "50:80", "UDP " + outside + "60:3478"} // DNS, HTTP and WebRTC
	missing := func(seen []string) []string {
		return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return slices.Contains(seen, kind) })
	}
	deadline := time.Now().Add(3 * time.Minute)
	var theirs []string
	for len(missing(theirs)) > 0 && time.Now().Before(deadline) {
		time.Sleep(time.Second) // for packets of another process
		theirs = append(theirs, packets.since()...)
	}
	if kinds := missing(theirs); len(kinds) > 0 {
		t.Errorf("the recorder has not seen %q of a browser without the flags", kinds)
	}
	t.Logf("%d packets with this package, %d without it: %v", len(ours), len(theirs), count(theirs))
}

// onlyRoot reports whether no user but root exists in this user namespace.
func onlyRoot(t *testing.T) bool {
	users, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		t.Fatal(err)
	}
	var first, other, length int64
	_, _ = fmt.Sscan(string(users), &first, &other, &length)
	return length == 1
}

// listen returns a server, which has not started, at an address.
func listen(t *testing.T, address string) *httptest.Server {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, "reached the forbidden")
	}))
	s.Listener.Close()
	s.Listener = l
	t.Cleanup(s.Close)
	return s
}

// bareBrowser starts a browser without the flags of this package, and returns a function
// that ends it.
func bareBrowser(t *testing.T, url string) (end func()) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", url)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		_ = c.Wait()
	}
}

// hostile serves pages that try to reach the network in every way that a page has.
func hostile(w http.ResponseWriter, r *http.Request, forbidden string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Alt-Svc", `h3="`+outside+`52:443"; ma=86400, h2="`+outside+`52:443"`)
	switch r.URL.Path {
	case "/worker.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, `for (const u of ["http://%[1]s50/w", "http://%[2]s/w", "http://169.254.169.254/w"]) fetch(u, {mode: "no-cors"}).catch(() => {});
			try { importScripts("http://%[1]s51/w.js") } catch {} try { new WebSocket("ws://%[1]s51/w") } catch {}`, outside, forbidden)
		return
	case "/worker":
		fmt.Fprint(w, `<!DOCTYPE html><title>worker</title><a id=ping>a</a><script>
			new Worker("/worker.js"); try { new SharedWorker("/worker.js") } catch {}
			navigator.serviceWorker?.register("/worker.js").then(() => { document.title += " service" }, e => { document.title += " " + e.name })</script>`)
		return
	case "/frame":
		fmt.Fprintf(w, `<!DOCTYPE html><title>frame</title><a id=ping>a</a><iframe src="/"></iframe><iframe srcdoc="<script>fetch('http://%[1]s50/srcdoc', {mode: 'no-cors'})</script>"></iframe>
			<iframe src="file:///etc/passwd"></iframe><iframe src="data:text/html,<script>fetch('http://%[1]s50/data')</script>"></iframe><iframe src="http://%[2]s/"></iframe>
			<iframe src="view-source:http://%[2]s/"></iframe><iframe src="chrome://version"></iframe><object data="file:///etc/passwd"></object><embed src="http://%[1]s50/embed">`, outside, forbidden)
		return
	case "/":
	default:
		http.NotFound(w, r)
		return
	}
	fmt.Fprintf(w, `<!DOCTYPE html><title>hostile</title>
		<link rel=dns-prefetch href="//prefetch.canary.test"><link rel=preconnect href="http://%[1]s50"><link rel=preconnect href="https://%[1]s51"><link rel=prefetch href="http://%[1]s50/prefetch">
		<link rel=prerender href="http://%[1]s50/prerender"><script type=speculationrules>{"prefetch":[{"source":"list","urls":["http://%[1]s50/rules"]}],"prerender":[{"source":"list","urls":["/frame"]}]}</script>
		<img src="http://%[1]s50/img"><img src="https://%[1]s50/img"><img src="http://[fd00::1]/img"><video src="http://%[1]s50/video"></video><img src="http://%[2]s/img"><img src="file:///etc/passwd">
		<a id=ping href="#" ping="http://%[1]s50/ping">ping</a><a href="http://name.canary.test/">a name</a><form id=form action="http://%[1]s50/form" target=_blank method=post></form><script>
		const hosts = ["%[1]s50", "%[2]s", "169.254.169.254", "100.100.100.200", "10.0.0.1", "192.168.0.1", "[::1]", "localhost:22", "0.0.0.0"];
		for (const h of hosts) {
			fetch("http://" + h + "/fetch").then(r => r.text()).then(t => { document.body.append(t) }, () => {});
			fetch("https://" + h + "/fetch", {mode: "no-cors"}).catch(() => {});
			try { new WebSocket("ws://" + h + "/socket") } catch {}
			try { new WebSocket("wss://" + h + "/socket") } catch {}
			try { new EventSource("http://" + h + "/events") } catch {}
			navigator.sendBeacon("http://" + h + "/beacon", "a");
			try { open("http://" + h + "/popup") } catch {}
		}
		for (const u of ["file:///etc/passwd", "filesystem:http://x/temporary/a", "blob:http://x/a", "chrome://settings", "intent://a#Intent;end"]) {
			fetch(u).then(r => r.text()).then(t => { document.body.append(t) }, () => {});
			try { open(u) } catch {}
		}
		try { form.submit() } catch {}
		try {
			const c = new RTCPeerConnection({iceServers: [{urls: "stun:%[1]s60:3478"}, {urls: "stun:stun.canary.test:3478"}, {urls: ["turn:%[1]s61:3478?transport=udp", "turn:%[1]s61:3478?transport=tcp", "turns:%[1]s61:5349"], username: "a", credential: "b"}]});
			c.createDataChannel("a"); c.onicecandidate = e => { if (e.candidate) document.body.append(" candidate " + e.candidate.candidate) };
			c.createOffer().then(o => c.setLocalDescription(o));
		} catch {}
		try { const t = new WebTransport("https://%[1]s52:443/"); t.ready.catch(() => {}); t.closed.catch(() => {}) } catch {}
		const d = document.createElement("a"); d.href = "data:application/octet-stream,a"; d.download = "a"; document.body.append(d); d.click();
		const e = document.createElement("a"); e.href = URL.createObjectURL(new Blob(["b"])); e.download = "b"; document.body.append(e); e.click();
		</script><link rel=stylesheet href="http://%[1]s50/style">`, outside, forbidden) // the scripts would wait for a style sheet before them
}

// recorder records the packets that leave the namespace, or that go to an address of lo that is
// not 127.0.0.1.
type recorder struct {
	mu   sync.Mutex
	seen []string
}

// since returns the packets since the last call.
func (r *recorder) since() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	r.seen = nil
	return seen
}

// record starts a recorder on all interfaces.
func record(t *testing.T) *recorder {
	t.Helper()
	const all = 0x0300 // ETH_P_ALL in network byte order
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, all)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Usec: 100_000}); err != nil {
		t.Fatal(err)
	}
	out, err := net.InterfaceByName("out")
	if err != nil {
		t.Fatal(err)
	}
	r := new(recorder)
	stop, stopped := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		<-stopped
		_ = syscall.Close(fd)
	})
	go func() {
		defer close(stopped)
		buffer := make([]byte, 65536)
		for {
			select {
			case <-stop:
				return
			default:
			}
			n, from, err := syscall.Recvfrom(fd, buffer, 0)
			at, ok := from.(*syscall.SockaddrLinklayer)
			if err != nil || !ok || at.Pkttype != syscall.PACKET_OUTGOING {
				continue
			}
			if what := describe(buffer[:n]); what != "" && (at.Ifindex == out.Index || !strings.Contains(what, " 127.0.0.1:")) {
				r.mu.Lock()
				r.seen = append(r.seen, what)
				r.mu.Unlock()
			}
		}
	}()
	return r
}

// describe returns the protocol and destination of an IP packet that opens a TCP connection or
// contains a UDP datagram, and "" for others, such as those that the kernel itself sends.
func describe(p []byte) string {
	var protocol byte
	var to netip.Addr
	switch {
	case len(p) >= 20 && p[0]>>4 == 4:
		protocol = p[9]
		to, _ = netip.AddrFromSlice(p[16:20])
		p = p[min(len(p), int(p[0]&15)*4):]
	case len(p) >= 40 && p[0]>>4 == 6:
		protocol = p[6]
		to, _ = netip.AddrFromSlice(p[24:40])
		p = p[40:]
	}
	switch {
	case protocol == 17 && len(p) >= 8:
		return fmt.Sprintf("UDP %s", netip.AddrPortFrom(to, binary.BigEndian.Uint16(p[2:])))
	case protocol == 6 && len(p) >= 14 && p[13]&0x12 == 2: // SYN without ACK
		return fmt.Sprintf("TCP %s", netip.AddrPortFrom(to, binary.BigEndian.Uint16(p[2:])))
	}
	return ""
}

// count returns how often each packet occurs.
func count(packets []string) map[string]int {
	n := map[string]int{}
	for _, p := range packets {
		n[p]++
	}
	return n
}
