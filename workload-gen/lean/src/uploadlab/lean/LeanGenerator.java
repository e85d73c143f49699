package uploadlab.lean;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/** Uploads a list of files as the JMeter plans do, at a fraction of their CPU: warm-up, a gap, the measured load. */
public final class LeanGenerator {
    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private final Settings settings;
    private final StringBuilder log = new StringBuilder();

    private LeanGenerator(Settings settings) {
        this.settings = settings;
    }

    /**
     * Makes the load that SETTING=VALUE arguments describe; without arguments one load after the other, for each line of
     * standard input that gives them, with tabs in between, and answers it with the nanoseconds of the measured part. Ends
     * with 2 and a sentence where that cannot be done.
     */
    public static void main(String[] arguments) throws InterruptedException {
        try {
            if (arguments.length > 0) {
                new LeanGenerator(new Settings(arguments)).run();
                return;
            }
            for (var order = INPUT.readLine(); order != null; order = INPUT.readLine()) {
                System.out.println(new LeanGenerator(new Settings(order.split("\t"))).run());
            }
        } catch (UsageException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        } catch (IOException e) {
            System.err.println("The load could not be made to its end: " + e);
            System.exit(2);
        }
    }

    private long run() throws IOException, InterruptedException {
        var uploads = new Uploads(settings);
        var page = new Page(settings.number("page_bytes"), settings.text("page_sha256"));
        var url = "http://" + settings.hostInUrl() + ":" + settings.text("port") + settings.text("path");
        boolean isOpen = !settings.text("schedule_csv").isEmpty();
        var warmUsers = users("Warm-up users", settings.number("warmup_threads"), page);
        var users = users("Users", settings.number("threads"), page);
        var warmUp = new ClosedLoad("Warm-up upload", warmUsers, uploads, settings.number("warmup_loops"), 0, 0, 0);
        var load = isOpen ? new OpenLoad("Upload file", users, uploads, settings) : closed(users, uploads);
        long startNs;
        try (var rows = new Rows(settings.path("requests"), page, url, isOpen); var loop = new Loop(settings, rows)) {
            if (settings.number("waits") > 0) {
                INPUT.readLine();
            }
            loop.run(warmUp);
            rows.write();
            say("The warm-up is over.");
            System.gc(); // what the preparation left
            Thread.sleep(settings.number("lead_ms"));
            startNs = System.nanoTime();
            loop.run(load);
        }
        long lastedNs = System.nanoTime() - startNs;
        say("The load is over.");
        return lastedNs;
    }

    private ClosedLoad closed(List<User> users, Uploads uploads) {
        int loops = settings.number("loops");
        long rampUpNs = settings.ns("ramp_up_s");
        return new ClosedLoad(
                "Upload file", users, uploads, loops, rampUpNs, settings.ns("duration_s"), settings.ns("think_time_ms"));
    }

    private static List<User> users(String group, int count, Page page) {
        return IntStream.range(0, count).mapToObj(number -> new User(group, number, page.bytes)).toList();
    }

    private void say(String sentence) throws IOException {
        log.append(Instant.now()).append(' ').append(sentence).append('\n');
        Files.writeString(settings.path("log"), log);
    }
}
