package uploadlab.lean;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Uploads a list of files as the JMeter plans do, at a fraction of their CPU: warm-up, a gap, one measured load or several.
 * Before each the server may finish what it does beside its requests.
 */
public final class LeanGenerator {
    private static final String WARM_UP = "Warm-up upload";
    private static final String WARM_USERS = "Warm-up users";
    private static final int LEAD_IN_USERS = 1000; // as come in a pause of 100 ms at 10,000 a second
    private static final long LONGER_NS = 10_000_000_000L; // than whoever is to say so waits

    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private final List<Settings> loads;
    private final Settings settings;
    private final Uploads uploads;
    private final Expected expected;
    private final StringBuilder log = new StringBuilder();

    /** Makes the requests ready, then waits for the word to begin where it is told to. */
    private LeanGenerator(String[] arguments) throws IOException {
        loads = Settings.ofLoads(arguments);
        settings = loads.get(0);
        uploads = new Uploads(settings);
        if (settings.number("waits") > 0) {
            settings.take(Objects.requireNonNullElse(INPUT.readLine(), ""));
        }
        expected = new Expected(settings);
    }

    /**
     * Makes the load that SETTING=VALUE arguments describe, or several, one after the other: after each `then` follow the
     * settings in which the next load differs. Ends with 2 and a sentence where that cannot be done.
     */
    public static void main(String[] arguments) throws InterruptedException {
        try {
            new LeanGenerator(arguments).run();
        } catch (UsageException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        } catch (IOException e) {
            System.err.println("The load could not be made to its end: " + e);
            System.exit(2);
        }
    }

    private void run() throws IOException, InterruptedException {
        var url = "http://" + settings.hostInUrl() + ":" + settings.text("port") + settings.text("path");
        boolean isOpen = loads.stream().anyMatch(LeanGenerator::isOpen);
        var warmUsers = users(WARM_USERS, settings.number("warmup_threads"));
        var warmUp = new ClosedLoad(WARM_UP, warmUsers, uploads, settings.number("warmup_loops"), 0, 0, 0);
        var measured = loads.stream().map(this::load).toList();
        try (var rows = new Rows(settings.path("requests"), expected, url, isOpen); var loop = new Loop(settings, rows)) {
            var turns = Turns.of(settings, rows, INPUT);
            loop.run(warmUp);
            rows.write();
            for (int i = 0; i < loads.size(); i++) {
                prepare(loads.get(i), loop, rows);
                if (i == 0) {
                    say("The warm-up is over.");
                    System.gc(); // what the preparation left
                    Thread.sleep(settings.number("lead_ms"));
                }
                loop.run(measured.get(i), turns);
                turns.leave();
                rows.write();
                say("The load is over.");
                System.gc(); // before the next one, not in it
            }
        }
    }

    /** Lets the server meet open arrivals, which no warm-up is like, and then finish what it does beside its requests. */
    private void prepare(Settings load, Loop loop, Rows rows) throws IOException {
        if (!load.text("lead_in_csv").isEmpty()) {
            loop.run(leadIn(load));
            rows.write();
        }
        leaveToItself(loop, rows);
    }

    /** Makes next to no load until a line of standard input says that the server has nothing else to do any more. */
    private void leaveToItself(Loop loop, Rows rows) throws IOException {
        long mostNs = settings.ns("background_s");
        if (mostNs == 0) {
            return;
        }
        say("The server may finish its background work.");
        var user = newUser(WARM_USERS).apply(0);
        loop.run(new LightLoad(WARM_UP, user, uploads, mostNs + LONGER_NS, LeanGenerator::isTold));
        rows.write();
        if (isTold()) {
            INPUT.readLine();
        }
        System.gc();
    }

    private static boolean isTold() {
        try {
            return INPUT.ready();
        } catch (IOException e) {
            return true; // nobody is there any more
        }
    }

    private static boolean isOpen(Settings load) {
        return !load.text("schedule_csv").isEmpty();
    }

    private Load load(Settings load) {
        var label = load.text("label");
        int threads = load.number("threads");
        if (isOpen(load)) {
            return new OpenLoad(label, threads, false, newUser("Users"), uploads, load.path("schedule_csv"));
        }
        long rampUpNs = load.ns("ramp_up_s");
        long thinkNs = load.ns("think_time_ms");
        var users = users("Users", threads);
        return new ClosedLoad(label, users, uploads, load.number("loops"), rampUpNs, load.ns("duration_s"), thinkNs);
    }

    /** Of a rate that the server can't hold it leaves out what would be a queue for the measured load to wait for. */
    private Load leadIn(Settings load) {
        int mostUsers = Math.min(load.number("threads"), LEAD_IN_USERS);
        return new OpenLoad(WARM_UP, mostUsers, true, newUser(WARM_USERS), uploads, load.path("lead_in_csv"));
    }

    private List<User> users(String group, int count) {
        return IntStream.range(0, count).mapToObj(newUser(group)).toList();
    }

    private IntFunction<User> newUser(String group) {
        return number -> new User(group, number, expected.bodyBytes);
    }

    private void say(String sentence) throws IOException {
        log.append(Instant.now()).append(' ').append(sentence).append('\n');
        Files.writeString(settings.path("log"), log);
    }
}
