package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"uploadlab/recorder"
)

const queueName = "bench_queue"

var errGone = errors.New("the broker closed the connection")

// amqpLink is a connection to RabbitMQ and a channel on it, where the queue is declared.
type amqpLink struct {
	conn    *amqp.Connection
	channel *amqp.Channel
	durable bool
}

func dialAMQP(s *settings) (*amqpLink, error) {
	conn, err := amqp.Dial("amqp://guest:guest@" + s.broker + "/")
	if err != nil {
		return nil, err
	}
	channel, err := conn.Channel()
	if err != nil {
		return nil, err
	}
	_, err = channel.QueueDeclare(queueName, s.durable, false, false, false, nil)
	return &amqpLink{conn: conn, channel: channel, durable: s.durable}, err
}

func amqpGauge(s *settings) (gauge, error) { return dialAMQP(s) }

// depth counts the messages that are ready: those a consumer has not got yet.
func (a *amqpLink) depth() (int, error) {
	queue, err := a.channel.QueueDeclarePassive(queueName, a.durable, false, false, false, nil)
	return queue.Messages, err
}

func (a *amqpLink) close() error { return a.conn.Close() }

// amqpSender is a producer's connection.
type amqpSender struct {
	*amqpLink
	mode    uint8
	confirm *confirms
}

func amqpOutlet(s *settings) (outlet, error) {
	link, err := dialAMQP(s)
	if err != nil {
		return nil, err
	}
	go endOnFullDisk(link.conn.NotifyBlocked(make(chan amqp.Blocking, 1)))
	sender := &amqpSender{amqpLink: link, mode: amqp.Transient}
	if s.durable {
		sender.mode = amqp.Persistent
	}
	if !s.confirms() {
		return sender, nil
	}
	if err := link.channel.Confirm(false); err != nil {
		return nil, err
	}
	sender.confirm = newConfirms(s)
	go sender.readConfirms(link.channel.NotifyPublish(make(chan amqp.Confirmation, cap(sender.confirm.room))))
	return sender, nil
}

// endOnFullDisk ends the process when the broker takes no more messages for want of disk: none is confirmed any more, and
// nothing is said of it. A broker that is low on memory goes on when its consumers have caught up.
func endOnFullDisk(blockings <-chan amqp.Blocking) {
	for one := range blockings {
		if one.Active && strings.Contains(one.Reason, "disk") {
			recorder.EndWith("RabbitMQ takes no more messages: %s.", one.Reason)
		}
	}
}

func (a *amqpSender) readConfirms(confirmations <-chan amqp.Confirmation) {
	for one := range confirmations {
		if !one.Ack {
			a.confirm.fail(fmt.Errorf("the broker refused message %d", one.DeliveryTag))
			return
		}
		a.confirm.one()
	}
	a.confirm.fail(errGone)
}

func (a *amqpSender) send(body []byte) error {
	return a.confirm.around(func() error {
		message := amqp.Publishing{Body: body, DeliveryMode: a.mode}
		return a.channel.Publish("", queueName, false, false, message) // which the older library has, too
	})
}

func (a *amqpSender) flush() error { return a.confirm.all() }

// amqpReceiver is a consumer's connection; deliveries is nil where it pulls.
type amqpReceiver struct {
	*amqpLink
	deliveries <-chan amqp.Delivery
	acks       bool
	pause      time.Duration
	last       amqp.Delivery
}

func amqpInlet(s *settings) (inlet, error) {
	link, err := dialAMQP(s)
	if err != nil {
		return nil, err
	}
	receiver := &amqpReceiver{amqpLink: link, acks: s.ack, pause: s.pullPause}
	if !s.push {
		return receiver, nil
	}
	if s.ack {
		if err := link.channel.Qos(s.prefetch, 0, false); err != nil {
			return nil, err
		}
	}
	receiver.deliveries, err = link.channel.Consume(queueName, "", !s.ack, false, false, false, nil)
	return receiver, err
}

func (a *amqpReceiver) next() ([]byte, error) {
	if a.deliveries == nil {
		return a.pull()
	}
	delivery, found := <-a.deliveries
	if !found {
		return nil, errGone
	}
	a.last = delivery
	return delivery.Body, nil
}

func (a *amqpReceiver) pull() ([]byte, error) {
	for {
		delivery, found, err := a.channel.Get(queueName, !a.acks)
		if err != nil {
			return nil, err
		}
		if found {
			a.last = delivery
			return delivery.Body, nil
		}
		time.Sleep(a.pause)
	}
}

func (a *amqpReceiver) acknowledge() error { return a.last.Ack(false) }
