package uploadlab.rpc.grpc;

import java.util.List;

import com.google.protobuf.MessageLite;
import uploadlab.rpc.Call;
import uploadlab.rpc.Foo;
import uploadlab.rpc.Local;
import uploadlab.rpc.grpc.wire.Eight;
import uploadlab.rpc.grpc.wire.None;
import uploadlab.rpc.grpc.wire.Single;
import uploadlab.rpc.grpc.wire.TextValue;

/** Values as protobuf messages, and back. */
final class Messages {
    private Messages() {}

    static Single of(long value) {
        return Single.newBuilder().setValue(value).build();
    }

    static Eight of(long a, long b, long c, long d, long e, long f, long g, long h) {
        return Eight.newBuilder()
                .setA(a).setB(b).setC(c).setD(d).setE(e).setF(f).setG(g).setH(h)
                .build();
    }

    static TextValue of(String value) {
        return TextValue.newBuilder().setValue(value).build();
    }

    static uploadlab.rpc.grpc.wire.Foo of(Foo foo) {
        uploadlab.rpc.grpc.wire.Foo.Builder message = uploadlab.rpc.grpc.wire.Foo.newBuilder()
                .setId(foo.id())
                .setTitle(foo.title())
                .addAllBody(foo.body());
        for (Foo.Author author : foo.authors()) {
            message.addAuthors(uploadlab.rpc.grpc.wire.Author.newBuilder()
                    .setId(author.id())
                    .setName(author.name())
                    .setSurname(author.surname()));
        }
        return message.build();
    }

    /** Every string is decoded here: protobuf keeps received ones as bytes until somebody asks. */
    static Foo read(uploadlab.rpc.grpc.wire.Foo message) {
        List<Foo.Author> authors = message.getAuthorsList().stream()
                .map(author -> new Foo.Author(author.getId(), author.getName(), author.getSurname()))
                .toList();
        // The list itself hands out strings, and keeps bytes.
        List<String> body = message.getBodyList().stream().toList();
        return new Foo(message.getId(), message.getTitle(), body, authors);
    }

    static MessageLite argument(Call call) {
        return value(call.argument());
    }

    static MessageLite answer(Call call) {
        return value(call.answeredBy(new Local()));
    }

    private static MessageLite value(Object value) {
        if (value == null) return None.getDefaultInstance();
        if (value instanceof Long number) return of((long) number);
        if (value instanceof String text) return of(text);
        if (value instanceof long[] of) return of(of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7]);
        return of((Foo) value);
    }
}
