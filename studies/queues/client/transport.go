package main

// outlet is a producer's connection to a broker.
type outlet interface {
	// send hands a message over; it returns when the broker has confirmed it where the producer is throttled, else when
	// the connection has taken it and the window of unconfirmed ones has room.
	send(body []byte) error
	// flush waits until everything is confirmed, where there are confirms.
	flush() error
	close() error
}

// inlet is a consumer's connection to a broker.
type inlet interface {
	// next waits for a message; it is valid until the next call.
	next() ([]byte, error)
	// acknowledge tells the broker that the last message is done with.
	acknowledge() error
	close() error
}

// gauge is a connection that asks how many messages wait in the queue.
type gauge interface {
	depth() (int, error)
	close() error
}

// transport makes connections to a broker.
type transport struct {
	outlet func(*settings) (outlet, error)
	inlet  func(*settings) (inlet, error)
	gauge  func(*settings) (gauge, error)
}

var transports = map[string]transport{
	"text":   {outlet: textOutlet, inlet: textInlet, gauge: textGauge},
	"framed": {outlet: framedOutlet, inlet: framedInlet, gauge: framedGauge},
	"amqp":   {outlet: amqpOutlet, inlet: amqpInlet, gauge: amqpGauge},
}
