package uploadlab.lean;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Turns of load generators whose servers share a core: each says when all that it sent in its turn is answered, and waits for a
 * line of standard input before the next one.
 */
final class Turns {
    private static final String HEADING = "label,start_us,end_us\n";

    private final long turnNs;
    private final Path file;
    private final Rows rows;
    private final BufferedReader input;
    private long startNs;
    private long endNs = Load.NEVER;

    private Turns(long turnNs, Path file, Rows rows, BufferedReader input) {
        this.turnNs = turnNs;
        this.file = file;
        this.rows = rows;
        this.input = input;
    }

    /** Returns those of a load that has the core to itself: its only turn has no end. */
    static Turns alone() {
        return new Turns(0, null, null, null);
    }

    /** Returns those of the measured loads, which are written to a file; without {@code turn_ms} as those of one alone. */
    static Turns of(Settings settings, Rows rows, BufferedReader input) throws IOException {
        long turnNs = settings.ns("turn_ms");
        if (turnNs == 0) {
            return alone();
        }
        var file = settings.path("turns");
        Files.writeString(file, HEADING);
        return new Turns(turnNs, file, rows, input);
    }

    /** Waits for the first turn of a load, and returns when it began. */
    long await() throws IOException {
        leave();
        startNs = System.nanoTime();
        endNs = turnNs > 0 ? startNs + turnNs : Load.NEVER;
        return startNs;
    }

    /** When no further request of this turn may begin, or {@link Load#NEVER}. */
    long endNs() {
        return endNs;
    }

    /** Lets the others have their turns. */
    void leave() throws IOException {
        if (turnNs > 0) {
            System.out.println("{\"turn_over\": true}");
            input.readLine(); // its end: nobody else has a turn any more
        }
    }

    /** All is answered that this turn sent: waits for the next one, and returns how long after this one's end it began. */
    long next(Load load) throws IOException {
        long overNs = endNs;
        end(load);
        return await() - overNs;
    }

    /** Writes down the turn that is over. */
    void end(Load load) throws IOException {
        if (turnNs > 0) {
            var row = load.label + ',' + rows.epochUs(startNs) + ',' + rows.epochUs(System.nanoTime()) + '\n';
            rows.write();
            Files.writeString(file, row, StandardOpenOption.APPEND);
        }
    }
}
