// The floor of the study: passes each message on to the consumer when it comes, without a queue.
package main

import (
	"net"
	"os"

	"uploadlab/queues/frames"
	"uploadlab/queues/passing"
	"uploadlab/recorder"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "versions" {
		recorder.PrintVersions(nil)
		return
	}
	address := net.JoinHostPort(recorder.Text("HOST"), recorder.Text("PORT"))
	relay := passing.To(func(to *frames.Link, body []byte) error { return to.Send(frames.Message, body) })
	recorder.EndWith("The relay ends: %v.", frames.Listen(address, relay.Serve))
}
