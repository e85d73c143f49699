package uploadlab.groups;

import java.io.IOException;

/**
 * An ablation: the envelope's serialisation without its bytes. Each message is wrapped and thrown away where it is sent, and one
 * of the same length is unwrapped where it arrives; the payload goes alone.
 */
final class Serialised extends Layer {
    private static volatile int unwrapped; // keeps the work from being optimised away

    private final Envelope envelope;
    private volatile byte[] wrapped;
    private volatile int wrappedFor = -1;

    Serialised(Channel below) {
        super(below);
        envelope = new Envelope(below);
    }

    @Override
    public void prepare(Place place) throws IOException {
        envelope.prepare(place);
    }

    @Override
    public void delivered(int sender, byte[] buffer, int offset, int length) {
        unwrapOne(length);
        above.delivered(sender, buffer, offset, length);
    }

    private void unwrapOne(int payloadBytes) {
        byte[] one = wrappedOf(payloadBytes);
        unwrapped = Envelope.unwrap(one, 0, one.length).length;
    }

    private synchronized byte[] wrappedOf(int payloadBytes) {
        if (wrappedFor != payloadBytes) {
            try {
                wrapped = envelope.wrap(new byte[payloadBytes]);
            } catch (IOException error) {
                throw new IllegalStateException("The envelope cannot be made: " + error.getMessage());
            }
            wrappedFor = payloadBytes;
        }
        return wrapped;
    }

    @Override
    public void send(byte[] buffer) throws Exception {
        unwrapped = envelope.wrap(buffer).length;
        below.send(buffer);
    }
}
