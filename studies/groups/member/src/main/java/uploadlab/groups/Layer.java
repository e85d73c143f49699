package uploadlab.groups;

import java.io.IOException;

/** Something between the application and a channel; a layer that changes nothing is JGroups alone. */
abstract class Layer implements Channel, Channel.Listener {
    protected final Channel below;
    protected Listener above;

    Layer(Channel below) {
        this.below = below;
    }

    @Override
    public void prepare(Place place) throws IOException {
        below.prepare(place);
    }

    @Override
    public void open(Place place, Listener listener) throws Exception {
        above = listener;
        below.open(place, this);
    }

    @Override
    public void send(byte[] buffer) throws Exception {
        below.send(buffer);
    }

    @Override
    public void viewed(int members, boolean merged) {
        above.viewed(members, merged);
    }

    @Override
    public long handedBytes(int bufferBytes) {
        return below.handedBytes(bufferBytes);
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
