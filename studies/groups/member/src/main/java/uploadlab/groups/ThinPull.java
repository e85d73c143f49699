package uploadlab.groups;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The stand-in for a thin generic layer: the same bytes, but what arrives is put into a queue, from which a thread of the layer
 * takes it and calls the application.
 */
final class ThinPull extends Layer {
    private record Delivery(int sender, byte[] buffer, int offset, int length) {}

    private final BlockingQueue<Delivery> queue = new LinkedBlockingQueue<>();

    ThinPull(Channel below) {
        super(below);
    }

    @Override
    public void open(Place place, Listener listener) throws Exception {
        Thread reader = new Thread(() -> read(listener), "reader");
        reader.setDaemon(true);
        reader.start();
        super.open(place, listener);
    }

    @Override
    public void delivered(int sender, byte[] buffer, int offset, int length) {
        queue.add(new Delivery(sender, buffer, offset, length));
    }

    private void read(Listener listener) {
        try {
            for (;;) {
                Delivery one = queue.take();
                listener.delivered(one.sender, one.buffer, one.offset, one.length);
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}
