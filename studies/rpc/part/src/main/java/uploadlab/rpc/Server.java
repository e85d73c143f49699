package uploadlab.rpc;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;

import uploadlab.recorder.Conductor;
import uploadlab.recorder.Events;
import uploadlab.recorder.Recorder;
import uploadlab.recorder.Settings;

/** Answers calls by the local procedures and records them while the client is measured. */
final class Server implements Conductor.Phases {
    private final boolean remote;
    private final Settings settings;
    private final Recorder recorder;
    private final Events events;
    private final Watched watched;
    private final Closeable serving;

    Server(RpcSystem system, Settings settings, Recorder recorder, Events events) throws IOException {
        this.remote = system.remote();
        this.settings = settings;
        this.recorder = recorder;
        this.events = events;
        this.watched = new Watched(WrongAnswers.by(settings), recorder);
        InetSocketAddress at = new InetSocketAddress(settings.text("HOST"), (int) settings.whole("PORT"));
        this.serving = system.serve(at, watched, settings);
    }

    /** The client holds the answers to the contract. */
    @Override
    public void verify() {}

    @Override
    public void warmUp() {}

    @Override
    public void measure(long startNs) throws Exception {
        long calls = settings.whole("CALLS");
        long expected = remote ? calls * Operation.called(settings).size() : 0;
        watched.begin(expected, startNs);
        long lateNs = System.nanoTime() - startNs;
        if (lateNs > 0) {
            throw new IllegalStateException(
                    "The server was told to measure " + lateNs + " ns after the start: calls would be missing.");
        }
        Conductor.progress(0, 0);
        long garbageMs = Part.garbageMs();
        Part.sleepUntil(startNs);
        Part.phase(events, "measure", () -> watched.awaitAll(settings.real("DRAIN_S", 10)));
        events.tell(
                "counters", "phase", "measure", "expected", expected, "received", watched.calls(), "lost_records", recorder.lost(), "gc_ms",
                Part.garbageMs() - garbageMs);
        CpuTimes cpu = watched.cpu();
        events.tell(
                "levels", "levels", cpu.operations().stream().map(Operation::label).toList(), "cpu_us_per_operation",
                cpu.usPerCall(calls));
    }

    @Override
    public void close() throws IOException {
        serving.close();
    }
}
