package uploadlab.groups.current;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.Version;
import org.jgroups.View;
import uploadlab.groups.Channel;
import uploadlab.groups.Place;
import uploadlab.groups.StackFile;

/** JGroups of today. */
public final class JGroups implements Channel, Receiver {
    private final Map<Address, Integer> joined = new HashMap<>();
    private volatile Map<Address, Integer> members = Map.of();
    private JChannel channel;
    private Listener listener;

    @Override
    public void open(Place place, Listener with) throws Exception {
        listener = with;
        byte[] stack = StackFile.read(place).getBytes(StandardCharsets.UTF_8);
        channel = new JChannel(new ByteArrayInputStream(stack));
        channel.setReceiver(this);
        channel.connect("group-" + StackFile.groupPort(place));
    }

    @Override
    public void send(byte[] buffer) throws Exception {
        channel.send(new BytesMessage(null, buffer));
    }

    @Override
    public void receive(Message message) {
        Integer sender = members.get(message.getSrc());
        if (sender != null) listener.delivered(sender, message.getArray(), message.getOffset(), message.getLength());
    }

    /** Members keep the number of their joining, which is their index: they join one after the other. */
    @Override
    public synchronized void viewAccepted(View view) {
        for (Address member : view.getMembers()) joined.putIfAbsent(member, joined.size());
        members = Map.copyOf(joined);
        listener.viewed(view.size(), view instanceof MergeView);
    }

    @Override
    public long handedBytes(int bufferBytes) {
        return new BytesMessage(null, new byte[bufferBytes]).size();
    }

    @Override
    public String version() {
        return Version.printVersion();
    }

    @Override
    public void close() {
        if (channel != null) channel.close();
    }
}
