package uploadlab.groups;

import java.io.IOException;

/** Something between the application and a channel; a layer that changes nothing is JGroups alone. */
abstract class Layer implements Channel {
    protected final Channel below;

    Layer(Channel below) {
        this.below = below;
    }

    @Override
    public void prepare(Place place) throws IOException {
        below.prepare(place);
    }

    @Override
    public void open(Place place, Listener listener) throws Exception {
        below.open(place, listener);
    }

    @Override
    public void send(byte[] buffer) throws Exception {
        below.send(buffer);
    }

    @Override
    public long handedBytes(int bufferBytes) {
        return below.handedBytes(bufferBytes);
    }

    @Override
    public long transportBytes() {
        return below.transportBytes();
    }

    @Override
    public String version() {
        return below.version();
    }

    @Override
    public void close() {
        below.close();
    }
}
