package uploadlab.groups;

import java.util.Arrays;

/** An ablation: the envelope's bytes without its serialisation. They are behind the payload. */
final class Padding extends Layer {
    private int padding;

    Padding(Channel below) {
        super(below);
    }

    @Override
    public void prepare(Place place) {
        padding = Envelope.surplusBytes(place) - (int) below.handedBytes(0);
    }

    @Override
    public void delivered(int sender, byte[] buffer, int offset, int length) {
        above.delivered(sender, buffer, offset, length - padding);
    }

    @Override
    public void send(byte[] buffer) throws Exception {
        below.send(Arrays.copyOf(buffer, buffer.length + padding));
    }

    @Override
    public long handedBytes(int bufferBytes) {
        return below.handedBytes(bufferBytes + padding);
    }
}
