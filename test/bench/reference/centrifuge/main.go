// Reference of the push benchmark: centrifuge, the engine of Centrifugo, as a server of one channel.
// Build outside of the project: go mod init broadcast && go get github.com/centrifugal/centrifuge@v0.40.1 && go build
// Then SQUITTER_BENCH_CENTRIFUGE=/path/to/broadcast npm run bench -- push-world-5000
//
// Connections to /ws are subscribed to the channel when they connect. POST /publish sends its body to the channel, POST /stats reports CPU time.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/centrifugal/centrifuge"
)

func main() {
	node, err := centrifuge.New(centrifuge.Config{})
	if err != nil {
		panic(err)
	}
	node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		return centrifuge.ConnectReply{
			Credentials: &centrifuge.Credentials{UserID: ""},
			// The readers do not respond to its pings, which are JSON.
			PingPongConfig: &centrifuge.PingPongConfig{PingInterval: time.Hour, PongTimeout: time.Minute},
			Subscriptions:  map[string]centrifuge.SubscribeOptions{"world": {}},
		}, nil
	})
	if err := node.Run(); err != nil {
		panic(err)
	}
	http.Handle("/ws", centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{
		CheckOrigin:        func(*http.Request) bool { return true },
		UseWriteBufferPool: true,
	}))
	http.HandleFunc("/publish", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if _, err := node.Publish("world", body); err != nil {
			panic(err)
		}
	})
	http.HandleFunc("/stats", func(w http.ResponseWriter, _ *http.Request) {
		var usage syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
		fmt.Fprintf(w, `{"cpuS":%f}`, float64(usage.Utime.Nano()+usage.Stime.Nano())/1e9)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}
