/**
 * Preloaded into the product (`node --import`) when statements are counted: counts the traffic of its SQL driver and
 * reports it on a Unix socket. Timed rounds run without it.
 */
import { createServer } from "node:http";
import { Socket } from "node:net";
import { WireCounter } from "./wire-counter.ts";

const path = process.env["BENCH_COUNTS"];
const counter = new WireCounter();

/** The chunk methods of a stream. `@types/node` declares both optional and with other chunk types. */
interface Streams {
  _write(chunk: Chunk, encoding: Encoding, done: () => void): void;
  _writev(chunks: readonly Write[], done: () => void): void;
}
type Chunk = Buffer | string;
type Encoding = BufferEncoding | "buffer";
interface Write {
  readonly chunk: Chunk;
  readonly encoding: Encoding;
}

if (path !== undefined) {
  const sockets = Socket.prototype as unknown as Streams;
  const { _write: write, _writev: writev } = sockets;
  const see = (stream: Streams, { chunk, encoding }: Write): void => {
    const socket = stream as unknown as Socket;
    const bytes =
      typeof chunk === "string"
        ? Buffer.from(chunk, encoding === "buffer" ? "utf8" : encoding)
        : chunk;
    counter.see(socket, bytes, socket.bytesRead);
  };
  sockets._write = function (this: Streams, chunk, encoding, done) {
    see(this, { chunk, encoding });
    return write.call(this, chunk, encoding, done);
  };
  sockets._writev = function (this: Streams, chunks, done) {
    for (const one of chunks) see(this, one);
    return writev.call(this, chunks, done);
  };
  createServer((_request, response) => response.end(JSON.stringify(counter.counts)))
    .listen(path)
    .unref();
}
