package uploadlab.recorder;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The words between a part and the one that conducts it: verify, warm_up, measure START_NS and stop come on standard input;
 * ready, verified, warmed_up, progress OPERATIONS ERRORS and done go out on standard output.
 */
public final class Conductor {
    private static final int FAILED = 2;

    /** What a part does when it is told to; each word is answered when the method returns. */
    public interface Phases extends Closeable {
        void verify() throws Exception;

        void warmUp() throws Exception;

        /** Begin at a time on System.nanoTime's clock, and return when the part has nothing left to do. */
        void measure(long startNs) throws Exception;
    }

    /** What a part or a thread of it does from its start to its end; it may fail in any way. */
    public interface Work {
        void run() throws Exception;
    }

    private Conductor() {}

    /** Run a part and end the process: with exit code 0, or with one sentence on standard error and exit code 2. */
    public static void run(Work work) {
        try {
            work.run();
        } catch (Throwable error) {
            System.err.println(sentence(error));
            System.exit(FAILED);
        }
        System.exit(0);
    }

    /** Say ready, then do as told until the conductor says stop or is gone. */
    public static void obey(Phases phases) throws Exception {
        BufferedReader words = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        say("ready");
        for (String line = words.readLine(); line != null && !line.equals("stop"); line = words.readLine()) {
            if (line.equals("verify")) {
                phases.verify();
                say("verified");
            } else if (line.equals("warm_up")) {
                phases.warmUp();
                say("warmed_up");
            } else if (line.startsWith("measure ")) {
                phases.measure(startNs(line));
                say("done");
            } else {
                throw new IllegalArgumentException(
                        "The conductor said '" + line + "'; expected verify, warm_up, measure START_NS or stop.");
            }
        }
    }

    /** Say how many operations were done since the measurement began, and how many of them failed; once a second. */
    public static void progress(long operations, long errors) {
        say("progress " + operations + " " + errors);
    }

    private static void say(String word) {
        System.out.println(word);
        if (System.out.checkError()) throw new IllegalStateException("The conductor is gone.");
    }

    private static long startNs(String line) throws IOException {
        try {
            return Long.parseLong(line.substring("measure ".length()));
        } catch (NumberFormatException error) {
            throw new IOException("'" + line + "': expected the nanosecond at which to begin.");
        }
    }

    /** Return what failed in one line, and its root cause where it says more: "Failed to bind" alone helps nobody. */
    static String sentence(Throwable error) {
        String message = error.getMessage();
        boolean told = message != null && (error instanceof IllegalArgumentException || error instanceof IllegalStateException);
        String said = told ? message : error.toString();
        Throwable root = error;
        while (root.getCause() != null) root = root.getCause();
        String cause = root.getMessage() == null ? root.toString() : root.getMessage();
        return (said.contains(cause) ? said : said + " (" + root + ")").replaceAll("\\s*\\R\\s*", " ");
    }
}
