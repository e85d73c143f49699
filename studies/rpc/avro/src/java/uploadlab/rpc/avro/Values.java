package uploadlab.rpc.avro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumWriter;
import uploadlab.rpc.Call;
import uploadlab.rpc.Foo;
import uploadlab.rpc.Local;
import uploadlab.rpc.avro.wire.Remote;

/** Values as the classes that Avro generates, and back. */
final class Values {
    private Values() {}

    static uploadlab.rpc.avro.wire.Foo of(Foo foo) {
        List<uploadlab.rpc.avro.wire.Author> authors = new ArrayList<>();
        for (Foo.Author author : foo.authors()) {
            authors.add(new uploadlab.rpc.avro.wire.Author(author.id(), author.name(), author.surname()));
        }
        return new uploadlab.rpc.avro.wire.Foo(foo.id(), foo.title(), foo.body(), authors);
    }

    static Foo read(uploadlab.rpc.avro.wire.Foo foo) {
        List<Foo.Author> authors = foo.getAuthors().stream()
                .map(author -> new Foo.Author(author.getId(), author.getName(), author.getSurname()))
                .toList();
        return new Foo(foo.getId(), foo.getTitle(), List.copyOf(foo.getBody()), authors);
    }

    /** Return the arguments' record in Avro's binary encoding. */
    static byte[] argument(Call call) {
        Schema schema = Remote.PROTOCOL.getMessages().get(message(call)).getRequest();
        GenericData.Record arguments = new GenericData.Record(schema);
        if (call.argument() instanceof long[] numbers) {
            for (int i = 0; i < numbers.length; i++) arguments.put(i, numbers[i]);
        } else if (call.argument() != null) {
            arguments.put(0, value(call.argument()));
        }
        return encoded(schema, arguments);
    }

    /** Return the answer in Avro's binary encoding. */
    static byte[] answer(Call call) {
        Schema schema = Remote.PROTOCOL.getMessages().get(message(call)).getResponse();
        return encoded(schema, value(call.answeredBy(new Local())));
    }

    private static String message(Call call) {
        return switch (call.operation()) {
            case VOID -> "nothing";
            case SINGLE_LONG -> "singleLong";
            case EIGHT_LONGS -> "eightLongs";
            case FOO -> "complex";
            default -> "text";
        };
    }

    private static Object value(Object value) {
        return value instanceof Foo foo ? of(foo) : value;
    }

    private static byte[] encoded(Schema schema, Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        try {
            new SpecificDatumWriter<Object>(schema).write(value, encoder);
            encoder.flush();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return bytes.toByteArray();
    }
}
