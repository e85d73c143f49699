package uploadlab.groups;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.ServiceLoader;
import uploadlab.recorder.Conductor;
import uploadlab.recorder.Events;
import uploadlab.recorder.Recorder;
import uploadlab.recorder.Settings;

/** A member as the conductor starts it: the system's name is the argument, the rest is in the environment. */
public final class Part {
    private Part() {}

    public static void main(String[] arguments) {
        Conductor.run(() -> {
            if (arguments.length == 2 && arguments[1].equals("versions")) {
                System.out.println(Events.json(versions(channel(arguments[0], new Settings(Map.of())))));
            } else if (arguments.length == 4 && arguments[1].equals("handed")) {
                tellHanded(arguments[0], arguments[2], arguments[3]);
            } else if (arguments.length == 1) {
                work(arguments[0], Settings.ofEnvironment());
            } else {
                throw new IllegalArgumentException("Expected the name of a system, and nothing, 'versions' or 'handed TRANSPORT MEMBERS'.");
            }
        });
    }

    private static void work(String system, Settings settings) throws Exception {
        Channel channel = channel(system, settings);
        try (Events events = Events.open(Path.of(settings.text("EVENTS_FILE")));
                Recorder recorder =
                        Recorder.open(Path.of(settings.text("RECORDS_FILE")), settings.whole("RECORDS_CAPACITY"));
                Member member = new Member(settings, channel, recorder, events)) {
            events.started(versions(channel));
            member.join();
            Conductor.obey(member);
            events.tell("ended", "lost_records", recorder.lost());
        }
    }

    /** Print, for the paper's sizes, how many bytes a member hands to the group's protocols for a message. */
    private static void tellHanded(String system, String transport, String members) throws Exception {
        Channel channel = channel(system, new Settings(Map.of()));
        String addresses = String.join(",", Collections.nCopies(Integer.parseInt(members), "127.0.0.1:1"));
        channel.prepare(
                new Place(
                        new Settings(
                                Map.of(
                                        "INDEX", "0", "COUNT", members, "HOST", "127.0.0.1", "PORT", "1", "MEMBER_ADDRESSES",
                                        addresses, "TRANSPORT", transport))));
        for (int bytes : new int[] {1, 10, 100, 1000, 10_000}) System.out.println(bytes + " " + channel.handedBytes(bytes));
    }

    private static Map<String, String> versions(Channel channel) {
        return Map.of("group", channel.version(), "java", Runtime.version().toString());
    }

    private static Channel channel(String system, Settings settings) {
        return switch (system) {
            case "jgroups" -> jgroups();
            case "thin-pull" -> new ThinPull(jgroups());
            case "envelope" -> new Envelope(jgroups());
            case "padding" -> new Padding(jgroups());
            case "serialised" -> new Serialised(jgroups());
            case "null" -> Law.nothing();
            case "known" -> Law.known(settings);
            default -> throw new IllegalArgumentException(
                    "'" + system + "' is no system; expected jgroups, thin-pull, envelope, padding, serialised, null or known.");
        };
    }

    private static Channel jgroups() {
        return ServiceLoader.load(Channel.class)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No JGroups is on the class path."));
    }
}
