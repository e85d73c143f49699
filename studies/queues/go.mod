module uploadlab/queues

go 1.19

require (
	github.com/rabbitmq/amqp091-go v1.9.0
	uploadlab/recorder v0.0.0
)

replace uploadlab/recorder => ../kit/recorder/go
