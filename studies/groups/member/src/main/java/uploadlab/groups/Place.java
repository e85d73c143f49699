package uploadlab.groups;

import uploadlab.recorder.Settings;

/** Where a member stands in its group, and what the group goes over. */
public final class Place {
    public final int index;
    public final int count;
    public final String host;
    public final long port;
    public final String[] addresses;
    public final String transport;
    public final long flowCredits;

    public Place(Settings settings) {
        index = (int) settings.whole("INDEX");
        count = (int) settings.whole("COUNT");
        host = settings.text("HOST");
        port = settings.whole("PORT");
        addresses = settings.text("MEMBER_ADDRESSES").split("[, ]+");
        transport = settings.oneOf("TRANSPORT", "tcp", "udp", "tcp_without_fc");
        flowCredits = settings.whole("FLOW_CREDITS", 500_000);
        if (addresses.length != count || index < 0 || index >= count) {
            throw new IllegalArgumentException(
                    "INDEX=" + index + ", COUNT=" + count + ", MEMBER_ADDRESSES=" + String.join(",", addresses)
                            + ": expected an address for each member.");
        }
    }

    public boolean overUdp() {
        return transport.equals("udp");
    }
}
