package uploadlab.reference;

/** What the environment asks for; see sut.toml for the meaning of each. */
record Settings(
        String host, int port, String path, String law, double meanMs, double cv, long seed,
        double stallEveryMs, double stallMs, double cpuUs, int holdKb, double switchesPerS, String truth) {

    static Settings fromEnvironment() {
        return new Settings(
            text("HOST", "127.0.0.1"), (int) number("PORT", 8080), text("UPLOAD_PATH", "/getimages"),
            text("LAW", "none"), number("MEAN_MS", 0), number("CV", 0), (long) number("LAW_SEED", 1),
            number("STALL_EVERY_MS", 10_000), number("STALL_MS", 2_000),
            number("CPU_US", 0), (int) number("HOLD_KB", 0), number("SWITCHES_PER_S", 0),
            text("RUNTIME_METRICS_FILE", ""));
    }

    private static String text(String name, String otherwise) {
        var value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    private static double number(String name, double otherwise) {
        var value = text(name, Double.toString(otherwise));
        try {
            double parsed = Double.parseDouble(value);
            if (parsed >= 0 && parsed < Double.POSITIVE_INFINITY) {
                return parsed;
            }
        } catch (NumberFormatException error) {
            // said below
        }
        throw new IllegalArgumentException(name + " must be a number from 0, it is \"" + value + "\".");
    }
}
