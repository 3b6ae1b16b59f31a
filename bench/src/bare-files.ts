/** A bare file server in a thread: it writes a body to disk, syncs it, and sends it back. */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parentPort } from "node:worker_threads";

const folder = await mkdtemp(join(tmpdir(), "millrace-bare-files-"));
const file = join(folder, "file");

const server = createServer((request, response) => {
  void (request.method === "POST" ? receive() : pipeline(createReadStream(file), response));
  async function receive(): Promise<void> {
    await pipeline(request, createWriteStream(file));
    const handle = await open(file, "r");
    await handle.sync();
    await handle.close();
    response.writeHead(201).end("{}");
  }
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === "object" ? address?.port : 0);
});
parentPort?.once("message", () => {
  server.close();
  void rm(folder, { recursive: true, force: true }).then(() => parentPort?.postMessage("ended"));
});
