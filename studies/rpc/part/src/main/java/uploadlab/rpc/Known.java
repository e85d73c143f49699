package uploadlab.rpc;

import uploadlab.recorder.Laws;

/** Calls that take as long as a law says, so that what the lab reports of them is known beforehand. */
public final class Known {
    private Known() {}

    public static void main(String[] arguments) {
        Part.run(
                new InProcess(settings -> Laws.of(settings, "LAW", settings.real("MEAN_US") * 1e3, settings.whole("SEED"))),
                arguments);
    }
}
