package uploadlab.rpc;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import uploadlab.recorder.Conductor;
import uploadlab.recorder.Events;
import uploadlab.recorder.Recorder;
import uploadlab.recorder.Settings;

/** One part of a run, server or client by its environment, on the system whose main class called. */
public final class Part {
    private Part() {}

    /** Be the part that the environment asks for; with the argument `versions` print the versions as JSON instead. */
    public static void run(RpcSystem system, String[] arguments) {
        if (arguments.length == 1 && arguments[0].equals("versions")) {
            System.out.println(Events.json(versions(system)));
            return;
        }
        Conductor.run(() -> {
            Settings settings = Settings.ofEnvironment();
            try (Events events = Events.open(Path.of(settings.text("EVENTS_FILE")));
                    Recorder recorder =
                            Recorder.open(Path.of(settings.text("RECORDS_FILE")), settings.whole("RECORDS_CAPACITY"))) {
                events.started(versions(system));
                boolean serves = settings.oneOf("ROLE", "server", "client").equals("server");
                try (Conductor.Phases part = serves
                        ? new Server(system, settings, recorder, events)
                        : new Client(system, settings, recorder, events)) {
                    Conductor.obey(part);
                }
                events.tell("ended", "lost_records", recorder.lost());
            }
        });
    }

    static void phase(Events events, String name, Conductor.Work work) throws Exception {
        events.tell("phase", "name", name, "edge", "begin");
        work.run();
        events.tell("phase", "name", name, "edge", "end");
    }

    static void sleepUntil(long timeNs) {
        for (long left = timeNs - System.nanoTime(); left > 0; left = timeNs - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Return how long this process has collected garbage so far, in ms, as its collectors count it. */
    static long garbageMs() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    /** Read HOST:PORT; of several, separated by commas or blanks, the first. */
    static InetSocketAddress address(String text) {
        String first = text.trim().split("[,\\s]+")[0];
        int colon = first.lastIndexOf(':');
        if (colon < 1) throw new IllegalArgumentException("SERVER_ADDRESSES is '" + text + "'; expected HOST:PORT.");
        return new InetSocketAddress(first.substring(0, colon), Integer.parseInt(first.substring(colon + 1)));
    }

    /** Return the versions of Java and of the system's artifacts, which the names of the jars on the class path tell. */
    static Map<String, String> versions(RpcSystem system) {
        Map<String, String> versions = new TreeMap<>(Map.of("java", System.getProperty("java.runtime.version")));
        for (String jar : System.getProperty("java.class.path").split(":")) {
            Matcher named = Pattern.compile("(.+?)-(\\d[^/]*)\\.jar").matcher(Path.of(jar).getFileName().toString());
            if (named.matches() && system.artifacts().contains(named.group(1))) versions.put(named.group(1), named.group(2));
        }
        return versions;
    }
}
