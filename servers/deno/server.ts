// https://docs.deno.com/api/deno/~/Deno.serve and https://developer.mozilla.org/en-US/docs/Web/API/Request/formData (read 2026-11-27), with
// Deno.writeFile. Added: a name by UUID.
const server = Deno.serve(
  { hostname: Deno.env.get("HOST"), port: Number(Deno.env.get("PORT")) },
  async (req) => {
    if (req.method !== "POST" || new URL(req.url).pathname !== "/upload") return new Response("", { status: 404 });
    const form = await req.formData().catch(() => new FormData());
    const file = form.get("file");
    if (!(file instanceof File)) return Response.json({ error: "no file" }, { status: 400 });
    await Deno.writeFile(`${Deno.env.get("UPLOAD_DIR")}/${crypto.randomUUID()}`, file.stream());
    return Response.json({ stored: 1 });
  },
);
Deno.addSignalListener("SIGTERM", () => server.shutdown().then(() => Deno.exit(0)));
