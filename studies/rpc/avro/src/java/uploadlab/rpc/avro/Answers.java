package uploadlab.rpc.avro;

import uploadlab.rpc.Procedures;

/** The server's side: all but the call of nothing, which Avro 1.8 and 1.12 declare differently. */
abstract class Answers {
    final Procedures procedures;

    Answers(Procedures procedures) {
        this.procedures = procedures;
    }

    public long singleLong(long value) {
        return procedures.singleLong(value);
    }

    public long eightLongs(long a, long b, long c, long d, long e, long f, long g, long h) {
        return procedures.eightLongs(a, b, c, d, e, f, g, h);
    }

    public String text(String value) {
        return procedures.text(value);
    }

    public uploadlab.rpc.avro.wire.Foo complex(uploadlab.rpc.avro.wire.Foo value) {
        return Values.of(procedures.foo(Values.read(value)));
    }
}
