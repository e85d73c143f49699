// The client library of the paper's program, in the place of its successor.
module uploadlab/queues

go 1.19

require (
	github.com/rabbitmq/amqp091-go v1.9.0
	uploadlab/recorder v0.0.0
)

replace (
	github.com/rabbitmq/amqp091-go => github.com/streadway/amqp v1.1.0
	uploadlab/recorder => ../kit/recorder/go
)
