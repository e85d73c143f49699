// https://bun.sh/guides/http/file-uploads (read 2026-11-27): req.formData() and Bun.write. Added: a name by UUID.
import { join } from "node:path";

const server = Bun.serve({
  hostname: process.env.HOST,
  port: process.env.PORT,
  maxRequestBodySize: 230 * 1024 * 1024,
  routes: {
    "/upload": {
      POST: async (req) => {
        const formdata = await req.formData().catch(() => new FormData());
        const file = formdata.get("file");
        if (!(file instanceof Blob)) return Response.json({ error: "no file" }, { status: 400 });
        await Bun.write(join(process.env.UPLOAD_DIR!, crypto.randomUUID()), file);
        return Response.json({ stored: 1 });
      },
    },
  },
});
process.on("SIGTERM", async () => {
  await server.stop();
  process.exit(0);
});
