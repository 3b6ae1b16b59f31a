import { setTimeout as pause } from "node:timers/promises";
import { duringWork, type Fault } from "../fault.ts";
import { Stage } from "../stage.ts";
import { requestOf, statusesIn, wire } from "../wire.ts";

const ME = "GET /api/v1/auth/me";
const PUBLISH = "POST /api/v1/events/topics/strange/publish";
const ANSWER_MS = 5_000;
/** Headers may take 60 seconds, checked every five. */
const HEADERS_MAX_MS = 75_000;
const SLOW_CLIENTS = 300;
const ABORTED_UPLOADS = 200;

/** A kind of client behaviour, and its expected result. */
interface Manner {
  readonly name: string;
  readonly say: (stage: Stage) => Promise<string | undefined>;
}

/** Sends a text and compares the received statuses. */
function hears(
  name: string,
  text: (stage: Stage) => string,
  expected: readonly (readonly number[])[],
  { halfClose = false }: { readonly halfClose?: boolean } = {},
): Manner {
  return {
    name,
    async say(stage) {
      const line = await wire(stage.product.port);
      if (halfClose) line.socket.end(text(stage), "latin1");
      else line.socket.write(text(stage), "latin1");
      const statuses = await line.answers(expected.length, ANSWER_MS);
      line.socket.destroy();
      const right =
        statuses.length >= expected.length &&
        expected.every((allowed, n) => allowed.includes(statuses[n] ?? 0));
      return right ? undefined : `${name}: ${statuses.join(", ") || "no answer"}`;
    },
  };
}

const order = (key: string): string => JSON.stringify({ type: "odd.placed", payload: { key } });

