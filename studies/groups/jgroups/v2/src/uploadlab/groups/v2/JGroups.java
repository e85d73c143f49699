package uploadlab.groups.v2;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.ReceiverAdapter;
import org.jgroups.Version;
import org.jgroups.View;
import org.w3c.dom.Element;
import uploadlab.groups.Channel;
import uploadlab.groups.Place;
import uploadlab.groups.StackFile;

/** JGroups 2: one source for 2.6 and 2.12, compiled with each. */
public final class JGroups extends ReceiverAdapter implements Channel {
    private final Map<Address, Integer> joined = new HashMap<>();
    private volatile Map<Address, Integer> members = Map.of();
    private JChannel channel;
    private Listener listener;

    @Override
    public void open(Place place, Listener with) throws Exception {
        listener = with;
        byte[] stack = StackFile.read(place).getBytes(StandardCharsets.UTF_8);
        Element root = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(stack))
                .getDocumentElement();
        channel = new JChannel(root);
        channel.setReceiver(this);
        channel.connect("group-" + StackFile.groupPort(place));
    }

    @Override
    public void send(byte[] buffer) throws Exception {
        channel.send(new Message(null, null, buffer));
    }

    @Override
    public void receive(Message message) {
        Integer sender = members.get(message.getSrc());
        if (sender == null) return;
        byte[] buffer = message.getRawBuffer();
        if (buffer == null) buffer = new byte[0];
        listener.delivered(sender, buffer, message.getOffset(), message.getLength());
    }

    /** Members keep the number of their joining, which is their index: they join one after the other. */
    @Override
    public synchronized void viewAccepted(View view) {
        for (Object member : view.getMembers()) joined.putIfAbsent((Address) member, joined.size());
        members = Map.copyOf(joined);
        listener.viewed(view.size(), view instanceof MergeView);
    }

    @Override
    public long handedBytes(int bufferBytes) {
        return new Message(null, null, new byte[bufferBytes]).size();
    }

    @Override
    public String version() {
        return Version.description;
    }

    @Override
    public void close() {
        if (channel != null) channel.close();
    }
}
