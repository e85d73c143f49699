package uploadlab.lean;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * One thread that makes a load: it reads and stamps everything that has come, then sends what is to be sent.
 *
 * <p>Of those who begin a request only a few do so at a time, so that no answer waits long to be read.
 */
final class Loop implements AutoCloseable {
    private static final int STARTS_AT_ONCE = 8;
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final long LONGEST_LOOK_MS = 100;
    private static final long AT_ONCE_NS = 0;

    private final InetSocketAddress server;
    private final Rows rows;
    private final long connectTimeoutNs;
    private final long responseTimeoutNs;
    private final Selector selector;
    private final Alarm alarm;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final Queue<Request> starts = new ArrayDeque<>();
    private final Queue<User> ready = new ArrayDeque<>();
    private final Queue<User> ended = new ArrayDeque<>();
    /** Requests that were due and have not ended. */
    private int underWay;
    /** Whatever comes later than this has not been seen. */
    private long lookedNs;

    Loop(Settings settings, Rows rows) throws IOException {
        server = new InetSocketAddress(settings.text("host"), settings.number("port"));
        if (server.isUnresolved()) {
            throw new UsageException("host=" + settings.text("host") + ": there is no such host.");
        }
        connectTimeoutNs = settings.ns("connect_timeout_ms");
        responseTimeoutNs = settings.ns("response_timeout_ms");
        this.rows = rows;
        selector = Selector.open();
        alarm = new Alarm(selector);
    }

    /** Makes a load to its end without a break; the connections of its users are closed then. */
    void run(Load load) throws IOException {
        run(load, Turns.alone());
    }

    /** Makes a load in turns to its end; the connections of its users are closed then. */
    void run(Load load, Turns turns) throws IOException {
        lookedNs = turns.await();
        long checkedNs = lookedNs;
        load.begin(lookedNs);
        while (!load.isOver()) {
            if (underWay == 0 && System.nanoTime() >= turns.endNs()) {
                load.postpone(turns.next(load));
                look(AT_ONCE_NS); // connections that the server has closed meanwhile
            }
            boolean isTurn = System.nanoTime() < turns.endNs();
            if (isTurn) {
                start(load);
            }
            begin();
            look(isTurn ? Math.min(load.nextDueNs(), turns.endNs()) : Load.NEVER);
            send();
            if (lookedNs - checkedNs >= LONGEST_LOOK_MS * 1_000_000) {
                checkedNs = lookedNs;
                lookForSilence(load.users);
            }
            takeEnded(load);
        }
        turns.end(load);
        load.users.forEach(User::close);
        selector.selectNow(); // the closed ones are forgotten
    }

    private void start(Load load) {
        int before = starts.size();
        load.startDue(System.nanoTime(), starts);
        underWay += starts.size() - before;
    }

    @Override
    public void close() throws IOException {
        alarm.close();
        selector.close();
    }

    private void begin() {
        for (int i = 0; i < STARTS_AT_ONCE && !starts.isEmpty(); i++) {
            var request = starts.remove();
            var user = request.user;
            request.startNs = System.nanoTime();
            if (user.begin(request, server, selector)) {
                user.send(request.startNs);
            }
            noteEnded(user);
        }
    }

    /**
     * Reads all that has come. What is found at once may have come at any time since the last look; what had to be waited
     * for has just come. A look for many takes long, so how long one takes does not tell which of them it was.
     */
    private void look(long nextDueNs) throws IOException {
        long sinceNs = lookedNs;
        lookedNs = System.nanoTime();
        boolean isFound = selector.selectNow() > 0;
        // The alarm is set after that: a look that does not wait would silence one that has rung.
        if (!isFound && starts.isEmpty() && ended.isEmpty() && alarm.isSetFor(nextDueNs)) {
            selector.select(LONGEST_LOOK_MS);
            lookedNs = System.nanoTime();
            sinceNs = lookedNs;
        }
        for (var key : selector.selectedKeys()) {
            take((User) key.attachment(), key, sinceNs);
        }
        selector.selectedKeys().clear();
    }

    private void take(User user, SelectionKey key, long sinceNs) {
        boolean isReadable = key.isReadable(); // asked first: who cannot connect has no key any more
        boolean canSend = key.isWritable() || key.isConnectable() && user.connect();
        if (isReadable) {
            user.receive(buffer, sinceNs);
        }
        noteEnded(user);
        if (canSend && user.isBusy()) {
            ready.add(user);
        }
    }

    private void send() {
        for (var user = ready.poll(); user != null; user = ready.poll()) {
            user.send(lookedNs);
            noteEnded(user);
        }
    }

    private void noteEnded(User user) {
        if (user.request != null && user.request.endNs != 0) {
            ended.add(user);
        }
    }

    private void lookForSilence(List<User> users) {
        for (var user : users) {
            if (user.isBusy()) {
                user.lookAtTime(lookedNs, connectTimeoutNs, responseTimeoutNs);
                noteEnded(user);
            }
        }
    }

    private void takeEnded(Load load) throws IOException {
        for (var user = ended.poll(); user != null; user = ended.poll()) {
            rows.add(user, load);
            underWay--;
            user.finish();
            load.ended(user, System.nanoTime());
        }
    }
}