const MANNERS: readonly Manner[] = [
  hears("half-closed after a request", ({ token }) => requestOf(ME, { token }), [[200]], {
    halfClose: true,
  }),
  hears(
    "half-closed after a write",
    ({ token }) => requestOf(PUBLISH, { token, body: order("half") }),
    [[201]],
    { halfClose: true },
  ),
  hears("five requests at once", ({ token }) => requestOf(ME, { token }).repeat(5), [
    [200],
    [200],
    [200],
    [200],
    [200],
  ]),
  hears(
    "pipelined, the second unreadable",
    ({ token }) => `${requestOf(ME, { token })}NONSENSE\r\n\r\n`,
    [[200], [400]],
  ),
  hears("no HTTP", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", [[400]]),
  hears(
    "headers of 40 KB",
    ({ token }) => requestOf(ME, { token, headers: [`X-Long: ${"a".repeat(40_000)}`] }),
    [[431]],
  ),
  hears(
    "a body of 2 MB",
    ({ token }) => requestOf(PUBLISH, { token, body: `"${"a".repeat(2_000_000)}"` }),
    [[413]],
  ),
  hears(
    "the announcement of 1 TB",
    ({ token }) =>
      requestOf(PUBLISH, {
        token,
        headers: ["Content-Type: application/json", "Content-Length: 1000000000000"],
      }),
    [[413]],
  ),
  hears(
    "chunks of 2 MB",
    ({ token }) =>
      `${requestOf(PUBLISH, { token, headers: ["Content-Type: application/json", "Transfer-Encoding: chunked"] })}${`8000\r\n${"a".repeat(32_768)}\r\n`.repeat(64)}0\r\n\r\n`,
    [[413]],
  ),
  hears(
    "a chunk's size that is none",
    ({ token }) =>
      `${requestOf(PUBLISH, { token, headers: ["Content-Type: application/json", "Transfer-Encoding: chunked"] })}zz\r\n`,
    [[400]],
  ),
  hears(
    "endless chunk extensions",
    ({ token }) =>
      `${requestOf(PUBLISH, { token, headers: ["Content-Type: application/json", "Transfer-Encoding: chunked"] })}1;${"a".repeat(40_000)}\r\n`,
    [[400, 413]],
  ),
  hears(
    "Content-Length and Transfer-Encoding",
    ({ token }) =>
      `${requestOf(PUBLISH, { token, headers: ["Content-Type: application/json", "Content-Length: 4", "Transfer-Encoding: chunked"] })}0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n`,
    [[400]],
  ),
  hears(
    "two Content-Lengths",
    ({ token }) =>
      `${requestOf(PUBLISH, { token, headers: ["Content-Length: 4", "Content-Length: 5"] })}aaaaa`,
    [[400]],
  ),
  hears(
    "an unknown Transfer-Encoding",
    ({ token }) =>
      `${requestOf(PUBLISH, { token, headers: ["Transfer-Encoding: gzip, identity"] })}aaaaa`,
    [[400, 415, 501]],
  ),
  hears("a space before the colon", () => "GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n", [[400]]),
  hears("no Host", () => "GET /healthz HTTP/1.1\r\n\r\n", [[400]]),
  hears(
    "Expect: 100-continue",
    ({ token }) =>
      requestOf(PUBLISH, { token, body: order("expected"), headers: ["Expect: 100-continue"] }),
    [[100], [201]],
  ),
  hears("another Expect", ({ token }) => requestOf(ME, { token, headers: ["Expect: a miracle"] }), [
    [417],
  ]),
  hears(
    "a protocol to upgrade to",
    ({ token }) => requestOf(ME, { token, headers: ["Connection: Upgrade", "Upgrade: websocket"] }),
    [[200]],
  ),
];

const manners: Fault = {
  name: "manners",
  about: `${MANNERS.length} ways to talk that are strange or hostile`,
  async run({ onStage }) {
    await using stage = await Stage.open({ database: "embedded" });
    onStage(stage);
    const wrong: string[] = [];
    const seen = await duringWork(stage, async () => {
      for (const { say } of MANNERS) {
        const fault = await say(stage);
        if (fault !== undefined) wrong.push(fault);
      }
    });
    return { lines: seen.lines, wrong: [...wrong, ...seen.wrong] };
  },
};

const slowSenders: Fault = {
  name: "slow-senders",
  about: `${SLOW_CLIENTS} clients send a byte of their headers a second, ${ABORTED_UPLOADS} leave in the middle of a body`,
  async run({ onStage }) {
    await using stage = await Stage.open({ database: "embedded" });
    onStage(stage);
    const wrong: string[] = [];
    const told: string[] = [];
    const seen = await duringWork(stage, async () => {
      const { port } = stage.product;
      const lines = await Promise.all(Array.from({ length: SLOW_CLIENTS }, () => wire(port)));
      const drip = setInterval(() => {
        for (const { socket } of lines) if (socket.writable) socket.write("a");
      }, 1_000);
      for (const { socket } of lines) socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ");
      for (let n = 0; n < ABORTED_UPLOADS; n += 1) {
        const line = await wire(port);
        const { token } = stage;
        const head = requestOf(PUBLISH, { token, body: "a".repeat(5_000) }).slice(0, -2_500);
        line.socket.write(head, () => line.socket.resetAndDestroy());
      }
      const ends = await Promise.all(lines.map((line) => line.end(HEADERS_MAX_MS)));
      clearInterval(drip);
      const timedOut = ends.filter(({ text }) => statusesIn(text)[0] === 408).length;
      const latest = Math.max(...ends.map(({ afterMs }) => afterMs));
      told.push(`${timedOut} of ${SLOW_CLIENTS} were told 408, the last after ${latest} ms`);
      if (timedOut !== SLOW_CLIENTS) wrong.push("not all slow clients were sent away");
    });
    return { lines: [...told, ...seen.lines], wrong: [...wrong, ...seen.wrong] };
  },
};

const SLOW_READERS = 200;
const STALLED_MS = 15_000;
/** An event of 200 KB, so that unread data fills every buffer. */
const BIG = "x".repeat(200_000);
const BIG_EVENTS = 20;

const slowReaders: Fault = {
  name: "slow-readers",
  about: `${SLOW_READERS} clients ask for 4 MB each, as a stream or a page, and read nothing for ${STALLED_MS / 1000} s`,
  async run({ onStage }) {
    await using stage = await Stage.open({ database: "embedded" });
    onStage(stage);
    const wrong: string[] = [];
    const told: string[] = [];
    const seen = await duringWork(stage, async () => {
      const { token } = stage;
      const path = "/api/v1/events/topics/big";
      const ids: string[] = [];
      for (let n = 0; n < BIG_EVENTS; n += 1) {
        const body = { type: "big.made", payload: { n, text: BIG } };
        const answer = await stage.ask(`POST ${path}/publish`, { body });
        if (answer.status !== 201) throw new Error(`No event was made: ${answer.status}`);
        ids.push((answer.body as { data: { id: string } }).data.id);
      }
      const before = stage.product.memoryMb;
      const lines = await Promise.all(
        Array.from({ length: SLOW_READERS }, () => wire(stage.product.port)),
      );
      for (const { socket } of lines) {
        socket.pause();
        const query = `limit=${BIG_EVENTS - 1}&after=${ids[0]}`;
        socket.write(requestOf(`GET ${path}/stream?${query}`, { token }));
      }
      await pause(STALLED_MS);
      told.push(
        `memory ${before} MB before, ${stage.product.memoryMb} MB with ${SLOW_READERS} who do not read`,
      );
      for (const { socket } of lines) socket.resume();
      const heard = await Promise.all(lines.map((line) => line.end(60_000)));
      const whole = heard.filter(({ text }) => text.length > (BIG_EVENTS - 1) * BIG.length).length;
      told.push(`${whole} of ${SLOW_READERS} got all of it in the end`);
      if (whole !== SLOW_READERS) wrong.push("not all slow readers got everything");
    });
    return { lines: [...told, ...seen.lines], wrong: [...wrong, ...seen.wrong] };
  },
};

/** Faults of clients. */
export const clients: readonly Fault[] = [manners, slowSenders, slowReaders];
