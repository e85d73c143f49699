package uploadlab.groups;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

/** JGroups' protocols as its XML names them, from udp.xml or tcp.xml beside the version's adapter. */
public final class StackFile {
    private static final String FLOW_CONTROL = "<(FC|MFC|UFC)\\b[^>]*/>";

    /** How often, once a second, a member asks for those before it, which are there: on a busy machine an answer may be lost. */
    private static final String MOST_DISCOVERIES = "10";

    private StackFile() {}

    /** Return the stack's XML for a member; without flow control where the transport says so. */
    public static String read(Place place) throws IOException {
        String name = place.overUdp() ? "/udp.xml" : "/tcp.xml";
        String text;
        try (InputStream file = StackFile.class.getResourceAsStream(name)) {
            text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (place.transport.equals("tcp_without_fc")) text = text.replaceAll(FLOW_CONTROL, "");
        return text.replace("{host}", place.host)
                .replace("{port}", Long.toString(place.port))
                .replace("{group_port}", groupPort(place))
                .replace("{hosts}", hosts(place))
                .replace("{discoveries}", place.index == 0 ? "1" : MOST_DISCOVERIES)
                .replace("{found}", Integer.toString(place.index + 1))
                .replace("{credits}", Long.toString(place.flowCredits));
    }

    /** Return the port of the first member, which no other group of this host has. */
    public static String groupPort(Place place) {
        return portOf(place.addresses[0]);
    }

    private static String portOf(String address) {
        return address.substring(address.lastIndexOf(':') + 1);
    }

    private static String hosts(Place place) {
        return Arrays.stream(place.addresses)
                .map(address -> address.substring(0, address.lastIndexOf(':')) + "[" + portOf(address) + "]")
                .collect(Collectors.joining(","));
    }
}
