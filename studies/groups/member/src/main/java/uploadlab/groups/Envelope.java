package uploadlab.groups;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The stand-in for a generic layer that puts each message into a Java-serialised envelope: sender, group, every destination,
 * the payload. Handed to the transport are then exactly 906 bytes (UDP) or 912 (TCP) and 47 a member more than the payload.
 */
final class Envelope extends Layer {
    private static final int FIXED_UDP_BYTES = 906;
    private static final int FIXED_TCP_BYTES = 912;
    private static final int MEMBER_BYTES = 47;
    /** What an Identity takes beside its name: an object, its class by reference, a string and its length. */
    private static final int IDENTITY_BYTES = 9;

    /** One member as the envelope lists it; every one serialises to the same number of bytes. */
    record Identity(String name) implements Serializable {}

    /** What is serialised for each message. */
    private static final class Wrapped implements Serializable {
        private static final long serialVersionUID = 1;
        private final String sender;
        private final String group;
        private final ArrayList<Identity> destinations;
        private final byte[] controls;
        private final byte[] payload;

        private Wrapped(String sender, String group, List<Identity> destinations, byte[] controls, byte[] payload) {
            this.sender = sender;
            this.group = group;
            this.destinations = new ArrayList<>(destinations);
            this.controls = controls;
            this.payload = payload;
        }
    }

    private String sender;
    private final List<Identity> destinations = new ArrayList<>();
    private byte[] controls = new byte[0];

    Envelope(Channel below) {
        super(below);
    }

    /** Return what the layer adds to a payload, the bytes that the channel below adds included. */
    static int surplusBytes(Place place) {
        return (place.overUdp() ? FIXED_UDP_BYTES : FIXED_TCP_BYTES) + MEMBER_BYTES * place.count;
    }

    @Override
    public void prepare(Place place) throws IOException {
        for (int member = 0; member < place.count; member++) destinations.add(new Identity(name(member)));
        sender = name(place.index);
        int room = surplusBytes(place) - (int) below.handedBytes(0) - wrap(new byte[0]).length;
        if (room < 0) throw new IllegalStateException("The envelope is " + -room + " bytes larger than described.");
        controls = new byte[room];
    }

    private static String name(int member) {
        return String.format("%-" + (MEMBER_BYTES - IDENTITY_BYTES) + "s", "member-" + member);
    }

    byte[] wrap(byte[] payload) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(payload.length + 2048);
        try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
            objects.writeObject(new Wrapped(sender, "group", destinations, controls, payload));
        }
        return bytes.toByteArray();
    }

    static byte[] unwrap(byte[] buffer, int offset, int length) {
        try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(buffer, offset, length))) {
            return ((Wrapped) objects.readObject()).payload;
        } catch (IOException | ClassNotFoundException error) {
            return new byte[0]; // counts as a message of the wrong length
        }
    }

    @Override
    public void delivered(int from, byte[] buffer, int offset, int length) {
        byte[] payload = unwrap(buffer, offset, length);
        above.delivered(from, payload, 0, payload.length);
    }

    @Override
    public void send(byte[] buffer) throws Exception {
        below.send(wrap(buffer));
    }

    @Override
    public long handedBytes(int bufferBytes) {
        try {
            return below.handedBytes(wrap(new byte[bufferBytes]).length);
        } catch (IOException error) {
            throw new IllegalStateException("The envelope cannot be made: " + error.getMessage());
        }
    }
}
