import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy that adds a token to every request, because the suite has no option for it. */
export async function startTokenProxy(
  target: string,
  token: string,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const onward = request(
      new URL(asked.url ?? "/", target),
      { method: asked.method ?? "GET", headers },
      (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
      },
    );
    onward.on("error", () => answer.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
