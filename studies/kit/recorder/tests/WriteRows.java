import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;

import uploadlab.recorder.Kind;
import uploadlab.recorder.Recorder;

/**
 * Records the rows that it reads on standard input (CSV, a header first); with `endless`, numbers until it is killed; with
 * `threads`, the numbers to 200,000 by each of four threads at the same time.
 */
final class WriteRows {
    private static final Kind[] KINDS = Kind.values();

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (Recorder recorder = Recorder.open(Path.of(arguments[0]), Long.parseLong(arguments[1]))) {
            if (arguments.length > 2 && arguments[2].equals("endless")) recordEndlessly(recorder);
            if (arguments.length > 2 && arguments[2].equals("threads")) {
                recordNumbersAtOnce(recorder);
            } else {
                recordRows(recorder);
            }
            System.out.println(recorder.lost());
        } catch (FileAlreadyExistsException error) {
            System.err.println(arguments[0] + ": File exists");
            System.exit(1);
        }
    }

    private static void recordRows(Recorder recorder) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        lines.readLine();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] row = line.split(",");
            int seq = (int) Long.parseLong(row[1]);
            int bytes = (int) Long.parseLong(row[2]);
            Kind kind = KINDS[Integer.parseInt(row[5]) - 1];
            recorder.recordAt(
                    Long.parseLong(row[0]), kind, Integer.parseInt(row[6]), Integer.parseInt(row[3]),
                    Integer.parseInt(row[4]), seq, bytes);
        }
    }

    private static void recordNumbersAtOnce(Recorder recorder) throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            int stream = i;
            threads[i] = new Thread(() -> recordNumbers(recorder, stream));
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }

    private static void recordNumbers(Recorder recorder, int stream) {
        for (int seq = 0; seq < 200_000; seq++) recorder.record(Kind.RECEIVED, 0, stream, 0, seq, ~seq);
    }

    private static void recordEndlessly(Recorder recorder) {
        for (int seq = 0; ; seq++) {
            recorder.record(Kind.SENT, 0, 0, 0, seq, ~seq);
            if (seq == 1000) System.out.println("recording");
        }
    }
}
